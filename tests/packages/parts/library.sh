# The package Ilpatch: a program uses it on .NET, by the assembly for .NET 8 and by the one for .NET Standard 2.0. The command writes what is compared.
# shellcheck shell=bash

# library_inputs: assemblies of all kinds, and what the command makes of them
library_inputs() {
    local in=$used/input
    mkdir -p "$in" "$used/alone"
    printf 'public struct Pair { public int A; }\npublic static class Work { public static int Next(int n) => n + 1; public static string Name() => "x"; }\n' >"$in/Work.cs"
    printf 'public static class User { public static Pair Get() => new Pair(); public static int One() => 1; }\n' >"$in/User.cs"
    compile "$in/Work.dll" -target:library -debug:portable "$in/Work.cs"
    compile "$in/Inside.dll" -target:library -debug:embedded "$in/Work.cs"
    compile "$in/User.dll" -target:library "-r:$in/Work.dll" "$in/User.cs"
    compile "$in/Other.dll" -target:library -debug:portable "-r:$in/Work.dll" "$in/User.cs"
    cp "$in/User.dll" "$used/alone/"
    echo '<rules><include name="money"><return type="System.Decimal"/></include></rules>' >"$used/decimals.xml"
    library_command shop.exe samples/Shop.exe
    library_command embedded.exe --embed samples/Shop.exe
    library_command kept.exe --layout keep samples/Shop.exe
    library_command output/Work.dll "$in/Work.dll"
    library_command output/Inside.dll "$in/Inside.dll"
    library_command user.dll "$in/User.dll"
    library_command user-unknown.dll "$used/alone/User.dll"
    "$ilpatch" -q --rules "$used/decimals.xml" -o "$used/decimals.exe" samples/Shop.exe
    ${CC:-cc} -Iinclude -o "$used/structs" tests/packages/structs.c && "$used/structs" >"$used/structs.txt"
}
library_command() { # OUTPUT ARGUMENT...
    mkdir -p "$(dirname "$used/$1")"
    "$ilpatch" inspect --inspect-returns -q -o "$used/$1" "${@:2}" 2>"$tmp/said" || [ $? = 1 ] || fail "command: $1" "$(tail -n 1 "$tmp/said")"
}

# library_runs NAME: the program, and what it counts
library_runs() {
    dotnet exec "$used/bin/Debug/net$major.0/Use.dll" "$PWD" "$used" >"$tmp/used" 2>&1 || fail "$1" "$(tail -n 1 "$tmp/used")"
    count_results "$tmp/used"
    sed -n "s/^ok /ok $1: /p; /^FAIL /p" "$tmp/used"
}

library_package() {
    local used=$tmp/use
    pack Ilpatch || return 0
    check 'library: files' 'README.md lib/net8.0/Ilpatch.dll lib/net8.0/Ilpatch.xml lib/netstandard2.0/Ilpatch.dll lib/netstandard2.0/Ilpatch.xml runtimes/linux-x64/native/libilpatch.so' \
        "$(packed Ilpatch)"
    library_inputs
    cp tests/packages/Use.cs "$used/"
    cat >"$used/Use.csproj" <<XML
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net$major.0</TargetFramework><EnableDefaultItems>false</EnableDefaultItems></PropertyGroup>
  <ItemGroup><Compile Include="Use.cs" /><PackageReference Include="Ilpatch" Version="$version" /></ItemGroup>
</Project>
XML
    if ! msbuild use build "$used/Use.csproj"; then
        fail 'library: a program with it' "$(grep -m 1 -E ': error ' "$tmp/use.log")"
        return
    fi
    library_runs 'library net8.0'
    unzip -q -o -j "$tmp/feed/Ilpatch.$version.nupkg" lib/netstandard2.0/Ilpatch.dll -d "$used/bin/Debug/net$major.0"
    library_runs 'library netstandard2.0'
}
library_package
