#!/bin/bash
# Lines of values are buffered on their way to a file, and read from memory where a command is attached: all that a method returned are
# there, once and whole, whichever end the program comes to, and soon; nothing else changes for the program.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/output
export DOTNET_DbgEnableMiniDump=0
scratch output
export TMPDIR=$tmp # for the runtime's pipes, which stay
need_sdk output
compile "$tmp/app/Output.dll" -optimize+ "$here/Output.cs"
runs_with_framework "$tmp/app/Output.dll"
ulimit -c 0

program=(dotnet "$tmp/app/Output.dll")
only=(--where '<type name="Output"/><method name="One"/>')
lines=$tmp/lines

# run OPTION... -- ARGUMENT...: the exit code; with $tmp/out, $tmp/err, values in $lines
run() {
    local options=()
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    rm -f "$lines"
    timeout 1800 "$ilpatch" run -o "$lines" "${only[@]}" "${options[@]}" -- "${program[@]}" "$@" >"$tmp/out" 2>"$tmp/err"
    echo $?
}
# values FILE [PROCESSES]: "N whole" for so many values of each thread, from 0 on and, with one process, in their order; or what is wrong
values() {
    awk -v processes="${2:-1}" '
        !/^Output::One -> -?[0-9]+ \(System.Int64\)$/ { print "a line: " $0; wrong = 1; exit }
        { thread = int($3 / 1000000000); i = $3 % 1000000000 }
        processes == 1 && i != next_of[thread]++ { print "line " NR ": " $0; wrong = 1; exit }
        processes > 1 && ++seen[$3] > processes { print "too often: " $0; wrong = 1; exit }
        END { if (!wrong) print NR, "whole" }' "$1"
}

# ---- all ends, with both inspectors; of several processes that share the file ----

ends=("return 0" "exit 7" "_exit 7" "native-exit 7" "throw 134" "fail 134" "abort 134" "segv 139 134" "kill 137")
for inspector in "" "--inspector full"; do
    for threads in 1 4; do
        for end in "${ends[@]}"; do
            read -r how codes <<<"$end"
            name="$how/$threads${inspector:+/full}"
            # shellcheck disable=SC2086
            code=$(run $inspector -- 5000 $threads "$how")
            check "$name: exit code" "$code" "$(for one in $codes; do [ "$one" != "$code" ] || echo "$one"; done)"
            check "$name: values" "$((5000 * threads)) whole" "$(values "$lines")"
        done
    done
done
for end in "${ends[@]}"; do
    read -r how _ <<<"$end"
    check "$how/children: exit code" 0 "$(run --children -- 3000 2 "$how" 3)"
    check "$how/children: values" "18000 whole" "$(values "$lines" 3)"
    check "$how/children: each process" "$(seq 0 2999 | awk '{ print 3, $1 }' | md5sum)" \
        "$(awk '$3 < 1000000000 { print $3 }' "$lines" | sort -n | uniq -c | sed 's/^ *//' | md5sum)"
done
check "a file for each process" 0 "$(run -o "$tmp/each-%p" --children -- 3000 2 kill 2)"
check "a file for each process: values" "6000 whole 6000 whole" "$(for file in "$tmp"/each-*; do [ ! -s "$file" ] || values "$file"; done | xargs)"

# Not children of each other: the second one appends.
single=("${program[@]}")
program=(bash -c '"$@" && "$@"' - "${single[@]}")
check "one after another: exit code" 0 "$(run -- 3000 2 return)"
check "one after another: values" "12000 whole" "$(values "$lines" 2)"
program=("${single[@]}")
"$ilpatch" run -o "$lines" "${only[@]}" -- "$tmp/missing" 2>"$tmp/err"
check "a program that is not there" "3 12000 whole" "$? $(values "$lines" 2)"

# The file is the program's standard output or error, too: what others wrote there stays, and no line overwrites another.
for how in '1>>' '2>>' '1>' '2>'; do
    echo before >"$lines"
    eval '"$ilpatch" run -q -o "$lines" "${only[@]}" -- "${program[@]}" 3000 2 return '"$how"'"$lines"' >"$tmp/out" 2>"$tmp/err"
    check "own stream $how" "0 $(case $how in *'>>') echo before ;; esac)" "$? $(grep -v '^Output::One' "$lines")"
    check "own stream $how: values" "6000 whole" "$(grep '^Output::One' "$lines" >"$tmp/of-stream"; values "$tmp/of-stream")"
done

# A stream that is closed, or read from the file, is no output.
for how in '2>&-' '2<"$lines"'; do
    echo before >"$lines"
    eval '"$ilpatch" run -q -o "$lines" "${only[@]}" -- "${program[@]}" 3000 2 return '"$how"
    check "no stream $how" "0 6000 whole" "$? $(values "$lines")"
done

# More than memory is kept for, while the file is written.
check "many" 0 "$(run -- 200000 4 return)"
check "many: values" "800000 whole" "$(values "$lines")"
check "many, killed" 137 "$(run -- 200000 4 kill)"
check "many, killed: values" "800000 whole" "$(values "$lines")"

# ---- from outside ----

# start HOW ARGUMENT...: in the background, with a pipe as its input, by the command (run) or alone; $process is the program's number,
# $started that of what was started
start() {
    local before=()
    [ "$1" = alone ] || before=("$ilpatch" run -o "$lines" "${only[@]}" --)
    shift
    rm -f "$lines" "$tmp/in"
    mkfifo "$tmp/in"
    : >"$tmp/out"
    "${before[@]}" "${program[@]}" "$@" <"$tmp/in" >"$tmp/out" 2>"$tmp/err" &
    started=$!
    exec 9>"$tmp/in"
    awaits grep -q '^ready' "$tmp/out"
    process=$(sed -n 's/^ready //p' "$tmp/out")
}
# more COUNT: further values of a program that serves, which have been returned when this returns
more() {
    local before
    before=$(wc -l <"$tmp/out")
    echo "$1" >&9
    awaits sh -c "[ \$(wc -l <'$tmp/out') -gt $before ]"
}
# shellcheck disable=SC2317 # called by awaits
at_least() { [ "$(wc -l <"$lines")" -ge "$1" ]; }

for signal in TERM KILL; do
    for round in 1 2 3; do
        start run 1000 2 on
        sleep 0.$round
        kill -$signal "$process"
        wait "$started"
        code=$?
        check "SIG$signal while it runs/$round: exit code" "$([ $signal = TERM ] && echo 143 || echo 137)" $code
        exec 9>&-
        shown=$(values "$lines")
        check "SIG$signal while it runs/$round: whole" whole "${shown#* }"
        if [ "${shown%% *}" -gt 2000 ]; then ok "SIG$signal while it runs/$round: values"; else fail "SIG$signal while it runs/$round: values" "$shown"; fi
    done
done

# Soon, for whoever watches the file; stopped and continued; cut off; and its file gone.
start run 0 0 serve
more 3
passes "soon" awaits at_least 3
more 5000
kill -STOP "$process"
kill -CONT "$process"
more 5000
passes "stopped and continued" awaits at_least 10003
check "stopped and continued: values" "10003 whole" "$(values "$lines")"
: >"$lines"
more 2000
passes "cut off" awaits at_least 2000
check "cut off: values" "Output::One -> 10003 (System.Int64)" "$(head -n 1 "$lines")"
mv "$lines" "$tmp/moved"
: >"$lines"
echo -10 >&9 # and a kill
wait "$started"
code=$?
# What the process has not written to its own file before the kill is lost, and reported: the other one stays as it is.
lost=$(sed -n 's/.*: \([0-9]*\) lines* could not be written: Stale file handle$/\1/p' "$tmp/err")
check "another file of that name" "137 2010 0" "$code $(($(wc -l <"$tmp/moved") + ${lost:-0})) $(wc -c <"$lines")"
exec 9>&-

# When the command is killed the program goes on, and no line is kept back any more.
start run 1000 1 serve
kill -KILL "$started"
wait "$started" 2>/dev/null # says that it was killed
more 100
passes "without the command" awaits at_least 1100
more 100
kill -KILL "$process"
passes "without the command, killed" awaits at_least 1200
check "without the command: values" "1200 whole" "$(values "$lines")"
exec 9>&-

# A process that outlives the program.
check "children that go on" 0 "$(run --children -- 1000 1 later 2)"
passes "children that go on: values" awaits at_least 4000
check "children that go on: whole" "4000 whole" "$(values "$lines" 2)"

# A copy of the process has nothing of the buffer.
check "fork" 7 "$(run -- 5000 1 fork)"
check "fork: the copy's line" 1 "$(grep -c ' -> -1 ' "$lines")"
grep -v ' -> -1 ' "$lines" >"$tmp/others"
check "fork: values" "5010 whole" "$(values "$tmp/others")"
check "fork, JSON" 7 "$(run --json -- 10 1 fork)"
check "fork, JSON: the copy has a number of its own" "1 1" "$(jq -r 'select(.data != -1) | .process' "$lines" | sort -u | wc -l) $(jq -s '[.[] | .process] | unique | length - 1' "$lines")"

# Without a command each line is written at once.
rm -f "$lines"
{ (eval "$("$ilpatch" run -o "$lines" "${only[@]}" --print-env)"; exec "${program[@]}" 5000 2 kill) >"$tmp/out"; } 2>"$tmp/err"
check "variables alone, killed" "10000 whole" "$(values "$lines")"

# ---- patched programs: their inspector writes lines of its own, and not to the command's file ----

# own FILE [PROCESSES]: what values prints, of those on standard error
own() {
    grep -v '^ilpatch: ' "$1" >"$tmp/own"
    values "$tmp/own" "${2:-1}"
}
for form in beside embedded; do
    mkdir "$tmp/$form"
    cp "$tmp/app"/Output.* "$tmp/$form"
    options=()
    [ $form = beside ] || options=(--embed)
    passes "patched, $form: patch" "$ilpatch" inspect -q "${only[@]}" "${options[@]}" "$tmp/$form/Output.dll"
    program=(dotnet "$tmp/$form/Output.dll")
    check "patched, $form" "0 6000 whole" "$(run -- 3000 2 return) $(values "$lines")"
    check "patched, $form: its own lines" "6000 whole" "$(own "$tmp/err")"
    check "patched, $form: JSON" "0 6000 0" "$(run --json -- 3000 2 return) $(jq -c . "$lines" 2>/dev/null | wc -l) $(grep -vc '^{' "$lines")"
    rm -f "$tmp/users"
    check "patched, $form: a file of the user's" "0 6000 whole 6000 whole" \
        "$(ILPATCH_OUTPUT=$tmp/users run -- 3000 2 return) $(values "$lines") $(values "$tmp/users")"
    rm -f "$lines"
    { (eval "$("$ilpatch" run -o "$lines" "${only[@]}" --print-env)"; exec "${program[@]}" 3000 2 return) >"$tmp/out"; } 2>"$tmp/err"
    check "patched, $form: variables alone" "6000 whole 6000 whole" "$(values "$lines") $(own "$tmp/err")"
    # The two are one, where the profiler brings it, unless the file has its own.
    of_full=$lines
    [ $form = beside ] || of_full=$tmp/err
    code=$(run --inspector full -- 3000 2 return)
    check "patched, $form, stock inspector" "0 6000 whole 6000" "$code $(own "$of_full") $(cat "$lines" "$tmp/err" | grep -vc '^ilpatch: ')"
    check "patched, $form, all processes: exit code" 0 "$(run --children -- 3000 2 return 2)"
    check "patched, $form, all processes" "12000 whole 12000 whole" "$(values "$lines" 2) $(own "$tmp/err" 2)"
done
program=(dotnet "$tmp/app/Output.dll")
for form in beside embedded; do
    check "a patched child, $form" "0 2000 whole" "$(run -- 1000 1 parent dotnet "$tmp/$form/Output.dll" 500 1 return) $(values "$lines")"
    check "a patched child, $form: its own lines" "500 whole" "$(own "$tmp/err")"
done

# ---- a child that another command follows, which has no file ----

check "another command" "0 2000 whole" "$(run -- 1000 1 parent "$ilpatch" run "${only[@]}" -- "${program[@]}" 500 1 return) $(values "$lines")"
check "another command: its own lines" "500 whole" "$(own "$tmp/err")"


# ---- files that take no more ----

check "/dev/null" 0 "$(run -o /dev/null -- 5000 4 kill | sed 's/137/0/')"
check "/dev/full" 4 "$(run -o /dev/full -- 5000 4 return)"
contains "/dev/full: all are counted" "/dev/full: 20000 lines could not be written: No space left on device" "$tmp/err"
check "/dev/full, killed" 137 "$(run -o /dev/full -- 5000 1 kill)"
contains "/dev/full, killed: all are counted" "/dev/full: 5000 lines could not be written: No space left on device" "$tmp/err"

# all_or_reported NAME COUNT: what is in the file and what is reported
all_or_reported() {
    local reported
    reported=$(sed -n 's/.*: \([0-9]*\) lines could not be written: '"$3"'$/\1/p' "$tmp/err")
    check "$1" "$2" "$(($(wc -l <"$lines") + reported))"
}
# The program's own limit, which the command does not have.
rm -f "$lines"
DOTNET_EnableWriteXorExecute=0 "$ilpatch" run -o "$lines" "${only[@]}" -- bash -c 'ulimit -f 64; exec "$@"' sh "${program[@]}" 5000 4 return >"$tmp/out" 2>"$tmp/err"
check "a limit of 64 KB" 4 $?
all_or_reported "a limit of 64 KB: all is there or reported" 20000 'File too large'
if [ "$(id -u)" = 0 ] && mkdir "$tmp/disk" && mount -t tmpfs -o size=256k none "$tmp/disk" 2>/dev/null; then
    lines=$tmp/disk/lines
    check "a full disk" "4" "$(run -- 5000 4 return)"
    all_or_reported "a full disk: all is there or reported" 20000 'No space left on device'
    check "a full disk, killed" 137 "$(run -- 5000 4 kill)"
    all_or_reported "a full disk, killed: all is there or reported" 20000 'No space left on device'
    umount "$tmp/disk"
    lines=$tmp/lines
else
    skip "a full disk" "no file system can be mounted here"
fi

# ---- colours ----

escape=$(printf '\033')
painted="^$escape\\[36mOutput::One$escape\\[m {29}$escape\\[2m -> $escape\\[m[0-9]+$escape\\[2m \\(System.Int64\\)$escape\\[m"
check "colours in a file" "0 100" "$(run --color=always -- 100 1 return) $(grep -cE "$painted\$" "$lines")"
check "none in a file" "0 0" "$(run -- 100 1 return) $(grep -c "$escape" "$lines")"
check "none in JSON" "0 0" "$(run --json --color=always -- 100 1 return) $(grep -c "$escape" "$lines")"
if have script; then
    on_terminal() { script -qec "'$ilpatch' run -q ${only[*]@Q} $1 -- ${program[*]} 100 1 return" /dev/null </dev/null | grep -cE "$painted"; }
    check "colours on a terminal" "100" "$(on_terminal "")"
    check "never on a terminal" "0" "$(on_terminal --color=never)"
    check "NO_COLOR" "0" "$(NO_COLOR=1 on_terminal "")"
    check "a terminal without colours" "0" "$(TERM=dumb on_terminal "")"
else
    skip "colours on a terminal" "no script"
fi

# ---- a command that is attached ----

# attach: values in $lines, to go on; $attaching is the command's number
attach() {
    : >"$tmp/log"
    "$ilpatch" attach --method-rate 0 --max-cost 0 "${only[@]}" "$process" >"$lines" 2>"$tmp/log" 9>&- &
    attaching=$!
    awaits grep -q '^ilpatch: attached' "$tmp/log"
}
start alone 0 0 serve
attach
more 3
passes "attached: soon" awaits at_least 3
more 5000
kill -KILL "$process"
wait "$started" 2>/dev/null
wait "$attaching"
check "attached, the process is killed" "0 5003 whole" "$? $(values "$lines")"
exec 9>&-
# A command that is stopped costs the process nothing but lines, which are counted.
start alone 0 0 serve
attach
kill -STOP "$attaching"
more 100000
kill -CONT "$attaching"
kill -KILL "$process"
wait "$started" 2>/dev/null
wait "$attaching"
check "attached, the command is stopped" "4 100000" "$? $(($(wc -l <"$lines") + $(sed -n 's/^ilpatch: \([0-9]*\) lines were dropped: .*/\1/p' "$tmp/log")))"
check "attached, the command is stopped: the first ones are there" whole "$(values "$lines" | sed 's/.* //')"
exec 9>&-

# A command colours them for its own terminal; all of the above are without colours.
start alone 0 0 serve
: >"$tmp/log"
"$ilpatch" attach --color=always --limit 2 "${only[@]}" "$process" >"$lines" 2>"$tmp/log" 9>&- &
attaching=$!
awaits grep -q '^ilpatch: attached' "$tmp/log"
more 2
wait "$attaching"
check "attached, colours" "0 2" "$? $(grep -cE "$painted\$" "$lines")"
kill -KILL "$process"
exec 9>&-
finish
