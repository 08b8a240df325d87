#!/bin/bash
# Which registers compiled code needs, tried with CoreCLR: hooks that destroy all that elt/registers.def says is lost
# change nothing; hooks that destroy one register in which there may be values break the program. x86-64 System V.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
scratch registers
export TMPDIR=$tmp # for the pipes of runtimes that crash, which stay
unset DOTNET_STARTUP_HOOKS LD_PRELOAD
export DOTNET_DbgEnableMiniDump=0

if ! have dotnet || ! have mcs || [ "$(uname -m)" != x86_64 ]; then
    skip registers "no .NET, no mcs, or another processor"
    finish
fi
cc=${HOSTCC:-gcc}
. tests/elt/destroyed.sh
mkdir "$tmp/plain"
mcs -optimize+ -out:"$tmp/plain/Program.exe" tests/runtime/registers/Program.cs || exit 1
"$ilpatch" tail add -q -o "$tmp/Program.exe" "$tmp/plain/Program.exe" >/dev/null || exit 1
cp samples/Shop.runtimeconfig.json "$tmp/Program.runtimeconfig.json"

# profiler: links the profiler, with what destroys registers after each stub. HOOK.registers: a line for each
profiler() {
    local hook
    {
        echo '    .text'
        for hook in enter leave tailcall; do
            printf '    .globl __wrap_elt_%s3\n    .hidden __wrap_elt_%s3, __real_elt_%s3\n__wrap_elt_%s3:\n    call __real_elt_%s3\n' \
                $hook $hook $hook $hook $hook
            destroy_x86_64 "$tmp/$hook.registers"
            echo '    ret'
        done
        printf '    .section .rodata\n    .balign 16\ndestroyed: .quad 0x5a5a5a5a5a5a5a5a, 0x5a5a5a5a5a5a5a5a\n    .section .note.GNU-stack,"",@progbits\n'
    } >"$tmp/destroyed.S"
    $cc -c "$tmp/destroyed.S" -o "$tmp/destroyed.o" &&
        sh -c "$(sed "s|libilpatch_profiler.so.full|$tmp/libilpatch_profiler.so|" "$tmp/link")"
}

# The command that links the profiler, with one more object.
make -s BUILD="$made" "$made/libilpatch_profiler.so" >"$tmp/make" 2>&1
find_link '-soname,libilpatch_profiler.so' libilpatch_profiler.so

# run NAME TIERED [OPTION...]: the program, with hooks in its own methods, or with --framework in all
run() {
    local name=$1 tiered=$2
    shift 2
    CORECLR_ENABLE_PROFILING=1 CORECLR_PROFILER='{0AF01076-FED6-4561-9947-3525B8E2435D}' DOTNET_TieredCompilation=$tiered \
        CORECLR_PROFILER_PATH=$tmp/libilpatch_profiler.so ILPATCH_STATUS=$tmp/status ILPATCH_OPTIONS="--trace $tmp/spool $*" \
        bash -c 'ulimit -c 0; timeout 120 dotnet "$0"; exit $?' "$tmp/Program.exe" >"$tmp/$name.out" 2>"$tmp/$name.err"
    local code=$?
    rm -f "$tmp/spool"
    [ $code -eq 0 ] && cmp -s "$tmp/expected" "$tmp/$name.out"
}

dotnet "$tmp/Program.exe" >"$tmp/expected" 2>"$tmp/err" || { fail program "$(head -n 1 "$tmp/err")"; finish; }

for hook in enter leave tailcall; do "$tmp/print_registers" lost $hook >"$tmp/$hook.registers"; done
profiler || { fail link 'it does not link'; finish; }
for tiered in 0 1; do
    : >"$tmp/status"
    if run lost $tiered --framework && [ "$(sed -n 's/.*\ttailcalls //p' "$tmp/status")" -gt 0 ]; then
        ok "all that is lost, destroyed (tiers: $tiered)"
    else
        fail "lost-$tiered" "$(head -n 1 "$tmp/lost.err")"
    fi
done

# What there is in the upper half of ymm0 is a matter of vectors: the framework has them. Nothing here has wider ones, or two.
for hook in enter leave tailcall; do
    for register in $("$tmp/print_registers" live $hook); do
        : >"$tmp/enter.registers"
        : >"$tmp/leave.registers"
        : >"$tmp/tailcall.registers"
        echo "$register" >"$tmp/$hook.registers"
        option=''
        case $hook-$register in
            leave-rcx) continue ;; # a runtime-async method's: tests/proof
            *-ymm.high1 | *-zmm.high*) continue ;;
            *-ymm.high0) [ $avx = 1 ] && option=--framework || continue ;;
        esac
        profiler
        # shellcheck disable=SC2086
        if run live 0 $option; then
            fail "$hook-$register" "destroyed, and the program does not break"
        else
            ok "$hook: $register is needed"
        fi
    done
done

# The runtime's own stub, of the slow path, does not keep vectors at tail calls. When it does some day, docs/HOOKS.md is to be changed.
# The profiler refuses that path unless the JIT makes none; here it is made to believe so.
cp "$build/libilpatch_profiler.so" "$tmp/libilpatch_profiler.so"
if run fast 0 --framework; then ok 'fast path: vectors are whole'; else fail fast "$(head -n 1 "$tmp/fast.err")"; fi
if [ $avx = 1 ]; then
    : >"$tmp/status"
    run slow 0 --framework --slow && grep -q '^failed' "$tmp/status"
    check 'slow path with tail calls: refused' 0 $?
    printf '%s\n' '#include <string.h>' 'char *__real_getenv(const char *);' 'char *__wrap_getenv(const char *name);' \
        'char *__wrap_getenv(const char *name) { return strstr(name, "TailCall") ? "0" : __real_getenv(name); }' >"$tmp/getenv.c"
    $cc -fPIC -c "$tmp/getenv.c" -o "$tmp/destroyed.o" &&
        sh -c "$(sed "s|libilpatch_profiler.so.full|$tmp/libilpatch_profiler.so|; s|--wrap=elt_enter3,--wrap=elt_leave3,--wrap=elt_tailcall3|--wrap=getenv|" "$tmp/link")"
    if run slow 0 --framework --slow; then
        fail slow 'the runtime keeps vectors now: see WRONG in elt/registers.def'
    else
        ok "slow path: $(cmp -l "$tmp/expected" "$tmp/slow.out" 2>/dev/null | wc -l) bytes of output are damaged by the runtime's stub"
    fi
    cp "$build/libilpatch_profiler.so" "$tmp/libilpatch_profiler.so"
    export DOTNET_TailCallOpt=0 DOTNET_FastTailCalls=0
    if run slow 0 --framework --slow; then ok 'slow path without tail calls'; else fail slow-right "$(head -n 1 "$tmp/slow.err")"; fi
fi
finish
