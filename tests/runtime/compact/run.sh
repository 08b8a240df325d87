#!/bin/bash
# Files laid out again (--layout): do they hold what they held, do they stay as they are when that is done again, how large
# are they, and does a whole framework of them run?
set -u
cd "$(dirname "$0")/../../.." || exit 1
# shellcheck source=tests/runtime/real/lib.sh
. tests/runtime/real/lib.sh
prepare compact compare
files=$PWD/tests
app=$PWD/tests/runtime/compact/App.cs
cd "$tmp" || exit 1
compile App.dll "$app"
runs_with_framework App.dll
# The independent reader waits for lines. (A coprocess keeps its descriptors from subshells.)
coproc checker { dotnet "$tools/compare/bin/Compare.dll" --serve; }
exec 7>&"${checker[1]}" 8<&"${checker[0]}"

# compact FILE [OUT]: what it is like afterwards; "" when all is well, else why not.
compact() {
    local file=$1 out=${2:-out.dll} answer
    "$ilpatch" --compact -o "$out" "$file" >log 2>&1 || { tail -n 1 log; return; }
    "$ilpatch" --compact -q -o again.dll "$out" >log 2>&1 && cmp -s "$out" again.dll || { echo "$file: again, it is another"; return; }
    # the origin is new, and may be what needs one more file alignment
    [ "$(stat -Lc %s "$out")" -le $(($(stat -Lc %s "$file") + 512)) ] || { echo "$file: it became larger"; return; }
    printf '%s\t%s\tcompact\t\n' "$(realpath "$file")" "$PWD/$out" >&7
    read -r answer <&8
    case $answer in same*) ;; *) echo "$file: $answer" ;; esac
}
# group NAME FILE...: all of them; those that say why they cannot be moved are counted.
group() {
    local name=$1 count=0 before=0 after=0 why refused=0
    shift
    for file; do
        [ -f "$file" ] || continue
        why=$(compact "$file")
        case $why in
            '') count=$((count + 1)) before=$((before + $(stat -Lc %s "$file"))) after=$((after + $(stat -Lc %s out.dll))) ;;
            *"cannot be rewritten"* | *"mixed-mode"* | *"native code"*) refused=$((refused + 1)) ;;
            *) fail "$name" "$why"; return ;;
        esac
    done
    if [ $count -gt 0 ]; then ok "$name ($count files, $before bytes, now $after; $refused refused)"; else skip "$name" "no files"; fi
}
# (System.Reflection.Metadata does not read good-uncompressed.dll)
group made "$files"/files/good-[!u]*.dll "$files"/command/files/*.dll "$files"/command/files/*.exe
group framework "$framework"/System.{Linq,Private.Xml,Text.Json,Private.CoreLib,Collections,Runtime,Console,Net.Http,Linq.Expressions}.dll
group mono /usr/lib/mono/4.5/{mscorlib,System,System.Core,System.Xml,Mono.Security,I18N.CJK}.dll /usr/lib/mono/4.5/mcs.exe
group packages "$cache"/{mono,net}/*.dll

# checked KIND FILE OUT REPORT: what the reader finds; "" when all is well.
checked() {
    local answer
    printf '%s\t%s\t%s\t%s\t%s\n' "$(realpath "$2")" "$PWD/$3" "$1" "$PWD/$4" "$(dirname "$(realpath "$2")")" >&7
    read -r answer <&8
    case $answer in same*) ;; *) echo "$2: $answer" ;; esac
}

# inspected NAME FILE...: with the inspector embedded, each holds what it held in both layouts, and is restored.
inspected() {
    local name=$1 count=0 kept=0 compact=0 why options
    shift
    mkdir -p both
    for file; do
        [ -f "$file" ] || continue
        options=(--inspect-returns --embed --symbols drop --reference-path "$(dirname "$file")")
        cp "$file" both/auto.dll && chmod u+w both/auto.dll
        if ! "$ilpatch" "${options[@]}" --layout keep -q --report keep.json -o both/keep.dll "$file" >log 2>&1 ||
            ! "$ilpatch" "${options[@]}" --report auto.json both/auto.dll >log 2>&1 || grep -q '; layout kept: ' log; then
            fail "$name" "$file: $(tail -n 1 log)"
            return
        fi
        why=$(checked delta+embed "$file" both/keep.dll keep.json; checked compact+embed "$file" both/auto.dll auto.json)
        [ -z "$why" ] || { fail "$name" "$why"; return; }
        kept=$((kept + $(stat -c %s both/keep.dll))) compact=$((compact + $(stat -c %s both/auto.dll))) count=$((count + 1))
        "$ilpatch" restore both/auto.dll >log 2>&1 && cmp -s both/auto.dll "$file" || { fail "$name" "$file: not restored: $(tail -n 1 log)"; return; }
    done
    if [ $count -eq 0 ]; then skip "$name" "no files"
    elif [ $compact -lt $((kept * 3 / 4)) ]; then ok "$name ($count files, $kept bytes where the layout is kept, else $compact)"
    else fail "$name" "$count files: $kept bytes where the layout is kept, and $compact"; fi
}
inspected inspected-framework "$framework"/System.{Linq,Private.Xml,Text.Json,Private.CoreLib,Collections}.dll
inspected inspected-mono /usr/lib/mono/4.5/{System.Xml,Mono.Security}.dll /usr/lib/mono/4.5/mcs.exe
inspected inspected-packages "$cache"/net/{Newtonsoft.Json,FSharp.Core,Microsoft.CodeAnalysis.CSharp}.dll

# ---- what runs ----------------------------------------------------------------------------------------------

root=$(dirname "$(dirname "$(dirname "$framework")")")
mkdir -p "dotnet/shared/Microsoft.NETCore.App/$version"
cp -r "$root/host" dotnet/
cp "$root/dotnet" dotnet/
copy=dotnet/shared/Microsoft.NETCore.App/$version
managed=0
for file in "$framework"/*; do
    case $file in
        *.dll) if "$ilpatch" --compact -q -o "$copy/$(basename "$file")" "$file" >/dev/null 2>&1; then managed=$((managed + 1)); continue; fi ;;
    esac
    ln -s "$file" "$copy/"
done
dotnet App.dll 2>&1 | sed '$d' >expected.txt
dotnet/dotnet App.dll >shown.txt 2>&1
if [ -s expected.txt ] && sed '$d' shown.txt | cmp -s - expected.txt && grep -q "$tmp" shown.txt; then ok "framework-runs ($managed assemblies)"
else fail framework-runs "$(head -n 2 shown.txt)"; fi
rm -rf dotnet

# Inspected and laid out again: no larger than the original's IL with what was inserted, since that is less than the two.
"$ilpatch" --inspect-returns --layout keep -q -o grown.dll "$framework/System.Linq.dll" >log 2>&1
"$ilpatch" --inspect-returns -q --compact -o small.dll "$framework/System.Linq.dll" >log 2>&1
"$ilpatch" --compact -q -o bare.dll "$framework/System.Linq.dll" >log 2>&1
sizes="$(stat -Lc %s "$framework/System.Linq.dll") $(stat -c %s grown.dll) $(stat -c %s bare.dll) $(stat -c %s small.dll)"
if [ "$(stat -c %s small.dll)" -lt "$(stat -c %s grown.dll)" ] && "$ilpatch" diff grown.dll small.dll >log 2>&1; then ok "inspected (bytes: $sizes)"
else fail inspected "$sizes: $(tail -n 1 log)"; fi
# An application of its own, inspected, on both runtimes.
if command -v mono >/dev/null && command -v mcs >/dev/null; then
    mcs -out:Hello.exe "$files/command/files/Hello.cs" >log 2>&1
    mono Hello.exe >expected.txt 2>&1
    "$ilpatch" --inspect-returns -q Hello.exe
    mono Hello.exe >shown.txt 2>values.txt
    if cmp -s shown.txt expected.txt && grep -q -e '->' values.txt; then ok mono-runs; else fail mono-runs "$(head -n 1 shown.txt)"; fi
    "$ilpatch" restore Hello.exe >log 2>&1 && mono Hello.exe 2>&1 | cmp -s - expected.txt && ok restored || fail restored "$(head -n 1 log)"
    cp "$(readlink -f /usr/lib/mono/4.5/mcs.exe)" mcs.exe
    "$ilpatch" --compact -q mcs.exe && mono mcs.exe -out:Again.exe "$files/command/files/Hello.cs" >log 2>&1 && mono Again.exe 2>&1 | cmp -s - expected.txt && ok mcs-runs ||
        fail mcs-runs "$(head -n 1 log)"
fi
finish
