#!/bin/bash
# Are ilpatch's tables of opcodes, element types and metadata tables what .NET itself says? facts.c prints the
# .def files, Facts.cs asks System.Reflection; the lines must be the same.
#
# Prints `ok`, `FAIL` or `skip` for each and a last line with the numbers; exit code 1 on failures.
set -u
cd "$(dirname "$0")/../.." || exit 1

cache=$(realpath -m "${ILPATCH_TEST_CACHE:-build/packages}")
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_CLI_WORKLOAD_UPDATE_NOTIFY_DISABLE=1
passed=0 failed=0 skipped=0

finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit
}

if ! command -v dotnet >/dev/null || [ -z "$(dotnet --list-sdks 2>/dev/null | grep '^1[0-9]\.')" ]; then
    echo "skip facts: no .NET SDK 10 or newer"
    skipped=1
    finish
fi
tmp=$(mktemp -d "${ILPATCH_TEST_TMP:-${TMPDIR:-/tmp}}/ilpatch-facts.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT

if ! tests/runtime/real/tool.sh tests/facts "$cache/tools/facts" >"$tmp/log" 2>&1; then
    echo "FAIL facts: $(grep -m1 error "$tmp/log")"
    failed=1
    finish
fi
if ! ${CC:-gcc} -std=c11 -Wall -Wextra -Iinclude -Isrc -o "$tmp/facts" tests/facts/facts.c 2>"$tmp/log"; then
    echo "FAIL facts: $(grep -m1 error "$tmp/log")"
    failed=1
    finish
fi
for what in opcodes elements tables; do
    "$tmp/facts" $what >"$tmp/ours"
    dotnet "$cache/tools/facts/bin/Facts.dll" $what >"$tmp/theirs"
    if [ -s "$tmp/theirs" ] && diff -u "$tmp/ours" "$tmp/theirs" >"$tmp/diff"; then
        echo "ok $what ($(wc -l <"$tmp/ours") facts)"
        passed=$((passed + 1))
    else
        echo "FAIL $what: ilpatch's table (-) and .NET (+) differ"
        head -n 40 "$tmp/diff"
        failed=$((failed + 1))
    fi
done
finish
