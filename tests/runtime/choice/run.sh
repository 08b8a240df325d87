#!/bin/bash
# Which values are shown: --when, --sample, --rate, --limit, --for, --count; and --time and --thread beside them. Of a condition the values are
# compared with those that a look at all lines finds.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/choice
scratch choice
need_sdk choice

compile "$tmp/Choice.dll" "$here/Choice.cs"
runs_with_framework "$tmp/Choice.dll"
# run LINES OPTION... [-- ARGUMENT...]: what is said goes to LINES.said
run() {
    local lines=$1 options=()
    shift
    while [ $# -ne 0 ] && [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    [ $# -eq 0 ] || shift
    rm -f "$lines"
    "$ilpatch" run -o "$lines" --rules "$tmp/rules.xml" "${options[@]}" -- dotnet exec "$tmp/Choice.dll" "$@" >"$lines.out" 2>"$lines.said"
}
cat >"$tmp/rules.xml" <<'X'
<rules>
  <exclude><method name="Main"/></exclude>
  <include byref="inspect"><type name="Choice"/></include>
</rules>
X
run "$tmp/all" --inspector unmanaged
check "all: lines" "6000 done" "$(wc -l <"$tmp/all") $(cat "$tmp/all.out")"

# ---- conditions ----

# meets NAME CONDITION PATTERN: the lines that it leaves are those that fit
meets() {
    run "$tmp/$1" --when "$2"
    grep -E -- "$3" "$tmp/all" >"$tmp/$1.expected"
    if [ -s "$tmp/$1.expected" ]; then same "when: $2" "$tmp/$1.expected" "$tmp/$1"; else fail "when: $2" "no line is expected"; fi
    check "when: $2: reported" "ilpatch: --when was met by $(wc -l <"$tmp/$1.expected") of 6000 values" "$(grep 'was met' "$tmp/$1.said")"
}
meets number 'value > 996' '-> 99[789] \(System.Int'
meets interval 'value in 10..12' '-> 1[012] \(System.Int'
meets outside 'value != null and value < 3' '-> [012] \(System.Int'
meets null 'value == null' '-> null'
meets text 'value =~ @"^s99\d$"' '-> "s99[0-9]"'
meets equal 'value == "s5"' '-> "s5" '
meets member 'value.Total >= 1497 and value.Name != null' 'Order -> \{Id=998'
meets path 'value.Name.Length == 2' 'Order -> .*Name="x.",?'
meets type 'value is Order and value.Id in (3, 7)' 'Order -> \{Id=[37],'
meets either 'value == 5 or value.Id == 5' '-> (5 \(|\{Id=5,)'
meets class 'value is Box and value.Size > 995' 'Thing -> .*Size=99[79].*\(Box'
meets base 'value is Thing and value.Color == Green and value.Size < 20' 'Thing -> \{Size=(4|10|16), Color=Green\} \(Thing'
meets element 'value.Sides[1] == 1998 and value.Sides.Count == 2' 'Thing -> .*Size=999'

# ---- of one rule ----

ruled() { # NAME OPTION... <RULES
    local name=$1
    shift
    cat >"$tmp/$name.xml"
    "$ilpatch" run -o "$tmp/$name" --rules "$tmp/$name.xml" "$@" -- dotnet exec "$tmp/Choice.dll" >"$tmp/$name.out" 2>"$tmp/$name.said"
}
ruled rule <<'X'
<rules>
  <include when="value > 996"><type name="Choice"/><return type="int"/></include>
  <exclude><method name="Main"/></exclude>
  <include byref="inspect"><type name="Choice"/></include>
</rules>
X
own=$(sed -n 's/^\([^ ]*\) -> 997 (System.Int32)$/\1/p' "$tmp/all" | sort -u | head -n 1)
grep -v "^$own -> " "$tmp/all" >"$tmp/others.expected"
grep -v "^$own -> " "$tmp/rule" >"$tmp/others"
same "of a rule: the others" "$tmp/others.expected" "$tmp/others"
check "of a rule: its own" "997 998 999" "$(sed -n "s/^$own -> \([0-9]*\) .*/\1/p" "$tmp/rule" | sort -u | xargs)"
check "of a rule: reported" "ilpatch: when= was met by 3 of 1000 values" "$(grep 'was met' "$tmp/rule.said")"
"$ilpatch" run -o "$tmp/both" --rules "$tmp/rule.xml" --when 'value < 999' -- dotnet exec "$tmp/Choice.dll" >"$tmp/both.out" 2>"$tmp/both.said"
check "of a rule and of all" "997 998" "$(sed -n "s/^$own -> \([0-9]*\) .*/\1/p" "$tmp/both" | sort -u | xargs)"
contains "of a rule and of all: reported" "ilpatch: --when and when= were met by " "$tmp/both.said"
ruled hidden <<'X'
<rules><exclude><method name="Main"/></exclude><include redact="Id,type:Box"><type name="Choice"/></include></rules>
X
contains "hidden by a rule: a name" "{Id={redacted}, " "$tmp/hidden"
contains "hidden by a rule: a type" "{redacted}" "$tmp/hidden"
check "hidden by a rule: nothing else" "" "$(grep -E 'Id=[0-9]|Size=[0-9]+, .*\(Box' "$tmp/hidden" | head -n 1)"

# refused NAME MESSAGE COMMAND...
refused() {
    local name=$1 message=$2
    shift 2
    "$@" >"$tmp/refused" 2>&1
    check "$name: exit code" 2 $?
    contains "$name" "$message" "$tmp/refused"
}
refused "a file" "rule.xml:2: when= needs a process: a patched file shows all values" "$ilpatch" --rules "$tmp/rule.xml" -o "$tmp/none.dll" "$tmp/Choice.dll"
refused "a file that hides" "hidden.xml:1: redact= needs a process" "$ilpatch" --rules "$tmp/hidden.xml" -o "$tmp/none.dll" "$tmp/Choice.dll"
refused "a trace" "rule.xml:2: when= is for ilpatch run and attach" "$ilpatch" trace --rules "$tmp/rule.xml" -- dotnet exec "$tmp/Choice.dll"
refused "another inspector" "rule.xml:2: when= is for values that the profiler shows itself" "$ilpatch" run --inspector full --rules "$tmp/rule.xml" -- dotnet exec "$tmp/Choice.dll"
echo '<rules><include name="n" when="elapsed > 5ms"/></rules>' >"$tmp/elapsed.xml"
refused "a root that is not known" "elapsed.xml:1: rule 'n': when= has 'elapsed', which is not known when a method returns" "$ilpatch" run --rules "$tmp/elapsed.xml" -- dotnet exec "$tmp/Choice.dll"

# ---- what is not known ----

run "$tmp/unknown" --when 'value.Totl > 10'
check "a member that nothing has: no line" "" "$(cat "$tmp/unknown")"
check "a member that nothing has: reported" \
    "ilpatch: --when was neither met nor not met by 5650 of them; the first: there is no such member or argument (column 7)" \
    "$(grep neither "$tmp/unknown.said")"

# ---- numbers ----

run "$tmp/limit" --when 'value > 500' --limit 7
check "limit: lines" 7 "$(wc -l <"$tmp/limit")"
check "limit: reported" "ilpatch: --limit left out $((499 + 499 - 124 + 499 - 7)) values" "$(grep limit "$tmp/limit.said")"
run "$tmp/sample" --sample 1/100
check "sample: lines" "60 ilpatch: --sample left out 5940 values" "$(wc -l <"$tmp/sample") $(grep sample "$tmp/sample.said")"
run "$tmp/threads" --sample 1/100 --limit 123 -- 4
check "four threads: limit" "123 ilpatch: --limit left out 117 values" "$(wc -l <"$tmp/threads") $(grep limit "$tmp/threads.said")"
run "$tmp/threads" --when 'value == 5' -- 4
check "four threads: condition" "12 ilpatch: --when was met by 12 of 24000 values" "$(wc -l <"$tmp/threads") $(grep 'was met' "$tmp/threads.said")"
run "$tmp/rate" --rate 10/h
check "rate: lines" "10 ilpatch: --rate left out 5990 values" "$(wc -l <"$tmp/rate") $(grep rate "$tmp/rate.said")"
run "$tmp/for" --for 1ns
check "for: lines" "0 ilpatch: --for left out 6000 values" "$(wc -l <"$tmp/for") $(grep -e --for "$tmp/for.said")"
run "$tmp/for" --for 1h
check "for: all are in time" "6000 " "$(wc -l <"$tmp/for") $(grep -e --for "$tmp/for.said")"
run "$tmp/quiet" -q --when 'value == 5' --sample 1/2
check "quiet: nothing but what was not known" 1 "$(wc -l <"$tmp/quiet.said")"

# ---- counts ----

run "$tmp/count" --count -- 4
sed 's/ -> .*//' "$tmp/all" | sort | uniq -c | awk '{ printf "%12d  %s\n", 4 * $1, $2 }' | sort >"$tmp/count.expected"
sort "$tmp/count" >"$tmp/count.sorted"
same "count: each method's" "$tmp/count.expected" "$tmp/count.sorted"
check "count: the most first" "" "$(awk '{ print $1 }' "$tmp/count" | sort -nrc 2>&1)"
run "$tmp/count" --count --when 'value == 5' -- 4
check "count: of values that meet a condition" 12 "$(awk '{ n += $1 } END { print n }' "$tmp/count")"
run "$tmp/count" --count --json
check "count: as JSON" "6000 $(cut -d' ' -f1 "$tmp/all" | sort -u | wc -l)" \
    "$(have jq && jq -s '[(map(.count) | add), length] | join(" ")' -r "$tmp/count" || echo "6000 $(wc -l <"$tmp/count")")"
refused "count: no lines" "--time is about lines of values, and --count shows none" "$ilpatch" run --count --time -- dotnet exec "$tmp/Choice.dll"
refused "count: no spool" "--count is about lines" "$ilpatch" run --count --spool "$tmp/s" -- dotnet exec "$tmp/Choice.dll"

# ---- beside the value ----

run "$tmp/beside" --time --thread --when 'value == 5' -- 2
check "time and thread: lines" 6 "$(grep -cE '^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{7}Z [0-9]+ Choice::' "$tmp/beside")"
check "time and thread: two threads" 2 "$(cut -d' ' -f2 "$tmp/beside" | sort -u | wc -l)"
run "$tmp/beside" --time --limit 1
now=$(date -u +%s)
then=$(date -u -d "$(cut -d' ' -f1 "$tmp/beside")" +%s)
check "time: of now" yes "$([ $((now - then)) -ge 0 ] && [ $((now - then)) -lt 600 ] && echo yes || echo "$then, and now is $now")"

# ---- JSON ----

cat >"$tmp/as_text.py" <<'P'
"""Checks each line against the schema, and prints it as the line of text that it stands for."""
import json, jsonschema, sys
schema = jsonschema.Draft202012Validator(json.load(open("data/line.schema.json")))
for line in open(sys.argv[1], encoding="utf-8"):
    value = json.loads(line)
    schema.validate(value)
    kind = "" if value["type"] is None else f" ({value['type']})"
    print(f"{value['method']} -> {value['value']}{kind}")
P
# as_text LINES: of JSON
as_text() { PYTHONIOENCODING=utf-8 python3 "$tmp/as_text.py" "$1" >"$1.text" 2>"$1.error" || cat "$1.error"; }
if python3 -c 'import jsonschema' 2>/dev/null; then
    run "$tmp/json" --json
    check "json: valid" "" "$(as_text "$tmp/json")"
    same "json: the same values" "$tmp/all" "$tmp/json.text"
    run "$tmp/odd" --inspector unmanaged -- odd
    run "$tmp/odd.json" --json -- odd
    check "json: odd ones are valid" "" "$(as_text "$tmp/odd.json")"
    same "json: the same odd values" "$tmp/odd" "$tmp/odd.json.text"
    ! have jq || check "json: jq reads it" "1000 1000" \
        "$(jq -r 'select(.method == "Choice::Number") | .value' "$tmp/json" | wc -l) $(jq -r '.type // empty' "$tmp/json" | grep -c Order)"
    check "json: odd lines" 6 "$(wc -l <"$tmp/odd")"
    check "json: no line is longer than a pipe takes whole" 0 "$(LC_ALL=C awk 'length($0) >= 4096' "$tmp/odd.json" | wc -l)"
    check "json: numbers" "$(sed -n 's/.*"process":\([0-9]*\),"thread":\([0-9]*\),.*"token":"0x06.*/yes/p' "$tmp/odd.json" | sort -u)" yes
else
    skip json "no python3-jsonschema"
fi

# ---- other ways in ----

text=$("$ilpatch" run --print-env --rules "$tmp/rules.xml" --when 'value == "s5" or value =~ @"^s\d7$"' --limit 3 -- | sed -n "s/^export ILPATCH_OPTIONS=//p")
check "print-env: the condition is there" yes "$(case $text in *--when*--limit*) echo yes ;; *) echo "$text" ;; esac)"
(
    eval "$("$ilpatch" run --print-env -o "$tmp/env" --rules "$tmp/rules.xml" --when 'value == "s5" or value =~ @"^s\d7$"' --limit 3 --)"
    dotnet exec "$tmp/Choice.dll" >/dev/null
)
check "print-env: lines" '"s5" "s17" "s27"' "$(sed 's/.* -> //; s/ (.*//' "$tmp/env" | tr '\n' ' ' | sed 's/ $//')"
"$ilpatch" run -q --inspector full --when 'value == 1' -- dotnet exec "$tmp/Choice.dll" >/dev/null 2>"$tmp/said"
check "another inspector: refused" "2 yes" "$? $(grep -q 'profiler shows itself' "$tmp/said" && echo yes)"

# attached LINES OPTION...: while the program works
attached() {
    local lines=$1 line
    shift
    coproc PROGRAM { exec dotnet exec "$tmp/Choice.dll" wait 2>&1; }
    local process=$PROGRAM_PID
    exec 7<&"${PROGRAM[0]}" 8>&"${PROGRAM[1]}"
    read -r line <&7
    (sleep 3; echo go >&8) &
    timeout 120 "$ilpatch" attach --rules "$tmp/rules.xml" "$@" "$process" >"$lines" 2>"$lines.said"
    code=$?
    line=$(kill -0 "$process" && echo runs)
    kill "$process"
    exec 7<&- 8>&-
    wait
    echo "$code $line"
}
check "attach: --limit ends it, and the process goes on" "0 runs" "$(attached "$tmp/attached" --when 'value == 5' --limit 4)"
check "attach: lines" 4 "$(wc -l <"$tmp/attached")"
check "attach: --for ends it, and the process goes on" "0 runs" "$(attached "$tmp/attached" --when 'value == 5' --for 4s)"

finish
