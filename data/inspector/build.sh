#!/bin/sh
# build.sh [--small] OUT.dll: the inspector from its source, the full one or the small one.
#
# The same bytes each time, from each folder. Another compiler version may give other bytes, so the
# one that made the committed files is noted here; tests/inspector/run.sh reads the line.
made_with='5.9.0-1.26423.113'
#
# Needs a .NET SDK (its C# compiler) and, for the full one, the reference assembly mscorlib 4.0.0.0, which Debian has in
# mono-devel. MSCORLIB, CSC_DLL: others than those found. Exit code 3: one of them is not there.
set -eu

edition=full
if [ "${1:-}" = --small ]; then
    edition=small
    shift
fi
[ $# -eq 1 ] || { echo "usage: build.sh [--small] OUT.dll | --compiler" >&2; exit 2; }

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

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# compile OUT OPTION... SOURCE...
compile() {
    out=$1
    shift
    (cd "$source" && "$dotnet" "$csc" -nologo -noconfig -nostdlib+ -target:library -platform:anycpu \
        -langversion:5 -optimize+ -debug- -deterministic+ -checked- \
        -warn:4 -warnaserror+ -utf8output -codepage:65001 -filealign:512 -nowin32manifest \
        -pathmap:"$source=/" -out:"$out" "$@")
}

# The file's own name becomes part of it, so it is built under the right one and copied then.
# The order of the sources is that of the rows in the metadata: named, not globbed.
full() {
    [ -f "$mscorlib" ] || { echo "build.sh: no mscorlib 4.0.0.0 at $mscorlib" >&2; exit 3; }
    compile "$work/MyProfiler.dll" -keyfile:MyProfiler.snk -reference:"$mscorlib" \
        Helper.cs Inspector.cs Settings.cs Output.cs StandardError.cs Profiler.cs Format.cs Redaction.cs Member.cs Alignment.cs Edition.cs EnumText.cs Text.cs Float.cs \
        Objects.cs Known.cs Shapes.cs Collections.cs Memory.cs Tables.cs Linked.cs Queues.cs ParsedJson.cs Unions.cs Display.cs Tasks.cs Literals.cs StartupHook.cs AssemblyInfo.cs
}

# A core library has no other to name its runtime's version (-runtimemetadataversion), and bodies for nothing that it lists:
# each warning is about that.
small() {
    compile "$work/System.Private.CoreLib.dll" -publicsign+ -keyfile:small/CoreLibrary.snk \
        -runtimemetadataversion:v4.0.30319 -nowarn:108,114,626,660,661,824 small/CoreLibrary.cs
    compile "$work/MyProfiler.dll" -unsafe -keyfile:MyProfiler.snk -reference:"$work/System.Private.CoreLib.dll" \
        Helper.cs small/Inspector.cs Settings.cs small/Output.cs small/Native.cs Format.cs Redaction.cs Member.cs small/Unaligned.cs small/Edition.cs Text.cs \
        small/AssemblyInfo.cs
}

"$edition"
cp "$work/MyProfiler.dll" "$1.$$"
mv "$1.$$" "$1"
