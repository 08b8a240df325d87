#!/bin/bash
# Do files that are made to take long or much memory get neither? See bounds.py, which has the jobs and the limits.
#
#   BOUNDS=all       every job on every family: make check-bounds
#   BOUNDS_PAIRS     an expression: only the pairs JOB:FAMILY that match it
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
need_ilpatch bounds
have python3 || { skip bounds "no python3"; finish; }
nm "$ilpatch" 2>/dev/null | grep -q __asan_init && { skip bounds "a sanitizer's build has other instructions"; finish; }
scratch bounds

# compile_c OUT SOURCE: of this folder, with what the library's own tables say
compile_c() {
    passes "builds-$(basename "$2" .c)" "${CC:-cc}" -std=c11 -D_GNU_SOURCE -Iinclude -Isrc -I. -O2 -o "$1" "$2" "$build/host.a" "$build/libilpatch.a"
}
read -ra words <<<"${CC:-cc}" # it may be two (ccache gcc)
CC=${words[-1]}
compile_c "$tmp/hostile" tests/bounds/hostile.c
compile_c "$tmp/make_spool" tests/trace/make_spool.c
compile_c "$tmp/peak" tests/bounds/peak.c
compile_c "$tmp/bundle_changes" tests/bounds/bundle_changes.c
[ "$failed" -eq 0 ] || finish

# Rules that are tried one by one are tried only so often, too often for counting instructions.
for i in $(seq 8000); do echo "<include><return type=\"T$i\"/></include>"; done | sed '1i <rules>' | sed '$a </rules>' >"$tmp/rules.xml"
"$tmp/hostile" call_chain 400000 "$tmp/methods.dll"
"$ilpatch" --rules "$tmp/rules.xml" -n "$tmp/methods.dll" >"$tmp/log" 2>&1
contains rules-by-methods ' undecided' "$tmp/log"

# A method whose text is too long to be compared.
"$tmp/hostile" many_returns 400000 "$tmp/old.dll"
"$tmp/hostile" many_returns 410000 "$tmp/new.dll"
"$ilpatch" diff "$tmp/old.dll" "$tmp/new.dll" >"$tmp/log" 2>&1
contains diff-too-long 'not compared: as text this would take more than 2 MB' "$tmp/log"
"$ilpatch" diff --json "$tmp/old.dll" "$tmp/new.dll" >"$tmp/log" 2>&1
contains diff-json-too-long '"result": "too-long"}' "$tmp/log"

python3 tests/bounds/bounds.py "$tmp" "$ilpatch" | tee "$tmp/results"
[ "${PIPESTATUS[0]}" -eq 0 ] || grep -q '^FAIL' "$tmp/results" || fail bounds "bounds.py ended early"
count_results "$tmp/results"
finish
