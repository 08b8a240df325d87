#!/bin/sh
# pack.sh NATIVES OUT [VERSION [PACKAGE...]]: the NuGet packages, or those named, into the folder OUT. NATIVES has a folder for each platform, by NuGet's
# names (linux-x64, linux-arm64, linux-musl-x64, win-x64), with what natives.sh puts there. Needs a .NET SDK, and Python 3 for Ilpatch.
set -eu
natives=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
cd "$(dirname "$0")"
root=$(realpath ../..)
version=${3:-$(sed -n 's/^.define ILP_VERSION "\(.*\)"/\1/p' "$root/include/ilpatch.h")}
shift "$(($# < 3 ? $# : 3))"
[ $# -ne 0 ] || set -- Ilpatch*
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# has FILE: the platforms that have it, "linux-x64, win-x64"
has() { (cd "$natives" && ls -d */$1 2>/dev/null) | sed 's|/.*||' | sort -u | paste -sd , | sed 's/,/, /g'; }
# The assembly's enumerations, and the native library of each platform where NuGet looks for it.
library() {
    Ilpatch/enums.py "$root" >"$work/Ilpatch/Enums.cs"
    for file in "$natives"/*/libilpatch.*; do
        mkdir -p "$work/Ilpatch/runtimes/$(basename "$(dirname "$file")")/native"
        cp "$file" "$work/Ilpatch/runtimes/$(basename "$(dirname "$file")")/native/"
    done
}
for package; do
    cp -r "$package" "$work/"
    sed -i "s/VERSION/$version/; s/PLATFORMS/$(has 'libilpatch.*')/" "$work/$package/README.md"
    [ "$package" != Ilpatch ] || library
    dotnet pack "$work/$package" -nologo -v q "-p:Version=$version" "-p:Natives=$natives" "-p:Root=$root" -o "$out"
done
