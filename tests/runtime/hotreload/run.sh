#!/bin/bash
# A program that updates itself while it runs (Hot Reload): with the profiler in the process it does what it did, and it is
# the reason why nothing of it is inspected is reported; when it cannot be updated, it is.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/hotreload

scratch hotreload

need_sdk hotreload

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
contains reported-all "DOTNET_MODIFIABLE_ASSEMBLIES lets the program update this module while it runs" "$tmp/1.err"
contains reported-one "DOTNET_MODIFIABLE_ASSEMBLIES lets the program update this module while it runs" "$tmp/2.err"
contains reported-added "it was added to the module while the program runs, and is not looked at" "$tmp/3.err"
check none-needs-no-word 0 "$(grep -c MODIFIABLE "$tmp/4.err")"

# Without the variable the same module is inspected, until the program tries what it cannot.
unset DOTNET_MODIFIABLE_ASSEMBLIES
run fixed "$ilpatch" run -- >/dev/null
contains inspected 'App::Changed -> "zero 0" (System.String)' "$tmp/fixed.err"

finish
