#!/bin/bash
# Programs and libraries that carry their inspector in them: they run as without --embed, show the same lines, and
# what was embedded is, read by another reader, what it was.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh

here=$PWD/tests/runtime/embed

need_sdk embed
scratch embed
if ! tests/runtime/real/tool.sh $here/reader "$cache/tools/reader" >"$tmp/log" 2>&1; then
    fail "build reader" "$(grep -m1 error "$tmp/log")"
    finish
fi

# csharp_with REFERENCE... -- OPTION...
csharp_with() {
    local references=()
    while [ "$1" != -- ]; do
        references+=("$1")
        shift
    done
    shift
    build_csharp -optimize+ -debug- -define:CSC "${references[@]/#/-r:}" "$@"
}

# list FILE [MARK]: what the reader says, and whether it complains.
list() { dotnet "$cache/tools/reader/bin/Reader.dll" "$@"; }

# taken AFTER BEFORE: of the types in BEFORE those that are in AFTER, too. The class does not need what compilers put
# into an assembly for the attributes of the assembly itself.
taken() { awk '/^type / { if (NR == FNR) known[$2] = 1; else shown = $2 in known } NR != FNR && shown' "$1" "$2"; }

run() { # RUNTIME FOLDER FILE
    case $1 in
    mono) (cd "$2" && mono "$3") ;;
    *)
        runs_with_framework "$2/$3"
        (cd "$2" && dotnet exec "$3")
        ;;
    esac
}

# compare NAME RUNTIME FOLDER MAIN PATCHED INSPECTOR ASSEMBLY LINES: MAIN runs in FOLDER with PATCHED patched in both
# ways. INSPECTOR may be `stock`. At least LINES lines are shown.
compare() {
    local name=$1 runtime=$2 folder=$3 main=$4 file=$5 inspector=$6 assembly=$7 lines=$8 way option
    option=(--inspector "$inspector")
    [ "$inspector" != stock ] || option=() inspector=data/inspector/MyProfiler.dll
    for way in refer embed; do
        [ $way = refer ] || option+=(--embed)
        rm -rf "${tmp:?}/$way"
        cp -r "$folder" "$tmp/$way"
        "$ilpatch" --inspect-returns "${option[@]}" --in-place \
            --report "$tmp/$way.json" "$tmp/$way/$file" >"$tmp/log" 2>&1 || {
            fail "$name" "$way: $(head -n 1 "$tmp/log")"
            return
        }
        run "$runtime" "$tmp/$way" "$main" >"$tmp/$way.out" 2>"$tmp/$way.err"
        [ $? -eq 100 ] || { fail "$name" "$way: it ends otherwise: $(head -n 2 "$tmp/$way.err")"; return; }
    done
    if [ -e "$tmp/embed/$assembly.dll" ]; then
        fail "$name" "$assembly.dll was placed"
    elif ! cmp -s "$tmp/refer.err" "$tmp/embed.err" || [ "$(wc -l <"$tmp/embed.err")" -lt "$lines" ]; then
        fail "$name" "other lines: $(diff "$tmp/refer.err" "$tmp/embed.err" | head -n 3)"
    elif ! list "$inspector" >"$tmp/before" 2>"$tmp/log" ||
        ! list "$tmp/embed/$file" "<ilpatch:$assembly>" >"$tmp/after" 2>"$tmp/log"; then
        fail "$name" "the reader complains: $(head -n 2 "$tmp/log")"
    elif taken "$tmp/after" "$tmp/before" | diff - "$tmp/after" >"$tmp/log"; then
        ok "$name ($(wc -l <"$tmp/after") lines of $assembly are the same)"
    else
        fail "$name" "$assembly is not what it was: $(head -n 3 "$tmp/log")"
    fi
}

# ---- .NET: nothing but System.Runtime is referred to ----

mkdir -p "$tmp/app" "$tmp/own" "$tmp/lib"
csharp_with "$refs/System.Runtime.dll" -- -out:"$tmp/app/App.dll" $here/App.cs
csharp_with "$refs"/System.{Runtime,Console,Linq,Collections,Memory,Runtime.InteropServices}.dll -- -define:NET10 -unsafe \
    -target:library -out:"$tmp/own/Own.dll" $here/Own.cs
compare "System.Runtime alone, stock" coreclr "$tmp/app" App.dll App.dll stock MyProfiler 9
compare "System.Runtime alone, own" coreclr "$tmp/app" App.dll App.dll "$tmp/own/Own.dll" Own 9
export DOTNET_TieredCompilation=0
compare "optimised code, own" coreclr "$tmp/app" App.dll App.dll "$tmp/own/Own.dll" Own 9
unset DOTNET_TieredCompilation

# ---- a library for netstandard2.0 in a program for .NET ----

if find_netstandard; then
    cp "$cache/tools/library/bin/Library.dll" "$tmp/lib/"
    csharp_with "$refs/System.Runtime.dll" "$refs/netstandard.dll" "$tmp/lib/Library.dll" -- -out:"$tmp/lib/Host.dll" $here/Host.cs
    compare "netstandard library, stock" coreclr "$tmp/lib" Host.dll Library.dll stock MyProfiler 2
else
    skip "netstandard library" "$(grep -m1 error "$tmp/log")"
fi

# ---- Mono ----

mscorlib=/usr/lib/mono/4.5/mscorlib.dll
if command -v mono >/dev/null && [ -f $mscorlib ]; then
    mkdir -p "$tmp/mono" "$tmp/monoown"
    csharp_with $mscorlib -- -out:"$tmp/mono/App.exe" $here/App.cs
    csharp_with $mscorlib -- -target:library -out:"$tmp/monoown/Own.dll" $here/Own.cs
    compare "mscorlib, stock" mono "$tmp/mono" App.exe App.exe stock MyProfiler 9
    compare "mscorlib, own" mono "$tmp/mono" App.exe App.exe "$tmp/monoown/Own.dll" Own 9
    if command -v mcs >/dev/null; then
        mcs -out:"$tmp/mono/App.exe" $here/App.cs >"$tmp/log" 2>&1
        mcs -target:library -out:"$tmp/monoown/Own.dll" $here/Own.cs >"$tmp/log" 2>&1
        compare "mcs, stock" mono "$tmp/mono" App.exe App.exe stock MyProfiler 9
        compare "mcs, own" mono "$tmp/mono" App.exe App.exe "$tmp/monoown/Own.dll" Own 9
        compare "mcs on .NET, own" coreclr "$tmp/mono" App.exe App.exe "$tmp/monoown/Own.dll" Own 9
    fi
else
    skip "mscorlib" "no Mono"
fi

finish
