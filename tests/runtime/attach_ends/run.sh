#!/bin/bash
# Bad ends of what is watched in a process that runs: a full disk, the command or the process killed at its system calls, a socket that is gone, each with
# lines, JSON, spools and calls, and beside other commands. The process goes on as it was, and what is watched next is right.
# ATTACH_EVERY=1: killed at every call; otherwise at some, other ones for each way.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
. tests/live.sh
scratch attach_ends
need_sdk attach_ends
compile "$tmp/Steps.dll" tests/runtime/watch/Steps.cs
runs_with_framework "$tmp/Steps.dll"
program=(dotnet exec "$tmp/Steps.dll")
${CC:-cc} -O1 -std=c11 -D_GNU_SOURCE -o "$tmp/at_call" tests/runtime/attach_ends/at_call.c || { fail build at_call; finish; }
export TMPDIR=$tmp # for temporary spools of commands that are killed

steps=(--where '<type name="Steps"/>')
# what is recorded or written, for each way to watch
options_of() {
    case $1 in
        lines) options=() ;;
        json) options=(--json --args) ;;
        file) options=(-o "$2/values") ;;
        json-file) options=(--json -o "$2/values") ;;
        spool) options=(--spool "$2/values.spool") ;;
        calls) options=(--trace --spool "$2/calls.spool") ;;
        page) options=(--trace -o "$2/page.html") ;;
        *) options=() ;;
    esac
}
# It is only queried: what is watched goes on.
is_unwatched() { "$ilpatch" doctor --json "$process" Steps::Add 2>/dev/null | grep -q '"not-watched"'; }
# troubles: of the process after an end: something is watched, or its answers are others
troubles() {
    awaits is_unwatched || echo "something is watched"
    says 1
    [ "$answer" = "$plain" ] || echo "it answers $answer"
}
# as_before NAME: and its code, files and memory are those of before, and values of the next watch are right
as_before() {
    check "$1/as-before" "" "$(troubles)"
    for i in 1 2 3 4 5; do says inlined; done
    check "$1/code" "$inlined" "$answer"
    check "$1/let-go" "0 0" "$(grep -c '\.spool\|/values' "/proc/$process/maps") $(ls -l "/proc/$process/fd" | grep -c '\.spool\|/values')"
    check "$1/sockets" 1 "$(ls "$TMPDIR"/ilpatch-"$process"-*-socket | wc -l)"
    attach next "${steps[@]}" --method Add
    says 1
    leave "$attaching"
    check "$1/next" "0 some 0" "$left $([ -s "$tmp/next" ] && echo some) $(grep -vc '^Steps::Add -> -*[0-9]* (System.Int32)$' "$tmp/next")"
}
# begin NAME: a program whose answers are known
begin() {
    start "$1"
    says inlined
    inlined=$answer
    says 1
    plain=$answer
}

# ---- a full disk ----

if [ "$(id -u)" = 0 ] && mkdir "$tmp/disk" && mount -t tmpfs -o size=128k none "$tmp/disk" 2>/dev/null; then
    disk=$tmp/disk
    full="No space left on device"
    fill() { head -c 200000 /dev/zero >"$disk/all" 2>/dev/null; }
    # at_once WAY CODE TEXT: with no room from the start
    at_once() {
        local way=$1
        options_of "$way" "$disk"
        timeout 60 "$ilpatch" attach "${steps[@]}" "${options[@]}" "$process" >"$tmp/full" 2>"$tmp/full.log"
        check "at-once/$way" "$2" $?
        [ -z "$3" ] || contains "at-once/$way/reported" "$3" "$tmp/full.log"
    }
    begin filled
    for way in file json-file; do
        fill
        at_once $way 0 ""
        says 1
        "$ilpatch" detach "$process" 2>"$tmp/full.log"
        check "at-once/$way/detach" 4 $?
        contains "at-once/$way/detach-reports" "lines could not be written: $full" "$tmp/full.log"
        rm "$disk"/*
        as_before "at-once/$way"
    done
    for way in spool calls; do
        fill
        at_once $way 4 "$disk/$([ $way = spool ] && echo values || echo calls).spool: cannot write: $full"
        check "at-once/$way/nothing-else" 1 "$(wc -l <"$tmp/full.log")"
        rm "$disk"/*
        as_before "at-once/$way"
    done
    fill
    timeout 60 "$ilpatch" run --spool "$disk/values.spool" -- "${program[@]}" </dev/null >"$tmp/full" 2>"$tmp/full.log"
    check "at-once/run" "4 ready" "$? $(cat "$tmp/full")"
    contains "at-once/run/reported" "$disk/values.spool: cannot write: $full" "$tmp/full.log"
    rm "$disk"/*
    # The output of the command, alone and beside another one that goes on.
    for way in lines json; do
        options_of $way "$disk"
        fill
        : >"$disk/out"
        for beside in "" beside; do
            [ -z "$beside" ] || attach beside "${steps[@]}" "${options[@]}"
            first=$attaching
            : >"$tmp/full.log"
            "$ilpatch" attach "${steps[@]}" "${options[@]}" "$process" >"$disk/out" 2>"$tmp/full.log" 9>&- &
            attaching=$!
            awaits is_attached full
            says 1
            wait "$attaching"
            check "at-once/$way/${beside}output" 4 $?
            contains "at-once/$way/${beside}output-reported" "standard output: cannot write: $full" "$tmp/full.log"
            if [ "$beside" ]; then
                : >"$tmp/beside"
                says 2
                awaits grep -q 'Add.*4' "$tmp/beside"
                leave "$first"
                check "at-once/$way/beside-went-on" 0 "$left"
            fi
        done
        rm "$disk"/*
        as_before "at-once/$way"
    done

    # In the middle, while threads call.
    is_full() { ! head -c 4096 /dev/zero >"$disk/probe" 2>/dev/null || { rm -f "$disk/probe" && false; }; }
    says busy
    for way in file json-file spool calls; do
        options_of $way "$disk"
        fast=(--method-rate 0 --max-cost 0)
        [ $way != calls ] || fast=()
        attach full "${steps[@]}" "${fast[@]}" "${options[@]}"
        awaits is_full
        case $way in
            *file)
                wait "$attaching"
                "$ilpatch" detach "$process" 2>"$tmp/full.log"
                check "middle/$way/detach" 4 $?
                contains "middle/$way/detach-reports" "lines could not be written: $full" "$tmp/full.log"
                check "middle/$way/there-are-lines" yes "$([ "$(wc -l <"$disk/values")" -gt 100 ] && echo yes)"
                ;;
            spool)
                leave "$attaching"
                check "middle/$way" 4 "$left"
                contains "middle/$way/reported" "$disk/values.spool: cannot write: $full" "$tmp/full.log"
                said=$(sed -n 's/^ilpatch: \([0-9]*\) values in .*/\1/p' "$tmp/full.log")
                # those that were lost are counted with what else a thread records
                less=$(("$("$ilpatch" report --format lines "$disk/values.spool" 2>"$tmp/full.report" | wc -l)" - said))
                check "middle/$way/as-many-as-reported" yes "$([ ${less#-} -le 3 ] && echo yes || echo "$less")"
                ;;
            calls)
                leave "$attaching"
                check "middle/$way" 1 "$left"
                contains "middle/$way/reported" "records could not be written to $disk/calls.spool" "$tmp/full.log"
                "$ilpatch" report -o "$tmp/calls.txt" "$disk/calls.spool" 2>"$tmp/full.report" # which may name a chunk that was not whole
                contains "middle/$way/report" "Steps.Add" "$tmp/calls.txt"
                ;;
        esac
        rm "$disk"/*
        as_before "middle/$way"
        check "middle/$way/room" 0 "$(df --output=used "$disk" | tail -n 1 | tr -d ' ')"
    done
    says idle right
    end_well
    umount "$tmp/disk"
else
    skip "a full disk" "no file system can be mounted here"
fi

# ---- the command is killed ----

every=${ATTACH_EVERY:-37}
begun=0
# killed NAME COMMAND...: at some of its calls; each time `between` says what is wrong
killed() {
    local title=$1 n code count=0 troubles=
    shift
    begun=$((begun + 1))
    for ((n = 1 + begun * 5 % every; ; n += every)); do
        "$tmp/at_call" "$n" 9 0 "$@" >"$tmp/said" 2>"$tmp/said.log" 9>&-
        code=$?
        between >"$tmp/between"
        [ ! -s "$tmp/between" ] || troubles+="call $n: $(cat "$tmp/between"); "
        case $code in
            99) break ;; # it has ended before
            137) count=$((count + 1)) ;;
            *) troubles+="call $n: $(head -n 2 "$tmp/said.log"); " ;;
        esac
    done
    check "$title" "" "$troubles"
    check "$title/kills" yes "$([ $count -gt $((100 / every)) ] && echo yes)"
}

begin killed
says busy
for way in lines json file spool calls page; do
    options_of $way "$tmp"
    between() { troubles; }
    if [ $way = file ]; then # it stays when the command has gone
        between() { "$ilpatch" detach "$process" 2>/dev/null; troubles; }
    fi
    killed "killed/$way" "$ilpatch" attach "${steps[@]}" "${options[@]}" --for 50ms "$process"
    as_before "killed/$way"
done
says idle right

# Beside another one, which goes on: it sees what is called after each kill. Calls and spools cannot be joined, but what is refused may be killed as well.
says 2
for way in lines json spool calls; do
    options_of $way "$tmp"
    attach beside "${steps[@]}" "${options[@]}" 2>&1
    beside=$attaching
    between() {
        local before
        kill -0 "$beside" 2>/dev/null || echo "the other command has ended"
        case $way in
            lines | json)
                before=$(wc -l <"$tmp/beside")
                says 1
                awaits sh -c "[ \$(wc -l <'$tmp/beside') -gt $before ]" || echo "no lines"
                ;;
            *) says 1 ;;
        esac
    }
    killed "killed-beside/$way/joining" "$ilpatch" attach --for 50ms "$process"
    echo '<rules><include><type name="Steps"/></include></rules>' >"$tmp/rules.xml"
    killed "killed-beside/$way/rules-set" "$ilpatch" rules set "$process" "$tmp/rules.xml"
    leave "$beside"
    check "killed-beside/$way" 0 "$left"
    as_before "killed-beside/$way"
done

# The first of two is killed, then the second.
attach first "${steps[@]}"
first=$attaching
attach second
second=$attaching
kill -KILL "$first"
wait "$first" 2>/dev/null # says that it was killed
says 3
awaits grep -q 'Add -> 5' "$tmp/second"
kill -KILL "$second"
wait "$second" 2>/dev/null
as_before killed-both

# A command that ends what another one has begun.
between() {
    "$ilpatch" detach "$process" 2>/dev/null
    troubles
    "$ilpatch" attach -q "${steps[@]}" -o "$tmp/values" "$process" || echo "not attached"
}
between >"$tmp/said"
killed killed/detach "$ilpatch" detach "$process"
"$ilpatch" detach "$process"
as_before killed/detach
end_well

# ---- the process is killed ----

# At some of the command's calls, which then ends, and says so.
slain() {
    local way=$1 n code count=0 troubles=
    begun=$((begun + 1))
    for ((n = 1 + begun * 11 % (2 * every); ; n += 2 * every)); do
        start slain
        says busy
        options_of "$way" "$tmp"
        { # bash says that it was killed
            timeout 120 "$tmp/at_call" "$n" 9 "$process" "$ilpatch" attach "${steps[@]}" "${options[@]}" --for 100ms "$process" >"$tmp/slain.values" 2>"$tmp/slain.log" 9>&-
            code=$?
            slay
        } 2>"$tmp/said"
        [ $code != 99 ] || break
        count=$((count + 1))
        # ended before it was reached, or while it was watched, in words
        case "$code $(tail -n 1 "$tmp/slain.log" | grep -c '^ilpatch: .')" in
            "0 1" | "3 1") ;;
            "0 0") [ "$way" = file ] || troubles+="call $n: nothing is said; " ;;
            *) troubles+="call $n: $code, $(tail -n 1 "$tmp/slain.log"); " ;;
        esac
    done
    check "slain/$way" "" "$troubles"
    check "slain/$way/kills" yes "$([ $count -gt $((50 / every)) ] && echo yes)"
}
for way in lines json file spool calls page; do slain $way; done
check "sockets of killed processes are removed by the next attach" 0 "$(begin after && "$ilpatch" attach -q --for 1ms "$process" && end && ls "$TMPDIR" | grep -c '^ilpatch-[0-9]*-[0-9]*-socket')"

# ---- the socket is removed ----

for way in lines json file spool calls; do
    begin removed
    options_of $way "$tmp"
    attach removed "${steps[@]}" "${options[@]}"
    [ $way != file ] || wait "$attaching"
    rm "$TMPDIR"/ilpatch-"$process"-*-socket
    "$ilpatch" attach "$process" >"$tmp/said" 2>"$tmp/said.log"
    check "removed/$way/second" "3 1" "$? $(grep -c 'a profiler is in it already' "$tmp/said.log")"
    "$ilpatch" detach "$process" 2>"$tmp/said.log"
    check "removed/$way/detach" 3 $?
    says 1
    if [ $way = file ]; then # nothing can end it any more, and it goes on
        contains "removed/$way/goes-on" "Steps::Add -> 3" "$tmp/values"
    else
        leave "$attaching"
        check "removed/$way" 0 "$left"
        check "removed/$way/answer" "$plain" "$answer"
        for i in 1 2 3 4 5; do says inlined; done
        check "removed/$way/code" "$inlined" "$answer"
    fi
    case $way in
        lines | json) contains "removed/$way/values" Add "$tmp/removed" ;;
        spool) contains "removed/$way/values" "Steps.Add" <("$ilpatch" report --format lines "$tmp/values.spool") ;;
        calls) contains "removed/$way/values" "Steps.Add" <("$ilpatch" report "$tmp/calls.spool") ;;
    esac
    end_well
done

# Between two watches, and beside one that others have joined.
begin between
attach between "${steps[@]}"
leave "$attaching"
rm "$TMPDIR"/ilpatch-"$process"-*-socket
"$ilpatch" attach "$process" >"$tmp/said" 2>"$tmp/said.log"
check removed-between "3 1" "$? $(grep -c 'a profiler is in it already' "$tmp/said.log")"
check removed-between/ps own-profiler "$("$ilpatch" ps --json "$process" | jq -r '.processes[0].reason')"
says 1 "$plain"
end_well
begin joined
attach first "${steps[@]}"
first=$attaching
attach second
second=$attaching
rm "$TMPDIR"/ilpatch-"$process"-*-socket
says 1
leave "$first"
says 2
leave "$second"
check removed-joined "0 1 1" "$left $(grep -c 'Add -> 3' "$tmp/first") $(grep -c 'Add -> 4' "$tmp/second")"
says 1 "$plain"
end_well
finish
