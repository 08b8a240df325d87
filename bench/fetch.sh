#!/bin/bash
# fetch.sh DIR: puts what benchmarks work on into DIR, the same on every machine; packages in fixed versions, from NuGet.
#
#   DIR/net            the assemblies of tests/runtime/real/fetch.sh: Newtonsoft.Json, FSharp.Core, ...
#   DIR/bench/lib      of these the C# compiler, with its PDB, and what it refers to
#   DIR/bench/dotnet   for DOTNET_ROOT: a runtime to look references up in, and nothing to run a program with
#
# Does nothing when all is there already; of several at a time the others wait for the first.
set -eu
dir=$(realpath -m "$1")
cd "$(dirname "$0")/.."

runtime=10.0.12 compiler=4.14.0
mkdir -p "$dir"
tests/runtime/real/fetch.sh "$dir"
exec 9>"$dir/bench.lock"
flock 9
stamp="$runtime $compiler"
if [ "$(cat "$dir/bench/complete" 2>/dev/null)" = "$stamp" ]; then
    exit 0
fi

rm -rf "$dir/bench"
framework=$dir/bench/dotnet/shared/Microsoft.NETCore.App/$runtime
mkdir -p "$dir/bench/restore" "$dir/bench/lib" "$framework"
cat >"$dir/bench/restore/restore.csproj" <<END
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup><ItemGroup>
  <PackageDownload Include="Microsoft.NETCore.App.Runtime.linux-x64" Version="[$runtime]" />
  <PackageDownload Include="Microsoft.CodeAnalysis.Common" Version="[$compiler]" />
  <PackageDownload Include="Microsoft.CodeAnalysis.CSharp" Version="[$compiler]" />
</ItemGroup></Project>
END
dotnet restore "$dir/bench/restore/restore.csproj" >"$dir/bench/restore/log" 2>&1 9>&- || {
    cat "$dir/bench/restore/log" >&2
    exit 1
}
store=$(dotnet nuget locals global-packages --list | sed 's/^[^:]*: //')
cp "$store/microsoft.netcore.app.runtime.linux-x64/$runtime/runtimes/linux-x64/lib"/net*/* "$framework/"
cp "$store"/microsoft.codeanalysis.c{sharp,ommon}"/$compiler/lib/net9.0"/Microsoft.CodeAnalysis.*{dll,pdb} "$dir/bench/lib/"
echo "$stamp" >"$dir/bench/complete"
