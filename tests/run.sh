#!/bin/bash
# Runs groups of tests and adds up what they report:  tests/run.sh [GROUP...]
#
#   unit       the cmocka programs of tests/unit, from $BUILD/tests
#   fuzz       replays tests/fuzz/corpus and tests/files
#   runtime    tests/runtime/*/run.sh
#   NAME       tests/NAME/run.sh
#   NAME:A,B   tests/NAME/run.sh A B: only its tests whose names begin so
#
# Without GROUP all of them. A script's last line is "N passed, N failed, N skipped"; one that ends otherwise has failed, whatever its exit
# code is, and so has one that tried nothing. This one's last line is "N passed, N failed", and before it all lines that begin with FAIL are
# repeated. As many scripts run at a time as there are processors (JOBS); what one prints is shown when it has ended. One that hangs is
# ended after 40 minutes (LIMIT, in seconds), many times what any takes.
set -u
cd "$(dirname "$0")/.." || exit 2
export BUILD=${BUILD:-build}
export ILPATCH=${ILPATCH:-$PWD/$BUILD/ilpatch}
export ILPATCH_TEST_CACHE=${ILPATCH_TEST_CACHE:-$PWD/build/packages}

passed=0 failed=0 skipped=0
logs=$(mktemp -d)
log=$logs/log
limit=${LIMIT:-2400}
trap 'rm -rf "$logs"' EXIT

# Whatever builds with the SDK needs a home.
if [ ! -w "${HOME:-/nowhere}" ]; then
    export HOME=$logs/home
    mkdir "$HOME"
fi

add() { passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + ${3:-0})); }

# ---- what failed, for the end ----

# The lines that begin with FAIL, with the script's name, and what comes with them ("  | ", tests/lib.sh).
note_failures() { # SCRIPT <LOG
    awk -v script="$1" '/^FAIL/ { print substr(script ": " $0, 1, 1000); more = 1; next } more && /^  \| / { print; next } { more = 0 }' \
        >>"$logs/failures"
}

# cmocka says "[  PASSED  ] N test(s)." and "[  FAILED  ] N test(s), ..." at the end. Exit code 77: it cannot run in this build.
run_unit() {
    for source in tests/unit/test_*.c; do
        program=$BUILD/tests/$(basename "$source" .c)
        timeout -k 10 $((limit / 2)) "$program" >"$log" 2>&1
        code=$?
        ok=$(sed -n 's/.*PASSED  \] \([0-9]*\) test(s).*/\1/p' "$log" | tail -n 1)
        bad=$(sed -n 's/.*FAILED  \] [^ ]*: \([0-9]*\) test(s).*/\1/p; s/.*FAILED  \] \([0-9]*\) test(s).*/\1/p' "$log" | tail -n 1)
        if [ $code -eq 77 ]; then
            echo "skip $(basename "$program"): $(cat "$log")"
            add 0 0 1
            continue
        elif [ $code -ne 0 ] || [ "${ok:-0}" -eq 0 ]; then
            echo "FAIL $(basename "$program"): exit code $code"
            grep -v '^\[ RUN\|^\[       OK' "$log" | tail -n 40 | sed 's/^/  | /'
            [ "${bad:-0}" -gt 0 ] || bad=1 # it did not come to its end
        else
            echo "ok $(basename "$program") ($ok tests)"
        fi
        add "${ok:-0}" "${bad:-0}"
    done
}

run_fuzz() {
    if "$BUILD/fuzz_replay" tests/fuzz/corpus/*/* tests/files/*.* tests/files/rules/*.* tests/files/verify/*.dll >"$log" 2>&1; then
        echo "ok fuzz replay ($(tail -n 1 "$log"))"
        add 1 0
    else
        echo "FAIL fuzz replay"
        tail -n 40 "$log" | sed 's/^/  | /'
        add 0 1
    fi
}

# ---- scripts, several at a time ----

jobs=${JOBS:-$(nproc)}
declare -A running=() since=() # of processes: the script, and when it began

# What nearly all scripts want is fetched first, so that none is at work without it. They say what is missing.
fetch_packages() {
    if command -v dotnet >/dev/null; then
        tests/runtime/real/fetch.sh "$ILPATCH_TEST_CACHE" >"$log" 2>&1 || grep -m 1 error "$log"
    fi
}

take_result() { # SCRIPT LOG CODE SECONDS
    local last why=
    echo "== $1 ($4 s)"
    cat "$2"
    last=$(tail -n 1 "$2")
    if [[ ! $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
        why="ended with exit code $3 without its totals; its last line is: $last"
        [ "$4" -lt "$limit" ] || why="it hangs, and was ended after $4 s; its last line is: $last"
    else
        add "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "${BASH_REMATCH[4]:-0}"
        if [ "$last" = '0 passed, 0 failed, 0 skipped' ]; then
            why="tried nothing"
        elif [ "$3" -ne 0 ] && [ "${BASH_REMATCH[2]}" -eq 0 ]; then
            why="ended with exit code $3"
        fi
    fi
    if [ -n "$why" ]; then
        echo "FAIL $why" | tee -a "$2"
        add 0 1
    fi
    note_failures "$1" <"$2"
}

wait_for_one() {
    local process code=0
    wait -n -p process || code=$?
    take_result "${running[$process]}" "$logs/$process" $code $((SECONDS - since[$process]))
    unset "running[$process]"
}

run_script() { # SCRIPT [ARGUMENT]
    [ ${#running[@]} -lt "$jobs" ] || wait_for_one
    (exec timeout -k 10 "$limit" "$@" >"$logs/$BASHPID" 2>&1 </dev/null) &
    running[$!]=$*
    since[$!]=$SECONDS
}

# By name, but units first, and last the many that start programs.
if [ $# -eq 0 ]; then
    for script in tests/*/run.sh; do set -- "$@" "$(basename "$(dirname "$script")")"; done
    set -- unit fuzz "$@" runtime
fi
case "$*" in
    unit | fuzz)
        "run_$1" >"$logs/said"
        cat "$logs/said"
        note_failures "$1" <"$logs/said"
        ;;
    *)
        fetch_packages
        for group; do
            case $group in
                unit | fuzz) run_script tests/run.sh "$group" ;;
                runtime) for script in tests/runtime/*/run.sh; do run_script "$script"; done ;;
                *)
                    IFS=:, read -ra words <<<"$group"
                    run_script "tests/${words[0]}/run.sh" "${words[@]:1}"
                    ;;
            esac
        done
        ;;
esac
while [ ${#running[@]} -gt 0 ]; do
    wait_for_one
done

if [ -s "$logs/failures" ]; then
    echo "== what failed"
    head -n 200 "$logs/failures"
fi
if [ $skipped -gt 0 ]; then
    echo "$skipped skipped (see the lines that begin with skip)"
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
