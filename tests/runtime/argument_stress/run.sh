#!/bin/bash
# Arguments while garbage is collected all the time: threads pass new objects, which move while their text is made and while the methods
# run, recurse, and are left by exceptions. The program (Stress.cs) says itself which lines that gives; each is there, none is wrong and
# none is too much. The same of the lines that a condition on arguments leaves.
#
#   STRESS_ROUNDS   of each thread, 1700: more than 100,000 lines each time
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/argument_stress
rounds=${STRESS_ROUNDS:-1700}
threads=4
scratch argument_stress
need_sdk argument_stress

compile "$tmp/Stress.dll" "$here/Stress.cs"
runs_with_framework "$tmp/Stress.dll"
cat >"$tmp/rules.xml" <<'X'
<rules>
  <exclude><method regex="^(Main|Waste|Round|I|OfPerson|OfPair|Expect|ExpectDown|ToString)$|&lt;"/></exclude>
  <include args="yes" this="yes"><any><type name="Stress"/><type name="Person"/></any></include>
</rules>
X

# tried NAME COLLECTIONS CONDITION PATTERN VARIABLE...: so many collections at least, with these variables of the runtime; CONDITION may be
# empty, and PATTERN says what it leaves of the lines that are expected
tried() {
    local name=$1 collections=$2 condition=$3 pattern=$4 code
    shift 4
    rm -f "$tmp/lines" "$tmp/expected"
    env "$@" timeout 600 "$ilpatch" run -q --rules "$tmp/rules.xml" ${condition:+--when "$condition"} -o "$tmp/lines" -- \
        dotnet exec "$tmp/Stress.dll" "$tmp/expected" $threads "$rounds" >"$tmp/collections" 2>"$tmp/said"
    code=$?
    check "$name: exit code" 3 $code
    grep -E -- "$pattern" "$tmp/expected" | LC_ALL=C sort >"$tmp/expected.sorted"
    LC_ALL=C sort "$tmp/lines" >"$tmp/lines.sorted"
    check "$name: lines are missing" "" "$(LC_ALL=C comm -23 "$tmp/expected.sorted" "$tmp/lines.sorted" | head -n 1)"
    check "$name: lines are wrong or too many" "" "$(LC_ALL=C comm -13 "$tmp/expected.sorted" "$tmp/lines.sorted" | head -n 1)"
    [ "$(wc -l <"$tmp/expected")" -ge $((rounds * threads * 15)) ] || fail "$name" "only $(wc -l <"$tmp/expected") lines are expected"
    [ "$(cat "$tmp/collections")" -ge "$collections" ] || fail "$name" "only $(cat "$tmp/collections") collections"
}
tried "a tiny first generation" 100 "" . DOTNET_GCgen0size=0x10000
tried "the same, concurrent no more, the last tier at once" 100 "" . DOTNET_GCgen0size=0x10000 DOTNET_gcConcurrent=0 DOTNET_TieredCompilation=0
tried "server GC" 5 "" . DOTNET_gcServer=1 DOTNET_GCHeapCount=2 DOTNET_GCgen0size=0x10000
tried "minimal optimization" 100 "" . DOTNET_JITMinOpts=1 DOTNET_GCgen0size=0x20000
tried "a condition on members" 100 'args.person.Name =~ "7$" and args.n > 100' '^Stress::All.*person: Person \{Name="n[0-9]*7".* -> "a([0-9]{4,}|[2-9][0-9]{2}|1[1-9][0-9]|10[1-9])"' \
    DOTNET_GCgen0size=0x10000
tried "a condition on recursive calls" 100 'args.person.Name == "d2" and value > 0' 'Down\(person: Person \{Name="d2".* -> [0-9]' DOTNET_GCgen0size=0x10000
tried "a condition on this and on structs" 5 'this.Name =~ "5$" or args.pair.Text =~ "5$" or args.value.Text =~ "5$"' \
    'this: Person \{Name="r[0-9]*5"|(pair|value): \{Text="p[0-9]*5"' DOTNET_gcServer=1 DOTNET_GCHeapCount=2 DOTNET_GCgen0size=0x10000
finish
