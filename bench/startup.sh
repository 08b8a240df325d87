#!/bin/bash
# What the profiler costs: the C# compiler of the .NET SDK, which has native code, compiles a small file; without a profiler, with
# one whose rules match nothing, and with more and more methods inspected. A table of medians: CPU time of the process in user mode;
# methods that were inspected and that were compiled, CPU time of their compilation; on the same threads that of the profiler's
# callbacks, what of it the runtime took for what it was asked (tokens, memory, writing access), and the rest, which is the
# profiler's own code: rules, tables of inlined methods, rewriting (jit_time.c).
#
# The inspector counts and does not write (ILPATCH_COUNT).
#
#   ILPATCH        the command, build/ilpatch
#   BENCH_ROUNDS   processes for a median, 9
set -u
cd "$(dirname "$0")/.." || exit 1
ilpatch=$(realpath -m "${ILPATCH:-build/ilpatch}")
rounds=${BENCH_ROUNDS:-9}
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 LC_ALL=C.UTF-8 ILPATCH_COUNT=1

tmp=$(mktemp -d "${ILPATCH_TEST_TMP:-${TMPDIR:-/tmp}}/ilpatch-startup.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -O2 -shared -fPIC -o "$tmp/jit_time.so" bench/jit_time.c -ldl || exit 1
sdk=$(dotnet --list-sdks 2>/dev/null | sed -n 's/^\([1-9][0-9]\.[^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
refs=$(ls -d "$sdk"/../../packs/Microsoft.NETCore.App.Ref/*/ref/net* 2>/dev/null | tail -n 1)
[ -n "$refs" ] || { echo "startup.sh: no .NET SDK" >&2; exit 1; }
echo 'public static class C { public static int M(int x) { return x + 1; } }' >"$tmp/c.cs"
run=(dotnet exec "$sdk/Roslyn/bincore/csc.dll" -nologo -noconfig -nostdlib -deterministic -parallel- -target:library
    -r:"$refs/System.Runtime.dll" -out:"$tmp/c.dll" "$tmp/c.cs")

median() { sort -n | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }
column() { cut -d' ' -f"$2" "$tmp/$1"; }

# once NAME OPTION...: a line `user-ms` in $tmp/NAME.time, and of jit_time.c in $tmp/NAME.jit
once() {
    local name=$1
    shift
    (
        if [ $# -gt 0 ]; then
            eval "$("$ilpatch" run "$@" --print-env)"
            export BENCH_PROFILER=$CORECLR_PROFILER_PATH CORECLR_PROFILER_PATH=$tmp/jit_time.so BENCH_TIMES=$tmp/$name.jit
            export ILPATCH_STATUS=$tmp/$name.status
            rm -f "$ILPATCH_STATUS"
        fi
        TIMEFORMAT='%3U'
        { time "${run[@]}" >"$tmp/log" 2>&1; } 2>>"$tmp/$name.time" || cat "$tmp/log" >&2
    )
}

row() { # NAME
    printf '%-10s %6d ms' "$1" "$(awk '{ print $1 * 1000 }' "$tmp/$1.time" | median)"
    if [ -s "$tmp/$1.jit" ]; then
        awk -v c="$(column "$1.jit" 1 | median)" -v j="$(column "$1.jit" 2 | median)" -v m="$(column "$1.jit" 3 | median)" \
            -v r="$(column "$1.jit" 4 | median)" -v n="$(sed -n 's/^count\tinspected //p' "$tmp/$1.status")" \
            'BEGIN { printf " %9d %9d %9.1f ms %7.1f ms %7.1f ms %7.1f ms %6.1f %% %6.1f %%", n, m, j / 1000, c / 1000, r / 1000,
                     (c - r) / 1000, 100 * c / j, 100 * (c - r) / j }'
    fi
    echo
}

types() { printf '<type like="Microsoft.CodeAnalysis.CSharp.%s"/>' "$1"; }
# In turn, so that whatever else the machine does hits all of them alike.
for ((i = 0; i < rounds; i++)); do
    once plain
    once idle --where '<assembly name="there is none"/>'
    once one --where '<assembly name="Microsoft.CodeAnalysis.CSharp"/><method name="get_Position"/><type like="*.SlidingTextWindow"/>'
    once hundred --where "<assembly name=\"Microsoft.CodeAnalysis.CSharp\"/>$(types 'Symbols.Metadata.*')"
    once compiler --where '<assembly name="Microsoft.CodeAnalysis.CSharp"/>'
    once all --inspect-returns
done
printf '%-10s %9s %9s %9s %12s %10s %10s %10s %8s %8s\n' '' 'user time' inspected compiled compilation callbacks runtime own \
    callbacks own
for name in plain idle one hundred compiler all; do row $name; done
