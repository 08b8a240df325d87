#!/bin/bash
# The same job by ilpatch and by a Mono.Cecil program, side by side, with what copying and reading take: `make bench` calls this, and
# docs/BENCH.md and its plot are written from what comes out (page.py).
#
#   whole   one process from file to file, wall time, in turn; and its peak of resident memory
#   warm    in one process from memory to memory, again and again: the best that either can do; without symbols
#   threads whole processes of ilpatch with --jobs 1 and 2: of one large file, and of folders
#   plot    whole processes over assemblies of this machine, from 128 KB on, a few for each order of size
#
# A median each. Rows are with symbols, which both sides move, and without, which both sides drop. Needs the .NET SDK; exit code 0
# whatever the times are.
#
#   ILPATCH, ILPATCH_TEST_CACHE   as in tests/runtime/real/run.sh
#   BENCH_ROUNDS                  whole processes for a median, 11; BENCH_WARM  the same in process, 15; BENCH_PLOT  for the plot, 7
#   BENCH_RESULTS                 where the numbers go, bench.tsv beside the command
#   BENCH_PAGE                    no: do not write docs/BENCH.md
set -u
cd "$(dirname "$0")/.." || exit 1

ilpatch=$(realpath -m "${ILPATCH:-build/ilpatch}")
warm=$(dirname "$ilpatch")/bench_warm
cache=$(realpath -m "${ILPATCH_TEST_CACHE:-build/packages}")
results=$(realpath -m "${BENCH_RESULTS:-$(dirname "$ilpatch")/bench.tsv}")
rounds=${BENCH_ROUNDS:-11}
repeats=${BENCH_WARM:-15}
plotted=${BENCH_PLOT:-7}
goal_whole=40 goal_warm=60 goal_memory=10 goal_threads=1.8
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 LC_ALL=C.UTF-8

sdk=$(dotnet --list-sdks 2>/dev/null | sed -n 's/^\([1-9][0-9]\.[^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
if [ -z "$sdk" ]; then
    echo "bench: no .NET SDK 10 or newer to run Mono.Cecil with"
    exit 0
fi
tmp=$(mktemp -d "${ILPATCH_TEST_TMP:-${TMPDIR:-/tmp}}/ilpatch-bench.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
bench/fetch.sh "$cache" || exit 1
tests/runtime/real/tool.sh bench/cecil "$cache/tools/bench" || exit 1
${CC:-gcc} -O2 -o "$tmp/measure" bench/measure.c || exit 1

DOTNET_ROOT=$(dirname "$(realpath "$(command -v dotnet)")")
export DOTNET_ROOT
cecil=$cache/tools/bench/bin/CecilBench

# ---- a job, by each program ----

# Each function sets `command`. Its outputs go to a folder of its own, which is empty before each run: a file that is there already
# and is the same would not be written, but read.
by_ilpatch() { # FILE OPTION...
    command=("$ilpatch" --inspect-returns -o "$tmp/ilpatch/$(basename "$1")" "${@:2}" "$1")
}
by_cecil() { # FILE OPTION...
    command=("$cecil" "${@:2}" "$1" "$tmp/cecil/$(basename "$1")")
}
# All that ilpatch has written, in the same file system: the cache is warm, and neither side syncs.
by_cp() { command=(cp "$tmp"/ilpatch/* "$tmp/cp/"); }

# prepare FILE SYMBOLS [FOLDER]: options of both sides, which find references in FOLDER, too, and the outputs once: `methods` and `sizes` of ilpatch and Cecil
prepare() {
    rm -rf "$tmp"/{ilpatch,cecil,cp}
    mkdir "$tmp"/{ilpatch,cecil,cp}
    ilpatch_options=() cecil_options=()
    if [ "$2" = moved ]; then cecil_options+=(--symbols); else ilpatch_options+=(--symbols drop); fi
    if [ -n "${3-}" ]; then
        ilpatch_options+=(--reference-path "$3")
        cecil_options+=(--references "$3")
    fi
    case $(basename "$1") in System.Private.CoreLib.dll | mscorlib.dll)
        "$ilpatch" list --answer inspected "$1" | cut -d ' ' -f 1 >"$tmp/tokens"
        ilpatch_options+=(--embed)
        cecil_options+=(--only "$tmp/tokens") ;;
    esac
    by_ilpatch "$1" "${ilpatch_options[@]}"
    "${command[@]}" >"$tmp/log" 2>&1 || return
    methods=$(sed -n 's/.*: \([0-9]*\) of [0-9]* methods inspected.*/\1/p' "$tmp/log")
    by_cecil "$1" "${cecil_options[@]}"
    methods+=" $("${command[@]}" 2>"$tmp/log")" || return
    sizes="$(stat -c %s "$tmp/ilpatch/$(basename "$1")") $(stat -c %s "$tmp/cecil/$(basename "$1")")"
}

# measured ROUNDS FILE [COMMAND...]: "median peak-KB low high" of ilpatch, cp, Cecil, and of COMMAND, in `lines`
measured() {
    local count=$1 file=$2 all=()
    by_ilpatch "$file" "${ilpatch_options[@]}"
    all+=(-r "$tmp/ilpatch" "${command[@]}" --)
    by_cp
    all+=(-r "$tmp/cp" "${command[@]}" --)
    by_cecil "$file" "${cecil_options[@]}"
    all+=(-r "$tmp/cecil" "${command[@]}")
    shift 2
    [ $# -eq 0 ] || all+=(-- "$@")
    mapfile -t lines < <("$tmp/measure" -i "$count" "${all[@]}" 2>"$tmp/log")
    [ ${#lines[@]} -ge 3 ]
}

# ---- where this is ----

# Fields of a line of results are separated by tabs.
result() {
    local IFS=$'\t'
    echo "$*" >>"$results"
}
mkdir -p "$(dirname "$results")"
: >"$results"
result setting rounds "$rounds"
result setting warm "$repeats"
result setting plot "$plotted"
result setting processors "$(nproc)"
result setting machine "$(uname -m)"
result setting kernel "$(uname -r | grep -o '^[0-9]*\.[0-9]*')"
result setting files "$(stat -f -c %T "$tmp")"
result setting runtime "$(dotnet --list-runtimes | sed -n 's/^Microsoft.NETCore.App \([^ ]*\) .*/\1/p' | tail -n 1)"
result setting compiler "$(readelf -p .debug_str "$ilpatch" 2>/dev/null | grep -oE '(GNU C|clang version)[^-]*' | head -n 1 | sed 's/ *$//; s/GNU C[0-9]*/gcc/')"
result setting priority "$(sed 's/.* nice //' /proc/self/autogroup 2>/dev/null)"
result setting load "$(cut -d ' ' -f 1 /proc/loadavg)" # before anything is measured

# ---- rows ----

reached() { # reached WHAT RATIO GOAL
    awk -v what="$1" -v ratio="$2" -v goal="$3" 'BEGIN {
        if (ratio == "") printf "%s: not measured\n", what
        else printf "%s: %sx where it is least, goal %sx: %s\n", what, ratio, goal,
                    (ratio + 0 >= goal ? "reached" : "not reached") }'
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (a != "" && b > 0) printf "%.1f", a / b }'; }
least() { awk -v a="$1" -v b="$2" 'BEGIN { print (a == "" || (b != "" && b + 0 < a + 0)) ? b : a }'; }
megabytes() { awk -v n="$1" -v unit="${2:-1000000}" 'BEGIN { printf "%.1f", n / unit }'; }

form='%-31s %5s %5s %9s %8s %9s %8s %7s %7s %9s %8s %8s %7s %9s %9s %7s\n'
# shellcheck disable=SC2059
{
    printf "$form" '' '' '' 'whole, ms' '' '' '' Cecil/ ilpatch 'warm, ms' '' '' Cecil/ 'peak, MB' '' Cecil/
    printf "$form" file MB symb. ilpatch cp Cecil reading ilpatch /cp ilpatch Cecil reading ilpatch ilpatch Cecil ilpatch
}
least_whole='' least_warm='' least_memory=''
# row FILE SYMBOLS: off or moved
row() {
    local name size whole copied memory inside='' warm_a='' warm_b='' warm_c='' a b c d
    [ -e "$1" ] || return 0
    name=$(basename "$1" .dll) size=$(stat -c %s "$1")
    if ! prepare "$1" "$2" || ! measured "$rounds" "$1" "$cecil" --read "$1"; then
        echo "$name, symbols $2: failed: $(head -n 1 "$tmp/log")"
        return
    fi
    read -ra a <<<"${lines[0]}"
    read -ra b <<<"${lines[1]}"
    read -ra c <<<"${lines[2]}"
    read -ra d <<<"${lines[3]}"
    # In memory neither side embeds an inspector.
    if [ "$2" = off ] && [[ " ${ilpatch_options[*]} " != *' --embed '* ]]; then
        [ ! -x "$warm" ] || warm_a=$("$warm" "$1" "$repeats")
        warm_b=$("$cecil" --warm "$repeats" "$1")
        warm_c=$("$cecil" --read --warm "$repeats" "$1")
        inside=$(ratio "$warm_b" "$warm_a")
    fi
    whole=$(ratio "${c[0]}" "${a[0]}") copied=$(ratio "${a[0]}" "${b[0]}") memory=$(ratio "${c[1]}" "${a[1]}")
    least_whole=$(least "$least_whole" "$whole")
    least_warm=$(least "$least_warm" "$inside")
    least_memory=$(least "$least_memory" "$memory")
    # shellcheck disable=SC2059
    printf "$form" "$name" "$(megabytes "$size")" "$2" "${a[0]}" "${b[0]}" "${c[0]}" "${d[0]}" "$whole" "$copied" \
        "${warm_a:--}" "${warm_b:--}" "${warm_c:--}" "${inside:--}" "$(megabytes "${a[1]}" 1024)" "$(megabytes "${c[1]}" 1024)" "$memory"
    # shellcheck disable=SC2086 # two words each
    result row "$name" "$size" "$2" $methods $sizes "${a[@]}" "${b[@]}" "${c[@]}" "${d[@]}" "${warm_a:--}" "${warm_b:--}" "${warm_c:--}"
}
core=$(echo "$cache"/bench/dotnet/shared/*/*/System.Private.CoreLib.dll)
row "$cache/net/Newtonsoft.Json.dll" off
row "$cache/net/FSharp.Core.dll" off
row "$cache/net/FSharp.Core.dll" moved
row "$cache/bench/lib/Microsoft.CodeAnalysis.CSharp.dll" off
row "$cache/bench/lib/Microsoft.CodeAnalysis.CSharp.dll" moved
row /usr/lib/mono/4.5/mscorlib.dll off
row "$core" off
row "$sdk/FSharp/FSharp.Compiler.Service.dll" off
row "$sdk/FSharp/FSharp.Compiler.Service.dll" moved
reached 'whole process' "$least_whole" "$goal_whole"
reached 'warm' "$least_warm" "$goal_warm"
reached 'memory' "$least_memory" "$goal_memory"

# ---- threads ----

# In memory: some file systems take long to make files where others were removed just before.
[ -w /dev/shm ] && shared=$(mktemp -d /dev/shm/ilpatch-bench.XXXXXX) || shared=$tmp/ilpatch
trap 'rm -rf "$tmp" "$shared"' EXIT
least_threads=''
# threads NAME OPTION... INPUT: a file or a folder
threads() {
    local name=$1 jobs gain all=() a b
    shift
    [ -e "${*: -1}" ] || return 0
    for jobs in 1 2; do
        all+=(-r "$shared" "$ilpatch" inspect -q -j "$jobs" -o "$shared/out" "$@" --)
    done
    unset 'all[-1]'
    mapfile -t lines < <("$tmp/measure" -i "$rounds" "${all[@]}" 2>"$tmp/log")
    if [ ${#lines[@]} -ne 2 ]; then
        echo "threads, $name: failed: $(head -n 1 "$tmp/log")"
        return
    fi
    read -ra a <<<"${lines[0]}"
    read -ra b <<<"${lines[1]}"
    gain=$(awk -v a="${a[0]}" -v b="${b[0]}" 'BEGIN { printf "%.2f", a / b }')
    least_threads=$(least "$least_threads" "$gain")
    echo "threads, $name: ${a[0]} ms with one, ${b[0]} ms with two: $gain"
    result threads "$name" "${a[@]}" "${b[@]}"
}
threads Microsoft.CodeAnalysis.CSharp --symbols drop "$cache/bench/lib/Microsoft.CodeAnalysis.CSharp.dll"
threads FSharp.Compiler.Service --symbols drop "$sdk/FSharp/FSharp.Compiler.Service.dll"
threads 'the shared framework' --framework "$(dirname "$core")"
threads 'the F# compiler' "$sdk/FSharp"
reached 'two threads' "$least_threads" "$goal_threads"

# ---- the plot ----

# "BAND FILE", from small to large: two bands for each doubling up to 4 MB, then one for each 2 MB. Core libraries are another job.
candidates() {
    find "$DOTNET_ROOT/shared/Microsoft.NETCore.App" "$sdk" /usr/lib/mono/4.5 "$cache/net" "$cache/bench/lib" -maxdepth 7 \
        -name '*.dll' -size +127k -type f -printf '%s %p\n' 2>/dev/null | sort -k 1,1n -k 2 | awk '{
            band = $1 < 4e6 ? "log" int(2 * log($1) / log(2)) : "MB" int($1 / 2e6)
            name = $2; sub(/.*\//, "", name)
            if (name != "System.Private.CoreLib.dll" && name != "mscorlib.dll") print band, $2 }'
}
# Of each band one file of IL and one with native code, the first that both sides can do. Native code is taken out before: how much of a
# file it is differs, and no side has work with it.
declare -A taken
mkdir "$tmp/in"
while read -r band file; do
    "$ilpatch" dump --headers "$file" >"$tmp/headers" 2>"$tmp/log" || continue
    native=$(grep -c '^ReadyToRun ' "$tmp/headers")
    [ -z "${taken[$band $native]-}" ] || continue
    input=$tmp/in/$(basename "$file")
    if [ "$native" != 0 ]; then
        "$ilpatch" --compact -q -o "$input" "$file" 2>"$tmp/log" || continue
    else
        cp "$file" "$input"
    fi
    if prepare "$input" off "$(dirname "$file")" && [[ $methods != *' 0' ]] && measured "$plotted" "$input"; then
        taken[$band $native]=yes
        # shellcheck disable=SC2086 # four words each
        result point "$(basename "$file" .dll)" "$(stat -c %s "$input")" ${lines[0]} ${lines[1]} ${lines[2]}
    fi
    rm "$input"
done < <(candidates)
echo "plot: $(grep -c '^point' "$results") assemblies of this machine"

[ "${BENCH_PAGE:-}" = no ] || bench/page.py "$results"
