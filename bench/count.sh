#!/bin/bash
# How much work fixed jobs are: instructions and peak memory, of this build and of another.
#
#   bench/count.sh             the build in $BUILD
#   bench/count.sh BEFORE      and, with ratios, that before a change: a build folder, or a commit, which is built
#
# Instructions are counted by Callgrind, memory is the kernel's peak of resident pages (ru_maxrss); addresses are not random.
# So whatever else the machine does, two runs of one build differ by less than 0.1 % in instructions, and by 0.1 MB.
#
#   BUILD                build
#   CFLAGS               for a commit that is built; the Makefile's, as for $BUILD
#   BENCH_JOBS           some of the jobs, all; see job()
#   BENCH_PROFILES       a folder that keeps what Callgrind writes, for callgrind_annotate: JOB.now, JOB.before
#   ILPATCH_TEST_CACHE   as in tests/runtime/real/run.sh
set -u
cd "$(dirname "$0")/.." || exit 1
build=$(realpath -m "${BUILD:-build}")
before=${1:-}
jobs=${BENCH_JOBS:-patch core compact symbols list verify text html chrome speedscope folded otlp jit jit-report}
cache=$(realpath -m "${ILPATCH_TEST_CACHE:-build/packages}")
die() { echo "count.sh: $*" >&2; exit 1; }
command -v valgrind >/dev/null || die "no valgrind"
command -v dotnet >/dev/null || die "no .NET SDK"

tmp=$(mktemp -d "${ILPATCH_TEST_TMP:-${TMPDIR:-/tmp}}/ilpatch-count.XXXXXX") || exit 1
remove() {
    [ ! -d "$tmp/tree" ] || git worktree remove --force "$tmp/tree"
    rm -rf "$tmp"
}
trap remove EXIT
profiles=$(realpath -m "${BENCH_PROFILES:-$tmp/profiles}")
mkdir -p "$profiles" "$tmp/in" "$tmp/out" || exit 1

# ---- builds ----

[ -x "$build/ilpatch" ] || die "$build: no ilpatch in it. Run make."
if [ -n "$before" ] && [ ! -d "$before" ]; then
    git rev-parse --verify --quiet "$before^{commit}" >/dev/null || die "$before: neither a folder nor a commit"
    git worktree add --quiet --detach "$tmp/tree" "$before" && make -s -j "$(nproc)" -C "$tmp/tree" BUILD=build all || exit 1
    before=$tmp/tree/build
fi
[ -z "$before" ] || before=$(realpath "$before")

# ---- inputs ----

tests/runtime/real/fetch.sh "$cache" || exit 1
store=$(dotnet nuget locals global-packages --list | sed 's/^[^:]*: //')
framework=$(dotnet --list-runtimes | sed -n 's/^Microsoft.NETCore.App \([^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
xml=$framework/System.Private.Xml.dll
core=$framework/System.Private.CoreLib.dll
compiler=$tmp/in/Microsoft.CodeAnalysis.CSharp.dll # with its PDB, and what it refers to
cp "$store"/microsoft.codeanalysis.c{sharp,ommon}/4.14.0/lib/net9.0/Microsoft.CodeAnalysis.*{dll,pdb} "$tmp/in/" || exit 1

compile() { # compile OUT SOURCE LIBRARY...
    local out=$1 source=$2
    shift 2
    ${CC:-cc} -std=c11 -D_GNU_SOURCE -Iinclude -Isrc -I. -O2 -o "$out" "$source" "$build/libilpatch.a" "$@" || exit 1
}
compile "$tmp/measure" bench/measure.c
compile "$tmp/make_spool" tests/trace/make_spool.c
compile "$tmp/jit_calls" bench/jit_calls.c -lcmocka -ldl

# 400 methods, 60,000 calls on four threads, up to 40 deep; a third have arguments and values, few of them the same.
calls() {
    awk '
    function random(bound) { seed = (seed * 16807) % 2147483647; return seed % bound }
    function leave() {
        id = stack[depth--]
        if (random(50) == 0) print "u", id
        else if (random(3) == 0) print "<", id, random(4) ? random(9) : "%22order%20no.%20" random(1000) "%22"
        else print "<", id
    }
    BEGIN {
        seed = 1
        print "runtime CoreCLR%2010.0\nprocess 42 1700000000000000000 dotnet%20Shop.dll%20--orders%20all"
        for (id = 1; id <= 400; id++)
            print "method", id, "Shop.Part" id % 9 ".dll", "Company.Shop.Orders.OrderRepository" id % 40,
                  "ReadOrders" id, "class%20Order[]%20(int32,%20string)"
        for (thread = 1; thread <= 4; thread++) {
            print "thread", thread, 4242 + thread "\nname worker" thread
            for (i = 0; i < 15000; i++) {
                while (depth > 0 && (depth >= 40 || random(5) < 2)) leave()
                stack[++depth] = 1 + random(400)
                print "+" random(5000) "\n>", stack[depth] (random(3) ? "" : " " random(100) ",%20%22customer%22")
            }
            while (depth > 0) leave()
            print "end"
        }
        print "exit"
    }'
}
calls | "$tmp/make_spool" "$tmp/in/calls.spool" || die "no spool"

# ---- jobs ----

# job NAME BUILD: its `command` and `environment`
job() {
    local patch=("$2/ilpatch" --inspect-returns -q -o "$tmp/out/Out.dll")
    environment=("PATH=$PATH" "HOME=$HOME" LC_ALL=C.UTF-8)
    case $1 in
    patch) command=("${patch[@]}" "$xml") ;;
    core) command=("${patch[@]}" --embed "$core") ;;
    compact) command=("${patch[@]}" --compact "$xml") ;;
    symbols) command=("${patch[@]}" "$compiler") ;;
    list | verify) command=("$2/ilpatch" "$1" "$compiler") ;;
    text | html | chrome | speedscope | folded | otlp)
        command=("$2/ilpatch" report --format "$1" -o "$tmp/out/report" "$tmp/in/calls.spool") ;;
    jit | jit-report)
        command=("$tmp/jit_calls" "$xml")
        environment+=("BUILD=$2" ILPATCH_OPTIONS=--inspect-returns "ILPATCH_STATUS=$tmp/out/status"
            DOTNET_STARTUP_HOOKS=/MyProfiler.dll CORECLR_ENABLE_PROFILING=1)
        [ "$1" = jit ] || environment+=("ILPATCH_REPORT=$tmp/out/report.json") ;;
    *) die "no job is called '$1'" ;;
    esac
}

# counted NAME BUILD WHEN: "millions-of-instructions MB"
counted() {
    rm -rf "$tmp/out"
    mkdir "$tmp/out"
    : >"$tmp/out/status"
    job "$1" "$2"
    local run=(env -i "${environment[@]}" setarch -R)
    "${run[@]}" valgrind --tool=callgrind --callgrind-out-file="$profiles/$1.$3" "${command[@]}" >/dev/null 2>"$tmp/log" ||
        { cat "$tmp/log" >&2; die "$1: failed"; }
    "${run[@]}" "$tmp/measure" 3 "${command[@]}" >"$tmp/measured" || die "$1: failed"
    awk 'NR == FNR { if (/^(summary|totals):/) count = $2; next } { printf "%.2f %.2f\n", count / 1e6, $2 / 1024 }' \
        "$profiles/$1.$3" "$tmp/measured"
}

row() { printf '%-11s %12s %9s %12s %9s %8s %8s\n' "$@"; }
row '' 'million' 'peak' ${before:+'million' 'peak' 'ratio' 'ratio'} | sed 's/ *$//'
row job instructions MB ${before:+'before' 'before' 'instr.' 'peak'} | sed 's/ *$//'
for name in $jobs; do
    now=$(counted "$name" "$build" now) || exit 1
    was='' ratios=''
    if [ -n "$before" ]; then
        was=$(counted "$name" "$before" before) || exit 1
        ratios=$(awk -v now="$now" -v was="$was" 'BEGIN {
            split(now, n); split(was, w); printf "%.3f %.3f", n[1] / w[1], n[2] / w[2] }')
    fi
    # shellcheck disable=SC2086 # each holds two words
    row "$name" $now $was $ratios | sed 's/ *$//'
done
