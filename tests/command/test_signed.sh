# shellcheck shell=bash disable=SC2154
# What becomes of strong names. Sourced by run.sh.

# The stock inspector has a strong name, and what it returns can be shown by another.
give_signed() {
    give . good-inspector.dll
    cp "$here/../../data/inspector/MyProfiler.dll" Signed.dll
}

assembly_row() { "$ilpatch" dump --tables "$1" | grep '^  20000001'; }
flags_of() { "$ilpatch" dump --headers "$1" | sed -n "s/^CLI header.*flags \([0-9x]*\),.*/\1/p"; }

test_signed_kept() {
    give_signed
    expect 0 --inspect-returns --inspector good-inspector.dll -o default.dll Signed.dll
    says out "strong name kept but no longer valid"
    expect 0 --inspect-returns --inspector good-inspector.dll --strong-name keep --report r.json -o kept.dll Signed.dll
    same default.dll kept.dll
    [ "$(assembly_row kept.dll)" = "$(assembly_row Signed.dll)" ] || die "the identity is another"
    says r.json '"strongNameStale": true, "strongNameCleared": false'
}

test_signed_cleared() {
    give_signed
    expect 0 --inspect-returns --inspector good-inspector.dll --strong-name=clear --report r.json -o out.dll Signed.dll
    says out "strong name removed"
    says r.json '"strongNameStale": false, "strongNameCleared": true'
    assembly_row out.dll | grep -q 'Flags=0x0  PublicKey=#0\[0\] ' || die "$(assembly_row out.dll)"
    [ "$(flags_of Signed.dll) $(flags_of out.dll)" = "0x9 0x1" ] || die "the flag stays"
}

test_signed_words() {
    give . Sample.dll
    refused 2 . --inspect-returns --strong-name klear Sample.dll
    says err "--strong-name is keep or clear, not 'klear'"
    refused 2 . tail list --strong-name clear Sample.dll
}
