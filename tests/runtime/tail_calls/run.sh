#!/bin/bash
# Tail calls in action: what the JIT makes of each, said by `--explain-tail`, and what a profiler's hooks see of it.
#
#   ILPATCH             the command, build/ilpatch
#   ILPATCH_TEST_TMP    parent of the scratch directory; what failed stays there
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=tests/runtime/tail_calls
ilpatch=$(realpath "${ILPATCH:-build/ilpatch}")
cache=$(realpath -m "${ILPATCH_TEST_CACHE:-build/packages}")
unset ILPATCH_OUTPUT ILPATCH_COUNT ILPATCH_TOSTRING
need_sdk tail_calls
scratch tail_calls

# calls FILE: the lines of --explain-tail; without tokens and offsets: words FILE
calls() { grep -E '^([0-9A-F]{8}|-        ) ' "$1"; }
words() { calls "$1" | sed -E 's/^[0-9A-F]{8}  IL_[0-9a-f]{4}  //; s/  +/ /g'; }

# ---- the example: a method that ends by calling another ----

compile "$tmp/plain/Example.dll" "$here/Example.cs"
mkdir "$tmp/tail"
"$ilpatch" tail add -q -o "$tmp/tail/Example.dll" "$tmp/plain/Example.dll" >"$tmp/add.log" 2>&1
check add 0 $?
for form in plain tail; do
    runs_with_framework "$tmp/$form/Example.dll"
    "$ilpatch" run --explain-tail -- dotnet exec "$tmp/$form/Example.dll" >"$tmp/$form.out" 2>"$tmp/$form.err"
    check "runs/$form" "0 43 42" "$? $(cat "$tmp/$form.out")"
done
check plain-has-none 0 "$(calls "$tmp/plain.err" | wc -l)"
contains plain-summary "explicit tail calls in methods that ran: none" "$tmp/plain.err"
words "$tmp/tail.err" >"$tmp/tail.words"
cat >"$tmp/tail.expected" <<'WORDS'
fast int32 Example::Caller(int32) -> int32 Example::Callee(int32)
fast int32 Example::First(int32) -> int32 Example::Caller(int32)
fast void Example::Rest(int32) -> void System.Threading.Thread::Sleep(int32)
helper int64 Example::Few(int32) -> int64 Example::Many(int32, int64, int64, int64, int64, int64, int64, int64, int64)
fast void Example::Main() -> void System.Console::Write(string)
WORDS
same example "$tmp/tail.expected" "$tmp/tail.words"

# As a reader who knows nothing of ilpatch sees it.
ildasm=$(find_net_tool ildasm)
if [ -n "$ildasm" ]; then
    for form in plain tail; do
        "$ildasm" "$tmp/$form/Example.dll" | awk '/\.method/ { name = "" } / cil managed/ && match($0, /[A-Za-z.]+\(/) { name = substr($0, RSTART, RLENGTH - 1) }
            / tail\.$/ { tail = 1; next } tail { print name, $2; tail = 0 }' >"$tmp/$form.il"
    done
    check ildasm/plain 0 "$(wc -l <"$tmp/plain.il")"
    check ildasm/tail "Caller call First call Rest call Few call Main call" "$(tr '\n' ' ' <"$tmp/tail.il" | sed 's/ $//')"
else
    skip ildasm "no .NET ildasm"
fi

# Native code that was compiled beforehand: nobody has heard of its tail calls, but for those it leaves to the JIT.
crossgen=$(ls "${NUGET_PACKAGES:-${HOME:-/root}/.nuget/packages}"/microsoft.netcore.app.crossgen2.linux-x64/*/tools/crossgen2 2>/dev/null | tail -n 1)
framework=$(dirname "$(dirname "$sdk")")/shared/Microsoft.NETCore.App/$version
mkdir "$tmp/native"
if [ -n "$crossgen" ] && "$crossgen" "$tmp/tail/Example.dll" -o "$tmp/native/Example.dll" -r "$framework/*.dll" --targetos linux --targetarch x64 \
    >"$tmp/crossgen.log" 2>&1; then
    runs_with_framework "$tmp/native/Example.dll"
    "$ilpatch" run --explain-tail -- dotnet exec "$tmp/native/Example.dll" >/dev/null 2>"$tmp/native.err"
    check native "unknown unknown unknown helper unknown" "$(words "$tmp/native.err" | cut -d ' ' -f 1 | xargs)"
    check native/why 4 "$(grep -c ' - its method was compiled beforehand: ' "$tmp/native.err")"
    DOTNET_ReadyToRun=0 "$ilpatch" run --explain-tail -- dotnet exec "$tmp/native/Example.dll" >/dev/null 2>"$tmp/native.err"
    words "$tmp/native.err" >"$tmp/native.words"
    same native/by-the-jit "$tmp/tail.expected" "$tmp/native.words"
else
    skip native "no crossgen2"
fi

# ---- calls of all kinds ----

ilasm=$(find_net_tool ilasm)
if [ -z "$ilasm" ]; then
    skip calls "no .NET ilasm"
    finish
fi
"$ilasm" -quiet -dll -output="$tmp/Calls.dll" "$here/Calls.il" >"$tmp/ilasm.log" 2>&1 || fail ilasm "$(grep -m1 error "$tmp/ilasm.log")"
runs_with_framework "$tmp/Calls.dll"
dotnet exec "$tmp/Calls.dll" >"$tmp/calls.plain" 2>&1
for jit in TieredCompilation=1 TieredCompilation=0 ReadyToRun=0; do
    env DOTNET_$jit "$ilpatch" run --explain-tail -- dotnet exec "$tmp/Calls.dll" >"$tmp/calls.out" 2>"$tmp/calls.err"
    check "calls/exit-code/$jit" 0 $?
    same "calls/output/$jit" "$tmp/calls.plain" "$tmp/calls.out"
    calls "$tmp/calls.err" >"$tmp/calls.lines"
    same "calls/answers/$jit" "$here/expected.txt" "$tmp/calls.lines"
done
contains calls/summary "explicit tail calls in methods that ran: 12 fast, 1 loop, 5 helper, 7 refused, 1 mixed, 3 unknown; " "$tmp/calls.err"
contains calls/implicit " refused" <(grep -o 'by itself: .*' "$tmp/calls.err")

"$ilpatch" run --explain-tail="$tmp/calls.json" -- dotnet exec "$tmp/Calls.dll" >/dev/null 2>"$tmp/json.err"
check json/quiet "" "$(cat "$tmp/json.err")"
if have python3; then
    python3 - "$tmp/calls.json" >"$tmp/json.lines" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
counts = {}
for call in report["explicit"]:
    said = call["times"]
    counts[call["answer"]] = counts.get(call["answer"], 0) + 1
    assert call["file"].endswith("/Calls.dll")
    assert (call["answer"] == "unknown") == (sum(said.values()) == 0)
    why = "the JIT said nothing of it: is it in code that is never reached?" if call["answer"] == "unknown" else call.get("reason")
    if call["answer"] == "mixed":
        why = ", ".join(f"{word} {said[word]}" for word in said if said[word])
    print("%s  IL_%04x  %-7s  %s  ->  %s%s" % (call["token"][2:], call["offset"], call["answer"], call["caller"], call["callee"],
                                            "  - " + why if why else ""))
assert {word: count for word, count in report["summary"].items() if count} == counts
PYTHON
    check json/totals 0 $?
    same json/lines "$here/expected.txt" "$tmp/json.lines"
else
    skip json "no python3"
fi
"$ilpatch" run --explain-tail="$tmp/no/such.json" -- dotnet exec "$tmp/Calls.dll" >/dev/null 2>"$tmp/json.err"
check json/cannot-write 4 $?
contains json/cannot-write-told "such.json: cannot write: " "$tmp/json.err"

# Inspection and explanation together: `ret` behind a tail call that stays is left alone.
"$ilpatch" run --explain-tail --where '<method name="Plain"/>' -- dotnet exec "$tmp/Calls.dll" >/dev/null 2>"$tmp/both.err"
contains with-inspection " methods inspected, " "$tmp/both.err"
calls "$tmp/both.err" | grep -v '::Plain' >"$tmp/both.lines"
same with-inspection/answers <(grep -v '::Plain' "$here/expected.txt") "$tmp/both.lines"

finish
