#!/bin/bash
# One pair of options of `ilpatch run`:  pair.sh OPTION OPTION
#
# Either both do what they say, and the program's output and exit code are its own; or the pair is refused with a sentence, and
# nothing is started. CELLS as in cell.sh; the program is `release`. Prints one line.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
. "$here/lib.sh"
begin "run/$1/$2" "$CELLS/pairs/$1.$2"
cp -al "$CELLS/shapes/release" app
program=$CELLS/shapes/release/App

# Every option with an argument that makes a difference for this program.
arguments=()
for option in "$1" "$2"; do
    case $option in
        rules) arguments+=(--rules "$CELLS/rules/number.xml") ;;
        where) arguments+=(--where '<method name="Number"/>') ;;
        affected-by) arguments+=(--affected-by x86-struct-return) ;;
        target) arguments+=(--target x86) ;;
        own) arguments+=(--inspector "$CELLS/inspectors/Named.dll") ;;
        full) arguments+=(--inspector full) ;;
        reference-path) arguments+=(--reference-path "$work") ;;
        output) arguments+=(--output values) ;;
        explain-tail) arguments+=(--explain-tail=tail.json) ;;
        report) arguments+=(--report report.json) ;;
        id-map) arguments+=(--id-map ids-%p.json) ;;
        *) arguments+=("--$option") ;;
    esac
done
has() { [[ " $options " == *" $1 "* ]]; }
options="$1 $2"

echo | timeout -k 10 300 "$ilpatch" run "${arguments[@]}" -- "$program" >out 2>err
code=$?

if [ $code -eq 2 ]; then
    [ ! -s out ] || end_badly "refused, and the program was started"
    [ "$(head -n 1 err | wc -w)" -ge 5 ] || end_badly "refused without a sentence"
    [ "$(find . -newer app -type f ! -name out ! -name err ! -path './app/*' | wc -l)" -eq 0 ] || end_badly "refused, and left files"
    echo "ok $name (refused: $(head -n 1 err))"
    rm -rf "$work"
    exit 0
fi

if has print-env; then
    [ $code -eq 0 ] || end_badly "exit code $code"
    grep -q 'CORECLR_PROFILER=' out || end_badly "prints no environment"
    rm -rf "$work"
    echo "ok $name"
    exit 0
fi
[ $code -eq 7 ] || end_badly "exit code $code"
cmp -s out "$CELLS/before/release.out" || end_badly "another output"

# ---- where the values have to be, and which ----

if has output; then shown=values; else shown=err; fi
if has own; then shown=own; fi
seen=$(grep -a '^Cell\.Values::' "$shown" 2>/dev/null | sed 's/^Cell.Values::\([A-Za-z]*\).*/\1/' | sort -u | paste -sd ,)
wanted=Echo,Given,Half,Number,Paint,Place,Text
if has affected-by; then wanted=; fi # the program is built for x64, which the bug does not concern
if has where || has rules; then
    if has affected-by; then wanted=; else wanted=Number; fi
fi
if has rules && has inspect-returns; then wanted=Echo,Given,Half,Number,Paint,Place,Text; fi
if has explain-tail && ! has inspect-returns && ! has rules && ! has where && ! has affected-by && ! has own && ! has full; then
    wanted= # alone it inspects nothing
fi
[ "$seen" = "$wanted" ] || end_badly "values of '$seen', expected '$wanted'"
for other in err values own; do
    [ $other = $shown ] || ! grep -qas '^Cell\.Values::' $other || end_badly "values in $other, too"
done

# ---- the other options ----

valid() { python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1" 2>/dev/null; }
if has report; then
    valid report.json || end_badly "no report"
    grep -q 'Cell.Values::Number' report.json || end_badly "the report does not know Cell.Values::Number"
fi
if has explain-tail; then valid tail.json || end_badly "no explanations"; fi
if has quiet; then
    ! grep -q 'methods inspected' err || end_badly "a summary"
elif ! has explain-tail; then
    grep -q 'method.* inspected' err || end_badly "no summary"
fi
if has framework && [ "$wanted" = Echo,Given,Half,Number,Paint,Place,Text ] && ! has own; then
    grep -qa '^System\.' $shown || end_badly "no values of the framework"
elif ! has framework; then
    ! grep -qa '^System\.[A-Za-z.]*::' $shown || end_badly "values of the framework"
fi
rm -rf "$work"
echo "ok $name"
