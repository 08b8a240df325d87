#!/bin/bash
# The unmanaged inspector: what it shows is what the stock one shows of the same program, but for what docs/PROFILER.md says; it
# reads objects while garbage is collected; and with it the core library can be inspected, too.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/unmanaged
scratch unmanaged
need_sdk unmanaged

program() { # NAME SOURCE OPTION...
    local name=$1
    shift
    compile "$tmp/$name/$name.dll" -unsafe -nowarn:0649,0169,0414,9184 "$@"
    runs_with_framework "$tmp/$name/$name.dll"
}
# alike NAME FILE FILE: the same lines, and there are some
alike() {
    if [ -s "$2" ]; then same "$@"; else fail "$1" "$2 is empty"; fi
}
run() { # LINES OPTION... -- PROGRAM...
    local lines=$1
    shift
    timeout 1800 "$ilpatch" run -q -o "$lines" "$@"
}

# ---- the same lines as the stock inspector's ----

for seed in 1 2; do
    awk -v seed=$seed -v count=120 -f "$here/structs.awk" >"$tmp/structs$seed.cs"
    option=-optimize+
    [ $seed -ne 2 ] || option=-debug+
    program structs$seed "$tmp/structs$seed.cs" $option
    run "$tmp/stock.$seed" --inspector full -- dotnet "$tmp/structs$seed/structs$seed.dll"
    run "$tmp/ours.$seed" --inspector unmanaged -- dotnet "$tmp/structs$seed/structs$seed.dll"
    check "structs $seed: number of lines" "$(wc -l <"$tmp/stock.$seed")" "$(wc -l <"$tmp/ours.$seed")"
    alike "structs $seed" "$tmp/stock.$seed" "$tmp/ours.$seed"
done

# Every kind of return value; byref-like ones come besides.
program Returns tests/runtime/programs/returns/Returns.cs -optimize+ -define:NET10
run "$tmp/stock.returns" --inspector full -- dotnet "$tmp/Returns/Returns.dll" >"$tmp/stock.out"
run "$tmp/ours.returns" --inspector unmanaged -- dotnet "$tmp/Returns/Returns.dll" >"$tmp/ours.out"
alike "returns: standard output" "$tmp/stock.out" "$tmp/ours.out"
check "returns" "" "$(diff "$tmp/stock.returns" "$tmp/ours.returns" | grep '^<')"
check "returns: besides" "" "$(diff "$tmp/stock.returns" "$tmp/ours.returns" | grep '^> ' | grep -v '^> Returns[.]Net10[.]\(ByRefLike\|Window\|Generic`1\)::')"

for option in -optimize+ -debug+; do
    program Values "$here/Values.cs" $option
    run "$tmp/values.lines" --rules "$here/Values.rules.xml" -- dotnet "$tmp/Values/Values.dll" >"$tmp/values.expected"
    sed 's/^.*Values::/Values::/' "$tmp/values.lines" >"$tmp/values.shown"
    alike "values $option" "$tmp/values.expected" "$tmp/values.shown"
done

# Objects by their own types, without and with optimization.
for option in -optimize+ -debug+; do
    program Objects "$here/Objects.cs" $option
    run "$tmp/objects.lines" --inspector unmanaged --where '<type name="Objects"/>' -- dotnet "$tmp/Objects/Objects.dll"
    alike "objects $option" "$here/Objects.expected" "$tmp/objects.lines"
done

# The cases of the stock inspector, but for what docs/PROFILER.md says of static constructors and of types.
program Cases tests/inspector/Cases.cs -optimize+ -define:NET tests/inspector/{Newer,Framework}Cases.cs
run "$tmp/cases.lines" --redact zip --redact type:Samples.Card --inspector unmanaged --where '<type like="Cases.*"/>' -- dotnet "$tmp/Cases/Cases.dll"
other='Precise|TypeWithin'
expected tests/inspector/cases.txt >"$tmp/cases"
grep -vE "$other" "$tmp/cases" >"$tmp/cases.expected"
grep -vE "$other" "$tmp/cases.lines" >"$tmp/cases.shown"
alike "cases" "$tmp/cases.expected" "$tmp/cases.shown"

# Members of parsed JSON and of dictionaries are not read by conditions, which is reported.
for method in Elements Nodes Documents Dictionaries; do
    "$ilpatch" run -o "$tmp/closed.lines" --where "<type like=\"Cases.$method\"/>" --when 'value.name == "x" or value[0] == 1' -- dotnet "$tmp/Cases/Cases.dll" >"$tmp/out" 2>"$tmp/closed"
    check "conditions on $method" "0 1" "$(wc -l <"$tmp/closed.lines") $(grep -c 'the first: conditions do not read what is in values of this type' "$tmp/closed")"
done

# As JSON: the same text, and structure that others can read.
run "$tmp/cases.json" --redact zip,type:Samples.Card --json --inspector unmanaged --where '<type like="Cases.*"/>' -- dotnet "$tmp/Cases/Cases.dll"
jq -r '.method + " -> " + .value + (if .type then " (" + .type + ")" else "" end)' "$tmp/cases.json" | grep -vE "$other" >"$tmp/json.shown"
alike "cases as JSON: text" "$tmp/cases.expected" "$tmp/json.shown"
cat >"$tmp/json.expected" <<'X'
Lists::Million {"$count":1000000,"$items":[0,1,2,3,4,5,6,7]}
Arrays::Mixed [1,"b","c",2.5,"Low",null,{"$type":"object"},[1]]
Arrays::Grid {"$lengths":[2,3],"$items":[1,2,3,4,5,6]}
Arrays::Deep [[[{"$count":1},[]]]]
Dictionaries::OfObjects [{"$key":"Low","$value":{"$type":"Person","Name":"x","Age":0,"Friend":null}},{"$key":"High","$value":null}]
Dictionaries::Pair {"$key":"a","$value":1}
Tuples::Deep [1,[2,[3,{"$":"..."}]]]
Objects::Cycle {"Id":1,"Next":{"$":"cycle","$type":"Node"},"Others":null}
Exceptions::WithInner {"Message":"bad","InnerException":{"$type":"IOException","Message":"x"}}
Tasks::Faulted {"Status":"Faulted","Exception":{"$type":"IOException","Message":"x"}}
Literals::Builder "two\nlines"
Literals::Big "1000000000000000000000000000000"
Secrets::Pair {"$key":"secret","$value":{"$":"redacted"}}
Delegates::Func {"$methods":["Cases.Delegates::Twice"]}
Delegates::Event {"Done":{"$type":"Handler","$methods":["Samples.Calls::Own","Cases.Delegates::Twice"]}}
Newer::Date "2024-02-29"
Elements::Deep [{"$key":"a","$value":[[{"$key":"b","$value":{"$count":1}}],[[]],[{"$count":1}]]}]
Elements::Many {"$count":100,"$items":[0,1,2,3,4,5,6,7]}
Elements::Default {"$":"..."}
Elements::Fields {"Data":[1],"Token":{"$":"redacted"},"Perhaps":[{"$key":"a","$value":2}]}
Elements::Property {"$key":"b","$value":[2]}
Nodes::Object [{"$key":"a","$value":1},{"$key":"password","$value":{"$":"redacted"}},{"$key":"list","$value":[1,"b",null]},{"$key":"none","$value":null}]
Sequences::Joined [1,2,3,4,5,6]
Sequences::JoinedText "ab😀\nc"
Sequences::BeforeOwner [1,{"$":"..."}]
Sequences::TooMany {"$count":2147483647,"$more":true,"$items":[1,2,3,{"$":"..."}]}
X
sed 's/ .*//' "$tmp/json.expected" >"$tmp/json.methods"
jq -r '(.method | ltrimstr("Cases.")) + " " + (.data | tojson)' "$tmp/cases.json" |
    awk 'NR == FNR { wanted[$1]; next } $1 in wanted' "$tmp/json.methods" - >"$tmp/json.shown"
alike "cases as JSON: structure" "$tmp/json.expected" "$tmp/json.shown"
contains "cases as JSON: numbers of parsed JSON" '"data":[0,-0,1.10,"1E5","1e-7","12345678901234567890123","-1.5E+300"]' "$tmp/cases.json"

# With other limits those lines differ that differ with the stock inspector.
limits() {
    local name=$1
    shift
    run "$tmp/limits.lines" --redact zip,type:Samples.Card --inspector unmanaged --where '<type like="Cases.*"/>' "$@" -- dotnet "$tmp/Cases/Cases.dll"
    grep -vxF -f "$tmp/cases" "$tmp/limits.lines" | grep -vE "$other" >"$tmp/limits.shown"
    expected "tests/inspector/limits-$name.txt" | grep -vE "$other" >"$tmp/limits.expected"
    alike "limits: $name" "$tmp/limits.expected" "$tmp/limits.shown"
}
limits more --depth 5 --elements 10 --text 12 --width 900
ILPATCH_WIDTH=40 ILPATCH_TEXT=5 limits less --depth 1 --elements 1 --text 1

if fsharp "$tmp/FSharpCases/FSharpCases.dll" tests/inspector/FSharpCases.fs; then
    runs_with_framework "$tmp/FSharpCases/FSharpCases.dll"
    run "$tmp/fsharp.lines" --inspector unmanaged --where '<type like="Cases.*"/>' -- dotnet "$tmp/FSharpCases/FSharpCases.dll"
    alike "F# cases" tests/inspector/fsharp.txt "$tmp/fsharp.lines"
else
    fail "F# cases" "$(grep -m1 error "$tmp/build.log")"
fi

# Parsed JSON whose rows lie, the same for both; and as other threads change them, when lines are whole all the same.
program Parsed "$here/Parsed.cs" -optimize+
for inspector in full unmanaged; do
    check "rows that lie: $inspector" shown "$(run "$tmp/parsed.lines" --inspector $inspector --where '<type name="Parsed"/>' -- dotnet "$tmp/Parsed/Parsed.dll" still 3000)"
    grep -E '::(Element|Document|Property) ' "$tmp/parsed.lines" >"$tmp/parsed.$inspector"
    check "rows that move: $inspector" shown "$(run "$tmp/parsed.lines" --inspector $inspector --where '<type name="Parsed"/>' -- dotnet "$tmp/Parsed/Parsed.dll" moving 3000)"
    check "rows that move: lines, $inspector" "9000 0" \
        "$(grep -cE '^Parsed::(Element|Document|Property) -> .* \(System.Text.Json.Json(Element|Document|Property)\)$' "$tmp/parsed.lines") $(grep -c ' threw ' "$tmp/parsed.lines")"
done
check "rows that lie: number of lines" 9000 "$(wc -l <"$tmp/parsed.full")"
alike "rows that lie" "$tmp/parsed.full" "$tmp/parsed.unmanaged"

# How long Vector<T> is the machine decides.
program Odd "$here/Odd.cs" -optimize+
run "$tmp/odd.lines" --inspector unmanaged --where '<type name="Odd"/>' -- dotnet "$tmp/Odd/Odd.dll"
sed '/Vector`1\|::E7 /s/bytes [0-9a-f.]*/bytes/' "$tmp/odd.lines" >"$tmp/odd.shown"
alike "odd values" "$here/Odd.expected" "$tmp/odd.shown"

# What delegates call: compiled code has a name, stubs lead to a method; where tiers are off, or code is compiled that else is there already.
program Delegates "$here/Delegates.cs" -optimize+ -nowarn:8632,0618
expected "$here/Delegates.expected" >"$tmp/delegates.expected"
for setting in TieredCompilation=1 TieredCompilation=0 ReadyToRun=0 TieredPGO=0 EnableWriteXorExecute=0; do
    env "DOTNET_$setting" timeout 600 "$ilpatch" run -q -o "$tmp/delegates.lines" --inspector unmanaged --where '<type name="Delegates"/>' -- dotnet "$tmp/Delegates/Delegates.dll"
    alike "delegates: $setting" "$tmp/delegates.expected" "$tmp/delegates.lines"
done
# The stock inspector names the methods of more.
run "$tmp/stock.delegates" --inspector full --where '<type name="Delegates"/>' -- dotnet "$tmp/Delegates/Delegates.dll"
more='::(Imported|OpenVirtual|Emitted|Intrinsic) '
grep -vE "$more" "$here/Delegates.expected" >"$tmp/delegates.expected"
grep -vE "$more" "$tmp/stock.delegates" >"$tmp/delegates.lines"
alike "delegates: as the stock inspector" "$tmp/delegates.expected" "$tmp/delegates.lines"

# ---- objects that move ----

program Collect "$here/Collect.cs" -optimize+
check "while garbage is collected" collected "$(run "$tmp/collect" --inspector unmanaged --where '<type name="Collect"/>' -- dotnet "$tmp/Collect/Collect.dll" 20000)"
check "while garbage is collected: lines" "40000 40000" \
    "$(grep -v '^Collect::\|^Collect/' "$tmp/collect" | head -n 1)$(grep '^Collect::' "$tmp/collect" | awk -f "$here/collect.awk")"

program Moving "$here/Moving.cs" -optimize+
for heap in GCgen0size=10000 "GCgen0size=40000 DOTNET_gcServer=1"; do
    # shellcheck disable=SC2086
    check "objects while garbage is collected: $heap" collected \
        "$(env DOTNET_$heap timeout 600 "$ilpatch" run -q -o "$tmp/moving" --inspector unmanaged --where '<type name="Moving"/>' -- dotnet "$tmp/Moving/Moving.dll" 10000)"
    check "objects while garbage is collected: lines, $heap" "40000 80000" "$(python3 "$here/moving.py" "$tmp/moving" 2>&1)"
done

program Unload "$here/Unload.cs" -optimize+
compile "$tmp/plugin/Plugin.dll" -target:library "$here/Plugin.cs" -optimize+
check "objects of what is unloaded" "unloaded 50" "$(run "$tmp/unload" --inspector unmanaged --where '<type name="Plugin"/>' -- dotnet "$tmp/Unload/Unload.dll" "$tmp/plugin/Plugin.dll")"
cat >"$tmp/unload.expected" <<'X'
500 Plugin::Make {Name="p", Number=N, Kind=B} (Item)
500 Plugin::Make {Value=Item {Name="b", Number=N, Kind=A}} (Box`1[Item])
500 Plugin::Make [1: Item {Name="l", Number=N, Kind=B}] (System.Collections.Generic.List`1[Item])
500 Plugin::Make [2: null, Item {Name="a", Number=N, Kind=A}] (Item[])
2000 Plugin::Call {Plugin::Same} (System.Func`2[Item,Item])
2000 Plugin::Same {Name="s", Number=N, Kind=A} (Item)
X
sed 's/ -> / /; s/Number=[0-9]*/Number=N/' "$tmp/unload" | LC_ALL=C sort | uniq -c | sed 's/^ *//' | LC_ALL=C sort -k2 >"$tmp/unload.shown"
LC_ALL=C sort -k2 -o "$tmp/unload.expected" "$tmp/unload.expected"
alike "objects of what is unloaded: lines" "$tmp/unload.expected" "$tmp/unload.shown"

# A reader that takes its time holds up only the thread that writes.
mkfifo "$tmp/pipe"
{ sleep 1; awk 'END { print NR }'; } <"$tmp/pipe" >"$tmp/read" &
run "$tmp/pipe" --inspector unmanaged --where '<type name="Collect"/>' -- dotnet "$tmp/Collect/Collect.dll" 2000 >"$tmp/slow.out"
wait
check "a slow reader" "collected 8000" "$(cat "$tmp/slow.out") $(cat "$tmp/read")"

# ---- without any managed code ----

sed -i 's/"runtimeOptions":{/&"configProperties":{"System.StartupHookProvider.IsSupported":false},/' "$tmp/Values/Values.runtimeconfig.json"
run "$tmp/values.lines" --rules "$here/Values.rules.xml" --inspector unmanaged -- dotnet "$tmp/Values/Values.dll" >"$tmp/values.expected"
sed 's/^.*Values::/Values::/' "$tmp/values.lines" >"$tmp/values.shown"
alike "start-up hooks off" "$tmp/values.expected" "$tmp/values.shown"

# ---- the core library ----

program Hello "$here/Hello.cs" -optimize+
dotnet "$tmp/Hello/Hello.dll" >"$tmp/hello.plain"
for inspector in "--inspector full" ""; do
    run "$tmp/hello.lines" --framework $inspector -- dotnet "$tmp/Hello/Hello.dll" >"$tmp/hello.out"
    check "core library: exit code $inspector" 3 $?
    alike "core library: standard output $inspector" "$tmp/hello.plain" "$tmp/hello.out"
    check "core library: strings are shown $inspector" 1 "$(grep -c '^System.String::Join -> "361,289,225,169,121,81,49,25,9,1" (System.String)$' "$tmp/hello.lines")"
    check "core library: lines are whole $inspector" 0 "$(grep -vac '^[^ ].* -> .*\(null\|)\)$' "$tmp/hello.lines")"
    check "core library: the inspector is not shown $inspector" 0 "$(grep -c '^MyProfiler' "$tmp/hello.lines")"
done
# Lines of both inspectors, in the order in which methods return.
run "$tmp/hello.lines" --framework --inspector full -- dotnet "$tmp/Hello/Hello.dll" >"$tmp/hello.out"
check "both inspectors" "true" "$(awk '/^Hello\/.*b__1_0 -> true/ { ours = 1 } /String::Join/ && ours { print "true"; exit }' "$tmp/hello.lines")"

# Counting, both count together: each line is another power of two.
ILPATCH_COUNT=1 run "$tmp/count.lines" --framework --inspector full -- dotnet "$tmp/Hello/Hello.dll" >"$tmp/hello.out"
awk 'BEGIN { for (n = 1; n < 1e12; n *= 2) print "ilpatch: " n " values" }' | head -n "$(wc -l <"$tmp/count.lines")" | sort >"$tmp/count.expected"
sort "$tmp/count.lines" >"$tmp/count.sorted"
alike "core library: only counted" "$tmp/count.expected" "$tmp/count.sorted"

# The C# compiler with all that it calls gives the same file.
echo 'class One { static int Main() { return 7; } }' >"$tmp/one.cs"
options="-nologo -noconfig -nostdlib -deterministic -r:$refs/System.Runtime.dll -out:$tmp/one.dll $tmp/one.cs"
dotnet exec "$csc" $options
mv "$tmp/one.dll" "$tmp/one.plain"
run /dev/null --framework --inspector unmanaged -- dotnet exec "$csc" $options
alike "the C# compiler" "$tmp/one.plain" "$tmp/one.dll"

# ---- ids, and native functions as inspectors ----

# names MAP IDS: the names of ids, one a line, by the file of ids
names() { awk -F'"' 'NR == FNR { id = $5; gsub(/[^0-9]/, "", id); name[id] = $20; next } { print name[$1] }' "$1" "$2"; }

structs="$tmp/structs1/structs1.dll"
sed 's/ -> .*//' "$tmp/stock.1" >"$tmp/stock.names"
echo '<rules><include pass="id"/></rules>' >"$tmp/ids.xml"
run "$tmp/ids.lines" --rules "$tmp/ids.xml" --id-map "$tmp/ids.json" -- dotnet "$structs"
sed 's/^#\([0-9]*\) -> .*/\1/' "$tmp/ids.lines" >"$tmp/ids"
names "$tmp/ids.json" "$tmp/ids" >"$tmp/ids.names"
alike "ids" "$tmp/stock.names" "$tmp/ids.names"
cp "$tmp/ids.json" "$tmp/ids.before"
run "$tmp/ids.lines" --rules "$tmp/ids.xml" --id-map "$tmp/ids.json" -- dotnet "$structs"
alike "ids: the same in the next run" "$tmp/ids.before" "$tmp/ids.json"
if [ "$(id -u)" = 0 ] && mkdir "$tmp/disk" && mount -t tmpfs -o size=4k none "$tmp/disk" 2>/dev/null; then
    "$ilpatch" run -q --rules "$tmp/ids.xml" --id-map "$tmp/disk/ids.json" -o "$tmp/ids.lines" -- dotnet "$structs" >"$tmp/out" 2>"$tmp/full.err"
    check "ids: a file that finds no room" "4 1" "$? $(grep -c "^ilpatch: cannot write the file of ids $tmp/disk/ids.json" "$tmp/full.err")"
    umount "$tmp/disk"
else
    skip "ids: a file that finds no room" "no small disk can be mounted here"
fi

if ${CC:-gcc} -shared -fPIC -I tests/runtime/native -o "$tmp/libprobe.so" tests/runtime/native/probe.c 2>"$tmp/build.log"; then
    echo "<rules><include library=\"$tmp/libprobe.so\" symbol=\"probe\" references=\"inspect\"/></rules>" >"$tmp/native.xml"
    PROBE_OUTPUT="$tmp/native.lines" run "$tmp/none" --rules "$tmp/native.xml" --id-map "$tmp/native.json" -- dotnet "$structs"
    cut -d' ' -f1 "$tmp/native.lines" >"$tmp/native.ids"
    names "$tmp/native.json" "$tmp/native.ids" >"$tmp/native.names"
    alike "native" "$tmp/stock.names" "$tmp/native.names"
    LD_LIBRARY_PATH="$tmp" PROBE_OUTPUT="$tmp/native.lines" run "$tmp/none" --inspector "native:probe!probe" --id-map "$tmp/native.json" -- dotnet "$structs"
    check "native: by a short name" 1 "$([ -s "$tmp/native.lines" ] && echo 1)"
    "$ilpatch" run --inspector "native:$tmp/libprobe.so!nothing" --id-map "$tmp/native.json" -- dotnet "$structs" 2>"$tmp/refused"
    check "native: no such function" "3 1" "$? $(grep -c 'has no function nothing' "$tmp/refused")"
else
    cat "$tmp/build.log"
    fail "native" "no library"
fi
"$ilpatch" run --inspector "native:$tmp/nothing.so!probe" --id-map "$tmp/native.json" -- dotnet "$structs" 2>"$tmp/refused"
check "native: no such library" "3 1" "$? $(grep -c 'nothing.so: cannot load it' "$tmp/refused")"

# ---- what is refused ----

"$ilpatch" run --rules "$tmp/ids.xml" -- dotnet "$structs" 2>"$tmp/refused"
check "ids without a map" "2 1" "$? $(grep -c -e --id-map "$tmp/refused")"
"$ilpatch" run --rules "$tmp/ids.xml" --children --id-map "$tmp/ids.json" -- dotnet "$structs" 2>"$tmp/refused"
check "one map for several processes" "2 1" "$? $(grep -c '%p' "$tmp/refused")"

"$ilpatch" inspect --inspect-returns --inspector unmanaged "$tmp/Hello/Hello.dll" 2>"$tmp/refused"
check "files" 2 $?
check "files: says what to do" 1 "$(grep -c 'ilpatch run' "$tmp/refused")"
finish
