#!/bin/bash
# What a program loses that returns values of many kinds: the shop of web.sh without the server (web/Alone.cs), whose order returns 74 of
# them, half of them objects. A table: microseconds that an order takes, the least of many rounds, since whatever else the machine does
# only adds.
#
#   ILPATCH       the command, build/ilpatch
#   BEFORE        another one to compare with, of an earlier build; none without it
#   BENCH_ROUNDS  of 2,000 orders, 100
#   BENCH_WAYS    some of the ways of web/ways.sh, all of them
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
scratch orders
trap 'rm -rf "$tmp"' EXIT
need_sdk orders
compile "$tmp/Alone.dll" bench/web/Orders.cs bench/web/Alone.cs
runs_with_framework "$tmp/Alone.dll"

. bench/web/ways.sh
commands=("$ilpatch")
[ -z "${BEFORE-}" ] || commands=("$(realpath "$BEFORE")" "$ilpatch")

# order COMMAND...: what one takes
order() { "$@" dotnet "$tmp/Alone.dll" "${BENCH_ROUNDS:-100}"; }

echo "| µs an order |$([ -z "${BEFORE-}" ] || echo ' before |') |"
echo "|---|$([ -z "${BEFORE-}" ] || echo '--:|')--:|"
echo "| the program alone |$([ -z "${BEFORE-}" ] || echo ' |') $(order) |"
for way in "${ways[@]}"; do
    read -r -a words <<<"${options[$way]}"
    printf '| %s |' "${words[*]/#$tmp\//}"
    for command in "${commands[@]}"; do
        rm -f "$tmp/$way.txt" "$tmp/values.spool"
        printf ' %s |' "$(order "$command" run -q "${words[@]}" --)"
    done
    echo
done
