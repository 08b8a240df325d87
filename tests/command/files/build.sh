#!/bin/sh
# Builds the files here again: needs a .NET SDK (10) and Mono's mcs and ilasm.
set -eu
cd "$(dirname "$0")"
root=$(dirname "$(readlink -f "$(command -v dotnet)")")
csc=$(ls "$root"/sdk/*/Roslyn/bincore/csc.dll | tail -n 1)
reference=$(ls -d "$root"/packs/Microsoft.NETCore.App.Ref/*/ref/net* | tail -n 1)

compile() { # ARGUMENT...
    dotnet "$csc" -nologo -deterministic+ -optimize+ -unsafe+ -noconfig -nostdlib -nowin32manifest \
        -debug:portable "-pathmap:$PWD=." "-r:$reference/System.Runtime.dll" "-r:$reference/System.Console.dll" "$@"
}
compile -out:Sample.dll Sample.cs
compile -out:Signed.dll -keyfile:../../../data/inspector/MyProfiler.snk Sample.cs
many=$(mktemp -d)
{
    echo 'public static class Early {'
    seq 448 | sed 's/.*/    public static int M&() => &;/'
    echo '}'
    echo 'public static class Late { public static int Last() => 0; }'
} >"$many/Many.cs"
compile -target:library -out:Many.dll "-pathmap:$many=." "$many/Many.cs"
rm -r "$many"
mcs -optimize+ -out:Hello.exe Hello.cs
mcs -optimize+ -target:library -out:Colors.dll Colors.cs
mcs -optimize+ -target:library -r:Colors.dll -out:Painter.dll Painter.cs
for source in *.il; do
    case $source in
    *-module.il) ilasm /dll /quiet "/output:${source%.il}.netmodule" "$source" ;;
    *) ilasm /dll /quiet "/output:${source%.il}.dll" "$source" ;;
    esac
done
