#!/bin/bash
# A process in which something goes wrong with a method goes on, and the method is as it was: bodies that the verifier refuses, and
# bodies that the JIT does not take (breaking.c makes them of ours). An inspector that throws is not called any more.
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
    local name=$1 program=$2 line process to=(-o "$tmp/$1.txt")
    shift 2
    [ "${own-}" = "" ] || to=() # an inspector of one's own writes where it likes
    # shellcheck disable=SC2086
    coproc PROGRAM { exec dotnet exec $program 2>"$tmp/$name.err"; }
    process=$PROGRAM_PID
    exec 7<&"${PROGRAM[0]}" 8>&"${PROGRAM[1]}"
    while read -r line <&7 && [ "$line" != ready ]; do :; done
    "$attaching" attach "${to[@]}" --report "$tmp/$name.json" "$@" "$process" 2>"$tmp/$name.log"
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

    # started: a static constructor that is wrong in the file already is not inspected either
    echo | "$ilpatch" run --exceptions --report "$tmp/run.json" -o "$tmp/run.txt" -- dotnet exec "$tmp/Wrong.dll" >"$tmp/run.out" 2>"$tmp/run.log"
    check run/exit-code 0 $?
    same run/output <(cat "$tmp/once" "$tmp/once") "$tmp/run.out"
    cat >"$tmp/expected" <<'REASONS'
Rightly::.cctor exceptions-only
Wrong::Main exceptions-only
Wrong::Pass not-verified IL_0001 type-mismatch: a local: object where string is expected
Wrong::Right inspected
Wrongly::.cctor not-verified IL_000f type-mismatch: what is stored: object where string is expected
REASONS
    same run/reasons "$tmp/expected" <(reasons "$tmp/run.json")

    # attached to
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
    check "$1/output" "then 2 3 7 s 3 5;then 2 3 7 s 3 5;thread 2;" "$(grep -v -e first -e second -e before -e ready "$tmp/$1.out" | tr '\n' ';')"
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
        # Outer has called Plain for the second time, and the second call of Generic<int> was the last one of Generic that failed
        check "$name/second" "second 2 3 invalid s invalid 5" "$(grep second "$tmp/$name.out")"
    done
done
unset DOTNET_TieredCompilation

# A method that is not called again gets its old code back, too, after a while: the command reports it, and the second call succeeds.
coproc PROGRAM { ILPATCH_COMPILED_WITHIN=100 BREAK=$broken exec dotnet exec "$tmp/Broken.dll" once 2>"$tmp/late.err"; }
process=$PROGRAM_PID
exec 7<&"${PROGRAM[0]}" 8>&"${PROGRAM[1]}"
while read -r line <&7 && [ "$line" != ready ]; do :; done
"$attaching" attach --verbose --where '<type name="Broken"/>' "$process" >"$tmp/late.values" 2>"$tmp/late.log" &
command=$!
awaits grep -q "attached to process" "$tmp/late.log"
echo go >&8
: >"$tmp/late.out"
while read -r line <&7 && [ "$line" != ready ]; do echo "$line" >>"$tmp/late.out"; done
awaits grep -q "the runtime did not compile its new body" "$tmp/late.log"
check late/reported 0 $?
echo go >&8
while read -r line <&7; do echo "$line" >>"$tmp/late.out"; done
exec 7<&- 8>&-
wait "$process"
check late/exit-code 0 $?
wait "$command"
check late/exit-code-of-command 0 $?
check late/output "first invalid;then 2;" "$(tr '\n' ';' <"$tmp/late.out")"

# ---- inspectors that throw ----

attaching=$ilpatch
compile "$tmp/Throws.dll" -target:library "$here/Throws.cs"
compile "$tmp/shown/Shown.dll" "$here/Shown.cs"
runs_with_framework "$tmp/shown/Shown.dll"
# What is inserted is right by the verifier, whatever a rule requests: references, arguments and exceptions of all types are passed.
echo '<rules><include byref="inspect" pointers="inspect" args="yes" this="yes" exceptions="yes" iterators="current"/></rules>' >"$tmp/all.xml"
for inspector in unmanaged full; do
    name=all-$inspector
    look "$name" "$tmp/shown/Shown.dll attached" --rules "$tmp/all.xml" --inspector $inspector
    check "$name/exit-codes" "0 0" "$codes"
    check "$name/verified" "Shown::Number inspected Shown::Text inspected Shown::Two inspected " \
        "$(reasons "$tmp/$name.json" | grep -e not-verified -e ' inspected' | grep -e not-verified -e '^Shown::[NT]' | tr '\n' ' ')"
done

right="2 t! 3b 5;2 t! 3b 5;2 t! 3b 5;"
wrong="thrown: no more: ü;2 t! 3b 5;2 t! 3b 5;"
# shows NAME OUTPUT VALUES OFF: what is printed from the first value on, how many values the inspector wrote down, and
# whether it is reported that it was switched off
shows() {
    check "$1/output" "$2" "$(grep -v ready "$tmp/$1.out" | tail -n 3 | tr '\n' ';')"
    check "$1/values" "$3" "$(wc -l <"$THROWS_VALUES")"
    check "$1/switched-off" "$4" "$(jq -r '.switchedOff[]? | .inspector + " " + .exception + " " + .message' "$tmp/$1.json")"
    # attach has ended before
    [ "${1%%-*}" = attach ] || check "$1/message" "${4:+1}" "$(grep -c "the inspector Throws threw System.InvalidOperationException: no more: ü, and was not called any more" "$tmp/$1.log" | grep -v '^0$')"
}
off="Throws System.InvalidOperationException no more: ü"
export THROWS_AT=2
for args in "" ' args="yes"'; do
    all=12 rest=9 # calls of the inspector, and those that are left where a call throws in the first round
    [ -z "$args" ] || all=24 rest=17
    for on in "" off keep pass guard; do
        attribute=" on-throw=\"$on\""
        [ -n "$on" ] || attribute=
        [ "$on" != guard ] || attribute=' guard="yes"'
        echo "<rules><include inspector=\"Throws.dll\"$attribute$args><type name=\"Shown\"/></include></rules>" >"$tmp/throws.xml"
        case $on in
            "" | off) expect=("$right" 1 "$off") ;;
            pass) expect=("$wrong" "$rest" "") ;;
            *) expect=("$right" $((all - 1)) "") ;;
        esac
        for form in run attach; do
            name=$form-${on:-usual}${args:+-args}
            export THROWS_VALUES=$tmp/$name.values
            : >"$THROWS_VALUES"
            if [ $form = run ]; then
                "$ilpatch" run --rules "$tmp/throws.xml" --report "$tmp/$name.json" -- dotnet exec "$tmp/shown/Shown.dll" >"$tmp/$name.out" 2>"$tmp/$name.log"
            else
                own=yes look "$name" "$tmp/shown/Shown.dll attached" --rules "$tmp/throws.xml"
            fi
            shows "$name" "${expect[@]}"
        done
        # a file: off is keep, and what is usual is pass
        name=file-${on:-usual}${args:+-args}
        mkdir "$tmp/$name"
        export THROWS_VALUES=$tmp/$name.values
        : >"$THROWS_VALUES"
        "$ilpatch" -q --verify --rules "$tmp/throws.xml" -o "$tmp/$name/Shown.dll" "$tmp/shown/Shown.dll" >"$tmp/$name.log" 2>&1
        check "$name/patched" 0 $?
        runs_with_framework "$tmp/$name/Shown.dll"
        dotnet exec "$tmp/$name/Shown.dll" >"$tmp/$name.out" 2>&1
        case $on in
            "" | pass) check "$name/output" "$wrong" "$(tr '\n' ';' <"$tmp/$name.out")" ;;
            *) check "$name/output" "$right" "$(tr '\n' ';' <"$tmp/$name.out")" ;;
        esac
    done
done

finish
