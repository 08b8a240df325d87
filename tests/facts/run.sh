#!/bin/bash
# Are ilpatch's tables of opcodes, element types and metadata tables what .NET itself says? facts.c prints the
# .def files, Facts.cs reads System.Reflection; the lines must be the same. And do value types have the size that
# ilpatch works out? sizes.c and Sizes.cs go through the runtime's own assemblies and those in the cache.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

need_sdk facts
scratch facts

if ! tests/runtime/real/tool.sh tests/facts "$cache/tools/facts" >"$tmp/log" 2>&1; then
    fail facts "$(grep -m1 error "$tmp/log")"
    finish
fi
if ! ${CC:-gcc} -std=c11 -Wall -Wextra -Iinclude -Isrc -I. -o "$tmp/facts" tests/facts/facts.c 2>"$tmp/log"; then
    fail facts "$(grep -m1 error "$tmp/log")"
    finish
fi
for what in opcodes elements tables; do
    "$tmp/facts" $what >"$tmp/ours"
    dotnet "$cache/tools/facts/bin/Facts.dll" $what >"$tmp/theirs"
    if [ -s "$tmp/theirs" ] && diff -u "$tmp/ours" "$tmp/theirs" >"$tmp/diff"; then
        ok "$what ($(wc -l <"$tmp/ours") facts)"
    else
        fail "$what" "ilpatch's table (-) and .NET (+) differ"
        head -n 40 "$tmp/diff"
    fi
done

# What ilpatch does not know, it must not guess: no size may be wrong, and few may be unknown besides those with a
# Vector<T>, whose size the machine decides.
compare_sizes() {
    awk 'NR == FNR { ours[$1 " " $2] = $3; next }
         { theirs = $3; key = $1 " " $2; $1 = $2 = $3 = ""; total++ }
         !(key in ours) || (ours[key] != 0 && ours[key] != theirs) {
             wrong++; print key $0 ": " theirs " bytes, ilpatch says " ours[key]; next }
         ours[key] == 0 { unknown++; strange += !/System.Numerics.Vector`1|Vector(256|512)/; next }
         { equal++ }
         END { printf "%d sizes equal, %d unknown, %d wrong\n", equal, unknown, wrong
               exit wrong > 0 || equal < 10000 || strange > 100 }' "$1" "$2"
}

if ! ${CC:-gcc} -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Iinclude -Isrc -I. -o "$tmp/sizes" tests/facts/sizes.c \
    "$build/libilpatch.a" 2>"$tmp/log"; then
    fail sizes "$(grep -m1 error "$tmp/log")"
    finish
fi
facts=$cache/tools/facts/bin/Facts.dll
files=("$(dotnet "$facts" folder)"/*.dll "$facts")
for file in "$cache"/net/*.dll; do
    [ -e "$file" ] && files+=("$file")
done
"$tmp/sizes" "${files[@]}" >"$tmp/ours"
dotnet "$facts" sizes "${files[@]}" >"$tmp/theirs" 2>"$tmp/log"
if compare_sizes "$tmp/ours" "$tmp/theirs" >"$tmp/compared"; then
    ok "sizes ($(tail -n 1 "$tmp/compared"))"
else
    fail sizes "$(tail -n 1 "$tmp/compared")"
    head -n 40 "$tmp/compared" "$tmp/log"
fi
finish
