#!/bin/bash
# The same job by ilpatch and by a Mono.Cecil program, side by side: `make bench` calls this.
#
#   whole   one process from file to file, wall time, in turn; and its peak of resident memory
#   warm    in one process from memory to memory, again and again: the best that either can do
#
# A median each. Needs the .NET SDK; exit code 0 whatever the times are.
#
#   ILPATCH, ILPATCH_TEST_CACHE   as in tests/runtime/real/run.sh
#   BENCH_ROUNDS                  whole processes for a median, 11; BENCH_WARM  the same in process, 15
set -u
cd "$(dirname "$0")/.." || exit 1

ilpatch=$(realpath -m "${ILPATCH:-build/ilpatch}")
warm=$(dirname "$ilpatch")/bench_warm
cache=$(realpath -m "${ILPATCH_TEST_CACHE:-build/packages}")
rounds=${BENCH_ROUNDS:-11}
repeats=${BENCH_WARM:-15}
goal_whole=40 goal_warm=30 goal_memory=10
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

if ! command -v dotnet >/dev/null || [ -z "$(dotnet --list-sdks 2>/dev/null | grep '^1[0-9]\.')" ]; then
    echo "bench: no .NET SDK 10 or newer to run Mono.Cecil with"
    exit 0
fi
tmp=$(mktemp -d "${ILPATCH_TEST_TMP:-${TMPDIR:-/tmp}}/ilpatch-bench.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
tests/runtime/real/fetch.sh "$cache" || exit 1
tests/runtime/real/tool.sh bench/cecil "$cache/tools/bench" || exit 1
${CC:-gcc} -O2 -o "$tmp/measure" bench/measure.c || exit 1

DOTNET_ROOT=$(dirname "$(realpath "$(command -v dotnet)")")
export DOTNET_ROOT
cecil=$cache/tools/bench/bin/CecilBench

reached() { # reached WHAT RATIO GOAL
    awk -v what="$1" -v ratio="$2" -v goal="$3" 'BEGIN {
        if (ratio == "") printf "%s: not measured\n", what
        else printf "%s: %sx where it is least, goal %sx: %s\n", what, ratio, goal,
                    (ratio + 0 >= goal ? "reached" : "not reached") }'
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (a != "" && b > 0) printf "%.1f", a / b }'; }
least() { awk -v a="$1" -v b="$2" 'BEGIN { print (a == "" || (b != "" && b + 0 < a + 0)) ? b : a }'; }

printf '%-32s %9s   %31s   %31s   %31s\n' '' '' 'whole process, ms' 'warm, ms' 'peak memory, MB'
printf '%-32s %9s' file size
for _ in 1 2 3; do
    printf '   %11s %11s %7s' ilpatch Cecil ratio
done
echo
least_whole='' least_warm='' least_memory=''
for name in Newtonsoft.Json FSharp.Core Microsoft.CodeAnalysis.CSharp; do
    file=$cache/net/$name.dll
    mkdir -p "$tmp/ilpatch" "$tmp/cecil"
    lines=$("$tmp/measure" "$rounds" \
                "$ilpatch" --inspect-returns -o "$tmp/ilpatch/$name.dll" "$file" \
                -- "$cecil" "$file" "$tmp/cecil/$name.dll") || exit 1
    read -r ms_a kb_a ms_b kb_b <<<"$(echo $lines)"
    warm_a='' warm_b=''
    if [ -x "$warm" ]; then
        warm_a=$("$warm" "$file" "$repeats")
    fi
    warm_b=$("$cecil" --warm "$repeats" "$file")
    whole=$(ratio "$ms_b" "$ms_a")
    inside=$(ratio "$warm_b" "$warm_a")
    memory=$(ratio "$kb_b" "$kb_a")
    least_whole=$(least "$least_whole" "$whole")
    least_warm=$(least "$least_warm" "$inside")
    least_memory=$(least "$least_memory" "$memory")
    printf '%-32s %6s MB' "$name" "$(awk -v n="$(stat -c %s "$file")" 'BEGIN { printf "%.1f", n / 1e6 }')"
    printf '   %11s %11s %7s' "$ms_a" "$ms_b" "$whole" "${warm_a:--}" "$warm_b" "${inside:--}" \
        "$(awk -v n="$kb_a" 'BEGIN { printf "%.1f", n / 1024 }')" \
        "$(awk -v n="$kb_b" 'BEGIN { printf "%.1f", n / 1024 }')" "$memory"
    echo
done
reached 'whole process' "$least_whole" "$goal_whole"
reached 'warm' "$least_warm" "$goal_warm"
reached 'memory' "$least_memory" "$goal_memory"
