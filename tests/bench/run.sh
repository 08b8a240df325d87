#!/bin/bash
# Do bench/count.sh --check and --renew notice what they are for: a job that takes more, and counts that are of another compiler? And does
# the page of make speed say what was measured?
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

# Points on straight lines, but for one of ilpatch's, which must not turn its line.
{
    printf 'setting\t%s\n' rounds$'\t'11 warm$'\t'15 plot$'\t'7 processors$'\t'2 machine$'\t'x kernel$'\t'6.1 files$'\t'ext4 runtime$'\t'10 \
        compiler$'\t'gcc priority$'\t'-20 load$'\t'0.1
    printf '%s\t' row Some.Library 2000000 moved 1234 1230 3000000 2500000 10 8192 9 12 5 2048 4 6 250 81920 240 260 50 40960 45 55 - -
    printf '%s\n' -
    printf '%s\t' row Other 1000000 off 10 10 1000000 1000000 5 1024 5 5 1 1024 1 1 100 1024 100 100 50 1024 50 50 4.000 100.0
    printf '%s\n' 20.0
    printf '%s\t' threads 'the SDK' 2000 40960 1900 2100 1000 81920 950
    echo 1100
    for mb in 1 2 4 8 16; do
        printf 'point\tA<%s>&\t%s000000\t%s\t1\t1\t1\t%s\t1\t1\t1\t%s\t1\t1\t1\n' $mb $mb $((mb == 4 ? 500 : 3 + 10 * mb)) $((2 + mb)) $((100 + 200 * mb))
    done
} >"$tmp/results.tsv"
mkdir "$tmp/docs"
cp docs/BENCH.md "$tmp/docs/"
passes page bench/page.py "$tmp/results.tsv" "$tmp/docs"
contains page-whole '| Some.Library, symbols moved | 10.0 (9.00 to 12.0) | 5.00 (4.00 to 6.00) | 250 (240 to 260) | 50.0 (45.0 to 55.0) | **25.0** | **2.0** |' "$tmp/docs/BENCH.md"
contains page-warm '| Other | 4.00 | 100 | 20.0 | **25.0** |' "$tmp/docs/BENCH.md"
check page-warm-symbols 0 "$(sed -n '/begin warm/,/end warm/p' "$tmp/docs/BENCH.md" | grep -c Some.Library)"
contains page-memory '| Some.Library, symbols moved | 8.00 | 80.0 | 40.0 | **10.0** |' "$tmp/docs/BENCH.md"
contains page-jobs '| Some.Library, symbols moved | 2.00 | 1,234 | 1,230 | 3.00 | 2.50 |' "$tmp/docs/BENCH.md"
contains page-line '| ilpatch | 3.00 | 10.00 |' "$tmp/docs/BENCH.md"
contains page-line-cecil '| Cecil | 100 | 200.00 |' "$tmp/docs/BENCH.md"
contains page-threads '| the SDK | 2,000 (1,900 to 2,100) | 1,000 (950 to 1,100) | **2.00** | 40.0 | 80.0 |' "$tmp/docs/BENCH.md"
contains page-how 'Medians of 11 runs' "$tmp/docs/BENCH.md"
contains page-priority 'these runs had priority' "$tmp/docs/BENCH.md"
passes plot-well-formed python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$tmp/docs/bench.svg"
check plot-points 25 "$(grep -c '<circle' "$tmp/docs/bench.svg")"
cp "$tmp/docs/BENCH.md" "$tmp/once.md"
passes page-again bench/page.py "$tmp/results.tsv" "$tmp/docs"
same page-same "$tmp/once.md" "$tmp/docs/BENCH.md"
sed -i '/begin warm/d' "$tmp/docs/BENCH.md"
bench/page.py "$tmp/results.tsv" "$tmp/docs" >"$tmp/log" 2>&1
check page-without-mark 1 $?

finish
