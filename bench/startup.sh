#!/bin/bash
# What the profiler costs. Two tables of medians.
#
# The first: the C# compiler of the .NET SDK, which has native code, compiles a small file; without a profiler, with one whose rules
# match nothing, and with more and more methods inspected. CPU time of the process in user mode; methods that were inspected and
# that were compiled, CPU time of their compilation, in all tiers; time in the profiler's callbacks, of that the time in calls
# to the runtime, and the rest, which is the profiler's own code (jit_time.c).
#
# The second: what one method takes that is rewritten, from callbacks that rewrite it or hand its body to the runtime, and the
# compilation of these methods. The C# and the F# compiler, and a program that uses Newtonsoft.Json if that is there; this one
# says besides how long the JIT worked by System.Runtime.JitInfo.
#
# The inspector counts and does not write (ILPATCH_COUNT).
#
#   ILPATCH              the command, build/ilpatch
#   BENCH_ROUNDS         processes for a median, 9
#   BENCH_INSPECTOR      full: the stock inspector; without it the profiler shows values itself
#   ILPATCH_TEST_CACHE   where net/Newtonsoft.Json.dll is, build/packages
set -u
cd "$(dirname "$0")/.." || exit 1
ilpatch=$(realpath -m "${ILPATCH:-build/ilpatch}")
rounds=${BENCH_ROUNDS:-9}
json=$(realpath -m "${ILPATCH_TEST_CACHE:-build/packages}")/net/Newtonsoft.Json.dll
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 LC_ALL=C.UTF-8 ILPATCH_COUNT=1

tmp=$(mktemp -d "${ILPATCH_TEST_TMP:-${TMPDIR:-/tmp}}/ilpatch-startup.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -O2 -shared -fPIC -o "$tmp/jit_time.so" bench/jit_time.c -ldl || exit 1
sdk=$(dotnet --list-sdks 2>/dev/null | sed -n 's/^\([1-9][0-9]\.[^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
refs=$(ls -d "$sdk"/../../packs/Microsoft.NETCore.App.Ref/*/ref/net* 2>/dev/null | tail -n 1)
[ -n "$refs" ] || { echo "startup.sh: no .NET SDK" >&2; exit 1; }
compile=(dotnet exec "$sdk/Roslyn/bincore/csc.dll" -nologo -noconfig -nostdlib -deterministic -parallel-)

# ---- programs ----

echo 'public static class C { public static int M(int x) { return x + 1; } }' >"$tmp/c.cs"
echo 'module M
let f x = [ for i in 1 .. x -> i * i ] |> List.sum' >"$tmp/f.fs"
cat >"$tmp/json.cs" <<'CS'
using System;
using System.Collections.Generic;
using Newtonsoft.Json;
public class Item { public string Name; public double Price; public DateTime When; public List<int> Counts; public Item Next; }
public static class Program
{
    public static void Main()
    {
        var item = new Item { Name = "a", Price = 1.5, When = DateTime.UnixEpoch, Counts = new List<int> { 1, 2 },
                              Next = new Item { Name = "b" } };
        for (int i = 0; i < 200; i++)
            item = JsonConvert.DeserializeObject<Item>(JsonConvert.SerializeObject(item, Formatting.Indented));
        Console.Error.WriteLine("jit " + System.Runtime.JitInfo.GetCompiledMethodCount() + " methods "
                                + System.Runtime.JitInfo.GetCompilationTime().TotalMilliseconds + " ms");
    }
}
CS
# shellcheck disable=SC2034 # programs are named to once()
csc=("${compile[@]}" -target:library -r:"$refs/System.Runtime.dll" -out:"$tmp/c.dll" "$tmp/c.cs")
mapfile -t framework < <(printf -- '-r:%s\n' "$refs"/*.dll)
fsc=(dotnet exec "$sdk/FSharp/fsc.dll" --nologo --target:library --noframework --targetprofile:netcore
    -r:"$sdk/FSharp/FSharp.Core.dll" "${framework[@]}" --out:"$tmp/f.dll" "$tmp/f.fs")
app=(dotnet "$tmp/app/json.dll")
mkdir "$tmp/app"
if [ -s "$json" ]; then
    cp "$json" "$tmp/app"
    echo '{"runtimeOptions": {"framework": {"name": "Microsoft.NETCore.App", "version": "10.0.0"}}}' >"$tmp/app/json.runtimeconfig.json"
    "${compile[@]}" -optimize+ -out:"$tmp/app/json.dll" -r:"$json" "${framework[@]}" "$tmp/json.cs" || exit 1
fi

# once NAME PROGRAM OPTION...: a line `user-seconds` in $tmp/NAME.time, and of jit_time.c in $tmp/NAME.jit
once() {
    local name=$1
    local -n run=$2
    shift 2
    (
        if [ $# -gt 0 ]; then
            eval "$("$ilpatch" run ${BENCH_INSPECTOR:+--inspector "$BENCH_INSPECTOR"} "$@" --print-env)"
            export BENCH_PROFILER=$CORECLR_PROFILER_PATH CORECLR_PROFILER_PATH=$tmp/jit_time.so BENCH_TIMES=$tmp/$name.jit
            export ILPATCH_STATUS=$tmp/$name.status
            rm -f "$ILPATCH_STATUS"
        fi
        TIMEFORMAT='%3U'
        { time "${run[@]}" >"$tmp/log" 2>&1; } 2>>"$tmp/$name.time" || cat "$tmp/log" >&2
        grep '^jit ' "$tmp/log" >>"$tmp/$name.measured"
    )
}

types() { printf '<type like="Microsoft.CodeAnalysis.CSharp.%s"/>' "$1"; }
# In turn, so that whatever else the machine does hits all of them alike.
for ((i = 0; i < rounds; i++)); do
    once plain csc
    once idle csc --where '<assembly name="there is none"/>'
    once one csc --where '<assembly name="Microsoft.CodeAnalysis.CSharp"/><method name="get_Position"/><type like="*.SlidingTextWindow"/>'
    once hundred csc --where "<assembly name=\"Microsoft.CodeAnalysis.CSharp\"/>$(types 'Symbols.Metadata.*')"
    once compiler csc --where '<assembly name="Microsoft.CodeAnalysis.CSharp"/>'
    once all csc --inspect-returns
    once fsharp fsc --inspect-returns
    [ ! -s "$tmp/app/json.dll" ] || once json app --inspect-returns
done

# ---- tables ----

# value NAME EXPRESSION: the median of what awk makes of the lines of jit_time.c
value() { awk "{ print $2 }" "$tmp/$1.jit" | sort -g | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }
user() { sort -g "$tmp/$1.time" | awk '{ a[NR] = $1 * 1000 } END { print a[int((NR + 1) / 2)] }'; }

all='($1+$5+$9)' of_runtime='($2+$6+$10)' jit='($4+$8)'
printf '%-10s %9s %10s %9s %12s %10s %10s %10s %8s %8s\n' '' 'user time' inspected compiled compilation callbacks runtime own callbacks own
for name in plain idle one hundred compiler all; do
    printf '%-10s %6d ms' $name "$(user $name)"
    [ ! -s "$tmp/$name.jit" ] ||
        printf ' %10d %9d %9.1f ms %7.1f ms %7.1f ms %7.1f ms %6.1f %% %6.1f %%' \
            "$(sed -n 's/^count\tinspected //p' "$tmp/$name.status")" "$(value $name '$3+$7')" "$(value $name "$jit/1000")" \
            "$(value $name "$all/1000")" "$(value $name "$of_runtime/1000")" "$(value $name "($all-$of_runtime)/1000")" \
            "$(value $name "100*$all/$jit")" "$(value $name "100*($all-$of_runtime)/$jit")"
    echo
done
echo
printf '%-10s %10s %10s %10s %12s %10s %10s %12s\n' '' rewritten own runtime compilation own both 'of all JIT'
for name in compiler all fsharp json; do
    [ -s "$tmp/$name.jit" ] || continue
    printf '%-10s %10d %7.2f us %7.2f us %9.1f us %8.2f %% %8.2f %% %10.2f %%\n' $name "$(value $name '$13')" \
        "$(value $name '($5-$6)/$13')" "$(value $name '$6/$13')" "$(value $name '$8/$7')" \
        "$(value $name '100*($5-$6)/$13/($8/$7)')" "$(value $name '100*$5/$13/($8/$7)')" "$(value $name "100*\$5/$jit")"
done
[ ! -s "$tmp/json.jit" ] ||
    echo "json: measured here $(value json '$3+$7') methods $(value json "$jit/1000") ms; $(tail -n 1 "$tmp/json.measured")"
