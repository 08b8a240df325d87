#!/bin/sh
# publish.sh SOURCE OUT VERB [OPTION...]: `dotnet VERB` of the project in folder SOURCE into OUT/app, unless that was made of the same files in the
# same way already. Of several at a time the others wait.
set -eu

source=$1 out=$2 verb=$3
shift 3
mkdir -p "$(dirname "$out")"
exec 9>"$out.lock"
flock 9
stamp=$(dotnet --version; echo "$verb $*"; cat "$source"/* | sha256sum)
if [ "$(cat "$out/complete" 2>/dev/null)" = "$stamp" ]; then
    exit 0
fi
rm -rf "$out"
mkdir -p "$out/source" "$out/tmp"
cp "$source"/* "$out/source/"
TMPDIR=$(realpath "$out")/tmp dotnet "$verb" "$out/source" -c Release -o "$out/app" --nologo "$@" >"$out/log" 2>&1 9>&- || {
    cat "$out/log" >&2
    exit 1
}
printf '%s' "$stamp" >"$out/complete"
