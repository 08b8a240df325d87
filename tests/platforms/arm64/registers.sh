#!/bin/bash
# Which registers compiled code needs on 64-bit Arm, tried with CoreCLR as tests/runtime/registers does on x86-64: hooks that destroy all that
# elt/registers.def says is lost change nothing; of those that hooks have to keep, the ones in which the program has values break it.
#
#   registers.sh DOTNET SYSTEM COMPILER...     DOTNET: the folder of its `dotnet`; SYSTEM: as ports/debian.sh unpacks it; BUILD: built by COMPILER
#
#   PLATFORMS=all   each register by itself, too
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
PATH=$(realpath "$1"):$PATH
system=$(realpath "$2")
shift 2
compiler=$*
scratch registers
export TMPDIR=$tmp
need_sdk registers
hooks='enter leave tailcall'

. tests/elt/destroyed.sh
mkdir "$tmp/plain"
compile "$tmp/plain/Program.dll" tests/runtime/registers/Program.cs
"$ilpatch" tail add -q -o "$tmp/Program.dll" "$tmp/plain/Program.dll" >/dev/null || exit 1
runs_with_framework "$tmp/Program.dll"

# What destroys registers. x30 leads back, and the condition flags are destroyed by nothing that comes after them.
destroy() {
    while read -r register; do
        case $register in
            x30 | flags | fpsr) ;;
            x*) echo "    ldr $register, =0x5a5a5a5a5a5a5a5a" ;;
            v.high*) echo "    mov v${register#v.high}.d[1], xzr" ;;
            v*) echo "    movi $register.16b, #0x5a" ;;
        esac
    done <"$1" | sort -u
}

# profiler: links the profiler with these after its stubs
profiler() {
    local hook
    {
        echo '    .text'
        for hook in $hooks; do
            printf '    .globl __wrap_elt_%s3\n    .hidden __wrap_elt_%s3, __real_elt_%s3\n__wrap_elt_%s3:\n' $hook $hook $hook $hook
            printf '    stp x29, x30, [sp, #-16]!\n    bl __real_elt_%s3\n' $hook
            destroy "$tmp/$hook.registers"
            printf '    ldp x29, x30, [sp], #16\n    ret\n    .ltorg\n'
        done
        printf '    .section .note.GNU-stack,"",%%progbits\n'
    } >"$tmp/destroyed.S"
    $compiler -c "$tmp/destroyed.S" -o "$tmp/destroyed.o" && sh -c "$(cat "$tmp/link")"
}

find_link '-soname,libilpatch_profiler.so' libilpatch_profiler.so CC="$compiler"

# run NAME TIERED [OPTION...]: the program, with hooks in its own methods, or with --framework in all
run() {
    local name=$1 tiered=$2
    shift 2
    rm -f "$tmp/spool" "$tmp/status"
    CORECLR_ENABLE_PROFILING=1 CORECLR_PROFILER='{0AF01076-FED6-4561-9947-3525B8E2435D}' DOTNET_TieredCompilation=$tiered \
        CORECLR_PROFILER_PATH=$tmp/libilpatch_profiler.so ILPATCH_STATUS=$tmp/status ILPATCH_OPTIONS="--trace $tmp/spool $*" \
        timeout 300 dotnet exec "$tmp/Program.dll" >"$tmp/$name.out" 2>"$tmp/$name.err" && cmp -s "$tmp/expected" "$tmp/$name.out"
}

dotnet exec "$tmp/Program.dll" >"$tmp/expected" 2>"$tmp/err" || { fail program "$(head -n 1 "$tmp/err")"; finish; }

for hook in $hooks; do "$tmp/print_registers" lost $hook aarch64 >"$tmp/$hook.registers"; done
profiler || { fail link 'it does not link'; finish; }
for tiered in 0 1; do
    if run lost $tiered --framework && [ "$(counted tailcalls)" -gt 0 ]; then
        ok "all that is lost, destroyed (tiers: $tiered; $(counted enters) enters, $(counted tailcalls) tail calls)"
    else
        fail "lost-$tiered" "$(head -n 1 "$tmp/lost.err")"
    fi
done

# Where this program has values that outlive the hook: arguments, results, and at a tail call what is live beside its arguments.
needed_at_enter='x0 x1 x2 x3 x4 x5 v0 v1 v2 v3 v4 v5 v6 v7'
needed_at_leave='x0 x1 v0 v1'
needed_at_tailcall='x0 x5 v0 v1'
every='x0 x1 x2 x3 x4 x5 x6 x7 x8 v0 v1 v2 v3 v4 v5 v6 v7'
if [ "${PLATFORMS:-}" = all ]; then
    for hook in $hooks; do
        needed=needed_at_$hook
        found=
        for register in $every; do
            for other in $hooks; do : >"$tmp/$other.registers"; done
            echo "$register" >"$tmp/$hook.registers"
            profiler
            run live 0 || found="$found $register"
        done
        check "$hook: what the program breaks without" "${!needed}" "${found# }"
    done
fi
finish
