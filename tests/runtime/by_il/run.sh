#!/bin/bash
# Calls traced by the IL of methods (ilpatch trace --by il): the same calls as by hooks, each with one end, the shadow stack is the
# runtime's own, tail calls stay tail calls, and native code of what is not traced stays in use.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=tests/runtime/by_il
hooks=tests/runtime/hooks
need_sdk by_il
scratch by_il

for program in Calls Spool; do
    compile "$tmp/$program.dll" "$hooks/$program.cs"
    runs_with_framework "$tmp/$program.dll"
done
compile "$tmp/Passages.dll" -unsafe "$here/Passages.cs"
runs_with_framework "$tmp/Passages.dll"

# traced NAME OPTIONS PROGRAM...: its output in NAME.out, the spool in NAME.spool, what the command says in NAME.err
traced() {
    local name=$1 options=$2
    shift 2
    # shellcheck disable=SC2086
    timeout 1800 "$ilpatch" trace --verbose $options --spool "$tmp/$name.spool" -- "$@" >"$tmp/$name.out" 2>"$tmp/$name.err"
}
spool() { dotnet exec "$tmp/Spool.dll" "$tmp/$1.spool" "$2"; }
counted() { sed -n "s/.*recorded.* \([0-9]*\) $2.*/\1/p" "$tmp/$1.err"; } # counted NAME WHAT
ends() { spool "$1" ends | awk -v name="$2" '$1 == name { print $2, $3, $4, $5 }'; }

# balanced NAME: no end without its enter, no enter without an end, and nothing had to be guessed
balanced() {
    check "balance/$1" "crossed 0" "$(spool "$1" balance)"
    check "nothing-guessed/$1" "" "$(counted "$1" missed)$(counted "$1" orphans)$(counted "$1" cut)"
}
stacks_agree() {
    if [ "$(counted "$1" snapshots)" -gt 0 ]; then ok "stacks-compared/$1"; else fail "stacks-compared/$1" "none"; fi
    check "stacks-agree/$1" "" "$(counted "$1" different)$(counted "$1" unwalked)"
}
# methods NAME: how often each was entered
methods() { spool "$1" ends | awk '{ print $1, $2 }' | sort; }
# counts NAME: the same of calls that were counted
counts() { "$ilpatch" report "$tmp/$1.spool" | sed -n '/^methods/,$p' | awk 'NR > 2 { print $2, $1 }' | sort; }
# by_name NAME: as counts
by_name() { "$ilpatch" report "$tmp/$1.spool" | sed -n '/^methods/,$p' | awk 'NR > 2 { print $4, $3 }' | sort; }

# ---- the same calls, with and without optimization ----

# Not "native": a static constructor that a method's first instruction comes after has no frame of that method below it.
parts="generics exceptions tails threads"
export DOTNET_TC_CallCountingDelayMs=36EE80
# shellcheck disable=SC2086
dotnet exec "$tmp/Calls.dll" $parts >"$tmp/plain.out"
for tiered in 1 0; do
    for by in hooks il; do
        # shellcheck disable=SC2086
        DOTNET_TieredCompilation=$tiered traced $by$tiered "--by $by --check-stacks 1" dotnet exec "$tmp/Calls.dll" $parts
        same "output/$by$tiered" "$tmp/plain.out" "$tmp/$by$tiered.out"
        balanced $by$tiered
        stacks_agree $by$tiered
        methods $by$tiered >"$tmp/$by$tiered.methods"
    done
    # shellcheck disable=SC2086
    DOTNET_TieredCompilation=$tiered traced counted$tiered "--by il --no-times" dotnet exec "$tmp/Calls.dll" $parts
    same "output/counted$tiered" "$tmp/plain.out" "$tmp/counted$tiered.out"
    same "same-calls/$tiered" "$tmp/hooks$tiered.methods" "$tmp/il$tiered.methods"
    check "as-many-counted/$tiered" "$(counted il$tiered enters) $(counted il$tiered leaves) $(counted il$tiered unwound)" \
        "$(counted counted$tiered enters) $(counted counted$tiered leaves) $(counted counted$tiered unwound)"
    # Where stacks are not compared, a method that does next to nothing has one record for a call.
    # shellcheck disable=SC2086
    DOTNET_TieredCompilation=$tiered traced brief$tiered "--by il" dotnet exec "$tmp/Calls.dll" $parts
    same "output/brief$tiered" "$tmp/plain.out" "$tmp/brief$tiered.out"
    balanced brief$tiered
    methods brief$tiered >"$tmp/brief$tiered.methods"
    same "same-calls/brief$tiered" "$tmp/hooks$tiered.methods" "$tmp/brief$tiered.methods"
done
# In tier 0 no call is a tail call, so the trees are alike, too.
spool hooks1 stacks >"$tmp/hooks1.stacks"
spool il1 stacks >"$tmp/il1.stacks"
same same-stacks "$tmp/hooks1.stacks" "$tmp/il1.stacks"
spool brief1 stacks >"$tmp/brief1.stacks"
"$ilpatch" report "$tmp/brief1.spool" >"$tmp/brief1.text"
check brief/no-duration "0.000 0.000" "$(awk '$4 == "Calls.Note" { print $1, $2 }' "$tmp/brief1.text" | sort -u)"
same same-stacks/brief "$tmp/hooks1.stacks" "$tmp/brief1.stacks"
by_name il1 >"$tmp/il1.names"
counts counted1 >"$tmp/counted1.names"
if [ "$(wc -l <"$tmp/counted1.names")" -gt 20 ]; then ok counted-methods; else fail counted-methods "few"; fi

# Counted by hooks, it is the same report.
# shellcheck disable=SC2086
traced counted-hooks "--no-times" dotnet exec "$tmp/Calls.dll" $parts
for name in counted1 counted-hooks; do
    "$ilpatch" report "$tmp/$name.spool" | sed -n '/^ *all calls/,$p' | grep -v " calls, at most " >"$tmp/$name.tree"
done
same counted-by-hooks "$tmp/counted-hooks.tree" "$tmp/counted1.tree"

# The exception that leaves a static constructor ends no call of the method that had not begun.
traced native "--by il" dotnet exec "$tmp/Calls.dll" native
check native/output "$(dotnet exec "$tmp/Calls.dll" native)" "$(cat "$tmp/native.out")"
check native/balance "crossed 0" "$(spool native balance)"

for tiered in 1 0; do
    DOTNET_TieredCompilation=$tiered traced async$tiered "--by il --check-stacks 1" dotnet exec "$tmp/Calls.dll" async async
    balanced async$tiered
    stacks_agree async$tiered
done
traced deep "--by il --check-stacks 500" dotnet exec "$tmp/Calls.dll" deep
balanced deep
stacks_agree deep
traced limit "--by il" dotnet exec "$tmp/Calls.dll" past-the-limit
check output/limit 300000 "$(cat "$tmp/limit.out")"
balanced limit
unset DOTNET_TC_CallCountingDelayMs

# ---- where a call begins and ends ----

dotnet exec "$tmp/Passages.dll" >"$tmp/passages.plain" 2>"$tmp/passages.jit"
for options in "" "--no-times" "--check-stacks 1"; do
    name=passages${options// /}
    traced "$name" "--by il $options" dotnet exec "$tmp/Passages.dll"
    same "output/$name" "$tmp/passages.plain" "$tmp/$name.out"
done
for tiered in 1 0; do
    DOTNET_TieredCompilation=$tiered traced passages$tiered "--by il" dotnet exec "$tmp/Passages.dll"
    balanced passages$tiered
    check loop/$tiered "1 1 0 0" "$(ends passages$tiered Passages::Loop)"
    check localloc/$tiered "1 1 0 0" "$(ends passages$tiered Passages::Room)"
    check osr/$tiered "1 1 0 0" "$(ends passages$tiered Passages::Long)"
    check nothing/$tiered "2 2 0 0" "$(ends passages$tiered Passages::Nothing)"
    check caught/$tiered "7 4 0 3" "$(ends passages$tiered Passages::Caught)"
done

# Native code of the framework stays in use, which hooks have none of.
traced with-hooks "" dotnet exec "$tmp/Passages.dll"
compiled() { sed -n 's/^compiled //p' "$1"; }
plain=$(compiled "$tmp/passages.jit") il=$(compiled "$tmp/passages.err") by_hooks=$(compiled "$tmp/with-hooks.err")
if [ "$il" -le $((plain + 40)) ]; then ok native-code-stays; else fail native-code-stays "$plain, and $il with --by il"; fi
if [ "$by_hooks" -gt $((plain + 300)) ]; then ok hooks-have-none; else fail hooks-have-none "$plain, and $by_hooks with hooks"; fi

# Explicit tail calls stay what they are, however deep.
mkdir "$tmp/tail"
"$ilpatch" tail add -q -o "$tmp/tail/Passages.dll" "$tmp/Passages.dll" 2>/dev/null
runs_with_framework "$tmp/tail/Passages.dll"
traced tail "--by il" dotnet exec "$tmp/tail/Passages.dll" 1000
balanced tail
check tail/ends "1001 0 1001 0" "$(ends tail Passages::Down)"
traced tail-counted "--by il --no-times" dotnet exec "$tmp/tail/Passages.dll" 10000000
check tail/deep 5000000 "$(head -n 1 "$tmp/tail-counted.out")"
if [ "$(counted tail-counted tailcalls)" -ge 10000001 ]; then ok tail/counted; else fail tail/counted "$(counted tail-counted tailcalls)"; fi

# ---- on and off while it runs ----

compile "$tmp/Switched.dll" "$hooks/Switched.cs"
runs_with_framework "$tmp/Switched.dll"
${CC:-cc} -D_GNU_SOURCE -shared -fPIC -o "$tmp/libswitched.so" "$hooks/switched.c" || fail switched.c "does not compile"
for options in "" --no-times; do
    name=off$options
    LD_PRELOAD="$tmp/libswitched.so" traced "$name" "--by il $options" dotnet exec "$tmp/Switched.dll"
    check "output/$name" 'done' "$(cat "$tmp/$name.out")"
    # as by hooks: six calls were open when recording ended, and end without an enter that was seen
    contains "off-and-on/$name" "18 enters, 12 leaves, 6 orphans, 6 cut" "$tmp/$name.err"
done
check off-and-on "6 6 0 0, , 6 6 0 0" "$(ends off Switched::First), $(ends off Switched::Second), $(ends off Switched::Third)"

# ---- the framework, too ----

cat >"$tmp/framework.xml" <<'RULES'
<rules>
  <exclude><type like="System.Runtime.EH*"/></exclude>
  <exclude><type like="System.Runtime.StackFrameIterator*"/></exclude>
  <exclude><type like="System.Runtime.ExceptionServices.InternalCalls*"/></exclude>
  <include/>
</rules>
RULES
# shellcheck disable=SC2086
traced framework "--by il --framework --rules $tmp/framework.xml" dotnet exec "$tmp/Calls.dll" $parts
same output/framework "$tmp/plain.out" "$tmp/framework.out"
check balance/framework "crossed 0" "$(spool framework balance | grep -v ^open)"

# ---- what is refused ----

refused() { # NAME MESSAGE OPTION...
    local name=$1 message=$2
    shift 2
    "$ilpatch" trace "$@" -- true >"$tmp/refused.out" 2>&1
    check "refused/$name" 2 $?
    contains "refused/$name" "$message" "$tmp/refused.out"
}
refused values "pass no values" --by il --values
refused slow "no hooks, fast or slow" --by il --slow
refused word "nothing" --by nothing
refused times "format text alone, not html" --no-times -o "$tmp/x.html"
refused no-times-values "has no effect" --no-times --values
eval "$("$ilpatch" run --print-env | grep CORECLR_ | sed 's/^export //; s/^/profiled+=(/; s/$/)/')"
env "${profiled[@]}" ILPATCH_STATUS="$tmp/by-hand.status" ILPATCH_OPTIONS="--trace $tmp/by-hand.spool --by il --values" \
    dotnet exec "$tmp/Passages.dll" >"$tmp/by-hand.out" 2>/dev/null
same refused/by-hand "$tmp/passages.plain" "$tmp/by-hand.out"
contains refused/by-hand/reason "passes no values" "$tmp/by-hand.status"
"$ilpatch" report --format chrome "$tmp/counted1.spool" >"$tmp/refused.out" 2>&1
check refused/report 2 $?
contains refused/report "counted without times" "$tmp/refused.out"
finish
