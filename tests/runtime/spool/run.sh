#!/bin/bash
# `ilpatch run --spool`: what is recorded is what lines would say, whichever end the program comes to, and reports are made of it.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
scratch spool
need_sdk spool
export DOTNET_DbgEnableMiniDump=0
ulimit -c 0

program() { # NAME SOURCE OPTION...
    local name=$1
    shift
    compile "$tmp/$name/$name.dll" -unsafe -nowarn:0649,0169,0414,9184 "$@"
    runs_with_framework "$tmp/$name/$name.dll"
}
program Cases tests/inspector/Cases.cs -optimize+ -define:NET tests/inspector/{Newer,Framework}Cases.cs
program Recorded tests/runtime/ends/Recorded.cs -optimize+

# run OPTION... -- PROGRAM...: the exit code; with $tmp/out, $tmp/err
run() {
    timeout 1800 "$ilpatch" run "$@" >"$tmp/out" 2>"$tmp/err"
    echo $?
}
# values SPOOL: its lines, without times and threads
values() { "$ilpatch" report --raw-names --format lines "$1" | sed 's/^ *[0-9.]* [0-9]* //'; }

# ---- the same values as in lines ----

cases=(--where '<type like="Cases.*"/>' -- dotnet "$tmp/Cases/Cases.dll")
check "lines" 0 "$(run -o "$tmp/cases.json" --json "${cases[@]}")"
check "spool" 0 "$(run --spool "$tmp/cases.spool" "${cases[@]}")"
jq -r '(.method | sub("::"; ".")) + "() -> " + .value' "$tmp/cases.json" >"$tmp/expected"
values "$tmp/cases.spool" >"$tmp/recorded"
check "there are values" "$(wc -l <"$tmp/expected") values in $tmp/cases.spool; ilpatch report shows them" "$(sed -n 's/^ilpatch: \([0-9]* values\)/\1/p' "$tmp/err")"
same "the same values" "$tmp/expected" "$tmp/recorded"
if [ "$(wc -l <"$tmp/expected")" -gt 100 ]; then ok "a hundred values"; else fail "a hundred values" "$(wc -l <"$tmp/expected")"; fi

check "arguments: lines" 0 "$(run -o "$tmp/args.json" --json --args "${cases[@]}")"
check "arguments: spool" 0 "$(run --spool "$tmp/args.spool" --args "${cases[@]}")"
"$ilpatch" run -q -o "$tmp/args.txt" --args "${cases[@]}" >"$tmp/out"
sed -n 's/^\([^ (]*([^"]*)\) -> .*/\1/p' "$tmp/args.txt" | sed 's/::/./' | grep -v '[.]ctor\|`' | sort >"$tmp/expected" # of several threads
values "$tmp/args.spool" | sed -n 's/^\([^ (]*([^"]*)\) -> .*/\1/p' | grep -v '[.]ctor\|`' | sort >"$tmp/recorded"
same "arguments" "$tmp/expected" "$tmp/recorded"

run -o "$tmp/some.txt" --when 'value == null' "${cases[@]}" >"$tmp/code"
run --spool "$tmp/some.spool" --when 'value == null' "${cases[@]}" >"$tmp/code"
check "with a condition" "$(wc -l <"$tmp/some.txt")" "$(values "$tmp/some.spool" | wc -l)"
run --spool "$tmp/some.spool" --limit 10 "${cases[@]}" >"$tmp/code"
same "the first ten" <(values "$tmp/cases.spool" | head -n 10) <(values "$tmp/some.spool")

# ---- reports ----

check "a text of values" "$("$ilpatch" report --format values "$tmp/cases.spool" | md5sum)" "$("$ilpatch" report "$tmp/cases.spool" | md5sum)"
"$ilpatch" report -o "$tmp/page.html" "$tmp/cases.spool"
"$ilpatch" report --format values-html -o "$tmp/page2.html" "$tmp/cases.spool"
same "a page of values" "$tmp/page.html" "$tmp/page2.html"
"$ilpatch" report --format text "$tmp/cases.spool" >"$tmp/out" 2>"$tmp/err"
check "no calls" 2 $?
contains "no calls: what to say" 'Pass --format lines, values' "$tmp/err"
"$ilpatch" trace -q --spool "$tmp/calls.spool" -- dotnet "$tmp/Recorded/Recorded.dll" 10 exit 0 >"$tmp/out" 2>"$tmp/err"
"$ilpatch" report "$tmp/cases.spool" "$tmp/calls.spool" >"$tmp/both"
contains "beside a trace: its calls" Recorded.One "$tmp/both"
check "beside a trace: the calls of values" "$(values "$tmp/cases.spool" | wc -l)" "$(sed -n 's/^thread .*: \([0-9]*\) calls, at most 1 deep$/\1/p' "$tmp/both")"

# ---- whatever the end ----

recorded() { values "$1" | grep -c '^Recorded.One()'; }
for threads in 0 4; do
    for end in "throw 134" "fail 134" "segv 139 134" "kill 137" "_exit 7" "exit 7"; do
        read -r how codes <<<"$end"
        code=$(run --spool "$tmp/end.spool" -- dotnet "$tmp/Recorded/Recorded.dll" 5000 "$how" $threads)
        check "$how/$threads: exit code" "$code" "$(for one in $codes; do [ "$one" != "$code" ] || echo "$one"; done)"
        check "$how/$threads: all values" $((5000 * (threads + 1))) "$(recorded "$tmp/end.spool")"
    done
done

check "processes that are started" 0 "$(run --children --spool "$tmp/children.spool" -- sh -c "dotnet '$tmp/Recorded/Recorded.dll' 100 '' 0 & dotnet '$tmp/Recorded/Recorded.dll' 100 '' 0; wait")"
check "processes that are started: all values" "200 2" "$(recorded "$tmp/children.spool") $("$ilpatch" report "$tmp/children.spool" | grep -c '^process')"

# The limit is on all files: the runtime's own map of its code is one.
timeout 1800 bash -c 'ulimit -f 64; export DOTNET_EnableWriteXorExecute=0; exec "$@"' sh "$ilpatch" run --spool "$tmp/limit.spool" -- dotnet "$tmp/Recorded/Recorded.dll" 100000 "" 0 >"$tmp/out" 2>"$tmp/err"
check "a limit on files" "4 4999950000" "$? $(cat "$tmp/out")"
lost=$(sed -n 's/^ilpatch: \([0-9]*\) values could not be written to .*/\1/p' "$tmp/err")
kept=$("$ilpatch" report --format lines "$tmp/limit.spool" | wc -l)
if [ "${lost:-0}" -gt 0 ] && [ $((lost + kept)) -ge 100000 ]; then ok "a limit on files: recorded or reported"; else fail "a limit on files: recorded or reported" "$kept recorded, ${lost:-none} lost"; fi

# ---- a process that runs already ----

compile "$tmp/Live.dll" tests/runtime/attach/Live.cs
compile "$tmp/Later.dll" -target:library tests/runtime/attach/Later.cs
runs_with_framework "$tmp/Live.dll"
# attached NAME OPTION...: to a program that waits for two lines, until it has ended
attached() {
    local name=$1 line process
    shift
    coproc PROGRAM { exec dotnet exec "$tmp/Live.dll" 2>"$tmp/$name.err"; }
    process=$PROGRAM_PID
    exec 7<&"${PROGRAM[0]}" 8>&"${PROGRAM[1]}"
    read -r line <&7
    "$ilpatch" attach --method-rate 0 --max-cost 0 "$@" "$process" >"$tmp/$name.out" 2>"$tmp/$name.log" &
    awaits grep -qs 'attached to process' "$tmp/$name.log"
    echo go >&8
    while read -r line <&7; do
        [ "$line" != ready ] || echo go >&8
    done
    exec 7<&- 8>&-
    wait "$process"
    wait $!
    echo $? >"$tmp/$name.code"
}
attached lines
attached spool --spool "$tmp/attach-%p.spool"
check "attach" 0 "$(cat "$tmp/spool.code")"
sed 's/ -> .*//; s/::/./' "$tmp/lines.out" | sort >"$tmp/expected"
values "$tmp"/attach-*.spool | sed 's/() -> .*//' | sort >"$tmp/recorded"
same "attach: the same values" "$tmp/expected" "$tmp/recorded"
contains "attach: how many" "$(wc -l <"$tmp/expected") values in " "$tmp/spool.log"
"$ilpatch" attach --spool "$tmp/x.spool" --limit 10 $$ 2>"$tmp/err"
check "attach: no lines to be counted" 2 $?

# ---- the file ----

echo text >"$tmp/text"
check "another file" 4 "$(run --spool "$tmp/text" "${cases[@]}")"
check "another file: it stays" text "$(cat "$tmp/text")"
check "a device" 4 "$(run --spool /dev/null "${cases[@]}")"
contains "a device: why" 'values are recorded in a file that can be mapped' "$tmp/err"
before=$(md5sum <"$tmp/cases.spool")
check "a program that is not there" 3 "$(run --spool "$tmp/cases.spool" -- "$tmp/missing")"
check "a program that is not there: the spool of before" "$before" "$(md5sum <"$tmp/cases.spool")"
(eval "$("$ilpatch" run --spool "$tmp/env.spool" --print-env)" && dotnet "$tmp/Recorded/Recorded.dll" 100 "" 0 >"$tmp/out")
check "by variables" 100 "$(recorded "$tmp/env.spool")"

while IFS='|' read -r options message; do
    # shellcheck disable=SC2086
    check "$options: refused" 2 "$(run --spool "$tmp/x.spool" $options -- dotnet "$tmp/Cases/Cases.dll")"
    contains "$options: why" "$message" "$tmp/err"
done <<'Y'
--json|--json is about lines
--time|--time is about lines
--thread|--thread is about lines
-o x.txt|--output is about lines
--inspector full|--spool is for values that the profiler shows itself
--explain-tail|--spool is for methods that are inspected
Y
finish
