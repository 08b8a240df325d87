#!/bin/bash
# The profiler comes into programs that run already: what they print stays, and from then on all values are shown, of methods
# that were compiled before, inlined, native, on the stack or not yet there.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/attach

scratch attach

need_sdk attach

roslyn=$(dirname "$csc")
compile "$tmp/Live.dll" "$here/Live.cs"
compile "$tmp/Later.dll" -target:library "$here/Later.cs"
if [ "$major" -ge 10 ]; then # as the SDK's compiler needs
    compile "$tmp/Native.dll" -r:"$refs/netstandard.dll" -r:"$roslyn/Microsoft.CodeAnalysis.dll" -r:"$roslyn/Microsoft.CodeAnalysis.CSharp.dll" "$here/Native.cs"
    cp "$roslyn/Microsoft.CodeAnalysis.dll" "$roslyn/Microsoft.CodeAnalysis.CSharp.dll" "$tmp/"
fi
runs_with_framework "$tmp/Live.dll"
runs_with_framework "$tmp/Native.dll"

# begin NAME "PROGRAM ARGUMENT...": starts the program, up to its first line, which is in NAME.out
begin() {
    local line
    # shellcheck disable=SC2086
    coproc PROGRAM { exec dotnet exec $2 2>"$1.err"; }
    process=$PROGRAM_PID
    exec 7<&"${PROGRAM[0]}" 8>&"${PROGRAM[1]}"
    read -r line <&7
    echo "$line" >"$1.out"
}
# let_end NAME: the program goes on to its end. Its output is in NAME.out, its exit code in $code.
let_end() {
    local line
    echo go >&8
    while read -r line <&7; do
        echo "$line" >>"$1.out"
        [ "$line" != ready ] || echo go >&8
    done
    exec 7<&- 8>&-
    wait "$process"
    code=$?
}
# look VALUES "PROGRAM ARGUMENT..." OPTION...: attaches when the program says that it is ready, and lets it end. The command's
# exit code is in $attached.
look() {
    local values=$1
    begin "$values" "$2"
    shift 2
    "$ilpatch" attach --method-rate 0 --max-cost 0 -o "$values" "$@" "$process" 2>"$values.log"
    attached=$?
    [ -z "${second-}" ] || "$ilpatch" attach -o "$second" "$process" 2>"$second.log"
    let_end "$values"
}
# counted FILE: "2 A::M" for each method with values
counted() { sed -n 's/ -> .*//p' "$1" | sort | uniq -c | sed 's/^ *//' | tr '\n' ' '; }

# ---- a program that has run for a while ----

printf 'go\ngo\n' | dotnet exec "$tmp/Live.dll" >"$tmp/plain.out"
expected="1 Later::Answer 1 Later::Inner 4 Live/<Numbers>d__6::MoveNext"
expected+=" 1 Live/<Numbers>d__6::System.Collections.Generic.IEnumerable<System.Int32>.GetEnumerator"
expected+=" 3 Live/<Numbers>d__6::System.Collections.Generic.IEnumerator<System.Int32>.get_Current"
expected+=" 2 Live::Hot 1 Live::Numbers 3 Live::Same 48 Live::Small 24 Live::Twice 1 Live::Under 1 Live::Work 1 Pair::ToString "
for jit in TieredCompilation=1 TieredCompilation=0 OSR_HitLimit=1; do
    export DOTNET_$jit
    look "$tmp/live.txt" "$tmp/Live.dll"
    unset "DOTNET_${jit%=*}"
    check "exit-codes/$jit" "0 0" "$attached $code"
    if cmp -s "$tmp/plain.out" "$tmp/live.txt.out"; then ok "output/$jit"; else fail "output/$jit" "see $tmp/live.txt.out"; fi
    check "values/$jit" "$expected" "$(counted "$tmp/live.txt")"
done
contains summary "methods inspected" "$tmp/live.txt.log"
check a-value "Live::Under -> 0 (System.Int32)" "$(grep Under "$tmp/live.txt")"

look "$tmp/framework.txt" "$tmp/Live.dll" -q --framework --where '<type name="System.Linq.Enumerable"/><method name="Sum"/>'
contains framework "System.Linq.Enumerable::Sum -> 3 (System.Int32)" "$tmp/framework.txt"
check framework-alone 0 "$(grep -vc '^System.Linq.Enumerable::Sum -> ' "$tmp/framework.txt")"

# ---- native code ----

# The same values with native code as without, when it has run before, and when it is loaded afterwards.
for before in "" before; do
    if [ ! -e "$tmp/Native.dll" ]; then
        skip "native-code/$before" "the SDK's compiler is for .NET 10"
        continue
    fi
    look "$tmp/native$before.txt" "$tmp/Native.dll $before"
    DOTNET_ReadyToRun=0 look "$tmp/jit$before.txt" "$tmp/Native.dll $before"
    sed -i 's/_localRandom=-\?[0-9]*/_localRandom=/' "$tmp/native$before.txt" "$tmp/jit$before.txt" # drawn again by each process
    if [ "$(wc -l <"$tmp/jit$before.txt")" -gt 10000 ] && cmp -s "$tmp/jit$before.txt" "$tmp/native$before.txt"; then
        ok "native-code/$before"
    else
        fail "native-code/$before" "diff $tmp/jit$before.txt $tmp/native$before.txt"
    fi
done

# ---- threads, and modules that go ----

# So many methods that modules go while the runtime is still at them.
{
    echo 'public static class Many {'
    seq 20000 | sed 's/.*/public static int M&(int value) => value + &;/'
    echo '}'
} >"$tmp/Many.cs"
compile "$tmp/Busy.dll" "$here/Busy.cs" "$tmp/Many.cs"
compile "$tmp/Passing.dll" -target:library -r:"$tmp/Busy.dll" "$here/Passing.cs"
cp "$tmp/Live.runtimeconfig.json" "$tmp/Busy.runtimeconfig.json"
for inspector in "--inspector full" ""; do
    # shellcheck disable=SC2086
    look "$tmp/busy.txt" "$tmp/Busy.dll" -q $inspector
    check "busy/$inspector" "0 0 over" "$attached $code $(tail -n 1 "$tmp/busy.txt.out")"
    contains "busy-values/$inspector" 'Busy::Text -> "text 3" (System.String)' "$tmp/busy.txt"
    contains "busy-contexts/$inspector" 'Passing::Answer -> 5 (System.Int32)' "$tmp/busy.txt"
done
# A watch lists all modules when it begins, and reports them when it ends.
begin "$tmp/again.txt" "$tmp/Busy.dll"
streams=$(streams_of "$process")
for round in 1 2 3 4 5 6 7 8; do
    "$ilpatch" attach -q --inspector full -o "$tmp/again.txt" --report "$tmp/again.json" "$process" 2>"$tmp/again.log" &&
        "$ilpatch" detach "$process" 2>"$tmp/again.log"
    check "busy-again/$round" 0 $?
    contains "busy-again/$round/report" '"Passing' "$tmp/again.json"
    rm -f "$tmp/again.json"
done
check busy-again/streams "$streams" "$(streams_of "$process")"
let_end "$tmp/again.txt"
check busy-again "0 over" "$code $(tail -n 1 "$tmp/again.txt.out")"

# ---- when it cannot be done ----

"$ilpatch" attach 2>"$tmp/none.err"
check no-process-named 2 $?
"$ilpatch" attach $$ 2>"$tmp/none.err"
check not-dotnet 3 $?
contains not-dotnet-reported "it is not a .NET program" "$tmp/none.err"
sed -i 's/"runtimeOptions":{/&"configProperties":{"System.StartupHookProvider.IsSupported":false},/' "$tmp/Live.runtimeconfig.json"
look "$tmp/hooks.txt" "$tmp/Live.dll" --inspector full
check hooks-switched-off "3 0" "$attached $code"
contains hooks-switched-off-reported "start-up hooks are switched off" "$tmp/hooks.txt.log"
if cmp -s "$tmp/plain.out" "$tmp/hooks.txt.out"; then ok hooks-switched-off-output; else fail hooks-switched-off-output "see $tmp/hooks.txt.out"; fi
look "$tmp/unmanaged.txt" "$tmp/Live.dll"
check unmanaged-needs-no-hook "0 0 $expected" "$attached $code $(counted "$tmp/unmanaged.txt")"
sed -i 's/"configProperties":{[^}]*},//' "$tmp/Live.runtimeconfig.json"
coproc PROGRAM { exec "$ilpatch" run -q -- dotnet exec "$tmp/Live.dll" 2>/dev/null; }
process=$PROGRAM_PID
exec 7<&"${PROGRAM[0]}" 8>&"${PROGRAM[1]}"
read -r line <&7
"$ilpatch" attach "$(cat "/proc/$process/task/$process/children" | tr -d ' ')" 2>"$tmp/second.err"
check second-profiler 3 $?
contains second-profiler-reported "a profiler is in it already" "$tmp/second.err"
printf 'go\ngo\n' >&8
cat <&7 >/dev/null
exec 7<&- 8>&-
wait "$process"
second=$tmp/second.txt ILPATCH_PROFILER="1000 1000" look "$tmp/first.txt" "$tmp/Live.dll" # inherited from another process
check values-of-the-first "0 0 $expected" "$attached $code $(counted "$tmp/first.txt")"
check values-of-the-second "" "$(ls "$tmp/second.txt" 2>/dev/null)"

# ---- values on the command's standard output ----

compile "$tmp/Rounds.dll" "$here/Rounds.cs"
compile "$tmp/Own.dll" -target:library "$here/Own.cs"
runs_with_framework "$tmp/Rounds.dll"
${CC:-cc} -shared -fPIC -o "$tmp/libown.so" "$here/own.c" || fail own-library "cannot be compiled"

# start NAME [COMMAND...]: Rounds.dll, waiting for its first line; $process is its number. What it says is in $tmp/NAME.out and .err.
start() {
    name=$1
    shift
    rm -f "$tmp/$name".*
    mkfifo "$tmp/$name.in"
    : >"$tmp/$name.out"
    OWN_VALUES=$tmp/$name.own "$@" dotnet exec "$tmp/Rounds.dll" <"$tmp/$name.in" >"$tmp/$name.out" 2>"$tmp/$name.err" &
    process=$!
    exec 9>"$tmp/$name.in"
    awaits grep -q ready "$tmp/$name.out"
}
# rounds COUNT: and waits until they are done
rounds() {
    local before
    before=$(wc -l <"$tmp/$name.out")
    echo "$1" >&9
    awaits sh -c "[ \$(wc -l <'$tmp/$name.out') -gt $before ]"
}
# end: of the program; $code is its exit code
end() {
    exec 9>&-
    wait "$process"
    code=$?
}
# attach OPTION...: with values in $tmp/NAME.values, to go on; $attaching is the command's number
attach() {
    : >"$tmp/$name.log"
    "$ilpatch" attach --method-rate 0 --max-cost 0 "$@" "$process" >"$tmp/$name.values" 2>"$tmp/$name.log" 9>&- &
    attaching=$!
    awaits sh -c "grep -q '^ilpatch: attached' '$tmp/$name.log' || ! kill -0 $attaching 2>/dev/null"
}
# expected FIRST LAST: the lines of these rounds
expected() {
    seq "$1" "$2" | awk '{ printf "Rounds::Next -> %d (System.Int32)\nRounds::Name -> \"round %d\" (System.String)\nRounds::Both -> (%d, %d) (System.ValueTuple`2[System.Int32,System.Int64])\n", $1 + 1, $1, $1, -$1 }'
}

for inspector in "--inspector full" ""; do
    group="plain${inspector:+-unmanaged}/"
    start plain
    rounds 5
    # shellcheck disable=SC2086
    attach --report "$tmp/plain-%p.json" $inspector
    check socket "srw-------" "$(stat -c %A "${TMPDIR:-/tmp}"/ilpatch-"$process"-*-socket)"
    rounds 20
    end
    wait "$attaching"
    check codes "0 0" "$? $code"
    check no-socket-stays "" "$(ls -d "${TMPDIR:-/tmp}"/ilpatch-"$process"-* 2>/dev/null)"
    expected 5 24 >"$tmp/plain.expected"
    same values "$tmp/plain.expected" "$tmp/plain.values"
    check nothing-on-its-standard-error "" "$(cat "$tmp/plain.err")"
    contains end-reported "process $process ended" "$tmp/plain.log"
    contains summary "3 methods inspected" "$tmp/plain.log"
    check report "complete 3" "$(jq -r '"\(if .process.complete == false then "partial" else "complete" end) \([.modules[] | .methods[]? | select(.answer == "inspected")] | length)"' "$tmp/plain-$process.json")"
done
group=

# What ends the command ends values, and nothing else; the report is there by then, or soon.
for how in TERM KILL pipe; do
    group="$how/"
    start gone
    if [ $how = pipe ]; then
        : >"$tmp/gone.log"
        { "$ilpatch" attach --report "$tmp/gone.json" "$process" 2>"$tmp/gone.log" 9>&-; echo $? >"$tmp/gone.code"; } | head -n 3 >"$tmp/gone.values" &
        attaching=$!
        awaits grep -q '^ilpatch: attached' "$tmp/gone.log"
        rounds 2
        awaits test -s "$tmp/gone.code"
        wait "$attaching"
        check code 0 "$(cat "$tmp/gone.code")"
    else
        attach --report "$tmp/gone.json"
        rounds 1
        awaits sh -c "[ \$(wc -l <'$tmp/gone.values') -eq 3 ]"
        kill -$how "$attaching"
        wait "$attaching" 2>/dev/null
        ended=$?
        check code "$([ $how = TERM ] && echo 0 || echo 137)" $ended
    fi
    awaits test -e "$tmp/gone.json"
    check report-by-then 3 "$(jq '[.modules[] | .methods[]? | select(.answer == "inspected")] | length' "$tmp/gone.json")"
    rounds 1000
    cp "$tmp/gone.values" "$tmp/gone.first"
    round=$([ $how = pipe ] && echo 1002 || echo 1001)
    attach
    rounds 1
    kill -TERM "$attaching"
    wait "$attaching"
    check a-second-one 0 $?
    expected "$round" "$round" >"$tmp/gone.expected"
    same a-second-one-sees "$tmp/gone.expected" "$tmp/gone.values"
    mv "$tmp/gone.first" "$tmp/gone.values"
    end
    check the-program-goes-on "0 " "$code $(cat "$tmp/gone.err")"
    expected 0 0 >"$tmp/gone.expected"
    same values "$tmp/gone.expected" "$tmp/gone.values"
done
group=

# Nothing waits for a command that is stopped; what it missed is counted.
start stopped
attach
kill -STOP "$attaching"
rounds 30000
kill -CONT "$attaching"
end
wait "$attaching"
check stopped "4 0 90000" "$? $code $(($(wc -l <"$tmp/stopped.values") + $(sed -n 's/^ilpatch: \([0-9]*\) lines were dropped: .*/\1/p' "$tmp/stopped.log")))"
check stopped-whole-lines 0 "$(grep -vcE '^Rounds::[A-Z][a-z]* -> .*\([A-Za-z0-9.,`]*(\[[A-Za-z0-9.,]*\])?\)$' "$tmp/stopped.values")"

# ---- what is refused changes nothing: the next attempt is right ----

start refused
"$ilpatch" attach -o "$tmp/no/where" "$process" 2>"$tmp/refused.log"
check output-refused "4 ilpatch: $tmp/no/where: cannot write: No such file or directory" "$? $(cat "$tmp/refused.log")"
for option in report id-map; do
    "$ilpatch" attach --$option "$tmp/no/where" "$process" 2>"$tmp/refused.log"
    check $option-refused "4 1" "$? $(grep -c "no/where: cannot write: No such file" "$tmp/refused.log")"
done
check refused-pipe 4 "$(mkfifo "$tmp/pipe"; "$ilpatch" attach -o "$tmp/pipe" "$process" 2>"$tmp/refused.log"; echo $?)"
"$ilpatch" attach -o x --target-stderr "$process" 2>"$tmp/refused.log"
check two-places 2 $?
check nothing-is-loaded 0 "$(grep -c 'libilpatch_profiler\|MyProfiler' "/proc/$process/maps")"
rounds 1
(cd "$tmp" && "$ilpatch" attach -q -o refused-%p.txt "$process")
rounds 2
end
expected 1 2 >"$tmp/refused.expected"
same accepted-then "$tmp/refused.expected" "$tmp/refused-$process.txt"
check refused-program "0 " "$code $(cat "$tmp/refused.err")"

# OUT is the command's own standard output or error: what was written there stays, and no line overwrites another.
for how in '1>>' '2>>' '1>' '2>'; do
    start stream
    echo before >"$tmp/stream.values"
    eval '"$ilpatch" attach -o "$tmp/stream.values" "$process" '"$how"'"$tmp/stream.values"' 2>"$tmp/stream.log"
    rounds 2
    end
    { [[ $how == *'>' && $how != *'>>' ]] || echo before; expected 0 1; } >"$tmp/stream.expected"
    grep -v '^ilpatch: ' "$tmp/stream.values" | cmp -s - "$tmp/stream.expected"
    check "own stream $how" "0 0 " "$? $code $(cat "$tmp/stream.err")"
done

sed -i 's/"runtimeOptions":{/&"configProperties":{"System.StartupHookProvider.IsSupported":false},/' "$tmp/Rounds.runtimeconfig.json"
start hooks
"$ilpatch" attach --inspector full "$process" >"$tmp/hooks.values" 2>"$tmp/hooks.log"
check hooks-refused "3 " "$? $(cat "$tmp/hooks.values")"
awaits sh -c "! grep -q libilpatch_profiler /proc/$process/maps"
echo '<rules><include inspector="unmanaged"><type name="Rounds"/></include></rules>' >"$tmp/unmanaged.xml"
attach --rules "$tmp/unmanaged.xml"
rounds 2
end
wait "$attaching"
expected 0 1 >"$tmp/hooks.expected"
same hooks-not-needed "$tmp/hooks.expected" "$tmp/hooks.values"
runs_with_framework "$tmp/Rounds.dll"

# What a killed process has left is removed by the next attach.
left=${TMPDIR:-/tmp}/ilpatch-$$-1-socket
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$left"
start left
attach
end
wait "$attaching"
check left-socket "" "$(ls -d "$left" 2>/dev/null)"

# The command's user writes OUT, the process's user the report.
if [ "$(id -u)" = 0 ] && have setpriv; then
    mkdir -m 755 "$tmp/bin"
    cp "$(dirname "$ilpatch")"/{ilpatch,libilpatch_profiler.so,MyProfiler.dll} "$tmp/bin/"
    chmod 711 "$tmp"
    mkdir -m 700 "$tmp/private"
    start other setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent
    "$tmp/bin/ilpatch" attach --report "$tmp/private/report.json" "$process" 2>"$tmp/other.log"
    check other-user-report "4 1" "$? $(grep -c 'private/report.json: cannot write: Permission denied' "$tmp/other.log")"
    "$tmp/bin/ilpatch" attach -q -o "$tmp/private/values" "$process"
    check other-user 0 $?
    rounds 2
    end
    same other-user-values "$tmp/hooks.expected" "$tmp/private/values"
    check other-user-standard-error "" "$(cat "$tmp/other.err")"
else
    skip other-user "needs root and setpriv"
fi

# ---- options, with each kind of inspector ----

own="$tmp/libown.so!own"
echo "<rules><include inspector=\"unmanaged\"><method name=\"Next\"/></include><include inspector=\"$tmp/Own.dll\"><method name=\"Name\"/></include>
    <include><type name=\"Rounds\"/></include></rules>" >"$tmp/mixed.xml"

# tried NAME KIND OPTION...: "exit code, lines on standard output, in OUT, on the standard error of the process, of the own inspector"
tried() {
    local kind=$2 options=()
    case $kind in
        stock) options=(--inspector full) ;;
        unmanaged) ;;
        own) options=(--inspector "$tmp/Own.dll") ;;
        native) options=(--inspector "native:$own" --id-map "$tmp/tried.ids") ;;
        mixed) options=(--rules "$tmp/mixed.xml") ;;
    esac
    start tried
    shift 2
    attach "${options[@]}" "$@"
    rounds 1
    rounds 1
    end
    wait "$attaching"
    echo "$? $(wc -l <"$tmp/tried.values") $(cat "$tmp/tried.OUT" 2>/dev/null | wc -l) $(wc -l <"$tmp/tried.err") $(cat "$tmp/tried.own" 2>/dev/null | wc -l)"
}
only='<method name="Next"/>'
for kind in stock unmanaged own native mixed; do
    case $kind in
        own) shown="0 0 0 0 6" given="2 0 0 0 0" erred="2 0 0 0 0" where="0 0 0 0 2" framework="0 4 0 0 0" ;;
        native) shown="0 0 0 0 4" given="2 0 0 0 0" erred="2 0 0 0 0" where="0 0 0 0 2" framework="0 0 0 0 0" ;;
        mixed) shown="0 4 0 0 2" given="0 0 4 0 2" erred="0 0 0 4 2" where="0 2 0 0 0" framework="0 0 0 0 0" ;;
        *) shown="0 6 0 0 0" given="0 0 6 0 0" erred="0 0 0 6 0" where="0 2 0 0 0" framework="0 4 0 0 0" ;;
    esac
    group="options/$kind/"
    check alone "$shown" "$(tried 0 $kind)"
    check output "$given" "$(tried 1 $kind -o "$tmp/tried.OUT" --report "$tmp/tried.json")"
    check target-stderr "$erred" "$(tried 2 $kind --target-stderr -v)"
    check where "$where" "$(tried 3 $kind --where "$only" --reference-path "$tmp" --report "$tmp/tried.json")"
    check framework "$framework" "$(tried 4 $kind --framework --where '<type name="System.String"/><method name="Concat"/>')"
done
group=

finish
