#!/bin/bash
# What is watched in a process that runs already ends without a trace, is watched again, joined, and changed: which values come, which code runs.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
. tests/live.sh
here=$PWD/tests/runtime/watch

scratch watch

need_sdk watch
if ! command -v python3 >/dev/null; then
    skip watch "no python3"
    finish
fi

compile "$tmp/Steps.dll" "$here/Steps.cs"
runs_with_framework "$tmp/Steps.dll"
program=(dotnet exec "$tmp/Steps.dll")

# methods VALUES: the names of the methods whose values came, each once
methods() { sed -n 's/(.*//; s/ .*//; s/.*:://p' "$tmp/$1" | sort -u | tr '\n' ' '; }

# ---- one after the other, with whatever options ----

# Each watch shows what its own options say, whatever the one before was: forms of lines, arguments, exceptions, places, inspectors.
start again
says 1
plain=$answer
watched() { # VALUES OPTION...
    attach "$@"
    says 1
    check "answer/$1" "$plain" "$answer"
    leave "$attaching"
    check "code/$1" 0 $left
    says 1
    check "answer-after/$1" "$plain" "$answer"
}
for round in 1 2; do
    group="again/$round/"
    watched all
    check all "Add All Name Pair PrintMembers Small Text ToString get_left get_right " "$(methods all)"
    watched one --where '<method name="Add"/>'
    check one "Steps::Add -> 3 (System.Int32)" "$(cat "$tmp/one")"
    watched named --method 'S*::Add' --method 'Pa?r'
    check named "Add Pair " "$(methods named)"
    watched args --method Add --args --time --thread
    contains args 'Steps::Add(left: 1, right: 2) -> 3 (System.Int32)' "$tmp/args"
    watched json --where '<method name="Pair"/>' --json --width 2000
    check json '{"left":1,"right":"x"}' "$(jq -c '.data // empty' "$tmp/json" | head -n 1)"
    watched when --when 'value > 2' --where '<method name="Small"/><method name="Add"/>' --width 40
    check when "" "$(cat "$tmp/when")"
    watched when-met --when 'value > 2' --where '<return type="System.Int32"/>'
    check when-met "Add " "$(methods when-met)"
    watched threw --exceptions --where '<method name="Fails"/>'
    watched stock --inspector full --where '<method name="Text"/>'
    contains stock 'Steps::Text -> "text 1" (System.String)' "$tmp/stock"
    watched spool --spool "$tmp/values.spool" --where '<method name="Name"/>'
    contains spool '"n1"' <("$ilpatch" report --format lines "$tmp/values.spool")
    check spool-is-let-go "0 0" "$(grep -c 'values\.spool' "/proc/$process/maps") $(ls -l "/proc/$process/fd" | grep -c 'values\.spool')"
done
group=
says slow
check sockets 1 "$(ls "${TMPDIR:-/tmp}"/ilpatch-"$process"-*-socket | wc -l)"
end_well

# ---- the code is what it was ----

# Its own stack trace shows it: a method that is inlined has no frame. The runtime inlines Tiny into Inlined, unless Tiny is watched.
start code
says inlined
before=$answer
attach code --where '<method name="Tiny"/>'
says inlined
during=$answer
leave "$attaching"
for i in 1 2 3 4 5; do says inlined; done
check inlined-again "0 1 0" "$before $during $answer"
check mask-and-methods 0 "$(grep -c 'failed\|keep' "$tmp/code.log")"
end_well

# ---- a file, and detach ----

start file
"$ilpatch" attach -q -o "$tmp/file.values" --report "$tmp/file.json" --where '<method name="Add"/>' "$process"
check report-of-a-file-in-part "file.json.part-$process" "$(cd "$tmp" && ls -d file.json*)"
says 2
"$ilpatch" attach "$process" 2>"$tmp/file.log"
check join-of-a-file-refused 3 $?
contains join-of-a-file-reported "only lines on standard output can be joined" "$tmp/file.log"
"$ilpatch" detach "$process"
check detach 0 $?
check report-of-a-file "file.json" "$(cd "$tmp" && ls -d file.json*)"
says 3
check file "Steps::Add -> 4 (System.Int32)" "$(cat "$tmp/file.values")"
"$ilpatch" detach "$process" 2>"$tmp/file.log"
check detach-of-nothing "3 1" "$? $(grep -c "nothing is watched in process $process" "$tmp/file.log")"
attach late --where '<method name="Add"/>'
"$ilpatch" detach "$process"
wait "$attaching"
check detach-ends-commands 0 $?
contains detach-is-reported "process $process goes on; another command ended the watch" "$tmp/late.log"
end_well
"$ilpatch" detach "$process" 2>"$tmp/file.log"
check detach-of-no-process 3 $?
"$ilpatch" detach 2>"$tmp/file.log"
check detach-which 2 $?

# A command that has joined leaves the report of the first one alone: the process writes it at the end.
start reported
attach first --report "$tmp/first.json" --where '<method name="Add"/>'
first=$attaching
attach second
leave "$attaching"
check report-stays-in-part "first.json.part-$process" "$(cd "$tmp" && ls -d first.json*)"
leave "$first"
check report-at-the-end "first.json 1" "$(cd "$tmp" && ls -d first.json*) $(jq '[.rules[].inspected] | add' "$tmp/first.json")" # rules are known at the end
end_well

# ---- two at once, and other rules ----

start two
attach first --where '<method name="Add"/>'
first=$attaching
attach second
second=$attaching
contains joined "which others watch already" "$tmp/second.log"
attach third --where '<method name="Add"/>'
leave "$attaching"
check the-same-options-join 0 $left
"$ilpatch" attach --where '<method name="Name"/>' "$process" 2>"$tmp/two.log"
check other-options-refused "3 1" "$? $(grep -c 'is watched already, with the options .*where=<method name="Add"/>' "$tmp/two.log")"
contains other-options-named "so --where cannot change it" "$tmp/two.log"
# refuses NAME MESSAGE OPTION...: the command does not join, and the message has the option
refuses() {
    local name=$1 message=$2
    shift 2
    "$ilpatch" attach "$@" "$process" >"$tmp/two.out" 2>"$tmp/two.log"
    check "refused/$name" "3 " "$? $(cat "$tmp/two.out")"
    contains "refused/$name" "$message" "$tmp/two.log"
}
refuses when-and-json "so --when, --json cannot change it" --where '<method name="Add"/>' --when 'value > 3' --json
refuses columns "so --time, --thread cannot change it" --time --thread
refuses rate "so --rate cannot change it" --rate 1/s
refuses cost "so --max-cost cannot change it" --max-cost 7%
refuses report "so --report cannot change it" --report "$tmp/two.json"
refuses report-and-depth "so --depth, --report cannot change it" --report "$tmp/two.json" --depth 2
refuses spool "so --spool cannot change it" --spool "$tmp/two.spool"
refuses trace "one command that is attached alone" --trace --where '<method name="Add"/>'
refuses file "leave -o and --target-stderr out" -o "$tmp/two.values"
refuses target-stderr "leave -o and --target-stderr out" --target-stderr
check nothing-left "" "$(ls "$tmp"/two.json "$tmp"/two.spool "$tmp"/two.values 2>/dev/null)"
# Options of its own, and those that hold already, are no matter.
attach own --color always --limit 1 --for 10min --max-cost 5% --method-rate 1000/s --where '<method name="Add"/>'
own=$attaching
says 1
awaits grep -q Add "$tmp/second"
wait "$own"
check own-options-join "0 Add " "$? $(methods own)"
echo '<rules><include><method name="Name"/></include></rules>' >"$tmp/name.xml"
"$ilpatch" rules set "$process" "$tmp/name.xml"
check rules-set 0 $?
says 2
awaits grep -q Name "$tmp/second"
leave $first
says 3
awaits grep -q n3 "$tmp/second"
echo '<rules><include><method nom="Name"/></include></rules>' >"$tmp/bad.xml"
"$ilpatch" rules set "$process" "$tmp/bad.xml" 2>"$tmp/two.log"
check bad-rules 2 $?
echo "<rules><include inspector='$tmp/Other.dll'><method name='Name'/></include></rules>" >"$tmp/own.xml"
compile "$tmp/Other.dll" -target:library "$PWD/tests/runtime/attach/Own.cs"
"$ilpatch" rules set "$process" "$tmp/own.xml" 2>"$tmp/two.log"
check inspectors-refused "3 1" "$? $(grep -c 'take an attach of their own' "$tmp/two.log")"
says 4
awaits grep -q n4 "$tmp/second"
leave $second
check first "Steps::Add -> 3 (System.Int32) Steps::Name -> \"n2\" (System.String) " "$(tr '\n' ' ' <"$tmp/first")"
check second "Steps::Add -> 3 (System.Int32) Steps::Name -> \"n2\" (System.String) Steps::Name -> \"n3\" (System.String) Steps::Name -> \"n4\" (System.String) " "$(tr '\n' ' ' <"$tmp/second")"
contains counts-of-the-last-rules "1 method inspected" "$tmp/second.log"
"$ilpatch" rules set "$process" "$tmp/name.xml" 2>"$tmp/two.log"
check rules-set-for-nothing 3 $?
end_well

# ---- counts ----

# Each command has those since it has attached, whatever ended it or changed the rules meanwhile.
start counts
says 1
attach counts.first --count --method Add --method Name
first=$attaching
for i in 1 2 3; do says $i; done
attach counts.second --count --method Add --method Name
second=$attaching
says 4
attach counts.third
third=$attaching
says 5
leave $second
check counts-leave "0            2  Steps::Add            2  Steps::Name" "$left $(tr '\n' ' ' <"$tmp/counts.second" | sed 's/ $//')"
check counts-others-wait "0 0" "$(wc -l <"$tmp/counts.first") $(wc -l <"$tmp/counts.third")"
"$ilpatch" rules set "$process" "$tmp/name.xml"
says 6
leave $third
check counts-rules "0            2  Steps::Name            1  Steps::Add" "$left $(tr '\n' ' ' <"$tmp/counts.third" | sed 's/ $//')"
"$ilpatch" attach --count --json "$process" 2>"$tmp/counts.log"
check counts-other-options-refused 3 $?
"$ilpatch" detach "$process"
wait $first
check counts-detach "0            6  Steps::Name            5  Steps::Add" "$? $(tr '\n' ' ' <"$tmp/counts.first" | sed 's/ $//')"
says 7
attach counts.killed --count --method Add
says 8
kill -KILL "$attaching"
wait "$attaching" 2>/dev/null
attach counts.json --count --json --method Add --args --exceptions
says 9
says 10
end
wait "$attaching"
check counts-json "0 $process Steps::Add 2" "$? $(jq -r '"\(.process) \(.method) \(.count)"' "$tmp/counts.json")"

start counts
"$ilpatch" attach -q --count --method Add -o "$tmp/counts.file" "$process"
says 1
"$ilpatch" attach "$process" 2>"$tmp/counts.log"
check counts-of-a-file-refused 3 $?
"$ilpatch" detach "$process"
check counts-file "           1  Steps::Add" "$(cat "$tmp/counts.file")"
attach counts.for --count --for 10s --when 'value > 2' --method Add
says 1
says 2
wait "$attaching"
check counts-for "0            2  Steps::Add" "$? $(cat "$tmp/counts.for")"
attach counts.spool --method Add
second=$attaching
says 1
leave "$second"
check values-after-counts "Steps::Add -> 3 (System.Int32)" "$(cat "$tmp/counts.spool")"
end

# More than a command is shown of one method in a second, or its ring has room for, is counted.
start counts
attach counts.many --count --max-cost 0 --method Many
says many
leave "$attaching"
check counts-many "0      3000000  Steps::Many" "$left $(cat "$tmp/counts.many")"
check counts-many-left-out 0 "$(grep -c 'left out' "$tmp/counts.many.log")"
attach counts.paced --count --method-rate 10/h --max-cost 0 --method Many
says many
leave "$attaching"
check counts-paced "0 3000000 fewer" "$left $(awk 'FNR == NR { n = $1; next } /left out/ { print n + $5, n < 1000 ? "fewer" : "all" }' "$tmp/counts.paced" "$tmp/counts.paced.log")"
end
refused() { # NAME MESSAGE COMMAND...
    local name=$1 message=$2
    shift 2
    "$@" 2>"$tmp/refused"
    check "$name-code" 2 $?
    contains "$name" "$message" "$tmp/refused"
}
refused counts-limit "--limit counts lines of values, and --count shows none" "$ilpatch" attach --count --limit 3 $$
refused counts-trace "--count is about values" "$ilpatch" attach --count --trace $$
refused counts-time "--count shows none" "$ilpatch" attach --count --time $$
refused counts-spool "--count is about lines" "$ilpatch" attach --count --spool "$tmp/counts.spool" $$

# A command that joins has a --limit of its own.
start limit
attach limit-of-all --where '<method name="Add"/>'
first=$attaching
attach limit-of-one --limit 2
second=$attaching
for i in 1 2 3 4; do says $i; done
wait $second
check limit "0 2" "$? $(wc -l <"$tmp/limit-of-one")"
awaits sh -c "[ \$(wc -l <'$tmp/limit-of-all') -eq 4 ]"
leave $first
end_well
# So has the first one: those that have joined go on.
start first-limit
attach first-limit --where '<method name="Add"/>' --limit 2
first=$attaching
attach first-joined
second=$attaching
for i in 1 2 3 4; do says $i; done
wait $first
check first-limit "0 2" "$? $(wc -l <"$tmp/first-limit")"
awaits sh -c "[ \$(wc -l <'$tmp/first-joined') -eq 4 ]"
leave $second
end_well

# A spool is cut off; the next one has all, also if nobody reads the command's standard output.
start recorded
attach cut --where '<method name="Add"/>' --spool "$tmp/cut.spool"
says 1
: >"$tmp/cut.spool"
says 1
leave "$attaching"
check cut-off 4 "$left"
attach_by next sh -c '"$@" | true' - "$ilpatch" attach --where '<method name="Add"/>' --spool "$tmp/next.spool" --for 3s
for i in 1 2 3 4; do says $i; done
wait "$attaching"
check after-cut-off 4 "$("$ilpatch" report --format lines "$tmp/next.spool" | wc -l)"
end_well

# ---- whoever is killed ----

start killed
for i in 1 2 3 4 5; do
    attach killed --where '<method name="Add"/>'
    says 1
    kill -KILL "$attaching"
    wait "$attaching" 2>/dev/null
done
attach after --where '<method name="Name"/>'
says 1
leave "$attaching"
check after-five-kills "Name " "$(methods after)"
attach both --where '<method name="Add"/>'
kill -KILL "$process"
wait "$attaching"
check target-killed 0 $?
contains target-killed-reported "process $process ended" "$tmp/both.log"
end 2>/dev/null # says that it was killed

# A socket that was removed: the process says that it has a profiler, and goes on.
start removed
attach removed --where '<method name="Add"/>'
rm "${TMPDIR:-/tmp}"/ilpatch-"$process"-*-socket
says 1
leave "$attaching"
check removed "0 Add " "$left $(methods removed)"
"$ilpatch" attach "$process" 2>"$tmp/removed.log"
check removed-refused "3 1" "$? $(grep -c 'a profiler is in it already' "$tmp/removed.log")"
end_well

# ---- not more than a process can bear ----

start limits
says busy
attach paced --max-cost 0 --where '<method name="Add"/>'
sleep 2
leave "$attaching"
lines=$(wc -l <"$tmp/paced")
if [ "$lines" -gt 500 ] && [ "$lines" -lt 6000 ]; then ok paced; else fail paced "$lines lines in 2 seconds"; fi
contains paced-reported "method-rate left out" "$tmp/paced.log"
attach slower --max-cost 0 --method-rate 20/s --args --where '<method name="Add"/>'
sleep 2
leave "$attaching"
lines=$(wc -l <"$tmp/slower")
if [ "$lines" -gt 10 ] && [ "$lines" -lt 200 ]; then ok slower; else fail slower "$lines lines in 2 seconds"; fi
check slower-lines 0 "$(grep -vc '^Steps::Add(left: [0-9-]*, right: 1) -> ' "$tmp/slower")"
attach of-all --max-cost 0 --rate 100/s --where '<method name="Add"/>'
sleep 1
leave "$attaching"
check of-all 0 "$(grep -c 'method-rate' "$tmp/of-all.log")"
attach costly --method-rate 0 --max-cost 1% --report "$tmp/costly.json" --where '<method name="Add"/>'
awaits grep -q 'Steps::Add is switched off: its calls took' "$tmp/costly.log"
sleep 0.5
lines=$(wc -l <"$tmp/costly")
sleep 1
check costly-stays-off "$lines" "$(wc -l <"$tmp/costly")"
leave "$attaching"
contains costly-reported "1 method was switched off" "$tmp/costly.log"
check costly-reported 1 "$(jq '[.modules[].failed[]? | select(.message | test("took .* of a processor"))] | length' "$tmp/costly.json")"
attach again --max-cost 0 --where '<method name="Add"/>'
awaits test -s "$tmp/again"
leave "$attaching"
for wrong in "--method-rate 5" "--method-rate x/s" "--max-cost 101" "--max-cost x"; do
    # shellcheck disable=SC2086
    "$ilpatch" attach $wrong "$process" 2>"$tmp/limits.log"
    check "refused/$wrong" 2 $?
done
"$ilpatch" attach --inspector full --method-rate 5/s "$process" 2>"$tmp/limits.log"
check refused/of-another-inspector 2 $?
says idle
check limits-answers right "$answer"
end_well

# ---- what is no command, and what cannot be taken ----

# sends WISH FILE: a hello of the program's user, with FILE in the place of the file for the profiler's lines
sends() {
    python3 - "$1" "$2" "${TMPDIR:-/tmp}"/ilpatch-"$process"-*-socket <<'END'
import array, os, socket, struct, sys
wish, path, name = int(sys.argv[1]), sys.argv[2], sys.argv[3]
file = os.open(path, os.O_RDWR)
connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
connection.connect(name)
hello = b"ilpatch4" + struct.pack("=5B3xII", wish, 1, 1, 0, 0, len(b"bad\0"), 1) + b"bad\0\0"
connection.sendmsg([hello], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file]))])
connection.settimeout(60)
try:
    print("answer", len(connection.recv(100)))
except ConnectionResetError:
    print("answer 0")
END
}
start stranger
attach stranger --where '<method name="Add"/>'
: >"$tmp/no-counts"
check attach-with-another-file "answer 0" "$(sends 0 "$tmp/no-counts" 2>&1 | sed 's/answer [1-9].*/answer 0/')"
check change-with-another-file "answer 0 " "$(sends 1 "$tmp/no-counts" 2>&1) $(cat "$tmp/no-counts")"
says 1
leave "$attaching"
check stranger "0 Add " "$left $(methods stranger)"
end_well

# While a program has no descriptor left, the thread that takes connections sleeps in between: it does not take a processor.
if command -v prlimit >/dev/null; then
    start full
    attach full --where '<method name="Add"/>'
    says 1
    limit=$(prlimit --pid "$process" --nofile --output SOFT --noheadings)
    free=0
    while [ -e "/proc/$process/fd/$free" ]; do free=$((free + 1)); done
    prlimit --pid "$process" --nofile="$free":
    "$ilpatch" detach "$process" 9>&- &
    detaching=$!
    awaits sh -c "grep -q ilpatch /proc/$detaching/comm && [ \$(ls /proc/$detaching/fd | wc -l) -gt 3 ]"
    sleep 0.5
    sleeps() { # every thread of the program does
        ! cat /proc/"$process"/task/*/stat | sed 's/.*) //' | grep -qv '^S'
    }
    asleep=no
    for ((i = 0; i < 100; i++)); do
        ! sleeps || { asleep=yes && break; }
        sleep 0.05
    done
    check sleeps-without-descriptors yes $asleep
    prlimit --pid "$process" --nofile="${limit// /}":
    wait $detaching
    check detach-after-all 0 $?
    wait "$attaching"
    end_well
fi

# ---- many times, under load: nothing grows, nothing is wrong ----

# sizes: "KB of memory, descriptors, threads, maps" of the program now
sizes() {
    echo "$(awk '/^VmRSS/ { print $2 }' "/proc/$process/status") $(ls "/proc/$process/fd" | wc -l) $(ls "/proc/$process/task" | wc -l) $(wc -l <"/proc/$process/maps")"
}
# grown WHAT BEFORE AFTER MOST
grown() { if [ $(($3 - $2)) -le "$4" ]; then ok "many/$1"; else fail "many/$1" "$2 became $3 after $((times / 2)) watches"; fi; }

start many
says busy
times=${WATCH_TIMES:-40}
wrong=0
for ((i = 0; i < times; i++)); do
    case $((i % 4)) in
        2) options=(--spool "$tmp/many.spool" --for 20ms --method-rate 0 --max-cost 0) ;;
        3) options=(--trace --spool "$tmp/many.calls" --for 20ms) ;;
        *) options=(--limit 50 --method-rate 0 --max-cost 0) ;;
    esac
    "$ilpatch" attach -q "${options[@]}" --where '<type name="Steps"/>' "$process" >"$tmp/many.values" 2>"$tmp/many.log" || wrong=$((wrong + 1))
    [ "${options[0]}" != --limit ] || [ "$(wc -l <"$tmp/many.values")" = 50 ] || wrong=$((wrong + 1))
    [ $i != $((times / 2)) ] || read -r memory files threads maps < <(sizes)
done
check many 0 $wrong
rm "$tmp/many.spool" "$tmp/many.calls"
read -r more_memory more_files more_threads more_maps < <(sizes)
echo "after $((times / 2 + 1)) and $times watches: $memory and $more_memory KB, $files and $more_files descriptors, $threads and $more_threads threads, $maps and $more_maps maps"
grown memory "$memory" "$more_memory" 8192
grown descriptors "$files" "$more_files" 0
grown threads "$threads" "$more_threads" 2
grown maps "$maps" "$more_maps" 20
says idle right

# Each line has the arguments that its value follows from, while two threads call, and a third one allocates and collects. WATCH_VALUES of
# them, in lines and in spools.
says churn
values=${WATCH_VALUES:-60000} got=0 wrong=0
for ((round = 0; round < 2 || (got < values && round < values / 100); round++)); do
    if [ $((round % 2)) = 0 ]; then
        attach load --args --for 500ms --method-rate 0 --max-cost 0 --spool "$tmp/load.spool" --where '<type name="Steps"/>'
        wait "$attaching"
        "$ilpatch" report --format lines "$tmp/load.spool" | sed 's/^ *[0-9.]* *[0-9]* *//'
    else
        "$ilpatch" attach -q --args -o "$tmp/load.lines" --method-rate 0 --max-cost 0 --where '<type name="Steps"/>' "$process"
        sleep 0.5
        "$ilpatch" detach "$process"
        sed 's/::/./; s/ ([^ ]*)$//' "$tmp/load.lines"
    fi | awk '
        { lines++; split($0, part, /[:)=,]/); last = part[2] + 0 == 2147483647 }
        /^Steps.Add\(left: -?[0-9]+, right: 1\) -> / { wrong += !last && $NF + 0 != part[2] + 1; next }
        /^Steps.Small\(value: -?[0-9]+\) -> / { wrong += !last && $NF + 0 != part[2] + 1; next }
        /^Steps.Name\(number: [0-7]\) -> "n[0-7]"$/ { number = part[2] + 0; wrong += $NF != "\"n" number "\""; next }
        /^Steps.Pair\(number: -?[0-9]+\) -> \{left=-?[0-9]+, right="x"\}/ { wrong += part[2] + 0 != part[4] + 0; next }
        { if (!wrong++) print >"'"$tmp/load.wrong"'" }
        END { print lines + 0, wrong + 0 }' >"$tmp/load.checked"
    read -r lines bad <"$tmp/load.checked"
    got=$((got + lines)) wrong=$((wrong + bad))
done
echo "$got values in $round watches, $wrong of them wrong"
check load "enough 0" "$([ $got -ge "$values" ] && echo enough || echo $got) $wrong"
says idle right
end_well

finish
