#!/bin/bash
# Another profiler has given a method a body that needs rows which are not in the file: it is inspected like others, since the
# rows are read from the runtime.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/rows
unset ILPATCH_OPTIONS

scratch rows

if ! ${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -fvisibility=hidden -shared -fPIC -o "$tmp/libother.so" "$here/other.c" \
    -ldl >"$tmp/cc.log" 2>&1; then
    fail build "$(head -n 1 "$tmp/cc.log")"
    finish
fi

need_sdk rows

compile "$tmp/Program.dll" "$here/Program.cs"
runs_with_framework "$tmp/Program.dll"
number=$("$ilpatch" dump "$tmp/Program.dll" | sed -n 's/^ *\(06[0-9A-F]*\) .* Name=Number .*/\1/p')

# with_other TYPE OPTION...: the program with that profiler around the one of `ilpatch run`
with_other() {
    local add_to=$1
    shift
    (
        eval "$("$ilpatch" run --print-env "$@" -- dotnet "$tmp/Program.dll")"
        env NEXT="$CORECLR_PROFILER_PATH" CORECLR_PROFILER_PATH="$tmp/libother.so" ADD_TO="$add_to" NUMBER="$number" \
            ILPATCH_STATUS="$tmp/status" ILPATCH_OUTPUT="$tmp/values" dotnet exec "$tmp/Program.dll"
    )
}

# Methods that are added to the first type are in a table of their own (MethodPtr), and other types' lists move.
for add_to in type module; do
    for option in --inspect-returns "--inspector full"; do
        rm -f "$tmp/values" "$tmp/status"
        # shellcheck disable=SC2086
        with_other $add_to $option >"$tmp/out" 2>"$tmp/err"
        check "exit-code/$add_to $option" 0 $?
        check "output/$add_to $option" "41text 000;41text 111;42text 222;" "$(tr '\n' ';' <"$tmp/out")"
        check "values/$add_to $option" "41 41 42 " "$(sed -n 's/^Program::Number -> \([0-9]*\) (System.Int32)$/\1/p' "$tmp/values" | tr '\n' ' ')"
        check "others/$add_to $option" 9 "$(grep -c -e 'Program::Text -> "' -e 'Program::Same -> ' "$tmp/values")"
        contains "added-method-is-reported/$add_to $option" "it was added to the module while the program runs, and is not looked at" "$tmp/status"
    done
done

finish
