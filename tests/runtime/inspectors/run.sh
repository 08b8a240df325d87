#!/bin/bash
# Inspectors of one's own in a running process: each form, named by an option or by rules, beside the program or elsewhere, with
# assemblies of its own; started, attached, in child processes and with the framework. None of them is rewritten itself.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/inspectors
scratch inspectors
need_sdk inspectors

compile "$tmp/app/Lib.dll" -target:library "$here/Lib.cs"
compile "$tmp/app/App.dll" -r:"$tmp/app/Lib.dll" "$here/App.cs"
runs_with_framework "$tmp/app/App.dll"
own=$tmp/own
inspector() { # NAME OPTION...
    local name=$1
    shift
    compile "$own/$name.dll" -target:library -define:"${name^^}" "$@" "$here/Inspectors.cs"
}
for name in Plain Generic Replacing Throwing Deeper; do inspector $name; done
inspector Typed -r:"$tmp/app/Lib.dll"
inspector Helper -r:"$own/Deeper.dll"
inspector Deep -r:"$own/Helper.dll"

# The program's own values, of whichever inspector.
own_lines() { cat "$@" 2>/dev/null | grep -aE '^([A-Z][a-z]+ )?(App|Lib\.Point)::' | sed 's/ (System.*//'; }

# look NAME OPTION... -- PROGRAM...: $result is the exit code, what the program printed, and what inspectors wrote
look() {
    local name=$1
    shift
    rm -f "$tmp/$name.lines" "$tmp/$name.stock"
    echo go | OWN_OUTPUT=$tmp/$name.lines "$ilpatch" run -o "$tmp/$name.stock" --report "$tmp/$name.json" "$@" >"$tmp/$name.out" 2>"$tmp/$name.err"
    result="$?: $(sed -n 2p "$tmp/$name.out")
$(own_lines "$tmp/$name.lines" "$tmp/$name.stock")"
}
# attach NAME OPTION...: the same in a program that has started already
attach() {
    local name=$1 line
    shift
    rm -f "$tmp/$name.lines" "$tmp/$name.stock"
    coproc PROGRAM { exec env OWN_OUTPUT="$tmp/$name.lines" "${program[@]}" 2>"$tmp/$name.err"; }
    local process=$PROGRAM_PID
    exec 7<&"${PROGRAM[0]}" 8>&"${PROGRAM[1]}"
    read -r line <&7
    "$ilpatch" attach "$@" "$process" 2>"$tmp/$name.log"
    attached=$?
    echo go >&8
    read -r line <&7
    exec 7<&- 8>&-
    wait "$process"
    result="$?: $line
$(own_lines "$tmp/$name.lines" "$tmp/$name.stock")"
}
# left FILE: the modules of a report that are left alone, with their status
left() {
    python3 - "$1" <<'PYTHON'
import json, sys
for module in json.load(open(sys.argv[1], encoding="utf-8"))["modules"]:
    if "error" in module:
        print(module["file"].split("/")[-1], module["error"])
PYTHON
}
program=(dotnet exec "$tmp/app/App.dll")

# ---- one inspector, named by an option ----

Plain="5: 3 text 7 2s Value 3
Plain App::Number 3
Plain App::Text text
Plain Lib.Point::Make Lib.Point
Plain App::Place Lib.Point
Plain App::Same 2
Plain App::Same s
Plain App::Object Value
Plain App::Number 1
Plain App::Number 2
Plain App::Main 5"
Generic="5: 3 text 7 2s Value 3
Generic App::Number Int32 3
Generic App::Text String text
Generic Lib.Point::Make Point Lib.Point
Generic App::Place Point Lib.Point
Generic App::Same Int32 2
Generic App::Same String s
Generic App::Object Value Value
Generic App::Number Int32 1
Generic App::Number Int32 2
Generic App::Main Int32 5"
Typed="5: 3 text 7 2s Value 3
Typed App::Number int 3
Typed App::Place Point 7
Typed App::Number int 1
Typed App::Number int 2
Typed App::Main int 5"
Replacing="105: 103 text 7 2s Value 203
"
Deep=$(sed -E 's/^Plain ([^ ]*)/Deep \1 helped deeper/' <<<"$Plain")
for name in Plain Typed Generic Replacing Deep; do
    look "$name" --inspector "$own/$name.dll" -- "${program[@]}"
    check "$name: by an option" "${!name}" "$result"
    look "$name" --framework --inspector "$own/$name.dll" -- "${program[@]}"
    check "$name: with the framework" "${!name/203/303}" "$result" # Sum() is of the framework
    echo "<rules><include inspector=\"own/$name.dll\"/></rules>" >"$tmp/$name.xml"
    attach "$name" --rules "$tmp/$name.xml"
    expected=$(grep -v ' App::Main ' <<<"${!name}") # which was running before
    [ $name != Replacing ] || expected="${expected/105:/5:}
"
    check "$name: attached" "0 $expected" "$attached $result"
done
if have python3; then
    check "none is rewritten" "Deep.dll SELF_INSPECTION Deeper.dll SELF_INSPECTION Helper.dll SELF_INSPECTION MyProfiler.dll SELF_INSPECTION" \
        "$(left "$tmp/Deep.json" | sort | paste -sd ' ')"
    check "nor what one refers to" "Lib.dll SELF_INSPECTION MyProfiler.dll SELF_INSPECTION Typed.dll SELF_INSPECTION" "$(left "$tmp/Typed.json" | sort | paste -sd ' ')"
fi
contains "the stock inspector is not counted, attached" "ilpatch: 7 methods inspected, 2 not" "$tmp/Plain.log"

# ---- several, named by rules, with guards and the stock inspector ----

cat >"$tmp/all.xml" <<'RULES'
<rules>
  <include inspector="own/Typed.dll"><method name="Place"/></include>
  <include inspector="own/Generic.dll"><method name="Same"/></include>
  <include inspector="own/Replacing.dll"><method name="Number"/></include>
  <include inspector="own/Throwing.dll" guard="yes"><method name="Text"/></include>
  <include inspector="own/Deep.dll" guard="yes"><method name="Object"/></include>
  <include><method name="Main"/></include>
</rules>
RULES
all="5: 103 text 7 2s Value 203
Throwing App::Text
Typed App::Place Point 7
Generic App::Same Int32 2
Generic App::Same String s
Deep App::Object helped deeper Value
App::Main -> 5"
for options in "" --framework; do
    look all $options --rules "$tmp/all.xml" -- "${program[@]}"
    check "several $options" "$all" "$result"
done
! have python3 || check "several, with the framework: all of it" "" "$(left "$tmp/all.json" | grep System)" # guards do not count there
attach all -o "$tmp/all.stock" --rules "$tmp/all.xml" # where the stock one writes
check "several, attached" "0 $(grep -v App::Main <<<"$all")" "$attached $result"
look all --children --rules "$tmp/all.xml" --report "$tmp/all-%p.json" -o "$tmp/all-%p.stock" -- "${program[@]}" again
check "several, in child processes" "$(tail -n +2 <<<"$all" | grep -v App::Main | sort | sed p)" "$(own_lines "$tmp/all.lines" | sort)"
check "several, in child processes: the stock one" "App::Main -> 5,App::Main -> 5" "$(own_lines "$tmp"/all-*.stock | paste -sd ,)"

# ---- where they are ----

cp "$own/Plain.dll" "$tmp/app/"
look beside --inspector "$tmp/app/Plain.dll" -- "${program[@]}"
check "beside the program" "$Plain" "$result"
mkdir "$tmp/a:b\\c d"
mv "$tmp/app/Plain.dll" "$tmp/a:b\\c d/"
look strange --inspector "$tmp/a:b\\c d/Plain.dll" -- "${program[@]}"
check "in a folder with an odd name" "$Plain" "$result"
# Another assembly of the name is the program's: it cannot be replaced, and nothing is rewritten to call it.
compile "$tmp/app/Plain.dll" -target:library -define:DEEPER "$here/Inspectors.cs"
look other --inspector "$own/Plain.dll" -- "${program[@]}"
check "another one in the program" "5: 3 text 7 2s Value 3
" "$result"
contains "another one in the program: at the end" "$own/Plain.dll: the inspector was not loaded, so nothing was shown" "$tmp/other.err"
attach later --inspector "$own/Plain.dll"
check "another one in the program, attached" "3 5: 3 text 7 2s Value 3
" "$attached $result"
contains "another one in the program, attached: the reason" "the inspector $own/Plain.dll was not loaded" "$tmp/later.log"

# Variables that were set by hand, and an inspector that is gone: the program is as it was.
mkdir "$tmp/gone"
cp "$own/Plain.dll" "$tmp/gone/"
"$ilpatch" run --inspector "$tmp/gone/Plain.dll" --print-env >"$tmp/gone.env"
rm "$tmp/gone/Plain.dll" "$tmp/app/Plain.dll"
(eval "$(cat "$tmp/gone.env")" && echo go | "${program[@]}") >"$tmp/gone.out" 2>"$tmp/gone.err"
check "an inspector that is gone" "5 3 text 7 2s Value 3" "$? $(sed -n 2p "$tmp/gone.out")"
contains "an inspector that is gone: the reason" "$tmp/gone/Plain.dll: cannot load the inspector" "$tmp/gone.err"

finish
