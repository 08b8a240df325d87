#!/bin/bash
# On a runtime whose layouts the profiler does not know, ILPATCH_TEST_RUNTIME: the stock inspector shows values, and what the profiler
# itself would have to know is not shown, which is reported. Exit codes stay the program's.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
need_sdk unknown
scratch unknown

cat >"$tmp/Times.cs" <<'END'
using System;
struct Stay { public byte Nights; public DateTimeOffset Begin; public string Guest; }
class Times
{
    static Stay Next(int nights)
    {
        return new Stay { Nights = (byte)nights, Begin = new DateTimeOffset(2024, 2, 29, 12, 30, 0, TimeSpan.FromMinutes(-90)), Guest = "Ada" };
    }
    static DateTimeOffset Begin(Stay stay) { return stay.Begin; }
    static decimal Price(decimal price) { return price; }
    static int Main() { Begin(Next(3)); Price(2.5m); Console.WriteLine("done"); return 5; }
}
END
compile "$tmp/Times.dll" "$tmp/Times.cs"
runs_with_framework "$tmp/Times.dll"
stay='{Nights=3, Begin=2024-02-29T12:30:00.0000000-01:30, Guest="Ada"}'
cat >"$tmp/expected" <<END
Times::Next(nights: 3) -> $stay (Stay)
Times::Begin(stay: $stay) -> 2024-02-29T12:30:00.0000000-01:30 (System.DateTimeOffset)
Times::Price(price: 2.5) -> 2.5 (System.Decimal)
Times::Main() -> 5 (System.Int32)
END

# tried NAME CODE SAYS COMMAND...: the program's output and exit code, and what is reported
tried() {
    local name=$1 code=$2 says=$3
    shift 3
    "$@" >"$tmp/out" 2>"$tmp/said"
    check "$name: exit code" "$code" $?
    check "$name: output" "done" "$(cat "$tmp/out")"
    contains "$name: report" "$says" "$tmp/said"
}
program=(dotnet exec "$tmp/Times.dll")
layouts='the unmanaged inspector knows how .NET 7 and later lay out structs and strings; this is '

tried "no inspector named" 5 ": the stock inspector shows its values, which the profiler itself does in .NET 7 and later" \
    "$ilpatch" run --args -o "$tmp/shown" -- "${program[@]}"
same "no inspector named" "$tmp/expected" "$tmp/shown"
: >"$tmp/shown"
tried "unmanaged" 5 "the profiler did not start: $layouts" "$ilpatch" run --inspector unmanaged --args -o "$tmp/shown" -- "${program[@]}"
check "unmanaged: nothing is shown" "" "$(cat "$tmp/shown")"
check "unmanaged: no method is inspected" 0 "$(grep -c 'methods inspected' "$tmp/said")"
tried "framework" 5 "$layouts" "$ilpatch" run --framework --inspector full --args -o "$tmp/shown" -- "${program[@]}"
grep '^Times::' "$tmp/shown" >"$tmp/own"
same "framework: the others" "$tmp/expected" "$tmp/own"

# Where a value is wrong it is worse than where there is none.
tried "trace" 5 "structs are shown as bytes, and objects by their types" "$ilpatch" trace --values --format lines -o "$tmp/lines" -- "${program[@]}"
contains "trace: numbers" "Times.Next(nights=3) -> bytes " "$tmp/lines"
contains "trace: half of a value" "Times.Price(price=2.5) -> unknown (two registers)" "$tmp/lines"
contains "trace: structs" "Times.Begin(stay=bytes " "$tmp/lines"
check "trace: no dates" 0 "$(grep -c 'T[0-9][0-9]:' "$tmp/lines")"

# It needs no layouts, but events that this runtime does not give.
tried "explain-tail" 5 "the runtime is older than .NET 5 and gives no events to profilers" \
    "$ilpatch" run --explain-tail -- "${program[@]}"
"$ilpatch" run --explain-tail="$tmp/tail.json" -- "${program[@]}" >"$tmp/out" 2>"$tmp/said"
contains "explain-tail: JSON" '"failed": "the runtime is older than .NET 5' "$tmp/tail.json"

cp "$tmp/Times.dll" "$tmp/Times.runtimeconfig.json" "$(mkdir "$tmp/file" && echo "$tmp/file")"
passes "file: patch" "$ilpatch" --args --verify "$tmp/file/Times.dll"
dotnet exec "$tmp/file/Times.dll" 2>"$tmp/shown" >"$tmp/out"
check "file: exit code" 5 $?
same "file" "$tmp/expected" "$tmp/shown"
finish
