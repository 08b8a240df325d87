#!/bin/bash
# A process in which something goes wrong with a method goes on, and the method is as it was: bodies that the verifier refuses, and
# bodies that the JIT does not take (breaking.c makes them of ours).
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/healing
scratch healing
need_sdk healing
attaching=$ilpatch # the command that attaches

# reasons REPORT: "Type::Method answer detail" of each method
reasons() { jq -r '.modules[].methods[]? | .name + " " + .answer + (if .detail then " " + .detail else "" end)' "$1" | sort; }

# look NAME PROGRAM OPTION...: attaches to a program when it says "ready", and lets it go on to its end. What it prints from then
# on is in NAME.out, its exit code and the command's in $codes.
look() {
    local name=$1 program=$2 line process
    shift 2
    # shellcheck disable=SC2086
    coproc PROGRAM { exec dotnet exec $program 2>"$tmp/$name.err"; }
    process=$PROGRAM_PID
    exec 7<&"${PROGRAM[0]}" 8>&"${PROGRAM[1]}"
    while read -r line <&7 && [ "$line" != ready ]; do :; done
    "$attaching" attach -o "$tmp/$name.txt" --report "$tmp/$name.json" "$@" "$process" 2>"$tmp/$name.log"
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

# ---- bodies that the JIT does not take ----

mkdir "$tmp/broken"
cp "$ilpatch" "$build/MyProfiler.dll" "$tmp/broken"
if ! ${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -fvisibility=hidden -shared -fPIC -o "$tmp/broken/libilpatch_profiler.so" \
    "$here/breaking.c" -ldl >"$tmp/cc.log" 2>&1; then
    fail build "$(head -n 1 "$tmp/cc.log")"
    finish
fi
export NEXT=$build/libilpatch_profiler.so
compile "$tmp/Broken.dll" "$here/Broken.cs"
runs_with_framework "$tmp/Broken.dll"

# token NAME: of a method
token() { "$ilpatch" dump "$tmp/Broken.dll" | sed -n "s/^ *\(06[0-9A-F]*\) .* Name=$1 .*/\1/p"; }
broken="$(token Plain),$(token Generic),$(token Branches)"
# judge NAME: what it printed, after the first call of each method; what the report has; no value of the methods, but of others
judge() {
    check "$1/output" "then 2 3 7 s 3 5;then 2 3 7 s 3 5;thread 2;" "$(grep -v -e first -e before -e ready "$tmp/$1.out" | tr '\n' ';')"
    contains "$1/a-call-fails" "first invalid 3 invalid invalid invalid " "$tmp/$1.out"
    check "$1/report" "$broken" "$(jq -r '.modules[].failed[]?.token' "$tmp/$1.json" | sed 's/^0x//' | sort | tr '\n' , | sed 's/,$//')"
    contains "$1/message" "the runtime did not compile its new body, and a call has failed: it has its old one again" "$tmp/$1.json"
    check "$1/values" "Broken::Good Broken::Outer" "$(sed -n 's/^\(Broken::[A-Z][a-z]*\) -> [0-9"].*/\1/p' "$tmp/$1.txt" | grep -v Try | sort -u | tr '\n' ' ' | sed 's/ $//')"
}
for tiered in 1 0; do
    for inspector in unmanaged full; do
        export DOTNET_TieredCompilation=$tiered
        name=run-$tiered-$inspector
        BREAK=$broken "$tmp/broken/ilpatch" run --inspector $inspector --report "$tmp/$name.json" -o "$tmp/$name.txt" -- \
            dotnet exec "$tmp/Broken.dll" >"$tmp/$name.out" 2>"$tmp/$name.log"
        check "$name/exit-code" 0 $?
        judge "$name"
        contains "$name/summary" "the runtime did not compile its new body" "$tmp/$name.log"
        name=attach-$tiered-$inspector
        attaching=$tmp/broken/ilpatch
        BREAK=$broken look "$name" "$tmp/Broken.dll attached" --inspector $inspector
        check "$name/exit-codes" "0 0" "$codes"
        judge "$name"
    done
done
unset DOTNET_TieredCompilation

finish
