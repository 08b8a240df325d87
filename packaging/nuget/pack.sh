#!/bin/sh
# pack.sh NATIVES OUT [VERSION]: the NuGet packages, into the folder OUT. NATIVES has a folder for each platform, by NuGet's names (linux-x64,
# linux-arm64, linux-musl-x64, win-x64), with the command in it. Needs a .NET SDK.
set -eu
natives=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
cd "$(dirname "$0")"
version=${3:-$(sed -n 's/^.define ILP_VERSION "\(.*\)"/\1/p' ../../include/ilpatch.h)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for package in Ilpatch.*; do
    mkdir "$work/$package"
    cp -r "$package" "$work/"
    sed -i "s/VERSION/$version/" "$work/$package/README.md"
    dotnet pack "$work/$package" -nologo -v q "-p:Version=$version" "-p:Natives=$natives" -o "$out"
done
