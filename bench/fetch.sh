#!/bin/bash
# fetch.sh DIR [large]: puts what benchmarks work on into DIR, the same on every machine; packages in fixed versions, from NuGet.
#
#   DIR/net            the assemblies of tests/runtime/real/fetch.sh: Newtonsoft.Json, FSharp.Core, ...
#   DIR/bench/lib      of these the C# compiler, with its PDB, and what it refers to
#   DIR/bench/dotnet   for DOTNET_ROOT: a runtime to look references up in, and nothing to run a program with
#   DIR/large          with large: Microsoft.Graph, the largest assembly of IL alone that was found on NuGet, 40.8 MB
#
# Does nothing when all is there already; of several at a time the others wait for the first.
set -eu
dir=$(realpath -m "$1")
cd "$(dirname "$0")/.."

runtime=10.0.12 compiler=4.14.0 graph=5.92.0
mkdir -p "$dir"
tests/runtime/real/fetch.sh "$dir"
exec 9>"$dir/bench.lock"
flock 9
store=$(dotnet nuget locals global-packages --list | sed 's/^[^:]*: //')

# is_new FOLDER STAMP: whether FOLDER, which is empty then, has to be filled; is_done ends that
is_new() {
    [ "$(cat "$dir/$1/complete" 2>/dev/null)" != "$2" ] || return
    rm -rf "${dir:?}/$1"
    mkdir -p "$dir/$1/restore"
}
is_done() { echo "$2" >"$dir/$1/complete"; }

# restore FOLDER NAME VERSION...: into the store
restore() {
    local folder=$dir/$1/restore
    shift
    {
        echo '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup><ItemGroup>'
        printf '<PackageDownload Include="%s" Version="[%s]" />\n' "$@"
        echo '</ItemGroup></Project>'
    } >"$folder/restore.csproj"
    dotnet restore "$folder/restore.csproj" >"$folder/log" 2>&1 9>&- || {
        cat "$folder/log" >&2
        exit 1
    }
}

if is_new bench "$runtime $compiler"; then
    framework=$dir/bench/dotnet/shared/Microsoft.NETCore.App/$runtime
    restore bench Microsoft.NETCore.App.Runtime.linux-x64 $runtime Microsoft.CodeAnalysis.Common $compiler Microsoft.CodeAnalysis.CSharp $compiler
    mkdir -p "$dir/bench/lib" "$framework"
    cp "$store/microsoft.netcore.app.runtime.linux-x64/$runtime/runtimes/linux-x64/lib"/net*/* "$framework/"
    cp "$store"/microsoft.codeanalysis.c{sharp,ommon}"/$compiler/lib/net9.0"/Microsoft.CodeAnalysis.*{dll,pdb} "$dir/bench/lib/"
    is_done bench "$runtime $compiler"
fi
if [ "${2:-}" = large ] && is_new large $graph; then
    restore large Microsoft.Graph $graph
    cp "$store/microsoft.graph/$graph/lib/net5.0/Microsoft.Graph.dll" "$dir/large/"
    is_done large $graph
fi
