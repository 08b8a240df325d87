#!/bin/bash
# tests/run.sh itself, over scripts that end well and badly: what does not print its totals, or tries nothing, is a failure.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
scratch harness

mkdir -p "$tmp/tests/unit" "$tmp/build/tests"
cp tests/run.sh tests/lib.sh "$tmp/tests/"
group() { # NAME: its script is standard input
    mkdir -p "$tmp/tests/$1"
    { echo '#!/bin/bash'; cat; } >"$tmp/tests/$1/run.sh"
    chmod +x "$tmp/tests/$1/run.sh"
}
# totals GROUP...: the exit code and the last line
totals() {
    (cd "$tmp" && env -u ILPATCH BUILD=build ILPATCH_TEST_CACHE="$tmp/cache" PATH=/usr/bin:/bin tests/run.sh "$@") >"$tmp/${1:-all}.log" 2>&1
    echo "$? $(tail -n 1 "$tmp/${1:-all}.log")"
}
group good <<<'. tests/lib.sh; ok a; ok b; skip c "no c"; finish'
group bad <<<'. tests/lib.sh; ok a; fail b "is wrong"; finish'
group silent <<<'echo ok a'
group cut-off <<<'echo "3 passed, 0 failed, 0 skipped"; echo and more'
group nothing <<<'. tests/lib.sh; finish'
group crashed <<<'echo "3 passed, 0 failed, 0 skipped"; exit 3'
check good '0 2 passed, 0 failed' "$(totals good)"
check bad '1 1 passed, 1 failed' "$(totals bad)"
check silent '1 0 passed, 1 failed' "$(totals silent)"
contains silent-says-why 'FAIL ended with exit code 0 without its totals; its last line is: ok a' "$tmp/silent.log"
check cut-off '1 0 passed, 1 failed' "$(totals cut-off)"
check nothing '1 0 passed, 1 failed' "$(totals nothing)"
check crashed '1 3 passed, 1 failed' "$(totals crashed)"
group some <<'SCRIPT'
. tests/lib.sh
for name; do ok "$name"; done
finish
SCRIPT
check names-of-tests '0 3 passed, 0 failed' "$(totals some:a,b_c,d)"
check one-name '0 1 passed, 0 failed' "$(totals some:a)"
check no-name-tries-nothing '1 0 passed, 1 failed' "$(totals some)"
check missing '1 0 passed, 1 failed' "$(totals missing)"
check together '1 3 passed, 2 failed' "$(totals good bad silent)"
contains failures-are-repeated 'tests/bad/run.sh: FAIL b: is wrong' "$tmp/good.log"

# ---- unit programs ----

touch "$tmp/tests/unit/test_one.c" "$tmp/tests/unit/test_two.c"
printf '#!/bin/sh\necho "[  PASSED  ] 4 test(s)."\n' | tee "$tmp/build/tests/test_one" >"$tmp/build/tests/test_old"
chmod +x "$tmp"/build/tests/*
check unit-not-built '1 4 passed, 1 failed' "$(totals unit)"
printf '#!/bin/sh\necho "[==========] 0 test(s) run."\n' >"$tmp/build/tests/test_two"
chmod +x "$tmp/build/tests/test_two"
check unit-without-tests '1 4 passed, 1 failed' "$(totals unit)"
printf '#!/bin/sh\necho "another malloc"\nexit 77\n' >"$tmp/build/tests/test_two"
check unit-that-cannot-run '0 4 passed, 0 failed' "$(totals unit)"
contains unit-says-why 'skip test_two: another malloc' "$tmp/unit.log"
cp "$tmp/build/tests/test_one" "$tmp/build/tests/test_two"
check unit '0 8 passed, 0 failed' "$(totals unit)"

# ---- without a name: all ----

rm -r "$tmp"/tests/{bad,silent,cut-off,nothing,crashed,some}
group runtime/one <<<'. tests/lib.sh; ok a; finish'
printf '#!/bin/sh\necho replayed\n' >"$tmp/build/fuzz_replay"
chmod +x "$tmp/build/fuzz_replay"
check all '0 12 passed, 0 failed' "$(totals)"
finish
