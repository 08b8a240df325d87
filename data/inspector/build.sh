#!/bin/sh
# build.sh OUT.dll: the inspector from its source.
#
# The same bytes each time, from each folder. Another compiler version may give other bytes, so the
# one that made the committed file is noted here; tests/inspector/run.sh reads the line.
made_with='5.9.0-1.26423.113'
#
# Needs a .NET SDK (its C# compiler) and the reference assembly mscorlib 4.0.0.0, which Debian has in
# mono-devel. MSCORLIB, CSC_DLL: others than those found. Exit code 3: one of them is not there.
set -eu

[ $# -eq 1 ] || { echo "usage: build.sh OUT.dll | --compiler" >&2; exit 2; }

source=$(cd "$(dirname "$0")" && pwd -P)
mscorlib=${MSCORLIB:-/usr/lib/mono/4.0-api/mscorlib.dll}
dotnet=$(command -v dotnet) || { echo "build.sh: no dotnet" >&2; exit 3; }
csc=${CSC_DLL:-}
if [ -z "$csc" ]; then
    csc=$("$dotnet" --list-sdks | tail -n 1 |
          sed 's|^\([^ ]*\) \[\(.*\)\]$|\2/\1/Roslyn/bincore/csc.dll|')
fi
[ -f "$csc" ] || { echo "build.sh: no C# compiler of a .NET SDK" >&2; exit 3; }

if [ "$1" = --compiler ]; then
    "$dotnet" "$csc" -version | sed 's/ .*//'
    exit
fi
[ -f "$mscorlib" ] || { echo "build.sh: no mscorlib 4.0.0.0 at $mscorlib" >&2; exit 3; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# The file's own name becomes part of it, so it is built under the right one and copied then.
# The order of the sources is that of the rows in the metadata: named, not globbed.
(cd "$source" && "$dotnet" "$csc" -nologo -noconfig -nostdlib+ -target:library -platform:anycpu \
    -langversion:5 -optimize+ -debug- -deterministic+ -checked- \
    -warn:4 -warnaserror+ -utf8output -codepage:65001 -filealign:512 -nowin32manifest \
    -pathmap:"$source=/" -keyfile:MyProfiler.snk -reference:"$mscorlib" \
    -out:"$work/MyProfiler.dll" \
    Helper.cs Inspector.cs Settings.cs Output.cs StandardError.cs Profiler.cs Format.cs Edition.cs EnumText.cs Text.cs Float.cs \
    StartupHook.cs AssemblyInfo.cs)
cp "$work/MyProfiler.dll" "$1.$$"
mv "$1.$$" "$1"
