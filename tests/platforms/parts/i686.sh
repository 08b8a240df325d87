# Linux on x86, 32 bits: gcc-i686-linux-gnu, ports/debian.sh. The library and the command; no 32-bit CoreCLR for Linux is to be had.
# shellcheck shell=bash

x86_build=$ports/build-i386
x86_root=$ports/i386

x86_tests() {
    local program count all=0
    for program in "$x86_build"/tests/test_*; do
        [[ $program != *.[od] ]] || continue
        # About the profiler, which looks at a process of 64 bits; and about the names of programs, which here is that of the loader.
        case $(basename "$program") in
            test_profiler_* | test_unmanaged* | test_shape* | test_hooks* | test_write_known | test_method_names | test_process* | test_other_process | \
                test_operand | test_struct_layouts | test_sanitizers | test_mono_functions | test_mono_session) continue ;;
        esac
        if "${x86_run[@]}" "$program" >"$tmp/unit.log" 2>&1; then
            count=$(sed -n 's/.*PASSED  \] \([0-9]*\) test(s).*/\1/p' "$tmp/unit.log" | tail -n 1)
            all=$((all + count))
        else
            fail "$(basename "$program")" "$(grep -m 1 'ERROR' "$tmp/unit.log")" "$tmp/unit.log"
        fi
    done
    [ "$all" -eq 0 ] || ok "$all unit tests"
}

x86() {
    local loader=$x86_root/lib/i386-linux-gnu/ld-linux.so.2
    local x86_run=("$loader" --library-path "$x86_root/lib/i386-linux-gnu:$x86_root/usr/lib/i386-linux-gnu")
    have i686-linux-gnu-gcc || { skip build 'there is no i686-linux-gnu-gcc'; return; }
    [ -n "$whole" ] || [ -e "$x86_root/complete" ] || { skip build 'no libraries (make ports)'; return; }
    ports/debian.sh i386 "$x86_root" >"$tmp/fetch.log" 2>&1 || { skip build "$(tail -n 1 "$tmp/fetch.log")"; return; }
    make -s -j2 "${make_i386[@]}" WERROR=1 "$x86_build/ilpatch" >"$tmp/build.log" 2>&1 || { fail build "$(grep -m 1 error: "$tmp/build.log")" "$tmp/build.log"; return; }
    ok 'builds without a warning'
    ran library yes
    make -s -j2 "${make_i386[@]}" units >"$tmp/build.log" 2>&1 || { fail 'unit tests' 'do not build' "$tmp/build.log"; return; }
    x86_tests
    [ "$failed" -ne 0 ] || ran units "yes, but for the profiler's"
    patches_alike 'same bytes' --inspect-returns "${x86_run[@]}" "$x86_build/ilpatch" && ran command yes
    ran note 'no 32-bit CoreCLR for Linux'
}
x86
