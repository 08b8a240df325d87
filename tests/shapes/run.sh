#!/bin/bash
# Files that are no plain assemblies: are they patched rightly, or refused with what they are and what to do?
#
#   programs    the native host beside an assembly; single-file programs, patched, run, restored
#   kinds       what is met where an assembly is expected
#   odd         metadata that no compiler writes, but runtimes load
#   kept        resources, native parts, signatures, machines: what stays, and where
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
here=$PWD/tests/shapes

need_ilpatch shapes
scratch shapes
mkdir "$tmp/tmpdir"
export TMPDIR=$tmp/tmpdir

# run_ilpatch CODE ARGUMENT...: whether it ends with this exit code; output in $tmp/out and $tmp/err.
run_ilpatch() {
    local wanted=$1 code=0
    shift
    "$ilpatch" "$@" >"$tmp/out" 2>"$tmp/err" || code=$?
    [ $code -eq "$wanted" ] || { echo "ilpatch $*: exit code $code: $(head -n 1 "$tmp/err")"; return 1; }
}
# The values that a program shows, and what it prints itself: where it threw, too, as its PDB says.
line=14:13
runs() { # PROGRAM VALUES...
    local program=$1 out
    shift
    out=$("$program" 2>"$tmp/values") && [ "$out" = "app 49 1 $line" ] || { echo "it prints '$out'"; return 1; }
    has_texts "$tmp/values" "$@"
}

[ "${1:-}" = quick ] || . tests/shapes/programs.sh
. tests/shapes/kinds.sh
. tests/shapes/odd.sh
. tests/shapes/kept.sh
rmdir "$tmp/tmpdir" 2>/dev/null && ok "nothing-is-left" || fail "nothing-is-left" "$(ls "$tmp/tmpdir")"
finish
