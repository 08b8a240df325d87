#!/bin/bash
# How much work fixed jobs are: instructions and peak memory, of this build and of another.
#
#   bench/count.sh             the build in $BUILD
#   bench/count.sh BEFORE      and, with ratios, that before a change: a build folder, or a commit, which is built
#   bench/count.sh --check     a few jobs beside what counts.txt has of them: fails where one takes 5 % more instructions, and prints
#                              the functions that grew
#   bench/count.sh --renew     writes counts.txt
#
# Instructions are counted by Callgrind, memory is the kernel's peak of resident pages (ru_maxrss); addresses are not random.
# So whatever else the machine does, two runs of one build differ by less than 0.1 % in instructions, and by 0.1 MB. What jobs read is
# the same on every machine (fetch.sh).
#
#   BUILD                build
#   CFLAGS               for a commit that is built; the Makefile's, as for $BUILD
#   BENCH_JOBS           some of the jobs, all; see job()
#   BENCH_COUNTS         counts.txt
#   BENCH_PROFILES       a folder that keeps what Callgrind writes, for callgrind_annotate: JOB.now, JOB.before
#   ILPATCH_TEST_CACHE   as in tests/runtime/real/run.sh
set -u
cd "$(dirname "$0")/.." || exit 1
build=$(realpath -m "${BUILD:-build}")
counts=$(realpath -m "${BENCH_COUNTS:-bench/counts.txt}")
before='' mode='' checked='small patch rules verify jit'
case ${1:-} in
--check | --renew) mode=${1#--} jobs=$checked ;;
*) before=${1:-} jobs='small patch core compact symbols rules list verify text html chrome speedscope folded otlp jit jit-report' ;;
esac
jobs=${BENCH_JOBS:-$jobs}
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

bench/fetch.sh "$cache" || exit 1
dotnet=$cache/bench/dotnet # references of all jobs
xml=$(echo "$dotnet"/shared/*/*/System.Private.Xml.dll)
core=$(dirname "$xml")/System.Private.CoreLib.dll
json=$cache/net/Newtonsoft.Json.dll
compiler=$cache/bench/lib/Microsoft.CodeAnalysis.CSharp.dll # with its PDB, and what it refers to

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
    environment=("PATH=$PATH" "HOME=$HOME" LC_ALL=C.UTF-8 "DOTNET_ROOT=$dotnet")
    case $1 in
    small) command=("${patch[@]}" "$json") ;;
    patch) command=("${patch[@]}" "$xml") ;;
    core) command=("${patch[@]}" --embed "$core") ;;
    compact) command=("${patch[@]}" --compact "$xml") ;;
    symbols) command=("${patch[@]}" "$compiler") ;;
    rules) command=("$2/ilpatch" --rules bench/rules.xml -q -o "$tmp/out/Out.dll" --symbols drop "$compiler") ;;
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

# count NAME BUILD WHEN: $profiles/NAME.WHEN is what Callgrind writes; the job's `run`, for another time
count() {
    rm -rf "$tmp/out"
    mkdir "$tmp/out"
    : >"$tmp/out/status"
    job "$1" "$2"
    run=(env -i "${environment[@]}" setarch -R)
    "${run[@]}" valgrind --tool=callgrind --callgrind-out-file="$profiles/$1.$3" "${command[@]}" >/dev/null 2>"$tmp/log" ||
        { cat "$tmp/log" >&2; die "$1: failed"; }
}

# total PROFILE: instructions
total() { awk '/^(summary|totals):/ { count = $2 } END { print count }' "$1"; }

# counted NAME BUILD WHEN: "millions-of-instructions MB"
counted() {
    count "$@"
    "${run[@]}" "$tmp/measure" 3 "${command[@]}" >"$tmp/measured" || die "$1: failed"
    awk -v count="$(total "$profiles/$1.$3")" '{ printf "%.2f %.2f\n", count / 1e6, $2 / 1024 }' "$tmp/measured"
}

# ---- the counts that are kept ----

# What the number of instructions depends on, other than on the source and on the input: a line each.
conditions() {
    local compiler
    compiler=$(readelf -p .debug_str "$build/ilpatch" 2>/dev/null | grep -oE '(GNU C|GNU GIMPLE|([A-Za-z]+ )?clang version).*' | sort -u | paste -s -d ';')
    echo "compiler ${compiler:-unknown, without -g}"
    getconf GNU_LIBC_VERSION | sed 's/^/libc /'
    valgrind --version
    pkg-config --modversion libxml-2.0 2>/dev/null | sed 's/^/libxml2 /' # the rules job
    # libc takes other functions for memory and strings on other processors.
    echo "processor $(uname -m)$(grep -owm 1 avx2 /proc/cpuinfo | sed 's/^/ /')"
}

# functions PROFILE: "instructions NAME" of each function itself, most first. What is inlined from a header is counted with the rest.
functions() {
    callgrind_annotate --show-percs=no --threshold=100 --auto=no "$1" | awk '
        /file:function$/ { listed = 1; next }
        listed && /^ *[0-9,]+  / {
            gsub(",", "", $1)
            sub(/ \[[^]]*\]$/, "")
            name = $0; sub(/^[0-9]+ /, "", name); sub(/^.*:/, "", name)
            sum[name] += $1
        }
        END { for (name in sum) print sum[name], name }' | sort -k 1,1nr -k 2
}

# Callgrind counts a job; counts.txt gets those functions that take half a percent of it.
renew() {
    local all
    {
        echo '# Instructions of fixed jobs, and of their functions that take 0.5 % or more. Written by make bench-counts (bench/README.md).'
        conditions | sed 's/^/with /'
        for name in $jobs; do
            count "$name" "$build" now
            all=$(total "$profiles/$name.now")
            echo "job $name $all"
            functions "$profiles/$name.now" | awk -v least="$((all / 200))" '$1 >= least'
        done
    } >"$tmp/counts" && mv "$tmp/counts" "$counts"
}

# A compiler, a libc or a processor other than those of counts.txt makes numbers that say nothing.
comparable() {
    sed -n 's/^with //p' "$counts" >"$tmp/recorded"
    conditions >"$tmp/here"
    cmp -s "$tmp/recorded" "$tmp/here" && return
    {
        echo "count.sh: $counts cannot be compared with $build, since instruction counts depend on these:"
        diff "$tmp/recorded" "$tmp/here" | sed -n 's/^< /  recorded: /p; s/^> /  here:     /p'
        echo "Compare two builds of this machine in their place: make count BEFORE=COMMIT. Or renew the counts here, at a commit that is known to be good: make bench-counts."
    } >&2
    return 1
}

# grown NAME: the ten functions whose counts grew most
grown() {
    functions "$profiles/$1.now" | awk -v job="$1" -v counts="$counts" '
        BEGIN {
            while ((getline line <counts) > 0) {
                split(line, word, " ")
                if (word[1] == "job") { on = word[2] == job; if (on) least = word[3] / 200 }
                else if (on) { name = line; sub(/^[0-9]+ /, "", name); was[name] = word[1] }
            }
        }
        {
            name = $0; sub(/^[0-9]+ /, "", name)
            # One that is not recorded took less than half a percent: it has grown by the rest at least.
            more = $1 - (name in was ? was[name] : least)
            if (more >= least / 10) printf "%.2f %.2f %s %s\n", more / 1e6, $1 / 1e6, name in was ? sprintf("%.2f", was[name] / 1e6) : sprintf("<%.2f", least / 1e6), name
        }' | sort -k 1,1nr | head -n 10 |
        awk '{ name = $0; sub(/^[^ ]+ [^ ]+ [^ ]+ /, "", name); printf "  +%-9s %9s now %10s recorded  %s\n", $1, $2, $3, name }'
}

check() {
    local was now ratio bad=''
    [ -e "$counts" ] || die "$counts: not there. Write it: make bench-counts."
    comparable || return 2
    printf '%-11s %12s %12s %8s   million instructions\n' job now recorded ratio
    for name in $jobs; do
        was=$(awk -v job="$name" '$1 == "job" && $2 == job { print $3 }' "$counts")
        [ -n "$was" ] || die "$counts has no job '$name'. Renew it: make bench-counts."
        count "$name" "$build" now
        now=$(total "$profiles/$name.now")
        ratio=$(awk -v now="$now" -v was="$was" 'BEGIN { printf "%.3f", now / was }')
        printf '%-11s %12s %12s %8s\n' "$name" "$(millions "$now")" "$(millions "$was")" "$ratio"
        if [ $((now * 100)) -gt $((was * 105)) ]; then
            bad=yes
            echo "$name takes more than 5 % more instructions than recorded. The functions that grew most, in millions:"
            grown "$name"
        elif [ $((now * 100)) -lt $((was * 95)) ]; then
            echo "$name takes less than 95 % of what is recorded. Keep it so: make bench-counts."
        fi
    done
    [ -z "$bad" ]
}
millions() { awk -v n="$1" 'BEGIN { printf "%.2f", n / 1e6 }'; }

if [ -n "$mode" ]; then
    $mode
    exit
fi

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
