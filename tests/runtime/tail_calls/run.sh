#!/bin/bash
# Tail calls in action: what the JIT makes of each, said by `--explain-tail`, and what a profiler's hooks see of it.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=tests/runtime/tail_calls
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
fast int32 Example::Unasked(int32) -> int32 Example::Callee(int32)
fast void Example::Rest(int32) -> void System.Threading.Thread::Sleep(int32)
helper int64 Example::Few(int32) -> int64 Example::Many(int32, int64, int64, int64, int64, int64, int64, int64, int64)
fast int32 Example::Wide(int32, int64, int64, int64, int64, int64, int64, int64, int64) -> int32 Example::Down(int32)
helper int32 Example::Down(int32) -> int32 Example::Wide(int32, int64, int64, int64, int64, int64, int64, int64, int64)
fast void Example::Main() -> void System.Console::Write(string)
WORDS
same example "$tmp/tail.expected" "$tmp/tail.words"

# What hooks see of it, on both paths: a tail call is the end of its method, and no Leave follows. The next Enter is the callee's, but
# not after Rest: what that calls goes on in native code. Of Few, whose call needs helpers, there is a Leave; in a chain of such
# calls each method but the first is left before the next is entered.
if ${CC:-cc} -std=c11 -Wall -Wextra -O1 -Iinclude -Isrc -I. -o "$tmp/spool_lines" "$here/spool_lines.c" "$build/libilpatch.a" 2>"$tmp/cc.log"; then
    hooks() { # NAME DLL OPTION...: what the hooks of the first thread see
        local name=$1 dll=$2
        shift 2
        "$ilpatch" trace --spool "$tmp/$name.spool" "$@" -- dotnet exec "$dll" >"$tmp/$name.out" 2>"$tmp/$name.err"
        "$tmp/spool_lines" <"$tmp/$name.spool" 2>&1 | xargs
    }
    frames="Enter Main Enter First Enter Caller Enter Callee Leave Callee Leave Caller Leave First Enter Unasked Enter Callee Leave Callee \
Leave Unasked Enter Rest Leave Rest Enter Few Enter Many Leave Many Leave Few \
Enter Down Enter Wide Enter Down Enter Wide Enter Down Leave Down Leave Wide Leave Down Leave Wide Leave Down Leave Main"
    jumps="Enter Main Enter First Tailcall First Enter Caller Tailcall Caller Enter Callee Leave Callee Enter Unasked Tailcall Unasked \
Enter Callee Leave Callee Enter Rest Tailcall Rest Enter Few Enter Many Leave Many Leave Few \
Enter Down Enter Wide Tailcall Wide Enter Down Leave Down Enter Wide Tailcall Wide Enter Down Leave Down Leave Down Tailcall Main"
    check hooks/plain "$frames" "$(hooks plain "$tmp/plain/Example.dll" --disable-optimizations)"
    check hooks/unasked "${frames/Enter Unasked Enter Callee Leave Callee Leave Unasked/Enter Unasked Tailcall Unasked Enter Callee Leave Callee}" \
        "$(DOTNET_TieredCompilation=0 hooks unasked "$tmp/plain/Example.dll")"
    check hooks/tail "$jumps" "$(hooks tail "$tmp/tail/Example.dll" --explain-tail)"
    check hooks/tail-without-optimization "$jumps" "$(hooks tail-debug "$tmp/tail/Example.dll" --explain-tail --disable-optimizations)"
    # On the slow path helpers make them all, so that of a chain all but the first are left at once, without a value.
    helped="Enter Main Enter First Enter Caller Leave Caller Enter Callee Leave Callee Leave First \
Enter Unasked Enter Callee Leave Callee Leave Unasked Enter Rest Leave Rest Enter Few Enter Many Leave Many Leave Few \
Enter Down Enter Wide Leave Wide Enter Down Leave Down Enter Wide Leave Wide Enter Down Leave Down Leave Down Leave Main"
    check hooks/tail-slow-path "$helped" "$(hooks tail-slow "$tmp/tail/Example.dll" --values --verbose)"
    check hooks/values-are-unknown 1 "$(grep -c 'what methods with explicit tail calls return is not shown' "$tmp/tail-slow.err")"
    check hooks/values-are-unknown-of 6 "$(grep -c '^ilpatch: 060000.. .*Example.dll: what it returns is not shown' "$tmp/tail-slow.err")"
    "$ilpatch" report "$tmp/tail-slow.spool" >"$tmp/tail-slow.txt"
    check hooks/values "0 x1, 43 x1 42 x1 unknown (explicit tail calls)" \
        "$(sed -nE 's/^ +returned ([^;]*).*/\1/p' "$tmp/tail-slow.txt" | sed -E 's/calls\) x[0-9]+/calls)/' | sort -u | xargs)"
    for name in tail tail-debug; do
        words "$tmp/$name.err" >"$tmp/$name.words"
        same "hooks/$name/explained" "$tmp/tail.expected" "$tmp/$name.words"
    done
else
    fail spool_lines "$(head -n 1 "$tmp/cc.log")"
fi

# Vectors in registers where a tail call is made: the program says what it says untraced, by every path, with the prefix and without.
# CoreCLR's own stub for hooks of the slow path would damage them (docs/HOOKS.md).
compile "$tmp/vectors/plain/Vectors.dll" -unsafe "$here/Vectors.cs"
mkdir "$tmp/vectors/tail"
"$ilpatch" tail add -q -o "$tmp/vectors/tail/Vectors.dll" "$tmp/vectors/plain/Vectors.dll" >"$tmp/add.log" 2>&1
for form in plain tail; do runs_with_framework "$tmp/vectors/$form/Vectors.dll"; done
dotnet exec "$tmp/vectors/plain/Vectors.dll" >"$tmp/vectors.plain"
check vectors/lines 284 "$(wc -l <"$tmp/vectors.plain")"
for run in plain:0: plain:0:--values tail:0: tail:1: tail:0:--slow tail:0:--values tail:1:--values tail:0:--disable-optimizations \
    "tail:0:--values --disable-optimizations"; do
    IFS=: read -r form tiered options <<<"$run"
    # shellcheck disable=SC2086
    DOTNET_TieredCompilation=$tiered "$ilpatch" trace -q $options -o "$tmp/vectors.txt" -- dotnet exec "$tmp/vectors/$form/Vectors.dll" \
        >"$tmp/vectors.out" 2>"$tmp/vectors.err"
    same "vectors/$run" "$tmp/vectors.plain" "$tmp/vectors.out"
done
# The user's settings are not what counts, and without them nothing is begun.
DOTNET_TailCallOpt=1 DOTNET_FastTailCalls=1 DOTNET_TieredCompilation=0 "$ilpatch" trace -q --values -o "$tmp/vectors.txt" -- \
    dotnet exec "$tmp/vectors/tail/Vectors.dll" >"$tmp/vectors.out" 2>"$tmp/vectors.err"
same vectors/settings "$tmp/vectors.plain" "$tmp/vectors.out"
"$ilpatch" trace --values --print-env --spool "$tmp/vectors.spool" | grep -v -e FastTailCalls >"$tmp/vectors.env"
check vectors/environment 1 "$(grep -c TailCallOpt "$tmp/vectors.env")"
(. "$tmp/vectors.env" && ILPATCH_STATUS=$tmp/vectors.status exec dotnet exec "$tmp/vectors/tail/Vectors.dll" >"$tmp/vectors.out" 2>"$tmp/vectors.err")
same vectors/no-settings "$tmp/vectors.plain" "$tmp/vectors.out"
contains vectors/no-settings-reported "Set DOTNET_TailCallOpt=0 DOTNET_FastTailCalls=0 in the environment" "$tmp/vectors.status"
"$ilpatch" trace --values --explain-tail -- true >"$tmp/both.out" 2>"$tmp/both.err"
check vectors/not-explained 2 $?

# As a reader who knows nothing of ilpatch sees it.
ildasm=$(find_net_tool ildasm)
if [ -n "$ildasm" ]; then
    for form in plain tail; do
        "$ildasm" "$tmp/$form/Example.dll" | awk '/\.method/ { head = 1 } head && match($0, /[A-Za-z.]+\(/) { name = substr($0, RSTART, RLENGTH - 1); head = 0 }
            / tail\.$/ { tail = 1; next } tail { print name, $2; tail = 0 }' >"$tmp/$form.il"
    done
    check ildasm/plain 0 "$(wc -l <"$tmp/plain.il")"
    check ildasm/tail "Caller call First call Unasked call Rest call Few call Wide call Down call Main call" "$(tr '\n' ' ' <"$tmp/tail.il" | sed 's/ $//')"
else
    skip ildasm "no .NET ildasm"
fi

# Native code that was compiled beforehand: its tail calls are not reported, but for those it leaves to the JIT.
crossgen=$(ls "${NUGET_PACKAGES:-${HOME:-/root}/.nuget/packages}"/microsoft.netcore.app.crossgen2.linux-x64/"$major".*/tools/crossgen2 2>/dev/null | sort -V | tail -n 1)
framework=$(dirname "$(dirname "$sdk")")/shared/Microsoft.NETCore.App/$version
mkdir "$tmp/native"
if [ -n "$crossgen" ] && "$crossgen" "$tmp/tail/Example.dll" -o "$tmp/native/Example.dll" -r "$framework/*.dll" --targetos linux --targetarch x64 \
    >"$tmp/crossgen.log" 2>&1; then
    runs_with_framework "$tmp/native/Example.dll"
    "$ilpatch" run --explain-tail -- dotnet exec "$tmp/native/Example.dll" >/dev/null 2>"$tmp/native.err"
    check native "unknown unknown unknown unknown helper unknown helper unknown" "$(words "$tmp/native.err" | cut -d ' ' -f 1 | xargs)"
    check native/why 6 "$(grep -c ' - its method was compiled beforehand: ' "$tmp/native.err")"
    DOTNET_ReadyToRun=0 "$ilpatch" run --explain-tail -- dotnet exec "$tmp/native/Example.dll" >/dev/null 2>"$tmp/native.err"
    words "$tmp/native.err" >"$tmp/native.words"
    same native/by-the-jit "$tmp/tail.expected" "$tmp/native.words"
else
    skip native "no crossgen2"
fi

compile "$tmp/dynamic/Dynamic.dll" "$here/Dynamic.cs"
runs_with_framework "$tmp/dynamic/Dynamic.dll"
"$ilpatch" run --explain-tail -- dotnet exec "$tmp/dynamic/Dynamic.dll" >"$tmp/dynamic.out" 2>"$tmp/dynamic.err"
check made-at-run-time "-         -        fast     dynamicClass::Made  ->  Dynamic::Callee int32  (int32)" "$(calls "$tmp/dynamic.err")"

# valid FILE...: by the schema, which distinguishes other answers
valid() {
    valid_json json/valid tail "$@"
    sed 's/"answer": "[a-z]*"/"answer": "quick"/' "$1" >"$tmp/quick.json"
    tests/schema.py tail "$tmp/quick.json" >"$tmp/wrong" 2>&1
    [ $? -ne 0 ] || fail json/strict "an unknown answer is valid"
}

# ---- calls of all kinds ----

ilasm=$(find_net_tool ilasm)
if [ -z "$ilasm" ]; then
    skip calls "no .NET ilasm"
    finish
fi
"$ilasm" -quiet -dll -output="$tmp/Calls.dll" "$here/Calls.il" >"$tmp/ilasm.log" 2>&1 || fail ilasm "$(grep -m1 error "$tmp/ilasm.log")"
runs_with_framework "$tmp/Calls.dll"
expected "$here/expected.txt" >"$tmp/calls.expected"
dotnet exec "$tmp/Calls.dll" >"$tmp/calls.plain" 2>&1
for jit in TieredCompilation=1 TieredCompilation=0 ReadyToRun=0; do
    env DOTNET_$jit "$ilpatch" run --explain-tail -- dotnet exec "$tmp/Calls.dll" >"$tmp/calls.out" 2>"$tmp/calls.err"
    check "calls/exit-code/$jit" 0 $?
    same "calls/output/$jit" "$tmp/calls.plain" "$tmp/calls.out"
    calls "$tmp/calls.err" >"$tmp/calls.lines"
    same "calls/answers/$jit" "$tmp/calls.expected" "$tmp/calls.lines"
done
summary='explicit tail calls in methods that ran: 12 fast, 1 loop, 5 helper, 7 refused, 1 mixed, 3 unknown; '
contains calls/summary "$(expected <(echo "$summary"))" "$tmp/calls.err"
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
    why = "the JIT said nothing of it: it is never reached, or no call any more" if call["answer"] == "unknown" else call.get("reason")
    if call["answer"] == "mixed":
        why = ", ".join(f"{word} {said[word]}" for word in said if said[word])
    print("%s  IL_%04x  %-7s  %s  ->  %s%s" % (call["token"][2:], call["offset"], call["answer"], call["caller"], call["callee"],
                                            "  - " + why if why else ""))
assert {word: count for word, count in report["summary"].items() if count} == counts
PYTHON
    check json/totals 0 $?
    same json/lines "$tmp/calls.expected" "$tmp/json.lines"
    "$ilpatch" run --explain-tail="$tmp/dynamic.json" -- dotnet exec "$tmp/dynamic/Dynamic.dll" >/dev/null 2>&1
    valid "$tmp/calls.json" "$tmp/dynamic.json"
else
    skip json "no python3"
fi
"$ilpatch" run --explain-tail="$tmp/no/such.json" -- dotnet exec "$tmp/Calls.dll" >/dev/null 2>"$tmp/json.err"
check json/cannot-write 4 $?
contains json/cannot-write-reported "such.json: cannot write: " "$tmp/json.err"

# The hooks see what the answers say, each in its method; jmp, which has no answer, is like a tail call.
if [ -x "$tmp/spool_lines" ]; then
    hooks calls "$tmp/Calls.dll" --explain-tail --framework --where '<assembly name="Calls"/>' >/dev/null
    "$tmp/spool_lines" <"$tmp/calls.spool" | grep -E '^(Leave|Tailcall) ' | awk '{ print $2, $1 }' | sort -u >"$tmp/ways"
    sed -nE 's/^[0-9A-F]{8}  IL_[0-9a-f]{4}  (fast|helper|loop|refused) .*P::([A-Za-z]+)(<1>)?\(.*  ->  .*/\2 \1/p' "$tmp/calls.err" |
        sed 's/fast/Tailcall/; s/helper\|loop\|refused/Leave/' | sort -u >"$tmp/answers"
    check hooks/answers "" "$(comm -13 "$tmp/ways" "$tmp/answers")"
    check hooks/answers-count 25 "$(wc -l <"$tmp/answers")"
    contains hooks/jmp "Jmp Tailcall" "$tmp/ways"
    contains hooks/loop "Self Leave" "$tmp/ways"
    check hooks/loop-is-one-call 1 "$("$tmp/spool_lines" <"$tmp/calls.spool" | grep -c 'Enter Self')"
fi

# `jmp` leaves no vector in a register: the slow path has its Tailcall, too. By IL the call is before it.
if "$ilasm" -quiet -exe -output="$tmp/Jumps.dll" "$here/Jumps.il" >"$tmp/ilasm.log" 2>&1; then
    runs_with_framework "$tmp/Jumps.dll"
    for way in --values "--by il"; do
        for tiered in 0 1; do
            # shellcheck disable=SC2086
            DOTNET_TieredCompilation=$tiered "$ilpatch" trace $way -o "$tmp/jumps.txt" -- dotnet exec "$tmp/Jumps.dll" >"$tmp/jumps.out" 2>"$tmp/jumps.err"
            check "jumps/$way/$tiered" "24135 32136 40137 48138" "$(xargs <"$tmp/jumps.out")"
            contains "jumps/$way/$tiered/seen" "9 enters, 5 leaves, 4 tailcalls" "$tmp/jumps.err"
        done
    done
else
    fail jumps "$(grep -m1 error "$tmp/ilasm.log")"
fi

# Inspection and explanation together: `ret` after a tail call that stays is left alone.
"$ilpatch" run --explain-tail --where '<method name="Plain"/>' -- dotnet exec "$tmp/Calls.dll" >/dev/null 2>"$tmp/both.err"
contains with-inspection "1 method inspected, " "$tmp/both.err"
calls "$tmp/both.err" | grep -v '::Plain' >"$tmp/both.lines"
same with-inspection/answers <(grep -v '::Plain' "$tmp/calls.expected") "$tmp/both.lines"

finish
