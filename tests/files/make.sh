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
source=$(mktemp)
trap 'rm -f "$tool" "$source"' EXIT

# What tests/unit/test_verify_code.c verifies: the cases of tests/verify, and the sources in verify/, for which .NET's ilasm
# is needed as well.
net_ilasm=$(ls "${NUGET_PACKAGES:-$HOME/.nuget/packages}"/runtime.*.microsoft.netcore.ilasm/*/runtimes/*/native/ilasm | tail -n 1)
assemble() { # SOURCE OUTPUT
    { printf '.assembly extern mscorlib { }\n.assembly Test { }\n.module Test.dll\n'; cat "$1"; } >"$source"
    if grep -q '^// assembler: net' "$1"; then
        "$net_ilasm" -quiet -dll -deterministic -output="$2" "$source"
    else
        ilasm -quiet -dll -output:"$2" "$source"
    fi
}
ilasm -quiet -noautoinherit -dll -output:verify/mscorlib.dll verify/mscorlib.il
for il in verify/*.il; do
    [ "$il" = verify/mscorlib.il ] || assemble "$il" "${il%.il}.dll"
done
{ echo '// assembler: net'; cat tail/legal.il; } >"$tool"
assemble "$tool" tail/legal.dll
for il in ../verify/bad/*.il ../verify/good/*.il; do
    assemble "$il" "verify/$(basename "$(dirname "$il")")-$(basename "$il" .il).dll"
done

(cd ../.. && cc -std=c11 -D_GNU_SOURCE -Iinclude -Isrc -I. -o "$tool" \
    tests/files/make_files.c src/metadata/schema.c src/base/error.c)
"$tool" . ../fuzz/corpus/image
du -cb good-*.dll good-*.pdb bad-* unsupported-* | tail -n 1
