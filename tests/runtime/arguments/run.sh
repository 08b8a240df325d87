#!/bin/bash
# Arguments with each value (docs/INSPECTORS.md, "Arguments"): patched programs on CoreCLR and Mono, and in the process, beside
# what is expected; an inspector of one's own; and the patched files hold what the verifier wants.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/arguments
scratch arguments
need_sdk arguments

echo '<rules><include args="yes" this="yes" byref="inspect"/></rules>' >"$tmp/all.xml"
echo '<rules><include args="yes" this="yes" byref="inspect" guard="yes"/></rules>' >"$tmp/guarded.xml"
echo '<rules><include args="yes" async="result" iterators="current"><type like="App*"/></include></rules>' >"$tmp/results.xml"

# What compilers name, and what they make of it, is not the same everywhere; nor is the state of the task that Work returns.
lines() { sed -e 's/<[A-Za-z<>]*>[a-z]__[0-9_]*/<...>/g' "$1" | grep -v '<\.\.\.>\|AsyncStateMachineBox\|::Work(' ; }

# What returns nothing is shown by the profiler's own inspector alone.
values() { lines "$1" | grep -v ' -> void$' ; }

# patched NAME FOLDER FILE EXPECTED RULES COMMAND...: patches FILE of FOLDER, verifies it, runs it
patched() {
    local name=$1 folder=$2 file=$3 expected=$4 rules=$5
    shift 5
    rm -rf "${tmp:?}/run"
    cp -r "$tmp/$folder" "$tmp/run"
    passes "$name: patch" "$ilpatch" --rules "$tmp/$rules.xml" --verify --in-place "$tmp/run/$file"
    check "$name: output" "done" "$(cd "$tmp/run" && "$@" "$file" 2>"$tmp/shown")"
    lines "$tmp/shown" >"$tmp/lines"
    same "$name" "$expected" "$tmp/lines"
}

expected "$here/App.expected" >"$tmp/App.expected"
grep -v '^Net::\|^Window::\|^IShape::' "$tmp/App.expected" >"$tmp/older.expected"
for option in -optimize+ -debug+; do
    compile "$tmp/net/App.dll" -unsafe -define:NET10 $option "$here/App.cs"
    runs_with_framework "$tmp/net/App.dll"
    for rules in all guarded; do
        patched "CoreCLR $option $rules" net App.dll "$tmp/App.expected" $rules dotnet exec
    done
    patched "CoreCLR $option results" net App.dll "$here/Results.expected" results dotnet exec
    for inspector in unmanaged full; do
        "$ilpatch" run -q --inspector $inspector -o "$tmp/shown" --rules "$tmp/all.xml" -- dotnet "$tmp/net/App.dll" >"$tmp/out"
        [ $inspector = full ] || cp "$tmp/shown" "$tmp/all.shown"
        values "$tmp/shown" >"$tmp/lines"
        same "run $option $inspector" "$tmp/App.expected" "$tmp/lines"
        lines "$tmp/shown" | grep ' -> void$' >"$tmp/$inspector.void"
        contains "run $option $inspector: async" "App::Later(q: 3) -> 3 (System.Int32)" "$tmp/shown"
    done
    same "run $option: void" "$here/Void.expected" "$tmp/unmanaged.void"
    check "run $option: void, full" "" "$(cat "$tmp/full.void")"
    contains "run $option: an async method without a result" "Nothing::Work(q: 5) -> {Status=" "$tmp/all.shown"
    contains "run $option: an async method without a result and without arguments" "Nothing::Work() -> {Status=" "$tmp/all.shown"
done
if have mono && have mcs; then
    mkdir -p "$tmp/mono"
    mcs -unsafe -out:"$tmp/mono/App.exe" "$here/App.cs" >"$tmp/build.log" 2>&1 || fail build "$(grep -m1 error "$tmp/build.log")"
    for rules in all guarded; do
        patched "Mono $rules" mono App.exe "$tmp/older.expected" $rules mono
    done
else
    skip Mono "no Mono, or no mcs"
fi

# The time between entry and end, with arguments and without.
ILPATCH_ELAPSED=1 "$ilpatch" run -q -o "$tmp/shown" --rules "$tmp/all.xml" -- dotnet "$tmp/net/App.dll" >"$tmp/out"
check "elapsed: not of an async result" "App::Later(q: 3) -> 3 (System.Int32)" "$(grep -v ' in [0-9]*[.][0-9]us$' "$tmp/shown")"
sed 's/ in [0-9]*[.][0-9]us$//' "$tmp/shown" >"$tmp/timed"
values "$tmp/timed" >"$tmp/lines"
same "elapsed: lines" "$tmp/App.expected" "$tmp/lines"

# The profiler's own inspector shows them where none is named, and with a value the arguments of its own call, whatever exceptions left.
"$ilpatch" run -q --json -o "$tmp/json" --rules "$tmp/all.xml" -- dotnet "$tmp/net/App.dll" >"$tmp/out"
contains "json" '"method":"App::Change","token":"0x06000007","args":{"a":3,"s":"EUR"},"duration":' "$tmp/json"
contains "json: void" '"args":{"this":{"$type":"Nothing","count":3},"count":4},"duration":' "$tmp/json"
contains "json: void, what is returned" '"type":"System.Void","value":"void","data":null}' "$tmp/json"
contains "json: withheld" '"args":{"r":{"$":"out"},"q":4,"s":"s","p":{"X":1,"Y":2}}' "$tmp/json"
compile "$tmp/thrown/App.dll" -unsafe -optimize+ tests/runtime/exceptions/App.cs
runs_with_framework "$tmp/thrown/App.dll"
for inspector in unmanaged full; do
    "$ilpatch" run -q --inspector $inspector -o "$tmp/$inspector.lines" --rules "$tmp/all.xml" -- dotnet "$tmp/thrown/App.dll" >"$tmp/out"
    sed -i '/^App::Async(/d; / -> void$/d' "$tmp/$inspector.lines" # whose task has ended by then, or not
done
check "thrown: lines" 1 "$([ "$(wc -l <"$tmp/full.lines")" -gt 10 ] && echo 1)"
same "thrown" "$tmp/full.lines" "$tmp/unmanaged.lines"

# --args is the same as a rule without conditions.
mkdir "$tmp/option" "$tmp/rule"
passes "--args: patch" "$ilpatch" --args -q -o "$tmp/option/App.dll" "$tmp/net/App.dll"
echo '<rules><include args="yes"/></rules>' >"$tmp/plain.xml"
passes "rule: patch" "$ilpatch" --rules "$tmp/plain.xml" -q -o "$tmp/rule/App.dll" "$tmp/net/App.dll"
same "--args" "$tmp/rule/App.dll" "$tmp/option/App.dll"

# An inspector of one's own: its state is the time, or whatever it likes.
cat >"$tmp/Own.cs" <<'END'
public static class Own
{
    public static object MyArguments(object[] arguments, string method)
    {
        System.Console.WriteLine("> " + method + " " + string.Join("|", arguments));
        return arguments.Length;
    }
    public static void MyInspector<T>(T value, string method) { System.Console.WriteLine("alone " + method); }
    public static void MyInspector<T>(T value, string method, object state) { System.Console.WriteLine("< " + method + " " + value + " " + state); }
    public static int MyInspector(int value, string method, object state) { return value + 100; }
}
END
cat >"$tmp/Use.cs" <<'END'
static class Use
{
    static int Add(int a, int b) { a += b; return a; }
    static string Text(string s, out int n) { n = 0; return s; }
    static void Main() { int n; System.Console.WriteLine(Add(1, 2)); Text("t", out n); }
}
END
compile "$tmp/own/Own.dll" -target:library "$tmp/Own.cs"
compile "$tmp/own/Use.dll" "$tmp/Use.cs"
runs_with_framework "$tmp/own/Use.dll"
passes "own: patch" "$ilpatch" --args --inspector "$tmp/own/Own.dll" --in-place "$tmp/own/Use.dll"
cat >"$tmp/own.expected" <<'END'
> Use::Add(a, b) 1|2
103
> Use::Text(s, n=out) t|
< Use::Text t 2
END
dotnet exec "$tmp/own/Use.dll" >"$tmp/own.lines"
same own "$tmp/own.expected" "$tmp/own.lines"
finish
