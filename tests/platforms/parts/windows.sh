# shellcheck shell=bash
# Windows x64: x86_64-w64-mingw32-gcc, wine64, and the libraries of ports/libraries.sh. Library and command are built, unit tests run, and files
# that the command patches there are compared with those that it patches here, as are the values that a program on .NET for Windows shows. Sourced by tests/platforms/run.sh.

target=x86_64-w64-mingw32
windows=$build/windows
export WINEPREFIX=$ports/wine WINEDEBUG=-all

wine() { timeout 300 /usr/lib/wine/wine64 "$@" </dev/null; }

# One unit test program: its tests that failed but are not left out.
unit_failures() {
    local name
    name=$(basename "$1" .exe)
    wine "$1" >"$tmp/$name.log" 2>&1 || [ -s "$tmp/$name.log" ] || echo "$name"
    grep -q '^\[==========\].*run\.' "$tmp/$name.log" || echo "$name"
    sed -n 's/^\[  FAILED  \] \([a-zA-Z0-9_]*\).\{0,1\}$/\1/p' "$tmp/$name.log" | sort -u | while read -r test; do
        grep -q "^$name/$test " tests/platforms/windows/left-out.txt || echo "$name/$test"
    done
}

units_on_windows() {
    local programs failures
    if ! make -s -j2 CC=$target-gcc AR=$target-ar PORT="$ports/$target" BUILD="$windows" units >"$tmp/units.build" 2>&1; then
        fail 'unit tests build' "$(grep -m 1 -E 'error|undefined' "$tmp/units.build")" "$tmp/units.build"
        return
    fi
    programs=$(find "$windows/tests" -name 'test_*.exe' | sort)
    export -f unit_failures wine
    export tmp
    failures=$(xargs -P 2 -I{} bash -c 'unit_failures {}' <<<"$programs")
    if [ -z "$failures" ]; then
        ok "unit tests: $(wc -l <<<"$programs") programs"
        ran units "$(wc -l <<<"$programs") programs, $(cat "$tmp"/test_*.log | grep -c '^\[       OK \]') tests"
    else
        fail 'unit tests' "${failures//$'\n'/ }"
    fi
}

# Real assemblies, patched by both: each file that is there afterwards has the same bytes.
same_bytes() {
    local count=$1 there
    mkdir -p "$tmp/here" "$tmp/there"
    find "$framework" -maxdepth 1 -name '*.dll' | sort | awk -v n="$count" '{ file[NR] = $0 } END { for (i = 1; i <= n && i <= NR; i++) print file[int(1 + (i - 1) * NR / n)] }' |
        xargs -I{} cp {} "$tmp/here"
    cp samples/Shop.exe "$tmp/here"
    cp tests/command/files/*.dll tests/command/files/*.pdb "$tmp/here" 2>/dev/null
    cp -r "$tmp/here/." "$tmp/there"
    (cd "$tmp/here" && "$ilpatch" inspect --framework --in-place --embed --exclude MyProfiler.dll . >../here.out 2>&1)
    (cd "$tmp/there" && DOTNET_ROOT="Z:$(dirname "$(dirname "$(dirname "$framework")")")" wine "$windows/ilpatch.exe" inspect --framework --in-place --embed --exclude MyProfiler.dll . >../there.out 2>&1)
    there=$(find "$tmp/here" -type f | wc -l)
    if ! diff -rq "$tmp/here" "$tmp/there" >"$tmp/differ"; then
        fail 'the same bytes' "$(wc -l <"$tmp/differ") of $there files differ" "$tmp/differ"
    elif ! diff "$tmp/here.out" "$tmp/there.out" >"$tmp/differ"; then
        fail 'the same words' "$(head -n 1 "$tmp/differ")" "$tmp/differ"
    else
        ok "the same bytes: $there files"
        ran bytes "$there files"
    fi
}

# Patched with the inspector beside it, listed, verified, restored: as here, and by paths as Windows has them.
shop_on_windows() {
    mkdir -p "$tmp/shop/a folder"
    cp samples/Shop.exe "$tmp/shop/a folder/Žluťoučký.exe"
    (cd "$tmp/shop" && wine "$windows/ilpatch.exe" --inspect-returns 'a folder\Žluťoučký.exe') >"$tmp/shop.out" 2>&1
    if ! grep -q '7 of 9 methods inspected' "$tmp/shop.out"; then
        fail 'a path of Windows' "$(head -n 1 "$tmp/shop.out")"
        return
    fi
    wine "$windows/ilpatch.exe" restore "Z:$(tr / '\\' <<<"$tmp/shop/a folder/")Žluťoučký.exe" >"$tmp/restore.out" 2>&1
    if cmp -s samples/Shop.exe "$tmp/shop/a folder/Žluťoučký.exe"; then
        ok 'patched and restored by paths of Windows'
        ran command yes
    else
        fail 'restored by a path with a drive' "$(head -n 1 "$tmp/restore.out")"
    fi
}

# A program on the runtime for Windows shows the values that it shows here, by the profiler and by the inspector; traces have its calls.
values_on_windows() {
    local folder=$ports/windows-shop how
    if [ ! -e "$folder/Shop.exe" ]; then
        mkdir -p "$tmp/shop-source"
        cp samples/Shop.cs "$tmp/shop-source"
        cat >"$tmp/shop-source/Shop.csproj" <<'PROJECT'
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework>
<RuntimeIdentifier>win-x64</RuntimeIdentifier><SelfContained>true</SelfContained><InvariantGlobalization>true</InvariantGlobalization></PropertyGroup></Project>
PROJECT
        (cd "$tmp/shop-source" && dotnet publish -c Release -o "$folder") >"$tmp/publish.out" 2>&1 ||
            { skip 'values' "the program cannot be published: $(tail -n 1 "$tmp/publish.out")"; rm -rf "$folder"; return; }
    fi
    "$ilpatch" run -- dotnet exec samples/Shop.exe 2>&1 | grep -v '^ilpatch:' | tr -d '\r' >"$tmp/values.here"
    for how in unmanaged full; do
        (cd "$folder" && wine "$windows/ilpatch.exe" run --inspector "$how" -- Shop.exe 'an "odd" argument\') 2>&1 | grep -v '^ilpatch:' | tr -d '\r' >"$tmp/values.$how"
        if cmp -s "$tmp/values.here" "$tmp/values.$how"; then
            ok "run: the same lines as here, $how"
        else
            fail "run: the same lines as here, $how" "$(diff "$tmp/values.here" "$tmp/values.$how" | sed -n 2p)" "$tmp/values.$how"
            return
        fi
    done
    ran run yes
    ran values "$(grep -c -- '->' "$tmp/values.here")"
    (cd "$folder" && wine "$windows/ilpatch.exe" trace --values -o "$tmp/calls.txt" -- Shop.exe) >"$tmp/trace.out" 2>&1
    if grep -q 'threads: 1, calls: 20$' "$tmp/calls.txt"; then
        ok 'trace: all calls, by slow hooks'
        ran trace 'slow hooks alone'
    else
        fail 'trace' "$(tail -n 1 "$tmp/trace.out")" "$tmp/trace.out"
    fi
}

framework=$(find /usr/share/dotnet/shared/Microsoft.NETCore.App /usr/lib/dotnet/shared/Microsoft.NETCore.App -mindepth 1 -maxdepth 1 2>/dev/null | sort -V | tail -n 1)
if ! have $target-gcc || [ ! -x /usr/lib/wine/wine64 ]; then
    skip "$target" 'no compiler or no wine64 (./setup.sh platforms)'
elif [ "$whole" != all ] && [ ! -e "$ports/$target/complete" ]; then
    skip "$target" 'its libraries are not built (make check-platforms)'
elif ! ports/libraries.sh $target "$ports/$target" >"$tmp/libraries.out" 2>&1; then
    fail 'libraries' "$(tail -n 1 "$tmp/libraries.out")"
elif ! make -s -j2 CC=$target-gcc AR=$target-ar WERROR=1 PORT="$ports/$target" BUILD="$windows" all >"$tmp/build.out" 2>&1; then
    fail 'builds without a warning' "$(grep -m 1 -E 'error|undefined' "$tmp/build.out")" "$tmp/build.out"
else
    ok 'builds without a warning'
    ran library yes
    shop_on_windows
    if [ -n "$framework" ]; then
        same_bytes "$([ "$whole" = all ] && echo 60 || echo 12)"
    else
        skip 'the same bytes' 'no .NET here'
    fi
    if ! have dotnet || { [ "$whole" != all ] && [ ! -e "$ports/windows-shop/Shop.exe" ]; }; then
        skip values 'no program for Windows is published (make check-platforms)'
    else
        values_on_windows
    fi
    [ "$whole" != all ] || units_on_windows
fi
