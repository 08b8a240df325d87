#!/bin/bash
# Calls of a process that runs already (ilpatch attach --trace): how many there are, whoever began or ends them outside of the recording,
# time after time in one process, also beside values; and that its code is what it was afterwards.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
. tests/live.sh
here=$PWD/tests/runtime/attach_trace
scratch attach_trace
need_sdk attach_trace

compile "$tmp/Counted.dll" "$here/Counted.cs"
runs_with_framework "$tmp/Counted.dll"
program=(dotnet exec "$tmp/Counted.dll")
compile "$tmp/Spool.dll" tests/runtime/hooks/Spool.cs
runs_with_framework "$tmp/Spool.dll"

# record NAME OPTION...: attaches, with the calls in NAME.spool
record() {
    local to=$1
    shift
    attach "$to" --trace --verbose --spool "$tmp/$to.spool" "$@"
}
# leave_well NAME: ends the command that is attached, well
leave_well() {
    leave "$attaching"
    check "code/$1" 0 "$left"
}
spool() { dotnet exec "$tmp/Spool.dll" "$tmp/$1.spool" "$2"; }
# ends NAME METHOD: enters, leaves, tail calls, unwound
ends() { spool "$1" ends | awk -v name="$2" '$1 == name { print $2, $3, $4, $5 }'; }
counted() { sed -n "s/.*recorded.* \([0-9]*\) $2.*/\1/p" "$tmp/$1.log"; } # counted NAME WHAT
# counts NAME METHOD: calls that were counted
counts() { "$ilpatch" report "$tmp/$1.spool" | sed -n '/^methods/,$p' | awk -v name="$2" '$2 == name { print $1 }'; }
balanced() { check "balance/$1" "crossed 0" "$(spool "$1" balance)"; }

# ---- how many there are, again and again, and values in between ----

start again
says "calls 10" "calls 50"
says inlined
inlined=$answer
for round in 1 2 3; do
    group="round$round/"
    record all
    says "calls 10" "calls 50"
    says "throws 7" "throws 0"
    says "generics 5" "generics 50"
    says "threads 100" "threads 0"
    says "cycle 20" "cycle 0"
    leave_well all
    says "calls 1" "calls 5"
    balanced all
    check add "430 430 0 0" "$(ends all Counted::Add)"
    check inlined-before "10 10 0 0" "$(ends all Counted::Tiny)"
    check recursive "40 40 0 0" "$(ends all Counted::Deep)"
    check threw "21 0 0 21" "$(ends all Counted::Fails)"
    check caught "7 7 0 0" "$(ends all Counted::Catches)"
    check filter "7 7 0 0" "$(ends all Counted::Filter)"
    check finally "7 7 0 0" "$(ends all Counted::Last)"
    check generic "10 10 0 0" "$(ends all Counted::Same)"
    check generic-class "10 10 0 0" "$(ends all 'Box`1::Keep')"
    check nothing-guessed "" "$(counted all missed)$(counted all orphans)$(counted all cut)"

    attach values --where '<method name="Add"/>'
    says "calls 2" "calls 10"
    leave_well values
    check values 2 "$(grep -c '^Counted::Add -> ' "$tmp/values")"

    record one --where '<method name="Add"/>' --no-times
    says "calls 10" "calls 50"
    says "threads 50" "threads 0"
    says "throws 3" "throws 0"
    leave_well one
    check counted 210 "$(counts one Counted.Add)"
    check only-one 1 "$("$ilpatch" report "$tmp/one.spool" | sed -n '/^methods/,$p' | awk 'NR > 2' | wc -l)"

    record thrown --no-times --where '<type name="Counted"/>'
    says "throws 3" "throws 0"
    leave_well thrown
    check counted-thrown "9 unwound" "$(counted thrown unwound) unwound"
    check counted-fails 9 "$(counts thrown Counted.Fails)"
done
group=
for i in 1 2 3 4 5; do says inlined; done
check code-as-before "$inlined" "$answer"
check sockets 1 "$(ls "${TMPDIR:-/tmp}"/ilpatch-"$process"-*-socket | wc -l)"
check mask-and-methods 0 "$(cat "$tmp"/*.log | grep -c 'failed\|keep')"
check mapped 0 "$(grep -c '\.spool' "/proc/$process/maps")"
check files 0 "$(ls -l "/proc/$process/fd" | grep -c '\.spool')"
end_well

# ---- calls that are open at the start, or at the end ----

start open
says "hold 3" held
record before
says "release" "released 0"
says "calls 10" "calls 50"
leave_well before
balanced before
check before "14 14 0 0" "$(ends before Counted::Add)"
check before-is-unknown "" "$(ends before Counted::Held)"

record after
says "hold 3" held
leave_well after
check after-has-no-end "4 0 0 0" "$(ends after Counted::Held)"
# These bodies return in a later recording, whose ids are other ones.
record later
says "calls 10" "calls 50"
says "release" "released 0"
says "calls 10" "calls 50"
leave_well later
balanced later
check later-is-unknown "" "$(ends later Counted::Held)"
check later "24 24 0 0" "$(ends later Counted::Add)"
if [ "$(counted later orphans)" -gt 0 ]; then ok later-ends-reported; else fail later-ends-reported "none"; fi

record counted --no-times
says "hold 2" held
leave_well counted
check counted-open "3" "$(counts counted Counted.Held)"
check counted-has-no-leave "" "$("$ilpatch" report "$tmp/counted.spool" | grep -c 'Held.*returned' | grep -v '^0$')"
says "release" "released 0"
end_well

# ---- while threads call ----

start busy
says churn churning
for round in 1 2 3 4 5 6 7 8; do
    options=
    [ $((round % 2)) = 0 ] && options=--no-times
    # shellcheck disable=SC2086
    record "busy" $options
    says "calls 1000" "calls 5000"
    leave_well busy
    says "collect" collected
    if [ "$options" ]; then
        if [ "$(counts busy Counted.Add)" -gt 1000 ]; then ok "busy/$round"; else fail "busy/$round" "few calls"; fi
    else
        check "busy-crossed/$round" "crossed 0" "$(spool busy balance | tail -n 1)"
    fi
    attach values --where '<method name="Add"/>' --limit 100
    wait "$attaching"
    check "busy-values/$round" 100 "$(grep -c '^Counted::Add -> ' "$tmp/values")"
done
says still "still 0"
end_well

# ---- the recorded stack beside the runtime's ----

start stacks
record stacks --check-stacks 1
says "calls 10" "calls 50"
says "throws 7" "throws 0"
says "generics 5" "generics 50"
leave_well stacks
balanced stacks
check compared "$(counted stacks enters)" "$(counted stacks snapshots)"
check agree "" "$(counted stacks unwalked)"
end_well

# ---- reports, and ends of their own ----

start reports
"$ilpatch" attach -q --trace -o "$tmp/run-%p.html" --for 100ms "$process" 2>"$tmp/reports.log"
check html "0 1" "$? $(grep -c '<html' "$tmp/run-$process.html")"
attach text --trace --where '<method name="Add"/>'
says "calls 10" "calls 50"
leave_well text
contains text "calls inserted into the IL, without hooks: the process was running already" "$tmp/text"
check text-calls 10 "$(sed -n '/^methods/,$p' "$tmp/text" | awk '$4 == "Counted.Add" { print $3 }')"
check temporary 0 "$(ls "${TMPDIR:-/tmp}" | grep -c '^ilpatch-trace-')"

# The command is killed: the process records nothing any more, and can be attached to.
attach killed --trace --where '<method name="Add"/>'
says "calls 10" "calls 50"
kill -KILL "$attaching"
wait "$attaching" 2>/dev/null
rm -f "${TMPDIR:-/tmp}"/ilpatch-trace-*
awaits sh -c "'$ilpatch' detach $process 2>&1 | grep -q 'nothing is watched'"
record after-kill --where '<method name="Add"/>'
says "calls 10" "calls 50"
"$ilpatch" detach "$process"
check detach 0 $?
wait "$attaching"
check detached 0 $?
check after-kill "10 10 0 0" "$(ends after-kill Counted::Add)"

# The process ends, well and by a signal.
record last --where '<method name="Add"/>'
says "calls 10" "calls 50"
end_well
wait "$attaching"
check last "0 10 10 0 0" "$? $(ends last Counted::Add)"
start slain
record slain --where '<method name="Add"/>'
says "calls 10" "calls 50"
slay
wait "$attaching"
check slain "0 10 10 0 0" "$? $(ends slain Counted::Add)"

# ---- what is refused ----

# refused NAME CODE TEXT OPTION...: by another command than the one that is attached
refused() {
    local case=$1 code=$2 text=$3
    shift 3
    "$ilpatch" attach "$@" "$process" >"$tmp/refused" 2>"$tmp/refused.log"
    check "refused/$case" "$code" $?
    contains "refused-reported/$case" "$text" "$tmp/refused.log"
}
start refusing
record refusing --where '<method name="Add"/>'
refused join 3 "its calls are recorded, which cannot be joined"
refused join-trace 3 "its calls are recorded, which cannot be joined" --trace
refused join-values 3 "its calls are recorded, which cannot be joined" --where '<method name="Tiny"/>'
cat >"$tmp/rules.xml" <<END
<rules><include><method name="Tiny"/></include></rules>
END
"$ilpatch" rules set "$process" "$tmp/rules.xml" 2>"$tmp/refused.log"
check rules-refused "3" $?
contains rules-refused-reported "calls are recorded, of the methods that were chosen at the start" "$tmp/refused.log"
says "calls 10" "calls 50"
leave_well refusing
check still-recorded "10 10 0 0" "$(ends refusing Counted::Add)"
attach values --where '<method name="Add"/>'
refused beside-values 3 "calls are recorded by one command that is attached alone" --trace
says "calls 1" "calls 5"
leave_well values
check values-went-on 1 "$(grep -c '^Counted::Add -> ' "$tmp/values")"
for option in --args --exceptions --time --json --target-stderr --no-redact "--when value>1" "--limit 3" "--depth 3" \
    "--report $tmp/r.json" "--id-map $tmp/ids"; do
    # shellcheck disable=SC2086
    refused "${option%% *}" 2 "is about values, and with --trace calls are recorded" --trace $option
done
for option in --no-times "--check-stacks 1" "--format text" --raw-names --subtract-cost; do
    # shellcheck disable=SC2086
    refused "without${option%% *}" 2 "is about calls, which --trace records" $option
done
refused values 2 "unknown option" --trace --values
refused untimed 2 "with --no-times there is the format text alone" --trace --no-times --format html
refused place 4 "cannot write" --trace -o "$tmp/none/x.txt"
end_well
finish
