#!/bin/bash
# What a value costs: a program calls a method that returns an int (cost/Cost.cs), in each of several ways and by 1, 2 and 4 threads.
# A table: ns a call by the clock, and after the slash ns of CPU of the process; each the least of several runs, since whatever else
# the machine does only adds. A row is a function row_NAME, which runs the program with what is measured.
#
#   ILPATCH       the command, build/ilpatch
#   BEFORE        another one to compare with, of an earlier build; none without it
#   BENCH_CALLS   calls of a run, 10000000
#   BENCH_ROUNDS  runs, 5
#   BENCH_THREADS "1 2 4"
#   BENCH_ROWS    names of rows, all
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
calls=${BENCH_CALLS:-10000000} rounds=${BENCH_ROUNDS:-5}
read -ra counts <<<"${BENCH_THREADS:-1 2 4}"
scratch cost
trap 'rm -rf "$tmp"' EXIT
need_sdk cost
compile "$tmp/Cost.dll" -optimize+ bench/cost/Cost.cs
runs_with_framework "$tmp/Cost.dll"
only=(--where '<type name="Cost"/><method name="One"/>')

# ---- rows: $command is what is measured, $threads how many; the program's output is theirs ----

program() { "$@" dotnet "$tmp/Cost.dll" "$calls" "$threads"; }

row_plain() { program; }
row_file() { program "$command" run -q "${only[@]}" -o "$tmp/lines" --; }
row_null() { program "$command" run -q "${only[@]}" -o /dev/null --; }
row_stderr() { program "$command" run -q "${only[@]}" -- 2>"$tmp/lines"; }
row_count() { program "$command" run -q "${only[@]}" --count -o "$tmp/lines" --; }
row_filter() { program "$command" run -q "${only[@]}" --when 'value == 987654321' --spool "$tmp/spool" --; }
row_spool() { program "$command" run -q "${only[@]}" --spool "$tmp/spool" --; }
row_full() { program "$command" run -q "${only[@]}" --inspector full -o "$tmp/lines" --; }
row_attach() {
    rm -f "$tmp/in" "$tmp/ready"
    mkfifo "$tmp/in"
    dotnet "$tmp/Cost.dll" "$calls" "$threads" wait <"$tmp/in" >"$tmp/ready" &
    local process=$!
    exec 9>"$tmp/in"
    awaits grep -q ready "$tmp/ready"
    : >"$tmp/log"
    "$command" attach "${only[@]}" --method-rate 0 --max-cost 0 $process >"$tmp/lines" 2>"$tmp/log" 9>&- &
    local attached=$!
    awaits grep -q attached "$tmp/log"
    echo >&9
    exec 9>&-
    wait $process $attached
    cat "$tmp/ready"
}
rows=${BENCH_ROWS:-plain count filter spool file null stderr full attach}
declare -A texts=([plain]="no profiler" [count]="--count" [filter]="--when, not met" [spool]="--spool" [file]="-o FILE" [null]="-o /dev/null" [stderr]="standard error, to a file"
    [full]="--inspector full -o FILE" [attach]="attach, to a file")

# ---- the table ----

# least ROW: of all rounds, "12.3 / 45.6"
least() {
    for ((round = 0; round < rounds; round++)); do "row_$1"; done |
        awk '$1 == "ns" { wall = !n || $2 < wall ? $2 : wall; cpu = !n++ || $3 < cpu ? $3 : cpu } END { print (n ? wall " / " cpu : "failed") }'
}

commands=("$ilpatch")
[ -z "${BEFORE-}" ] || commands=("$(realpath "$BEFORE")" "$ilpatch")
echo "| ns a value, by the clock / of CPU |$(for command in "${commands[@]}"; do
    for threads in "${counts[@]}"; do
        printf ' %s thread%s%s |' "$threads" "$([ "$threads" = 1 ] || echo s)" "$([ "$command" = "$ilpatch" ] || echo ", before")"
    done
done)"
echo "|---|$(for command in "${commands[@]}"; do printf -- '--:|%.0s' "${counts[@]}"; done)"
for row in $rows; do
    printf '| %s |' "${texts[$row]}"
    for command in "${commands[@]}"; do
        for threads in "${counts[@]}"; do printf ' %s |' "$(least "$row")"; done
    done
    echo
done
