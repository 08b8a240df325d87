#!/bin/bash
# Searches with libFuzzer:  search.sh FOLDER TARGET...     (make fuzz builds FOLDER/fuzz_TARGET and calls this)
#
# Each target in turn gets FUZZ_SECONDS of CPU time. FUZZ_STATE is kept from one search to the next: corpus/TARGET is what was found to
# add coverage, findings/TARGET the inputs that broke a promise, log/TARGET the last words of libFuzzer, and totals, a line for each
# target, what it had in all: executions, CPU time in seconds, edges and features that are covered, inputs of its corpus, findings. The
# table at the end is that file. Exit code 1: something was found, now or before.
set -u
cd "$(dirname "$0")/../.." || exit 2
programs=$1
shift
seconds=${FUZZ_SECONDS:-60}
state=${FUZZ_STATE:-build/fuzz/state}
totals=$state/totals
most_findings=10 # of one search: a target that fails at every turn would fill the disk

export UBSAN_OPTIONS=print_stacktrace=1:${UBSAN_OPTIONS:-}
mkdir -p "$state/log"
touch "$totals"

# seeds TARGET: folders of inputs that are in the tree
seeds() {
    local folder
    for folder in "tests/fuzz/corpus/$1" "tests/files/$1"; do
        [ ! -d "$folder" ] || echo "$folder"
    done
    case $1 in
        image | verify | whole) printf '%s\n' tests/files tests/command/files tests/fixtures-0.1 ;;
        bundle) echo tests/fixtures-0.1/bundle ;;
        rules) echo data/examples ;;
        spool) echo tests/fixtures-0.1/spools ;;
        symbols) printf '%s\n' tests/files tests/command/files tests/fixtures-0.1/own ;;
    esac
}

# add_to_totals TARGET EXECUTIONS CPU EDGES FEATURES: the first two are added, the others are the latest
add_to_totals() {
    local target=$1 executions=$2 cpu=$3 edges=$4 features=$5 inputs findings lock
    inputs=$(find "$state/corpus/$target" -type f | wc -l)
    findings=$(find "$state/findings/$target" -type f | wc -l)
    exec {lock}>"$state/log/totals.lock"
    flock "$lock"
    awk -v t="$target" -v e="$executions" -v c="$cpu" -v edges="$edges" -v f="$features" -v i="$inputs" -v n="$findings" '
        $1 == t { e += $2; c += $3; if (edges == "") { edges = $4; f = $5 } next }
        { print }
        END { printf "%s %d %.1f %d %d %d %d\n", t, e, c, edges, f, i, n }' "$totals" | sort >"$totals.new"
    mv "$totals.new" "$totals"
    exec {lock}>&-
}

# last PATTERN LOG: the last number that follows it
last() { sed -n "s/.*$1\([0-9][0-9]*\).*/\1/p" "$2" | tail -n 1; }

search() { # TARGET
    local target=$1 left=$seconds cpu code executions found=0 log=$state/log/$1 folders lock dictionary=()
    mkdir -p "$state/corpus/$target" "$state/findings/$target"
    exec {lock}>"$state/log/$target.lock"
    flock -n "$lock" || { echo "$target: another search is at it"; return; }
    mapfile -t folders < <(seeds "$target")
    ! "$programs/fuzz_dictionary" "$target" >"$state/log/$target.dict" || dictionary=("-dict=$state/log/$target.dict")
    # The limit of libFuzzer is one of time, and other programs want processors, too: what is missing is run after it.
    while [ "$left" -gt 0 ] && [ $found -lt $most_findings ]; do
        local TIMEFORMAT='%U %S'
        { time "$programs/fuzz_$target" -max_total_time="$left" -timeout=10 -rss_limit_mb=1536 -print_final_stats=1 "${dictionary[@]}" \
            -artifact_prefix="$state/findings/$target/" "$state/corpus/$target" "${folders[@]}" >"$log" 2>&1; } 2>"$log.time"
        code=$?
        cpu=$(awk '{ print $1 + $2 }' "$log.time")
        executions=$(last 'stat::number_of_executed_units: ' "$log")
        [ -n "$executions" ] || executions=$(last '^#' "$log") # it ended by a finding
        add_to_totals "$target" "${executions:-0}" "$cpu" "$(last ' cov: ' "$log")" "$(last ' ft: ' "$log")"
        left=$(awk -v left="$left" -v cpu="$cpu" 'BEGIN { printf "%d", left - cpu }')
        if [ "$code" -ne 0 ]; then
            found=$((found + 1))
            cp "$log" "$log.finding.$(date +%s)"
            echo "$target: $(grep -m 1 'ERROR\|runtime error\|broken promise' "$log")"
            sed -n 's/^Test unit written to /    /p; s/.*Test unit written to /    /p' "$log" | sort -u
            grep -q 'Test unit written' "$log" || break # it cannot start
        fi
    done
    rm -f "$log.time"
    exec {lock}>&-
}

for target; do
    search "$target"
done
awk 'BEGIN { format = "%-10s %12s %9s %8s %9s %8s %9s\n"
             printf format, "target", "executions", "CPU s", "edges", "features", "inputs", "findings" }
     { printf format, $1, $2, $3, $4, $5, $6, $7; findings += $7 }
     END { exit findings != 0 }' "$totals"
