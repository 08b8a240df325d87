# shellcheck shell=bash disable=SC2154
# Single-file programs: listed, extracted, patched as a whole and file by file, put back. That real ones run then is seen in
# tests/runtime. Sourced by run.sh.

# App in the current folder: Sample.dll and its PDB, Painter.dll compressed, and what the host reads.
give_bundle() { # [DEPS]
    have python3 || skip_case "no python3"
    give in Sample.dll Sample.pdb Painter.dll Colors.dll
    echo "${1-"{}"}" >in/App.deps.json
    echo '{ "runtimeOptions": {} }' >in/App.runtimeconfig.json
    python3 "$here/make_bundle.py" App 1:App.dll=in/Sample.dll z1:Painter.dll=in/Painter.dll 1:Colors.dll=in/Colors.dll \
        3:App.deps.json=in/App.deps.json 4:App.runtimeconfig.json=in/App.runtimeconfig.json 5:App.pdb=in/Sample.pdb
}

test_bundle_is_listed_as_json() {
    needs_schema
    give_bundle
    expect 0 bundle list --json App
    "$here/../schema.py" bundle out >wrong || die "$(head -n 3 wrong)"
    says out '{"path": "App.dll", "type": "assembly", "size": 5120}' '{"path": "Painter.dll", "type": "assembly", "size": ' '"compressed": '
    [ "$(grep -c '"path"' out)" -eq 6 ] || die "not six files: $(cat out)"
    expect 2 bundle extract --json App
}

test_bundle_is_listed() {
    give_bundle
    expect 0 bundle list App
    [ "$(grep -c . out)" -eq 6 ] || die "not six files: $(cat out)"
    says out "5120  assembly  App.dll" "assembly  Painter.dll  (" "deps      App.deps.json" "symbols   App.pdb"
    expect 0 list App/App.dll
    says out Values::Number
    expect 0 list App/Painter.dll
    expect 3 list App/missing.dll
    says err missing.dll
    expect 3 bundle list in/Sample.dll
    expect 2 bundle
    expect 2 bundle list
    expect 2 bundle list -o x App
    expect 2 bundle frob App
}

test_bundle_is_extracted() {
    give_bundle
    expect 0 bundle extract -o all App
    identical all/App.dll in/Sample.dll
    identical all/Painter.dll in/Painter.dll
    identical all/App.pdb in/Sample.pdb
    expect 0 bundle extract -o one App Painter.dll
    identical one/Painter.dll in/Painter.dll
    gone one/App.dll
    expect 0 bundle extract -o - App Painter.dll
    identical out in/Painter.dll
    expect 1 bundle extract -o some App App.dll nothing.dll
    says err "cannot find nothing.dll in the bundle"
    there some/App.dll
    expect 1 bundle extract -o - App nothing.dll
    echo in the way >file
    expect 4 bundle extract -o file App
    says err file
}

# As the SDK makes one for .NET Core 3: it says of no file what it is.
test_bundle_without_types() {
    give_bundle
    python3 "$here/make_bundle.py" App 0:App.dll=in/Sample.dll 0:App.deps.json=in/App.deps.json
    cp in/Sample.pdb App.pdb
    cp App before
    expect 0 --inspect-returns App
    says out "App/App.dll: "
    expect 0 restore App
    identical App before
    identical App.pdb in/Sample.pdb
    gone App.pdb.orig
}

test_bundle_without_libraries() {
    needs_linux "shared libraries"
    give_bundle
    hide_library libdeflate hidden || die "libdeflate is not hidden"
    LD_LIBRARY_PATH=$PWD/hidden expect 0 bundle extract -o - App Painter.dll
    identical out in/Painter.dll
    hide_library libz hidden || die "zlib is not hidden"
    LD_LIBRARY_PATH=$PWD/hidden expect 3 bundle extract -o - App Painter.dll
    says err "Painter.dll is compressed, but neither libdeflate.so.0 nor libz.so.1 is installed (Debian: libdeflate0, zlib1g)"
    LD_LIBRARY_PATH=$PWD/hidden expect 0 bundle extract -o - App App.dll
    identical out in/Sample.dll
}

test_bundle_is_patched() {
    give_bundle
    cp App before
    expect 0 inspect App --inspector "$files/good-inspector.dll"
    identical App.orig before
    expect 0 bundle extract -o new App
    patched new/App.dll
    patched new/Painter.dll
    there new/Watcher.dll
    identical new/App.runtimeconfig.json in/App.runtimeconfig.json
    expect 0 verify App/App.dll
    cp App first
    expect 0 inspect App --inspector "$files/good-inspector.dll"
    identical App first
    expect 0 restore App
    identical App before
    gone App.orig
}

# One file of it; what was patched before stays so.
test_bundle_is_patched_in_part() {
    give_bundle
    cp App before
    expect 0 inspect App/Painter.dll --inspector "$files/good-inspector.dll"
    expect 0 bundle extract -o one App
    patched one/Painter.dll
    identical one/App.dll in/Sample.dll
    expect 0 inspect App/App.dll --inspector "$files/good-inspector.dll"
    expect 0 bundle extract -o both App
    patched both/App.dll
    patched both/Painter.dll
    refused 3 . inspect App/nothing.dll --inspector "$files/good-inspector.dll"
    says err "nothing.dll"
    expect 0 restore App
    identical App before
}

test_bundle_output() {
    give_bundle
    cp App before
    expect 0 inspect App -o Patched --embed --report r.json
    identical App before
    gone App.orig
    expect 0 bundle extract -o new Patched
    patched new/App.dll
    gone new/MyProfiler.dll
    needs_json
    good_report r.json
}

# What the host could not read after it is not made.
test_bundle_with_a_bad_manifest() {
    give_bundle '{ "a": 1, "a": 2 }'
    refused 3 . inspect App --inspector "$files/good-inspector.dll"
    says err "App.deps.json: cannot read it as JSON, as the host would"
}

test_bundle_is_cut() {
    give_bundle
    for size in 100 2000 5000 $(($(stat -c %s App) - 3)); do
        head -c "$size" App >Cut
        refused 3 . inspect Cut --inspector "$files/good-inspector.dll"
        expect 3 bundle list Cut
    done
}

# Folders with the files of a bundle: that of a run that was killed goes, others stay.
test_bundle_leftovers() {
    needs_linux "flock"
    local name
    give_bundle
    mkdir -p temporary/.ilpatch.{killed,lives1,empty1,files1}/part temporary/ilpatch.mine00 temporary/.ilpatch.made00
    rmdir temporary/.ilpatch.empty1/part
    for name in killed lives1; do touch temporary/.ilpatch.$name/.ilpatch.in-use temporary/.ilpatch.$name/{App.dll,part/x}; done
    touch temporary/ilpatch.mine00/.ilpatch.in-use temporary/.ilpatch.link00
    ln -s "$PWD/in" temporary/.ilpatch.link01
    exec 9<temporary/.ilpatch.lives1/.ilpatch.in-use
    flock 9
    TMPDIR=$PWD/temporary expect 0 inspect -q App
    [ "$(ls -A temporary)" = "$(printf '%s\n' .ilpatch.files1 .ilpatch.link00 .ilpatch.link01 .ilpatch.lives1 ilpatch.mine00)" ] ||
        die "temporary has $(ls -A temporary)"
    there temporary/.ilpatch.lives1/part/x
    there in/Sample.dll
    exec 9<&-
    TMPDIR=$PWD/temporary expect 0 --inspect-returns -q --embed -o - in/Sample.dll
    gone temporary/.ilpatch.lives1
    chown 12345 temporary/.ilpatch.files1 2>/dev/null || return 0
    touch temporary/.ilpatch.files1/.ilpatch.in-use
    TMPDIR=$PWD/temporary expect 0 restore App
    TMPDIR=$PWD/temporary expect 0 inspect -q App
    there temporary/.ilpatch.files1/.ilpatch.in-use # of another user
}

# Names that others may have given: originals are not replaced, and nothing comes that the next run takes for its own.
test_bundle_hostile_names() {
    have python3 || skip_case "no python3"
    give . Sample.dll Hello.exe
    expect 0 inspect -q Sample.dll
    cp Sample.dll.orig before
    python3 "$here/make_bundle.py" App 1:App.dll=Hello.exe 1:Sample.dll.orig=Hello.exe
    expect 4 bundle extract -o . App Sample.dll.orig
    says err "./Sample.dll.orig: not extracted: a file of this name is an original that is kept"
    expect 4 bundle extract -o . App
    identical Sample.dll.orig before
    expect 0 bundle extract -o out.d App
    there out.d/Sample.dll.orig
    printf 'ilpatch journal 1\nremove - - Hello.exe\nend\n' >journal
    python3 "$here/make_bundle.py" App 1:App.dll=Hello.exe 1:.ilpatch.journal=journal
    expect 3 bundle extract -o . App
    says err ".ilpatch.journal: not extracted: ilpatch has its own files under such names"
    gone .ilpatch.journal
}
