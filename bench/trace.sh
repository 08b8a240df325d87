#!/bin/bash
# What a trace costs, by hooks and by the IL of methods, with times and without: processor time of a call that does nothing and of a program
# that works mostly in the framework while its own methods are traced, and the time that one takes that does nothing. Run in turn; medians, and
# ratios to the program alone.
#
#   ILPATCH        the command, build/ilpatch
#   BENCH_ROUNDS   runs of each for a median, 7
#   BENCH_ORDERS   how many orders are made JSON, and read again, 20000
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
scratch trace
trap 'rm -rf "$tmp"' EXIT
need_sdk trace
${CC:-cc} -O2 -o "$tmp/measure" bench/measure.c || exit 1
compile "$tmp/Traced.dll" bench/Traced.cs
echo 'public static class Hello { public static int Main() { return Zero(); } public static int Zero() { return 0; } }' >"$tmp/Hello.cs"
compile "$tmp/Hello.dll" "$tmp/Hello.cs"
runs_with_framework "$tmp/Traced.dll"
runs_with_framework "$tmp/Hello.dll"

names=("alone" "hooks" "hooks, no times" "by il" "by il, no times")
options=("" "--by hooks" "--by hooks --no-times" "--by il" "--by il --no-times")
# shellcheck disable=SC2086
with() { # NUMBER PROGRAM...: what it prints, traced in the way of that number
    local options=${options[$1]}
    [ -z "$options" ] || set -- "$1" "$ilpatch" trace -q $options --spool "$tmp/spool" -- "${@:2}"
    "${@:2}" 2>/dev/null
}
median() { sort -n | awk '{ n[NR] = $1 } END { print n[int((NR + 1) / 2)] }'; }
rows() { # WHAT UNIT PROGRAM...: a row for each way
    local what=$1 unit=$2
    shift 2
    for ((round = 0; round < ${BENCH_ROUNDS:-7}; round++)); do
        for i in "${!names[@]}"; do with "$i" "$@" >>"$tmp/$what.$i"; done
    done
    for i in "${!names[@]}"; do
        printf '%s %s %s\n' "$(median <"$tmp/$what.$i")" "$(median <"$tmp/$what.0")" "$i"
    done | while read -r one alone i; do
        awk -v what="$what" -v name="${names[$i]}" -v one="$one" -v alone="$alone" -v unit="$unit" \
            'BEGIN { printf "| %s | %s | %.2f %s | %.2f |\n", what, name, one, unit, one / alone }'
    done
}

printf '| | | | ratio |\n|---|---|--:|--:|\n'
rows "a call" ns dotnet exec "$tmp/Traced.dll" fib
rows JSON ms dotnet exec "$tmp/Traced.dll" json "${BENCH_ORDERS:-20000}"

# The command itself takes its time, too, so the program is measured as it is started by the variables.
hello=(dotnet exec "$tmp/Hello.dll")
variables() { "$ilpatch" trace --print-env --spool "$tmp/hello.$1" "${@:2}" | sed -n "s/^export //p" | sed "s/'//g"; }
mapfile -t by_hooks < <(variables hooks)
mapfile -t by_il < <(variables il --by il)
mapfile -t counted < <(variables counted --by il --no-times)
"$tmp/measure" "$((${BENCH_ROUNDS:-7} * 3))" "${hello[@]}" -- "${by_hooks[@]}" "${hello[@]}" -- "${by_il[@]}" "${hello[@]}" \
    -- "${counted[@]}" "${hello[@]}" >"$tmp/hello.ms"
paste -d ' ' <(printf '%s\n' alone hooks "by il" "by il, no times" | tr ' ' _) "$tmp/hello.ms" | while read -r name ms _; do
    alone=${alone:-$ms}
    awk -v name="${name//_/ }" -v one="$ms" -v alone="$alone" 'BEGIN { printf "| start | %s | %.1f ms | %.2f |\n", name, one, one / alone }'
done
