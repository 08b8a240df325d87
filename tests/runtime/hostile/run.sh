#!/bin/bash
# What others have planted, cut off, closed or stopped does not reach the program: SECURITY.md promises it.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
unset CORECLR_ENABLE_PROFILING CORECLR_PROFILER CORECLR_PROFILER_PATH DOTNET_STARTUP_HOOKS
scratch hostile
need_sdk hostile
cp samples/Shop.* "$tmp/"
shop=(dotnet exec "$tmp/Shop.exe")
"${shop[@]}" >"$tmp/plain.out" 2>/dev/null

# ---- the files for what the profiler says, and for lines of values ----

# They are cut off before the program starts, and again and again while it runs.
# shellcheck disable=SC2016
"$ilpatch" run -o "$tmp/values" -- bash -c '(while kill -0 $$ 2>/dev/null; do truncate -s 0 "$ILPATCH_STATUS" "$ILPATCH_LINES"; sleep 0.01; done) 2>/dev/null & "$@"' \
    sh "${shop[@]}" >"$tmp/cut.out" 2>"$tmp/cut.err"
check "counters that are cut off: exit code" 0 $?
same "counters that are cut off: output" "$tmp/plain.out" "$tmp/cut.out"
contains "counters that are cut off: counts" "7 methods inspected, 2 not" "$tmp/cut.err"
check "lines that are cut off" 15 "$(wc -l <"$tmp/values")"

# A spool is a file with a name, and can be.
cut_spool() {
    # shellcheck disable=SC2016
    "$ilpatch" "$@" -- bash -c '(while kill -0 $$ 2>/dev/null; do truncate -s 0 "$SPOOL"; sleep 0.01; done) 2>/dev/null & "$@"' sh "${shop[@]}" \
        >"$tmp/cut.out" 2>"$tmp/cut.err"
}
export SPOOL=$tmp/cut.spool
cut_spool run --spool "$SPOOL"
check "a spool of values that is cut off: exit code" 4 $?
same "a spool of values that is cut off: output" "$tmp/plain.out" "$tmp/cut.out"
contains "a spool of values that is cut off: said" "cannot write: it was made shorter while the program ran" "$tmp/cut.err"
cut_spool trace --spool "$SPOOL" -o "$tmp/cut.txt"
check "a trace that is cut off: exit code" 1 $?
same "a trace that is cut off: output" "$tmp/plain.out" "$tmp/cut.out"
contains "a trace that is cut off: said" "could not be written to $SPOOL" "$tmp/cut.err"

# A process that goes on when the command is gone makes no file in its place.
mkdir "$tmp/folder"
mkfifo "$tmp/go"
# shellcheck disable=SC2016
TMPDIR=$tmp/folder "$ilpatch" run --children -o "$tmp/values" -- \
    bash -c '(read -r _ <"$1"; shift; "$@" >"$TMPDIR/out"; echo $? >"$TMPDIR/code") & ' sh "$tmp/go" "${shop[@]}" 2>"$tmp/gone.err"
echo go >"$tmp/go"
awaits test -s "$tmp/folder/code"
check "a command that is gone: exit code" 0 "$(cat "$tmp/folder/code")"
check "a command that is gone: no file" "code out" "$(find "$tmp/folder" -type f -printf '%f\n' | sort | paste -sd ' ')"

# ---- who may read ----

# Values, spools and pages are the user's own, whatever the umask; a file that was there stays as readable as it was.
mode() { stat -c %a "$1"; }
(
    umask 0
    "$ilpatch" run -o "$tmp/new.values" -- "${shop[@]}"
    "$ilpatch" trace --values --spool "$tmp/new.spool" -o "$tmp/new.html" -- "${shop[@]}"
    "$ilpatch" report -o "$tmp/new.txt" "$tmp/new.spool"
    ILPATCH_OPTIONS="--trace $tmp/hand.spool" ILPATCH_STATUS=$tmp/hand.status CORECLR_ENABLE_PROFILING=1 \
        CORECLR_PROFILER='{0AF01076-FED6-4561-9947-3525B8E2435D}' CORECLR_PROFILER_PATH=$build/libilpatch_profiler.so "${shop[@]}"
) >"$tmp/modes.out" 2>&1
for file in new.values new.spool new.html new.txt hand.spool hand.status; do
    check "mode of $file" 600 "$(mode "$tmp/$file")"
done
chmod 644 "$tmp/new.values" "$tmp/new.txt"
"$ilpatch" run -o "$tmp/new.values" -- "${shop[@]}" >"$tmp/modes.out" 2>&1
"$ilpatch" report -o "$tmp/new.txt" "$tmp/new.spool" >"$tmp/modes.out" 2>&1
check "modes stay" "644 644" "$(mode "$tmp/new.values") $(mode "$tmp/new.txt")"

# ---- stopped and continued ----

# The program is stopped while the command waits for its answer, then the command; both go on.
# shellcheck disable=SC2317 # by awaits
state() { sed 's/.*) \(.\).*/\1/' "/proc/$1/stat"; }
# shellcheck disable=SC2317 # by awaits
is_in() { [ "$(state "$1")" = "$2" ]; }
cp tests/runtime/attach/Live.cs tests/runtime/attach/Later.cs "$tmp/"
compile "$tmp/Live.dll" "$tmp/Live.cs"
compile "$tmp/Later.dll" -target:library "$tmp/Later.cs"
runs_with_framework "$tmp/Live.dll"
coproc PROGRAM { exec dotnet exec "$tmp/Live.dll" 2>"$tmp/live.err"; }
process=$PROGRAM_PID
exec 7<&"${PROGRAM[0]}" 8>&"${PROGRAM[1]}"
read -r _ <&7
kill -STOP "$process"
awaits is_in "$process" T
"$ilpatch" attach -o "$tmp/stopped.values" "$process" 2>"$tmp/stopped.err" &
command=$!
for _ in 1 2 3; do
    awaits is_in "$command" S
    kill -STOP "$command"
    awaits is_in "$command" T
    kill -CONT "$command"
done
kill -CONT "$process"
wait "$command"
check "stopped: the command" 0 $?
printf 'go\ngo\n' >&8
cat <&7 >"$tmp/stopped.out"
exec 7<&- 8>&-
wait "$process"
check "stopped: the program" 0 $?
contains "stopped: values" "Live::Hot -> " "$tmp/stopped.values"

# ---- more rights ----

# A program that has more rights than its user is left alone, which is said beforehand.
net=$(dirname "$(readlink -f "$(command -v dotnet)")")
mkdir "$tmp/net"
cp "$net/dotnet" "$tmp/net/"
for part in host shared sdk; do ln -s "$net/$part" "$tmp/net/$part"; done
if [ "$(id -u)" = 0 ] && chgrp 65534 "$tmp/net/dotnet" && chmod 2755 "$tmp/net/dotnet" &&
    ! findmnt -n -o OPTIONS -T "$tmp" | grep -q nosuid; then
    "$ilpatch" run -o "$tmp/privileged.values" -- "$tmp/net/dotnet" exec "$tmp/Shop.exe" >"$tmp/privileged.out" 2>"$tmp/privileged.err"
    check "set-gid: exit code" 0 $?
    same "set-gid: output" "$tmp/plain.out" "$tmp/privileged.out"
    contains "set-gid: reported" "set-uid or set-gid program: the profiler leaves it alone" "$tmp/privileged.err"
    check "set-gid: no file" absent "$([ -e "$tmp/privileged.values" ] && echo there || echo absent)"
else
    skip set-gid "the file system gives no rights"
fi
finish
