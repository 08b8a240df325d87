#!/bin/bash
# The packages: each made, installed from a local feed, used and removed. Each file of parts/ is one kind; its first line says which.
#
#   run.sh [PART...]      only these, by the beginning of their names
#
#   PACKAGES=all          everything (make check-packages); without it each part does what takes seconds
#
# A part is sourced after tests/lib.sh and what is below.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
need_ilpatch packages
need_sdk packages
scratch packages
export TMPDIR=$tmp DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1
wanted=$*
whole=${PACKAGES-}
version=9.9.9 # of the packages here, which no other feed has
fetched=${NUGET_PACKAGES:-$HOME/.nuget/packages}

# What packaging/natives.sh makes, but of this build alone.
mkdir -p "$tmp/natives/linux-x64" "$fetched"
for file in ilpatch libilpatch.so libilpatch_profiler.so; do
    strip -o "$tmp/natives/linux-x64/$file" "$build/$file" 2>/dev/null || cp "$build/$file" "$tmp/natives/linux-x64/"
done

# What the SDK does not bring, and the tests build with, comes from the feeds of this machine, before those here hide them: references of .NET 8, a single file's runtime.
mkdir "$tmp/fetch"
cp packaging/nuget/Ilpatch/Ilpatch.csproj "$tmp/fetch/"
cat >"$tmp/fetch/Single.csproj" <<XML
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net$major.0</TargetFramework><RuntimeIdentifier>linux-x64</RuntimeIdentifier><PublishSingleFile>true</PublishSingleFile><SelfContained>false</SelfContained></PropertyGroup>
</Project>
XML
for what in Ilpatch Single; do
    dotnet restore "$tmp/fetch/$what.csproj" >"$tmp/fetch.log" 2>&1 || grep -m 1 error "$tmp/fetch.log"
done

# Only the local feed, and a folder of packages of its own. The F# compiler brings the package that it needs; what other tests have fetched is used, too.
cat >"$tmp/nuget.config" <<XML
<configuration>
  <config><add key="globalPackagesFolder" value="$tmp/packages" /></config>
  <packageSources>
    <clear />
    <add key="local" value="$tmp/feed" />
    <add key="fsharp" value="$sdk/FSharp/library-packs" />
  </packageSources>
  <fallbackPackageFolders><clear /><add key="fetched" value="$fetched" /></fallbackPackageFolders>
</configuration>
XML

# cannot_fetch NAME LOG: skips what failed since a package is not on this machine and cannot be fetched; false if it failed for another reason
cannot_fetch() { grep -q 'NU1[13]01' "$2" && skip "$1" "a package cannot be fetched: $(grep -m 1 -o 'NU1[13]01.*' "$2" | cut -c 1-120)"; }

# pack PACKAGE...: makes these in the local feed; what is printed is in $tmp/pack.log
pack() {
    packaging/nuget/pack.sh "$tmp/natives" "$tmp/feed" "$version" "$@" >"$tmp/pack.log" 2>&1 && return
    cannot_fetch "pack $*" "$tmp/pack.log" || fail "pack $*" "$(grep -m 1 error "$tmp/pack.log")"
    return 1
}

# packed PACKAGE: its files, without those that NuGet adds, on one line
packed() { unzip -Z1 "$tmp/feed/$1.$version.nupkg" | grep -v '^_rels\|^package/\|^\[Content\|nuspec$' | LC_ALL=C sort | paste -sd ' '; }

# msbuild NAME ARGUMENT...: dotnet with these; what it prints is in $tmp/NAME.log
msbuild() {
    local name=$1
    shift
    dotnet "$@" -v:n -clp:NoSummary >"$tmp/$name.log" 2>&1
}
built() { # NAME ARGUMENT...: it has to succeed
    msbuild "$@" || fail "$1" "$(grep -m 1 -E ': error ' "$tmp/$1.log")"
}

for file in tests/packages/parts/*.sh; do
    part=$(basename "$file" .sh)
    selected "$part" || continue
    group=
    # shellcheck disable=SC1090
    . "$file"
done
finish
