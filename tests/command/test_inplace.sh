# shellcheck shell=bash disable=SC2154
# Patching in place and restore: nothing of the original is ever lost. Sourced by run.sh.

# ---- in place ----

test_inplace_default() {
    give . Sample.dll
    expect 0 --inspect-returns Sample.dll
    patched Sample.dll
    identical Sample.dll.orig "$files/Sample.dll"
    there MyProfiler.dll
    [ -z "$(find . -name '*.tmp*')" ] || die "a temporary file is left"
}

# A program may have the stock inspector as a part of itself, in another version, too.
test_inplace_inspector_of_the_program() {
    give . Sample.dll Hello.exe
    mkdir made
    expect 0 --inspect-returns -o made Sample.dll
    local program
    for program in "$files/../../fixtures-0.1/stock/MyProfiler.dll" made/MyProfiler.dll; do
        cp "$program" MyProfiler.dll
        expect 0 --inspect-returns Sample.dll
        identical MyProfiler.dll made/MyProfiler.dll
        identical MyProfiler.dll.orig "$program"
        expect 0 --inspect-returns Hello.exe
        expect 0 restore Sample.dll
        identical MyProfiler.dll.orig "$program" # Hello.exe calls it still
        expect 0 restore Hello.exe
        identical MyProfiler.dll "$program"
        gone MyProfiler.dll.orig .MyProfiler.dll.ilpatch Sample.dll.orig Hello.exe.orig
    done
    rm MyProfiler.dll
    expect 0 --inspect-returns Sample.dll
    cp "$files/Sample.dll" Sample.dll # built again, and so MyProfiler.dll is ours
    expect 0 --inspect-returns Sample.dll
    expect 0 restore Sample.dll
    gone MyProfiler.dll MyProfiler.dll.orig
}

test_inplace_again() {
    give . Sample.dll
    expect 0 --inspect-returns Sample.dll
    cp Sample.dll first.dll
    local made
    made=$(stat -c '%i %Y' Sample.dll.orig)
    expect 0 --inspect-returns Sample.dll
    says out "8 of 14 methods inspected" # from the original, not from what was patched
    identical Sample.dll first.dll
    identical Sample.dll.orig "$files/Sample.dll"
    [ "$(stat -c '%i %Y' Sample.dll.orig)" = "$made" ] || die "the original was written again"
}

test_inplace_other_inspector() {
    give . Sample.dll good-inspector.dll
    expect 0 --inspect-returns Sample.dll
    expect 0 --inspect-returns --inspector good-inspector.dll Sample.dll
    patched Sample.dll
    grep -q 'Watching.Watch::MyInspector(object)' dump.txt || die "the other inspector is not called"
    ! grep -q 'MyProfiler' dump.txt || die "the first inspector is still called"
    identical Sample.dll.orig "$files/Sample.dll"
}

# -o starts from the original, too, so that one inspector replaces the other.
test_inplace_then_output() {
    give . Sample.dll good-inspector.dll
    expect 0 --inspect-returns Sample.dll
    mkdir out.d
    expect 0 --inspect-returns --inspector good-inspector.dll -o out.d Sample.dll
    patched out.d/Sample.dll
    ! grep -q MyProfiler dump.txt || die "the first inspector is still called"
    expect 0 --inspect-returns -o again.dll Sample.dll
    identical again.dll Sample.dll
}

test_inplace_rebuilt() {
    give . Sample.dll
    expect 0 --inspect-returns Sample.dll
    cp "$files/Hello.exe" Sample.dll # a new build
    refused 4 . --inspect-returns Sample.dll
    says err "Sample.dll was not made from Sample.dll.orig (was it rebuilt?)"
    rm Sample.dll.orig
    expect 0 --inspect-returns Sample.dll
    identical Sample.dll.orig "$files/Hello.exe"
}

# mvid_place FILE: where the MVID is; #GUID has no other entry.
mvid_place() { "$ilpatch" dump --headers "$1" | sed -n 's/.*stream #GUID *at \(0x[0-9A-F]*\) .*/\1/p'; }

# built_again: a build of Sample.dll after the first was patched, as new.dll, too.
built_again() {
    give . Sample.dll
    printf '%s' '{"runtimeTarget":{"name":"T"},"targets":{"T":{}},"libraries":{}}' >Sample.deps.json
    expect 0 --inspect-returns Sample.dll
    mkdir -p elsewhere
    cp Sample.dll elsewhere/patched.dll
    give . Sample.dll
    poke Sample.dll "$(mvid_place Sample.dll)" AB
    cp Sample.dll new.dll
}

test_inplace_built_again() {
    built_again
    expect 0 --inspect-returns --dry-run Sample.dll
    says out "; built again since: Sample.dll.orig replaced"
    identical Sample.dll.orig "$files/Sample.dll"
    expect 0 --inspect-returns --report elsewhere/r.json Sample.dll
    [ -z "$json_check" ] || [ "$(json elsewhere/r.json modules 0 replaced 0)" = Sample.dll.orig ] || die "no word in the report"
    says out "8 of 14 methods inspected" "; built again since: Sample.dll.orig replaced"
    patched Sample.dll
    identical Sample.dll.orig new.dll
    cp Sample.dll elsewhere/first.dll
    expect 0 --inspect-returns Sample.dll
    identical Sample.dll elsewhere/first.dll
    ! grep -q "built again" out || die "it was not built again: $(cat out)"
    expect 0 restore Sample.dll
    identical Sample.dll new.dll
    gone MyProfiler.dll Sample.dll.orig .Sample.dll.ilpatch .Sample.deps.json.ilpatch
}

test_inplace_built_again_nothing_kept() {
    built_again
    expect 0 --inspect-returns --in-place Sample.dll
    says out "; built again since: Sample.dll.orig removed"
    patched Sample.dll
    gone Sample.dll.orig .Sample.dll.ilpatch
    built_again
    expect 0 --inspect-returns --where '<method name="Nothing"/>' Sample.dll
    says out "; built again since: Sample.dll.orig removed"
    identical Sample.dll new.dll
    gone Sample.dll.orig .Sample.dll.ilpatch
}

# The .deps.json of a new build has no entry; one that has an entry of ours is no new one, whatever else is in it.
test_inplace_built_again_deps() {
    built_again
    printf '%s' '{"runtimeTarget":{"name":"T"},"targets":{"T":{"New/1.0.0":{}}},"libraries":{}}' >Sample.deps.json
    cp Sample.deps.json new.json
    expect 0 --inspect-returns Sample.dll
    says out "; built again since: Sample.dll.orig, *.deps.json.orig replaced"
    identical Sample.deps.json.orig new.json
    give . good-inspector.dll
    expect 0 --inspect-returns --inspector good-inspector.dll Sample.dll
    identical Sample.deps.json.orig new.json
    expect 0 restore Sample.dll
    give . Sample.dll
    expect 0 --inspect-returns Sample.dll
    cp new.json Sample.deps.json
    echo other >Sample.deps.json.orig
    expect 0 --inspect-returns Sample.dll
    [ "$(cat Sample.deps.json.orig)" = other ] || die "another program's file was replaced"
}

# What is not proven is refused: who kept the original, and that no tool has made this file of the patched one.
test_inplace_built_again_unproven() {
    built_again
    cp .Sample.dll.ilpatch record
    rm .Sample.dll.ilpatch
    refused 4 . --inspect-returns Sample.dll
    head -c 70 record >.Sample.dll.ilpatch
    refused 4 . --inspect-returns Sample.dll
    { cat record && head -c 5000 /dev/zero; } >.Sample.dll.ilpatch
    refused 4 . --inspect-returns Sample.dll
    cp record .Sample.dll.ilpatch
    echo mine >Sample.dll.orig
    refused 4 . --inspect-returns Sample.dll
    cp "$files/Sample.dll" Sample.dll.orig
    cp elsewhere/patched.dll Sample.dll
    local origin
    origin=$(grep -obUaP 'ilpatch\x01' Sample.dll | head -n 1 | cut -d : -f 1)
    poke Sample.dll "$origin" 00
    refused 4 . --inspect-returns Sample.dll
    refused 1 . restore Sample.dll
    cp new.dll Sample.dll
    expect 0 --inspect-returns Sample.dll
}

test_inplace_foreign_original() {
    give . Sample.dll
    echo mine >Sample.dll.orig
    refused 4 . --inspect-returns Sample.dll
    refused 4 . --inspect-returns --in-place Sample.dll
}

test_inplace_no_copy() {
    give . Sample.dll
    expect 0 --inspect-returns --in-place Sample.dll
    patched Sample.dll
    gone Sample.dll.orig
    cp Sample.dll first.dll
    expect 0 --inspect-returns --in-place Sample.dll
    identical Sample.dll first.dll
    expect 0 --inspect-returns Sample.dll
    identical Sample.dll first.dll
    gone Sample.dll.orig
}

test_inplace_original_as_file() {
    give . Sample.dll
    expect 0 --inspect-returns Sample.dll
    refused 2 . --inspect-returns Sample.dll.orig
    says err "Sample.dll.orig is an original that is kept"
    gone Sample.dll.orig.orig
    expect 0 --inspect-returns -o copy.dll Sample.dll.orig
    identical copy.dll Sample.dll
}

test_inplace_several() {
    give . Sample.dll Hello.exe
    expect 3 --inspect-returns Sample.dll missing.dll Hello.exe # the others are done all the same
    patched Sample.dll
    patched Hello.exe
    says err "missing.dll: cannot read: No such file or directory"
}

test_inplace_nothing_to_do() {
    give . Colors.dll
    expect 0 --inspect-returns Colors.dll
    identical Colors.dll "$files/Colors.dll"
    gone Colors.dll.orig MyProfiler.dll
}

test_inplace_odd_names() {
    give . Sample.dll
    mkdir "a folder"
    cp Sample.dll "a folder/a file.dll"
    cp Sample.dll ./-x.dll
    cp Sample.dll '%s%n.dll'
    expect 0 --inspect-returns "a folder/a file.dll" '%s%n.dll' -- -x.dll
    patched "a folder/a file.dll"
    patched '%s%n.dll'
    there ./-x.dll.orig '%s%n.dll.orig'
    expect 0 restore -- -x.dll '%s%n.dll'
    identical ./-x.dll Sample.dll
    identical '%s%n.dll' Sample.dll
}

# ---- restore ----

test_restore() {
    give . Sample.dll
    printf '{"runtimeTarget":{"name":"T"},"targets":{"T":{}},\n"libraries":{}}' >Sample.deps.json
    local before
    before=$(state_of .)
    expect 0 --inspect-returns Sample.dll
    there MyProfiler.dll
    expect 0 restore Sample.dll
    silent out
    silent err
    [ "$(state_of .)" = "$before" ] || die "not everything is as it was: $(ls)"
}

test_restore_two() {
    give . Sample.dll Hello.exe
    printf '{"runtimeTarget":{"name":"T"},"targets":{"T":{}},"libraries":{}}' >App.deps.json
    cp App.deps.json before.json
    expect 0 --inspect-returns Sample.dll Hello.exe
    expect 0 restore Sample.dll
    there MyProfiler.dll
    differ App.deps.json before.json
    expect 0 restore Hello.exe
    gone MyProfiler.dll App.deps.json.orig
    identical App.deps.json before.json
}

# Each of several inspectors has an entry in .deps.json; with the last one the original comes back, byte for byte.
test_restore_several() {
    give . Sample.dll
    give inspectors good-inspector.dll
    printf '{"runtimeTarget":{"name":"T"},"targets":{"T":{}},\n"libraries":{}}' >App.deps.json
    cp App.deps.json before.json
    cat >rules.xml <<EOF
<rules>
  <include inspector="inspectors/good-inspector.dll"><method name="Number"/></include>
  <include/>
</rules>
EOF
    expect 0 --rules rules.xml Sample.dll
    there MyProfiler.dll Watcher.dll
    says App.deps.json MyProfiler.dll Watcher.dll
    expect 0 restore Sample.dll
    gone MyProfiler.dll App.deps.json.orig
    identical App.deps.json before.json
}

# A file that was patched without a copy still needs the inspector; a user's notes.txt.orig does not.
test_restore_inspector_needed() {
    give . Sample.dll Hello.exe
    echo >notes.txt.orig
    expect 0 --inspect-returns Sample.dll
    expect 0 --inspect-returns --in-place Hello.exe
    expect 0 restore Sample.dll
    there MyProfiler.dll
    expect 0 --inspect-returns Sample.dll
    cp "$files/Hello.exe" Hello.exe
    expect 0 restore Sample.dll
    gone MyProfiler.dll
}

# No run has left a record of it, so it may be the program's.
test_restore_inspector_of_unknown_origin() {
    give . Hello.exe Sample.dll
    expect 0 --inspect-returns --in-place Hello.exe
    cp "$files/Hello.exe" Hello.exe
    expect 0 --inspect-returns Sample.dll
    expect 0 restore Sample.dll
    there MyProfiler.dll
    gone MyProfiler.dll.orig
}

test_restore_nothing() {
    give . Sample.dll
    echo >notes.txt
    expect 0 restore Sample.dll
    says err "Sample.dll is not patched: nothing to restore"
    expect 0 --inspect-returns --where '<method name="Nothing"/>' Sample.dll
    expect 0 restore Sample.dll
    expect 0 --inspect-returns --in-place -q Sample.dll
    refused 1 . restore Sample.dll
    says err "Sample.dll: cannot restore: Sample.dll.orig does not exist"
    refused 1 . restore missing.dll
    refused 1 . restore notes.txt
    give . Sample.dll
    expect 0 --inspect-returns Sample.dll
    expect 1 restore missing.dll Sample.dll
    identical Sample.dll "$files/Sample.dll"
}

test_restore_rebuilt() {
    give . Sample.dll
    expect 0 --inspect-returns Sample.dll
    cp "$files/Hello.exe" Sample.dll
    refused 1 . restore Sample.dll
    says err "was it rebuilt?"
}

# It is as it should be, and what is left of the earlier build goes.
test_restore_built_again() {
    built_again
    expect 0 restore Sample.dll
    says err "Sample.dll was built again since it was patched: removed Sample.dll.orig"
    identical Sample.dll new.dll
    gone Sample.dll.orig .Sample.dll.ilpatch MyProfiler.dll Sample.deps.json.orig .Sample.deps.json.ilpatch
    expect 0 restore Sample.dll
}

test_restore_deleted() {
    give . Sample.dll
    expect 0 --inspect-returns Sample.dll
    rm Sample.dll
    expect 0 restore Sample.dll
    identical Sample.dll "$files/Sample.dll"
    gone MyProfiler.dll Sample.dll.orig .Sample.dll.ilpatch
}

# A build gives the same bytes, or the original was copied back by hand.
test_restore_same_bytes() {
    give . Sample.dll
    local before
    before=$(state_of .)
    expect 0 --inspect-returns Sample.dll
    cp "$files/Sample.dll" Sample.dll
    expect 0 restore Sample.dll
    silent out
    silent err
    [ "$(state_of .)" = "$before" ] || die "not everything is as it was: $(ls -A)"
}

test_restore_own_inspector() {
    give . Sample.dll good-inspector.dll
    expect 0 --inspect-returns --inspector good-inspector.dll Sample.dll
    there Watcher.dll
    expect 0 restore Sample.dll
    identical Sample.dll "$files/Sample.dll"
    gone Watcher.dll .Watcher.dll.ilpatch
}

# What was there before, or is another file by now, is not ours.
test_restore_own_inspector_kept() {
    give . Sample.dll good-inspector.dll
    cp good-inspector.dll Watcher.dll
    local before
    before=$(state_of .)
    expect 0 --inspect-returns --inspector good-inspector.dll Sample.dll
    expect 0 restore Sample.dll
    [ "$(state_of .)" = "$before" ] || die "not everything is as it was: $(ls -A)"
    rm Watcher.dll
    expect 0 --inspect-returns --inspector good-inspector.dll Sample.dll
    echo >>Watcher.dll
    expect 0 restore Sample.dll
    there Watcher.dll
}
