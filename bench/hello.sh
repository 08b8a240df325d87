#!/bin/bash
# What it costs to start a program: one that does nothing, alone and with the profiler in it, in several ways, run in turn. The table has
# medians of wall time, ratios to the program alone, and the largest peak of memory.
#
#   ILPATCH        the command, build/ilpatch
#   BENCH_ROUNDS   runs of each for a median, 41
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
scratch hello
trap 'rm -rf "$tmp"' EXIT
need_sdk hello
${CC:-cc} -O2 -o "$tmp/measure" bench/measure.c || exit 1
echo 'public static class Hello { public static int Main() { return Zero(); } public static int Zero() { return 0; } }' >"$tmp/Hello.cs"
compile "$tmp/Hello.dll" "$tmp/Hello.cs"
runs_with_framework "$tmp/Hello.dll"
echo '<rules><include><type name="Hello"/></include></rules>' >"$tmp/rules.xml"

# The least that a profiler can cost: one that does nothing, with no events and with ours.
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -shared -fPIC -fvisibility=hidden -Iinclude -Isrc -I. -o "$tmp/empty.so" bench/empty_profiler.c \
    profiler/clr/{class_factory,callback,guid}.c || exit 1

program=(dotnet exec "$tmp/Hello.dll")
mapfile -t variables < <("$ilpatch" run --print-env -o /dev/null -- | sed -n "s/^export //p" | sed "s/'//g")
empty=("${variables[@]/#CORECLR_PROFILER_PATH=*/CORECLR_PROFILER_PATH=$tmp/empty.so}")
names=("the program alone" "a profiler that does nothing" "the same, with the events of ours" "the profiler, by its variables"
    "another program that starts it and waits" "ilpatch run" "ilpatch run --rules" "ilpatch run --args" "ilpatch run --spool" "ilpatch run --inspector full")
# measure takes -- between commands, and ilpatch run does without it
mapfile -t lines < <("$tmp/measure" "${BENCH_ROUNDS:-41}" "${program[@]}" \
    -- "${empty[@]}" BENCH_EVENTS=0 "${program[@]}" \
    -- "${empty[@]}" "${program[@]}" \
    -- "${variables[@]}" "${program[@]}" \
    -- timeout 60 "${program[@]}" \
    -- "$ilpatch" run -q -o /dev/null "${program[@]}" \
    -- "$ilpatch" run -q -o /dev/null --rules "$tmp/rules.xml" "${program[@]}" \
    -- "$ilpatch" run -q -o /dev/null --args "${program[@]}" \
    -- "$ilpatch" run -q --spool "$tmp/spool" "${program[@]}" \
    -- "$ilpatch" run -q -o /dev/null --inspector full "${program[@]}")
printf '| | ms | ratio | peak, MB |\n|---|--:|--:|--:|\n'
for i in "${!lines[@]}"; do
    read -r ms peak <<<"${lines[$i]}"
    alone=${alone:-$ms}
    awk -v name="${names[$i]}" -v ms="$ms" -v alone="$alone" -v peak="$peak" \
        'BEGIN { printf "| %s | %.1f | %.2f | %.1f |\n", name, ms, ms / alone, peak / 1024 }'
done
