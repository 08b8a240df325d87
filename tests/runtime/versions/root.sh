#!/bin/bash
# root.sh DIR VERSION: makes DIR/dotnet-VERSION, an installation of .NET with the SDK that is here and, beside the newest runtime, that
# VERSION, and prints its name. Whoever puts it first into PATH and sets ILPATCH_TEST_RUNTIME=VERSION runs the tests on that version
# (find_sdk in tests/lib.sh).
#
# From NuGet, by a plain restore: the runtime, ASP.NET Core's where there is one, and references of the same version. Does nothing when
# all is there already; of several at a time the others wait for the first.
set -eu

version=$2
mkdir -p "$1"
dir=$(realpath "$1")
root=$dir/dotnet-$version
exec 9>"$root.lock"
flock 9
if [ -e "$root/complete" ]; then
    echo "$root"
    exit 0
fi

installed=$(dirname "$(realpath "$(command -v dotnet)")")
store=$(dotnet nuget locals global-packages --list | sed 's/^[^:]*: //')
# Those of .NET Core 3.1 have one version of their own.
references=$version
web="<PackageDownload Include=\"Microsoft.AspNetCore.App.Runtime.linux-x64\" Version=\"[$version]\" />"
case $version in 3.1.*) references=3.1.0 web= ;; esac

rm -rf "$root"
mkdir -p "$root/restore"
cat >"$root/restore/restore.csproj" <<END
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup><ItemGroup>
  <PackageDownload Include="Microsoft.NETCore.App.Runtime.linux-x64" Version="[$version]" />
  <PackageDownload Include="Microsoft.NETCore.App.Ref" Version="[$references]" />
  $web
</ItemGroup></Project>
END
dotnet restore "$root/restore/restore.csproj" >"$root/restore/log" 2>&1 9>&- || {
    cat "$root/restore/log" >&2
    exit 1
}

# put FRAMEWORK: the files of its package, in one folder. Hard links: the runtime looks for files beside those that it has found.
put() {
    local package to=$root/shared/$1/$version
    package=$store/$(echo "$1" | tr 'A-Z' 'a-z').runtime.linux-x64/$version/runtimes/linux-x64
    mkdir -p "$to"
    cp -l "$package"/lib/*/* "$to" 2>/dev/null || cp "$package"/lib/*/* "$to"
    [ ! -d "$package/native" ] || cp -l "$package"/native/* "$to" 2>/dev/null || cp "$package"/native/* "$to"
}
put Microsoft.NETCore.App
# The host takes no folder for a framework that has no list of its files. Packages of 3.1 bring none.
listed() { # SUFFIX: the files that end so
    (cd "$framework" && printf '"%s":{},' *"$1") | sed 's/,$//'
}
framework=$root/shared/Microsoft.NETCore.App/$version
[ -e "$framework/Microsoft.NETCore.App.deps.json" ] || cat >"$framework/Microsoft.NETCore.App.deps.json" <<END
{"runtimeTarget":{"name":".NETCoreApp,Version=v3.1/linux-x64"},
 "targets":{".NETCoreApp,Version=v3.1/linux-x64":{"Microsoft.NETCore.App/$version":{"runtime":{$(listed .dll)},"native":{$(listed .so)}}}},
 "libraries":{"Microsoft.NETCore.App/$version":{"type":"package","serviceable":true,"sha512":""}}}
END
[ -z "$web" ] || put Microsoft.AspNetCore.App
for framework in "$installed"/shared/*/*; do
    mkdir -p "$root/shared/$(basename "$(dirname "$framework")")"
    ln -s "$framework" "$root/${framework#"$installed/"}"
done
for part in host sdk sdk-manifests packs library-packs templates; do
    [ ! -e "$installed/$part" ] || ln -s "$installed/$part" "$root/$part"
done
mkdir "$root/references"
ln -s "$store/microsoft.netcore.app.ref/$references/ref"/net* "$root/references/"
cp "$installed/dotnet" "$root/"
touch "$root/complete"
echo "$root"
