#!/bin/bash
# Do bench/count.sh --check and --renew notice what they are for: a job that takes more, and counts that are of another compiler?
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
need_ilpatch bench
scratch bench

# check_counts NAME EXIT-CODE COUNTS: what is printed is in $tmp/log
check_counts() {
    BUILD=$build BENCH_JOBS=small BENCH_COUNTS=$3 bench/count.sh --check >"$tmp/log" 2>&1
    check "$1" "$2" $?
}
# more PERCENT: counts as if the job had taken so much less than it does
recorded_less() {
    awk -v percent="$1" '$1 == "job" { $3 = int($3 / (1 + percent / 100)) } { print }' "$tmp/counts"
}

if ! have valgrind || ! have dotnet; then
    skip counts "no valgrind or no .NET SDK"
elif ! bench/fetch.sh "$cache" >"$tmp/fetched" 2>&1; then
    skip counts "packages cannot be fetched: $(grep -m 1 error "$tmp/fetched")"
else
    BUILD=$build BENCH_JOBS=small BENCH_COUNTS=$tmp/counts bench/count.sh --renew >"$tmp/log" 2>&1
    check renew 0 $?
    check renew-job yes "$(awk '$1 == "job" { print ($2 == "small" && $3 > 1e6 && NF == 3 ? "yes" : "no") }' "$tmp/counts")"
    check_counts same 0 "$tmp/counts"

    recorded_less 4 >"$tmp/less"
    check_counts within-limit 0 "$tmp/less"
    recorded_less 6 | awk '/^[0-9]+ / && !seen++ { print int($1 / 2), $2; next } { print }' >"$tmp/less"
    check_counts above-limit 1 "$tmp/less"
    contains above-limit-function "$(awk '/^[0-9]+ / { print $2; exit }' "$tmp/counts")" "$tmp/log"
    recorded_less 6 | sed '/^[0-9]/d' >"$tmp/none"
    check_counts new-functions 1 "$tmp/none"
    contains new-function '<' "$tmp/log"

    sed 's/^with compiler /&other /' "$tmp/counts" >"$tmp/other"
    check_counts other-compiler 2 "$tmp/other"
    contains other-compiler-named 'recorded: compiler other' "$tmp/log"
    sed '/^with libc /d' "$tmp/counts" >"$tmp/other"
    check_counts other-libc 2 "$tmp/other"
    check_counts no-counts 1 "$tmp/missing"
fi

finish
