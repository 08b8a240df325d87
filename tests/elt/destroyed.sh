# shellcheck shell=bash disable=SC2154 # tmp, made: lib.sh
# Hooks that destroy registers, for the scripts that try which ones compiled code needs (tests/runtime/registers, tests/platforms/*/registers.sh).
# Sourced by them after `scratch`.

"${HOSTCC:-gcc}" -D_GNU_SOURCE -Isrc -I. -Itests/elt tests/elt/print_registers.c tests/elt/table.c -o "$tmp/print_registers" || exit 1
wide=$(grep -q avx512f /proc/cpuinfo && echo 1 || echo 0)
avx=$(grep -q ' avx ' /proc/cpuinfo && echo 1 || echo 0)

# destroy_x86_64 FILE: instructions that destroy the registers of its lines
destroy_x86_64() {
    while read -r register; do
        case $register in
            xmm*) echo "    movups destroyed(%rip), %$register" ;;
            ymm.high*) [ "$avx" = 1 ] && echo "    vmovaps %xmm${register#ymm.high}, %xmm${register#ymm.high}" ;; # zeroes what is above
            zmm.high*) [ "$wide" = 1 ] && echo "    vmovaps %ymm${register#zmm.high}, %ymm${register#zmm.high}" ;;
            flags) ;;
            zmm*) [ "$wide" = 1 ] && echo "    vpternlogd \$255, %$register, %$register, %$register" ;;
            k*) [ "$wide" = 1 ] && echo "    kxnorw %$register, %$register, %$register" ;;
            *) echo "    movabs \$0x5a5a5a5a5a5a5a5a, %$register" ;;
        esac
    done <"$1" | sort -u
}

# find_link PATTERN LIBRARY MAKE-ARGUMENT...: $tmp/link, the command by which make links that library of $made, which has the pattern. It links
# $tmp/LIBRARY, with $tmp/destroyed.o, whose __wrap_elt_HOOK3 takes the place of each stub.
find_link() {
    local pattern=$1 library=$2
    shift 2
    make -n -W "$made/libilpatch.a" BUILD="$made" "$@" "$made/$library" | grep -- "$pattern" |
        sed "s|-o [^ ]*|-Wl,--wrap=elt_enter3,--wrap=elt_leave3,--wrap=elt_tailcall3 $tmp/destroyed.o -o $tmp/$library|" >"$tmp/link"
    [ -s "$tmp/link" ] || { fail link 'the command that links the profiler is not found'; finish; }
}

# counted WHAT: how many of them the profiler has seen in the last run
counted() { sed -n "s/^hooks\t$1 //p" "$tmp/status"; }
