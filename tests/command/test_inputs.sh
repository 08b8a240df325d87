# shellcheck shell=bash disable=SC2154
# Inputs that cannot be patched, and inspectors of one's own. Sourced by run.sh.

# ---- inputs that cannot be patched ----

test_bad_files() {
    mkdir in
    : >in/empty.dll
    head -c 100 /dev/zero >in/zeros.dll
    echo "MZ but nothing else, though there are more than sixty-four bytes in this" >in/text.dll
    mkdir in/folder.dll
    for file in in/empty.dll in/zeros.dll in/text.dll in/folder.dll in/missing.dll; do
        for command in --inspect-returns list dump; do
            [ "$command $file" != "--inspect-returns in/folder.dll" ] || continue # a folder: test_folder.sh
            refused 3 in $command "$file"
            says err "ilpatch: $file: "
            silent out
        done
    done
}

test_truncated() {
    mkdir in
    for size in 1 63 64 130 200 400 512 600 1000 2000 3000; do
        head -c $size "$files/Sample.dll" >in/cut.dll
        refused 3 in --inspect-returns in/cut.dll
        says err "ilpatch: in/cut.dll: "
    done
}

test_native() {
    give in Sample.dll
    local headers
    headers=$("$ilpatch" dump --headers in/Sample.dll)
    says <(echo "$headers") "directory 14"
    # PE header at 0x80, CLI header's directory at 0x80 + 24 + 96 + 14 * 8
    poke in/Sample.dll 0x168 0000000000000000
    refused 3 in --inspect-returns in/Sample.dll
    says err "in/Sample.dll: not a .NET assembly but a native program or library of Windows"
}

test_ready_to_run() {
    give in Sample.dll
    poke in/Sample.dll "$(cli_offset in/Sample.dll) + 64" 0020000010000000
    refused 3 in --inspect-returns in/Sample.dll
    says err "ReadyToRun header: native code of another kind"
    local root
    root=$(dirname "$(readlink -f "$(command -v dotnet || echo /)")")
    for framework in "$root"/shared/Microsoft.NETCore.App/*/System.Linq.dll; do
        [ -f "$framework" ] || continue
        cp "$framework" in/
        expect 0 --inspect-returns in/System.Linq.dll
        says out "ReadyToRun code dropped: methods are compiled when first called"
        "$ilpatch" dump --headers in/System.Linq.dll.orig >before
        "$ilpatch" dump --headers in/System.Linq.dll >after
        says before "ReadyToRun 1" "for x64 on Linux"
        ! grep -q "ReadyToRun" after || die "still ReadyToRun"
    done
}

test_mixed_mode() {
    give in Sample.dll
    poke in/Sample.dll "$(cli_offset in/Sample.dll) + 16" 00000000
    expect 0 --inspect-returns in/Sample.dll
    "$ilpatch" dump --headers in/Sample.dll >headers
    grep -q "^CLI header.* flags 0x0," headers || die "$(grep "^CLI" headers)"
    expect 0 restore in/Sample.dll
}

test_core_library() {
    give in unsupported-core.dll
    refused 3 in --inspect-returns in/unsupported-core.dll
    says err "a core library" "--embed"
    refused 3 in --inspect-returns --dry-run in/unsupported-core.dll
    expect 0 list in/unsupported-core.dll
    says out "inspected          int32 System.Object::Number()"
    expect 0 rules explain --where '<return kind="primitive"/>' in/unsupported-core.dll Number
}

test_facade() {
    needs_json
    give in good-facade.dll
    expect 0 --inspect-returns --report r.json in/good-facade.dll
    says out "in/good-facade.dll: a facade, nothing to patch: its 3 types are in Sample, Colors"
    gone in/good-facade.dll.orig
    good_report r.json
    [ "$(json r.json modules 0 facade Sample)" = 2 ] || die "Sample has two: $(cat r.json)"
    expect 0 list in/good-facade.dll
    says out "a facade, nothing to patch"
}

# Its method has an empty body: runtimes do not load such an assembly.
test_reference_assembly() {
    needs_json
    give . good-reference.dll
    expect 0 --inspect-returns --report r.json good-reference.dll
    says out "good-reference.dll: a reference assembly, nothing to patch: runtimes refuse to load it"
    identical good-reference.dll "$files/good-reference.dll"
    gone good-reference.dll.orig MyProfiler.dll
    good_report r.json
    [ "$(json r.json modules 0 referenceAssembly)" = true ] || die "$(cat r.json)"
    expect 0 --inspect-returns --compact -o out.dll good-reference.dll
    says out "a reference assembly, nothing to patch" "; laid out again"
    expect 0 list good-reference.dll
    says out "a reference assembly, nothing to patch"
    says out "name the assembly that the program loads"
}

test_inspector_itself() {
    give . Sample.dll
    expect 0 --inspect-returns Sample.dll
    refused 1 . --inspect-returns MyProfiler.dll
    says err "MyProfiler.dll: MyProfiler is the inspector itself"
    refused 1 . list MyProfiler.dll
}

# ---- inspectors of one's own ----

test_inspector_own() {
    give . Sample.dll good-inspector.dll
    mkdir out.d
    expect 0 --inspect-returns --inspector good-inspector.dll -o out.d Sample.dll
    identical good-inspector.dll out.d/Watcher.dll # a runtime looks for it by its assembly's name
    gone out.d/MyProfiler.dll
    patched out.d/Sample.dll
    grep -q 'Watching.Watch::MyInspector(object)' dump.txt || die "not called"
    ! grep -q 'ldstr.*Sample.Values' dump.txt || die "it takes no name"
    expect 0 list --inspector good-inspector.dll Sample.dll
    says out "+ dup; box; call" "+ dup; call"
    expect 0 list Sample.dll
    says out "+ dup; box; ldstr; call"
}

test_inspector_bad() {
    give . Sample.dll bad-inspector-none.dll bad-inspector-two.dll bad-inspector-module.netmodule \
        bad-inspector-circle.dll
    echo text >text.dll
    for inspector in missing.dll text.dll bad-inspector-none.dll bad-inspector-two.dll \
        bad-inspector-module.netmodule; do
        for command in --inspect-returns list; do
            refused 3 . $command --inspector $inspector Sample.dll
            says err "$inspector: "
        done
    done
    refused 3 . --inspect-returns --inspector missing.dll Sample.dll
    says err "missing.dll: cannot read the inspector: No such file"
    refused 3 . --inspect-returns --inspector bad-inspector-two.dll Sample.dll
    says err "more than one public class has a method MyInspector"
    refused 1 . --inspect-returns --inspector bad-inspector-circle.dll Sample.dll
    says err "the inspector Circle uses Sample"
    give other Hello.exe
    expect 0 --inspect-returns --inspector bad-inspector-circle.dll other/Hello.exe # Hello is not used by it
}

test_inspector_in_the_way() {
    give . Sample.dll
    cp "$files/Hello.exe" MyProfiler.dll
    refused 4 . --inspect-returns Sample.dll
    says err "MyProfiler.dll is there already and is another file"
    echo text >MyProfiler.dll
    refused 4 . --inspect-returns Sample.dll
    rm MyProfiler.dll
    mkdir MyProfiler.dll
    refused 4 . --inspect-returns Sample.dll
}

# Another version of the stock inspector is replaced.
test_inspector_older() {
    give . Sample.dll
    expect 0 --inspect-returns Sample.dll
    cp MyProfiler.dll stock.dll
    echo >>MyProfiler.dll
    expect 0 --inspect-returns Sample.dll
    identical MyProfiler.dll stock.dll
}
