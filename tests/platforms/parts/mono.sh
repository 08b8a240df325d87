# shellcheck shell=bash disable=SC2154 # tmp, ports, whole, cache: run.sh
# Mono on x86 (32 bits) and on 64-bit Arm, under qemu: mono, mcs, a compiler for each. Mono's packages and those to build with are fetched.

# The program of tests/runtime/mono_run, with values and without.
mono_shows() { # ARCHITECTURE BUILT
    local lines command
    lines=$(tests/proof/foreign_mono.sh "$1" "$cache/mono-foreign" 2>"$tmp/log") || { skip "$1" "$(tail -n 1 "$tmp/log")"; return 1; }
    read -r -a command <<<"$(echo "$lines" | sed -n 1p)" # which looks for libraries in the current folder, too
    (cd "$2" && "${command[@]}" "$tmp/mono/App.exe" a) >"$tmp/before" 2>"$tmp/log"
    check "$1: the program" 3 $?
    (cd "$2" && ILPATCH_OUTPUT="$tmp/values" ILPATCH_STATUS="$tmp/status" "${command[@]}" --profile=ilpatch "$tmp/mono/App.exe" a) >"$tmp/after" 2>"$tmp/log"
    check "$1: exit code" 3 $?
    sed -i 's/\[0x[0-9a-f]*\] in <[0-9a-f]*>//' "$tmp/before" "$tmp/after"
    same "$1: output" "$tmp/before" "$tmp/after"
    same "$1: values" tests/runtime/mono_run/values.txt "$tmp/values"
    contains "$1: says that it is all" ended "$tmp/status"
}

mono_built() { # ARCHITECTURE COMPILER, and make's arguments
    local architecture=$1 compiler=$2
    shift 2
    have "$compiler" || { skip "$architecture" "no $compiler (./setup.sh platforms)"; return 1; }
    [ -n "$whole" ] || [ -e "$ports/$architecture/complete" ] || { skip "$architecture" 'no libraries (make ports)'; return 1; }
    ports/debian.sh "$architecture" "$ports/$architecture" >"$tmp/log" 2>&1 || { skip "$architecture" "no packages of Debian: $(tail -n 1 "$tmp/log")"; return 1; }
    make -s -j2 "$@" "$ports/build-$architecture"/lib{ilpatch_profiler,mono-profiler-ilpatch}.so >"$tmp/log" 2>&1 ||
        { fail "$architecture: build" "$(grep -m 1 error "$tmp/log")"; return 1; }
    ok "$architecture: the profiler builds"
}

mono_elsewhere() {
    local before=$failed
    { have mono && have mcs && have resgen && have al; } || { skip mono 'no mono, or no mcs'; return; }
    tests/runtime/mono_run/program.sh "$tmp/mono" >"$tmp/log" 2>&1 || { fail program "$(grep -m 1 -i error "$tmp/log")"; return; }
    mono_built i386 i686-linux-gnu-gcc "${make_i386[@]}" && mono_shows i386 "$ports/build-i386" &&
        mono_built arm64 aarch64-linux-gnu-gcc "${make_arm64[@]}" && mono_shows arm64 "$ports/build-arm64" || return
    [ "$failed" -eq "$before" ] || return
    ran library 'the profiler'
    ran run yes
    ran values 'by the stock inspector'
}
mono_elsewhere
