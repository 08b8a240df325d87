#!/bin/bash
# Makes the inputs anew:  tests/files/make.sh
# The bytes are committed, so this is only for those who change an input. Needs ilasm and mcs (Mono's),
# the .NET SDK and a C compiler. The same tools give the same bytes, but for the MVIDs of ilasm and mcs.
set -eu
cd "$(dirname "$0")"

csc=$(ls /usr/share/dotnet/sdk/*/Roslyn/bincore/csc.dll | tail -n 1)
refs=$(ls -d /usr/share/dotnet/packs/Microsoft.NETCore.App.Ref/*/ref/net* | tail -n 1)

ilasm /quiet /dll /output:good-il.dll good-il.il
mcs -target:library -resource:good.txt -out:good-security.dll good-security.cs
dotnet "$csc" -nologo -deterministic -unsafe -noconfig -nostdlib -r:"$refs/System.Runtime.dll" \
    -target:exe -debug:portable -pathmap:"$PWD=/src" -out:good-csharp.dll -pdb:good-portable.pdb good-csharp.cs
dotnet "$csc" -nologo -deterministic -noconfig -nostdlib -r:"$refs/System.Runtime.dll" \
    -target:library -platform:x64 -optimize -out:good-pe32plus.dll good-pe32plus.cs

tool=$(mktemp)
trap 'rm -f "$tool"' EXIT
(cd ../.. && cc -std=c11 -D_GNU_SOURCE -Iinclude -Isrc -I. -o "$tool" \
    tests/files/make_files.c src/metadata/schema.c src/base/error.c)
"$tool" . ../fuzz/corpus/image
du -cb good-*.dll good-*.pdb bad-* unsupported-* | tail -n 1
