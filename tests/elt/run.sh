#!/bin/bash
# The hooks' stubs on all architectures: what they keep, how they are unwound, what they do when they are interrupted; the
# table in docs/HOOKS.md; the checks for hooks that break their contract. x86-64 here, 32-bit x86 where the kernel runs it,
# 64-bit Arm under qemu.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
scratch elt

flags='-std=c11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror -Isrc -I. -Itests/elt -fasynchronous-unwind-tables -no-pie'
sources='tests/elt/clobber.c tests/elt/slots.c tests/elt/table.c tests/elt/walk.c elt/targets.c'

# NAME RUNNER COMPILER... : builds the test for one architecture and runs it.
clobber() {
    local name=$1 runner=$2
    shift 2
    # shellcheck disable=SC2086
    if ! "$@" $flags $sources "tests/elt/call_$name.S" elt/stubs_*.S -o "$tmp/clobber_$name" 2>"$tmp/log"; then
        fail "$name" "does not build: $(head -n 3 "$tmp/log" | tr '\n' ' ')"
        return
    fi
    $runner "$tmp/clobber_$name" >"$tmp/log" 2>&1
    local code=$?
    if [ $code -eq 126 ]; then
        skip "$name" 'the kernel does not run its programs'
        return
    fi
    if ! tail -n 1 "$tmp/log" | grep -q '^[0-9]* passed'; then
        fail "$name" "ended with exit code $code: $(tail -n 1 "$tmp/log")"
    fi
    grep -E '^FAIL' "$tmp/log" | sed "s/^FAIL /FAIL $name: /"
    echo "ok $name: $(grep -c '^ok' "$tmp/log") tests of $(grep '^ok' "$tmp/log" | cut -d ' ' -f 2 | sort -u | wc -l) hooks"
    count_results "$tmp/log"
}

case $(uname -m) in
    x86_64) clobber x86_64 '' "${HOSTCC:-gcc}" -DELT_STUBS_FOR_WINDOWS ;;
    *) skip x86_64 "this is $(uname -m)" ;;
esac

if have i686-linux-gnu-gcc; then
    clobber i386 '' i686-linux-gnu-gcc -static -DELT_STUBS_FOR_WINDOWS
else
    skip i386 'there is no i686-linux-gnu-gcc (./setup.sh test)'
fi

if ! have aarch64-linux-gnu-gcc; then
    skip aarch64 'there is no aarch64-linux-gnu-gcc (./setup.sh test)'
elif have qemu-aarch64-static; then
    clobber aarch64 qemu-aarch64-static aarch64-linux-gnu-gcc -static
else
    skip aarch64 'there is no qemu-aarch64-static (./setup.sh test)'
fi

# As Windows' own objects: names with their bytes of arguments, unwind data for each hook.
for target in x86_64 i686; do
    object=$tmp/windows_$target.o
    if have clang; then
        clang -target "$target-w64-mingw32" -Isrc -I. -c "elt/stubs_$([ $target = i686 ] && echo i386 || echo x86_64_windows).S" -o "$object"
    elif have "$target-w64-mingw32-as"; then
        "${HOSTCC:-gcc}" -E -D_WIN32 -U__ELF__ "$([ $target = i686 ] && echo -m32 || echo -m64)" -Isrc -I. \
            "elt/stubs_$([ $target = i686 ] && echo i386 || echo x86_64_windows).S" | "$target-w64-mingw32-as" -o "$object" -
    else
        skip "windows-$target" 'there is neither clang nor an assembler for it'
        continue
    fi
    if [ $target = i686 ]; then
        names=$(objdump -t "$object" | grep -oE '_elt_[a-z]+[123]@[0-9]+' | sort | tr '\n' ' ')
        [ "$names" = '_elt_enter1@4 _elt_enter2@16 _elt_enter3@4 _elt_leave1@4 _elt_leave2@16 _elt_leave3@4 _elt_tailcall1@4 _elt_tailcall2@12 _elt_tailcall3@4 ' ] &&
            ok windows-i686 || fail windows-i686 "$names"
    else
        size=$(objdump -h "$object" | awk '$2 == ".pdata" { print $3 }')
        [ "$((0x${size:-0}))" -eq $((9 * 12)) ] && ok windows-x86_64 || fail windows-x86_64 "unwind data has 0x$size bytes"
    fi
done

# The checking build. The linker leads calls of what may wait to the checks.
wraps=$(sed -n 's/^BLOCKS([^,]*, \([a-z_]*\),.*/-Wl,--wrap=\1/p' elt/contract.def)
# shellcheck disable=SC2086
if "${HOSTCC:-gcc}" $flags -DELT_CHECKED tests/elt/contract.c elt/contract.c elt/shadow_stack.c src/base/pages.c elt/targets.c \
    elt/stubs_*.S $wraps -o "$tmp/contract" 2>"$tmp/log"; then
    "$tmp/contract" >"$tmp/log" 2>&1
    tail -n 1 "$tmp/log" | grep -q '^[0-9]* passed' || fail contract "did not come to its end: $(tail -n 1 "$tmp/log")"
    grep -E '^(ok|FAIL)' "$tmp/log" | sed 's/^\(ok\|FAIL\) /\1 contract: /'
    count_results "$tmp/log"
else
    fail contract "does not build: $(head -n 3 "$tmp/log" | tr '\n' ' ')"
fi

# docs/HOOKS.md has the table as the code has it.
# shellcheck disable=SC2086
if "${HOSTCC:-gcc}" $flags tests/elt/print_tables.c tests/elt/table.c -o "$tmp/print_tables" 2>"$tmp/log"; then
    "$tmp/print_tables" >"$tmp/tables.md"
    sed -n '/^<!-- tables/,/^<!-- end/p' docs/HOOKS.md | sed '1d;$d' >"$tmp/documented.md"
    if diff "$tmp/documented.md" "$tmp/tables.md" >"$tmp/log"; then
        ok tables
    else
        fail tables "docs/HOOKS.md is not $tmp/tables.md: $(head -n 3 "$tmp/log" | tr '\n' ' ')"
    fi
else
    fail tables "$(head -n 3 "$tmp/log" | tr '\n' ' ')"
fi

finish
