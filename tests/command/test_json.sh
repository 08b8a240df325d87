# shellcheck shell=bash disable=SC2154
# .deps.json files and reports. Sourced by run.sh.

# ---- .deps.json ----

deps='{
  "runtimeTarget": { "name": ".NETCoreApp,Version=v10.0/x", "signature": "" },
  "compilationOptions": {},
  "targets": {
    ".NETCoreApp,Version=v10.0": { "Z/1.0.0": {} },
    ".NETCoreApp,Version=v10.0/x": { "Sample/1.0.0": { "runtime": { "Sample.dll": {} } } }
  },
  "libraries": { "Sample/1.0.0": { "type": "project", "serviceable": false, "sha512": "" } },
  "later": [1, 2.5, true, null, "\u00fc"]
}'

test_deps() {
    needs_json
    give . Sample.dll
    echo "$deps" >Sample.deps.json
    expect 0 --inspect-returns Sample.dll
    [ "$(json Sample.deps.json targets .NETCoreApp,Version=v10.0/x MyProfiler/1.0.0 runtime MyProfiler.dll assemblyVersion)" = 1.0.0.0 ] ||
        die "no entry among the targets: $(cat Sample.deps.json)"
    [ "$(json Sample.deps.json libraries MyProfiler/1.0.0 type)" = reference ] || die "no library"
    [ "$(json Sample.deps.json later)" = '[1,2.5,true,null,"ü"]' ] || die "something was lost: $(cat Sample.deps.json)"
    [ "$(json Sample.deps.json targets .NETCoreApp,Version=v10.0)" = '{"Z/1.0.0":{}}' ] || die "another target was changed"
    [ "$(json Sample.deps.json targets .NETCoreApp,Version=v10.0/x Sample/1.0.0)" = '{"runtime":{"Sample.dll":{}}}' ] ||
        die "another entry was changed"
    cp Sample.deps.json first.json
    expect 0 --inspect-returns Sample.dll
    same Sample.deps.json first.json
    echo "$deps" | cmp -s - Sample.deps.json.orig || die "the original is not kept"
    expect 0 restore Sample.dll
    echo "$deps" | cmp -s - Sample.deps.json || die "not restored byte for byte"
    gone Sample.deps.json.orig
}

test_deps_several() {
    give . Sample.dll
    echo "$deps" >A.deps.json
    echo "$deps" >B.deps.json
    expect 0 --inspect-returns Sample.dll
    grep -q MyProfiler A.deps.json && grep -q MyProfiler B.deps.json || die "not in both"
    expect 0 restore Sample.dll
    cmp -s A.deps.json B.deps.json || die "not both restored"
}

test_deps_other() {
    give . Sample.dll
    echo '{ "targets": ' >broken.deps.json
    echo '[1]' >list.deps.json
    echo '{"targets":{"T":{}}}' >notarget.deps.json
    echo '{"runtimeTarget":{"name":"U"},"targets":{"T":{}}}' >othertarget.deps.json
    echo '{"runtimeTarget":{"name":"T"},"targets":{"T":[]}}' >array.deps.json
    : >empty.deps.json
    mkdir folder.deps.json saved
    cp ./*.deps.json saved/ 2>/dev/null
    expect 0 --inspect-returns Sample.dll
    silent err
    for file in saved/*; do same "$file" "${file#saved/}"; done
    gone ./*.deps.json.orig
    expect 0 restore Sample.dll
}

# Somebody changes the file while the assembly is patched: only our entry goes.
test_deps_changed() {
    needs_json
    give . Sample.dll
    echo "$deps" >Sample.deps.json
    expect 0 --inspect-returns Sample.dll
    sed -i 's/"Z\/1.0.0"/"Y\/2.0.0"/' Sample.deps.json
    expect 0 restore Sample.dll
    [ "$(json Sample.deps.json targets .NETCoreApp,Version=v10.0)" = '{"Y/2.0.0":{}}' ] || die "the change is lost"
    ! grep -q MyProfiler Sample.deps.json || die "the entry is still there"
}

# The application lists the inspector's assembly by itself: that entry is not ours to remove.
test_deps_own_entry() {
    give . Sample.dll good-inspector.dll
    echo "$deps" | sed 's|"Sample/1.0.0": {|"Watcher/2.1.0": { "runtime": { "Watcher.dll": {} } }, &|' >Sample.deps.json
    cp Sample.deps.json before.json
    expect 0 --inspect-returns --inspector good-inspector.dll Sample.dll
    same Sample.deps.json before.json
    expect 0 restore Sample.dll
    same Sample.deps.json before.json
}

# With an inspector of one's own, too, the entry goes; the file stays.
test_deps_own_inspector() {
    needs_json
    give . Sample.dll good-inspector.dll
    echo "$deps" >Sample.deps.json
    cp Sample.deps.json before.json
    expect 0 --inspect-returns --inspector good-inspector.dll Sample.dll
    [ "$(json Sample.deps.json targets .NETCoreApp,Version=v10.0/x Watcher/2.1.0 runtime Watcher.dll fileVersion)" = 2.1.0.0 ] ||
        die "no entry: $(cat Sample.deps.json)"
    expect 0 restore Sample.dll
    same Sample.deps.json before.json
}

test_deps_with_output() {
    give in Sample.dll
    echo "$deps" >in/Sample.deps.json
    mkdir out.d
    echo "$deps" >out.d/Sample.deps.json
    expect 0 --inspect-returns -o out.d in/Sample.dll
    grep -q MyProfiler out.d/Sample.deps.json || die "no entry where the output is"
    ! grep -q MyProfiler in/Sample.deps.json || die "an entry where the input is"
}

# ---- reports ----

test_report() {
    needs_json
    give . Sample.dll Hello.exe Painter.dll
    echo text >bad.dll
    expect 3 --inspect-returns --report r.json Sample.dll bad.dll missing.dll Painter.dll Hello.exe
    good_report r.json
    [ "$(json r.json modules 0 file)" = Sample.dll ] || die "not in the order of the files"
    [ "$(json r.json modules 0 summary methods)" = 14 ] || die "Sample has 14 methods"
    [ "$(json r.json modules 0 summary byref-like)" = 1 ] || die "one of them returns a span"
    [ "$(json r.json modules 0 written bytes)" = "$(stat -c %s Sample.dll)" ] || die "not the size that was written"
    [ "$(json r.json modules 0 methods 0 name)" = Sample.Values::Number ] || die "the first is Number"
    [ "$(json r.json modules 0 methods 0 sites ret)" = 1 ] || die "with one ret"
    [ "$(json r.json modules 1 error)" = NOT_PE ] || die "bad.dll is no PE file"
    [ "$(json r.json modules 2 error)" = IO ] || die "missing.dll could not be read"
    [ "$(json r.json modules 3 summary unresolved)" = 1 ] || die "Painter has an enum from elsewhere"
    [ "$(json r.json modules 3 methods 0 detail)" = Colors.Shade ] || die "whose name it says"
    [ "$(json r.json modules 4 file)" = Hello.exe ] || die "five modules"
    [ "$(stat -c %a r.json)" = 644 ] || die "others cannot read it"
}

test_report_failures() {
    needs_json
    give . Sample.dll unsupported-core.dll bad-inspector-none.dll
    cp "$files/Hello.exe" MyProfiler.dll
    expect 4 --inspect-returns --report r.json Sample.dll unsupported-core.dll
    good_report r.json
    [ "$(json r.json modules 0 error)" = IO ] || die "the inspector could not be placed"
    [ "$(json r.json modules 1 error)" = CORE_LIBRARY ] || die "a core library"
    expect 3 --inspect-returns --inspector bad-inspector-none.dll --report s.json Sample.dll
    good_report s.json
    [ "$(json s.json modules)" = '[]' ] || die "no module was looked at"
}

test_report_stdout() {
    needs_json
    give . Sample.dll
    "$ilpatch" --inspect-returns -q -o x.dll --report /dev/stdout Sample.dll | cat >r.json
    good_report r.json
    expect 4 --inspect-returns -q -o x.dll --report /dev/full Sample.dll
    says err "/dev/full: cannot write: No space left on device"
    [ -c /dev/full ] || die "/dev/full is no device any more"
}

test_report_unwritable() {
    give . Sample.dll
    refused 4 . --inspect-returns --report no/r.json Sample.dll
    says err "no/r.json: cannot write: No such file or directory"
    mkdir folder
    refused 4 . --inspect-returns --report folder Sample.dll
    says err "folder: cannot write: Is a directory"
}

test_quiet() {
    give . Sample.dll
    expect 0 --inspect-returns -q Sample.dll
    silent out
    silent err
    expect 0 inspect --quiet Sample.dll
    silent out
}
