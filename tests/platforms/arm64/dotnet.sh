#!/bin/bash
# dotnet.sh SYSTEM FOLDER VERSION: an installation of .NET for Linux on arm64 in FOLDER, whose `dotnet` runs under qemu. SYSTEM is what
# ports/debian.sh has unpacked. From NuGet, by a plain restore. Does nothing where FOLDER is complete.
#
# `dotnet` is a script, since the kernel need not know qemu; a process that it starts is what another `dotnet` is elsewhere. The SDK is the
# installed one, its compilers included.
set -eu
system=$(realpath "$1")
mkdir -p "$2"
to=$(realpath "$2")
version=$3
installed=$(realpath "$(command -v dotnet)")
[ ! -e "$to/complete" ] || exit 0

mkdir -p "$to/restore"
cat >"$to/restore/restore.csproj" <<END
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup><ItemGroup>
  <PackageDownload Include="Microsoft.NETCore.App.Runtime.linux-arm64" Version="[$version]" />
</ItemGroup></Project>
END
dotnet restore "$to/restore/restore.csproj" >"$to/restore/log" 2>&1 || {
    grep -m 3 error "$to/restore/log" >&2
    exit 1
}
package=$(dotnet nuget locals global-packages --list | sed 's/^[^:]*: //')/microsoft.netcore.app.runtime.linux-arm64/$version/runtimes/linux-arm64
shared=$to/shared/Microsoft.NETCore.App/$version
mkdir -p "$shared" "$to/host/fxr/$version"
cp "$package"/lib/*/* "$package"/native/* "$shared/"
mv "$shared/libhostfxr.so" "$to/host/fxr/$version/"
aarch64-linux-gnu-gcc --sysroot="$system" -O2 -DHOSTFXR="\"host/fxr/$version/libhostfxr.so\"" "$(dirname "$0")/muxer.c" -o "$to/dotnet.arm64"
cat >"$to/dotnet" <<END
#!/bin/sh
case \${1-} in
    --list-sdks | nuget | build | publish | restore) exec "$installed" "\$@" ;;
    exec) case \$2 in */sdk/*) exec "$installed" "\$@" ;; esac ;;
esac
exec qemu-aarch64-static -L "$system" "$to/dotnet.arm64" "\$@"
END
chmod +x "$to/dotnet"
touch "$to/complete"
