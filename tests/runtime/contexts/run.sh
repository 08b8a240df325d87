#!/bin/bash
# Values of another assembly's types are shown as the loaded assembly has them, not as some file does; and as bytes where two are
# loaded and it cannot be known which one is meant.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/contexts
scratch contexts
need_sdk contexts

compile "$tmp/first/Lib.dll" -t:library "$here/Lib.cs"
compile "$tmp/second/Lib.dll" -t:library -define:SECOND "$here/Lib.cs"
for folder in first second; do
    compile "$tmp/$folder/Mid.dll" -t:library -r:"$tmp/$folder/Lib.dll" "$here/Mid.cs"
    cp -r "$tmp/$folder" "$tmp/$folder.copy"
done
# Compiled with the first, it does with the second: the names are the same.
cp "$tmp/first/Mid.dll" "$tmp/second/Mid.dll"
mkdir "$tmp/alone"
cp "$tmp/first/Mid.dll" "$tmp/alone"
compile "$tmp/app/App.dll" "$here/App.cs"
echo 'public class None { }' >"$tmp/Other000.cs"
compile "$tmp/Other000.dll" -t:library "$tmp/Other000.cs"
runs_with_framework "$tmp/app/App.dll"

echo '<rules><include byref="inspect"/></rules>' >"$tmp/rules.xml"
# shown ARGUMENT...: what Mid's methods return, in $tmp/shown; their files lead to the first library
shown() {
    timeout 1800 "$ilpatch" run -q --inspector unmanaged --rules "$tmp/rules.xml" --reference-path "$tmp/first" -o "$tmp/lines" -- \
        dotnet "$tmp/app/App.dll" "$@" >"$tmp/out" 2>"$tmp/err" || fail "$*" "exit code $? ($tmp/err)"
    # after the four bytes of Kind is padding, which may be anything
    sed -n 's/^Mid::\([A-Z].*\) (.*/\1/p' "$tmp/lines" | grep -v '^Array' | sed -E 's/^(Wide -> bytes .{40}).{8}$/\1/' >"$tmp/shown"
}
first='Plain -> {A=1, B=2}
Wide -> {Inner={A=1, B=2}, Y=0.5, Kind=7}
Maybe -> {A=1, B=2}
Held -> {Value={A=1, B=2}, Kind=7}
Reference -> {A=1, B=2}
Kind -> 7'
second='Plain -> {B=2, A=1}
Wide -> {Y=0.5, Inner={B=2, A=1}, Kind=7}
Maybe -> {B=2, A=1}
Held -> {Value={B=2, A=1}, Kind=7}
Reference -> {B=2, A=1}
Kind -> 7'
# The bytes as they lie there. With a generic type comes which one is meant.
second_bytes='Plain -> bytes 0200000001000000
Wide -> bytes 000000000000e03f020000000100000007000000
Maybe -> {B=2, A=1}
Held -> bytes 02000000010000000700000000000000
Reference -> bytes 0200000001000000
Kind -> bytes 0700000000000000'
first_bytes='Plain -> bytes 0100000002000000
Wide -> bytes 0100000002000000000000000000e03f07000000
Maybe -> {A=1, B=2}
Held -> {Value={A=1, B=2}, Kind=7}
Reference -> bytes 0100000002000000
Kind -> bytes 07000000'
reported() { grep -c 'structs of Lib are shown as bytes: several assemblies' "$tmp/err"; }

shown "$tmp/first"
check "the file that is loaded" "$first 0" "$(cat "$tmp/shown") $(reported)"
shown "$tmp/first:$tmp/second"
check "another file than references lead to" "$second 0" "$(cat "$tmp/shown") $(reported)"
shown default "$tmp/alone:$tmp/second"
check "by a resolver of the program" "$second 0" "$(cat "$tmp/shown") $(reported)"
shown "$tmp/first" "$tmp/first.copy" "$tmp/first"
check "the same in three contexts" "$first
$first
$first 0" "$(cat "$tmp/shown") $(reported)"
shown "$tmp/first" "$tmp/second" 1
check "two that differ" "$first
$second_bytes
$first_bytes 1" "$(cat "$tmp/shown") $(reported)"
shown "$tmp/first" "$tmp/second" -1 2
check "two, of which one goes" "$first
$second_bytes
$second 1" "$(cat "$tmp/shown") $(reported)"
shown "$tmp/first" -1 "$tmp/second" -2 "$tmp/first"
check "one after the other" "$first
$second
$first 0" "$(cat "$tmp/shown") $(reported)"
shown "$tmp/first" others "$tmp/Other000.dll" 1
check "many others that come later" "$first
$first 0" "$(cat "$tmp/shown") $(reported)"
check "its own types are known in either" "{A=1, B=2} {B=2, A=1}" \
    "$("$ilpatch" run -q --inspector unmanaged -o "$tmp/lines" -- dotnet "$tmp/app/App.dll" "$tmp/first" "$tmp/second" 1 >"$tmp/out" 2>&1
       sed -n 's/^Lib.Make::Own -> \(.*\) (.*/\1/p' "$tmp/lines" | uniq | paste -sd ' ' | sed 's/ {A=1, B=2}$//')"

# Values of a trace are written in the same way.
timeout 1800 "$ilpatch" trace -q --values --where '<type name="Mid"/>' --reference-path "$tmp/first" -o "$tmp/trace.txt" -- \
    dotnet "$tmp/app/App.dll" "$tmp/first:$tmp/second" >"$tmp/out" 2>"$tmp/err"
contains "a trace" "{B=2, A=1}" "$tmp/trace.txt"
finish
