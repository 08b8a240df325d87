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

# ---- types ----

compile "$tmp/Types.dll" "$here/Types.cs"
runs_with_framework "$tmp/Types.dll"
# finds CONDITION METHODS: the values of these meet it
finds() {
    rm -f "$tmp/found"
    "$ilpatch" run -q -o "$tmp/found" --inspector unmanaged --where '<type name="Types"/>' --when "$1" -- dotnet exec "$tmp/Types.dll" >"$tmp/found.out" 2>"$tmp/found.said"
    check "$1" "$2" "$(sed 's/^Types:://; s/ -> .*//' "$tmp/found" | xargs)"
}
are() { finds "value is $1" "$2"; }
are Int32 Number
are System.Int32 Number
are Box Box
are S.Plain Plain
are Plain+Nest Nest
are Plain.Nest Nest
are Side "Side Side2 Derived"
are Box+Side "Side Side2 Derived"
are S.Box.Side "Side Side2 Derived"
are S.Box+Derived Derived
are St "St BoxedSt"
are Box+En En
are List List
are Enumerator Enumerator
are Dictionary ""
are Dictionary+KeyCollection Keys
finds 'value.Item7 == 7 and value.Item8 == "eight" and value.Item9 == 9' "Nine Sixteen Class"
finds 'value.Item15 == "fifteen" and value.Item16 == 16' Sixteen

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
echo '<rules><include name="n" when="value == 1 or args.0 in 1..value"/></rules>' >"$tmp/mixed.xml"
refused "an argument and the value" "mixed.xml:1: rule 'n': when= compares an argument with another value of the call (column 15)" "$ilpatch" run --rules "$tmp/mixed.xml" -- dotnet exec "$tmp/Choice.dll"
refused "two arguments" "ilpatch: --when compares an argument with another value of the call (column 1)" "$ilpatch" run --when 'args.0 > args.1' -- dotnet exec "$tmp/Choice.dll"

# ---- arguments ----

compile "$tmp/Arguments.dll" "$here/Arguments.cs"
runs_with_framework "$tmp/Arguments.dll"
cat >"$tmp/args.xml" <<'X'
<rules>
  <exclude><method regex="^(Main|Work|Try)$"/></exclude>
  <include byref="inspect" args="yes" this="yes"><any><type name="Arguments"/><type name="Cart"/><type name="Point"/></any></include>
</rules>
X
sed 's/ args="yes" this="yes"//' "$tmp/args.xml" >"$tmp/plain.xml"
# with_args LINES RULES OPTION... [-- ARGUMENT...]: a task that a method returns may have its result by then, or not yet
with_args() {
    local lines=$1 rules=$2 options=()
    shift 2
    while [ $# -ne 0 ] && [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    [ $# -eq 0 ] || shift
    rm -f "$lines.raw"
    "$ilpatch" run -o "$lines.raw" --rules "$rules" "${options[@]}" -- dotnet exec "$tmp/Arguments.dll" "$@" >"$lines.out" 2>"$lines.said"
    sed 's/ -> {Status=.*/ -> task/' "$lines.raw" | sort >"$lines"
}
with_args "$tmp/entries" "$tmp/args.xml"
check "arguments: lines" "6150 done" "$(wc -l <"$tmp/entries") $(cat "$tmp/entries.out")"

# begins NAME CONDITION PATTERN: the lines that it leaves are those that fit, with arguments and without
begins() {
    with_args "$tmp/$1" "$tmp/args.xml" --when "$2"
    grep -E -- "$3" "$tmp/entries" >"$tmp/$1.expected"
    if [ -s "$tmp/$1.expected" ]; then same "arguments: $2" "$tmp/$1.expected" "$tmp/$1"; else fail "arguments: $2" "no line is expected"; fi
    check "arguments: $2: reported" "ilpatch: --when was met by $(wc -l <"$tmp/$1.expected") of 6150 values" "$(grep 'was met' "$tmp/$1.said")"
    with_args "$tmp/$1.plain" "$tmp/plain.xml" --when "$2"
    sed -E 's/^([A-Za-z]+::[A-Za-z]+)\(.*\) -> /\1 -> /' "$tmp/$1.expected" | grep -v -e '-> task$' | sort >"$tmp/$1.plain.expected"
    grep -v -e '-> task$' "$tmp/$1.plain" >"$tmp/$1.plain.shown"
    same "arguments that are not shown: $2" "$tmp/$1.plain.expected" "$tmp/$1.plain.shown"
}
begins a_number 'args.count == 7' '\(count: 7[,)]'
begins and_value 'args.count > 290 and value < 440' 'Total\(count: 29[123],'
begins or_value 'value == 5 or args.count == 5' '-> 5 \(|\(count: 5[,)]'
begins negated 'not args.count > 1 and args.currency is not null' 'Total\(count: [01],'
begins position 'args.0 == 5' '\((this: .*\}, )?[a-z]+: 5[,)]'
begins a_text 'args.currency == "EUR"' 'Total\(.*currency: "EUR"'
begins a_null 'args.currency == null' 'Total\(.*currency: null'
begins a_path 'args.order.Customer.Name =~ "^x29"' 'Ship\(.*Name="x29'
begins null_path 'args.order.Customer == null and args.fast' 'Ship\(order: null, fast: true'
begins changed 'args.order.Currency == "EUR" and args.order.Id in 20..25' 'Ship\(order: Order \{Id=2[1-5],'
begins further 'args.wide.f19 == "w150" and args.wide.f17 == 300' 'Spread\(wide: \{f00=150,'
begins further_class 'args.wide.Inner.f18 == 20 or args.wide.Last == -21 and args.wide.Own == "o21"' 'Class\(wide: (WideClass .*f15=20|WideDerived .*f15=21),'
begins further_value 'value.f19 == "w7" or value.Last == 8' 'Spread.*-> \{f00=7,|Class\(.*f15=8,'
begins generic 'args.value == "s12" or args.value.X == 12' 'Same\(value: ("s12"|\{X=12,)'
begins a_type 'args.wide is WideDerived and args.wide.f15 > 290' 'Class\(wide: WideDerived .*f15=29[1-9],'
begins of_object 'this.Size == 17' 'this: Cart \{Size=17\}'
begins of_struct 'this.X == 17 and args.more == 17' 'Point::Sum\(this: \{X=17,'
begins by_reference 'args.by == 9 and args.other.Y == 18' 'Sum\(point: \{X=9,'
begins recursive 'args.n == 40' '\(n: 40[,)]'
begins left_by_exception 'args.text == "t31"' 'Risky\(i: 31,'
begins caught 'args.depth == 7 and args.n == 3' 'Caught\(n: 3, depth: 7\)'
begins null_reference 'args.numbers.Length == 1 and args.depth == 1' 'Nothing\(.*depth: 1\)'
begins of_async 'args.i in 30..31' 'Later\(i: 3[01]\)|Risky\(i: 31,'

with_args "$tmp/mistyped" "$tmp/plain.xml" --when 'args.cuont > 3'
check "an argument that nothing has: reported" " ilpatch: --when was neither met nor not met by 6150 of them; the first: no such member or argument (column 6)" \
    "$(cat "$tmp/mistyped") $(grep neither "$tmp/mistyped.said")"
with_args "$tmp/withheld" "$tmp/plain.xml" --when 'args.text.Length > 3 and value >= 0' --limit 1
contains "an argument that is withheld: not known" "ilpatch: --when was neither met nor not met by " "$tmp/withheld.said"
with_args "$tmp/withheld" "$tmp/plain.xml" --when 'args.rest == 0'
check "an argument without a value: not shown" "" "$(cat "$tmp/withheld")"
# a call takes at least what it sleeps
with_args "$tmp/time" "$tmp/plain.xml" --when 'elapsed >= 60ms and value == 60' -- slow
check "time: at least" "Arguments::Slow -> 60 (System.Int32)" "$(cat "$tmp/time")"
with_args "$tmp/time" "$tmp/plain.xml" --when 'elapsed < 60ms and value == 60' -- slow
check "time: no less" "0 ilpatch: --when was met by 0 of 2 values" "$(wc -l <"$tmp/time") $(grep -E 'was met|neither' "$tmp/time.said")"
with_args "$tmp/time" "$tmp/args.xml" --when 'args.milliseconds < 30 and elapsed in 1ms..1h' -- slow
check "time: and arguments" "Arguments::Slow(milliseconds: 1) -> 1 (System.Int32)" "$(cat "$tmp/time")"

# of some methods, with and without what else shows the entry of a call
cat >"$tmp/of_rules.xml" <<'X'
<rules>
  <include when="args.count in 3..4 and value &lt; 6"><method name="Total"/></include>
  <include args="yes" when="this.Size == 17"><type name="Cart"/></include>
  <include><method name="None"/></include>
</rules>
X
rm -f "$tmp/of_rules"
ILPATCH_ELAPSED=1 "$ilpatch" run -o "$tmp/of_rules" --rules "$tmp/of_rules.xml" -- dotnet exec "$tmp/Arguments.dll" >/dev/null 2>"$tmp/of_rules.said"
check "arguments, of rules" "Arguments::Total -> 4.5 (System.Decimal)|Cart::Add(count: 1) -> 18 (System.Int32) in T|300" \
    "$(grep -v None "$tmp/of_rules" | sed 's/ in [0-9.]*us$/ in T/' | tr '\n' '|')$(grep -c '^Arguments::None -> 5' "$tmp/of_rules")"
check "arguments, of rules: reported" "ilpatch: when= was met by 2 of 600 values" "$(grep 'was met' "$tmp/of_rules.said")"
"$ilpatch" run -q --where '<method name="Total"/>' --when 'args.count == 3' -- dotnet exec "$tmp/Arguments.dll" >/dev/null 2>"$tmp/alone"
check "arguments: without rules" "Arguments::Total -> 4.5 (System.Decimal)" "$(cat "$tmp/alone")"
"$ilpatch" run -q --args --where '<method name="Total"/>' --when 'args.count == 3' --json -- dotnet exec "$tmp/Arguments.dll" >/dev/null 2>"$tmp/alone"
check "arguments: with --args and --json" 1 "$(grep -c '"args":{"count":3,"currency":"EUR"},"duration":[0-9]*,' "$tmp/alone")"
"$ilpatch" run -q --where '<method name="Total"/>' --when 'args.count == 3' --json -- dotnet exec "$tmp/Arguments.dll" >/dev/null 2>"$tmp/alone"
check "arguments: with --json alone" "1 0" "$(grep -c '"value":"4.5"' "$tmp/alone") $(grep -c '"args"' "$tmp/alone")"
rm -f "$tmp/args.spool"
"$ilpatch" run -q --args --where '<method name="Total"/>' --when 'args.currency == "EUR" and value < 5' --spool "$tmp/args.spool" -- dotnet exec "$tmp/Arguments.dll" >/dev/null 2>"$tmp/said"
check "arguments: in a spool" 'count: 0, currency: "EUR" 0.0|count: 3, currency: "EUR" 4.5|' \
    "$("$ilpatch" report --format lines "$tmp/args.spool" 2>>"$tmp/said" | sed -n 's/.*Total(\(.*\)) -> \(.*\)/\1 \2/p' | tr '\n' '|')"
ILPATCH_COUNT=1 "$ilpatch" run -q --where '<method name="Total"/>' --when 'args.currency == "EUR"' -- dotnet exec "$tmp/Arguments.dll" >/dev/null 2>"$tmp/counted"
check "arguments: values that are counted" "ilpatch: 64 values" "$(tail -n 1 "$tmp/counted")"

# ---- what is not known ----

run "$tmp/unknown" --when 'value.Totl > 10'
check "a member that nothing has: no line" "" "$(cat "$tmp/unknown")"
check "a member that nothing has: reported" \
    "ilpatch: --when was neither met nor not met by 5650 of them; the first: no such member or argument (column 7)" \
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
valid_json "count: valid" --lines count "$tmp/count"
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

# as_text LINES: of JSON
as_text() { PYTHONIOENCODING=utf-8 python3 tests/line_text.py "$1" >"$1.text" 2>"$1.error" || cat "$1.error"; }
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

# attached LINES PROGRAM OPTION...: while the program works
attached() {
    local lines=$1 program=$2 line
    shift 2
    coproc PROGRAM { exec dotnet exec "$program" wait 2>&1; }
    local process=$PROGRAM_PID
    exec 7<&"${PROGRAM[0]}" 8>&"${PROGRAM[1]}"
    read -r line <&7
    (sleep 3; echo go >&8) &
    timeout 120 "$ilpatch" attach --method-rate 0 --max-cost 0 "$@" "$process" >"$lines" 2>"$lines.said"
    code=$?
    line=$(kill -0 "$process" && echo runs)
    kill "$process"
    exec 7<&- 8>&-
    wait
    echo "$code $line"
}
check "attach: --limit ends it, and the process goes on" "0 runs" "$(attached "$tmp/attached" "$tmp/Choice.dll" --rules "$tmp/rules.xml" --when 'value == 5' --limit 4)"
check "attach: lines" 4 "$(wc -l <"$tmp/attached")"
check "attach: --for ends it, and the process goes on" "0 runs" "$(attached "$tmp/attached" "$tmp/Choice.dll" --rules "$tmp/rules.xml" --when 'value == 5' --for 4s)"
check "attach: arguments" "0 runs" "$(attached "$tmp/attached" "$tmp/Arguments.dll" --rules "$tmp/plain.xml" --when 'args.count == 9 and value > 13' --limit 5)"
check "attach: lines of arguments" "5 Arguments::Total -> 13.5 (System.Decimal)" "$(sort "$tmp/attached" | uniq -c | xargs)"

finish
