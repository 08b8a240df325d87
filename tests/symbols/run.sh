#!/bin/bash
# Are the symbols of patched assemblies right? check/ compares every offset of a PDB before and after with the instructions, by
# System.Reflection.Metadata, for real assemblies and programs made for it; and what does the command do with the files?
set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/runtime/real/lib.sh
. tests/runtime/real/lib.sh
prepare symbols
for pair in symbols/check:checksymbols facts:facts runtime/real/fsharp:fsharp; do
    if ! tests/runtime/real/tool.sh "tests/${pair%:*}" "$cache/tools/${pair#*:}" >"$tmp/log" 2>&1; then
        fail "build ${pair#*:}" "$(grep -m1 error "$tmp/log")"
        finish
    fi
done
tools=$cache/tools
store=$(dotnet nuget locals global-packages --list | sed 's/^[^:]*: //')
check_symbols() { dotnet "$tools/checksymbols/bin/CheckSymbols.dll" "$@"; }

# agree TEST ORIGINAL OPTIONS...: patches it and puts both to the check.
agree() {
    local test=$1 from=$2
    shift 2
    rm -rf "$tmp/out"
    mkdir "$tmp/out"
    "$ilpatch" "$@" --symbols update -o "$tmp/out/" "$from" >"$tmp/log" 2>&1
    if ! grep -q '; symbols updated' "$tmp/log"; then
        fail "$test" "$(tail -n 1 "$tmp/log")"
    elif check_symbols "$from" "$tmp/out/$(basename "$from")" >"$tmp/log" 2>&1; then
        ok "$test ($(tail -n 1 "$tmp/log"))"
    else
        fail "$test" "$(tail -n 1 "$tmp/log")"
        head -n 5 "$tmp/log"
    fi
}

# ---- every offset ----

cat >"$tmp/machines.xml" <<'XML'
<rules><include async="result" iterators="current" guard="yes"/></rules>
XML
for package in microsoft.codeanalysis.csharp/4.14.0/lib/net9.0/Microsoft.CodeAnalysis.CSharp \
               microsoft.codeanalysis.common/4.14.0/lib/net9.0/Microsoft.CodeAnalysis \
               mono.cecil/0.11.6/lib/netstandard2.0/Mono.Cecil; do
    agree "$(basename $package)" "$store/$package.dll" --inspect-returns
done
agree "Microsoft.CodeAnalysis, all of it" "$store/microsoft.codeanalysis.common/4.14.0/lib/net9.0/Microsoft.CodeAnalysis.dll" \
    --rules "$tmp/machines.xml"
# Programs of the other tests.
agree_tool() { agree "$(basename "$1") $2" "$tools/$1.dll" "${@:3}"; }
agree_tool facts/bin/Facts "" --rules "$tmp/machines.xml"
agree_tool fsharp/bin/FSharpJob "" --rules "$tmp/machines.xml"
agree_tool fsharp/bin/FSharpJob "tail strip" tail strip

net=("$refs"/*.dll)
for kind in portable embedded; do
    for optimize in - +; do
        folder=$tmp/$kind$optimize
        mkdir "$folder"
        if ! csharp -nowarn:0169,0414,0649 -debug:$kind -optimize$optimize "${net[@]/#/-r:}" "-out:$folder/Throws.dll" \
            tests/runtime/symbols/Throws.cs; then
            fail "build $kind$optimize" "$(grep -m1 error "$tmp/build.log")"
            continue
        fi
        agree "$kind$optimize" "$folder/Throws.dll" --inspect-returns
        agree "$kind$optimize embed" "$folder/Throws.dll" --inspect-returns --embed
        agree "$kind$optimize machines" "$folder/Throws.dll" --rules "$tmp/machines.xml"
        agree "$kind$optimize tail" "$folder/Throws.dll" tail add
    done
done

# ---- files ----

# files TEST NAME...: what is in $tmp/here now.
files() {
    local test=$1
    shift
    printf '%s\n' "$@" | sort >"$tmp/a"
    ls "$tmp/here" >"$tmp/b"
    if diff "$tmp/a" "$tmp/b" >"$tmp/diff"; then ok "$test"; else fail "$test" "$(tr '\n' ' ' <"$tmp/diff")"; fi
}
# begin [KIND]: $tmp/here has the program and nothing else.
begin() {
    rm -rf "$tmp/here"
    mkdir "$tmp/here"
    cp "$tmp/${1:-portable}-/"Throws.* "$tmp/here/"
}
# command_says TEST CODE TEXT COMMAND...: the command's exit code and output.
command_says() {
    local test=$1 code=$2 text=$3
    shift 3
    "$@" >"$tmp/log" 2>&1
    local got=$?
    if [ $got -eq "$code" ] && { [ -z "$text" ] || grep -qF -- "$text" "$tmp/log"; }; then ok "$test"; else fail "$test" "exit code $got: $(cat "$tmp/log")"; fi
}
# fits TEST YES|NO FILE: whether FILE leads to a PDB beside it that fits the original's.
fits() {
    local answer=no
    check_symbols "$tmp/portable-/Throws.dll" "$3" >"$tmp/log" 2>&1 && answer=yes
    if [ $answer = "$2" ]; then ok "$1"; else fail "$1" "$(tail -n 1 "$tmp/log")"; fi
}
here=$tmp/here
original=$tmp/portable-

begin
command_says update 0 "; symbols updated" "$ilpatch" --inspect-returns --embed "$here/Throws.dll"
fits update-fits yes "$here/Throws.dll"
files update-files Throws.dll Throws.dll.orig Throws.pdb Throws.pdb.orig
cp "$here/Throws.pdb" "$tmp/first.pdb"
command_says again 0 "; symbols updated" "$ilpatch" --inspect-returns --embed "$here/Throws.dll"
if cmp -s "$tmp/first.pdb" "$here/Throws.pdb" && cmp -s "$original/Throws.pdb" "$here/Throws.pdb.orig"; then ok again-same
else fail again-same "the PDB or its original is another"; fi
command_says other-rules 0 "; symbols updated" "$ilpatch" --rules "$tmp/machines.xml" --embed "$here/Throws.dll"
fits other-rules-fits yes "$here/Throws.dll"
command_says restore 0 "" "$ilpatch" restore "$here/Throws.dll"
files restore-files Throws.dll Throws.pdb
if cmp -s "$original/Throws.pdb" "$here/Throws.pdb" && cmp -s "$original/Throws.dll" "$here/Throws.dll"; then ok restore-same
else fail restore-same "something else was put back"; fi

begin
"$ilpatch" --inspect-returns --embed -q "$here/Throws.dll"
cat >"$tmp/nothing.xml" <<'XML'
<rules><exclude/></rules>
XML
"$ilpatch" --rules "$tmp/nothing.xml" -q "$here/Throws.dll" >/dev/null 2>&1
if cmp -s "$original/Throws.pdb" "$here/Throws.pdb" && cmp -s "$original/Throws.dll" "$here/Throws.dll"; then ok nothing-left
else fail nothing-left "the PDB is not that of the assembly"; fi

begin
command_says in-place 0 "; symbols updated" "$ilpatch" --inspect-returns --embed --in-place "$here/Throws.dll"
files in-place-files Throws.dll Throws.pdb
fits in-place-fits yes "$here/Throws.dll"
begin
command_says output 0 "; symbols updated" "$ilpatch" --inspect-returns --embed -o "$here/Other.dll" "$here/Throws.dll"
files output-files Other.dll Other.pdb Throws.dll Throws.pdb
fits output-fits yes "$here/Other.dll"
if cmp -s "$original/Throws.pdb" "$here/Throws.pdb"; then ok output-leaves; else fail output-leaves "the input's PDB is another"; fi
begin
command_says dry-run 0 "; symbols updated" "$ilpatch" --inspect-returns --embed -n "$here/Throws.dll"
files dry-run-files Throws.dll Throws.pdb
begin
command_says drop 0 "; link to symbols dropped" "$ilpatch" --inspect-returns --embed --symbols drop "$here/Throws.dll"
fits drop-fits no "$here/Throws.dll"
files drop-files Throws.dll Throws.dll.orig Throws.pdb
begin
command_says keep 0 "symbols kept, but they no longer match" "$ilpatch" --inspect-returns --embed --symbols keep "$here/Throws.dll"
fits keep-is-stale no "$here/Throws.dll"
begin embedded
command_says embedded-files-update 0 "; symbols updated" "$ilpatch" --inspect-returns --embed "$here/Throws.dll"
files embedded-files Throws.dll Throws.dll.orig

# By zlib where libdeflate is not there; without both, the embedded PDB cannot be read.
if hide_library libdeflate "$tmp/hidden"; then
    LD_LIBRARY_PATH=$tmp/hidden agree "embedded by zlib" "$tmp/embedded-/Throws.dll" --inspect-returns
    cp "$tmp/out/Throws.dll" "$tmp/by-zlib.dll"
    agree "embedded by libdeflate" "$tmp/embedded-/Throws.dll" --inspect-returns
    if cmp -s "$tmp/out/Throws.dll" "$tmp/by-zlib.dll"; then fail hidden "libdeflate was used, or both pack alike"; else ok hidden; fi
    begin embedded
    hide_library libz "$tmp/hidden"
    LD_LIBRARY_PATH=$tmp/hidden command_says without-libraries 0 \
        "link to symbols dropped (the embedded PDB is compressed, but neither" "$ilpatch" --inspect-returns --embed "$here/Throws.dll"
else
    fail hidden "no library in its place: $(head -n 1 "$tmp/hidden/err")"
fi

# Built again: the symbols of the build before are replaced with it, if they are its own.
begin
"$ilpatch" --inspect-returns --embed -q "$here/Throws.dll"
cp "$tmp/portable+/Throws".* "$here/"
command_says built-again 0 "; built again since: Throws.dll.orig, Throws.pdb.orig replaced" "$ilpatch" --inspect-returns --embed "$here/Throws.dll"
if check_symbols "$tmp/portable+/Throws.dll" "$here/Throws.dll" >"$tmp/log" 2>&1 && cmp -s "$tmp/portable+/Throws.pdb" "$here/Throws.pdb.orig"; then
    ok built-again-fits
else fail built-again-fits "$(tail -n 1 "$tmp/log")"; fi
cp "$original/Throws".* "$here/"
echo mine >"$here/Throws.pdb.orig"
command_says built-again-foreign 0 "Throws.pdb.orig is kept of another build" "$ilpatch" --inspect-returns --embed "$here/Throws.dll"
if [ "$(cat "$here/Throws.pdb.orig")" = mine ]; then ok built-again-foreign-stays; else fail built-again-foreign-stays "it was replaced"; fi
begin
"$ilpatch" --inspect-returns --embed -q "$here/Throws.dll"
cp "$tmp/portable+/Throws".* "$here/"
command_says built-again-restored 0 "was built again since it was patched" "$ilpatch" restore "$here/Throws.dll"
files built-again-restored-files Throws.dll Throws.pdb

# ---- Mono's format ----

# mono_says TEST PATTERN: a line of what the program prints with its symbols, none that says they do not match
mono_says() {
    (cd "$here" && mono --debug App.exe) >"$tmp/log" 2>&1
    if grep -q "$2" "$tmp/log" && ! grep -q "doesn't match" "$tmp/log"; then ok "$1"; else fail "$1" "$(head -n 2 "$tmp/log")"; fi
}
if have mcs && have mono; then
    begin
    rm "$here"/*
    cat >"$tmp/App.cs" <<'CS'
public class App {
    static int Next(int n) { return n + 1; }
    static void Main() {
        System.Console.WriteLine(new System.Diagnostics.StackTrace(true));
        System.Console.WriteLine(Next(41));
    }
}
CS
    mcs -debug "-out:$here/App.exe" "$tmp/App.cs" >"$tmp/log" 2>&1 || fail mdb-build "$(cat "$tmp/log")"
    cp "$here/App.exe.mdb" "$tmp/first.mdb"
    mono_says mdb-before "App.cs:4"
    mkdir "$tmp/mdb-out" "$tmp/again"
    command_says mdb-output 0 "symbols in Mono's format (.mdb) cannot be moved along" "$ilpatch" inspect -o "$tmp/mdb-out/" "$here/App.exe"
    command_says mdb 0 "; symbols put aside (App.exe.mdb.orig: " "$ilpatch" inspect "$here/App.exe"
    files mdb-files App.exe App.exe.orig App.exe.mdb.orig MyProfiler.dll
    mono_says mdb-patched "App::Next -> 42"
    command_says mdb-again 0 "; symbols put aside (App.exe.mdb.orig: " "$ilpatch" inspect "$here/App.exe"
    command_says mdb-requested 1 "; symbols put aside" "$ilpatch" inspect --symbols update "$here/App.exe"
    sed 's/n + 1/n + 2/' "$tmp/App.cs" >"$tmp/again/App.cs"
    mcs -debug "-out:$here/App.exe" "$tmp/again/App.cs"
    cp "$here/App.exe.mdb" "$tmp/second.mdb"
    command_says mdb-built-again 0 "; built again since: App.exe.orig, App.exe.mdb.orig replaced" "$ilpatch" inspect "$here/App.exe"
    command_says mdb-restore 0 "" "$ilpatch" restore "$here/App.exe"
    if cmp -s "$tmp/second.mdb" "$here/App.exe.mdb"; then ok mdb-restored; else fail mdb-restored "other symbols"; fi
    files mdb-restored-files App.exe App.exe.mdb
    mono_says mdb-after "App.cs:4"
    cp "$tmp/first.mdb" "$here/App.exe.mdb.orig"
    command_says mdb-foreign 0 "App.exe.mdb.orig is kept of another build" "$ilpatch" inspect "$here/App.exe"
else
    skip mdb "no mcs"
fi

# ---- what cannot be updated ----

begin
rm "$here/Throws.pdb"
command_says missing 0 "link to symbols dropped (Throws.pdb is not there)" "$ilpatch" --inspect-returns --embed "$here/Throws.dll"
begin
rm "$here/Throws.pdb"
command_says missing-but-requested 1 "Throws.pdb is not there" "$ilpatch" --inspect-returns --embed --symbols update "$here/Throws.dll"
begin
cp "$tmp/portable+/Throws.pdb" "$here/"
command_says other-build 0 "a PDB of another build of the assembly" "$ilpatch" --inspect-returns --embed "$here/Throws.dll"
files other-build-files Throws.dll Throws.dll.orig Throws.pdb
if cmp -s "$tmp/portable+/Throws.pdb" "$here/Throws.pdb"; then ok other-build-left; else fail other-build-left "it was changed"; fi
begin
printf 'Microsoft C/C++ MSF 7.00\r\n\032DS\0\0\0' >"$here/Throws.pdb"
command_says windows 0 "a Windows PDB, which cannot be moved along" "$ilpatch" --inspect-returns --embed "$here/Throws.dll"
begin
head -c 3000 "$original/Throws.pdb" >"$here/Throws.pdb"
command_says broken 0 "without a link to them (Throws.pdb: " "$ilpatch" --inspect-returns --embed "$here/Throws.dll"
begin
cp "$tmp/portable+/Throws.pdb" "$here/Throws.pdb.orig"
command_says kept-of-another 0 "Throws.pdb.orig is kept of another build" "$ilpatch" --inspect-returns --embed "$here/Throws.dll"
if cmp -s "$tmp/portable+/Throws.pdb" "$here/Throws.pdb.orig" && cmp -s "$original/Throws.pdb" "$here/Throws.pdb"; then ok kept-stays
else fail kept-stays "a PDB was replaced"; fi
command_says bad-word 2 "--symbols is update, drop or keep" "$ilpatch" --inspect-returns --symbols move "$here/Throws.dll"

# In the report.
begin
"$ilpatch" --inspect-returns --embed -q --report "$tmp/r.json" "$here/Throws.dll"
if grep -q '"symbols": {"answer": "updated", "output": ".*Throws.pdb"}' "$tmp/r.json"; then ok report; else fail report "$(grep -o '"symbols.*' "$tmp/r.json")"; fi
finish
