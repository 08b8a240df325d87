# Ilpatch.MSBuild: projects of all kinds are built by the SDK, and what they print is compared.
# shellcheck shell=bash

pack Ilpatch.MSBuild || return 0
check "pack: files" "README.md build/Ilpatch.MSBuild.targets tools/linux-x64/ilpatch" "$(packed Ilpatch.MSBuild)"

reference="<ItemGroup><PackageReference Include=\"Ilpatch.MSBuild\" Version=\"$version\" PrivateAssets=\"all\" /></ItemGroup>"

# project FOLDER NAME.csproj PROPERTIES [ITEMS]
project() {
    mkdir -p "$tmp/$1"
    cat >"$tmp/$1/$2" <<XML
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net$major.0</TargetFramework><RollForward>Major</RollForward>$3</PropertyGroup>
  $reference${4-}
</Project>
XML
}
program="<OutputType>Exe</OutputType><Inspect Condition=\"'\$(Inspect)' == ''\">true</Inspect><IlpatchInspectReturns>\$(Inspect)</IlpatchInspectReturns>"

shows() { # NAME FILE LINE: what the program writes on standard error, sorted, with / between the lines
    check "$1" "$3" "$(dotnet exec "$2" 2>&1 >/dev/null | sort | paste -sd /)"
}

# ---- one project ----

next() { printf 'System.Console.WriteLine(Work.Next(%s));\npublic static class Work { public static int Next(int n) => n + 1; public static string Name() => "x"; }\n' "$1" >"$tmp/app/Program.cs"; }
project app App.csproj "$program" "<ItemGroup><IlpatchRules Include=\"\$(Rules)\" Condition=\"'\$(Rules)' != ''\" /></ItemGroup>"
next 1
obj=$tmp/app/obj/Debug/net$major.0
bin=$tmp/app/bin/Debug/net$major.0
built build build "$tmp/app"
shows build/values "$bin/App.dll" 'Work::Next -> 2 (System.Int32)'
check build/files "App App.deps.json App.dll App.pdb App.runtimeconfig.json" "$(ls -A "$bin" | tr '\n' ' ' | sed 's/ $//')"
same build/symbols "$obj/App.pdb" "$bin/App.pdb"
differs_from() { ! cmp -s "$2" "$3" && ok "$1" || fail "$1" "$2 and $3 are the same"; }
differs_from build/symbols-moved "$obj/App.pdb" "$obj/App.pdb.orig"

times() { stat -c '%n %y' "$obj"/App.dll* "$obj/ilpatch.done" "$bin/App.dll"; }
times >"$tmp/before"
built again build "$tmp/app"
times >"$tmp/after"
same again/nothing-done "$tmp/before" "$tmp/after"

next 2
built change build "$tmp/app" --no-restore
shows change/values "$bin/App.dll" 'Work::Next -> 3 (System.Int32)'

# rules instead: the compiler has nothing to do, and ilpatch begins with its assembly
echo '<rules><include args="yes"><method name="Next"/></include></rules>' >"$tmp/rules.xml"
built rules build "$tmp/app" -p:Inspect=false "-p:Rules=$tmp/rules.xml"
shows rules/values "$bin/App.dll" 'Work::Next(n: 2) -> 3 (System.Int32)'
echo '<rules><include exceptions="yes"><method name="Next"/></include></rules>' >"$tmp/rules.xml"
built rules-changed build "$tmp/app" -p:Inspect=false "-p:Rules=$tmp/rules.xml"
shows rules-changed/values "$bin/App.dll" 'Work::Next -> 3 (System.Int32)'
printf '<rules>\n<include><method nme="Next"/></include></rules>' >"$tmp/rules.xml"
msbuild rules-bad build "$tmp/app" -p:Inspect=false "-p:Rules=$tmp/rules.xml" && fail rules-bad/exit "the build succeeds"
contains rules-bad/error "$tmp/rules.xml(2,18): error ILP0002: <method> has no attribute 'nme'" "$tmp/rules-bad.log"
echo '<rules><include><method name="Nothing"/></include></rules>' >"$tmp/rules.xml"
built rules-idle build "$tmp/app" -p:Inspect=false "-p:Rules=$tmp/rules.xml"
contains rules-idle/warning "$tmp/rules.xml(1): warning ILP0001: " "$tmp/rules-idle.log"

# without any: the compiler's assembly is back
built off build "$tmp/app" -p:Inspect=false
shows off/values "$bin/App.dll" ''
check off/files "" "$(ls -A "$obj" | grep 'ilpatch\|orig')"
built on build "$tmp/app"
shows on/values "$bin/App.dll" 'Work::Next -> 3 (System.Int32)'
built disabled build "$tmp/app" -p:IlpatchEnabled=false
shows disabled/values "$bin/App.dll" ''
built arguments build "$tmp/app" -p:IlpatchArguments=true -p:IlpatchVerify=true "-p:IlpatchReport=$tmp/report.json"
shows arguments/values "$bin/App.dll" 'Work::Next(n: 2) -> 3 (System.Int32)'
contains arguments/report '"answer": "inspected"' "$tmp/report.json"

built clean clean "$tmp/app"
check clean/files "" "$(find "$tmp/app/obj" "$tmp/app/bin" -name '*.orig' -o -name '*ilpatch*' | grep -v 'nuget\|App.csproj')"
built release build "$tmp/app" -c Release
shows release/values "$tmp/app/bin/Release/net$major.0/App.dll" ''
built release-enabled build "$tmp/app" -c Release -p:IlpatchEnabled=true
shows release-enabled/values "$tmp/app/bin/Release/net$major.0/App.dll" 'Work::Next -> 3 (System.Int32)'

# ---- publish ----

built publish publish "$tmp/app" -c Debug -o "$tmp/published"
shows publish/values "$tmp/published/App.dll" 'Work::Next -> 3 (System.Int32)'
if msbuild single publish "$tmp/app" -c Debug -p:PublishSingleFile=true --self-contained false -r linux-x64 -o "$tmp/single"; then
    check single/values 'Work::Next -> 3 (System.Int32)' "$("$tmp/single/App" 2>&1 >/dev/null)"
elif ! cannot_fetch single "$tmp/single.log"; then
    fail single "$(grep -m 1 error "$tmp/single.log")"
fi

# ---- a solution: a library of two frameworks, programs in C#, VB and F#, one of them signed ----

frameworks="net$major.0"
[ ! -d "$fetched/netstandard.library" ] || frameworks+=';netstandard2.0'
project solution/lib Lib.csproj "<TargetFramework></TargetFramework><TargetFrameworks>$frameworks</TargetFrameworks><IlpatchInspectReturns>true</IlpatchInspectReturns>"
echo 'public class Lib { public static int Twice(int n) => 2 * n; }' >"$tmp/solution/lib/Lib.cs"
to_lib='<ItemGroup><ProjectReference Include="../lib/Lib.csproj" /></ItemGroup>'
project solution/cs Cs.csproj "$program<SignAssembly>true</SignAssembly><AssemblyOriginatorKeyFile>key.snk</AssemblyOriginatorKeyFile><NoWarn>CS8002</NoWarn>" "$to_lib"
echo 'System.Console.WriteLine(new Cs().Text()); class Cs { public string Text() => Lib.Twice(4).ToString(); }' >"$tmp/solution/cs/Cs.cs"
cp tests/files/signed/key.snk "$tmp/solution/cs/" 2>/dev/null || sn -q -k "$tmp/solution/cs/key.snk" >/dev/null 2>&1
project solution/vb Vb.vbproj "$program" "$to_lib"
printf 'Module Program\n Function Text() As String\n  Return CStr([Lib].Twice(5))\n End Function\n Sub Main()\n  System.Console.WriteLine(Text())\n End Sub\nEnd Module\n' >"$tmp/solution/vb/Vb.vb"
project solution/fs Fs.fsproj "$program" "$to_lib<ItemGroup><Compile Include=\"Fs.fs\" /></ItemGroup>"
printf 'module Fs\nlet text () = string (Lib.Twice 6)\n[<EntryPoint>]\nlet main _ = printfn "%%s" (text ()); 0\n' >"$tmp/solution/fs/Fs.fs"
(cd "$tmp/solution" && dotnet new sln -n All -f sln && dotnet sln All.sln add lib cs vb fs) >"$tmp/log" 2>&1 || fail solution "$(tail -n 1 "$tmp/log")"
built solution build "$tmp/solution/All.sln" -m
for language in Cs Vb Fs; do
    folder=$(tr '[:upper:]' '[:lower:]' <<<$language)
    dotnet exec "$tmp/solution/$folder/bin/Debug/net$major.0/$language.dll" >"$tmp/out" 2>"$tmp/err"
    contains "solution/$language: library" 'Lib::Twice -> ' "$tmp/err"
    contains "solution/$language: program" '::' <(grep -i '::text -> "' "$tmp/err")
done
if have sn; then
    passes solution/signed sn -q -v "$tmp/solution/cs/bin/Debug/net$major.0/Cs.dll"
else
    skip solution/signed "no sn (mono-devel)"
fi
built pack-library pack "$tmp/solution/lib" -c Debug -o "$tmp/packed"
unzip -q -o "$tmp/packed/Lib.1.0.0.nupkg" -d "$tmp/packed/lib" 2>"$tmp/log"
"$ilpatch" list "$tmp/packed/lib/lib/net$major.0/Lib.dll" >"$tmp/listed" 2>&1
contains pack-library/patched already-inspected "$tmp/listed"
contains pack-library/no-dependency '<id>Lib</id>' "$tmp/packed/lib/Lib.nuspec"
check pack-library/not-a-dependency 0 "$(grep -c Ilpatch "$tmp/packed/lib/Lib.nuspec")"

# ---- removed again ----

sed -i '/PackageReference/d' "$tmp/app/App.csproj"
built removed build "$tmp/app"
shows removed/values "$bin/App.dll" ''
