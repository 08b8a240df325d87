#!/bin/bash
# What ilpatch and System.Reflection.Metadata read in the same files: the corpus of the fuzz targets whose input is an image, all small
# assemblies and PDBs of the tests, and changed copies of real ones.
#
# ours.c and Theirs.cs print a line for each fact: opened or not, rows of each table, names, signatures, bodies with their EH clauses,
# attributes, documents and sequence points. compare.py sorts the differences into the classes of classes.txt, for which docs/FUZZING.md has
# the reasons; one of no class is an error.
#
#   COPIES=N    changed copies of each real file (100)
set -u
cd "$(dirname "$0")/../.." || exit 1
here=tests/readers
copies=${COPIES:-100}
. tests/lib.sh
need_sdk readers
have python3 || { skip readers "no python3"; finish; }
scratch readers

sanitizer=$(nm "$build/libilpatch.a" 2>/dev/null | grep -q __asan_init && echo '-fsanitize=address,undefined')
# shellcheck disable=SC2086
passes compiles ${CC:-cc} -std=c11 -D_GNU_SOURCE -Iinclude -Isrc -I. $sanitizer -O1 -o "$tmp/ours" "$here/ours.c" tests/fuzz/mutate_image.c \
    tests/fuzz/mutate_il.c "$build/libilpatch.a"
compile "$tmp/Theirs.dll" -unsafe "$here/Theirs.cs"
runs_with_framework "$tmp/Theirs.dll"

# The same copies each time.
real=(tests/files/good-*.dll tests/files/good-*.pdb tests/files/verify/{calls,memory,numbers,objects}.dll
    tests/command/files/{Sample.dll,Sample.pdb,Signed.dll,Hello.exe,good-inspector.dll} tests/fixtures-0.1/{rules/good-csharp,embed/Sample}.dll
    "$build/MyProfiler.dll")
mkdir "$tmp/copies"
passes copies "$tmp/ours" --mutate "$copies" "$tmp/copies" "${real[@]}"
find tests/fuzz/corpus/{image,symbols,verify,whole} tests/files tests/command/files tests/fixtures-0.1 "$tmp/copies" -type f \
    \( -path '*/corpus/*' -o -name '*.dll' -o -name '*.exe' -o -name '*.pdb' -o -name '*.netmodule' \) | LC_ALL=C sort >"$tmp/files"

xargs -d '\n' "$tmp/ours" <"$tmp/files" >"$tmp/facts.ours" 2>"$tmp/log" || fail ours "$(tail -n 1 "$tmp/log")"
dotnet exec "$tmp/Theirs.dll" "$tmp/files" >"$tmp/facts.theirs" 2>"$tmp/log" || fail theirs "$(head -n 1 "$tmp/log")"
if python3 "$here/compare.py" "$here/classes.txt" "$tmp/facts.ours" "$tmp/facts.theirs" >"$tmp/classes" 2>&1; then
    ok "readers ($(head -n 1 "$tmp/classes"))"
else
    fail readers "differences of no class"
    cut -c 1-300 "$tmp/classes"
fi
while read -r class; do
    grep -q "^| $class |" docs/FUZZING.md || fail "class-$class" "docs/FUZZING.md has no reason for it"
done < <(sed -n 's/^\([a-z-]*\)\t.*/\1/p' "$here/classes.txt")
finish
