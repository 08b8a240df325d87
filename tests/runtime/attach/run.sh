#!/bin/bash
# The profiler comes into programs that run already: what they print stays, and from then on all values are shown, of methods
# that were compiled before, inlined, native, on the stack or not yet there.
#
#   ILPATCH             the command, build/ilpatch
#   ILPATCH_TEST_TMP    parent of the scratch directory; what failed stays there
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.." || exit 1
. tests/lib.sh

scratch attach

need_sdk attach

roslyn=$(dirname "$csc")
compile "$tmp/Live.dll" "$here/Live.cs"
compile "$tmp/Later.dll" -target:library "$here/Later.cs"
compile "$tmp/Native.dll" -r:"$refs/netstandard.dll" -r:"$roslyn/Microsoft.CodeAnalysis.dll" -r:"$roslyn/Microsoft.CodeAnalysis.CSharp.dll" "$here/Native.cs"
cp "$roslyn/Microsoft.CodeAnalysis.dll" "$roslyn/Microsoft.CodeAnalysis.CSharp.dll" "$tmp/"
echo "{\"runtimeOptions\":{\"framework\":{\"name\":\"Microsoft.NETCore.App\",\"version\":\"$version\"}}}" |
    tee "$tmp/Live.runtimeconfig.json" >"$tmp/Native.runtimeconfig.json"

# look VALUES "PROGRAM ARGUMENT..." OPTION...: starts the program, attaches when it says that it is ready, and lets it go on to
# its end. Its output is in VALUES.out, its exit code in $code, and the command's in $attached.
look() {
    local values=$1 line
    # shellcheck disable=SC2086
    coproc PROGRAM { exec dotnet exec $2 2>"$values.err"; }
    shift 2
    local process=$PROGRAM_PID
    exec 7<&"${PROGRAM[0]}" 8>&"${PROGRAM[1]}"
    read -r line <&7
    echo "$line" >"$values.out"
    "$ilpatch" attach -o "$values" "$@" "$process" 2>"$values.log"
    attached=$?
    [ -z "${second-}" ] || "$ilpatch" attach -o "$second" "$process" 2>"$second.log"
    echo go >&8
    while read -r line <&7; do
        echo "$line" >>"$values.out"
        [ "$line" != ready ] || echo go >&8
    done
    exec 7<&- 8>&-
    wait "$process"
    code=$?
}
# counted FILE: "2 A::M" for each method with values
counted() { sed -n 's/ -> .*//p' "$1" | sort | uniq -c | sed 's/^ *//' | tr '\n' ' '; }

# ---- a program that has run for a while ----

printf 'go\ngo\n' | dotnet exec "$tmp/Live.dll" >"$tmp/plain.out"
expected="1 Later::Answer 1 Later::Inner 4 Live/<Numbers>d__6::MoveNext"
expected+=" 1 Live/<Numbers>d__6::System.Collections.Generic.IEnumerable<System.Int32>.GetEnumerator"
expected+=" 3 Live/<Numbers>d__6::System.Collections.Generic.IEnumerator<System.Int32>.get_Current"
expected+=" 2 Live::Hot 1 Live::Numbers 3 Live::Same 48 Live::Small 24 Live::Twice 1 Live::Under 1 Live::Work 1 Pair::ToString "
for jit in TieredCompilation=1 TieredCompilation=0 OSR_HitLimit=1; do
    export DOTNET_$jit
    look "$tmp/live.txt" "$tmp/Live.dll"
    unset "DOTNET_${jit%=*}"
    check "exit-codes/$jit" "0 0" "$attached $code"
    if cmp -s "$tmp/plain.out" "$tmp/live.txt.out"; then ok "output/$jit"; else fail "output/$jit" "see $tmp/live.txt.out"; fi
    check "values/$jit" "$expected" "$(counted "$tmp/live.txt")"
done
contains summary "methods inspected" "$tmp/live.txt.log"
check a-value "Live::Under -> 0 (System.Int32)" "$(grep Under "$tmp/live.txt")"

look "$tmp/framework.txt" "$tmp/Live.dll" -q --framework --where '<type name="System.Linq.Enumerable"/><method name="Sum"/>'
contains framework "System.Linq.Enumerable::Sum -> 3 (System.Int32)" "$tmp/framework.txt"
check framework-alone 0 "$(grep -vc '^System.Linq.Enumerable::Sum -> ' "$tmp/framework.txt")"

# ---- native code ----

# The same values with native code as without, when it has run before, and when it is loaded afterwards.
for before in "" before; do
    look "$tmp/native$before.txt" "$tmp/Native.dll $before"
    DOTNET_ReadyToRun=0 look "$tmp/jit$before.txt" "$tmp/Native.dll $before"
    if [ "$(wc -l <"$tmp/jit$before.txt")" -gt 10000 ] && cmp -s "$tmp/jit$before.txt" "$tmp/native$before.txt"; then
        ok "native-code/$before"
    else
        fail "native-code/$before" "diff $tmp/jit$before.txt $tmp/native$before.txt"
    fi
done

# ---- threads, and modules that go ----

# So many methods that modules go while the runtime is still at them.
{
    echo 'public static class Many {'
    seq 20000 | sed 's/.*/public static int M&(int value) => value + &;/'
    echo '}'
} >"$tmp/Many.cs"
compile "$tmp/Busy.dll" "$here/Busy.cs" "$tmp/Many.cs"
compile "$tmp/Passing.dll" -target:library -r:"$tmp/Busy.dll" "$here/Passing.cs"
cp "$tmp/Live.runtimeconfig.json" "$tmp/Busy.runtimeconfig.json"
for inspector in "" "--inspector unmanaged"; do
    # shellcheck disable=SC2086
    look "$tmp/busy.txt" "$tmp/Busy.dll" -q $inspector
    check "busy/$inspector" "0 0 over" "$attached $code $(tail -n 1 "$tmp/busy.txt.out")"
    contains "busy-values/$inspector" 'Busy::Text -> "text 3" (System.String)' "$tmp/busy.txt"
    contains "busy-contexts/$inspector" 'Passing::Answer -> 5 (System.Int32)' "$tmp/busy.txt"
done

# ---- when it cannot be done ----

"$ilpatch" attach 2>"$tmp/none.err"
check no-process-named 2 $?
"$ilpatch" attach $$ 2>"$tmp/none.err"
check not-dotnet 3 $?
contains not-dotnet-told "has no diagnostics socket" "$tmp/none.err"
sed -i 's/"runtimeOptions":{/&"configProperties":{"System.StartupHookProvider.IsSupported":false},/' "$tmp/Live.runtimeconfig.json"
look "$tmp/hooks.txt" "$tmp/Live.dll"
check hooks-switched-off "3 0" "$attached $code"
contains hooks-switched-off-told "start-up hooks are switched off" "$tmp/hooks.txt.log"
if cmp -s "$tmp/plain.out" "$tmp/hooks.txt.out"; then ok hooks-switched-off-output; else fail hooks-switched-off-output "see $tmp/hooks.txt.out"; fi
look "$tmp/unmanaged.txt" "$tmp/Live.dll" --inspector unmanaged
check unmanaged-needs-no-hook "0 0 $expected" "$attached $code $(counted "$tmp/unmanaged.txt")"
sed -i 's/"configProperties":{[^}]*},//' "$tmp/Live.runtimeconfig.json"
coproc PROGRAM { exec "$ilpatch" run -q -- dotnet exec "$tmp/Live.dll" 2>/dev/null; }
process=$PROGRAM_PID
exec 7<&"${PROGRAM[0]}" 8>&"${PROGRAM[1]}"
read -r line <&7
"$ilpatch" attach "$(cat "/proc/$process/task/$process/children" | tr -d ' ')" 2>"$tmp/second.err"
check second-profiler 3 $?
contains second-profiler-told "a profiler is in it already" "$tmp/second.err"
printf 'go\ngo\n' >&8
cat <&7 >/dev/null
exec 7<&- 8>&-
wait "$process"
second=$tmp/second.txt ILPATCH_PROFILER="1000 1000" look "$tmp/first.txt" "$tmp/Live.dll" # inherited from another process
check values-of-the-first "0 0 $expected" "$attached $code $(counted "$tmp/first.txt")"
check values-of-the-second "" "$(ls "$tmp/second.txt" 2>/dev/null)"

finish
