#!/bin/bash
# Exceptions that leave methods (docs/INSPECTORS.md, "Exceptions"): patched programs on CoreCLR and Mono, and in the process, do what
# they do unpatched, to the last line of what ends them, and show what is expected.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/exceptions
scratch exceptions
need_sdk exceptions
cp "$here/App.rules.xml" "$tmp/rules.xml"
sed 's/exceptions="yes"/& guard="yes" tail-calls="strip"/' "$tmp/rules.xml" >"$tmp/guarded.xml"

# patched NAME FOLDER FILE RULES COMMAND...: beside FILE of FOLDER as it was
patched() {
    local name=$1 folder=$2 file=$3 rules=$4 code
    shift 4
    rm -rf "${tmp:?}/run"
    cp -r "$tmp/$folder" "$tmp/run"
    passes "$name: patch" "$ilpatch" --rules "$tmp/$rules.xml" --verify --in-place "$tmp/run/$file"
    (cd "$tmp/$folder" && "$@" "$file") >"$tmp/before.out" 2>"$tmp/before.err"
    (cd "$tmp/run" && "$@" "$file") >"$tmp/after.out" 2>"$tmp/after.err"
    same "$name: output" "$tmp/before.out" "$tmp/after.out"
    same "$name" "$here/App.expected" "$tmp/after.err"
    # ended by an exception, which the runtime reports with its stack
    code=0
    { (cd "$tmp/$folder" && exec "$@" "$file" end) >"$tmp/before.out" 2>"$tmp/before.err"; code=$?; } 2>"$tmp/aborted"
    { (cd "$tmp/run" && exec "$@" "$file" end) >"$tmp/after.out" 2>"$tmp/after.err"; check "$name: exit code" $code $?; } 2>"$tmp/aborted"
    # Mono has offsets of IL, and the MVID
    grep -v '^[A-Z][A-Za-z]*::' "$tmp/after.err" | sed 's/\[0x[0-9a-f]*\] in <[0-9a-f]*>//' >"$tmp/after.end"
    sed 's/\[0x[0-9a-f]*\] in <[0-9a-f]*>//' "$tmp/before.err" >"$tmp/before.end"
    same "$name: end" "$tmp/before.end" "$tmp/after.end"
}

for option in -optimize+ -debug+; do
    compile "$tmp/net/App.dll" -unsafe $option "$here/App.cs"
    runs_with_framework "$tmp/net/App.dll"
    for rules in rules guarded; do
        patched "CoreCLR $option $rules" net App.dll $rules dotnet exec
    done
    # by the profiler's own inspector, by the stock one; the first shows what returns nothing as well
    dotnet exec "$tmp/net/App.dll" >"$tmp/before.out"
    for inspector in unmanaged full; do
        "$ilpatch" run -q --inspector $inspector -o "$tmp/shown" --rules "$tmp/rules.xml" -- dotnet "$tmp/net/App.dll" >"$tmp/out"
        same "run $option $inspector: output" "$tmp/before.out" "$tmp/out"
        grep -v ' -> void$' "$tmp/shown" >"$tmp/lines"
        same "run $option $inspector" "$here/App.expected" "$tmp/lines"
    done
    code=0
    { (exec dotnet exec "$tmp/net/App.dll" end) >"$tmp/before.out" 2>"$tmp/before.err"; code=$?; } 2>"$tmp/aborted"
    "$ilpatch" run -q -o "$tmp/shown" --rules "$tmp/rules.xml" -- dotnet "$tmp/net/App.dll" end >"$tmp/out" 2>"$tmp/err"
    check "run $option end: exit code" $code $?
    same "run $option end: output" "$tmp/before.out" "$tmp/out"
    contains "run $option end: the last lines" 'App::Main(args: [1: "end"]) threw {Message="n is 9"} (System.InvalidOperationException)' "$tmp/shown"
done
if have mono && have mcs; then
    mkdir -p "$tmp/mono"
    mcs -unsafe -out:"$tmp/mono/App.exe" "$here/App.cs" >"$tmp/build.log" 2>&1 || fail build "$(grep -m1 error "$tmp/build.log")"
    for rules in rules guarded; do
        patched "Mono $rules" mono App.exe $rules mono
    done
else
    skip Mono "no Mono, or no mcs"
fi

# ---- the profiler's own inspector ----

# run OPTION...: lines in $tmp/lines, without the lambdas, whose names are the compiler's
run() {
    local code=0
    "$ilpatch" run --exceptions -o "$tmp/made" "$@" -- dotnet exec "$tmp/net/App.dll" >"$tmp/out" 2>"$tmp/said" || code=$?
    grep -v '[+/]<' "$tmp/made" >"$tmp/lines"
    return $code
}

passes "text" run
grep -c ' threw ' "$tmp/lines" >"$tmp/count"
grep ' threw ' "$tmp/lines" >"$tmp/thrown"
check "text: lines" yes "$([ "$(cat "$tmp/count")" -gt 25 ] && echo yes)"
if python3 -c 'import jsonschema' 2>/dev/null; then
    cp "$tmp/lines" "$tmp/text"
    passes "json" run --json
    python3 tests/line_text.py "$tmp/made" >"$tmp/json.text" 2>"$tmp/json.error" || fail "json: valid" "$(tail -n 1 "$tmp/json.error")"
    grep -v '[+/]<' "$tmp/json.text" >"$tmp/json.lines"
    same "json: the same" "$tmp/text" "$tmp/json.lines"
else
    skip json "no python3-jsonschema"
fi
contains "json: an exception" '"exception":{"type":"Own","value":"{Message=\"own\", Code=2}","data":{"Message":"own","Code":2}}}' "$tmp/made"
passes "json: with arguments" run --json --args
contains "json: arguments of a call that threw" '"args":{"n":2},"duration":' "$tmp/made"

passes "when" run --when exception
same "when: all exceptions, nothing else" "$tmp/thrown" "$tmp/lines"
passes "when: a member" run --when 'exception is Own and exception.Code > 2'
check "when: a member" "App::Nothing App::Replaced App::Loop" "$(sed 's/ .*//' "$tmp/lines" | xargs)"
passes "when: a text" run --when 'exception.Message =~ "^n is 4"'
check "when: a text" 'App::Plain threw {Message="n is 4"} (System.InvalidOperationException)' "$(cat "$tmp/lines")"
passes "when: values alone" run --when 'value == 0'
check "when: values alone" 0 "$(grep -c ' threw ' "$tmp/lines")"
check "when: exceptions are no mistake" "" "$(grep 'neither met' "$tmp/said" | grep -v 'no such member\|not compared')"
passes "limit" run --when exception --limit 3
check "limit" 3 "$(wc -l <"$tmp/made")"
passes "hidden" run --redact Message
contains "hidden" 'App::Plain threw {Message={redacted}} (System.InvalidOperationException)' "$tmp/lines"
"$ilpatch" run --when exception -- dotnet exec "$tmp/net/App.dll" >"$tmp/out" 2>"$tmp/said"
check "when, without --exceptions: exit code" 2 $?
contains "when, without --exceptions" "--when: 'exception' needs --exceptions" "$tmp/said"
echo '<rules><include when="exception"/></rules>' >"$tmp/when.xml"
"$ilpatch" run --rules "$tmp/when.xml" -- dotnet exec "$tmp/net/App.dll" >"$tmp/out" 2>"$tmp/said"
check "when= without exceptions=: exit code" 2 $?
contains "when= without exceptions=" "when= has 'exception': the rule needs exceptions=\"yes\"" "$tmp/said"
echo '<rules><include when="exception" exceptions="yes"><method name="Plain"/></include></rules>' >"$tmp/when.xml"
passes "when= of a rule" "$ilpatch" run -q -o "$tmp/made" --rules "$tmp/when.xml" -- dotnet exec "$tmp/net/App.dll"
check "when= of a rule" "$(grep -c '^App::Plain ' "$tmp/thrown") 0" "$(grep -c ' threw ' "$tmp/made") $(grep -c ' -> ' "$tmp/made")"

# In a spool: lines have them, distributions count them.
"$ilpatch" run -q --exceptions --args --spool "$tmp/spool" -- dotnet exec "$tmp/net/App.dll" >"$tmp/out"
"$ilpatch" report --raw-names --format lines "$tmp/spool" | sed 's/^ *[0-9.]* [0-9]* //' | grep '^App[.][A-Z].* threw ' >"$tmp/recorded"
"$ilpatch" run -q --exceptions --args -o "$tmp/made" -- dotnet exec "$tmp/net/App.dll" >"$tmp/out"
grep '^App::[A-Z].* threw ' "$tmp/made" | sed 's/::/./' >"$tmp/lines"
same "spool" <(sort "$tmp/lines") <(sort "$tmp/recorded") # thread by thread
"$ilpatch" report "$tmp/spool" >"$tmp/report"
contains "spool: counted" "ended by an exception" "$tmp/report"

# In a process that runs already, where Fail was compiled before: it gets the filter when it is compiled again.
cat >"$tmp/Waits.cs" <<'END'
using System;
static class Waits
{
    static int Fail(int n) { if (n > 0) { throw new ArgumentException("n is " + n); } return n; }
    static void Main()
    {
        for (bool ready = false; ; ready = true)
        {
            try { Fail(1); } catch (ArgumentException) { }
            if (!ready) { Console.WriteLine("ready"); }
            System.Threading.Thread.Sleep(10);
        }
    }
}
END
attach_to "$tmp/Waits.cs" --args --exceptions --limit 3
check "attach" '3 Waits::Fail(n: 1) threw {Message="n is 1"} (System.ArgumentException)' "$(uniq -c "$tmp/attached" | sed 's/^ *//')"

# Processes that are started show theirs, too.
passes "children" "$ilpatch" run -q --children --exceptions -o "$tmp/shown" -- sh -c "dotnet exec '$tmp/net/App.dll' & dotnet exec '$tmp/net/App.dll'; wait"
check "children" 2 "$(grep -c '^App::Loop threw {Message="own", Code=7} (Own)$' "$tmp/shown")"

# The core library's own methods, which throwing itself calls: programs do what they do without that.
for name in Work Hard; do
    compile "$tmp/core/$name.dll" tests/runtime/corelib/$name.cs
    runs_with_framework "$tmp/core/$name.dll"
    code=0
    dotnet exec "$tmp/core/$name.dll" >"$tmp/before.out" 2>"$tmp/before.err" || code=$?
    "$ilpatch" run -q --framework --where '<assembly name="System.Private.CoreLib"/>' --args --exceptions -o "$tmp/shown" -- \
        dotnet exec "$tmp/core/$name.dll" >"$tmp/out" 2>"$tmp/err"
    check "core library, $name: exit code" $code $?
    same "core library, $name: output" "$tmp/before.out" "$tmp/out"
    check "core library, $name: lines" yes "$([ "$(grep -c ' -> void$' "$tmp/shown")" -gt 1000 ] && echo yes)"
done
check "core library: exceptions" yes "$([ "$(grep -c ' threw ' "$tmp/shown")" -gt 20 ] && echo yes)"

# What is not possible is in the report, and patching once more changes nothing.
mkdir "$tmp/once" "$tmp/twice"
"$ilpatch" --exceptions -q --report "$tmp/first.json" -o "$tmp/once/App.dll" "$tmp/net/App.dll"
contains "constructor" '"withoutExceptions": "constructor"' "$tmp/first.json"
"$ilpatch" --exceptions -q --report "$tmp/second.json" -o "$tmp/twice/App.dll" "$tmp/once/App.dll"
check "once more" "" "$(grep -o '"bytesAdded": [0-9]*' "$tmp/second.json")"

# An inspector of one's own that throws: the runtime drops that.
cat >"$tmp/Own.cs" <<'END'
public static class Own
{
    public static void MyInspector(object value) { }
    public static void MyException(object exception, string method)
    {
        System.Console.WriteLine(method + " " + exception.GetType());
        throw new System.Exception("of the inspector");
    }
}
END
cat >"$tmp/Use.cs" <<'END'
static class Use
{
    static void Fail() { throw new System.ArgumentException("x"); }
    static void Main() { try { Fail(); } catch (System.ArgumentException e) { System.Console.WriteLine(e.Message); } }
}
END
mkdir "$tmp/own"
compile "$tmp/own/Own.dll" -target:library "$tmp/Own.cs"
compile "$tmp/own/Use.dll" "$tmp/Use.cs"
runs_with_framework "$tmp/own/Use.dll"
passes "own: patch" "$ilpatch" --exceptions --inspector "$tmp/own/Own.dll" --in-place "$tmp/own/Use.dll"
printf 'Use::Fail System.ArgumentException\nx\n' >"$tmp/own.expected"
dotnet exec "$tmp/own/Use.dll" >"$tmp/own.lines"
same own "$tmp/own.expected" "$tmp/own.lines"
finish
