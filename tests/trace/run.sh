#!/bin/bash
# Call traces: spools by the profiler's own writer, from scripts, in every format, read by other readers; the page in a
# browser; a real program at the end.
#
#   scripts/*.txt      what happens (make_spool.c says how it is written)
#   model.py           what that means, worked out without a spool
#   check_format.py    each format, read by its own rules and schema, against the model
#   agree.py           all formats of one spool against each other, also where there is no model: torn, damaged, of a real run
#   browser.py         the page, used in a headless Chromium
#
#   run.sh            all of it
#   run.sh formats    spools and formats alone, which need neither .NET nor a browser
set -u
cd "$(dirname "$0")/../.." || exit 1
here=tests/trace
export PYTHONDONTWRITEBYTECODE=1
. tests/lib.sh
have python3 || { skip trace "no python3"; finish; }
scratch trace
export TMPDIR=$tmp # for what the command leaves there, or does not

# code NAME EXPECTED COMMAND...: its exit code; what it says is in $tmp/out and $tmp/err
code() {
    local name=$1 expected=$2
    shift 2
    "$@" >"$tmp/out" 2>"$tmp/err"
    check "$name" "$expected" $?
}

sanitizer=$(nm "$build/libilpatch.a" 2>/dev/null | grep -q __asan_init && echo '-fsanitize=address,undefined')
coverage=$(nm "$build/libilpatch.a" 2>/dev/null | grep -q __gcov_init && echo --coverage)
# shellcheck disable=SC2086
if ! ${CC:-cc} -std=c11 -D_GNU_SOURCE -Iinclude -Isrc -I. $sanitizer $coverage -O1 -o "$tmp/make_spool" "$here/make_spool.c" "$build/libilpatch.a"; then
    fail make_spool "does not compile"
    finish
fi
spool() { "$tmp/make_spool" "$tmp/$1.spool"; }

# ---- every format, by another reader ----

"$here/values.py" >"$tmp/values.txt" # more values than the page lists
for script in "$here"/scripts/*.txt "$tmp/values.txt"; do
    name=$(basename "$script" .txt)
    spool "$name" <"$script"
    formats='text html values values-json values-html lines chrome speedscope folded otlp'
    [ "$name" != values ] || formats='values values-json values-html lines'
    for format in $formats; do
        out=$tmp/$name.$format
        if ! "$ilpatch" report --format $format -o "$out" "$tmp/$name.spool" 2>"$tmp/err"; then
            fail "$format-$name" "$(head -n 1 "$tmp/err")"
        elif python3 "$here/check_format.py" $format "$script" "$out" 2>"$tmp/err"; then
            ok "$format-$name"
        else
            fail "$format-$name" "$(tail -n 1 "$tmp/err")"
        fi
    done
done

for format in text html values values-json values-html lines chrome speedscope folded otlp; do
    out=$tmp/raw.$format
    "$ilpatch" report --raw-names --format $format -o "$out" "$tmp/made.spool" 2>"$tmp/err"
    if python3 "$here/check_format.py" $format "$here/scripts/made.txt" "$out" raw 2>"$tmp/err"; then ok "$format-raw-names"; else fail "$format-raw-names" "$(tail -n 1 "$tmp/err")"; fi
done
while IFS='|' read -r method options count; do # either name of a method chooses its values
    # shellcheck disable=SC2086
    code "report-method $method $options" 0 "$ilpatch" report $options --method "$method" "$tmp/made.spool"
    check "report-method-lines $method $options" "$count" "$(wc -l <"$tmp/out")"
done <<'METHODS'
Shop.Program/<>c::<Main>b__0_1||1
Shop.Program::Main+lambda#1||1
Shop.Program::Main+*||2
*.MoveNext||0
*<*||4
*+*|--raw-names|0
*b__0_1|--raw-names|1
METHODS

# ---- all formats of one spool say the same ----

# agree NAME CALLS SPOOL...: CALLS is how many there are, or + for at least one
agree() {
    local name=agree-$1 calls=$2
    shift 2
    if ! python3 "$here/agree.py" "$ilpatch" "$tmp" "$@" >"$tmp/out" 2>"$tmp/err"; then
        fail "$name" "$(tail -n 1 "$tmp/err") (${tmp-})"
    elif [ "$calls" = + ]; then
        if [ "$(cat "$tmp/out")" -gt 0 ]; then ok "$name"; else fail "$name" "no calls"; fi
    else
        check "$name" "$calls" "$(cat "$tmp/out")"
    fi
}
for pair in shop:70 children:5 deep:2001 hostile:5 made:10; do
    agree "${pair%:*}" "${pair#*:}" "$tmp/${pair%:*}.spool"
done
spool torn <"$here/torn.txt" # what is not in order: ends and begins that are missing, large numbers
agree torn 1518 "$tmp/torn.spool"
agree several-spools 1658 "$tmp/torn.spool" "$tmp/shop.spool" "$tmp/shop.spool"
for size in 300 600 900 1100; do # a chunk each
    head -c $size "$tmp/shop.spool" >"$tmp/part.spool"
    agree "cut-at-$size" "$(case $size in 300 | 600) echo 0 ;; *) echo 18 ;; esac)" "$tmp/part.spool"
done
{ cat "$tmp/shop.spool" && tail -c +40 "$tmp/torn.spool"; } >"$tmp/part.spool"
agree damaged 1588 "$tmp/part.spool"
for format in text html; do # the page reads threads twice, and counts what is damaged once
    "$ilpatch" report --format $format -o "$tmp/damaged.$format" "$tmp/part.spool" 2>"$tmp/damaged.$format.err"
done
same damage-is-counted-once "$tmp/damaged.text.err" "$tmp/damaged.html.err"

# What hooks cost is taken out of them alike (agree.py), and is taken out.
"$ilpatch" report --subtract-cost -o "$tmp/subtracted.folded" "$tmp/shop.spool"
sum() { awk '{ sum += $NF } END { print sum }' "$1"; }
less=$(sum "$tmp/subtracted.folded") whole=$(sum "$tmp/shop.folded")
if [ "$less" -gt 0 ] && [ "$less" -lt "$whole" ]; then ok subtracted-is-less; else fail subtracted-is-less "$less of $whole"; fi

# ---- the command ----

code report-without-spool 2 "$ilpatch" report
contains report-says-where-spools-are-from 'ilpatch trace --spool' "$tmp/err"
code report-unknown-format 2 "$ilpatch" report --format flame "$tmp/shop.spool"
code report-unknown-ending 2 "$ilpatch" report -o "$tmp/x.bin" "$tmp/shop.spool"
contains report-requires-a-format 'is not known: pass --format' "$tmp/err"
code report-no-spool 3 "$ilpatch" report Makefile
contains report-says-what-it-is-not 'nothing of a spool' "$tmp/err"
code report-missing-file 3 "$ilpatch" report "$tmp/missing.spool"
code report-no-folder 4 "$ilpatch" report -o "$tmp/missing/x.html" "$tmp/shop.spool"
head -c 700 "$tmp/shop.spool" >"$tmp/cut.spool"
code report-cut-off 1 "$ilpatch" report "$tmp/cut.spool"
contains report-says-where '(at offset 0x' "$tmp/err"
contains report-shows-what-is-whole 'did not end in order' "$tmp/out"
code report-two-spools 0 "$ilpatch" report "$tmp/shop.spool" "$tmp/children.spool"
check report-all-processes 3 "$(grep -c '^process' "$tmp/out")"
for ending in txt html values.txt values.json values.html json speedscope.json folded otlp.json; do
    "$ilpatch" report -o "$tmp/by.$ending" "$tmp/shop.spool"
done
check endings-choose 'text html values values-json values-html chrome speedscope folded otlp ' "$(for pair in text:txt html:html values:values.txt values-json:values.json values-html:values.html chrome:json speedscope:speedscope.json folded:folded otlp:otlp.json; do
    cmp -s "$tmp/shop.${pair%:*}" "$tmp/by.${pair#*:}" && printf '%s ' "${pair%:*}"
done)"
code trace-without-program 2 "$ilpatch" trace
code trace-inspector 2 "$ilpatch" trace --inspector x.dll -- true
# What was there is lost only to what is new.
cp "$tmp/shop.spool" "$tmp/old.spool"
cp Makefile "$tmp/old.txt"
code trace-old-spool 1 "$ilpatch" trace --spool "$tmp/old.spool" -o "$tmp/old.txt" -- true
code trace-not-started 3 "$ilpatch" trace --spool "$tmp/old.spool" -o "$tmp/old.txt" -- "$tmp/missing"
same trace-leaves-the-old-spool "$tmp/shop.spool" "$tmp/old.spool"
same trace-leaves-the-old-report Makefile "$tmp/old.txt"
code trace-no-spool 4 "$ilpatch" trace --spool "$tmp/old.txt" -- true
contains trace-replaces-spools-alone 'it is there already, and is not a spool' "$tmp/err"
code trace-no-other 4 "$ilpatch" trace --print-env --spool "$tmp/old.spool"
code report-into-its-spool 4 "$ilpatch" report --format text -o "$tmp/old.spool" "$tmp/shop.spool" "$tmp/old.spool"
contains report-says-it-is-a-spool 'cannot write: it is one of the spools' "$tmp/err"
same report-leaves-its-spool "$tmp/shop.spool" "$tmp/old.spool"
check trace-leaves-no-other-name '' "$(find "$tmp" -name '*.old-*')"

# Options that have no place beside each other.
while IFS='|' read -r options sentence; do
    # shellcheck disable=SC2046,SC2086
    code "trace-refuses $options" 2 "$ilpatch" trace ${options//@/$tmp/new} $(case $options in *--print-env*) ;; *) echo -- true ;; esac)
    contains "trace-says-why $options" "$sentence" "$tmp/err"
done <<'PAIRS'
--explain-tail --values|would not report the program's own
--explain-tail --slow|would not report the program's own
--target x86|--target says what --affected-by and rules mean
--subtract-cost --spool @.spool|--subtract-cost is about a report
--raw-names --spool @.spool|--raw-names is about a report
--spool @.txt -o @.txt|.txt would be written twice
--spool @.txt --explain-tail=@.txt|.txt would be written twice
-o @.txt --explain-tail=@.txt|.txt would be written twice
--print-env|--print-env needs --spool FILE
--print-env --spool @.spool -o @.txt|so --output has no effect
--print-env --spool @.spool --format text|so --format has no effect
--print-env --spool @.spool --subtract-cost|so --subtract-cost has no effect
--print-env --spool @.spool --raw-names|so --raw-names has no effect
--print-env --spool @.spool --explain-tail|so --explain-tail has no effect
--print-env --spool @.spool -q|so --quiet has no effect
--print-env --spool @.spool -v|so --verbose has no effect
--print-env --spool @.spool true|so PROGRAM has no effect
PAIRS
code trace-no-dotnet 1 "$ilpatch" trace -o "$tmp/none.html" -- true
check trace-leaves-nothing 'no' "$([ -e "$tmp/none.html" ] && echo yes || echo no)"

[ "${1-}" != formats ] || finish

# ---- the page ----

hashes() { # ELEMENT PAGE: of what is in such elements, as the page's policy names them
    python3 -c 'import base64, hashlib, re, sys
texts = re.findall(f"<{sys.argv[1]}>(.*?)</{sys.argv[1]}>", open(sys.argv[2], encoding="utf-8", newline="").read(), re.S)
print(*("\x27sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "\x27" for text in texts))' "$1" "$2"
}
for page in html values-html; do
    contains $page-policy-has-script "script-src $(hashes script "$tmp/shop.$page");" "$tmp/shop.$page"
    contains $page-policy-has-styles "style-src $(hashes style "$tmp/shop.$page");" "$tmp/shop.$page"
done
if grep -nE '(https?:)?//[a-z]' tools/export/*.html tools/export/page.css >"$tmp/links"; then fail page-names-no-address "$(head -n 1 "$tmp/links")"; else ok page-names-no-address; fi
if have chromium; then
    "$here/large.sh" | spool large
    "$ilpatch" report -o "$tmp/large.html" "$tmp/large.spool"
    for page in values hostile; do cp "$tmp/$page.values-html" "$tmp/$page.values.html"; done
    timeout 900 python3 "$here/browser.py" "$(command -v chromium)" "$tmp"/{shop,made,children,hostile,large}.html "$tmp"/{values,hostile}.values.html >"$tmp/browser" 2>"$tmp/err" ||
        fail browser "$(tail -n 1 "$tmp/err")"
    cat "$tmp/browser"
    count_results "$tmp/browser"
else
    skip browser "no chromium"
fi

# ---- a real program ----

if [ -n "$sanitizer" ]; then
    skip program "the runtime does not load a profiler with a sanitizer"
    finish
fi
need_sdk program
compile "$tmp/app/Shop.dll" "$here/Shop.cs"
runs_with_framework "$tmp/app/Shop.dll"
code trace-program 3 "$ilpatch" trace --spool "$tmp/run.spool" -- dotnet exec "$tmp/app/Shop.dll"
check trace-program-says 15051 "$(cat "$tmp/out")"
contains trace-counts 'recorded 735 enters, 734 leaves, 1 unwound' "$tmp/err"
"$ilpatch" report -o "$tmp/run.txt" "$tmp/run.spool"
agree program 735 "$tmp/run.spool"
# calls, depth, name and ends; not times
sed '/^methods$/,$d' "$tmp/run.txt" | sed -nE 's/^ +[0-9.]+ +[0-9.]+ +([0-9]+)  ( *)([^ ].*)$/\1 \2\3/p' >"$tmp/run.tree"
cat >"$tmp/expected" <<'TREE'
1 Shop.Program.Main
100   Shop.Program.Add
100   Shop.Program.Name
1   Shop.Program.Throws  [exception]
1   Shop.Program.Code
1 Shop.Program.Worker
3   Shop.Program.Fib
6     Shop.Program.Fib
12       Shop.Program.Fib
24         Shop.Program.Fib
48           Shop.Program.Fib
96             Shop.Program.Fib
156               Shop.Program.Fib
132                 Shop.Program.Fib
48                   Shop.Program.Fib
6                     Shop.Program.Fib
TREE
same trace-tree "$tmp/expected" "$tmp/run.tree"
# Names as the compiler makes them today.
cat >"$tmp/Made.cs" <<'SOURCE'
using System;
using System.Collections.Generic;
using System.Threading.Tasks;
class Made
{
    static async Task<int> RunAsync(int n)
    {
        Func<Task<int>> later = async () => { await Task.CompletedTask; return n; };
        static IEnumerable<int> Numbers() { yield return 1; }
        foreach (int number in Numbers()) n += number;
        return await later();
    }
    static int Main()
    {
        int Add(int a) => a + 1;
        Func<int, int> two = a => Add(a) * 2;
        return two(RunAsync(1).Result);
    }
}
SOURCE
compile "$tmp/made/Made.dll" "$tmp/Made.cs"
runs_with_framework "$tmp/made/Made.dll"
code trace-made 6 "$ilpatch" trace -q -o "$tmp/made-app.txt" -- dotnet exec "$tmp/made/Made.dll"
for name in 'Main+lambda#1' Main+Add RunAsync+MoveNext 'RunAsync+lambda#0' 'RunAsync+lambda#0+MoveNext' RunAsync+Numbers RunAsync+Numbers+MoveNext; do
    check "trace-made-names $name" yes "$(grep -q " Made\.$name\( \|$\)" "$tmp/made-app.txt" && echo yes)"
done
check trace-made-has-no-other-names '' "$(grep '[bdg]__' "$tmp/made-app.txt")"

code trace-values 3 "$ilpatch" trace -q --values --where '<method name="Name"/>' -o "$tmp/values.txt" -- dotnet exec "$tmp/app/Shop.dll"
check trace-only-what-rules-say 'Shop.Program.Name' "$(sed -nE 's/^ +[0-9.]+ +[0-9.]+ +[0-9]+ +(.*)/\1/p' "$tmp/values.txt" | sort -u)"
check trace-values-are-counted 'n0 34 n1 33 n2 33' "$(sed -nE 's/^ +returned (.*)/\1/p' "$tmp/values.txt" | tr -d '",x' | sed 's/n0\([0-9]\)/n0 \1/')"

contains trace-says-which-path 'slow hooks: arguments and returned values are requested' "$tmp/values.txt"
code trace-unoptimized 3 "$ilpatch" trace --disable-optimizations --where '<method name="Name"/>' -o "$tmp/unoptimized.txt" -- dotnet exec "$tmp/app/Shop.dll"
contains trace-unoptimized-warns 'optimizations are off: times and tail calls are not those of the program as it is' "$tmp/err"

# Other processes go into the same spool; one that is killed leaves what it had written.
code trace-children 3 "$ilpatch" trace -q --children --where '<method name="Main"/>' --spool "$tmp/two.spool" -o "$tmp/children.txt" -- dotnet exec "$tmp/app/Shop.dll" child
agree program-of-two-processes 2 "$tmp/two.spool"
check trace-both-processes 2 "$(grep -c 'Shop.Program.Main$' <(sed '/^methods$/,/^process/d' "$tmp/children.txt"))"
"$ilpatch" trace --spool "$tmp/killed.spool" -- dotnet exec "$tmp/app/Shop.dll" wait >"$tmp/pid" 2>"$tmp/err" &
tracing=$!
while kill -0 $tracing 2>/dev/null && [ ! -s "$tmp/pid" ]; do
    sleep 0.1 # until it has done all but wait
done
"$ilpatch" report "$tmp/killed.spool" >"$tmp/alive" 2>"$tmp/alive.err"
check report-of-a-program-that-runs "0 " "$? $(cat "$tmp/alive.err")"
contains report-has-what-runs 'Shop.Program.Fib' "$tmp/alive"
kill -9 "$(cat "$tmp/pid")"
wait $tracing
check trace-of-the-killed 137 $?
contains trace-of-the-killed-says "1 of 1 processes ended without their runtime's shutdown" "$tmp/err"
code report-of-the-killed 0 "$ilpatch" report "$tmp/killed.spool"
contains report-says-it-was-cut 'did not end in order' "$tmp/out"
contains report-has-what-was-written 'Shop.Program.Fib' "$tmp/out"
agree killed + "$tmp/killed.spool"
# A copy of the process writes nothing of what it is a copy of.
code trace-copy 3 "$ilpatch" trace --spool "$tmp/copy.spool" -- dotnet exec "$tmp/app/Shop.dll" copy
contains trace-copy-is-not-counted 'recorded 741 enters, 740 leaves, 1 unwound' "$tmp/err"
code trace-copy-is-not-in-the-spool 0 "$ilpatch" report -o "$tmp/copy.txt" "$tmp/copy.spool"

# All options beside each other: each does in company what it does alone.
echo '<rules><include><method name="Main"/></include><include><method name="Add"/></include></rules>' >"$tmp/main.xml"
company=(--rules "$tmp/main.xml" --reference-path "$tmp" --values --slow --subtract-cost --disable-optimizations --check-stacks 1 --children
    --replace-profiler --format text -v -q)
together() { # NAME OPTION...: with another profiler in the environment
    local name=$1
    shift
    rm -f "$tmp/$name.spool"
    CORECLR_ENABLE_PROFILING=1 CORECLR_PROFILER='{00000000-0000-0000-0000-000000000001}' CORECLR_PROFILER_PATH=$tmp/missing.so \
        code "together-$name" 3 "$ilpatch" trace "${company[@]}" -o "$tmp/$name.bin" --spool "$tmp/$name.spool" "$@" -- \
        dotnet exec "$tmp/app/Shop.dll" child
    contains "together-$name-is-verbose" 'path to the hooks: ' "$tmp/err"
    check "together-$name-is-quiet" 0 "$(grep -c -e 'recorded ' -e 'no call was' -e 'optimizations are off' "$tmp/err")"
    check "together-$name-stacks" 2 "$(grep -c ' stacks compared' "$tmp/err")"
    check "together-$name-processes" 2 "$(grep -c '^process' "$tmp/$name.bin")"
    check "together-$name-subtracts" 2 "$(grep -c -e 'so many are subtracted' -e 'times here do not have in them' "$tmp/$name.bin")"
    code "together-$name-spool" 0 "$ilpatch" report --subtract-cost --format text -o "$tmp/$name.other" "$tmp/$name.spool"
    same "together-$name-spool-is-the-same" "$tmp/$name.bin" "$tmp/$name.other"
}
methods() { sed '/^methods$/,/^process/d' "$1" | sed -nE 's/^ +[0-9.]+ +[0-9.]+ +[0-9]+ +(.*)/\1/p' | sort | xargs; }
together all --where '<method name="Main"/>'
check together-all-methods 'Shop.Program.Main Shop.Program.Main' "$(methods "$tmp/all.bin")"
check together-all-values 2 "$(grep -c 'returned 3 x1' "$tmp/all.bin")"
together framework --framework --where '<assembly name="System.Private.CoreLib"/>' --where '<method name="Main"/>'
check together-framework-methods '' "$(methods "$tmp/framework.bin")"
together paused --paused --framework
check together-paused-methods '' "$(methods "$tmp/paused.bin")"
together affected --affected-by x86-struct-return --target x86
check together-affected-methods '' "$(methods "$tmp/affected.bin")"
company=("${company[@]/--values/--explain-tail}")
company=("${company[@]/--slow/--explain-tail=$tmp/tail.json}")
together tail --framework --where '<method name="Main"/>'
contains together-tail-explains '"explicit"' "$tmp/tail.json"

# What cannot be written is reported before the program starts; the report may have no reader.
code trace-nowhere 4 "$ilpatch" trace -o "$tmp/none/run.html" -- touch "$tmp/started"
check trace-nowhere-starts-nothing absent "$([ -e "$tmp/started" ] && echo there || echo absent)"
"$ilpatch" trace -o "$tmp/unread.txt" -- dotnet exec "$tmp/app/Shop.dll" 2>&1 | true
contains trace-unread 'Shop.Program.Fib' "$tmp/unread.txt"
code trace-help-says-what-works 3 "$ilpatch" trace -q --where "$("$ilpatch" trace --help | sed -n "s/.*--where '\(.*\)'.*/\1/p")" -o "$tmp/like.txt" -- dotnet exec "$tmp/app/Shop.dll"
contains trace-help-chooses 'Shop.Program.Fib' "$tmp/like.txt"

# What cannot be converted is not lost; what is no file is not removed.
mkdir "$tmp/gone"
code trace-folder-goes 3 "$ilpatch" trace -o "$tmp/gone/run.html" -- sh -c "rmdir $tmp/gone; exec dotnet exec $tmp/app/Shop.dll"
kept=$(sed -n 's/^ilpatch: what was recorded is in \(.*\); ilpatch report shows it$/\1/p' "$tmp/err")
code trace-is-kept 0 "$ilpatch" report "$kept"
rm -f "$kept"
if mknod "$tmp/null" c 1 3 2>/dev/null; then
    "$ilpatch" trace -q --spool "$tmp/null" -- true 2>"$tmp/err"
    check trace-into-a-device yes "$([ -c "$tmp/null" ] && echo yes)"
else
    skip trace-into-a-device "devices cannot be made here"
fi
check trace-leaves-no-spool '' "$(find "$tmp" -maxdepth 1 -name 'ilpatch-trace-*')"
finish
