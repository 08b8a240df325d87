#!/bin/bash
# Real assemblies, patched by the rule that shows the most: references, pointers, what is after tail calls, arguments, exceptions.
# Every method still has to compile, and real work gives the same results.
#
# real/run.sh, which runs before, does the same with the defaults; environment and output are as there.
set -u
cd "$(dirname "$0")/../../.." || exit 1

# shellcheck source=tests/runtime/real/lib.sh
. tests/runtime/real/lib.sh
group='policies: '
prepare policies jitall jobs fsharp
echo '<rules><include byref="inspect" pointers="inspect" tail-calls="strip" args="yes" this="yes" exceptions="yes"/></rules>' >"$tmp/rules.xml"

# patch FILE OUT
patch() {
    local code=0
    mkdir -p "$(dirname "$2")"
    "$ilpatch" --rules "$tmp/rules.xml" -o "$2" "$1" >"$tmp/log" 2>&1 || code=$?
    [ $code -eq 0 ] || fail "patch ${1#"$cache/"}" "exit code $code: $(head -n 1 "$tmp/log")"
    return $code
}

# What a run of the harness says of each method, in order; its last line is for people.
failures() {
    ILPATCH_COUNT=1 ILPATCH_OUTPUT=/dev/null "$@" >"$tmp/said" 2>"$tmp/log" && grep -v '^[0-9]* methods' "$tmp/said" | LC_ALL=C sort
}

# jit KIND FILE RUNTIME...: patches FILE of KIND and compiles its methods, as they were and as they are.
jit() {
    local in=$cache/$1/$2 out=$tmp/$1/$2 name="$1/$2"
    shift 2
    patch "$in" "$out" || return
    failures "$@" "$in" >"$tmp/before"
    local before
    before=$(grep -o '^[0-9]* methods' "$tmp/said")
    failures "$@" "$out" >"$tmp/after"
    LC_ALL=C comm -13 "$tmp/before" "$tmp/after" >"$tmp/new"
    if [ -s "$tmp/new" ]; then
        fail "jit $name" "$(wc -l <"$tmp/new") new failures: $(head -n 1 "$tmp/new")"
    elif [ -z "$before" ] || [ "$before" != "$(grep -o '^[0-9]* methods' "$tmp/said")" ]; then
        fail "jit $name" "the harness ended: $(head -n 1 "$tmp/log")"
    else
        ok "jit $name ($(tail -n 1 "$tmp/said"))"
    fi
}

for file in Newtonsoft.Json.dll FSharp.Core.dll Microsoft.CodeAnalysis.dll Microsoft.CodeAnalysis.CSharp.dll; do
    jit net $file dotnet "$tools/jitall/bin/JitAll.dll"
done

# The same in the process, by the profiler's own inspector, for which more methods are inspected: those that return nothing.
in_process() { # FILE AT-LEAST
    local name code=0 before filters
    name=$(basename "$1" .dll)
    failures dotnet "$tools/jitall/bin/JitAll.dll" "$1" >"$tmp/before"
    before=$(grep -o '^[0-9]* methods' "$tmp/said")
    failures "$ilpatch" run --framework --where "<assembly name=\"$name\"/>" --rules "$tmp/rules.xml" --report "$tmp/report.json" -o "$tmp/values" -- \
        dotnet "$tools/jitall/bin/JitAll.dll" "$1" >"$tmp/after" || code=$?
    LC_ALL=C comm -13 "$tmp/before" "$tmp/after" >"$tmp/new"
    filters=$(grep -c '"exceptions": true' "$tmp/report.json")
    if [ -s "$tmp/new" ]; then
        fail "in the process: $name" "$(wc -l <"$tmp/new") new failures: $(head -n 1 "$tmp/new")"
    elif [ -z "$before" ] || [ "$before" != "$(grep -o '^[0-9]* methods' "$tmp/said")" ] || [ "$filters" -lt "$2" ]; then
        fail "in the process: $name" "exit code $code, $filters methods have filters: $(head -n 1 "$tmp/log")"
    else
        ok "in the process: $name ($(tail -n 1 "$tmp/said"); $filters have filters)"
    fi
}
in_process "$cache/net/Newtonsoft.Json.dll" 3000
in_process "$framework/System.Private.Xml.dll" 10000
in_process "$framework/System.Text.Json.dll" 3000

if make_mono_harness; then
    for file in Newtonsoft.Json.dll FSharp.Core.dll; do
        jit mono $file mono "$harness"
    done
else
    skip Mono "no Mono, or no mcs to compile the harness with"
fi

# job NAME TOOL ASSEMBLY... -- ARGUMENT...: the tool with its assemblies as they were and patched; @ is the folder for
# output.
job() {
    local name=$1 tool=$2 side code assemblies=()
    shift 2
    for (( ; $# > 0; )); do
        [ "$1" != -- ] || break
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
                patch "$tools/$tool/bin/$assembly" "$tmp/job/patched/$assembly" || return
            done
            cp -f "$tmp/job/patched/"*.dll "$tmp/job/bin/"
        fi
        code=0
        (cd "$tmp/job" && ILPATCH_COUNT=1 ILPATCH_OUTPUT=$tmp/job/count dotnet bin/*Job*.dll "${@//@/$tmp/job/$side}") \
            >"$tmp/job/$side/stdout" 2>"$tmp/job/$side/stderr" || code=$?
        if [ $code -ne 0 ]; then
            fail "job $name" "$side patching: exit code $code: $(head -n 1 "$tmp/job/$side/stderr")"
            return
        fi
        sed -i "s|$tmp/job/$side||g" "$tmp/job/$side/stdout" "$tmp/job/$side/stderr"
    done
    local count
    count=$(sed -n 's/^ilpatch: \([0-9]*\) values.*/\1/p' "$tmp/job/count" 2>/dev/null | sort -n | tail -n 1)
    if ! diff -rq "$tmp/job/before" "$tmp/job/after" >"$tmp/log"; then
        fail "job $name" "$(head -n 1 "$tmp/log")"
    elif [ "${count:-0}" -lt 10000 ]; then
        fail "job $name" "only ${count:-0} values inspected: did the patched code run?"
    else
        ok "job $name ($count values or more)"
    fi
}

# F# compiles calls in tail position with the prefix: without it this program needs more stack, but no more than it has.
job "work with FSharp.Core" fsharp FSharp.Core.dll FSharpJob.dll --
job "compile with Roslyn" jobs Microsoft.CodeAnalysis.dll Microsoft.CodeAnalysis.CSharp.dll \
    -- compile @/compiled.dll "$cache/net" "$(realpath $here/jobs/JsonJob.cs)" "$(realpath $here/jitall/JitAll.cs)"

finish
