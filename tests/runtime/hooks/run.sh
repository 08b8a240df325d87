#!/bin/bash
# Enter, leave, tail call in running programs: each enter has one end, by both paths to the hooks, with and without
# optimization, and the shadow stack is the runtime's own.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=tests/runtime/hooks
need_sdk hooks
scratch hooks

for program in Calls Switched Values Spool; do
    compile "$tmp/$program.dll" "$here/$program.cs"
    runs_with_framework "$tmp/$program.dll"
done

# The variables that load the profiler, without the inspector, which a trace does not need.
eval "$("$ilpatch" run --print-env | grep CORECLR_ | sed 's/^export //; s/^/profiled+=(/; s/$/)/')"

# What the slow path needs.
slow=(DOTNET_TailCallOpt=0 DOTNET_FastTailCalls=0)

# traced NAME OPTIONS PROGRAM...: its output in NAME.out, the spool in NAME.spool, what the profiler says in NAME.status
traced() {
    local name=$1 options=$2 jit=()
    shift 2
    case $options in *--slow* | *--values*) jit=("${slow[@]}") ;; esac
    rm -f "$tmp/$name.spool" "$tmp/$name.status"
    env "${profiled[@]}" "${jit[@]}" ILPATCH_STATUS="$tmp/$name.status" ILPATCH_OPTIONS="--trace $tmp/$name.spool $options" \
        timeout 1800 "$@" >"$tmp/$name.out" 2>"$tmp/$name.err"
}
spool() { dotnet exec "$tmp/Spool.dll" "$tmp/$1.spool" "$2"; }
counted() { sed -n "s/^hooks\t$2 //p" "$tmp/$1.status"; }     # counted NAME WHAT
ends() { spool "$1" ends | awk -v name="$2" '$1 == name { print $2, $3, $4, $5 }'; }

# balanced NAME: no end without its enter, no enter without an end, and nothing had to be guessed
balanced() {
    check "balance/$1" "crossed 0" "$(spool "$1" balance)"
    check "nothing-guessed/$1" "0 0 0" "$(counted "$1" missed) $(counted "$1" orphans) $(counted "$1" cut)"
}

# stacks_agree NAME: the runtime's own walks, at least one and without a difference
stacks_agree() {
    if [ "$(counted "$1" snapshots)" -gt 0 ]; then ok "stacks-compared/$1"; else fail "stacks-compared/$1" "none"; fi
    check "stacks-agree/$1" "0 0" "$(counted "$1" different) $(counted "$1" unwalked)"
}

# ---- both paths, with and without optimization ----

parts="generics exceptions native tails threads"
# shellcheck disable=SC2086
dotnet exec "$tmp/Calls.dll" $parts >"$tmp/plain.out"
export DOTNET_TC_CallCountingDelayMs=36EE80 # an hour: what is in tier 0 stays there, however slow the machine is
for tiered in 1 0; do
    for path in fast slow; do
        name=$path-tiered$tiered
        option=--check-stacks\ 1
        [ $path = fast ] || option="--slow $option"
        # shellcheck disable=SC2086
        DOTNET_TieredCompilation=$tiered traced "$name" "$option" env "${slow[@]}" dotnet exec "$tmp/Calls.dll" $parts
        same "output/$name" "$tmp/plain.out" "$tmp/$name.out"
        contains "path/$name" "the $path path to the hooks" "$tmp/$name.status"
        balanced "$name"
        stacks_agree "$name"
        spool "$name" stacks >"$tmp/$name.stacks"
    done
    same "fast-is-slow/$tiered" "$tmp/fast-tiered$tiered.stacks" "$tmp/slow-tiered$tiered.stacks"
done
# shellcheck disable=SC2086
DOTNET_TieredCompilation=0 traced fast-tails --check-stacks\ 1 dotnet exec "$tmp/Calls.dll" $parts
same output/fast-tails "$tmp/plain.out" "$tmp/fast-tails.out"
balanced fast-tails
stacks_agree fast-tails
if [ "$(counted fast-tiered1 enters)" -gt 3000 ]; then ok enters; else fail enters "$(counted fast-tiered1 enters)"; fi

# Optimized code jumps where C# says return f(x): no Leave, and what comes next may have no hook at all.
check no-tail-call-in-tier-0 "5 5 0 0" "$(ends fast-tiered1 Calls::Sleep)"
check tail-call-of-the-framework "5 0 5 0" "$(ends fast-tails Calls::Sleep)"
check tail-calls-in-a-row "171 0 171 0" "$(ends fast-tails Calls::TailA)"
DOTNET_TieredCompilation=0 traced unoptimized --disable-optimizations dotnet exec "$tmp/Calls.dll" tails
check disable-optimizations "5 5 0 0" "$(ends unoptimized Calls::Sleep)"
balanced unoptimized

# Those that IL requests are made without optimization, too.
mkdir "$tmp/tail"
"$ilpatch" tail add -q -o "$tmp/tail/Calls.dll" "$tmp/Calls.dll" 2>/dev/null
runs_with_framework "$tmp/tail/Calls.dll"
# shellcheck disable=SC2086
traced explicit "--check-stacks 1" dotnet exec "$tmp/tail/Calls.dll" $parts
same output/explicit "$tmp/plain.out" "$tmp/explicit.out"
check explicit-tail-call "5 0 5 0" "$(ends explicit Calls::Sleep)"
balanced explicit
stacks_agree explicit

# ---- deep stacks, and threads in no order ----

traced deep "--check-stacks 500" dotnet exec "$tmp/Calls.dll" deep
check output/deep 2 "$(cat "$tmp/deep.out")"
balanced deep
stacks_agree deep
traced limit "" dotnet exec "$tmp/Calls.dll" past-the-limit
check output/limit 300000 "$(cat "$tmp/limit.out")"
balanced limit

# A stack that overflows does so within a hook, and the runtime reports it as it does without.
ulimit -c 0
traced endless "" env TMPDIR="$tmp" dotnet exec "$tmp/Calls.dll" endless 2>/dev/null
check overflow/exit-code 134 $?
contains overflow "Stack overflow." "$tmp/endless.err"
check overflow/balance "crossed 0" "$(spool endless balance | grep -v ^open)"

for tiered in 1 0; do
    DOTNET_TieredCompilation=$tiered traced async$tiered "--check-stacks 1" dotnet exec "$tmp/Calls.dll" async async async
    balanced async$tiered
    stacks_agree async$tiered
done

# ---- the framework, too, but for the part of it that is the runtime's way of throwing ----

cat >"$tmp/framework.xml" <<'RULES'
<rules>
  <exclude><type like="System.Runtime.EH*"/></exclude>
  <exclude><type like="System.Runtime.StackFrameIterator*"/></exclude>
  <exclude><type like="System.Runtime.ExceptionServices.InternalCalls*"/></exclude>
  <include/>
</rules>
RULES
# shellcheck disable=SC2086
DOTNET_TieredCompilation=0 traced framework "--framework --rules $tmp/framework.xml --check-stacks 10" dotnet exec "$tmp/Calls.dll" $parts
same output/framework "$tmp/plain.out" "$tmp/framework.out"
check balance/framework "crossed 0" "$(spool framework balance | grep -v ^open)"
if [ "$major" -eq 9 ]; then # where that way calls methods of other types
    skip nothing-guessed/framework "not so on .NET 9"
    skip stacks-agree/framework "not so on .NET 9"
else
    check nothing-guessed/framework "0 0 0" "$(counted framework missed) $(counted framework orphans) $(counted framework cut)"
    stacks_agree framework
fi

# ---- values ----

for tiered in 1 0; do
    DOTNET_TieredCompilation=$tiered traced values$tiered --values dotnet exec "$tmp/Values.dll"
    check output/values$tiered 2 "$(cat "$tmp/values$tiered.out")"
    contains path/values$tiered "the slow path to the hooks" "$tmp/values$tiered.status"
    spool values$tiered values | grep -v '::\.ctor' >"$tmp/values$tiered.values"
    balanced values$tiered
    # Before .NET 10 it is not known which instance of a class shared code runs for: an address differs.
    [ "$major" -ge 10 ] || sed -i '/Pair`2/s/=bytes [0-9a-f]*\| bytes [0-9a-f]*/ bytes/g' "$tmp/values$tiered.values"
done
expected "$here/values.expected" >"$tmp/values.expected"
same values "$tmp/values.expected" "$tmp/values1.values"
same values-optimized "$tmp/values1.values" "$tmp/values0.values"

# ---- a real program ----

unset DOTNET_TC_CallCountingDelayMs

compiler() { # NAME OPTIONS: the compiler compiles, traced
    # shellcheck disable=SC2046
    traced "$1" "$2" dotnet exec "$csc" -nologo -noconfig -nostdlib -deterministic -optimize+ \
        $(printf -- '-r:%s ' "$refs"/System.*.dll) -out:"$tmp/$1/Switched.dll" "$here/Switched.cs"
}
mkdir "$tmp/fast" "$tmp/values"
DOTNET_TieredCompilation=0 compiler fast "--check-stacks 1000"
compiler values --values
for name in fast values; do
    same "compiler/$name" "$tmp/Switched.dll" "$tmp/$name/Switched.dll"
    balanced "$name"
done
stacks_agree fast
if [ "$(counted fast tailcalls)" -gt 10000 ]; then ok compiler-tail-calls; else fail compiler-tail-calls "$(counted fast tailcalls)"; fi

# A compiler that is itself full of explicit tail calls. Its spool would be large.
fsharp=$sdk/FSharp
printf '%s\n' 'module Small' '[<EntryPoint>]' 'let main _ = printfn "small"; 0' >"$tmp/small.fs"
fsharp() { # NAME: compiles, with what is in front of it
    # shellcheck disable=SC2046
    dotnet exec "$fsharp/fsc.dll" --nologo --deterministic+ --targetprofile:netcore --noframework --simpleresolution \
        -r:"$fsharp/FSharp.Core.dll" $(printf -- '-r:%s ' "$refs"/System.*.dll "$refs/mscorlib.dll" "$refs/netstandard.dll") \
        -o:"$tmp/$1/small.dll" "$tmp/small.fs"
}
mkdir "$tmp/fs-plain" "$tmp/fs-traced"
fsharp fs-plain >"$tmp/fsharp.log" 2>&1
(
    export "${profiled[@]}" ILPATCH_STATUS="$tmp/fsharp.status" ILPATCH_OPTIONS="--trace /dev/null --check-stacks 5000"
    fsharp fs-traced >"$tmp/fsharp.log" 2>&1
)
same fsharp "$tmp/fs-plain/small.dll" "$tmp/fs-traced/small.dll"
check fsharp/balance "$(counted fsharp enters)" "$(($(counted fsharp leaves) + $(counted fsharp tailcalls) + $(counted fsharp unwound)))"
check fsharp/nothing-guessed "0 0 0" "$(counted fsharp missed) $(counted fsharp orphans) $(counted fsharp cut)"
if [ "$(counted fsharp tailcalls)" -gt 1000000 ]; then ok fsharp/tail-calls; else fail fsharp/tail-calls "$(counted fsharp tailcalls)"; fi
stacks_agree fsharp

# ---- on and off while it runs ----

entered() { # NAME METHOD...: how often each was
    local name=$1
    shift
    spool "$name" ends >"$tmp/$name.ends"
    for method; do awk -v name="Switched::$method" '$1 == name { n = $2 } END { print n + 0 }' "$tmp/$name.ends"; done | tr '\n' ' '
}
${CC:-cc} -D_GNU_SOURCE -shared -fPIC -o "$tmp/libswitched.so" "$here/switched.c" || fail switched.c "does not compile"
traced off "" env LD_PRELOAD="$tmp/libswitched.so" dotnet exec "$tmp/Switched.dll"
check output/off 'done' "$(cat "$tmp/off.out")"
check off-and-on "6 0 6 " "$(entered off First Second Third)"
check off-and-on/balance "crossed 0" "$(spool off balance | grep -v ^open)"
# Main, Across four times and Switch were open; Switch, Thrown four times and Main end without an enter that was seen
check off-and-on/cut "6 6 0" "$(counted off cut) $(counted off orphans) $(counted off missed)"
traced paused --paused env LD_PRELOAD="$tmp/libswitched.so" dotnet exec "$tmp/Switched.dll"
check output/paused 'done' "$(cat "$tmp/paused.out")"
check paused "7 6 0 " "$(entered paused First Second Third)"
check paused/balance "crossed 0" "$(spool paused balance | grep -v ^open)"

# Whoever sends the signal by name sends it to the command, too.
mkfifo "$tmp/up" "$tmp/go"
"$ilpatch" trace -q -o "$tmp/waits.txt" -- sh -c 'echo up >"$0/up"; read -r go <"$0/go"' "$tmp" 2>/dev/null &
command=$!
read -r _ <"$tmp/up"
kill -RTMIN+4 $command
echo go >"$tmp/go"
wait $command
check signal-to-the-command 1 $?
finish
