#!/bin/bash
# Arguments with the results and exceptions of async methods (docs/INSPECTORS.md, "Arguments"): in files on CoreCLR and Mono, and in the
# process, programs do what they do unpatched, and show what is expected, whether their methods wait or not: App.expected, of which Mono's
# compiler has no lines of Newer. The same of Visual Basic, and with inspectors of one's own.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/async_arguments
scratch async_arguments
need_sdk async_arguments
grep -v '^Newer::' "$here/App.expected" >"$tmp/older.expected"
for form in "rules " "guarded guard=\"yes\""; do
    echo "<rules><include args=\"yes\" this=\"yes\" exceptions=\"yes\" ${form#* }/></rules>" >"$tmp/${form%% *}.xml"
done

# shown FILE: its lines of async methods, sorted: a task may have ended when it is returned, or not. Those of methods without a result,
# which the profiler's own inspector alone shows, and those that compilers name, are left out.
shown() { grep -v '^[^ (]*[<$]\|^App::\(Pause\|Try\|Main\|All\|Nothing(.*) -> {\)\|^Newer::All\|::ToString\| -> void$' "$1" | sed 's/ -> {Status=.*/ -> task/' | LC_ALL=C sort; }

for option in -optimize+ -debug+; do
    compile "$tmp/net/App.dll" -define:NEWER $option "$here/App.cs"
    runs_with_framework "$tmp/net/App.dll"
    shows_in_forms shown "CoreCLR $option" net App.dll "$here/App.expected" dotnet exec
    for inspector in full unmanaged; do
        shows_run shown "run $option $inspector" "$tmp/net/App.dll" "$here/App.expected" --inspector $inspector --rules "$tmp/rules.xml"
    done
    mv "$tmp/written" "$tmp/unmanaged.made"
    check "run $option: one without a result" 4 "$(grep -c '^App::Nothing(n: .*) -> {Status=' "$tmp/unmanaged.made")"
done
shows_on_mono shown "$here/App.cs" "$tmp/older.expected"

# ---- the small inspector, Visual Basic ----

dotnet exec "$tmp/net/App.dll" >"$tmp/before.out"
cp -r "$tmp/net" "$tmp/small"
passes "small: patch" "$ilpatch" -q --rules "$tmp/guarded.xml" --inspector small --verify --in-place "$tmp/small/App.dll"
dotnet exec "$tmp/small/App.dll" >"$tmp/out" 2>"$tmp/made"
same "small: output" "$tmp/before.out" "$tmp/out"
contains "small" 'App::Sum(a: 1, b: 2, text: "three") -> 8 (System.Int32)' "$tmp/made"
contains "small: an exception" 'App::Always(n: 3) threw object (System.ArgumentException)' "$tmp/made"
basic() { # OPTION...
    mkdir -p "$tmp/basic"
    dotnet exec "${csc%/*}/vbc.dll" -nologo -noconfig -deterministic -optioninfer+ -sdkpath:"$refs" \
        -vbruntime:"$refs/Microsoft.VisualBasic.Core.dll" -define:_MYTYPE='"Empty"' -r:"$refs/System.Runtime.dll" -r:"$refs/System.Console.dll" \
        -r:"$refs/System.Collections.dll" "$@" -out:"$tmp/basic/Basic.dll" "$here/Basic.vb" >"$tmp/build.log" 2>&1
}
for option in -optimize+ -debug+; do
    if basic $option; then
        runs_with_framework "$tmp/basic/Basic.dll"
        shows_patched shown "Visual Basic $option" basic Basic.dll "$here/Basic.expected" --rules "$tmp/rules.xml" -- dotnet exec
        "$ilpatch" run -q -o "$tmp/basic.made" --rules "$tmp/rules.xml" -- dotnet exec "$tmp/basic/Basic.dll" >"$tmp/out"
        shown "$tmp/basic.made" >"$tmp/lines"
        same "run Visual Basic $option" "$here/Basic.expected" "$tmp/lines"
    else
        fail "Visual Basic" "$(head -n 1 "$tmp/build.log")"
    fi
done

# ---- the profiler's own inspector ----

# run OPTION...: lines in $tmp/made, what is said in $tmp/said
run() { "$ilpatch" run -o "$tmp/made" "$@" -- dotnet exec "$tmp/net/App.dll" >"$tmp/out" 2>"$tmp/said"; }
# met CONDITION METHODS: whose lines it leaves, of async methods
met() {
    passes "when: $1" run --rules "$tmp/self.xml" --when "$1"
    shown "$tmp/made" >"$tmp/lines"
    check "when: $1: lines" "$2" "$(sed 's/[ (].*//' "$tmp/lines" | uniq | xargs)"
}
passes "--args" run --args
check "--args: one line for each call" 2 "$(grep -c '^App::Sum' "$tmp/made")"
check "--args: two where something is not known any more" 4 "$(grep -c '^App::Changed' "$tmp/made")"
contains "--args: without this" 'Box`1::Or(other: 2, first: false) -> 2 (System.Int32)' "$tmp/made"
echo '<rules><include this="yes" args="yes"/></rules>' >"$tmp/self.xml"
met 'args.a == 1 and value == 8' App::Sum
met 'args.money.Currency == "EUR" and value =~ "^EUR"' App::Members
met 'args.n == 7 or value == 21' 'App::Called App::Many'
met 'this.Amount == 3 and args.factor == 2' Money::Times
met 'args.m == 2 and value == 3' App::Changed
passes "when: the exception" run --exceptions --when 'args.n == 1 and exception is System.InvalidOperationException'
check "when: the exception" "App::Fails" "$(sed 's/[ (].*//' "$tmp/made" | uniq)"
passes "when: not known" run --where '<method name="Parsed"/>' --when 'args.text == "42" and args.n == 42 and value == 42'
contains "when: not known, why" "the argument is not known any more (column 28)" "$tmp/said"
check "when: not known, the lines" "" "$(cat "$tmp/made")"
passes "when: elapsed" run --where '<method name="Sum"/>' --when 'args.a == 1 and elapsed < 1h'
contains "when: elapsed is not known" "the call has no such value (column 17)" "$tmp/said"
check "when: elapsed, the lines" "" "$(cat "$tmp/made")"
echo '<rules><include async="task" args="yes"><type name="App"/></include></rules>' >"$tmp/task.xml"
passes "the task" run --rules "$tmp/task.xml"
contains "the task: as the object was" 'App::Mutated(order: Order {Id=4, State="open"}, money: {Amount=2, Currency="USD"}) -> {Status=' "$tmp/made"
check "the task: no result" 0 "$(grep -c 'App::Mutated.* -> "' "$tmp/made")"
for inspector in unmanaged full; do
    passes "elapsed, $inspector" env ILPATCH_ELAPSED=1 "$ilpatch" run -q --inspector $inspector -o "$tmp/made" --args -- dotnet exec "$tmp/net/App.dll"
    check "elapsed, $inspector: not of a result" "0 2" "$(grep -c '^App::Sum.* in [0-9.]*us$' "$tmp/made") $(grep -c '^App::Sum.*)$' "$tmp/made")"
    check "elapsed, $inspector: of a task" 2 "$(grep -c '^App::Changed(n: 1, m: 2) .* in [0-9.]*us$' "$tmp/made")"
done
passes "json" run --json --rules "$tmp/rules.xml"
contains "json" '"args":{"a":1,"b":2,"text":"three"},"type":"System.Int32","value":"8","data":8' "$tmp/made"
contains "json: not known" '"args":{"n":{"$":"unknown"},"m":2},"type":"System.Int32","value":"3","data":3' "$tmp/made"
contains "json: an exception" '"args":{"n":3},"exception":{"type":"System.ArgumentException"' "$tmp/made"
if python3 -c 'import jsonschema' 2>/dev/null; then
    python3 tests/line_text.py "$tmp/made" >"$tmp/json.text" 2>"$tmp/json.error" || fail "json: valid" "$(tail -n 1 "$tmp/json.error")"
    sed -E 's/^([^ ]*)\(.*\) (->|threw) /\1 \2 /' "$tmp/unmanaged.made" | sort >"$tmp/expected"
    sed 's/-> {Status=.*/-> task/' "$tmp/json.text" | sort >"$tmp/lines"
    sed -i 's/-> {Status=.*/-> task/' "$tmp/expected"
    same "json: the same" "$tmp/expected" "$tmp/lines"
else
    skip json "no python3-jsonschema"
fi
"$ilpatch" run -q --rules "$tmp/rules.xml" --spool "$tmp/spool" -- dotnet exec "$tmp/net/App.dll" >"$tmp/out"
"$ilpatch" report --raw-names --format lines "$tmp/spool" >"$tmp/recorded"
contains "spool" 'App.Sum(a: 1, b: 2, text: "three") -> 8' "$tmp/recorded"
contains "spool: an exception" 'App.Always(n: 3) threw {Message="always 3"}' "$tmp/recorded"

# In a process that runs already, where MoveNext was compiled before.
cat >"$tmp/Waits.cs" <<'END'
using System;
using System.Threading.Tasks;
static class Waits
{
    static async Task<int> Half(int n, string text) { await Task.Yield(); return n / text.Length; }
    static void Main()
    {
        for (bool ready = false; ; ready = true)
        {
            Half(6, "xy").Wait();
            if (!ready) { Console.WriteLine("ready"); }
            System.Threading.Thread.Sleep(10);
        }
    }
}
END
attach_to "$tmp/Waits.cs" --args --where '<method name="Half"/>' --limit 3
check "attach" '3 Waits::Half(n: 6, text: "xy") -> 3 (System.Int32)' "$(uniq -c "$tmp/attached" | sed 's/^ *//')"

# ---- the report ----

# answers FILE: each method of the report, its answer, and what is said of its arguments
answers() {
    python3 - "$1" <<'END'
import json, sys
for module in json.load(open(sys.argv[1]))["modules"]:
    for method in module["methods"]:
        owner, name = method["name"].rsplit("::", 1)
        print(owner.split("d__")[0], name, method["answer"], method.get("arguments"), method.get("withheld"), method.get("withoutArguments"))
END
}
"$ilpatch" --args --exceptions -q --report "$tmp/report.json" -o "$tmp/once.dll" "$tmp/net/App.dll"
answers "$tmp/report.json" >"$tmp/answers"
contains "report: the kickoff method" "App Sum async-result None None None" "$tmp/answers"
contains "report: its MoveNext" "App/<Sum> MoveNext sets-result True None None" "$tmp/answers"
contains "report: one that passes its task as well" "App Changed inspected True None None" "$tmp/answers"
contains "report: the MoveNext of that" "App/<Changed> MoveNext sets-result True 1 None" "$tmp/answers"
contains "report: one without a result" "App/<Nothing> MoveNext exceptions-only True None None" "$tmp/answers"
mkdir "$tmp/again"
"$ilpatch" --args --exceptions -q --report "$tmp/second.json" -o "$tmp/again/App.dll" "$tmp/once.dll"
check "once more" "" "$(grep -o '"bytesAdded": [0-9]*' "$tmp/second.json")"

# ---- an inspector of one's own ----

cat >"$tmp/Own.cs" <<'END'
using System;
public static class Own
{
    public static object MyArguments(object[] arguments, string method)
    {
        if (arguments.Length == 2) { throw new Exception("of the inspector"); }
        Console.Error.WriteLine("> " + method + " " + string.Join("|", arguments));
        return arguments.Length;
    }
    public static void MyInspector<T>(T value, string method) { Console.Error.WriteLine("alone " + method); }
    public static void MyInspector<T>(T value, string method, object state) { Console.Error.WriteLine("< " + method + " " + value + " " + (state ?? "none")); }
    public static int MyInspector(int value, string method, object state) { return value + 100; }
    public static void MyException(object exception, string method, object state)
    {
        Console.Error.WriteLine("! " + method + " " + exception.GetType() + " " + (state ?? "none"));
        throw new Exception("of the inspector");
    }
}
END
compile "$tmp/own/Own.dll" -target:library "$tmp/Own.cs"
cp "$tmp"/net/App.* "$tmp/own"
echo '<rules><include args="yes" exceptions="yes" guard="yes"><method regex="^(Sum|Always|Fails|Hidden|Mutated)$"/></include></rules>' >"$tmp/own.xml"
passes "own: patch" "$ilpatch" -q --rules "$tmp/own.xml" --inspector "$tmp/own/Own.dll" --verify --in-place "$tmp/own/App.dll"
dotnet exec "$tmp/own/App.dll" >"$tmp/out" 2>"$tmp/made"
cat >"$tmp/own.expected" <<'END'
! App::Always System.ArgumentException 1
! App::Fails System.InvalidOperationException none
< App::Hidden Ada6 none
< App::Mutated shipped3 USD none
> App::Always(n) ended 3
> App::Sum(a, b, text) ended 1|2|three
END
LC_ALL=C sort -u "$tmp/made" >"$tmp/lines"
same "own" "$tmp/own.expected" "$tmp/lines"
check "own: the value is another" "108 108" "$(grep -x 108 "$tmp/out" | xargs)"

# ---- iterators ----

for form in "rules " "guarded guard=\"yes\""; do
    echo "<rules><include iterators=\"current\" args=\"yes\" this=\"yes\" exceptions=\"yes\" ${form#* }/></rules>" >"$tmp/${form%% *}.xml"
done
yielded() { grep -v '::Main\|::<Main>\|[.]ctor' "$1"; }
for option in -optimize+ -debug+; do
    compile "$tmp/iterators/Iterators.dll" $option "$here/Iterators.cs"
    runs_with_framework "$tmp/iterators/Iterators.dll"
    shows_in_forms yielded "iterators $option" iterators Iterators.dll "$here/Iterators.expected" dotnet exec
    for run in "full rules" "full guarded" "unmanaged rules"; do
        shows_run yielded "iterators, run $option $run" "$tmp/iterators/Iterators.dll" "$here/Iterators.expected" --inspector "${run% *}" --rules "$tmp/${run#* }.xml"
    done
done
check "iterators: once" 1 "$("$ilpatch" --rules "$tmp/rules.xml" -o "$tmp/again.dll" "$tmp/run/Iterators.dll" 2>&1 | grep -c ": 0 of .* methods inspected")"
"$ilpatch" run -q --rules "$tmp/rules.xml" --when 'args.first == 5 and value > 5 or args.at == 6 and exception' -o "$tmp/made" -- dotnet exec "$tmp/iterators/Iterators.dll" >"$tmp/out"
check "iterators: when" 3 "$(wc -l <"$tmp/made")"
"$ilpatch" run -q --rules "$tmp/rules.xml" --json -o "$tmp/made" -- dotnet exec "$tmp/iterators/Iterators.dll" >"$tmp/out"
contains "iterators: json" '"args":{"first":{"$":"unknown"},"kept":2},"type":"System.Int32","value":"3","data":3' "$tmp/made"

# An inspector that throws where it gets arguments, a value or an exception: it is switched off, or called again.
compile "$tmp/Throws.dll" -target:library "$here/../healing/Throws.cs"
export THROWS_VALUES=$tmp/noted
for on in off keep; do
    echo "<rules><include iterators=\"current\" args=\"yes\" inspector=\"Throws.dll\" on-throw=\"$on\"><method name=\"Range\"/></include></rules>" >"$tmp/throws.xml"
    for at in 1 2 3 4; do
        : >"$THROWS_VALUES"
        THROWS_AT=$at "$ilpatch" run -q --rules "$tmp/throws.xml" -- dotnet exec "$tmp/iterators/Iterators.dll" >"$tmp/out" 2>"$tmp/said"
        check "iterators: throws $on $at" "0 $([ $on = off ] && echo $((at - 1)) || echo 9)" "$? $(wc -l <"$THROWS_VALUES")"
        same "iterators: throws $on $at: output" "$tmp/before.out" "$tmp/out"
    done
done
finish
