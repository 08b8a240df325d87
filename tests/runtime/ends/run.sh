#!/bin/bash
# What `ilpatch run` and `trace` report when a program or its output comes to a bad end; the program itself does not notice.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/ends
export DOTNET_DbgEnableMiniDump=0
scratch ends
export TMPDIR=$tmp # for the runtime's pipes, which stay
need_sdk ends
for program in Ends Recorded; do
    compile "$tmp/app/$program.dll" "$here/$program.cs"
    runs_with_framework "$tmp/app/$program.dll"
done
ulimit -c 0

# run OPTION... -- ARGUMENT...: the exit code; with $tmp/out, $tmp/err
run() {
    local options=()
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    timeout 1800 "$ilpatch" run "${options[@]}" -- dotnet "$tmp/app/Ends.dll" "$@" >"$tmp/out" 2>"$tmp/err"
    echo $?
}

# ---- lines that cannot be written ----

for inspector in "--inspector full" ""; do
    name=${inspector:-the profiler}
    # shellcheck disable=SC2086
    check "$name: a full disk" "4 499500" "$(run -o /dev/full $inspector -- 1000) $(cat "$tmp/out")"
    contains "$name: a full disk is reported" "/dev/full: 1001 lines could not be written: No space left on device" "$tmp/err"
    # shellcheck disable=SC2086
    check "$name: the program's own code comes first" 7 "$(run -o /dev/full $inspector -- 1000 exit)"
    mkfifo "$tmp/pipe"
    head -n 3 "$tmp/pipe" >"$tmp/head" &
    # shellcheck disable=SC2086
    check "$name: a pipe whose reader left" "4 4999950000" "$(run -o "$tmp/pipe" $inspector -- 100000) $(cat "$tmp/out")"
    wait
    check "$name: a pipe whose reader left is reported" 1 "$(grep -c 'lines could not be written: Broken pipe$' "$tmp/err")"
    rm "$tmp/pipe"
    # The limit is on all files: the runtime's own map of its code is one.
    # shellcheck disable=SC2086
    check "$name: a limit of 8 KB" "4 499500" "$(ulimit -f 8; DOTNET_EnableWriteXorExecute=0 run -o "$tmp/lines" $inspector -- 1000) $(cat "$tmp/out")"
    contains "$name: a limit of 8 KB is reported" "$tmp/lines: " "$tmp/err"
    check "$name: a limit of 8 KB: all is there or reported" 1001 \
        "$(($(wc -l <"$tmp/lines") + $(sed -n 's/.*: \([0-9]*\) lines could not be written: File too large$/\1/p' "$tmp/err")))"
    # shellcheck disable=SC2086
    check "$name: standard error is full" "4 499500" "$(timeout 1800 "$ilpatch" run $inspector -- dotnet "$tmp/app/Ends.dll" 1000 2>/dev/full >"$tmp/out"; echo "$? $(cat "$tmp/out")")"
done
timeout 1800 bash -c 'ulimit -f 64; export DOTNET_EnableWriteXorExecute=0; exec "$@"' sh "$ilpatch" trace --spool "$tmp/spool" -- dotnet "$tmp/app/Ends.dll" 100000 >"$tmp/out" 2>"$tmp/err"
check "a trace with a limit" "1 4999950000" "$? $(cat "$tmp/out")"
check "a trace with a limit is reported" 1 "$(grep -c "records could not be written to $tmp/spool" "$tmp/err")"
timeout 1800 bash -c 'ulimit -f 64; export DOTNET_EnableWriteXorExecute=0; exec "$@"' sh "$ilpatch" trace --spool "$tmp/spool2" -- dotnet "$tmp/app/Ends.dll" 100000 kill >"$tmp/out" 2>"$tmp/err"
check "a trace with a limit, killed" "137 1" "$? $(grep -c "$tmp/spool2: cannot write: File too large" "$tmp/err")"

# ---- traces of all ends ----

# calls FILE: how often One was called, by a call tree
calls() { sed '1,/^methods$/d' "$1" | awk '$4 == "Recorded.One" { print $3 }'; }

for threads in 0 4; do
    for end in "throw 134" "other-throw 134" "fail 134" "abort 134" "segv 139 134" "overflow 134" "kill 137" "_exit 7" "exit 7" "other-exit 7"; do
        read -r how codes <<<"$end"
        rm -f "$tmp/trace.spool"
        timeout 1800 "$ilpatch" trace --spool "$tmp/trace.spool" -o "$tmp/trace.txt" -- dotnet "$tmp/app/Recorded.dll" 5000 "$how" $threads >"$tmp/out" 2>"$tmp/err"
        code=$?
        check "trace $how/$threads: exit code" "$code" "$(for one in $codes; do [ "$one" != "$code" ] || echo "$one"; done)"
        check "trace $how/$threads: all calls" $((5000 * (threads + 1))) "$(calls "$tmp/trace.txt")"
        "$ilpatch" report "$tmp/trace.spool" >"$tmp/report.txt" 2>"$tmp/report.err"
        check "trace $how/$threads: the spool is whole" "0 " "$? $(cat "$tmp/report.err")"
        same "trace $how/$threads: the spool" "$tmp/trace.txt" "$tmp/report.txt"
    done
    # From outside: the program is at rest, or it is in the midst of calls. It says itself how many there were at least.
    for how in wait run; do
        for signal in TERM KILL; do
            name="trace $how/$threads/SIG$signal"
            rm -f "$tmp/trace.spool" "$tmp/pipe"
            mkfifo "$tmp/pipe"
            timeout 1800 "$ilpatch" trace --spool "$tmp/trace.spool" -o "$tmp/trace.txt" -- dotnet "$tmp/app/Recorded.dll" 5000 $how $threads >"$tmp/pipe" 2>"$tmp/err" &
            least=$((5000 * (threads + 1)))
            {
                read -r _ && read -r process
                [ $how = wait ] || for ((i = 0; i < 30; i++)); do read -r line; least=$((least + 1000)); done
                kill -$signal "$process"
                while read -r line; do least=$((least + ${#line} / 4 * 1000)); done # whole lines only
            } <"$tmp/pipe"
            wait $!
            code=$?
            check "$name: exit code" "$([ $signal = TERM ] && echo 143 || echo 137)" $code
            if [ "$(calls "$tmp/trace.txt")" -ge $least ]; then ok "$name: all calls"; else fail "$name: all calls" "$(calls "$tmp/trace.txt") of $least"; fi
            "$ilpatch" report "$tmp/trace.spool" >"$tmp/report.txt" 2>"$tmp/report.err"
            check "$name: the spool is whole" "0 " "$? $(cat "$tmp/report.err")"
        done
    done
done

# A full disk is reported, and nothing else happens. What was recorded until then is in the report.
if [ "$(id -u)" = 0 ] && mkdir "$tmp/disk" && mount -t tmpfs -o size=256k none "$tmp/disk" 2>/dev/null; then
    for threads in 0 4; do
        timeout 1800 "$ilpatch" trace --spool "$tmp/disk/spool" -o "$tmp/trace.txt" -- dotnet "$tmp/app/Recorded.dll" 100000 "" $threads >"$tmp/out" 2>"$tmp/err"
        check "trace, a full disk/$threads" "1 4999950000" "$? $(cat "$tmp/out")"
        check "trace, a full disk/$threads: reported" 1 "$(grep -c "records could not be written to $tmp/disk/spool" "$tmp/err")"
        recorded=$(calls "$tmp/trace.txt") lost=$(sed -n 's/.* \([0-9]*\) records could not be written to .*/\1/p' "$tmp/err")
        if [ "$recorded" -gt 5000 ] && [ $((2 * recorded + lost)) -ge $((2 * 100000 * (threads + 1))) ]; then
            ok "trace, a full disk/$threads: recorded or lost"
        else
            fail "trace, a full disk/$threads: recorded or lost" "$recorded calls, $lost records"
        fi
        rm "$tmp/disk/spool"
    done
    # A room that the full disk refused may lie in front of one that it had: there is no page for the hole then.
    timeout 1800 "$ilpatch" trace --spool "$tmp/disk/spool" -- dotnet "$tmp/app/Recorded.dll" 100 >"$tmp/out" 2>"$tmp/err"
    truncate -s +64K "$tmp/disk/spool"
    head -c 300000 /dev/zero >"$tmp/disk/all" 2>/dev/null
    "$ilpatch" report -o "$tmp/trace.txt" "$tmp/disk/spool" 2>"$tmp/err"
    check "report, a full disk and a spool with a hole" "0 100" "$? $(calls "$tmp/trace.txt")"
    rm "$tmp/disk/all" "$tmp/disk/spool"
    head -c 300000 /dev/zero >"$tmp/disk/all" 2>/dev/null
    : >"$tmp/disk/spool"
    timeout 1800 "$ilpatch" trace --spool "$tmp/disk/spool" -- dotnet "$tmp/app/Recorded.dll" 1000 >"$tmp/out" 2>"$tmp/err"
    check "trace, no room at all" "1 499500" "$? $(cat "$tmp/out")"
    contains "trace, no room at all: reported" "$tmp/disk/spool: cannot write: No space left on device" "$tmp/err"
    umount "$tmp/disk"
else
    skip "trace, a full disk" "no file system can be mounted here"
fi

# ---- ends without a shutdown ----

# Whether a report is complete, and the methods in it
answers() {
    python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
print(report["process"].get("complete", True), *sorted(m["name"] for module in report["modules"] for m in module.get("methods", [])))' "$1"
}

for end in "throw 134" "fail 134" "abort 134" "segv 139 134" "kill 137" "_exit 7"; do
    read -r how codes <<<"$end"
    code=$(run -o "$tmp/lines" --report "$tmp/$how.json" -- 10 "$how")
    check "$how: exit code" "$code" "$(for one in $codes; do [ "$one" != "$code" ] || echo "$one"; done)"
    check "$how: values" 10 "$(grep -c '^Ends::One -> ' "$tmp/lines")"
    contains "$how: reported" "1 of 1 processes ended without their runtime's shutdown" "$tmp/err"
    contains "$how: counts" "2 methods inspected, 0 not; 0 modules left alone" "$tmp/err"
    contains "$how: the report is announced" "the report holds what was known until then" "$tmp/err"
    check "$how: the report" "False Ends::Main Ends::One" "$(answers "$tmp/$how.json")"
done
check "exit: exit code" 7 "$(run -o "$tmp/lines" --report "$tmp/exit.json" -- 10 exit)"
check "exit: the report" "True Ends::Main Ends::One" "$(answers "$tmp/exit.json")"
check "no part of a report stays" "" "$(ls "$tmp" | grep part)"
check "exit: ended as it should" 0 "$(grep -c 'without their' "$tmp/err")"
finish
