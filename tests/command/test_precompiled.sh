# shellcheck shell=bash disable=SC2154
# ReadyToRun images, and those whose native code depends on a patched one. Sourced by run.sh.
#
# The files: good-r2r.dll is a component of all.r2r.dll, good-r2r-bubble.dll records the MVID of good-small.dll.

give_precompiled() { # FOLDER
    mkdir -p "$1"
    cp "$here"/../files/good-{r2r,r2r-bubble,small}.dll "$1"
    cp "$here"/../files/unsupported-composite.dll "$1/all.r2r.dll"
    cp "$1/good-r2r.dll" "$1/other.dll"
    chmod 644 "$1"/*.dll
}

is_il_only() {
    local file
    for file; do
        ! "$ilpatch" dump --headers "$file" | grep -q "ReadyToRun" || die "$file is ReadyToRun"
    done
}

mvid() { "$ilpatch" dump --tables "$1" | sed -n 's/.*Mvid=\([0-9A-F]*\).*/\1/p'; }

test_precompiled_dump() {
    give_precompiled .
    "$ilpatch" dump --headers good-r2r.dll >out
    says out "ReadyToRun 16.0 for x64 on Linux, 1 sections, flags 0x23, component of all.r2r.dll" \
        "  flags: platform-neutral source, types are not validated, component"
    "$ilpatch" dump --headers all.r2r.dll >out
    says out ", composite"
    "$ilpatch" dump --headers "$here/../files/unsupported-ngen.dll" >out
    says out "managed native header: ReadyToRun header: native code of another kind"
}

test_precompiled_composite() {
    give_precompiled d
    rm d/good-r2r-bubble.dll # the same MVID is in all of these files
    refused 3 d --inspect-returns d/all.r2r.dll
    says err "a composite image: it holds the native code of other assemblies and no IL; patch those assemblies themselves"
    expect 0 --inspect-returns --report r.json d/good-r2r.dll
    says out "(on x64 only, as before)" "; MVID kept, since other native code records it" \
        "native code that may still hold copies of methods as they were: all.r2r.dll; --with-callers drops it"
    says r.json '"mvidKept": true, "nativeCodeDropped": true, "boundTo": "x64"' \
        '{"file": "d/all.r2r.dll", "reason": "composite", "of": ["d/good-r2r.dll"], "dropped": false}'
    is_il_only d/good-r2r.dll
    [ "$(mvid d/good-r2r.dll)" = "$(mvid d/good-r2r.dll.orig)" ] || die "the MVID was renewed"
    gone d/other.dll.orig
    # all of its components
    expect 0 --inspect-returns --with-callers --report r.json d/good-r2r.dll
    says out "d/other.dll: may have held copies of methods of d/good-r2r.dll; ReadyToRun code dropped"
    says r.json '"dropped": true'
    is_il_only d/good-r2r.dll d/other.dll
    there d/other.dll.orig
    gone d/all.r2r.dll.orig
    expect 0 restore d/other.dll d/good-r2r.dll
    identical d/other.dll "$here/../files/good-r2r.dll"
    # patched themselves: none is left
    expect 0 --inspect-returns --report r.json d/good-r2r.dll d/other.dll
    ! grep -q "may still hold" out || die "$(cat out)"
    says r.json '"of": ["d/good-r2r.dll", "d/other.dll"], "dropped": true'
}

test_precompiled_bubble() {
    give_precompiled d
    mkdir alone
    cp d/good-small.dll alone
    expect 0 --inspect-returns --report r.json alone/good-small.dll
    says r.json '"mvidKept": false' '"callers": []'
    [ "$(mvid alone/good-small.dll)" != "$(mvid d/good-small.dll)" ] || die "the MVID was kept"
    expect 0 restore alone/good-small.dll
    rm d/good-r2r.dll d/other.dll d/all.r2r.dll
    expect 0 --inspect-returns --reference-path d --report r.json alone/good-small.dll
    says r.json '{"file": "d/good-r2r-bubble.dll", "reason": "version-bubble", "of": ["alone/good-small.dll"], "dropped": false}'
    [ "$(mvid alone/good-small.dll)" = "$(mvid d/good-small.dll)" ] || die "the MVID was renewed"
    expect 0 --inspect-returns --with-callers --dry-run d/good-small.dll
    says out "d/good-r2r-bubble.dll: would be patched: may have held copies"
    gone d/*.orig
    # with -o everything is written there
    mkdir out.d
    expect 0 --inspect-returns --with-callers -o out.d d/good-small.dll
    there out.d/good-small.dll out.d/good-r2r-bubble.dll
    expect 0 --inspect-returns --with-callers -o out.d/x.dll d/good-small.dll
    there out.d/x.dll
    # what is said of symbols is said of FILE
    expect 0 --inspect-returns --with-callers --symbols update -o out.d d/good-small.dll
    [ "$(grep -c 'no symbols to update' out)" -eq 1 ] || die "$(cat out)"
    ! grep "may have held copies" out | grep -q symbols || die "$(cat out)"
    gone d/*.orig
    identical d/good-r2r-bubble.dll "$here/../files/good-r2r-bubble.dll"
    # its original could not be kept
    mkdir d/good-r2r-bubble.dll.orig
    expect 3 --inspect-returns --with-callers --report r.json d/good-small.dll
    says r.json '"reason": "version-bubble", "of": ["d/good-small.dll"], "dropped": false'
}

test_precompiled_tail() {
    give_precompiled d
    expect 0 tail strip d/good-small.dll
    ! grep -q "may still hold" out || die "nothing was changed: $(cat out)"
    expect 2 tail list --with-callers d/good-small.dll
}
