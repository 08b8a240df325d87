#!/bin/bash
# A program that updates itself while it runs (Hot Reload): with the profiler in the process it does what it did, and it is
# told why nothing of it is inspected; when it cannot be updated, it is.
#
#   ILPATCH             the command, build/ilpatch
#   ILPATCH_TEST_TMP    parent of the scratch directory; what failed stays there
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.." || exit 1
ilpatch=$(realpath "${ILPATCH:-build/ilpatch}")
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 LC_ALL=C.UTF-8
unset ILPATCH_OUTPUT ILPATCH_COUNT ILPATCH_TOSTRING

passed=0 failed=0 skipped=0
ok() { echo "ok $1"; passed=$((passed + 1)); }
fail() { echo "FAIL $1: $2"; failed=$((failed + 1)); }
finish() {
    [ $failed -ne 0 ] || rm -rf "$tmp"
    echo "$passed passed, $failed failed, $skipped skipped"
    [ $failed -eq 0 ]
    exit
}
tmp=$(mktemp -d "${ILPATCH_TEST_TMP:-${TMPDIR:-/tmp}}/ilpatch-hotreload.XXXXXX") || exit 1

sdk=$(dotnet --list-sdks 2>/dev/null | sed -n 's/^\([1-9][0-9]\.[^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
refs=$(ls -d "$sdk"/../../packs/Microsoft.NETCore.App.Ref/*/ref/net* 2>/dev/null | tail -n 1)
if [ -z "$sdk" ] || [ -z "$refs" ]; then
    echo "skip hotreload: no .NET SDK"
    skipped=1
    finish
fi
csc="$sdk/Roslyn/bincore/csc.dll"
version=$(dotnet --list-runtimes | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\) .*/\1/p' | tail -n 1)

compile() { # OUT OPTION...
    local out=$1
    shift
    mkdir -p "$(dirname "$out")"
    dotnet exec "$csc" -nologo -noconfig -nostdlib -deterministic -optimize+ $(printf -- '-r:%s ' "$refs"/System.*.dll) \
        -out:"$out" "$@" >"$tmp/build.log" 2>&1 && return
    cat "$tmp/build.log"
    fail build "$out"
    finish
}
# check NAME EXPECTED ACTUAL
check() {
    if [ "$2" = "$3" ]; then ok "$1"; else fail "$1" "expected '$2', got '$3' ($tmp)"; fi
}
# contains NAME TEXT FILE
contains() {
    if grep -qF -- "$2" "$3"; then ok "$1"; else fail "$1" "$3 has no '$2'"; fi
}


roslyn=$(dirname "$csc")
mkdir "$tmp/delta" "$tmp/app"
compile "$tmp/delta/Delta.dll" -r:"$refs/netstandard.dll" -r:"$roslyn/Microsoft.CodeAnalysis.dll" -r:"$roslyn/Microsoft.CodeAnalysis.CSharp.dll" "$here/Delta.cs"
cp "$roslyn/Microsoft.CodeAnalysis.dll" "$roslyn/Microsoft.CodeAnalysis.CSharp.dll" "$tmp/delta/"
echo "{\"runtimeOptions\":{\"framework\":{\"name\":\"Microsoft.NETCore.App\",\"version\":\"$version\"}}}" |
    tee "$tmp/delta/Delta.runtimeconfig.json" >"$tmp/app/App.runtimeconfig.json"
dotnet exec "$tmp/delta/Delta.dll" "$here/App.cs" "$tmp/app" "$refs"/System.*.dll || fail deltas "not made"

# run NAME COMMAND...: the program, after that
run() {
    local name=$1
    shift
    "$@" dotnet exec "$tmp/app/App.dll" >"$tmp/$name.out" 2>"$tmp/$name.err"
    echo $?
}
export DOTNET_MODIFIABLE_ASSEMBLIES=debug
check plain 0 "$(run plain env)"
check updated "2: two 2002 late 2 4 2 text" "$(sed -n 4p "$tmp/plain.out")"

# With every method inspected, with one of those there at the start, with one that an update brings, with none.
number=0
for where in '<type name="App"/>' '<method name="Same"/>' '<method name="Added"/>' '<method name="None"/>'; do
    number=$((number + 1))
    check "exit-code/$where" 0 "$(run "$number" "$ilpatch" run -v --where "$where" --)"
    if cmp -s "$tmp/plain.out" "$tmp/$number.out"; then ok "output/$where"; else fail "output/$where" "see $tmp/$number.out"; fi
    check "no-value/$where" 0 "$(grep -c ' -> ' "$tmp/$number.err")"
done
contains told-all "DOTNET_MODIFIABLE_ASSEMBLIES lets the program update this module while it runs" "$tmp/1.err"
contains told-one "DOTNET_MODIFIABLE_ASSEMBLIES lets the program update this module while it runs" "$tmp/2.err"
contains told-added "it was added to the module while the program runs, and is not looked at" "$tmp/3.err"
check none-needs-no-word 0 "$(grep -c MODIFIABLE "$tmp/4.err")"

# Without the variable the same module is inspected, until the program tries what it cannot.
unset DOTNET_MODIFIABLE_ASSEMBLIES
run fixed "$ilpatch" run -- >/dev/null
contains inspected 'App::Changed -> "zero 0" (System.String)' "$tmp/fixed.err"

finish
