#!/bin/bash
# Runs groups of tests and adds up what they say:  tests/run.sh GROUP...
#
#   unit       the cmocka programs in $BUILD/tests
#   fuzz       replays tests/fuzz/corpus and tests/files
#   docs facts rules command resolve verify shapes symbols inspector   tests/GROUP/run.sh
#   runtime    tests/runtime/*/run.sh
#
# A script's last line is "N passed, N failed" or "N passed, N failed, N skipped". So is this one's.
set -u
cd "$(dirname "$0")/.." || exit 2
export BUILD=${BUILD:-build}
export ILPATCH=${ILPATCH:-$PWD/$BUILD/ilpatch}
export ILPATCH_TEST_CACHE=${ILPATCH_TEST_CACHE:-$PWD/build/packages}

passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

add() { passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + ${3:-0})); }

# cmocka says "[  PASSED  ] N test(s)." and "[  FAILED  ] N test(s), ..." at the end.
run_unit() {
    for program in "$BUILD"/tests/test_*; do
        case $program in *.d | *.o) continue ;; esac
        "$program" >"$log" 2>&1
        code=$?
        ok=$(sed -n 's/.*PASSED  \] \([0-9]*\) test(s).*/\1/p' "$log" | tail -n 1)
        bad=$(sed -n 's/.*FAILED  \] [^ ]*: \([0-9]*\) test(s).*/\1/p; s/.*FAILED  \] \([0-9]*\) test(s).*/\1/p' "$log" | tail -n 1)
        if [ $code -ne 0 ]; then
            echo "FAIL $(basename "$program")"
            grep -v '^\[ RUN\|^\[       OK' "$log" | tail -n 40
            [ "${bad:-0}" -gt 0 ] || bad=1 # it did not come to its end
        else
            echo "ok $(basename "$program") (${ok:-0} tests)"
        fi
        add "${ok:-0}" "${bad:-0}"
    done
}

run_fuzz() {
    if "$BUILD/fuzz_replay" tests/fuzz/corpus/*/* tests/files/*.* tests/files/rules/*.* >"$log" 2>&1; then
        echo "ok fuzz replay ($(tail -n 1 "$log"))"
        add 1 0
    else
        echo "FAIL fuzz replay"
        tail -n 40 "$log"
        add 0 1
    fi
}

run_script() {
    echo "== $1"
    "$1" 2>&1 | tee "$log"
    local code=${PIPESTATUS[0]}
    local totals
    totals=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1 | tr -dc '0-9 ')
    # shellcheck disable=SC2086
    [ -n "$totals" ] && add $totals
    if [ "$code" -ne 0 ] && ! grep -qE '^[0-9]+ passed, [1-9][0-9]* failed' "$log"; then
        echo "FAIL $1: ended with exit code $code"
        add 0 1
    fi
}

for group in "$@"; do
    case $group in
        unit) run_unit ;;
        fuzz) run_fuzz ;;
        runtime) for script in tests/runtime/*/run.sh; do run_script "$script"; done ;;
        *) run_script "tests/$group/run.sh" ;;
    esac
done

if [ $skipped -gt 0 ]; then
    echo "$skipped skipped (see the lines that begin with skip)"
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
