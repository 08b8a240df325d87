#!/bin/bash
# The example profilers are built, with nothing but the public header and the library, and show what programs return:
# one that is compiled as it runs, one that has native code already, and one that loads and unloads modules.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/authors
unset ILPATCH_OPTIONS

scratch authors

# ---- built as their README says, and without a warning ----

cc() { ${CC:-/usr/bin/cc} -Wall -Wextra -Wpedantic -Werror -O2 "$@"; }
c++() { ${CXX:-/usr/bin/c++} -Wall -Wextra -Wpedantic -Werror -O2 "$@"; }
export -f cc c++
typed=$tmp/build/try # where a reader types them
mkdir -p "$typed"
ln -s "$PWD/include" "$PWD/examples" "$tmp"
ln -s "$build/libilpatch.a" "$tmp/build"
for name in c cpp; do
    grep -E "^\\$ c(c|\+\+) .*-o libexample_$name.so " examples/README.md | cut -c 3- >"$tmp/$name.sh"
    if [ -s "$tmp/$name.sh" ] && (cd "$typed" && bash -e "$tmp/$name.sh") >"$tmp/$name.log" 2>&1; then
        ok "build/$name"
    else
        fail "build/$name" "$(grep -m1 -E 'error|warning' "$tmp/$name.log")"
        finish
    fi
done
unset -f cc c++

need_sdk authors

# with NAME ASSEMBLY COMMAND...: an example in the process
with() {
    local class hook=
    class=$(grep -oE '\{[0-9A-F-]{36}\}' examples/README.md | sed -n "$([ "$1" = c ] && echo 1 || echo 2)p")
    [ "$1" = c ] || hook=$build/MyProfiler.dll
    env CORECLR_ENABLE_PROFILING=1 CORECLR_PROFILER="$class" CORECLR_PROFILER_PATH="$typed/libexample_$1.so" PROFILE="$2" \
        INSPECTOR="$build/MyProfiler.dll" DOTNET_STARTUP_HOOKS="$hook" "${@:3}"
}
# values METHOD FILE: what it returned, in order, each once with how often
values() { sed -n "s/^$1 -> //p" "$2" | sort | uniq -c | sed 's/^ *//' | sort | tr '\n' ';'; }

# ---- a program that is compiled as it runs ----

compile "$tmp/app/Program.dll" "$here/Program.cs"
runs_with_framework "$tmp/app/Program.dll"
for jit in TieredCompilation=1 TieredCompilation=0; do
    for name in c cpp; do
        with $name Program.dll env DOTNET_$jit dotnet exec "$tmp/app/Program.dll" >"$tmp/out" 2>"$tmp/values"
        check "exit-code/$name/$jit" 7 $?
        check "output/$name/$jit" 20012 "$(cat "$tmp/out")"
        check "not-inlined/$name/$jit" 40000 "$(grep -c '^Program::Small -> ' "$tmp/values")"
        if [ $name = c ]; then
            check "threads/c/$jit" "1 00 00 00 00;1 01 00 00 00;2 FF FF FF FF;" "$(values Program::Choose "$tmp/values")"
            check "struct/c/$jit" "1 05 00 00 00 02 00 00 00;" "$(values Program::Place "$tmp/values")"
            check "objects-are-left-alone/$jit" "" "$(values Program::Text "$tmp/values")"
        else
            check "threads/cpp/$jit" "1 0 (System.Int32);1 1 (System.Int32);2 -1 (System.Int32);" "$(values Program::Choose "$tmp/values")"
            check "generic/cpp/$jit" '1 "a" (System.String);1 1 (System.Int32);1 2 (System.Double);' "$(values Program::Same "$tmp/values")"
            check "not-chosen/$jit" 0 "$(grep -c '^Program::Main ' "$tmp/values")"
        fi
    done
done

# What is not possible is reported, and the program runs.
with c "" env -u PROFILE dotnet exec "$tmp/app/Program.dll" >"$tmp/out" 2>"$tmp/reported"
check nothing-requested/c "7 example: set PROFILE to the file name of an assembly: nothing is inspected" "$? $(cat "$tmp/reported")"
with cpp "" env -u INSPECTOR dotnet exec "$tmp/app/Program.dll" >"$tmp/out" 2>"$tmp/reported"
check nothing-requested/cpp "7 example: set PROFILE to the file name of an assembly, and INSPECTOR to the path of an inspector" "$? $(cat "$tmp/reported")"

# ---- modules that come and go, two of one name ----

compile "$tmp/host/Host.dll" "$here/../profiler/Host.cs"
compile "$tmp/host/plugins/one/Plugin.dll" -target:library "$here/../profiler/Plugin.cs"
compile "$tmp/host/plugins/two/Plugin.dll" -target:library -define:TWO "$here/../profiler/Plugin.cs"
cp "$tmp/app/Program.runtimeconfig.json" "$tmp/host/Host.runtimeconfig.json"
with c Plugin.dll dotnet exec "$tmp/host/Host.dll" >/dev/null 2>"$tmp/values"
check unloading/c "1 32 00 00 00;1 BC 02 00 00;1 F4 01 00 00;3 14 00 00 00;" "$(values Plugin::Answer "$tmp/values")"
with cpp Plugin.dll dotnet exec "$tmp/host/Host.dll" >/dev/null 2>"$tmp/values"
check unloading/cpp "1 50 (System.Int32);1 500 (System.Int32);1 700 (System.Int32);3 20 (System.Int32);" "$(values Plugin::Answer "$tmp/values")"

# ---- a program with native code ----

compiler() { # NAME COMMAND...: the C# compiler, whose methods have native code, compiles a file
    dotnet_csc=(dotnet exec "$csc" -nologo -noconfig -nostdlib -deterministic -parallel- -target:library
        -r:"$refs/System.Runtime.dll" -out:"$tmp/$1/Plugin.dll" "$here/../profiler/Plugin.cs")
    mkdir -p "$tmp/$1"
    "${@:2}" "${dotnet_csc[@]}" >"$tmp/$1/out" 2>"$tmp/$1/values"
}
compiler plain env
compiler run "$ilpatch" run --quiet --where '<assembly name="Microsoft.CodeAnalysis.CSharp"/>' --
# called FILE: how often each method of the scanner returned something; with others of the compiler it depends on time
called() { sed -n 's/^\(Microsoft.CodeAnalysis.CSharp[^:]*\.\(SyntaxFacts\|CharacterInfo\|SlidingTextWindow\)::[^ ]*\) -> .*/\1/p' "$1" | sort | uniq -c | awk '{ print $2, $1 }' | sort; }
called "$tmp/run/values" >"$tmp/run/called"
for name in c cpp; do
    compiler $name with $name Microsoft.CodeAnalysis.CSharp.dll
    if cmp -s "$tmp/plain/Plugin.dll" "$tmp/$name/Plugin.dll"; then ok "compiler/$name"; else fail "compiler/$name" "see $tmp/$name"; fi
    called "$tmp/$name/values" >"$tmp/$name/called"
    join "$tmp/$name/called" "$tmp/run/called" | awk '$2 == $3 { same++ } $2 != $3 { print } END { print same + 0 > "/dev/stderr" }' \
        >"$tmp/$name/differ" 2>"$tmp/$name/same"
    if [ "$(cat "$tmp/$name/same")" -gt 10 ] && [ ! -s "$tmp/$name/differ" ]; then
        ok "native-code/$name ($(cat "$tmp/$name/same") methods as often as by ilpatch run)"
    else
        fail "native-code/$name" "$(cat "$tmp/$name/same") methods the same, see $tmp/$name/differ"
    fi
done

finish
