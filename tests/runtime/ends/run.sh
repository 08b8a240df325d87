#!/bin/bash
# What `ilpatch run` and `trace` tell when a program or its output comes to a bad end; the program itself does not notice.
#
#   ILPATCH             the command, build/ilpatch
#   ILPATCH_TEST_TMP    parent of the scratch directory; what failed stays there
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.." || exit 1
. tests/lib.sh
export DOTNET_DbgEnableMiniDump=0
scratch ends
export TMPDIR=$tmp # for the runtime's pipes, which stay
need_sdk ends
compile "$tmp/app/Ends.dll" "$here/Ends.cs"
runs_with_framework "$tmp/app/Ends.dll"
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

for inspector in "" "--inspector unmanaged"; do
    name=${inspector:-stock}
    # shellcheck disable=SC2086
    check "$name: a full disk" "4 499500" "$(run -o /dev/full $inspector -- 1000) $(cat "$tmp/out")"
    contains "$name: a full disk is told" "/dev/full: 1001 lines could not be written: No space left on device" "$tmp/err"
    # shellcheck disable=SC2086
    check "$name: the program's own code comes first" 7 "$(run -o /dev/full $inspector -- 1000 exit)"
    mkfifo "$tmp/pipe"
    head -n 3 "$tmp/pipe" >"$tmp/head" &
    # shellcheck disable=SC2086
    check "$name: a pipe whose reader left" "4 4999950000" "$(run -o "$tmp/pipe" $inspector -- 100000) $(cat "$tmp/out")"
    wait
    check "$name: a pipe whose reader left is told" 1 "$(grep -c 'lines could not be written: Broken pipe$' "$tmp/err")"
    rm "$tmp/pipe"
    # The limit is on all files: the runtime's own map of its code is one.
    # shellcheck disable=SC2086
    check "$name: a limit of 8 KB" "4 499500" "$(ulimit -f 8; DOTNET_EnableWriteXorExecute=0 run -o "$tmp/lines" $inspector -- 1000) $(cat "$tmp/out")"
    contains "$name: a limit of 8 KB is told" "$tmp/lines: " "$tmp/err"
    check "$name: a limit of 8 KB: all is there or told" 1001 \
        "$(($(wc -l <"$tmp/lines") + $(sed -n 's/.*: \([0-9]*\) lines could not be written: File too large$/\1/p' "$tmp/err")))"
    # shellcheck disable=SC2086
    check "$name: standard error is full" "4 499500" "$(timeout 1800 "$ilpatch" run $inspector -- dotnet "$tmp/app/Ends.dll" 1000 2>/dev/full >"$tmp/out"; echo "$? $(cat "$tmp/out")")"
done
timeout 1800 bash -c 'ulimit -f 64; export DOTNET_EnableWriteXorExecute=0; exec "$@"' sh "$ilpatch" trace --spool "$tmp/spool" -- dotnet "$tmp/app/Ends.dll" 100000 >"$tmp/out" 2>"$tmp/err"
check "a trace with a limit" "1 4999950000" "$? $(cat "$tmp/out")"
check "a trace with a limit is told" 1 "$(grep -c "records could not be written to $tmp/spool" "$tmp/err")"
timeout 1800 bash -c 'ulimit -f 64; export DOTNET_EnableWriteXorExecute=0; exec "$@"' sh "$ilpatch" trace --spool "$tmp/spool2" -- dotnet "$tmp/app/Ends.dll" 100000 kill >"$tmp/out" 2>"$tmp/err"
check "a trace with a limit, killed" "137 1" "$? $(grep -c "$tmp/spool2: cannot write: File too large" "$tmp/err")"

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
    contains "$how: told" "1 of 1 processes ended without their runtime's shutdown" "$tmp/err"
    contains "$how: counts" "2 methods inspected, 0 not; 1 module left alone" "$tmp/err"
    contains "$how: the report is told" "the report holds what was known until then" "$tmp/err"
    check "$how: the report" "False Ends::Main Ends::One" "$(answers "$tmp/$how.json")"
done
check "exit: exit code" 7 "$(run -o "$tmp/lines" --report "$tmp/exit.json" -- 10 exit)"
check "exit: the report" "True Ends::Main Ends::One" "$(answers "$tmp/exit.json")"
check "no part of a report stays" "" "$(ls "$tmp" | grep part)"
check "exit: ended as it should" 0 "$(grep -c 'without their' "$tmp/err")"
finish
