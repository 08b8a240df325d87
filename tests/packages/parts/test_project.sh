# `dotnet test` with Ilpatch.MSBuild: the tests of a library, whose values are shown while the package is switched on. NuGet has to give xunit, else it is skipped.
# With PACKAGES=all, or where it is named: three builds.
# shellcheck shell=bash

# test_values NAME ARGUMENT...: dotnet test with these; what ilpatch's inspector shows is in $tmp/test_values
test_values() {
    local name=$1
    shift
    (cd "$tmp/tested" && ILPATCH_OUTPUT="$tmp/shown" dotnet test tests "$@") >"$tmp/$name.log" 2>&1 || fail "$name" "$(grep -m 1 -E 'error|Failed' "$tmp/$name.log")"
    touch "$tmp/shown"
    sort -u "$tmp/shown" >"$tmp/test_values"
    rm "$tmp/shown"
}

test_project() {
    local folder=$tmp/tested
    pack Ilpatch.MSBuild || return 0
    mkdir -p "$folder/library" "$folder/tests"
    # What the tests need comes from NuGet, into the folder of what was fetched before; all else is done with the local feed alone.
    echo '<configuration><packageSources><clear /><add key="nuget.org" value="https://api.nuget.org/v3/index.json" /></packageSources></configuration>' >"$tmp/nuget.org.config"
    cat >"$folder/library/Library.csproj" <<XML
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net$major.0</TargetFramework><Inspect Condition="'\$(Inspect)' == ''">true</Inspect><IlpatchInspectReturns>\$(Inspect)</IlpatchInspectReturns></PropertyGroup>
  <ItemGroup><PackageReference Include="Ilpatch.MSBuild" Version="$version" PrivateAssets="all" /></ItemGroup>
</Project>
XML
    echo 'public static class Library { public static int Twice(int n) => 2 * n; }' >"$folder/library/Library.cs"
    cat >"$folder/tests/Tests.csproj" <<XML
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net$major.0</TargetFramework><IsPackable>false</IsPackable></PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Microsoft.NET.Test.Sdk" Version="17.14.1" />
    <PackageReference Include="xunit" Version="2.9.3" />
    <PackageReference Include="xunit.runner.visualstudio" Version="3.1.4" />
    <ProjectReference Include="../library/Library.csproj" Condition="'\$(Fetch)' == ''" />
  </ItemGroup>
</Project>
XML
    echo 'public class Tests { [Xunit.Fact] public void Two() => Xunit.Assert.Equal(8, Library.Twice(4)); }' >"$folder/tests/Tests.cs"
    if ! NUGET_PACKAGES=$fetched dotnet restore "$folder/tests" -p:Fetch=true --configfile "$tmp/nuget.org.config" >"$tmp/restore.log" 2>&1 ||
        ! dotnet restore "$folder/tests" >"$tmp/restore.log" 2>&1; then
        cannot_fetch 'dotnet test' "$tmp/restore.log" || fail 'dotnet test: restore' "$(grep -m 1 error "$tmp/restore.log")"
        return
    fi
    test_values test --no-restore
    check 'dotnet test: values' 'Library::Twice -> 8 (System.Int32)' "$(cat "$tmp/test_values")"
    contains 'dotnet test: passes' 'Passed!' "$tmp/test.log"
    test_values test-off --no-restore -p:Inspect=false
    check 'dotnet test: switched off' '' "$(cat "$tmp/test_values")"
    contains 'dotnet test: passes without it' 'Passed!' "$tmp/test-off.log"
    test_values test-on
    check 'dotnet test: switched on again' 'Library::Twice -> 8 (System.Int32)' "$(cat "$tmp/test_values")"
}
if [ "$whole" = all ] || [ -n "$wanted" ]; then
    test_project
else
    skip 'dotnet test' 'not all packages (make check-packages)'
fi
