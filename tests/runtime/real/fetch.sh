#!/bin/sh
# fetch.sh DIR: puts the real assemblies of the tests and the benchmark into DIR.
#
#   DIR/net/   for CoreCLR: the newest flavour of each package
#   DIR/mono/  for Mono: the flavour for .NET Framework (or netstandard2.0), and Mono's own C# compiler
#
# From NuGet, by a plain restore, in fixed versions; all of them are IL-only (those that are not: see
# tests/runtime/ready_to_run). .NET's own ilasm, ildasm and crossgen2, and what netstandard2.0 is, are fetched besides, and stay in
# NuGet's folder of packages, where the tests look for them. Does nothing when all is there already; of several at a time the others wait for the first.
set -eu

dir=$1
mkdir -p "$dir"
exec 9>"$dir/lock"
flock 9
# package  version  flavour for CoreCLR, for Mono (- for none)  assemblies
packages='
Newtonsoft.Json               13.0.3   net6.0          net45           Newtonsoft.Json
Mono.Cecil                    0.11.6   netstandard2.0  net40           Mono.Cecil
FSharp.Core                   10.0.111 netstandard2.1  netstandard2.0  FSharp.Core
Microsoft.CodeAnalysis.Common 4.14.0   net9.0          -               Microsoft.CodeAnalysis
Microsoft.CodeAnalysis.CSharp 4.14.0   net9.0          -               Microsoft.CodeAnalysis.CSharp
'
others='
runtime.linux-x64.Microsoft.NETCore.ILAsm     10.0.12
runtime.linux-x64.Microsoft.NETCore.ILDAsm    10.0.12
Microsoft.NETCore.App.Crossgen2.linux-x64     10.0.12
NETStandard.Library                           2.0.3
'
mcs=/usr/lib/mono/4.5/mcs.exe
if [ ! -e "$mcs" ]; then
    mcs=
fi

store=$(dotnet nuget locals global-packages --list | sed 's/^[^:]*: //')
package_folder() { echo "$store/$(echo "$1" | tr 'A-Z' 'a-z')/$2"; }
have_others() {
    echo "$others" | while read -r name version; do
        [ -z "$name" ] || [ -d "$(package_folder "$name" "$version")" ] || return 1
    done
}

stamp="$packages# $mcs"
if [ "$(cat "$dir/complete" 2>/dev/null)" = "$stamp" ] && have_others; then
    exit 0
fi
rm -rf "$dir/net" "$dir/mono" "$dir/complete"
mkdir -p "$dir/net" "$dir/mono" "$dir/restore"

{
    echo '<Project Sdk="Microsoft.NET.Sdk">'
    echo '<PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup><ItemGroup>'
    echo "$packages" | while read -r name version rest; do
        [ -z "$name" ] || echo "<PackageReference Include=\"$name\" Version=\"[$version]\" />"
    done
    echo "$others" | while read -r name version; do
        [ -z "$name" ] || echo "<PackageDownload Include=\"$name\" Version=\"[$version]\" />"
    done
    echo '</ItemGroup></Project>'
} >"$dir/restore/restore.csproj"
dotnet restore "$dir/restore/restore.csproj" >"$dir/restore/log" 2>&1 9>&- || {
    cat "$dir/restore/log" >&2
    exit 1
}

echo "$packages" | while read -r name version net mono assembly; do
    [ -n "$name" ] || continue
    lib=$(package_folder "$name" "$version")/lib
    cp "$lib/$net/$assembly.dll" "$dir/net/"
    if [ "$mono" != - ]; then
        cp "$lib/$mono/$assembly.dll" "$dir/mono/"
    fi
done
if [ -n "$mcs" ]; then
    cp "$mcs" "$dir/mono/"
fi
chmod -R u+w "$dir/net" "$dir/mono"
printf '%s' "$stamp" >"$dir/complete"
