# Linux with musl: musl-tools, ports/libraries.sh (`make ports`). The command is linked statically.
# shellcheck shell=bash

musl() {
    local file target=$ports/x86_64-linux-musl build=$ports/build-musl
    have musl-gcc || { skip build 'there is no musl-gcc'; return; }
    [ -n "$whole" ] || [ -e "$target/complete" ] || { skip build 'no libraries (make ports)'; return; }
    ports/libraries.sh x86_64-linux-musl "$target" >"$tmp/libraries.log" 2>&1 || { fail libraries "$(head -n 1 "$tmp/libraries.log")"; return; }
    local how=(CC=musl-gcc PORT="$target" CFLAGS='-O2 -g')
    # The unwinder is libgcc_s.so.1, as in every program with CoreCLR for musl; musl-gcc would take a static one that needs glibc.
    make -s -j2 "${how[@]}" BUILD="$build" LDFLAGS="$(gcc -print-file-name=libgcc_s.so.1)" \
        "$build/libilpatch.so" "$build/libilpatch_profiler.so" >"$tmp/build.log" 2>&1 &&
        make -s -j2 "${how[@]}" BUILD="$build" LDFLAGS=-static "$build/ilpatch" >>"$tmp/build.log" 2>&1 || { fail build 'does not build' "$tmp/build.log"; return; }
    ok 'builds'
    ran library yes
    for file in libilpatch.so libilpatch_profiler.so; do
        if objdump -T "$build/$file" | grep -q GLIBC; then
            fail "symbols of $file" 'needs glibc'
        else
            ok "$file has no symbol of glibc"
        fi
    done
    if readelf -d "$build/ilpatch" | grep -q NEEDED; then
        fail 'the static command' 'needs libraries'
    else
        patches_alike 'same bytes by the static command, with rules' '--rules tests/platforms/rules.xml' "$build/ilpatch" && ran command 'yes, static'
    fi
    ran note 'CoreCLR for musl needs libraries that Debian does not have: the profiler was not started'
}
musl
