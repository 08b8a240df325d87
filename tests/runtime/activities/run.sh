#!/bin/bash
# Lines in JSON have the trace and span, or the activity, that are current (docs/PROFILER.md): beside what the program says, of values, calls
# that return nothing, exceptions, async results and iterators; with other async locals, while objects move, in the framework, by attach.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/activities
scratch activities
need_sdk activities
if ! python3 -c 'import jsonschema' 2>/dev/null; then
    skip activities "no python3-jsonschema"
    finish
fi
compile "$tmp/App.dll" "$here/App.cs"
runs_with_framework "$tmp/App.dll"

cat >"$tmp/all.xml" <<'END'
<rules><include args="yes" exceptions="yes" async="result" iterators="current"><type like="App*"/></include></rules>
END
cat >"$tmp/framework.xml" <<'END'
<rules>
  <include args="yes" exceptions="yes" async="result" iterators="current"><type like="App*"/></include>
  <include args="yes" exceptions="yes"><namespace name="System.Threading"/></include>
</rules>
END

# compared NAME RIGHT [partly]: the lines beside what the program has printed
compared() { check "$1" "$2" "$(python3 "$here/compare.py" "$tmp/expected" "$tmp/lines" ${3-} | cut -c 1-600)"; }

# run ARGUMENT OPTION...: the program, its lines in $tmp/lines
run() {
    local argument=$1
    shift
    rm -f "$tmp/lines"
    timeout 600 "$ilpatch" run --json -o "$tmp/lines" "$@" -- dotnet exec "$tmp/App.dll" "$argument" >"$tmp/expected" 2>"$tmp/said"
    check "$argument $*: exit code" 0 $?
}

run work --rules "$tmp/all.xml"
compared all "474 right"
check "all: nothing is unknown" 0 "$(grep -c 'ids of their activity' "$tmp/said")"
DOTNET_TieredCompilation=0 run work --rules "$tmp/all.xml"
compared "the last tier at once" "474 right"
run work
compared "values alone" "363 right" partly
run work --framework --rules "$tmp/framework.xml"
compared framework "474 right"
check "framework: get_CurrentThread()" yes "$(grep -q '"method":"System.Threading.Thread::get_CurrentThread"' "$tmp/lines" && echo yes)"
run bare --rules "$tmp/all.xml"
compared "no activity" "2 right"

# Objects move.
for heap in DOTNET_GCgen0size=0x10000 "DOTNET_gcServer=1 DOTNET_GCHeapCount=2 DOTNET_GCgen0size=0x40000"; do
    # shellcheck disable=SC2163,SC2086
    (export $heap; run collect --rules "$tmp/all.xml"; compared "collections, $heap" "6402 right")
done

# Where it is not known, no line has an id, and the summary says why.
run many --rules "$tmp/all.xml"
check "too many: no id" 0 "$(grep -c '"trace"\|"activity":' "$tmp/lines")"
contains "too many" "lines lack the ids of their activity: there are more than 1,024 async locals" "$tmp/said"

# Neither have counts, nor has text.
ILPATCH_COUNT=1 run work --where '<type name="App"/><method name="Value"/>'
check counts "$(printf 'ilpatch: %s values\n' 1 2 4 8 16 32 64 128)" "$(cat "$tmp/lines")"
timeout 600 "$ilpatch" run -q -o "$tmp/text" --rules "$tmp/all.xml" -- dotnet exec "$tmp/App.dll" work >"$tmp/expected"
check "text: no id" 0 "$(grep -c 'trace"\|"span"' "$tmp/text")"

# ---- a library that refers to netstandard alone ----

if find_netstandard; then
    build_csharp -target:library -define:LIBRARY -r:"$netstandard" -out:"$tmp/Library.dll" "$here/Standard.cs"
    compile "$tmp/Standard.dll" -r:"$tmp/Library.dll" -r:"$refs/netstandard.dll" "$here/Standard.cs"
    runs_with_framework "$tmp/Standard.dll"
    "$ilpatch" run -q --json -o "$tmp/lines" --where '<type name="Library"/>' -- dotnet exec "$tmp/Standard.dll" >"$tmp/out"
    check netstandard "$(cut -d ' ' -f 1 "$tmp/out")" "$(sed -n 's/.*"data":"called","trace":"\([0-9a-f]*\)".*/\1/p' "$tmp/lines")"
else
    skip netstandard "NETStandard.Library cannot be had: $(grep -m 1 error "$tmp/log")"
fi

# ---- attach ----

coproc PROGRAM { exec dotnet exec "$tmp/App.dll" wait work; }
process=$PROGRAM_PID
exec 7<&"${PROGRAM[0]}" 8>&"${PROGRAM[1]}"
read -r line <&7
check "attach: ready" ready "$line"
timeout 600 "$ilpatch" attach --method-rate 0 --max-cost 0 --json -o "$tmp/lines" --rules "$tmp/all.xml" "$process" 2>"$tmp/said"
check "attach: exit code" 0 $?
echo go >&8
cat <&7 | grep -v '^bare \|^early-own ' >"$tmp/expected"
exec 7<&- 8>&-
wait "$process"
check "attach: the program's exit code" 0 $?
compared attach "472 right"

# ---- ASP.NET Core ----

web=$(dirname "$(dirname "$framework")")/Microsoft.AspNetCore.App/$version
if [ ! -d "$web" ] || ! have curl; then
    skip "ASP.NET Core" "no ASP.NET Core, or no curl"
    finish
fi
references=("$web"/Microsoft.*.dll)
compile "$tmp/Web.dll" "${references[@]/#/-r:}" "$here/Web.cs"
cat >"$tmp/Web.runtimeconfig.json" <<END
{"runtimeOptions":{"rollForward":"Disable","frameworks":[{"name":"Microsoft.NETCore.App","version":"$version"},{"name":"Microsoft.AspNetCore.App","version":"$version"}]}}
END
rm -f "$tmp/lines"
coproc PROGRAM { exec "$ilpatch" run -q --json -o "$tmp/lines" --where '<type name="Web"/>' -- dotnet exec "$tmp/Web.dll" 2>"$tmp/said"; }
process=$PROGRAM_PID
exec 7<&"${PROGRAM[0]}" 8>&"${PROGRAM[1]}"
read -r address <&7
traces=()
for i in 1 2 3; do
    trace=4bf92f3577b34da6a3ce929d0e0e473$i
    traces+=("$trace Hello $i! $trace Hello $i!")
    check "web: answer $i" "Hello $i!" "$(curl -s -H "traceparent: 00-$trace-00f067aa0ba902b7-01" "$address/hello/$i")"
done
echo end >&8
exec 7<&- 8>&-
wait "$process"
check "web: exit code" 0 $?
check "web: traces" "$(printf '%s\n' "${traces[@]}")" "$(python3 - "$tmp/lines" <<'END'
import json
import sys

answers = {}
for line in map(json.loads, open(sys.argv[1])):
    if str(line.get("data")).startswith("Hello "):
        answers.setdefault(line["data"], []).append(f'{line.get("trace")} {line["data"]}')
        assert line["span"] != "00f067aa0ba902b7", line
for lines in answers.values():
    print(" ".join(lines))
END
)"
finish
