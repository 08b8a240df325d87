#!/bin/bash
# Programs that write down themselves which lines their values have to give, in C# (program.py) in every way in which the runtime
# compiles and collects, and in F# (Self.fs): each line is there, none is wrong and none is too much, by the profiler's own formatter and
# by the stock inspector in a patched file.
#
#   SELFCHECK_ROUNDS   of each thread, 22: more than 100,000 lines
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/selfcheck
rounds=${SELFCHECK_ROUNDS:-22}
scratch selfcheck
need_sdk selfcheck

echo '<rules><include iterators="current" byref="inspect"><namespace name="Self"/><method regex="^Get"/></include></rules>' >"$tmp/rules.xml"
echo 'namespace System.Runtime.CompilerServices { class IsExternalInit { } }' >"$tmp/Records.cs" # for the compiler, in what is older than .NET 5
records=()
[ "$major" -ge 5 ] || records=("$tmp/Records.cs")
for seed in 1 2; do
    python3 "$here/program.py" $seed >"$tmp/Self.cs"
    option=-optimize+
    [ $seed -ne 2 ] || option=-debug+
    compile "$tmp/$seed/Self.dll" -unsafe $option "$tmp/Self.cs" "${records[@]}"
    runs_with_framework "$tmp/$seed/Self.dll"
    cp -r "$tmp/$seed" "$tmp/patched$seed"
    "$ilpatch" -q --rules "$tmp/rules.xml" "$tmp/patched$seed/Self.dll" 2>"$tmp/err" || fail "patch $seed" "$(cat "$tmp/err")"
done
# Explicit tail calls would leave values to the method that is called.
if fsharp "$tmp/fsharp/Self.dll" --optimize+ --tailcalls- "$here/Self.fs"; then
    runs_with_framework "$tmp/fsharp/Self.dll"
    cp -r "$tmp/fsharp" "$tmp/patchedfsharp"
    "$ilpatch" -q --rules "$tmp/rules.xml" "$tmp/patchedfsharp/Self.dll" 2>"$tmp/err" || fail "patch F#" "$(cat "$tmp/err")"
else
    fail "F# build" "$(grep -m1 error "$tmp/build.log")"
fi

# all_there CODE LEAST NAME: the lines that are expected are those that were written, so many at least
all_there() {
    local code=$1 least=$2
    shift 2
    LC_ALL=C sort "$tmp/expected" >"$tmp/expected.sorted"
    LC_ALL=C sort "$tmp/lines" >"$tmp/lines.sorted"
    check "$1: exit code" 3 "$code"
    check "$1: lines are missing" "" "$(comm -23 "$tmp/expected.sorted" "$tmp/lines.sorted" | head -n 1)"
    check "$1: lines are wrong or too many" "" "$(comm -13 "$tmp/expected.sorted" "$tmp/lines.sorted" | head -n 1)"
    [ "$(wc -l <"$tmp/lines")" -ge "$least" ] || fail "$1" "only $(wc -l <"$tmp/lines") lines"
}

# tried NAME SEED VARIABLE...: in a process and as a file, with these variables of the runtime
tried() {
    local name=$1 seed=$2 least=$((rounds * 4 * 1100))
    shift 2
    [ "$seed" != fsharp ] || least=$((rounds * 4 * 15))
    rm -f "$tmp/lines" "$tmp/expected"
    env "$@" timeout 600 "$ilpatch" run -q --rules "$tmp/rules.xml" -o "$tmp/lines" -- dotnet "$tmp/$seed/Self.dll" "$tmp/expected" 4 "$rounds"
    all_there $? $least "$name, in a process"
    rm -f "$tmp/lines" "$tmp/expected"
    env "$@" ILPATCH_OUTPUT="$tmp/lines" timeout 600 dotnet "$tmp/patched$seed/Self.dll" "$tmp/expected" 4 "$rounds"
    all_there $? $least "$name, in a file"
}
set=DOTNET_
[ "$major" -ge 6 ] || set=COMPlus_ # what older runtimes read
tried "Release" 1 "${set}TieredCompilation=1"
tried "Debug" 2 "${set}TieredCompilation=1"
tried "minimal optimization" 1 "${set}JITMinOpts=1"
tried "the last tier at once" 1 "${set}TieredCompilation=0"
tried "the last tier soon, without profiles" 2 "${set}TieredPGO=0" "${set}TC_BackgroundWorkerTimeoutMs=0" "${set}TC_CallCountThreshold=2"
tried "replaced on the stack soon" 1 "${set}TC_OnStackReplacement_InitialCounter=1" "${set}OSR_HitLimit=1" "${set}TC_QuickJitForLoops=1"
tried "server GC" 1 "${set}gcServer=1" "${set}GCHeapCount=2"
tried "a tiny first generation" 2 "${set}GCgen0size=0x10000"
tried "F#" fsharp "${set}TieredCompilation=1"
tried "F#, the last tier at once, a tiny first generation" fsharp "${set}TieredCompilation=0" "${set}GCgen0size=0x10000"
finish
