#!/bin/bash
# Programs with the profiler in their process: they do what they did, and the values appear. That every kind of value does,
# under each JIT, is seen in ../programs; here it is what processes do besides.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/profiler

scratch profiler

need_sdk profiler

compile "$tmp/app/Host.dll" "$here/Host.cs"
compile "$tmp/app/plugins/one/Plugin.dll" -target:library "$here/Plugin.cs"
compile "$tmp/app/plugins/two/Plugin.dll" -target:library -define:TWO "$here/Plugin.cs"
runs_with_framework "$tmp/app/Host.dll"

# ---- a process and what it does besides ----

dotnet exec "$tmp/app/Host.dll" >"$tmp/plain.out"
check plain-exit-code 42 $?

# counted FILE METHOD: how many lines a method has
counted() { grep -c "^$2 -> " "$1"; }

for jit in TieredCompilation=1 TieredCompilation=0 TieredPGO=0 TC_QuickJitForLoops=0 OSR_HitLimit=1; do
    env DOTNET_$jit "$ilpatch" run -o "$tmp/values.txt" -- dotnet exec "$tmp/app/Host.dll" >"$tmp/run.out" 2>"$tmp/run.err"
    check "exit-code/$jit" 42 $?
    if cmp -s "$tmp/plain.out" "$tmp/run.out"; then ok "output/$jit"; else fail "output/$jit" "see $tmp/run.out"; fi
    check "hot-loop/$jit" 200000 "$(counted "$tmp/values.txt" Host::Odd)"
    check "threads/$jit" 16 "$(counted "$tmp/values.txt" Host::Slot)"
    check "generic-values-and-references/$jit" 32 "$(counted "$tmp/values.txt" Host::Wrap)"
    check "plugins/$jit" "3 x 20, 50, 500, 700" "$(sed -n 's/^Plugin::Answer -> \([0-9]*\) .*/\1/p' "$tmp/values.txt" |
        tr '\n' ' ' | sed 's/^20 20 20 \([0-9]*\) \([0-9]*\) \([0-9]*\) $/3 x 20, \1, \2, \3/')"
done
contains summary " methods inspected" "$tmp/run.err"
check child-left-alone 200000 "$(counted "$tmp/values.txt" Host::Odd)"

"$ilpatch" run --children -o "$tmp/values-%p.txt" -- dotnet exec "$tmp/app/Host.dll" >/dev/null 2>&1
check children 2 "$(ls "$tmp"/values-*.txt | wc -l)"
check child-inspected "Host::Odd -> 1 (System.Int32)" "$(head -n 1 "$(ls -S "$tmp"/values-*.txt | tail -n 1)")"

# Processes that share a file append to it, and it is emptied before.
echo old >"$tmp/shared.txt"
"$ilpatch" run --children --where '<method name="Slot"/>' -o "$tmp/shared.txt" -- dotnet exec "$tmp/app/Host.dll" >/dev/null 2>&1
check children-share-a-file "16 0" "$(counted "$tmp/shared.txt" Host::Slot) $(grep -c old "$tmp/shared.txt")"

# ---- what is requested ----

cat >"$tmp/rules.xml" <<'RULES'
<rules>
  <exclude><method name="Odd"/></exclude>
  <include inspector="app/Mine.dll"><method name="Slot"/></include>
</rules>
RULES
printf '%s\n' 'public static class Mine { public static int MyInspector(int value) { return value + 1000; } }' >"$tmp/Mine.cs"
compile "$tmp/app/Mine.dll" -target:library "$tmp/Mine.cs"
mv "$tmp/app/Mine.dll" "$tmp/Mine.dll"
sed -i 's|app/Mine.dll|Mine.dll|' "$tmp/rules.xml"
"$ilpatch" run --rules "$tmp/rules.xml" -- dotnet exec "$tmp/app/Host.dll" >"$tmp/rules.out" 2>"$tmp/rules.err"
check replaced-by-an-inspector-elsewhere $(($(head -n 1 "$tmp/plain.out") + 16000)) "$(head -n 1 "$tmp/rules.out")"
check rules-exclude 0 "$(grep -c ' -> ' "$tmp/rules.err")"

# Base types, parameters and source files are those of the file, in a process, too.
mkdir -p "$tmp/kinds"
cat >"$tmp/kinds/Kinds.cs" <<'CS'
using System;
using System.Threading.Tasks;
class Base : IDisposable { public void Dispose() { } public virtual int Of(int a, string b) => a; }
class Leaf : Base { public int Own() => 5; public override int Of(int a, string b) => b.Length; }
static class Plain { public static int Two() => 2; public static int Take(int[,] all) => all.Length; }
static class Kinds
{
    static int Main() => new Leaf().Own() + new Leaf().Of(1, "ab") + new Base().Of(3, "") + Plain.Two() + Plain.Take(new int[2, 2]) +
                         Other.Last() + Other.Later().Result;
}
CS
cat >"$tmp/kinds/Other.cs" <<'CS'
using System.Threading.Tasks;
static class Other { public static int Last() => 7; public static async Task<int> Later() { await Task.Yield(); return 8; } }
CS
compile "$tmp/kinds/Kinds.dll" -debug:portable "$tmp/kinds/Kinds.cs" "$tmp/kinds/Other.cs"
runs_with_framework "$tmp/kinds/Kinds.dll"
selects() { # NAME CONDITIONS METHOD...
    local name=$1 conditions=$2
    shift 2
    "$ilpatch" run --where "$conditions" -o "$tmp/kinds.txt" -- dotnet exec "$tmp/kinds/Kinds.dll" >/dev/null 2>"$tmp/kinds.err"
    check "selects-by-$name" "31 $*" "$? $(sed -n 's/ -> .*//p' "$tmp/kinds.txt" | sort -u | tr '\n' ' ' | sed 's/ $//')"
    check "selects-by-$name-in-a-file" "$*" "$("$ilpatch" list --where "$conditions" --answer inspected,async-result "$tmp/kinds/Kinds.dll" |
        sed 's/(.*//; s/.* //' | sort -u | tr '\n' ' ' | sed 's/ $//')"
}
selects types '<any><implements name="System.IDisposable"/><derives-from name="Base"/></any>' Base::Of Leaf::Of Leaf::Own
selects parameters '<any><parameters types="int, string"/><parameter type="int[,]"/></any>' Base::Of Leaf::Of Plain::Take
selects source '<source file="Other.cs"/><assembly public-key-token="none"/><not><method name="MoveNext"/></not>' Other::Last Other::Later
mv "$tmp/kinds/Kinds.pdb" "$tmp/kinds/gone.pdb"
"$ilpatch" run -q --where '<source file="Other.cs"/>' -o "$tmp/kinds.txt" --report "$tmp/kinds.json" -- dotnet exec "$tmp/kinds/Kinds.dll" >/dev/null 2>&1
check no-source-shows-nothing "31 0" "$? $(wc -l <"$tmp/kinds.txt")"
contains no-source-is-reported '"answer": "undecided", "detail": "its source file is not known: Kinds.pdb is not there"' "$tmp/kinds.json"

(cd "$tmp" && eval "$("$ilpatch" run --where '<method name="Slot"/>' --print-env)" && dotnet exec app/Host.dll) >/dev/null 2>"$tmp/env.err"
check print-env 16 "$(counted "$tmp/env.err" Host::Slot)"

# Variables that are not as they should be leave the program as it is.
(cd "$tmp" && eval "$("$ilpatch" run --inspector full --print-env)" && unset DOTNET_STARTUP_HOOKS && dotnet exec app/Host.dll) >"$tmp/unhooked.out" 2>&1
check without-its-hook 42 $?
same without-its-hook-output "$tmp/plain.out" "$tmp/unhooked.out"

# The same without "export", as a file that systemd reads with EnvironmentFile= and a shell with `set -a`.
"$ilpatch" run --where '<method name="Slot"/>' -o "$tmp/it's %p.txt" --print-env | sed 's/^export //' >"$tmp/app.env"
env -i PATH="$PATH" HOME="$HOME" sh -c 'set -a; . "$1"; exec dotnet exec "$2"' - "$tmp/app.env" "$tmp/app/Host.dll" >/dev/null 2>"$tmp/env.err"
check print-env/file 16 "$(cat "$tmp/it's "*.txt | grep -c '^Host::Slot -> ')"

# ---- a report replaces a file, and nothing else ----

mkfifo "$tmp/pipe"
"$ilpatch" run --report "$tmp/pipe" -- dotnet exec "$tmp/app/Host.dll" >/dev/null 2>"$tmp/pipe.err"
check report/pipe-is-reported 4 $?
"$ilpatch" run --id-map "$tmp/no/ids.json" -- dotnet exec "$tmp/app/Host.dll" >/dev/null 2>"$tmp/pipe.err"
check report/ids-without-a-place 4 $?
(eval "$("$ilpatch" run --where '<method name="Slot"/>' --report "$tmp/pipe" --print-env)" && dotnet exec "$tmp/app/Host.dll") >/dev/null 2>&1
check report/pipe-stays fifo "$(stat -c %F "$tmp/pipe")"
touch "$tmp/report.json"
ln -s report.json "$tmp/link.json"
"$ilpatch" run --where '<method name="Slot"/>' --report "$tmp/link.json" -- dotnet exec "$tmp/app/Host.dll" >/dev/null 2>&1
check report/link-stays "report.json" "$(readlink "$tmp/link.json")"
contains report/through-link '"Host::Slot"' "$tmp/report.json"

references=("$refs"/System.*.dll)
"$ilpatch" run --framework --where '<type name="System.Linq.Enumerable"/>' -- dotnet exec "$csc" -nologo -noconfig -nostdlib \
    "${references[@]/#/-r:}" -target:library -out:"$tmp/x.dll" "$here/Plugin.cs" >/dev/null 2>"$tmp/linq.err"
contains framework-on-request "System.Linq.Enumerable::" "$tmp/linq.err"

# ---- native code ----

# The same methods of a precompiled compiler, with its native code and without: small ones, which are inlined.
cat >"$tmp/csc.xml" <<'RULES'
<rules>
  <include><type name="Microsoft.CodeAnalysis.CSharp.SyntaxFacts"/></include>
  <include><type name="Microsoft.CodeAnalysis.CSharp.CharacterInfo"/></include>
  <include><type name="Microsoft.CodeAnalysis.CSharp.Syntax.InternalSyntax.SlidingTextWindow"/></include>
</rules>
RULES
for native in 1 0; do
    DOTNET_ReadyToRun=$native "$ilpatch" run --rules "$tmp/csc.xml" -o "$tmp/native$native.txt" -- dotnet exec "$csc" -nologo -noconfig \
        -nostdlib -deterministic -parallel- -target:library -r:"$refs/System.Runtime.dll" -out:"$tmp/plugin$native.dll" "$here/Plugin.cs" \
        >"$tmp/native$native.log" 2>&1 || fail "compiler/$native" "see $tmp/native$native.log"
done
contains inlined-in-native-code "SlidingTextWindow::get_Position -> " "$tmp/native0.txt"
if cmp -s "$tmp/native0.txt" "$tmp/native1.txt"; then ok native-code; else fail native-code "diff $tmp/native0.txt $tmp/native1.txt"; fi

# ---- a whole build, with all its processes ----

mkdir "$tmp/build"
cat >"$tmp/build/Small.csproj" <<'PROJECT'
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework></PropertyGroup></Project>
PROJECT
echo 'System.Console.WriteLine("small");' >"$tmp/build/Small.cs"
build() { # COMMAND...: builds again, with that in front
    rm -rf "$tmp/build/obj" "$tmp/build/bin"
    (cd "$tmp/build" && TMPDIR=$tmp "$@" dotnet build -nologo -v q) >"$tmp/build.log" 2>&1 &&
        sha256sum <"$tmp/build/obj/Debug/net10.0/Small.dll"
}
plain=$(build env)
check build "${plain:-not built}" "$(ILPATCH_COUNT=1 ILPATCH_OUTPUT=$tmp/build-count-%p.txt build "$ilpatch" run --children --)"
if [ "$(cat "$tmp"/build-count-*.txt | sed -n 's/^ilpatch: \([0-9]*\) values$/\1/p' | sort -n | tail -n 1)" -ge 1000000 ]; then
    ok build-values
else
    fail build-values "fewer than a million"
fi

finish
