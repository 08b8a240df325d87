# shellcheck shell=bash disable=SC2154
# Files laid out again. Sourced by run.sh; tests/runtime/compact looks at what they hold.

test_compact_alone() {
    give . Sample.dll
    expect 0 --compact --report r.json -o out.dll Sample.dll
    says out "Sample.dll: nothing inspected; laid out again"
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
    expect 0 --inspect-returns --layout keep -o grown.dll Sample.dll
    expect 0 --inspect-returns --compact --verify -o small.dll Sample.dll
    says out "8 of 14 methods inspected" "; laid out again"
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
    says out "; laid out again; signed again"
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
    says err "data after the last section would be lost"
    cp "$here"/../files/good-mixed.dll mixed.dll
    refused 3 . --compact mixed.dll
    says err "a mixed-mode image: native code cannot be moved"
    refused 2 . --compact
    says err "no file is named"
}

# ---- the layout that is chosen ----

# kept_because WHY FILE OPTION...: FILE is patched, and its layout is kept for that reason; the original comes back.
kept_because() {
    local why=$1 file=$2
    shift 2
    cp "$file" before
    expect 0 --inspect-returns --layout keep "$@" -o keep.dll "$file"
    ! grep -q 'layout' out || die "$file: $(cat out)"
    refused 3 . --inspect-returns --layout compact "$@" -o x.dll "$file"
    says err "$why"
    expect 0 --inspect-returns "$@" -n "$file"
    says out "; layout kept: $why"
    expect 0 --inspect-returns "$@" --report r.json --verify "$file"
    says out "; layout kept: $why"
    says r.json '"compacted": false' "\"layoutKept\": \"$why\""
    good_report r.json
    identical "$file" keep.dll
    expect 0 --inspect-returns -q "$@" "$file"
    identical "$file" keep.dll
    patched "$file"
    expect 0 restore "$file"
    identical "$file" before
}

test_layout_kept() {
    needs_json
    give . Sample.dll
    { cat Sample.dll; echo more; } >overlay.dll
    kept_because "data after the last section would be lost" overlay.dll
    cp Sample.dll section.dll
    poke section.dll $(($(section_table section.dll) + 40)) 2e6d766964000000
    kept_because "section 2 (.mvid) is not one of those that compilers of IL write" section.dll
    cp Sample.dll exports.dll
    poke exports.dll $(($(section_table exports.dll) - 128)) 0020000028000000
    kept_because "a data directory (exports, TLS or the like) has to do with native code" exports.dll
    cp Sample.dll headers.dll
    poke headers.dll $((0x1ff)) 2a
    kept_because "data after the section table would be lost" headers.dll --embed
    cp "$here"/../files/good-mixed.dll .
    kept_because "a mixed-mode image: native code cannot be moved" good-mixed.dll
}

# Where the section table begins.
section_table() {
    local pe optional
    pe=$(od -An -t u4 -j 60 -N 4 "$1")
    optional=$(od -An -t u2 -j $((pe + 20)) -N 2 "$1")
    echo $((pe + 24 + optional))
}

test_layout_chosen() {
    local option
    give . Sample.dll Sample.pdb
    mkdir compact auto
    expect 0 --inspect-returns --layout compact -o compact Sample.dll
    for option in "" "--layout auto" "--layout=auto"; do
        # shellcheck disable=SC2086
        expect 0 --inspect-returns $option --report r.json -o auto Sample.dll
        ! grep -q 'laid out\|layout' out || die "a word about the layout: $(cat out)"
        says r.json '"compacted": true'
        ! grep -q layoutKept r.json || die "layoutKept"
        identical auto/Sample.dll compact/Sample.dll
        identical auto/Sample.pdb compact/Sample.pdb
    done
    expect 0 --inspect-returns --layout keep -o keep.dll Sample.dll
    identical keep.pdb auto/Sample.pdb
    [ "$(stat -c %s keep.dll)" -gt "$(stat -c %s auto/Sample.dll)" ] || die "it is not larger"
    expect 0 diff keep.dll auto/Sample.dll
    says out "0 methods differ, " ", 0 only in OLD, 0 only in NEW"
    expect 0 verify keep.dll auto/Sample.dll
    # from each the other one
    expect 0 --compact -o small.dll keep.dll
    expect 0 diff keep.dll small.dll
    says out "0 methods differ, "
    # with another layout, from the original
    expect 0 --inspect-returns Sample.dll
    cp Sample.dll first.dll
    expect 0 --inspect-returns --layout keep Sample.dll
    differ Sample.dll first.dll
    expect 0 --inspect-returns Sample.dll
    identical Sample.dll first.dll
    expect 0 restore Sample.dll
    identical Sample.dll "$files/Sample.dll"
    identical Sample.pdb "$files/Sample.pdb"
}

test_layout_words() {
    give . Sample.dll
    refused 2 . --inspect-returns --layout large Sample.dll
    says err "--layout is auto, keep or compact, not 'large'"
    refused 2 . --layout keep Sample.dll
    says err "nothing to do"
    refused 2 . --layout auto Sample.dll
    refused 2 . --inspect-returns --compact --layout keep Sample.dll
    expect 0 --layout compact -o out.dll Sample.dll
    says out "nothing inspected; laid out again"
    refused 2 . tail list --layout keep Sample.dll
    refused 2 . tail list --compact Sample.dll
}

# A file in which nothing is changed stays as it is, but for --layout compact.
test_layout_unchanged() {
    local layout
    give . Sample.dll
    cp "$here"/../files/good-r2r.dll .
    for layout in auto keep; do
        for file in Sample.dll good-r2r.dll; do
            expect 0 --where '<method name="nothing"/>' --layout $layout -o out.dll $file
            identical out.dll $file
        done
    done
    expect 0 --layout compact -o out.dll good-r2r.dll
    says out "ReadyToRun code dropped" "; laid out again"
    [ "$(stat -c %s out.dll)" -lt "$(stat -c %s good-r2r.dll)" ] || die "it is not smaller"
    # inspected, no native code is there in either
    for layout in auto keep; do
        expect 0 --inspect-returns --layout $layout --verify -o $layout.dll good-r2r.dll
        says out "ReadyToRun code dropped"
        ! "$ilpatch" dump --headers $layout.dll | grep -q ReadyToRun || die "$layout: ReadyToRun"
    done
    [ "$(stat -c %s auto.dll)" -lt "$(stat -c %s keep.dll)" ] || die "it is not smaller"
    expect 0 diff keep.dll auto.dll
    says out "0 methods differ, "
}

# Callers have the layout, too, but none of them is refused for it.
test_layout_of_callers() {
    local layout
    cp "$here"/../files/good-{r2r-bubble,small}.dll .
    for layout in auto keep compact; do
        mkdir $layout
        expect 0 --inspect-returns --with-callers --layout $layout -o $layout good-small.dll
        says out "may have held copies"
    done
    identical auto/good-r2r-bubble.dll compact/good-r2r-bubble.dll
    [ "$(stat -c %s auto/good-r2r-bubble.dll)" -lt "$(stat -c %s keep/good-r2r-bubble.dll)" ] || die "it is not smaller"
    { cat good-r2r-bubble.dll; echo more; } >caller
    mv caller good-r2r-bubble.dll
    expect 0 --inspect-returns --with-callers --compact -o compact good-small.dll
    says out "; layout kept: data after the last section" "; laid out again"
}

test_layout_of_tail_calls() {
    give . Sample.dll
    expect 0 tail add -o auto.dll Sample.dll
    expect 0 tail add --layout keep -o keep.dll Sample.dll
    expect 0 tail add --compact -o compact.dll Sample.dll
    identical auto.dll compact.dll
    differ auto.dll keep.dll
    expect 0 diff keep.dll auto.dll
    says out "0 methods differ, "
}

# Each file of a program has its own layout; the bundle is put back as it was.
test_layout_in_bundles() {
    give_bundle
    { cat in/Painter.dll; echo more; } >in/Overlay.dll
    python3 "$here/make_bundle.py" App 1:App.dll=in/Sample.dll z1:Painter.dll=in/Overlay.dll 1:Colors.dll=in/Colors.dll \
        3:App.deps.json=in/App.deps.json 4:App.runtimeconfig.json=in/App.runtimeconfig.json 5:App.pdb=in/Sample.pdb
    cp App before
    expect 0 --inspect-returns --report r.json App
    grep '^App/Painter.dll' out | grep -q "; layout kept: data after the last section" || die "$(cat out)"
    ! grep '^App/App.dll' out | grep -q layout || die "$(cat out)"
    expect 0 bundle extract -o all App
    expect 0 --inspect-returns -q -o sample.dll in/Sample.dll
    [ "$(stat -c %s all/App.dll)" -eq "$(stat -c %s sample.dll)" ] || die "App.dll has another layout"
    tail -c +$(($(stat -c %s in/Painter.dll) + 1)) all/Painter.dll | grep -qa more || die "what was after the sections is lost"
    expect 0 restore App
    identical App before
    refused 3 . --inspect-returns --layout compact App
    identical App before
}
