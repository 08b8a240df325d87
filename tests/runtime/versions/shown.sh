#!/bin/bash
# The cases of tests/inspector by both formatters, in a process and in a patched file, and values in `trace` and by `attach`, on the
# runtime that ILPATCH_TEST_RUNTIME names.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
need_sdk shown
scratch shown

# ---- the cases ----

compile "$tmp/Cases/Cases.dll" -unsafe -optimize+ -nowarn:0649,0169,0414 -define:NET tests/inspector/{,Newer,Framework}Cases.cs
runs_with_framework "$tmp/Cases/Cases.dll"
expected tests/inspector/cases.txt >"$tmp/cases"
cases=(--where '<type like="Cases.*"/>')
export ILPATCH_REDACT=zip,type:Samples.Card

# The profiler says otherwise than the stock inspector what docs/PROFILER.md lists. On 3.1 it does not know to which methods delegates lead;
# and a Rune has no text of its own that the stock inspector would call.
by_profiler=() by_stock=()
if [ "$major" -lt 8 ]; then
    by_profiler=(-e '/^Cases\.Delegates::/{s/{[^ {}=]*::[^ ,{}]*}/{...}/g;s/ [^ {}=]*::[^ ,{}]*\([,}]\)/ {...}\1/g;}')
    by_stock=(-e '/^Cases\.Newer::Rune /s/-> a/-> {_value=97}/')
fi
"$ilpatch" run -q -o "$tmp/lines" "${cases[@]}" -- dotnet "$tmp/Cases/Cases.dll" >"$tmp/out"
check "in a process: exit code" 0 $?
sed "${by_profiler[@]}" -e '/Precise\|TypeWithin/d' "$tmp/cases" >"$tmp/expected"
grep -vE 'Precise|TypeWithin' "$tmp/lines" >"$tmp/shown"
same "in a process" "$tmp/expected" "$tmp/shown"

sed -i "${by_stock[@]}" -e '' "$tmp/cases"
"$ilpatch" run -q --inspector full -o "$tmp/shown" "${cases[@]}" -- dotnet "$tmp/Cases/Cases.dll" >"$tmp/out"
check "in a process, stock inspector: exit code" 0 $?
same "in a process, stock inspector" "$tmp/cases" "$tmp/shown"

passes "in a file: patch" "$ilpatch" --inspect-returns "${cases[@]}" --verify "$tmp/Cases/Cases.dll"
dotnet "$tmp/Cases/Cases.dll" 2>"$tmp/shown" >"$tmp/out"
check "in a file: exit code" 0 $?
same "in a file" "$tmp/cases" "$tmp/shown"
unset ILPATCH_REDACT

# ---- trace and attach ----

cat >"$tmp/Times.cs" <<'END'
using System;
using System.Collections;
using System.Threading;
struct Stay { public byte Nights; public DateTimeOffset Begin; public DateTime? End; public string Guest; }
class Times
{
    static Stay Next(int nights)
    {
        DateTimeOffset begin = new DateTimeOffset(2024, 2, 29, 12, 30, 0, TimeSpan.FromMinutes(-90));
        return new Stay { Nights = (byte)nights, Begin = begin, End = begin.UtcDateTime, Guest = "Ada" };
    }
    static BitArray Rooms(Stay stay) { return new BitArray(new[] { stay.Nights > 1, true }); }
    static int Main(string[] arguments)
    {
        do
        {
            Rooms(Next(3));
            if (arguments.Length == 0) { Console.WriteLine("ready"); }
            Thread.Sleep(10);
        }
        while (arguments.Length == 0);
        return 5;
    }
}
END
compile "$tmp/Times.dll" "$tmp/Times.cs"
runs_with_framework "$tmp/Times.dll"
stay='{Nights=3, Begin=2024-02-29T12:30:00.0000000-01:30, End=2024-02-29T14:00:00.0000000Z, Guest="Ada"}'
"$ilpatch" trace -q --values --format lines -o "$tmp/lines" -- dotnet "$tmp/Times.dll" once 2>"$tmp/said"
check "trace: exit code" 5 $?
contains "trace: an argument" "Times.Rooms(stay=$stay)" "$tmp/lines"
contains "trace: a value" "Times.Next(nights=3) -> $stay" "$tmp/lines"
if [ "$major" -ge 8 ]; then
    attach_to "$tmp/Times.cs" --args --limit 4
    contains "attach: a value" "Times::Next(nights: 3) -> $stay (Stay)" "$tmp/attached"
    contains "attach: an argument" "Times::Rooms(stay: $stay) -> [2: true, true] (System.Collections.BitArray)" "$tmp/attached"
fi
finish
