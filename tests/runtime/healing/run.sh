#!/bin/bash
# A process in which something goes wrong with a method goes on, and the method is as it was: bodies that the verifier refuses.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/healing
scratch healing
need_sdk healing

# reasons REPORT: "Type::Method answer detail" of each method
reasons() { jq -r '.modules[].methods[]? | .name + " " + .answer + (if .detail then " " + .detail else "" end)' "$1" | sort; }

# look NAME PROGRAM OPTION...: attaches to a program when it says "ready", and lets it go on to its end. What it prints from then
# on is in NAME.out, its exit code and the command's in $codes.
look() {
    local name=$1 program=$2 line process
    shift 2
    coproc PROGRAM { exec dotnet exec "$program" 2>"$tmp/$name.err"; }
    process=$PROGRAM_PID
    exec 7<&"${PROGRAM[0]}" 8>&"${PROGRAM[1]}"
    while read -r line <&7 && [ "$line" != ready ]; do :; done
    "$ilpatch" attach -o "$tmp/$name.txt" --report "$tmp/$name.json" "$@" "$process" 2>"$tmp/$name.log"
    codes=$?
    echo go >&8
    : >"$tmp/$name.out"
    while read -r line <&7; do
        echo "$line" >>"$tmp/$name.out"
        [ "$line" != ready ] || echo go >&8
    done
    exec 7<&- 8>&-
    wait "$process"
    codes+=" $?"
}

# ---- bodies that the verifier refuses ----

if have ilasm; then
    ilasm -quiet -output:"$tmp/Wrong.dll" "$here/Wrong.il" >"$tmp/log" 2>&1 || fail ilasm "see $tmp/log"
    runs_with_framework "$tmp/Wrong.dll"
    printf '%s\n' passed first second ready >"$tmp/once"

    # started: static constructors alone are verified, and one that is wrong in the file already is not inspected
    echo | "$ilpatch" run --exceptions --report "$tmp/run.json" -o "$tmp/run.txt" -- dotnet exec "$tmp/Wrong.dll" >"$tmp/run.out" 2>"$tmp/run.log"
    check run/exit-code 0 $?
    same run/output <(cat "$tmp/once" "$tmp/once") "$tmp/run.out"
    cat >"$tmp/expected" <<'REASONS'
Rightly::.cctor exceptions-only
Wrong::Main exceptions-only
Wrong::Pass inspected
Wrong::Right inspected
Wrongly::.cctor not-verified IL_000f type-mismatch: what is stored: object where string is expected
REASONS
    same run/reasons "$tmp/expected" <(reasons "$tmp/run.json")

    # attached to: all of them
    look wrong "$tmp/Wrong.dll" --exceptions
    check attach/exit-codes "0 0" "$codes"
    same attach/output "$tmp/once" "$tmp/wrong.out"
    contains attach/not-verified "Wrong::Pass not-verified IL_0001 type-mismatch: a local: object where string is expected" <(reasons "$tmp/wrong.json")
    check attach/values 'Wrong::Right -> "passed" (System.String)' "$(cat "$tmp/wrong.txt")"
else
    skip verified "no ilasm"
fi

finish
