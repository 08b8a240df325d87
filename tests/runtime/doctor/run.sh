#!/bin/bash
# ilpatch doctor beside a real process: each cause is provoked, before, in and after a watch, and what is written is valid by its schema.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
. tests/live.sh
need_ilpatch doctor
need_sdk doctor
scratch doctor
have jq || { skip doctor "no jq"; finish; }
here=tests/runtime/doctor

mkdir "$tmp/app" "$tmp/other"
compile "$tmp/app/Shop.dll" "$here/Shop.cs"
compile "$tmp/app/Later.dll" -target:library "$here/Later.cs"
runs_with_framework "$tmp/app/Shop.dll"
cp "$tmp/app/Later.dll" "$tmp/app/Shop.dll" "$tmp/other/"
ln -s app "$tmp/link"
cat >"$tmp/rules.xml" <<'X'
<rules>
  <exclude>
    <method name="Total"/>
  </exclude>
  <include name="the rest">
    <type name="Shop.Cart"/>
  </include>
</rules>
X
echo '<rules><include><method name="Total"/></include></rules>' >"$tmp/others.xml"

# begin PROGRAM: starts it and waits for it
begin() { start shop dotnet exec "$1"; }
# does COMMAND: has the program do it
does() { says "$1" "did $1"; }
# causes NAME EXPECTED ARGUMENT...: the causes and the exit code that doctor has for these
causes() {
    local name=$1 expected=$2 code
    shift 2
    "$ilpatch" doctor --json "$@" >"$tmp/$name.json" 2>"$tmp/$name.log"
    code=$?
    check "$name" "$expected" "$(jq -r '[.causes[].cause, .methods[].causes[].cause] | join(" ")' "$tmp/$name.json") $code"
    check "$name: no message" "" "$(cat "$tmp/$name.log")"
    valid "$name"
}
# valid NAME: by the schema
valid() { valid_json "$1: valid" doctor "$tmp/$1.json"; }
# state NAME: what the watch says
state() { jq -r '.methods[0].state' "$tmp/$1.json"; }

check "the schema knows all causes" \
    "$({
        sed -n 's/^CAUSE(.*, "\([^"]*\)").*/\1/p' tools/doctor/causes.def
        sed -n 's/^OBSTACLE(.*, "\(.*\)")/\1/p' tools/launch/obstacles.def
        sed -n 's/^ILP_REASON([A-Z_]*, *[0-9]*, *\(LEFT_OUT\|NOTHING\|SKIPPED\|REFUSED\), *"\([^"]*\)".*/\2/p' include/ilpatch/reasons.def
    } | sort)" "$(jq -r '."$defs".causes.items.properties.cause.enum[]' data/doctor.schema.json | sort)"
check "the schema knows all states" "$(sed -n 's/^ *METHOD_STATE([A-Z_]*, "\([^"]*\)").*/\1/p' host/method_query.h | sort)" \
    "$(jq -r '.properties.methods.items.properties.state.enum[]' data/doctor.schema.json | sort)"

# ---- the command line, and processes that none can attach to ----

"$ilpatch" doctor 2>"$tmp/usage.log"
check "no operands" 2 $?
"$ilpatch" doctor x Total 2>"$tmp/usage.log"
check "not a number" 2 $?
"$ilpatch" doctor 999999999 Total 2>"$tmp/usage.log"
check "no process" 3 $?
causes not-dotnet "not-dotnet 3" $$ Total

start own-profiler "$ilpatch" run -q -- dotnet exec "$tmp/app/Shop.dll"
causes own-profiler "own-profiler 3" "$process" Total
end

# ---- nothing is watched ----

begin "$tmp/app/Shop.dll"
causes plain "not-watched 0" "$process" Shop.Cart::Total
check "plain: no state" null "$(state plain)"
causes wildcards "not-watched 0" "$process" 'Shop.*::Tot*'
causes signature "not-watched 0" "$process" 'instance int32 Shop.Cart::Total()'
causes abstract "no-body 0" "$process" Shop.Base::Price
contains "abstract: advice" "that implement or override it" "$tmp/abstract.json"
causes pinvoke "no-body 0" "$process" getpid
contains "pinvoke: advice" "It is a P/Invoke" "$tmp/pinvoke.json"
causes void "void 0" "$process" Shop.Cart::Clear
causes byref "byref 0" "$process" Shop.Cart::Field
causes generic "not-watched 0" "$process" Shop.Cart::Same
causes excluded "excluded 0" --rules "$tmp/rules.xml" "$process" Shop.Cart::Total
contains "excluded: place" "decided by $tmp/rules.xml:2" "$tmp/excluded.json"
causes not-meant "excluded 0" --where '<method name="Unused"/>' "$process" Shop.Cart::Total
causes included "not-watched 0" --rules "$tmp/rules.xml" "$process" Shop.Cart::Unused
causes framework "framework 0" "$process" System.Environment::get_ProcessorCount
causes framework-meant "not-watched 0" --framework "$process" System.Environment::get_ProcessorCount
causes misspelt "no-method 1" "$process" Shop.Cart::Totl
contains "misspelt: nearest" "Did you mean 'Shop.Cart::Total'?" "$tmp/misspelt.json"
causes misspelt-name "no-method 1" "$process" Totl
contains "misspelt-name: nearest" "Did you mean 'Total'?" "$tmp/misspelt-name.json"
causes same-file "not-watched 0" "$process" Shop.Cart::Total "$tmp/app/Shop.dll"
causes linked-file "not-watched 0" "$process" Shop.Cart::Total "$tmp/link/Shop.dll"
causes other-file "other-file not-watched 0" "$process" Shop.Cart::Total "$tmp/other/Shop.dll"
contains "other-file: paths" "has loaded $tmp/app/Shop.dll, not $tmp/other/Shop.dll" "$tmp/other-file.json"
causes not-loaded "not-loaded 0" "$process" Later::Answer
does "$tmp/app/Later.dll"
causes loaded "not-watched 0" "$process" Later::Answer
does "$tmp/other/Later.dll"
causes two-files "two-files not-watched not-watched 0" "$process" Later::Answer
"$ilpatch" doctor "$process" Shop.Cart::Total >"$tmp/text"
contains "text: signature" "instance int32 Shop.Cart::Total()" "$tmp/text"
contains "text: cause" "  not-watched: nothing is watched in the process" "$tmp/text"

# ---- a watch by rules, which others take the place of ----

"$ilpatch" attach -q -o "$tmp/values" --rules "$tmp/rules.xml" "$process"
check "attached" 0 $?
causes watch-excluded "excluded 0" "$process" Shop.Cart::Total
check "watch-excluded: state" left "$(state watch-excluded)"
contains "watch-excluded: place" "decided by $tmp/rules.xml:2" "$tmp/watch-excluded.json"
causes watch-options "excluded 0" --where '<method name="Total"/>' "$process" Shop.Cart::Total # those of the watch hold
causes watch-not-called "not-called 0" "$process" Shop.Cart::Unused
check "watch-not-called: state" requested "$(state watch-not-called)"
causes watch-void "void 0" "$process" Shop.Cart::Clear
causes watch-framework "framework 0" "$process" System.Environment::get_ProcessorCount
does call
causes watch-called "called 0" "$process" Shop.Cart::Same
check "watch-called: state" compiled "$(state watch-called)"
contains "watch-called: a value" "Shop.Cart::Same -> 1" "$tmp/values"
causes watch-still-not-called "not-called 0" "$process" Shop.Cart::Unused
causes watch-left "two-files not-selected not-selected 0" "$process" Later::Answer
"$ilpatch" rules set "$process" "$tmp/others.xml"
causes set-included "not-called 0" "$process" Shop.Cart::Total
causes set-left "not-selected 0" "$process" Shop.Cart::Same
kill -STOP "$process"
awaits sh -c "grep -q '^State:.T' /proc/$process/status"
causes stopped "no-answer 0" "$process" Shop.Cart::Total
kill -CONT "$process"
"$ilpatch" detach "$process"
causes detached "not-watched 0" "$process" Shop.Cart::Total

# ---- a watch of some values, and joined ----

"$ilpatch" attach -q -o "$tmp/values" --when 'value > 100' --method-rate 7/s --max-cost 0 "$process"
does call
causes some-values "chosen-values 0" "$process" Shop.Cart::Total
contains "some-values: which" "--when value > 100, --method-rate 7/s" "$tmp/some-values.json"
does "-$tmp/app/Later.dll"
"$ilpatch" detach "$process"
for number in 1 2; do
    "$ilpatch" attach -q "$process" >"$tmp/joined$number" 2>"$tmp/joined$number.log" &
    attached[number]=$!
    [ "$number" = 2 ] || awaits sh -c "'$ilpatch' doctor --json $process Unused | grep -q '\"requested\"'"
done
does call
causes joined "called 0" "$process" Shop.Cart::Total
kill -TERM "${attached[1]}"
wait "${attached[1]}"
causes joined-one-left "called 0" "$process" Shop.Cart::Total
kill -TERM "${attached[2]}"
wait "${attached[2]}"
causes all-gone "not-watched 0" "$process" Shop.Cart::Total
end

# A path of the runtime's with a link in it.
begin "$tmp/link/Shop.dll"
"$ilpatch" attach -q -o "$tmp/values" "$process"
causes linked "not-called 0" "$process" Shop.Cart::Total
end

# A module that may be unloaded: only what is compiled after attach is seen.
begin "$tmp/app/Shop.dll"
does "-$tmp/app/Later.dll"
"$ilpatch" attach -q -o "$tmp/values" "$process"
causes collectible "unknown-module 0" "$process" Later::Answer
end
finish
