#!/bin/bash
# Exceptions of async methods and iterators (docs/INSPECTORS.md, "Exceptions"): in files on CoreCLR and Mono, and in the process, programs
# do what they do unpatched, and show what is expected: App.expected, of which Mono's compiler has the lines to "Value::Get".
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/async_exceptions
scratch async_exceptions
need_sdk async_exceptions
sed '/^Value::Get/q' "$here/App.expected" >"$tmp/mono.expected"
echo '<rules><include exceptions="yes" iterators="current"/></rules>' >"$tmp/rules.xml"
echo '<rules><include exceptions="yes" iterators="current" guard="yes"/></rules>' >"$tmp/guarded.xml"

# thrown FILE: its lines of exceptions, without those of methods that have names of the compiler's
thrown() { grep ' threw ' "$1" | grep -v '^[^ ]*[<]'; }

for option in -optimize+ -debug+; do
    compile "$tmp/net/App.dll" -define:NEWER -unsafe $option "$here/App.cs"
    runs_with_framework "$tmp/net/App.dll"
    shows_in_forms thrown "CoreCLR $option" net App.dll "$here/App.expected" dotnet exec
    for inspector in unmanaged full; do
        shows_run thrown "run $option $inspector" "$tmp/net/App.dll" "$here/App.expected" --inspector $inspector --rules "$tmp/rules.xml"
    done
done
shows_on_mono thrown "$here/App.cs" "$tmp/mono.expected"

# ---- the report ----

# answers FILE: each method of the report that is a part of an async method, with its answer and the word for what is not done
answers() {
    python3 - "$1" <<'END'
import json, sys
for module in json.load(open(sys.argv[1]))["modules"]:
    for method in module["methods"]:
        owner, name = method["name"].rsplit("::", 1)
        print(owner.split("d__")[0], name, method["answer"], method.get("exceptions"), method.get("withoutExceptions"))
END
}
"$ilpatch" --exceptions -q --report "$tmp/report.json" -o "$tmp/once.dll" "$tmp/net/App.dll"
answers "$tmp/report.json" >"$tmp/answers"
contains "report: the kickoff method has no word" "App Later async-result None None" "$tmp/answers"
contains "report: its MoveNext passes both" "App/<Later> MoveNext sets-result True None" "$tmp/answers"
contains "report: one without a result" "App/<Nothing> MoveNext exceptions-only True None" "$tmp/answers"
mkdir "$tmp/again"
"$ilpatch" --exceptions -q --report "$tmp/second.json" -o "$tmp/again/App.dll" "$tmp/once.dll"
check "once more" "" "$(grep -o '"bytesAdded": [0-9]*' "$tmp/second.json")"

# ---- the profiler's own inspector ----

# run OPTION...: lines in $tmp/made, exceptions in $tmp/lines
run() {
    local code=0
    "$ilpatch" run -o "$tmp/made" "$@" -- dotnet exec "$tmp/net/App.dll" >"$tmp/out" 2>"$tmp/said" || code=$?
    thrown "$tmp/made" >"$tmp/lines"
    return $code
}
run --exceptions
cp "$tmp/lines" "$tmp/text"
if python3 -c 'import jsonschema' 2>/dev/null; then
    passes "json" run --exceptions --json
    python3 tests/line_text.py "$tmp/made" >"$tmp/json.text" 2>"$tmp/json.error" || fail "json: valid" "$(tail -n 1 "$tmp/json.error")"
    thrown "$tmp/json.text" >"$tmp/lines"
    same "json: the same" "$tmp/text" "$tmp/lines"
else
    skip json "no python3-jsonschema"
fi
passes "arguments" run --exceptions --args
contains "arguments" 'App::Later(n: 1) threw {Message="n is 1"}' "$tmp/made"
contains "arguments: of a method that is not async" 'App::Plain(n: 1) threw {Message="n is 1"}' "$tmp/made"
passes "when" run --exceptions --when 'exception is Own and exception.Code == 4'
check "when" "App::Nothing App::Replaced" "$(sed 's/ .*//' "$tmp/lines" | xargs)"
passes "limit" run --exceptions --when 'exception' --limit 3
check "limit" 3 "$(wc -l <"$tmp/made")"
passes "hidden" run --exceptions --redact Message
contains "hidden" 'App::Later threw {Message={redacted}} (System.InvalidOperationException)' "$tmp/lines"
passes "count" run --exceptions --count
check "count: results alone" "1 0" "$(grep -c 'App::Caught' "$tmp/made") $(grep -c 'App::Always' "$tmp/made")"
echo '<rules><include async="task" exceptions="yes"/></rules>' >"$tmp/task.xml"
passes "the task" run --rules "$tmp/task.xml"
check "the task" 0 "$(grep -c '^App::Later threw' "$tmp/made")"
"$ilpatch" run -q --exceptions --spool "$tmp/spool" -- dotnet exec "$tmp/net/App.dll" >"$tmp/out"
"$ilpatch" report --raw-names --format lines "$tmp/spool" | sed 's/^ *[0-9.]* [0-9]* //' >"$tmp/recorded"
thrown "$tmp/recorded" | sort >"$tmp/lines"
sed 's/::/./; s/ threw/()&/' "$tmp/text" | sort >"$tmp/expected"
same "spool" "$tmp/expected" "$tmp/lines"

# In a process that runs already, where MoveNext was compiled before.
cat >"$tmp/Waits.cs" <<'END'
using System;
using System.Threading.Tasks;
static class Waits
{
    static async Task<int> Fail(int n) { await Task.Yield(); if (n > 0) { throw new ArgumentException("n is " + n); } return n; }
    static void Main()
    {
        for (bool ready = false; ; ready = true)
        {
            try { Fail(1).Wait(); } catch (AggregateException) { }
            if (!ready) { Console.WriteLine("ready"); }
            System.Threading.Thread.Sleep(10);
        }
    }
}
END
attach_to "$tmp/Waits.cs" --exceptions --limit 3
check "attach" '3 Waits::Fail threw {Message="n is 1"} (System.ArgumentException)' "$(uniq -c "$tmp/attached" | sed 's/^ *//')"

# ---- inspectors of one's own ----

# own PARAMETERS EXPRESSION RULES: Own.dll, whose MyException takes these and throws, and what App's first three lines are then
own() {
    mkdir -p "$tmp/own"
    cp "$tmp"/net/App.* "$tmp/own"
    cat >"$tmp/Own.cs" <<END
public static class Inspector
{
    public static void MyInspector(object value) { }
    public static void MyInspector(object value, long id) { }
    public static void MyInspector(object value, System.RuntimeMethodHandle method) { }
    public static void MyException($1)
    {
        if (!(exception is System.AggregateException)) { System.Console.Error.WriteLine($2 + " " + exception.GetType()); }
        throw new System.Exception("of the inspector");
    }
}
END
    compile "$tmp/own/Own.dll" -target:library "$tmp/Own.cs"
    echo "<rules><include exceptions=\"yes\" guard=\"yes\" $3><any><method name=\"Later\"/><method name=\"Nothing\"/></any></include></rules>" >"$tmp/own.xml"
    passes "own, $1: patch" "$ilpatch" -q --rules "$tmp/own.xml" --inspector "$tmp/own/Own.dll" --verify --id-map "$tmp/ids" --in-place "$tmp/own/App.dll"
    dotnet exec "$tmp/own/App.dll" >"$tmp/out" 2>"$tmp/own.lines"
    same "own, $1: output" "$tmp/before.out" "$tmp/out"
}
dotnet exec "$tmp/net/App.dll" >"$tmp/before.out"
own "object exception" '"it"' 'pass="value"'
check "own: nothing besides" "it System.InvalidOperationException it Own" "$(head -n 2 "$tmp/own.lines" | xargs)"
own "object exception, string method" method 'pass="name"'
check "own: the name" "App::Later System.InvalidOperationException App::Nothing Own" "$(head -n 2 "$tmp/own.lines" | xargs)"
own "object exception, long id" id 'pass="id"'
id=$(head -n 1 "$tmp/own.lines" | sed 's/ .*//')
check "own: the id is the async method's" App::Later "$(grep "\"id\": $id," "$tmp/ids" | sed 's/.*"name": "\([^"]*\)".*/\1/')"
own "object exception, System.RuntimeMethodHandle method" 'System.Reflection.MethodBase.GetMethodFromHandle(method).Name' 'pass="handle"'
check "own: the handle" "Later System.InvalidOperationException Nothing Own" "$(head -n 2 "$tmp/own.lines" | xargs)"
finish
