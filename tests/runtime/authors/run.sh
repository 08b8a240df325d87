#!/bin/bash
# The example profilers are built as their texts say, with nothing but the public header, the hooks and the library. Two show what programs return:
# one that is compiled as it runs, one that has native code already, and one that loads and unloads modules. Two count calls and allocations, and
# one is attached.
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
ln -s "$PWD/include" "$PWD/examples" "$PWD/elt" "$tmp"
ln -s "$build/libilpatch.a" "$build/libilpatch_elt.a" "$tmp/build"
# as_typed NAME TEXT: the library of that name, as the text builds it
as_typed() {
    { grep '^\$ HOOKS=' "$2"
        awk -v out="-o lib$1.so" '/^(\$ |    )c(c|\+\+) / { sub(/^(\$ |    )/, ""); command = ""; open = 1 }
            open { line = $0; sub(/^> /, "", line); command = command line "\n" }
            open && !/\\$/ { open = 0; if (index(command, out)) printf "%s", command }' "$2"
    } | sed 's/^\$ //' >"$tmp/$1.sh"
    if grep -q -e "-o lib$1.so" "$tmp/$1.sh" && (cd "$typed" && bash -e "$tmp/$1.sh") >"$tmp/$1.log" 2>&1; then
        ok "build/$1"
    else
        fail "build/$1" "$(grep -m1 -E 'error|warning' "$tmp/$1.log")"
        finish
    fi
}
as_typed example_c examples/README.md
as_typed example_cpp examples/README.md
as_typed calls examples/hooks/README.md
as_typed allocations examples/hooks/README.md
as_typed rejit examples/rejit/README.md
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

# ---- hooks and a shadow stack: calls.c, allocations.c ----

compile "$tmp/paths/Paths.dll" "$here/Paths.cs"
runs_with_framework "$tmp/paths/Paths.dll"
class_of() { grep -oE '[{][0-9A-F-]{36}[}]' "$2" | sed -n "$1p"; }
hooked() { # NUMBER LIBRARY: what it prints of the program
    PROFILE=Paths.dll CORECLR_ENABLE_PROFILING=1 CORECLR_PROFILER=$(class_of "$1" examples/hooks/README.md) \
        CORECLR_PROFILER_PATH=$typed/lib$2.so dotnet exec "$tmp/paths/Paths.dll" 2>&1
}
# Deep is not under After, and Caught not under Caught: what an exception leaves was popped. Four threads and the main one have the same methods.
hooked 1 calls >"$tmp/calls"
check hooks/calls "400 Work/Caught;400 Caught/Deep;400 Deep/Deep;400 Deep/Deep;400 Caught/After;100 Work/Caught;100 Caught/Deep;100 Deep/Deep;100 Deep/Deep;100 Caught/After;" \
    "$(awk '{ name = $2; sub(/.*::/, "", name); depth = (match($0, /Paths::/) - 13) / 2; at[depth] = name }
        name ~ /^(Caught|Deep|After)$/ { printf "%d %s/%s;", $1, at[depth - 1], name }' "$tmp/calls")"
check hooks/threads "1 Main 4 Work 1 Work" "$(awk '/::(Main|Work)$/ { sub(/.*::/, "", $2); print $1, $2 }' "$tmp/calls" | sort -k2,2 -k1,1nr | tr '\n' ' ' | sed 's/ $//')"
hooked 2 allocations >"$tmp/allocations"
check hooks/allocations "10240 10 Paths::Allocated 10240 10 System.Byte[]" "$(grep -A1 'Paths::Allocated$' "$tmp/allocations" | awk '{ print $1, $2, $3 }' | tr '\n' ' ' | sed 's/ $//')"

# ---- attached: rejit.c ----

mkfifo "$tmp/line"
dotnet exec "$tmp/paths/Paths.dll" count >"$tmp/ready" 2>"$tmp/rejitted" <"$tmp/line" &
process=$!
exec 9>"$tmp/line"
wait_for() { # TEXT FILE
    for _ in {1..600}; do
        ! grep -q "$1" "$2" || return 0
        sleep 0.1
    done
    return 1
}
wait_for ready "$tmp/ready"
examples/rejit/attach.py "$process" C3D7A1F8-6E24-4B59-8F03-952AD17C46EB "$typed/librejit.so" "1 Paths.dll"
check rejit/attached 0 $?
wait_for ' reverted (0x00000000)$' "$tmp/rejitted"
check rejit/reverted 0 $?
lines=$(wc -l <"$tmp/rejitted")
sleep 0.5
echo >&9
wait "$process"
check rejit/exit-code 0 $?
exec 9>&-
check rejit/requested 1 "$(grep -cE '^example: [1-9][0-9]* methods requested \(0x00000000\)$' "$tmp/rejitted")"
if [ "$(grep -cE '^Paths::Count -> [1-9][0-9]*$' "$tmp/rejitted")" -ge 10 ] && [ "$(wc -l <"$tmp/rejitted")" -eq "$lines" ]; then
    ok rejit/values
else
    fail rejit/values "$(grep -c '^Paths::Count' "$tmp/rejitted") values, $lines lines, then $(wc -l <"$tmp/rejitted"): see $tmp/rejitted"
fi
examples/rejit/attach.py $$ C3D7A1F8-6E24-4B59-8F03-952AD17C46EB "$typed/librejit.so" 2>"$tmp/refused"
check rejit/not-dotnet "1 process $$ has no diagnostics server for you: No such file or directory" "$? $(cat "$tmp/refused")"

finish
