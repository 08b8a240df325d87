#!/bin/bash
# Real assemblies, patched: are they the originals but for what was inserted, does every method still compile,
# and does real work give the same results while the inspector sees its values? And do conditions mean the methods
# that they should?
set -u
cd "$(dirname "$0")/../../.." || exit 1

# shellcheck source=tests/runtime/real/lib.sh
. tests/runtime/real/lib.sh
prepare real compare jitall jobs fsharp select

# Inspected values are counted, not printed, into a file of the caller's choice.
counting() {
    local file=$1
    shift
    ILPATCH_COUNT=1 ILPATCH_OUTPUT="$file" "$@"
}
# The last count in such a file; the inspector writes `ilpatch: N values` at powers of two.
count_in() {
    sed -n 's/^ilpatch: \([0-9]*\) values.*/\1/p' "$1" 2>/dev/null | sort -n | tail -n 1
}
# enough TEST FILE N: passes TEST when more than N values were inspected.
enough() {
    local count
    count=$(count_in "$2")
    if [ "${count:-0}" -gt "$3" ]; then
        ok "$1 ($count values or more)"
    else
        fail "$1" "only ${count:-0} values inspected: did the patched code run?"
    fi
}

# What async methods return is their task, as it is for who compares; --embed below has their results, as is the default.
echo '<rules><include async="task"/></rules>' >"$tmp/tasks.xml"

# ---- patch, compare, compile every method -------------------------------------------------------------------

# patch KIND NAME.EXT: patches DIR/KIND/NAME.EXT into $tmp/KIND; the same bytes when done again. All that is not rewritten keeps its place, so
# that it is compared there; tests/runtime/compact compares both layouts.
patch() {
    local in=$cache/$1/$2 out=$tmp/$1/$2 code=0
    mkdir -p "$tmp/$1" "$tmp/again"
    "$ilpatch" --rules "$tmp/tasks.xml" --layout keep -o "$out" "$in" >"$tmp/log" 2>&1 || code=$?
    if [ $code -ne 0 ] || [ ! -s "$out" ]; then
        fail "patch $1/$2" "exit code $code: $(head -n 1 "$tmp/log")"
        return 1
    fi
    ok "patch $1/$2"
    "$ilpatch" --rules "$tmp/tasks.xml" --layout keep -o "$tmp/again/$2" "$in" >/dev/null 2>&1
    if cmp -s "$out" "$tmp/again/$2"; then
        ok "deterministic $1/$2"
    else
        fail "deterministic $1/$2" "a second run gives other bytes"
    fi
    rm -f "$tmp/again/$2"
    "$ilpatch" --rules "$tmp/tasks.xml" -o "$tmp/again/$2" "$out" >/dev/null 2>&1
    if cmp -s "$out" "$tmp/again/$2"; then
        ok "idempotent $1/$2"
    else
        fail "idempotent $1/$2" "patching the patched file changes it"
    fi
}

# compare KIND FILE REFERENCES
compare() {
    if dotnet "$tools/compare/bin/Compare.dll" -r "$3" "$cache/$1/$2" "$tmp/$1/$2" >"$tmp/log" 2>&1; then
        ok "compare $1/$2 ($(tail -n 1 "$tmp/log"))"
    else
        fail "compare $1/$2" "$(tail -n 1 "$tmp/log")"
        head -n 20 "$tmp/log" | sed 's/^/    /'
    fi
}

# jit KIND FILE RUNTIME...: compiles all methods; the original's failures are known from the last run. What was patched
# is in $tmp/$embed$KIND, and has $extra methods more.
embed='' extra=0
jit() {
    local kind=$1 file=$2
    shift 2
    local before=$cache/tools/failures/$kind-$file.txt after=$tmp/failures.txt
    if [ ! -s "$before" ] || [ "$before" -ot "$tools/jitall/complete" ] || [ "$before" -ot "$cache/complete" ]; then
        mkdir -p "$(dirname "$before")"
        if ! "$@" "$cache/$kind/$file" >"$before" 2>"$tmp/log"; then
            fail "jit $kind/$file" "the original: $(head -n 1 "$tmp/log")"
            rm -f "$before"
            return
        fi
    fi
    if ! counting /dev/null "$@" "$tmp/$embed$kind/$file" >"$after" 2>"$tmp/log"; then
        fail "jit $embed$kind/$file" "the harness ended: $(cat "$tmp/log" "$after" | grep -m1 .)"
        return
    fi
    # Only lines that were not there before count, and as many methods must have been looked at.
    grep '^[0-9]* methods' "$before" | sed 's/, [0-9]* failed//' |
        awk -v extra="$extra" '{ $1 += extra } 1' >"$tmp/total-before"
    grep '^[0-9]* methods' "$after" | sed 's/, [0-9]* failed//' >"$tmp/total-after"
    grep -v '^[0-9]* methods' "$before" >"$tmp/lines-before"
    grep -v '^[0-9]* methods' "$after" >"$tmp/lines-after"
    LC_ALL=C sort "$tmp/lines-before" -o "$tmp/lines-before"
    LC_ALL=C sort "$tmp/lines-after" -o "$tmp/lines-after"
    LC_ALL=C comm -13 "$tmp/lines-before" "$tmp/lines-after" >"$tmp/new"
    if [ -s "$tmp/new" ]; then
        fail "jit $embed$kind/$file" "$(wc -l <"$tmp/new") new failures"
        head -n 20 "$tmp/new" | sed 's/^/    /'
    elif ! cmp -s "$tmp/total-before" "$tmp/total-after"; then
        fail "jit $embed$kind/$file" "$(cat "$tmp/total-before"), now $(cat "$tmp/total-after")"
    else
        ok "jit $embed$kind/$file ($(tail -n 1 "$after"))"
    fi
}

mono=
if make_mono_harness; then
    mono=1
else
    skip mono "no Mono, or no mcs to compile the harness with"
fi

for file in Newtonsoft.Json.dll Mono.Cecil.dll FSharp.Core.dll Microsoft.CodeAnalysis.dll \
            Microsoft.CodeAnalysis.CSharp.dll; do
    if patch net $file; then
        compare net $file "$framework"
        jit net $file dotnet "$tools/jitall/bin/JitAll.dll"
    fi
done
if [ -n "$mono" ]; then
    for file in mcs.exe Newtonsoft.Json.dll Mono.Cecil.dll FSharp.Core.dll; do
        if [ ! -e "$cache/mono/$file" ]; then
            skip "mono/$file" "not on this machine"
        elif patch mono $file; then
            compare mono $file /usr/lib/mono/4.5
            jit mono $file mono "$harness"
        fi
    done
else
    skip "mono" "no Mono"
fi

# ---- which methods conditions mean ------------------------------------------------------------------------------

# select_in NAME ARGUMENT...: what each condition selects, and each signature, by a second opinion.
select_in() {
    local name=$1
    shift
    if dotnet "$tools/select/bin/Select.dll" "$@" >"$tmp/log" 2>&1; then
        ok "select $name ($(tail -n 1 "$tmp/log"))"
    else
        fail "select $name" "$(tail -n 1 "$tmp/log")"
        head -n 20 "$tmp/log" | sed 's/^/    /'
    fi
}

for file in Newtonsoft.Json Mono.Cecil FSharp.Core Microsoft.CodeAnalysis; do
    select_in net/$file.dll -s 1 "$ilpatch" "$cache/net/$file.dll" "$framework"
done
# With iterators and async methods, whose source files are those of their state machines.
select_in tools/Select.dll 1 "$ilpatch" "$tools/select/bin/Select.dll" "$framework"
# Large ones take a part of the conditions, for the sake of time. Precompiled ones are listed like others.
select_in net/Microsoft.CodeAnalysis.CSharp.dll -s 4 "$ilpatch" "$cache/net/Microsoft.CodeAnalysis.CSharp.dll" "$framework"
select_in framework/System.Private.Xml.dll -s 3 "$ilpatch" "$framework/System.Private.Xml.dll" "$framework"
select_in framework/System.Linq.dll -s 1 "$ilpatch" "$framework/System.Linq.dll" "$framework"
if [ -n "$mono" ] && [ -e "$cache/mono/mcs.exe" ]; then
    select_in mono/mcs.exe 1 "$ilpatch" "$cache/mono/mcs.exe" /usr/lib/mono/4.5 /usr/lib/mono/4.5/Facades
else
    skip "select mono/mcs.exe" "no Mono, or no mcs.exe"
fi

# ---- the same with the inspector embedded, laid out again: its methods are compiled, too, and no file is placed ----

# embedded KIND FILE RUNTIME...
embedded() {
    local kind=$1 file=$2 code=0
    shift 2
    mkdir -p "$tmp/$embed$kind" "$tmp/again"
    "$ilpatch" --inspect-returns --embed -o "$tmp/$embed$kind/$file" "$cache/$kind/$file" >"$tmp/log" 2>&1 || code=$?
    if [ $code -ne 0 ] || [ -e "$tmp/$embed$kind/MyProfiler.dll" ]; then
        fail "embed $kind/$file" "exit code $code: $(head -n 1 "$tmp/log")"
        return
    fi
    rm -f "$tmp/again/$file"
    "$ilpatch" --inspect-returns --embed -o "$tmp/again/$file" "$tmp/$embed$kind/$file" >/dev/null 2>&1
    if cmp -s "$tmp/$embed$kind/$file" "$tmp/again/$file"; then
        ok "embed $kind/$file"
    else
        fail "embed $kind/$file" "patching the patched file changes it"
    fi
    jit "$kind" "$file" "$@"
}
embed=embed-
# Those that have a body; the start-up hook is in the file, but nothing calls it.
extra=$("$ilpatch" dump --methods data/inspector/MyProfiler.dll |
    awk '/^method/ { own = / MyProfiler\./; next } own { n++; own = 0 } END { print n }')
for file in Newtonsoft.Json.dll Microsoft.CodeAnalysis.dll Microsoft.CodeAnalysis.CSharp.dll; do
    embedded net $file dotnet "$tools/jitall/bin/JitAll.dll"
done
if [ -n "$mono" ]; then
    for file in mcs.exe Newtonsoft.Json.dll; do
        [ ! -e "$cache/mono/$file" ] || embedded mono $file mono "$harness"
    done
fi
embed='' extra=0

# ---- real work ------------------------------------------------------------------------------------------------

# job NAME TOOL N ASSEMBLY... -- ARGUMENT...: runs the tool with the originals, then with the given assemblies
# patched; the arguments' @ is the folder for output. Output and files must be the same, and N values inspected.
job() {
    local name=$1 tool=$2 enough=$3 assemblies=() side code
    shift 3
    while [ "$1" != -- ]; do
        assemblies+=("$1")
        shift
    done
    shift
    rm -rf "$tmp/job"
    mkdir -p "$tmp/job/before" "$tmp/job/after"
    cp -r "$tools/$tool/bin" "$tmp/job/bin"
    for side in before after; do
        if [ $side = after ]; then
            for assembly in "${assemblies[@]}"; do
                if ! cp -f "$tmp/${embed}net/$assembly" "$tmp/job/bin/" 2>/dev/null ||
                    { [ -z "$embed" ] && ! cp -f "$tmp/net/MyProfiler.dll" "$tmp/job/bin/"; }; then
                    fail "job $name" "$assembly was not patched"
                    return
                fi
            done
        fi
        code=0
        (cd "$tmp/job" && counting "$tmp/job/count" dotnet bin/*Job*.dll "${@//@/$tmp/job/$side}") \
            >"$tmp/job/$side/stdout" 2>"$tmp/job/$side/stderr" || code=$?
        if [ $code -ne 0 ]; then
            fail "job $name" "$side patching: exit code $code: $(head -n 1 "$tmp/job/$side/stderr")"
            return
        fi
        # The folder's name is the only thing that may differ.
        sed -i "s|$tmp/job/$side||g" "$tmp/job/$side/stdout" "$tmp/job/$side/stderr"
    done
    if diff -rq "$tmp/job/before" "$tmp/job/after" >"$tmp/log"; then
        enough "job $name" "$tmp/job/count" "$enough"
    else
        fail "job $name" "$(head -n 1 "$tmp/log")"
    fi
}

sources=$(realpath $here/compare/*.cs $here/jobs/*.cs $here/jitall/*.cs)
job "compile with Roslyn" jobs 100000 Microsoft.CodeAnalysis.dll Microsoft.CodeAnalysis.CSharp.dll \
    -- compile @/compiled.dll "$cache/net" $sources
job "serialize with Newtonsoft.Json" jobs 10000 Newtonsoft.Json.dll -- json
embed=embed-
job "serialize with Newtonsoft.Json, embedded" jobs 10000 Newtonsoft.Json.dll -- json
job "compile with Roslyn, embedded" jobs 100000 Microsoft.CodeAnalysis.dll Microsoft.CodeAnalysis.CSharp.dll \
    -- compile @/compiled.dll "$cache/net" $sources
embed=
job "copy with Mono.Cecil" jobs 100000 Mono.Cecil.dll -- cecil "$cache/net/FSharp.Core.dll" @/copy.dll
job "work with FSharp.Core" fsharp 10000 FSharp.Core.dll --

# Mono's compiler has no deterministic mode: MVID and time differ each time, so the compiled programs are compared
# as text and by what they do. Mono finds precompiled code by MVID: the count shows that the patched IL ran.
job_mcs() {
    local name="job compile with mcs on Mono" side program=$here/jitall/JitAll.cs
    if [ ! -e "$tmp/mono/mcs.exe" ] || [ ! -e "$tmp/mono/MyProfiler.dll" ]; then
        fail "$name" "mcs.exe was not patched"
        return
    fi
    mkdir -p "$tmp/mcs/before" "$tmp/mcs/after"
    mono "$cache/mono/mcs.exe" -debug -out:"$tmp/mcs/before/p.exe" $program >"$tmp/mcs/before/out" 2>&1
    counting "$tmp/mcs/count" mono "$tmp/mono/mcs.exe" -debug -out:"$tmp/mcs/after/p.exe" $program \
        >"$tmp/mcs/after/out" 2>&1
    for side in before after; do
        if command -v monodis >/dev/null; then
            (cd "$tmp/mcs/$side" && monodis p.exe | grep -vi 'GUID\|MVID' >p.il)
        fi
        mono "$tmp/mcs/$side/p.exe" "$cache/mono/Mono.Cecil.dll" >"$tmp/mcs/$side/run" 2>&1
        rm -f "$tmp/mcs/$side/"p.exe*
    done
    if diff -rq "$tmp/mcs/before" "$tmp/mcs/after" >"$tmp/log" && grep -q '^[0-9]* methods' "$tmp/mcs/after/run"; then
        enough "$name" "$tmp/mcs/count" 100000
    else
        fail "$name" "$(head -n 1 "$tmp/log") $(head -n 1 "$tmp/mcs/after/out")"
    fi
}
if [ -n "$mono" ] && [ -e "$cache/mono/mcs.exe" ]; then
    job_mcs
else
    skip "job compile with mcs on Mono" "no Mono, or no mcs.exe"
fi

finish
