#!/bin/bash
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
# "linux-x64, win-x64"
platforms() { (cd "$natives" && ls) | paste -sd , | sed 's/,/, /g'; }
# The assembly's enumerations, and the native library of each platform where NuGet looks for it.
library() {
    Ilpatch/enums.py "$root" >"$work/Ilpatch/Enums.cs"
    for file in "$natives"/*/libilpatch.so "$natives"/*/libilpatch.dll; do
        [ -e "$file" ] || continue
        mkdir -p "$work/Ilpatch/runtimes/$(basename "$(dirname "$file")")/native"
        cp "$file" "$work/Ilpatch/runtimes/$(basename "$(dirname "$file")")/native/"
    done
}
# pack ID TYPE: of the project in the folder $work/$package
pack() { dotnet pack "$work/$package" -nologo -v q "-p:Version=$version" "-p:PackageId=$1" "-p:PackageType=$2" "-p:Natives=$natives" "-p:Root=$root" -o "$out"; }
# settings FOLDER TEXT: what makes a package a tool
settings() {
    mkdir -p "$1"
    printf '<?xml version="1.0" encoding="utf-8"?>\n<DotNetCliTool Version="2">\n  <Commands>\n    <Command Name="ilpatch"%s />\n  </Commands>\n%s</DotNetCliTool>\n' "$2" "${3-}" \
        >"$1/DotnetToolSettings.xml"
}
# The tool: a package for each platform, and one that names them, of which the SDK installs the one that fits (.NET 10). A package holds no links, so the name by which
# Mono finds the profiler is a copy.
tool() {
    local folder platform command file all=''
    for folder in "$natives"/*/; do
        platform=$(basename "$folder")
        command=$(cd "$folder" && ls | grep -x 'ilpatch\(\.exe\)\?') || continue
        rm -rf "$work/$package/tools"
        settings "$work/$package/tools/any/$platform" " EntryPoint=\"$command\" Runner=\"executable\""
        for file in "$folder$command" "$folder"libilpatch_profiler.so "$folder"ilpatch_profiler.dll "$root/data/inspector/MyProfiler.dll"; do
            [ ! -e "$file" ] || cp "$file" "$work/$package/tools/any/$platform/"
        done
        [ ! -e "$folder"libilpatch_profiler.so ] || cp "$folder"libilpatch_profiler.so "$work/$package/tools/any/$platform/libmono-profiler-ilpatch.so"
        pack "$package.$platform" DotnetToolRidPackage
        all="$all    <RuntimeIdentifierPackage RuntimeIdentifier=\"$platform\" Id=\"$package.$platform\" />
"
    done
    rm -rf "$work/$package/tools"
    settings "$work/$package/tools/any/any" '' "  <RuntimeIdentifierPackages>
$all  </RuntimeIdentifierPackages>
"
    pack "$package" DotnetTool
}
for package; do
    cp -r "$package" "$work/"
    sed -i "s/VERSION/$version/; s/PLATFORMS/$(platforms)/" "$work/$package/README.md"
    case $package in
        Ilpatch) library && pack "$package" '' ;;
        Ilpatch.Tool) tool ;;
        *) pack "$package" '' ;;
    esac
done
