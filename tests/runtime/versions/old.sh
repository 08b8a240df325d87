#!/bin/bash
# On .NET Core 3.1, ILPATCH_TEST_RUNTIME, whose rules for structs the profiler does not know: it takes layouts from the runtime, and shows
# what the stock inspector shows. What that runtime reports only half of is not shown, and what it lacks is reported.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
need_sdk old
scratch old

# ---- structs of all kinds ----

for seed in 1 2 3 4; do
    # it has no inline arrays
    awk -v seed=$seed -v count=120 -f tests/runtime/unmanaged/structs.awk |
        sed 's/\[InlineArray(3)\] //; s/{ short first; }/{ short first, second, third; }/' >"$tmp/structs$seed.cs"
    compile "$tmp/structs$seed/structs$seed.dll" -unsafe -nowarn:0649,0169,0414 "$tmp/structs$seed.cs"
    runs_with_framework "$tmp/structs$seed/structs$seed.dll"
    for inspector in full unmanaged; do
        "$ilpatch" run -q --inspector $inspector -o "$tmp/$inspector.$seed" -- dotnet exec "$tmp/structs$seed/structs$seed.dll"
        check "structs $seed, $inspector: exit code" 0 $?
    done
    same "structs $seed" "$tmp/full.$seed" "$tmp/unmanaged.$seed"
    check "structs $seed: all are shown" "yes 0" "$([ "$(wc -l <"$tmp/unmanaged.$seed")" -ge 120 ] && echo yes) $(grep -c bytes "$tmp/unmanaged.$seed")"
done

# ---- a program ----

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

# tried NAME COMMAND...: the program's output and exit code; what is reported is in $tmp/said
tried() {
    local name=$1
    shift
    "$@" >"$tmp/out" 2>"$tmp/said"
    check "$name: exit code" 5 $?
    check "$name: output" "done" "$(cat "$tmp/out")"
}
program=(dotnet exec "$tmp/Times.dll")

tried "no inspector named" "$ilpatch" run --args -o "$tmp/shown" -- "${program[@]}"
same "no inspector named" "$tmp/expected" "$tmp/shown"
check "no inspector named: another one is not loaded" 0 "$(grep -c 'stock inspector' "$tmp/said")"
tried "stock inspector" "$ilpatch" run --inspector full --args -o "$tmp/shown" -- "${program[@]}"
same "stock inspector" "$tmp/expected" "$tmp/shown"
tried "framework" "$ilpatch" run --framework --args -o "$tmp/shown" -- "${program[@]}"
grep '^Times::' "$tmp/shown" >"$tmp/own"
same "framework" "$tmp/expected" "$tmp/own"
tried "JSON" "$ilpatch" run --json -o "$tmp/json" -- "${program[@]}"
contains "JSON: a value" '"Begin":"2024-02-29T12:30:00.0000000-01:30"' "$tmp/json"

# Hooks get one of two registers.
tried "trace" "$ilpatch" trace --values --format lines -o "$tmp/lines" -- "${program[@]}"
contains "trace: a struct" "Times.Next(nights=3) -> $stay" "$tmp/lines"
contains "trace: an argument in two registers, a value in two" "Times.Price(price=unknown (two registers)) -> unknown (two registers)" "$tmp/lines"

# Events that this runtime does not give.
tried "explain-tail" "$ilpatch" run --explain-tail -- "${program[@]}"
contains "explain-tail: report" "the runtime is older than .NET 5 and delivers no events to profilers" "$tmp/said"
"$ilpatch" run --explain-tail="$tmp/tail.json" -- "${program[@]}" >"$tmp/out" 2>"$tmp/said"
contains "explain-tail: JSON" '"failed": "the runtime is older than .NET 5' "$tmp/tail.json"

cp "$tmp/Times.dll" "$tmp/Times.runtimeconfig.json" "$(mkdir "$tmp/file" && echo "$tmp/file")"
passes "file: patch" "$ilpatch" --args --verify "$tmp/file/Times.dll"
dotnet exec "$tmp/file/Times.dll" 2>"$tmp/shown" >"$tmp/out"
check "file: exit code" 5 $?
same "file" "$tmp/expected" "$tmp/shown"
finish
