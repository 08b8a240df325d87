#!/bin/sh
# tool.sh SOURCE OUT: builds the .NET project in folder SOURCE into OUT/bin, unless OUT was built from the same
# files already. Built from a copy, so that no bin/ and obj/ appear among the sources. Of several at a time the others wait.
set -eu

source=$1
out=$2
mkdir -p "$(dirname "$out")"
exec 9>"$out.lock"
flock 9
files=$(find "$source" -maxdepth 1 -name '*.cs' -o -maxdepth 1 -name '*.fs' -o -maxdepth 1 -name '*.??proj' | sort)
stamp=$(dotnet --version; cat $files | sha256sum)
if [ "$(cat "$out/complete" 2>/dev/null)" = "$stamp" ]; then
    exit 0
fi
rm -rf "$out"
mkdir -p "$out/tmp"
cp $files "$out/"
TMPDIR=$(realpath "$out")/tmp dotnet build "$out" -c Release -o "$out/bin" --nologo >"$out/log" 2>&1 9>&- || {
    cat "$out/log" >&2
    exit 1
}
printf '%s' "$stamp" >"$out/complete"
