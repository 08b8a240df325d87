#!/bin/bash
# The usual jobs, for a build that counts what its code does: `make release` compiles by these counts. Files are patched, listed and
# verified; values are counted, chosen, recorded and shown; calls are traced by hooks and by IL; and reports are made of it all.
#
#   ILPATCH       the command of that build
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
scratch train
trap 'rm -rf "$tmp"' EXIT
need_sdk train
compile "$tmp/Alone.dll" bench/web/Orders.cs bench/web/Alone.cs
runs_with_framework "$tmp/Alone.dll"

# job COMMAND...: a job that fails would leave its code without counts
job() {
    echo "train.sh: ${*/#$ilpatch/ilpatch}" >&2
    "$@" >"$tmp/out" 2>"$tmp/err" || { cat "$tmp/err" >&2; exit 1; }
}

framework=$(dirname "$(dirname "$sdk")")/shared/Microsoft.NETCore.App/$version
for file in "$framework/System.Private.Xml.dll" "$framework/System.Text.Json.dll" "$sdk/FSharp/FSharp.Core.dll"; do
    job "$ilpatch" --inspect-returns -o "$tmp/patched.dll" "$file"
    job "$ilpatch" --inspect-returns --compact -o "$tmp/patched.dll" "$file"
    job "$ilpatch" verify "$file"
    job "$ilpatch" list "$file"
done

alone=(dotnet "$tmp/Alone.dll" 5)
for options in "--count" "--when value==987654321" "--spool $tmp/values.spool" "-o $tmp/lines" "--json -o $tmp/lines" "--args -o $tmp/lines" \
    "--exceptions -o $tmp/lines"; do
    read -r -a words <<<"$options"
    job "$ilpatch" run "${words[@]}" -- "${alone[@]}"
done
job "$ilpatch" trace --spool "$tmp/hooks.spool" -- "${alone[@]}"
job "$ilpatch" trace --by il --spool "$tmp/il.spool" -- "${alone[@]}"
job "$ilpatch" trace --no-times --spool "$tmp/counted.spool" -- "${alone[@]}"
job "$ilpatch" trace --by il --no-times --spool "$tmp/counted.spool" -- "${alone[@]}"
for format in text html folded speedscope chrome; do
    job "$ilpatch" report --format $format -o "$tmp/report" "$tmp/hooks.spool"
done
for format in lines values values-html values-json; do
    job "$ilpatch" report --format $format -o "$tmp/report" "$tmp/values.spool"
done
