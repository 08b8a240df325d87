# shellcheck shell=bash disable=SC2154
# Files laid out anew. Sourced by run.sh; tests/runtime/compact looks at what they hold.

test_compact_alone() {
    give . Sample.dll
    expect 0 --compact --report r.json -o out.dll Sample.dll
    says out "Sample.dll: nothing inspected; laid out anew"
    says r.json '"compacted": true'
    "$ilpatch" diff Sample.dll out.dll >diff.txt || die "$(head -n 5 diff.txt)"
    says diff.txt "0 methods differ"
    mvids() { "$ilpatch" dump --tables "$1" | grep -o 'Mvid=[0-9A-F]*'; }
    [ "$(mvids Sample.dll)" = "$(mvids out.dll)" ] || die "the MVID is another"
    expect 0 verify out.dll
    expect 0 --compact -o again.dll out.dll
    identical out.dll again.dll
}

test_compact_inspected() {
    give . Sample.dll
    expect 0 --inspect-returns -o grown.dll Sample.dll
    expect 0 --inspect-returns --compact --verify -o small.dll Sample.dll
    says out "8 of 14 methods inspected" "; laid out anew"
    [ "$(stat -c %s small.dll)" -le "$(stat -c %s grown.dll)" ] || die "it is larger"
    patched small.dll
    "$ilpatch" diff grown.dll small.dll >diff.txt || die "$(head -n 5 diff.txt)"
    says diff.txt "0 methods differ"
    # from what was patched and grown, too
    expect 0 --compact -o later.dll grown.dll
    "$ilpatch" diff grown.dll later.dll >diff.txt || die "$(head -n 5 diff.txt)"
}

test_compact_in_place() {
    give . Sample.dll
    expect 0 --compact Sample.dll
    identical Sample.dll.orig "$files/Sample.dll"
    cp Sample.dll first.dll
    expect 0 --compact Sample.dll
    identical Sample.dll first.dll
    expect 0 restore Sample.dll
    identical Sample.dll "$files/Sample.dll"
    # what was laid out so before, and has no original beside it, stays and gets none
    cp first.dll Sample.dll
    expect 0 --compact Sample.dll
    identical Sample.dll first.dll
    gone Sample.dll.orig
}

test_compact_signed() {
    give_signed
    inspect_signed 0 --compact --key key.snk -o out.dll
    says out "; laid out anew; signed anew"
    verified 'valid sha1' out.dll
    inspect_signed 0 --compact --strong-name clear -o clear.dll
    verified none clear.dll
    inspect_signed 0 --compact -o kept.dll
    verified invalid kept.dll
    expect 0 --compact --key key.snk -o alone.dll Signed.dll
    verified 'valid sha1' alone.dll
    expect 0 --compact --key key.snk -o again.dll alone.dll
    identical alone.dll again.dll
}

test_compact_refused() {
    give . Sample.dll
    { cat Sample.dll; echo more; } >overlay.dll
    refused 3 . --compact overlay.dll
    says err "behind the last section there is more that would be lost"
    cp "$here"/../files/good-mixed.dll mixed.dll
    refused 3 . --compact mixed.dll
    says err "a mixed-mode image: native code cannot be moved"
    refused 2 . --compact
    says err "no file is named"
}
