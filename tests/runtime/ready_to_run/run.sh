#!/bin/bash
# ReadyToRun images, patched: they become images of IL alone, another reader finds nothing amiss in them, programs run
# on them as before, and their values are seen. Callers whose native code holds copies of patched methods do what
# docs/READYTORUN.md says. See README.md.
set -u
cd "$(dirname "$0")/../../.." || exit 1

r2r=$PWD/tests/runtime/ready_to_run
# shellcheck source=tests/runtime/real/lib.sh
. tests/runtime/real/lib.sh
prepare ready_to_run jitall
if ! $here/tool.sh "$r2r/reader" "$cache/tools/r2r_reader" >"$tmp/log" 2>&1; then
    fail "build reader" "$(grep -m1 error "$tmp/log")"
    finish
fi
dotnet_root=$(dirname "$(realpath "$(command -v dotnet)")")

# csharp_r2r OPTION...: compiles against the framework.
csharp_r2r() { build_csharp -optimize+ -nullable+ -debug- "${references[@]}" "$@"; }
references=("$framework"/System*.dll "$framework"/netstandard.dll)
references=("${references[@]/#/-r:}")
runtime_config='{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"'$version'"}}}'

# read_files FILE...: what the other reader says of them, in $tmp/read.
read_files() { dotnet "$cache/tools/r2r_reader/bin/Reader.dll" "$@" >"$tmp/read" 2>&1; }

# last_count FILE: of a file that the counting inspector wrote
last_count() { sed -n 's/^ilpatch: \([0-9]*\) values.*/\1/p' "$1" 2>/dev/null | sort -n | tail -n 1; }

# enough TEST FILE N
enough() {
    local count
    count=$(last_count "$2")
    if [ "${count:-0}" -gt "$3" ]; then ok "$1 ($count values or more)"; else fail "$1" "only ${count:-0} values"; fi
}

# ---- a framework of our own --------------------------------------------------------------------------------

root=$tmp/dotnet
own=$root/shared/Microsoft.NETCore.App/$version
mkdir -p "$root/shared/Microsoft.NETCore.App" "$tmp/work"
cp -a "$dotnet_root/dotnet" "$dotnet_root/host" "$root/"
cp -a "$framework" "$root/shared/Microsoft.NETCore.App/"
csharp_r2r -out:"$tmp/work/Work.dll" "$r2r/work/Work.cs"
echo "$runtime_config" >"$tmp/work/Work.runtimeconfig.json"
work() { DOTNET_ROOT=$root "$root/dotnet" exec "$tmp/work/Work.dll"; }

# The methods of each file that the runtime does not compile, before: the library is the framework's own one.
jit_files='System.Linq System.Collections.Immutable System.Text.Json'
jit_all() { # FOLDER
    mkdir -p "$tmp/$1"
    for file in $jit_files; do
        ILPATCH_COUNT=1 ILPATCH_OUTPUT=/dev/null DOTNET_ROOT=$root "$root/dotnet" \
            exec "$tools/jitall/bin/JitAll.dll" "$own/$file.dll" >"$tmp/$1/$file" 2>&1
    done
}
jit_all jit-before
work >"$tmp/work.before" 2>&1 || fail "work" "before patching: $(head -n 1 "$tmp/work.before")"

# What cannot be patched here: a core library cannot refer to an inspector, and what an inspector refers to not, either.
files=()
for file in "$own"/*.dll; do
    case $file in */System.Private.CoreLib.dll | */mscorlib.dll) ;; *) files+=("$file") ;; esac
done
precompiled=0
for file in "${files[@]}"; do
    "$ilpatch" dump --headers "$file" 2>/dev/null | grep -q '^ReadyToRun' && precompiled=$((precompiled + 1))
done
"$ilpatch" --inspect-returns --report "$tmp/report.json" "${files[@]}" >"$tmp/out" 2>"$tmp/err"
code=$?
dropped=$(grep -c 'ReadyToRun code dropped' "$tmp/out")
if [ $code -eq 0 ] && [ "$dropped" -ge 80 ] && [ "$dropped" -eq "$precompiled" ]; then
    ok "framework: patch ($dropped of ${#files[@]} files were precompiled)"
else
    fail "framework: patch" "exit code $code, $dropped of $precompiled: $(head -n 1 "$tmp/err")"
fi

read_files "${files[@]}"
code=$?
wrong=$(grep -vE '^[^ ]+ (Amd64 PE32Plus|I386 PE32) ILOnly(,StrongNameSigned)? directories ((1,)?2,(4,)?(5,)?6,(12,)?14) methods' "$tmp/read")
if [ $code -eq 0 ] && [ -z "$wrong" ] && [ "$(wc -l <"$tmp/read")" -eq "${#files[@]}" ]; then
    ok "framework: System.Reflection.Metadata reads all $(wc -l <"$tmp/read") files"
else
    fail "framework: System.Reflection.Metadata" "$(echo "$wrong" | head -n 1)"
fi

if ILPATCH_COUNT=1 ILPATCH_OUTPUT=$tmp/count work >"$tmp/work.after" 2>&1 && cmp -s "$tmp/work.before" "$tmp/work.after"; then
    enough "framework: work" "$tmp/count" 10000
else
    fail "framework: work" "$(diff "$tmp/work.before" "$tmp/work.after" | head -n 3 | tr '\n' ' ')"
fi
ILPATCH_OUTPUT=$tmp/values work >/dev/null 2>&1
for method in 'System.Linq.Enumerable::Where -> {_threadId=1, ' 'System.Text.Json.JsonSerializer::Serialize -> "' \
              'System.Xml.Linq.XElement::Parse -> {' 'System.Text.RegularExpressions.Regex::Replace -> "<12> and <7>"' \
              'System.Collections.Immutable.ImmutableArray`1::get_Length -> 66'; do
    if grep -qF "$method" "$tmp/values"; then ok "framework: $method"; else fail "framework: $method" "not seen"; fi
done

jit_all jit-after
for file in $jit_files; do
    if grep -q '^[0-9]* methods' "$tmp/jit-before/$file" && cmp -s "$tmp/jit-before/$file" "$tmp/jit-after/$file"; then
        ok "framework: jit $file ($(tail -n 1 "$tmp/jit-after/$file"))"
    else
        fail "framework: jit $file" "$(diff "$tmp/jit-before/$file" "$tmp/jit-after/$file" | head -n 3 | tr '\n' ' ')"
    fi
done

# findings FILE REFERENCES: without offsets, which change
findings() { "$ilpatch" verify --reference-path "$2" "$1" 2>&1 | sed 's/^[^ ]*: //; s/IL_[0-9A-F]*//g' | sort; }
for file in System.Linq System.Text.Json System.Collections.Immutable System.Private.Xml.Linq System.Net.Http; do
    findings "$framework/$file.dll" "$framework" | grep -v '^[0-9]* methods\|findings\?$' >"$tmp/verify.before"
    findings "$own/$file.dll" "$own" | grep -v '^[0-9]* methods\|findings\?$' >"$tmp/verify.after"
    if [ -z "$(comm -13 "$tmp/verify.before" "$tmp/verify.after")" ]; then ok "framework: verify $file"
    else fail "framework: verify $file" "$(comm -13 "$tmp/verify.before" "$tmp/verify.after" | head -n 2)"; fi
done

patched=()
for file in "${files[@]}"; do [ ! -e "$file.orig" ] || patched+=("$file"); done

# All of it was patched, so only the core library's native code is left.
if grep -q '"reason"' "$tmp/report.json" && ! grep -q '"dropped": false' "$tmp/report.json"; then ok "framework: callers"
else fail "framework: callers" "$(grep -m1 '"dropped": false' "$tmp/report.json")"; fi

if "$ilpatch" restore "${patched[@]}" >"$tmp/out" 2>&1 && diff -rq "$framework" "$own" >"$tmp/log"; then
    ok "framework: restore"
else
    fail "framework: restore" "$(head -n 1 "$tmp/log" "$tmp/out")"
fi

# One alone: those that may have its methods inlined are named, and restored.
"$ilpatch" --inspect-returns --with-callers "$own/System.Collections.Immutable.dll" >"$tmp/out" 2>&1
if grep -q "^$own/System.Reflection.Metadata.dll: may have held copies" "$tmp/out" && work 2>/dev/null | cmp -s "$tmp/work.before"; then
    ok "framework: ImmutableArray's callers ($(grep -c 'may have held' "$tmp/out"))"
else
    fail "framework: ImmutableArray's callers" "$(head -n 2 "$tmp/out")"
fi

# ---- the SDK's compiler ----------------------------------------------------------------------------------------

cp -r "$sdk/Roslyn/bincore" "$tmp/roslyn"
roslyn_by_itself() { # FOLDER: the library, its symbols and what the compiler says
    mkdir -p "$tmp/csc" "$tmp/$1"
    (cd "$r2r" && dotnet exec "$tmp/roslyn/csc.dll" -nologo -noconfig -nostdlib -deterministic -optimize+ -nullable+ \
        -debug:portable "${references[@]}" -out:"$tmp/csc/w.dll" work/Work.cs pair/Lib.cs) >"$tmp/csc/out" 2>&1
    mv "$tmp"/csc/* "$tmp/$1/"
}
roslyn_by_itself csc-before
"$ilpatch" --inspect-returns -q "$tmp"/roslyn/Microsoft.CodeAnalysis{,.CSharp}.dll >"$tmp/log" 2>&1
ILPATCH_COUNT=1 ILPATCH_OUTPUT=$tmp/csc-count roslyn_by_itself csc-after
if [ -s "$tmp/csc-before/w.dll" ] && [ -s "$tmp/csc-before/w.pdb" ] &&
    diff -rq "$tmp/csc-before" "$tmp/csc-after" >>"$tmp/log"; then
    enough "compile with the SDK's Roslyn" "$tmp/csc-count" 100000
else
    fail "compile with the SDK's Roslyn" "$(cat "$tmp/log" "$tmp/csc-after/out" | head -n 3 | tr '\n' ' ')"
fi

# ---- a program that brings its framework along ---------------------------------------------------------------

if [ "$(uname -m)" != x86_64 ]; then
    skip "published programs" "this machine is no x86-64 one"
    finish
fi
mkdir "$tmp/self"
cp "$r2r/self/Self.csproj" "$r2r/work/Work.cs" "$tmp/self/"
if ! TMPDIR=$tmp dotnet publish "$tmp/self" -o "$tmp/published" --nologo >"$tmp/log" 2>&1; then
    skip "published programs" "crossgen2 or the runtime pack cannot be had: $(grep -m1 error "$tmp/log")"
    finish
fi
published() { "$tmp/published/Self"; }
published >"$tmp/self.before" 2>&1
for file in System.Linq Self; do # together, the runtime's would be left alone
    "$ilpatch" --inspect-returns "$tmp/published/$file.dll"
done >"$tmp/out" 2>&1
ILPATCH_OUTPUT=$tmp/self.values published >"$tmp/self.after" 2>&1
if [ "$(grep -c 'ReadyToRun code dropped' "$tmp/out")" -eq 2 ] && cmp -s "$tmp/self.before" "$tmp/self.after" &&
    grep -q '^System.Linq.Enumerable::Skip -> ' "$tmp/self.values" && grep -q '^Work::Hash -> "' "$tmp/self.values"; then
    ok "self-contained: System.Linq and the program"
else
    fail "self-contained" "$(head -n 1 "$tmp/self.after") $(head -n 1 "$tmp/out")"
fi

# Its core library as well, with the inspector in it.
"$ilpatch" --inspect-returns --embed --where '<type name="System.String"/><method name="Concat"/>' "$tmp/published/System.Private.CoreLib.dll" >"$tmp/out" 2>&1
ILPATCH_OUTPUT=$tmp/core.values published >"$tmp/self.core" 2>&1
if cmp -s "$tmp/self.before" "$tmp/self.core" && grep -q '^System.String::' "$tmp/core.values" &&
    grep -q '^System.Linq.Enumerable::Skip -> ' "$tmp/core.values"; then
    ok "self-contained: System.Private.CoreLib ($(grep -c '^System.String::' "$tmp/core.values") strings)"
else
    fail "self-contained: System.Private.CoreLib" "$(head -n 1 "$tmp/self.core") $(head -n 1 "$tmp/out")"
fi

# ---- copies in native code of others ---------------------------------------------------------------------------

store=$(dotnet nuget locals global-packages --list | sed 's/^[^:]*: //')
crossgen=$(find "$store"/microsoft.netcore.app.crossgen2.linux-x64/*/tools/crossgen2 2>/dev/null | sort -V | tail -n 1)
mkdir "$tmp/il"
csharp_r2r -target:library -out:"$tmp/il/Lib.dll" "$r2r/pair/Lib.cs"
csharp_r2r -r:"$tmp/il/Lib.dll" -out:"$tmp/il/App.dll" "$r2r/pair/App.cs"

# precompile FOLDER ARGUMENT...: compiles both, each by itself or, with --composite, into one.
precompile() {
    local folder=$tmp/$1 file
    shift
    mkdir -p "$folder"
    echo "$runtime_config" >"$folder/App.runtimeconfig.json"
    case " $* " in
    *" --composite "*)
        "$crossgen" "$tmp/il/Lib.dll" "$tmp/il/App.dll" -o "$folder/both.r2r.dll" -r "$framework/*.dll" -O "$@" >"$tmp/log" 2>&1
        ;;
    *)
        for file in Lib App; do
            "$crossgen" "$tmp/il/$file.dll" -o "$folder/$file.dll" -r "$framework/*.dll" -r "$tmp/il/*.dll" -O "$@" >"$tmp/log" 2>&1
        done
        ;;
    esac
}

# pair NAME SEEN CALLERS: patches Lib alone: of its four methods those are SEEN that App's native code has no copy of;
# with the callers' native code gone, all of them are.
pair() {
    local name=$1 seen=$2 callers=$3 folder=$tmp/$1 all='Box Far Fixed Small' got
    local values=$tmp/$1.values
    got=$(dotnet exec "$folder/App.dll" 2>&1)
    [ "$got" = "4 15 7 8" ] || fail "$name: before" "$got $(head -n 1 "$tmp/log")"
    "$ilpatch" --inspect-returns --report "$tmp/$name.json" "$folder/Lib.dll" >"$tmp/out" 2>&1
    got=$(ILPATCH_OUTPUT=$values dotnet exec "$folder/App.dll" 2>&1)
    [ "$got" = "4 15 7 8" ] || fail "$name: runs" "$got"
    got=$(sed -n 's/^Pair\.\(Lib::\)\{0,1\}\([A-Za-z]*\).*/\2/p' "$values" | sort | tr '\n' ' ')
    if [ "$got" = "$seen " ]; then ok "$name: seen are $got"; else fail "$name: seen" "$got, not $seen"; fi
    got=$(sed -n 's/.*"file": ".*\/\(.*\)", "reason": "\([a-z-]*\)".*/\1 \2/p' "$tmp/$name.json" | tr '\n' ' ')
    if [ "$got" = "$callers " ]; then ok "$name: callers are $got"; else fail "$name: callers" "$got, not $callers"; fi
    "$ilpatch" --inspect-returns --with-callers "$folder/Lib.dll" >"$tmp/out" 2>&1
    rm -f "$values"
    got=$(ILPATCH_OUTPUT=$values dotnet exec "$folder/App.dll" 2>&1)
    [ "$got" = "4 15 7 8" ] || fail "$name: runs without callers" "$got"
    got=$(sed -n 's/^Pair\.\(Lib::\)\{0,1\}\([A-Za-z]*\).*/\2/p' "$values" | sort | tr '\n' ' ')
    if [ "$got" = "$all " ]; then ok "$name: without callers all are seen"; else fail "$name: without callers" "$got"; fi
    if "$ilpatch" restore "$folder/App.dll" "$folder/Lib.dll" >"$tmp/out" 2>&1 && [ ! -e "$folder/App.dll.orig" ]; then
        ok "$name: restored"
    else
        fail "$name: restored" "$(head -n 1 "$tmp/out")"
    fi
}

precompile alone
pair alone 'Box Far Small' 'App.dll non-versionable'
precompile checked --opt-cross-module '*'
pair checked 'Box Far Small' 'App.dll non-versionable'
precompile bubble --inputbubble --inputbubbleref "$tmp/il/Lib.dll" --inputbubbleref "$tmp/il/App.dll"
pair bubble 'Box Far' 'App.dll version-bubble'
precompile composite --composite --inputbubble
pair composite 'Far' 'App.dll non-versionable both.r2r.dll composite'

# Why the MVID stays there: with another one CoreCLR ends the process. Alone in a folder, a library of a version bubble is
# like any other, and gets another MVID; a component says itself that it is one.
mkdir "$tmp/apart"
cp "$tmp/bubble/Lib.dll" "$tmp/apart/"
"$ilpatch" --inspect-returns -q "$tmp/apart/Lib.dll"
cp "$tmp/apart/Lib.dll" "$tmp/apart/MyProfiler.dll" "$tmp/bubble/"
if dotnet exec "$tmp/bubble/App.dll" 2>&1 | grep -q 'MVID mismatch'; then ok "bubble: another MVID ends the process"
else fail "bubble: another MVID" "the program runs"; fi
cp "$tmp/composite/Lib.dll" "$tmp/apart/Component.dll"
"$ilpatch" --inspect-returns -q "$tmp/apart/Component.dll"
mvid() { "$ilpatch" dump --tables "$1" | grep -o 'Mvid=[0-9A-F]*'; }
if [ "$(mvid "$tmp/apart/Component.dll")" = "$(mvid "$tmp/apart/Component.dll.orig")" ]; then ok "composite: the MVID stays anywhere"
else fail "composite: the MVID" "was renewed"; fi

# ---- other machines and systems ----------------------------------------------------------------------------------

# foreign SYSTEM ARCHITECTURE EXPECTED RUNS
foreign() {
    local name="$1-$2" folder=$tmp/$1-$2 got
    precompile "$name" --targetos "$1" --targetarch "$2"
    if [ ! -s "$folder/Lib.dll" ]; then
        fail "$name" "crossgen2: $(head -n 1 "$tmp/log")"
        return
    fi
    "$ilpatch" --inspect-returns "$folder/Lib.dll" "$folder/App.dll" >"$tmp/out" 2>&1
    read_files "$folder/Lib.dll"
    if grep -q "^Lib.dll $3 ILOnly directories 2,6,14 methods 6 types 4" "$tmp/read"; then
        ok "$name: $(cut -d ' ' -f 2-4 "$tmp/read")"
    else
        fail "$name" "$(head -n 1 "$tmp/read") $(head -n 1 "$tmp/out")"
    fi
    # it ends at the field of a generic type, of the original, too, since it does not find .NET's core library
    if ! command -v monodis >/dev/null; then skip "$name: monodis" "no monodis"
    elif [ "$(monodis "$folder/Lib.dll" 2>&1 | grep -c '::MyInspector(object, string)')" -ge 3 ]; then ok "$name: monodis"
    else fail "$name: monodis" "$(monodis "$folder/Lib.dll" 2>&1 | tail -n 1)"; fi
    [ "$4" = runs ] || return
    got=$(ILPATCH_OUTPUT=$tmp/$name.values dotnet exec "$folder/App.dll" 2>&1)
    if [ "$got" = "4 15 7 8" ] && grep -q '^Pair.Lib::Small -> 4' "$tmp/$name.values"; then ok "$name: runs here"
    else fail "$name: runs here" "$got"; fi
}
foreign windows x64 'Amd64 PE32Plus' runs
foreign windows x86 'I386 PE32' runs
foreign windows arm64 'Arm64 PE32Plus' -
foreign linux arm64 'Arm64 PE32Plus' -
foreign linux arm 'ArmThumb2 PE32' -
foreign osx x64 'Amd64 PE32Plus' runs
foreign osx arm64 'Arm64 PE32Plus' -

finish
