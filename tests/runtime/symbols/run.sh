#!/bin/bash
# Do stack traces of a patched program name the same files and lines as before?
#
# Throws.cs, built for debugging and optimised, with its PDB beside it and embedded, prints what it throws: unpatched, patched in
# several ways, on .NET and on Mono. All traces have to be the same, frame by frame; where the JIT optimises, there may be more
# frames, of methods that it no longer inlines or leaves by a tail call, but none may be missing or say another line.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
source=$PWD/tests/runtime/symbols/Throws.cs
export ILPATCH_COUNT=1

need_sdk symbols
scratch traces

# Frames without what differs for good reasons: Mono shows offsets in IL and MVIDs.
frames() {
    sed -E 's/ \[0x[0-9a-f]+\]//; s/<[0-9a-f]{32}>//' "$1"
}

# run RUNTIME FILE OUT: its traces; in a process with the profiler if `under` says so.
under=()
run() {
    case $1 in
        net) "${under[@]}" dotnet "$2" >"$3" 2>"$3.err" ;;
        jit) DOTNET_TieredCompilation=0 "${under[@]}" dotnet "$2" >"$3" 2>"$3.err" ;;
        mono) mono --debug -O=-inline "$2" >"$3" 2>"$3.err" ;;
    esac
}

# build NAME FILE OPTIONS...: compiles Throws.cs into $tmp/NAME/FILE.
build() {
    local folder=$tmp/$1 file=$2
    shift 2
    mkdir -p "$folder"
    runs_with_framework "$folder/$file"
    csharp -nowarn:0169,0414,0649 "-out:$folder/$file" "$@" "$source"
}

# traces RUNTIME NAME FILE HOW OPTIONS...: patches a copy and compares.
#   net    .NET, without optimisation by the JIT at first     jit   .NET, optimised at once
#   mono   Mono, without inlining
# HOW `process` patches nothing and runs it under the profiler with these options.
traces() {
    local runtime=$1 name=$2 file=$3 how=$4 test="$1 $2 $4" new=$tmp/new old=$tmp/$2/trace.$1
    shift 4
    if [ ! -s "$old" ]; then
        run "$runtime" "$tmp/$name/$file" "$old"
        if ! grep -q '^4[0-9] of 4' "$old" || [ "$(grep -c 'Throws.cs:' "$old")" -lt 100 ]; then
            fail "$test" "the program itself shows no lines: $(tail -n 1 "$old")"
            return
        fi
    fi
    rm -rf "$new"
    cp -r "$tmp/$name" "$new"
    if [ "$how" = process ]; then
        under=("$ilpatch" run "$@" --)
    elif ! "$ilpatch" "$@" "$new/$file" >"$tmp/log" 2>&1; then
        fail "$test" "$(tail -n 1 "$tmp/log")"
        return
    fi
    run "$runtime" "$new/$file" "$tmp/trace"
    under=()
    frames "$old" >"$tmp/a"
    frames "$tmp/trace" >"$tmp/b"
    if ! grep -q 'ilpatch: [1-9]' "$tmp/trace.err"; then
        fail "$test" "no value was inspected"
    elif diff "$tmp/a" "$tmp/b" >"$tmp/diff" || { [ "$runtime" = jit ] && ! grep -q '^<' "$tmp/diff"; }; then
        ok "$test ($(grep -c ':line \|\.cs:[0-9]' "$tmp/a") lines)"
    else
        fail "$test" "traces differ"
        head -n 10 "$tmp/diff"
    fi
}

# That a trace can show it: with symbols of the old offsets some lines are wrong.
stale() {
    rm -rf "$tmp/new"
    cp -r "$tmp/$1" "$tmp/new"
    "$ilpatch" --inspect-returns -q --symbols keep "$tmp/new/Throws.dll"
    run net "$tmp/new/Throws.dll" "$tmp/trace"
    if grep -q '^4[0-9] of 4' "$tmp/trace" && ! cmp -s "$tmp/$1/trace.net" "$tmp/trace"; then
        ok "stale symbols show"
    else
        fail "stale symbols show" "the traces do not"
    fi
}

net=("$refs"/*.dll)
cat >"$tmp/machines.xml" <<'XML'
<rules><include async="result" iterators="current" guard="yes"/></rules>
XML
for kind in portable embedded full; do
    for optimize in - +; do
        name=$kind$optimize
        if ! build "$name" Throws.dll "${net[@]/#/-r:}" -debug:$kind -optimize$optimize; then
            fail "build $name" "$(grep -m1 error "$tmp/build.log")"
            continue
        fi
        traces net "$name" Throws.dll plain --inspect-returns
        [ $kind = full ] && continue
        traces net "$name" Throws.dll embed --inspect-returns --embed
        traces net "$name" Throws.dll process --inspect-returns
        [ $optimize = - ] && traces jit "$name" Throws.dll process --inspect-returns # else one frame of the program itself has no line
        traces jit "$name" Throws.dll plain --inspect-returns
        [ $kind = portable ] && traces net "$name" Throws.dll machines --rules "$tmp/machines.xml"
    done
done
stale portable+
if ! have mono; then
    skip mono "not there"
    finish
fi
lib=$(dirname "$(realpath "$(command -v mono)")")/../lib/mono/4.5
for optimize in - +; do
    name=mono$optimize
    if build "$name" Throws.exe "-r:$lib/mscorlib.dll" "-r:$lib/System.dll" "-r:$lib/System.Core.dll" -debug:portable -optimize$optimize; then
        traces mono "$name" Throws.exe plain --inspect-returns
        traces mono "$name" Throws.exe embed --inspect-returns --embed
        traces mono "$name" Throws.exe machines --rules "$tmp/machines.xml"
    else
        fail "build $name" "$(grep -m1 error "$tmp/build.log")"
    fi
done
finish
