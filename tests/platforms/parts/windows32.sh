# shellcheck shell=bash
# Windows x86: i686-w64-mingw32-gcc and the libraries of ports/libraries.sh. Library, command and profiler are built, and what the runtime calls
# takes the right number of bytes off the stack. No 32-bit runtime is available. Sourced by tests/platforms/run.sh.

target32=i686-w64-mingw32
if ! have $target32-gcc; then
    skip "$target32" 'no compiler (./setup.sh platforms)'
elif [ "$whole" != all ]; then
    skip "$target32" 'make check-platforms builds it'
elif ! ports/libraries.sh $target32 "$ports/$target32" >"$tmp/libraries.out" 2>&1; then
    fail 'libraries' "$(tail -n 1 "$tmp/libraries.out")"
elif ! make -s -j2 CC=$target32-gcc AR=$target32-ar PORT="$ports/$target32" BUILD="$build/windows32" all >"$tmp/build.out" 2>&1; then
    fail 'builds' "$(grep -m 1 -E 'error|undefined' "$tmp/build.out")" "$tmp/build.out"
else
    ok 'builds'
    ran library yes
    if tests/platforms/stdcall.py "$build/windows32" >"$tmp/stdcall" 2>&1; then
        ok "bytes taken off the stack: $(cat "$tmp/stdcall")"
        ran note "$(cat "$tmp/stdcall") take the right number of bytes off the stack"
    else
        fail 'bytes taken off the stack' "$(head -n 1 "$tmp/stdcall")"
    fi
fi
