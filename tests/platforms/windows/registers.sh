#!/bin/bash
# Which registers compiled code needs on Windows x64, tried with CoreCLR under wine as tests/runtime/registers does on Linux: hooks that destroy all
# that elt/registers.def says is lost change nothing; of those that hooks have to keep, each breaks the program.
#
#   registers.sh FOLDER COMPILER MAKE-ARGUMENT...     FOLDER: a self-contained program for Windows, Shop.exe, whose assembly is replaced;
#                                                     BUILD: made by make with COMPILER and the arguments;
#                                                     ILPATCH: a command that runs here
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
published=$(realpath "$1")
compiler=$2
shift 2
scratch registers
need_sdk registers
hooks='enter leave tailcall'
. tests/elt/destroyed.sh

# program NAME SOURCE: NAME/Shop.exe, whose calls in Tail* have the prefix, and what it prints
program() {
    mkdir "$tmp/$1"
    cp -rs "$published/." "$tmp/$1"
    rm "$tmp/$1/Shop.dll"
    compile "$tmp/$1-plain/Shop.dll" -unsafe "$2"
    "$ilpatch" tail add -q -o "$tmp/$1/Shop.dll" "$tmp/$1-plain/Shop.dll" >"$tmp/log" 2>&1 || { fail "$1" "$(head -n 1 "$tmp/log")"; finish; }
    (cd "$tmp/$1" && timeout 300 /usr/lib/wine/wine64 Shop.exe) >"$tmp/$1.expected" 2>"$tmp/err" || { fail "$1" "$(head -n 1 "$tmp/err")"; finish; }
}

# profiler: links the profiler, with what destroys registers after each stub. HOOK.registers: a line for each
profiler() {
    local hook
    {
        echo '    .text'
        for hook in $hooks; do
            printf '    .globl __wrap_elt_%s3\n    .seh_proc __wrap_elt_%s3\n__wrap_elt_%s3:\n' $hook $hook $hook
            printf '    subq $40, %%rsp\n    .seh_stackalloc 40\n    .seh_endprologue\n    call __real_elt_%s3\n' $hook
            destroy_x86_64 "$tmp/$hook.registers"
            printf '    addq $40, %%rsp\n    ret\n    .seh_endproc\n'
        done
        printf '    .section .rdata\n    .balign 16\ndestroyed: .quad 0x5a5a5a5a5a5a5a5a, 0x5a5a5a5a5a5a5a5a\n'
    } >"$tmp/destroyed.S"
    $compiler -c "$tmp/destroyed.S" -o "$tmp/destroyed.o" && sh -c "$(cat "$tmp/link")"
}

find_link '-o [^ ]*/ilpatch_profiler.dll' ilpatch_profiler.dll CC="$compiler" "$@"

# run PROGRAM TIERED [OPTION...]: with hooks in its own methods, or with --framework in all
run() {
    local program=$1 tiered=$2
    shift 2
    rm -f "$tmp/spool" "$tmp/status"
    (cd "$tmp/$program" && CORECLR_ENABLE_PROFILING=1 CORECLR_PROFILER='{0AF01076-FED6-4561-9947-3525B8E2435D}' DOTNET_TieredCompilation=$tiered \
        CORECLR_PROFILER_PATH=Z:$tmp/ilpatch_profiler.dll ILPATCH_STATUS=Z:$tmp/status ILPATCH_OPTIONS="--trace ../spool $*" \
        timeout 300 /usr/lib/wine/wine64 Shop.exe) >"$tmp/$program.out" 2>"$tmp/$program.err" &&
        cmp -s "$tmp/$program.expected" "$tmp/$program.out"
}

program registers tests/runtime/registers/Program.cs
program returned tests/platforms/windows/Returned.cs

for hook in $hooks; do "$tmp/print_registers" lost $hook x86_64_windows >"$tmp/$hook.registers"; done
profiler || { fail link 'it does not link'; finish; }
for tiered in 0 1; do
    for name in registers returned; do
        if run $name $tiered --framework && [ "$(counted tailcalls)" -gt 0 ]; then
            ok "$name: all that is lost, destroyed (tiers: $tiered; $(counted enters) enters, $(counted tailcalls) tail calls)"
        else
            fail "$name: lost-$tiered" "$(head -n 1 "$tmp/$name.err")"
        fi
    done
done

# At its tail calls the program has no vectors that are wider.
for hook in $hooks; do
    for register in $("$tmp/print_registers" live $hook x86_64_windows); do
        for other in $hooks; do : >"$tmp/$other.registers"; done
        echo "$register" >"$tmp/$hook.registers"
        case $register in *.high*) continue ;; esac
        profiler
        if run registers 0; then
            fail "$hook-$register" "destroyed, and the program does not break"
        else
            ok "$hook: $register is needed"
        fi
    done
done
finish
