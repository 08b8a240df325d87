#!/bin/bash
# A project that patches what it builds, as docs/COMMAND.md has it: built, built without a change, changed and built again, changed back.
# MSBuild copies from obj/ to bin/, and only what it takes for changed.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
need_sdk msbuild
scratch msbuild
out=$tmp/app/bin/Debug/net10.0

mkdir "$tmp/app"
cat >"$tmp/app/App.csproj" <<'XML'
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net10.0</TargetFramework>
  </PropertyGroup>
  <Target Name="Inspect" AfterTargets="Build">
    <Exec Command="$(Ilpatch) inspect $(TargetPath)"/>
  </Target>
</Project>
XML
program() { # NUMBER
    printf 'System.Console.WriteLine(Work.Next(%s));\nstatic class Work { public static int Next(int n) => n + 1; }\n' "$1" >"$tmp/app/Program.cs"
}
# build NAME TEXT VALUE: builds, sees that the summary says TEXT, and that the program shows VALUE
build() {
    if ! TMPDIR=$tmp dotnet build "$tmp/app" -v m "-p:Ilpatch=$ilpatch" >"$tmp/$1.log" 2>&1; then
        fail "$1" "$(grep -m 1 -E 'error|ilpatch:' "$tmp/$1.log")"
    elif ! grep -qF -- "$2" "$tmp/$1.log"; then
        fail "$1" "no '$2': $(grep inspected "$tmp/$1.log")"
    else
        check "$1" "Work::Next -> $3 (System.Int32)" "$(dotnet exec "$out/App.dll" 2>&1 >/dev/null)"
    fi
}

program 1
build first "; symbols updated" 2
cp "$out/App.dll" "$tmp/first.dll"
build no-change "; symbols updated" 2
same no-change-same "$tmp/first.dll" "$out/App.dll"
program 2
build change "; built again since: App.dll.orig, App.pdb.orig replaced" 3
program 1
build changed-back "; built again since: App.dll.orig, App.pdb.orig replaced" 2
same changed-back-same "$tmp/first.dll" "$out/App.dll"
"$ilpatch" restore "$out/App.dll"
for file in App.dll App.pdb; do
    same "restore $file" "$tmp/app/obj/Debug/net10.0/$file" "$out/$file"
done
check restore-leaves "App App.deps.json App.dll App.pdb App.runtimeconfig.json" "$(ls -A "$out" | tr '\n' ' ' | sed 's/ $//')"
finish
