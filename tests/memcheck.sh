#!/bin/bash
# Unit tests and a few commands under valgrind (make check-memory): values that decide something before they are set, which
# AddressSanitizer does not see, reads and writes outside of blocks, and blocks that none refers to any more. Programs without sanitizers,
# as many at a time as there are processors.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
have valgrind || { echo "no valgrind (./setup.sh lint)" >&2; exit 1; }
scratch memcheck
export BUILD="${BUILD:-build}"

memcheck=(valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite --trace-children=no)

# Not these: what they do is done a thousand times, once for each allocation, byte or thread (make check-asan, make check-threads), or
# needs a build or a malloc() of its own;
left_out=' alloc_fails embed_refused image_bytes mono_memory passes patch_random process_memory profiler_memory profiler_threads unmanaged_memory'
left_out+=' rewrite_real sanitizers supertypes threads'
# what PCRE2 compiles for the machine reads whole vectors, and so beyond what is set (PCRE2 10.42);
left_out+=' match pattern pattern_literal select'
# a copy of the program is made set-gid, and the program is valgrind.
left_out+=' profiler_host '

# under_memcheck NAME COMMAND...: exit codes of a command are its own affair, but 99 is valgrind's
under_memcheck() {
    "${memcheck[@]}" --log-file="$tmp/$1.errors" "${@:2}" >"$tmp/$1.log" 2>&1
    local code=$?
    if [ "$code" -eq 99 ] || [ "$code" -ge 126 ] || { [[ $1 == unit-* ]] && [ "$code" -ne 0 ] && [ "$code" -ne 77 ]; }; then
        echo "FAIL $1: exit code $code"
        head -n 30 "$tmp/$1.errors" | sed 's/^/  | /'
    else
        echo "ok $1"
    fi
}

units() {
    local running=0 name
    for source in tests/unit/test_*.c; do
        name=$(basename "$source" .c)
        [[ $left_out == *" ${name#test_} "* ]] && continue
        [ "$running" -lt "$(nproc)" ] || { wait -n; running=$((running - 1)); }
        under_memcheck "unit-${name#test_}" "$build/tests/$name" &
        running=$((running + 1))
    done
    wait
}

commands() {
    local shop=$tmp/Shop.exe
    cp samples/Shop.exe "$shop"
    under_memcheck dump "$ilpatch" dump "$shop"
    under_memcheck list "$ilpatch" list --json "$shop"
    under_memcheck rules "$ilpatch" --rules data/examples/no-secrets.xml --dry-run "$shop"
    under_memcheck explain "$ilpatch" rules explain --rules data/examples/no-secrets.xml "$shop"
    under_memcheck verify "$ilpatch" verify tests/files/good-*.dll tests/files/bad-*.dll
    under_memcheck patch "$ilpatch" --inspect-returns --verify --report "$tmp/report.json" "$shop"
    under_memcheck diff "$ilpatch" diff "$shop.orig" "$shop"
    under_memcheck restore "$ilpatch" restore "$shop"
    under_memcheck embed "$ilpatch" --inspect-returns --embed --compact -o "$tmp/Embedded.exe" "$shop"
    under_memcheck refused "$ilpatch" --inspect-returns -o "$tmp" tests/files/bad-*.dll
}

{ units; commands; } >"$tmp/results"
cat "$tmp/results"
count_results "$tmp/results"
finish
