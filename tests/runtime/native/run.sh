#!/bin/bash
# Native inspectors: programs run with what a function in C is given, and it is what they returned. And what managed
# inspectors get besides the value: ids that the map explains, and handles that lead to the method.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/native
unset PROBE_OUTPUT PROBE_ADDRESS PROBE_STRING

scratch native
probe=$tmp/libprobe.so
if ! ${CC:-cc} -O1 -shared -fPIC -o "$probe" "$here/probe.c" 2>"$tmp/log"; then
    fail "build probe" "$(head -n 1 "$tmp/log")"
    finish
fi
awk -f "$here/fields.awk" -f "$here/structs.awk" >"$tmp/Structs.cs"

net=
! find_sdk || net=yes

# csharp_net OPTION...
csharp_net() {
    local references=("$refs"/System.{Runtime,Console,Collections,Memory,Threading,Threading.Thread,Runtime.InteropServices}.dll)
    build_csharp -unsafe -define:NET "${references[@]/#/-r:}" "$@"
}

# patch FOLDER FILE OPTION...: from FOLDER/in to FOLDER/out; a second time it changes nothing, and verify has nothing new
# to say but what is unverifiable in unsafe code anyway.
patch() {
    local folder=$1 file=$2
    shift 2
    rm -rf "$folder/out" "$folder/again" "$folder/map"
    mkdir -p "$folder/out" "$folder/again"
    "$ilpatch" "$@" --id-map "$folder/map" -o "$folder/out/$file" "$folder/in/$file" >"$folder/log" 2>&1
    [ $? -le 1 ] || { why="ilpatch: $(head -n 1 "$folder/log")"; return 1; }
    "$ilpatch" "$@" --id-map "$folder/map" -o "$folder/again/$file" "$folder/out/$file" >"$folder/again.log" 2>&1
    cmp -s "$folder/out/$file" "$folder/again/$file" || { why="patched again it is another"; return 1; }
    grep -q already-inspected "$folder/again.log" || { why="its calls are not recognised"; return 1; }
    for place in in out; do
        "$ilpatch" verify "$folder/$place/$file" | sed 's/^[^ ]* [^ ]* *//; s/, [0-9]* unverifiable//' >"$folder/verify.$place"
    done
    cmp -s "$folder/verify.in" "$folder/verify.out" ||
        { why="verify finds: $(diff "$folder/verify.in" "$folder/verify.out" | head -n 2)"; return 1; }
}

run() { # RUNTIME FOLDER FILE [ARGUMENT]
    case $1 in
    mono) (cd "$2" && mono "./$3" ${4:+"$4"}) ;;
    *)
        runs_with_framework "$2/$3"
        (cd "$2" && dotnet exec "./$3" ${4:+"$4"})
        ;;
    esac
}

# shows NAME RUNTIME FOLDER FILE LINES: what the probe was given is what the program says.
shows() {
    local name=$1 runtime=$2 folder=$3 file=$4 least=$5 lines
    rm -f "$folder/got"
    PROBE_OUTPUT=$folder/got run "$runtime" "$folder/out" "$file" >"$folder/expected" 2>"$folder/err"
    if [ $? -ne 100 ]; then
        fail "$name" "it ends otherwise: $(head -n 2 "$folder/err")"
    elif [ ! -f "$folder/got" ]; then
        fail "$name" "the function was not called"
    else
        lines=$(awk -f "$here/compare.awk" "$folder/map" "$folder/got" "$folder/expected")
        if [ "${lines% lines}" -ge "$least" ] 2>/dev/null; then ok "$name ($lines)"; else fail "$name" "$lines"; fi
    fi
}

# program NAME RUNTIME FOLDER FILE LINES OPTION...
program() {
    local name=$1 runtime=$2 folder=$3 file=$4 lines=$5
    shift 5
    if patch "$folder" "$file" "$@"; then
        cp "$probe" "$folder/out/"
        shows "$name" "$runtime" "$folder" "$file" "$lines"
    else
        fail "$name" "$why"
    fi
}

printf '%s\n' '<rules><include library="libprobe.so" symbol="probe"><type name="Returns"/></include></rules>' >"$tmp/structs.xml"

# Every size from 1 to 64 in three shapes and more, with padding in some.
sizes() {
    [ "$(awk '$3 !~ /\./ { print $2 }' "$1" | sort -n | uniq -c | awk '$1 >= 3 && $2 == ++n { count++ } END { print count }')" = 64 ] &&
        grep -q '\.\.' "$1"
}

# ---- .NET ----

if [ -n "$net" ]; then
    for kind in release debug; do
        optimize=-optimize+
        [ $kind = release ] || optimize=-optimize-
        mkdir -p "$tmp/$kind/in" "$tmp/values-$kind/in"
        csharp_net $optimize -out:"$tmp/$kind/in/Structs.dll" "$tmp/Structs.cs"
        program "structs, $kind" coreclr "$tmp/$kind" Structs.dll 252 --rules "$tmp/structs.xml"
        sizes "$tmp/$kind/expected" || fail "sizes, $kind" "not every size from 1 to 64 was tried"
        csharp_net $optimize -out:"$tmp/values-$kind/in/Values.dll" "$here/Values.cs"
        program "values, $kind" coreclr "$tmp/values-$kind" Values.dll 52 --rules "$here/values.xml"
    done
    export DOTNET_TieredCompilation=0
    shows "structs, optimised code" coreclr "$tmp/release" Structs.dll 252
    shows "values, optimised code" coreclr "$tmp/values-release" Values.dll 52
    PROBE_OUTPUT=$tmp/steady run coreclr "$tmp/values-release/out" Values.dll collect >"$tmp/log" 2>&1
    unset DOTNET_TieredCompilation
    case $(cat "$tmp/steady") in
    "steady 30000 torn 0") ok "objects stay where they are without a GC transition" ;;
    *) fail "objects stay where they are without a GC transition" "$(cat "$tmp/steady" "$tmp/log" | head -n 2)" ;;
    esac
    if have monodis; then
        (cd "$tmp/release/out" && monodis Structs.dll) >"$tmp/il" 2>"$tmp/log"
        if grep -q 'pinvokeimpl ("libprobe.so" as "probe" cdecl nomangle )' "$tmp/il"; then
            ok "another reader sees the P/Invoke"
        else
            fail "another reader sees the P/Invoke" "$(grep -m1 -A3 pinvokeimpl "$tmp/il")"
        fi
    fi
else
    skip "structs and values" "no .NET SDK 10 or newer"
fi

# ---- Mono ----

if have mono && have mcs; then
    mkdir -p "$tmp/mono/in"
    for kind in release debug; do
        optimize=-optimize+
        [ $kind = release ] || optimize="-optimize- -debug"
        # shellcheck disable=SC2086
        mcs -unsafe $optimize -out:"$tmp/mono/in/Structs.exe" "$tmp/Structs.cs" >"$tmp/log" 2>&1 || fail build "$(head -n 1 "$tmp/log")"
        program "structs, Mono, $kind" mono "$tmp/mono" Structs.exe 252 --rules "$tmp/structs.xml"
    done
    [ -z "$net" ] || shows "structs built by mcs, .NET" coreclr "$tmp/mono" Structs.exe 252
else
    skip "structs, Mono" "no mono or mcs"
fi
if [ -n "$net" ] && have mono; then # mcs knows no `unmanaged`
    export PROBE_STRING=16
    mkdir -p "$tmp/values-mono/in"
    build_csharp -unsafe -optimize+ -r:/usr/lib/mono/4.5/mscorlib.dll -out:"$tmp/values-mono/in/Values.exe" "$here/Values.cs"
    program "values, Mono" mono "$tmp/values-mono" Values.exe 49 --rules "$here/values-mono.xml"
    unset PROBE_STRING
    # what Mono does not know is not relied on
    if "$ilpatch" --rules "$here/values.xml" --id-map "$tmp/map" -o "$tmp/x.exe" --reference-path /usr/lib/mono/4.5 \
        "$tmp/values-mono/in/Values.exe" >"$tmp/log" 2>&1 || ! grep -q 'no GC transition can be left out' "$tmp/log"; then
        fail "gc-transition, Mono" "$(head -n 1 "$tmp/log")"
    else
        ok "gc-transition is refused for Mono"
    fi
else
    skip "values, Mono" "no mono, or no .NET SDK"
fi

# ---- at an address ----

if [ -n "$net" ] && [ "$(uname -m)" = x86_64 ]; then
    address=0x5d0000000000
    if ! ${CC:-cc} -std=c11 -Iinclude -o "$tmp/patch_calli" "$here/patch_calli.c" "$build/libilpatch.a" 2>"$tmp/log"; then
        fail "build patch_calli" "$(head -n 1 "$tmp/log")"
    fi
    for kind in cdecl managed suppress; do
        mkdir -p "$tmp/calli/out"
        "$tmp/patch_calli" "$tmp/release/in/Structs.dll" "$tmp/calli/out/Structs.dll" $kind $address Returns >"$tmp/calli/map" 2>"$tmp/log" ||
            { fail "calli, $kind" "$(head -n 1 "$tmp/log")"; continue; }
        export LD_PRELOAD=$probe PROBE_ADDRESS=$address
        shows "calli, $kind" coreclr "$tmp/calli" Structs.dll 252
        unset LD_PRELOAD PROBE_ADDRESS
        if ! "$ilpatch" verify "$tmp/calli/out/Structs.dll" | grep -q ': 0 errors, 0 warnings'; then
            fail "calli, $kind, verify" "$("$ilpatch" verify "$tmp/calli/out/Structs.dll" | head -n 1)"
        fi
    done
    mkdir -p "$tmp/text/out"
    for kind in managed suppress; do
        "$tmp/patch_calli" "$tmp/values-release/in/Values.dll" "$tmp/text/out/Values.dll" $kind 0x5d0000000020 Texts >"$tmp/text/map" 2>"$tmp/log"
        export LD_PRELOAD=$probe PROBE_ADDRESS=$address PROBE_OUTPUT=$tmp/text/got
        rm -f "$tmp/text/got"
        run coreclr "$tmp/text/out" Values.dll >"$tmp/text/all" 2>"$tmp/log"
        unset LD_PRELOAD PROBE_ADDRESS PROBE_OUTPUT
        grep '^Texts::' "$tmp/text/all" >"$tmp/text/expected"
        lines=$(awk -f "$here/compare.awk" "$tmp/text/map" "$tmp/text/got" "$tmp/text/expected")
        if [ "$lines" = "3 lines" ]; then ok "calli with objects, $kind"; else fail "calli with objects, $kind" "$lines"; fi
    done
else
    skip "calli" "no .NET SDK, or not x86-64"
fi

# ---- ids and handles ----

# What a managed inspector gets: the handle's method and the id, whose name the map has.
finds_methods() { # NAME RUNTIME FOLDER FILE
    local name=$1 runtime=$2 folder=$3 file=$4 pass
    for pass in id handle; do
        printf '<rules><include pass="%s" inspector="%s" async="result"><type like="Passed*"/></include></rules>\n' \
            $pass "$folder/Passes.dll" >"$folder/$pass.xml"
        patch "$folder" "$file" --rules "$folder/$pass.xml" || { fail "$name, $pass" "$why"; return; }
        run "$runtime" "$folder/out" "$file" >"$folder/$pass.said" 2>"$folder/got"
        [ $? -eq 100 ] || { fail "$name, $pass" "it ends otherwise: $(tail -n 2 "$folder/got")"; return; }
        [ $pass = handle ] || awk -f "$here/compare.awk" "$folder/map" "$folder/got" "$folder/id.said" >"$folder/lines"
    done
    if [ "$(cat "$folder/lines")" != "10 lines" ]; then
        fail "$name: ids" "$(cat "$folder/lines")"
    elif ! cmp -s "$folder/handle.said" "$folder/got"; then
        fail "$name: handles" "$(diff "$folder/handle.said" "$folder/got" | head -n 2)"
    else
        ok "$name: ids and handles lead to the methods"
    fi
}

mkdir -p "$tmp/passed-net/in" "$tmp/passed-mono/in"
if [ -n "$net" ]; then
    csharp_net -target:library -out:"$tmp/passed-net/Passes.dll" "$here/Passes.cs"
    csharp_net -optimize+ -out:"$tmp/passed-net/in/Passed.dll" "$here/Passed.cs"
    finds_methods ".NET" coreclr "$tmp/passed-net" Passed.dll
fi
if have mono && have mcs; then
    if mcs -target:library -out:"$tmp/passed-mono/Passes.dll" "$here/Passes.cs" >"$tmp/log" 2>&1 &&
        mcs -out:"$tmp/passed-mono/in/Passed.exe" "$here/Passed.cs" >"$tmp/log" 2>&1; then
        finds_methods Mono mono "$tmp/passed-mono" Passed.exe
    else
        fail build "$(grep -m1 error "$tmp/log")"
    fi
fi

finish
