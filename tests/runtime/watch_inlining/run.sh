#!/bin/bash
# Methods that the JIT compiles while something is watched have calls of it where it would be inlined. After the end they are compiled
# again, and it is inlined: in whatever tier, across assemblies, in instances of generic methods, through other methods, in each
# way that the runtime is set up.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/watch_inlining
scratch watch_inlining
need_sdk watch_inlining
compile "$tmp/Other.dll" -target:library "$here/Other.cs"
compile "$tmp/Callers.dll" "-r:$tmp/Other.dll" "$here/Callers.cs"
runs_with_framework "$tmp/Callers.dll"

# start: the program; $process is its number
start() {
    coproc PROGRAM { exec dotnet exec "$tmp/Callers.dll" 2>"$tmp/err"; }
    process=$PROGRAM_PID
    local from=${PROGRAM[0]} to=${PROGRAM[1]}
    exec 7<&"$from" 8>&"$to" {from}<&- {to}>&-
    read -r line <&7
}
end() {
    exec 8>&- 7<&-
    wait "$process"
    check ends "0 " "$? $(cat "$tmp/err")"
}
# optimise NAME...: "NAME=FRAMES " of each once its code is optimised
optimise() {
    echo "$*" >&8
    read -r frames <&7
}
# attach OPTION...: $attaching is the command's number
attach() {
    : >"$tmp/log"
    "$ilpatch" attach "$@" "$process" >"$tmp/values" 2>"$tmp/log" 7<&- 8>&- &
    attaching=$!
    awaits sh -c "grep -q '^ilpatch: attached' '$tmp/log' || ! kill -0 $attaching 2>/dev/null"
}
detach() {
    kill -TERM "$attaching"
    wait "$attaching"
    check detach 0 $?
}
# frames NUMBER NAME...: what all with this number say
frames() {
    local number=$1 name
    shift
    for name; do printf '%s=%s ' "$name" "$number"; done
}
tiny='<method name="Tiny"/>'
again="Once Tiers Through Across AcrossThrough Devirtualised Constrained Numbers Texts Loop"

for setting in "" TieredCompilation=0 TieredPGO=0 TC_QuickJitForLoops=0 TC_QuickJit=0 ReadyToRun=0; do
    group=${setting:-default}/
    [ -z "$setting" ] || export "DOTNET_$setting"
    # what is guessed from a profile needs one
    case $setting in
        TieredCompilation=0 | TieredPGO=0 | TC_QuickJit=0) names=$again ;;
        *) names="$again Guessed" ;;
    esac
    # shellcheck disable=SC2086 # names
    {
        start
        attach --where "$tiny"
        optimise $names Made
        check watched "$(frames 1 $names Made)" "$frames "
        detach
        contains reported-dynamic "1 method was compiled while methods were watched and cannot be compiled again" "$tmp/log"
        optimise $names
        check after "$(frames 0 $names)" "$frames "
        # a second time: what is compiled for good now is found, and comes back
        attach --where "$tiny"
        optimise $names
        check watched-again "$(frames 1 $names)" "$frames "
        detach
        optimise $names
        check after-again "$(frames 0 $names)" "$frames "
        check reported-once 0 "$(grep -c 'cannot be compiled again' "$tmp/log")"
        # the callers themselves are watched, and what is not is inlined
        attach --method Once --method 'T*s'
        optimise $names
        check callers-watched "$(frames 0 $names)" "$frames "
        detach
        check callers-seen "Once Texts Tiers " "$(sed -n 's/^Callers::\([A-Za-z]*\) .*/\1/p' "$tmp/values" | sort -u | tr '\n' ' ')"
        optimise $names
        check callers-after "$(frames 0 $names)" "$frames "
        end
    }
    [ -z "$setting" ] || unset "DOTNET_${setting%=*}"
done

# ---- rules that change, and methods that are switched off ----

group=rules/
start
attach --where "$tiny"
optimise Tiers Through
echo '<rules><include><method name="Between"/></include></rules>' >"$tmp/between.xml"
"$ilpatch" rules set "$process" "$tmp/between.xml"
optimise Tiers Through
check other-rules "Tiers=0 Through=1 " "$frames "
detach
optimise Tiers Through
check after "Tiers=0 Through=0 " "$frames "
end

finish
