#!/bin/bash
# Core libraries with an inspector in them: what runs on them says what it said, and what the library returns is shown.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh

here=$PWD/tests/runtime/corelib
list=$PWD/data/never_inspected.def
unset DOTNET_ROOT
ulimit -c 0

scratch corelib
cd "$tmp" || exit 1

# embed NAME FILE: patches a core library. It refers to nothing afterwards, and no wrong IL is new in it.
embed() {
    local before
    before=$("$ilpatch" verify "$2" | grep -c " error ")
    if ! "$ilpatch" --inspect-returns --embed --in-place "$2" >summary 2>&1; then
        fail "$1-patched" "$(head -n 1 summary)"
        return 1
    fi
    ok "$1-patched"
    "$ilpatch" dump --tables "$2" >tables
    if grep -qE '^table 0x(01|23) ' tables; then
        fail "$1-refers-to-nothing" "$(grep -E '^table 0x(01|23) ' tables | head -n 1)"
    else
        ok "$1-refers-to-nothing"
    fi
    # the unpatched body of Unsafe::As is already unverifiable on Mono, and nothing else may join it
    local after
    after=$("$ilpatch" verify "$2" | grep -c " error ")
    if [ "$after" -le "$before" ]; then ok "$1-verified"; else fail "$1-verified" "$after errors, $before before"; fi
    "$ilpatch" list --answer never-inspected "$2" >>never
}

# count_natively NAME FILE ORIGINAL: a native function is called without anything that is embedded.
count_natively() {
    if ! ${CC:-cc} -shared -fPIC -o libcount.so "$here/count.c" 2>log; then
        skip "$1-native" "no C compiler"
        return 1
    fi
    cp "$3" "$2"
    "$ilpatch" --inspect-returns --in-place -q --id-map map --inspector "native:$tmp/libcount.so!count" "$2" >log 2>&1 && return 0
    fail "$1-native" "$(head -n 1 log)"
    return 1
}

# drop_cut_line FILE: Linux ends a write to a file at the end of a page when the process ends meanwhile, so the last line of a thread
# that was still at work may be cut there, and nowhere else.
drop_cut_line() {
    if [ -n "$(tail -c 1 "$1")" ] && [ $(($(wc -c <"$1") % $(getconf PAGESIZE))) -eq 0 ]; then sed -i '$d' "$1"; fi
}

# runs NAME CODE EXPECTED PATTERN COMMAND...: it ends with CODE, says what is in EXPECTED, and shows lines like PATTERN;
# nothing else is on standard error.
runs() {
    local name=$1 code=$2 expected=$3 pattern=$4 got
    shift 4
    timeout 1800 "$@" >out 2>err
    got=$?
    drop_cut_line err
    if [ $got -ne "$code" ]; then
        fail "$name" "exit code $got: $(grep -v ' -> ' err | head -n 1)"
    elif ! cmp -s out "$expected"; then
        fail "$name" "$(diff "$expected" out | head -n 2 | tail -n 1)"
    elif ! grep -qE "$pattern" err; then
        fail "$name" "nothing like $pattern among $(wc -l <err) lines"
    elif grep -qav ' -> ' err; then
        fail "$name" "standard error: $(grep -av ' -> ' err | head -n 1)"
    else
        ok "$name ($(wc -l <err) lines)"
    fi
}

# no_work_of_inspectors NAME: what another copy of the inspector calls in the core library is not among the lines of the last run
no_work_of_inspectors() {
    check "$1-alone" "" "$(grep -m 1 '^System\.Text\.StringBuilder::Append -> "System\.Linq\.' err)"
}

# ---- Mono ----

mono_folder=/usr/lib/mono/4.5
on_mono() {
    mkdir mono
    cp $mono_folder/mscorlib.dll mono/
    if ! "$ilpatch" --inspect-returns mono/mscorlib.dll 2>err && grep -q -e --embed err; then
        ok mono-says-embed
    else
        fail mono-says-embed "$(cat err)"
    fi
    embed mono mono/mscorlib.dll || return
    mcs -out:work.exe "$here/Work.cs"
    mono work.exe >expected
    runs mono-work 0 expected '^System\.Collections\.Generic\.Dictionary`2::FindEntry -> -1 \(System\.Int32\)$' \
        env MONO_PATH="$tmp/mono" mono work.exe
    local references=()
    for name in mscorlib System.Core System; do references+=("-r:$mono_folder/$name.dll"); done
    : >nothing
    runs mono-compiler 0 nothing '^System\.String::Concat -> "' \
        env MONO_PATH="$tmp/mono" mono $mono_folder/mcs.exe -nostdlib "${references[@]}" -out:again.exe "$here/Settings.cs"
    if mono work.exe | cmp -s - expected && [ -s again.exe ]; then ok mono-compiled; else fail mono-compiled "no program"; fi
    if count_natively mono mono/mscorlib.dll $mono_folder/mscorlib.dll; then
        runs mono-native 0 expected '^values -> 256$' env MONO_PATH="$tmp/mono" mono work.exe
    fi
    facade mono $mono_folder/Facades/System.Runtime.dll mscorlib
}

# facade NAME FILE WHERE
facade() {
    if "$ilpatch" --inspect-returns --dry-run "$2" >out 2>&1 && grep -q ": a facade, nothing to patch: its [0-9]* types are in $3" out; then
        ok "$1-facade"
    else
        fail "$1-facade" "$(head -n 1 out)"
    fi
}

# ---- CoreCLR ----

# program OUT SOURCE
program() {
    build_csharp -optimize+ -nowarn:CS0649 "${references[@]}" "-out:$1" "$2"
    printf '{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"%s"},"configProperties":{%s}}}\n' "$version" \
        '"System.Globalization.Invariant":true,"System.Globalization.PredefinedCulturesOnly":false,"Test.Switch":true,"Test.Value":"v","System.Threading.ThreadPool.MinThreads":7,"System.Threading.ThreadPool.MaxThreads":77' \
        >"${1%.dll}.runtimeconfig.json"
}

# A copy of what `dotnet` needs, by links where that is possible.
copy_framework() {
    mkdir -p net/shared/Microsoft.NETCore.App
    for from in dotnet host "shared/Microsoft.NETCore.App/$version"; do
        cp -al "$root/$from" "net/$(dirname "$from")/" 2>/dev/null || cp -a "$root/$from" "net/$(dirname "$from")/"
    done
    framework=$tmp/net/shared/Microsoft.NETCore.App/$version
    for name in System.Private.CoreLib System.Linq; do # of its own, for it is changed
        cp "$framework/$name.dll" own && rm "$framework/$name.dll" && mv own "$framework/$name.dll"
    done
}

on_coreclr() {
    copy_framework
    program hard.dll "$here/Hard.cs"
    program work.dll "$here/Work.cs"
    program settings.dll "$here/Settings.cs"
    cp settings.dll again.dll
    dotnet exec hard.dll >hard
    dotnet exec work.dll >work
    dotnet exec settings.dll >settings
    embed coreclr "$framework/System.Private.CoreLib.dll" || return
    "$ilpatch" --inspect-returns --embed --in-place -q "$framework/System.Linq.dll" || fail coreclr-linq "not patched"
    runs coreclr-settings 0 settings '^System\.AppContext::TryGetSwitch -> ' net/dotnet exec settings.dll
    runs coreclr-hard 7 hard '^System\.Threading\.Tasks\.Task::' net/dotnet exec hard.dll
    runs coreclr-linq 0 work '^System\.Linq\.Enumerable::Sum -> 2470 \(System\.Int32\)$' net/dotnet exec work.dll
    no_work_of_inspectors coreclr-linq
    "$ilpatch" --inspect-returns -q "$framework/System.Linq.dll" || fail coreclr-linq-beside "not patched"
    runs coreclr-linq-beside 0 work '^System\.Linq\.Enumerable::Sum -> 2470 \(System\.Int32\)$' net/dotnet exec work.dll
    no_work_of_inspectors coreclr-linq-beside
    runs coreclr-not-tiered 7 hard '^System\.String::Concat -> "' env DOTNET_TieredCompilation=0 net/dotnet exec hard.dll
    runs coreclr-other-settings 0 work '^System\.String::Split' env DOTNET_gcServer=1 DOTNET_TieredPGO=0 DOTNET_TC_BackEdgeThreshold=100 \
        DOTNET_OSR_HitLimit=1 DOTNET_TC_OnStackReplacement_InitialCounter=1 net/dotnet exec work.dll
    : >nothing
    runs coreclr-compiler 0 nothing '^System\.String::Concat -> "' net/dotnet exec "$csc" -nologo -noconfig -nostdlib -deterministic \
        -optimize+ -nowarn:CS0649 "${references[@]}" -out:settings.dll "$here/Settings.cs"
    if cmp -s settings.dll again.dll; then ok coreclr-compiled; else fail coreclr-compiled "other bytes"; fi
    if count_natively coreclr "$framework/System.Private.CoreLib.dll" "$root/shared/Microsoft.NETCore.App/$version/System.Private.CoreLib.dll"; then
        runs coreclr-native 7 hard '^values -> 4096$' net/dotnet exec hard.dll
    fi
    facade coreclr "$root/shared/Microsoft.NETCore.App/$version/mscorlib.dll" System.Private.CoreLib
}

# Every row of the list means something in one of the two.
check_list() {
    local stale=""
    while IFS='|' read -r space type method; do
        local pattern="${space//./\\.}\\."
        if [ "$type" = "*" ]; then pattern+='[^:]*::'; else pattern+="$type(/[^:]*)?::"; fi
        [ "$method" = "*" ] || pattern+="${method}[<(]"
        grep -qE "[ ]$pattern" never || stale+=" $space.$type::$method"
    done < <(sed -n 's/^NEVER("\([^"]*\)", "\([^"]*\)", "\([^"]*\)".*/\1|\2|\3/p' "$list")
    if [ -z "$stale" ]; then ok list-is-of-use; else fail list-is-of-use "nothing for$stale"; fi
}

: >never
if command -v mono >/dev/null && command -v mcs >/dev/null && [ -f $mono_folder/mscorlib.dll ]; then
    on_mono
else
    skip mono "no mono or mcs"
fi

if find_sdk; then
    root=$(dirname "$(readlink -f "$(command -v dotnet)")")
    references=("$refs"/*.dll)
    references=("${references[@]/#/-r:}")
    on_coreclr
    check_list
else
    skip coreclr "no .NET SDK 10 or newer"
fi

finish
