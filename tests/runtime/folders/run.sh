#!/bin/bash
# Whole folders, each patched by one call: what they do is the same afterwards, their values are shown and counted, a second call changes no file,
# -o makes the same folder, no wrong IL is new, and `restore` gives all back.
#
#   run.sh [PART...]   only these: csharp framework, mono work trimmed api composite api_framework libraries suite fsharp sdk
#   FOLDERS=all        all of them, else the first two: make check-folders
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/folders
unset DOTNET_ROOT CORECLR_ENABLE_PROFILING CORECLR_PROFILER CORECLR_PROFILER_PATH DOTNET_STARTUP_HOOKS
export TERM=dumb NO_COLOR=1

need_sdk folders
need_ilpatch folders
scratch folders
cd "$tmp" || exit 1
dotnet_root=$(dirname "$(readlink -f "$(command -v dotnet)")")
references=("$refs"/*.dll)
references=("${references[@]/#/-r:}")

# ---- a folder ----

# state_of FOLDER: what is in it
state_of() { (cd "$1" && find . -printf '%M %p %l\n' | LC_ALL=C sort && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum); }

# runs NAME JOB: the job's output and exit code in NAME
runs() {
    "$2" >"$1" 2>"$1.err"
    echo "exit code $?" >>"$1"
}

# made NAME FOLDER: what belongs to a program there, without what a run keeps for itself
made() { (cd "$1" && find . -type f ! -name '*.orig' ! -name '.*.ilpatch' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum); }

# inspects NAME ARGUMENT...: ends with $incomplete, and nothing is wrong
incomplete=0
inspects() {
    local name=$1
    shift
    "$ilpatch" inspect "$@" >"$tmp/log" 2>"$tmp/log.err"
    check "$name" "$incomplete " "$? $(head -n 2 "$tmp/log.err")"
}

# whole NAME FOLDER PATTERN [OPTION...]: FOLDER, copied to $app, does what the functions job_NAME (values are counted) and little_NAME (values are
# written into a file, where there is one like PATTERN) do there, before and after
whole() {
    local name=$1 source=$2 pattern=$3 at=$tmp/$1
    shift 3
    app=${app:-$at/app}
    mkdir -p "$(dirname "$app")" "$at"
    [ -e "$app" ] || cp -rL --preserve=mode,timestamps "$source" "$app"
    state_of "$app" >"$at/before"
    runs "$at/job.before" "job_$name"
    runs "$at/little.before" "little_$name"
    check "$name/unpatched" "" "$(grep -m 1 '^exit code 1..' "$at/job.before")"
    inspects "$name/copied" "$@" -o "$at/copy" "$app"
    check "$name/copied-from" "" "$(state_of "$app" | diff "$at/before" - | head -n 3)"
    inspects "$name/patched" --verify "$@" "$app"
    tail -n 1 "$tmp/log" >"$at/summary"
    check "$name/copied-same" "" "$(diff <(made "$app") <(made "$at/copy") | head -n 3)"
    rm -rf "${at:?}/copy"
    state_of "$app" >"$at/after"
    inspects "$name/again" "$@" "$app"
    check "$name/again-same" "" "$(state_of "$app" | diff "$at/after" - | head -n 3)"
    ILPATCH_OUTPUT=$at/values runs "$at/little.after" "little_$name"
    same "$name/little" "$at/little.before" "$at/little.after"
    check "$name/little-alone" "" "$(diff "$at/little.before.err" "$at/little.after.err" | head -n 3)"
    if grep -qaE -- "$pattern" "$at/values"; then
        ok "$name/values ($(wc -l <"$at/values") lines)"
    else
        fail "$name/values" "nothing like $pattern among $(wc -l <"$at/values") lines"
    fi
    ILPATCH_COUNT=1 ILPATCH_OUTPUT=$at/counts runs "$at/job.after" "job_$name"
    same "$name/job" "$at/job.before" "$at/job.after"
    check "$name/job-alone" "" "$(diff "$at/job.before.err" "$at/job.after.err" | head -n 3)"
    if grep -qa '^ilpatch: [0-9]* values$' "$at/counts"; then
        ok "$name/counted ($(sed -n 's/^ilpatch: \([0-9]*\) values$/\1/p' "$at/counts" | sort -n | tail -n 1) or more; $(cut -d ' ' -f 2-8 "$at/summary"))"
    else
        fail "$name/counted" "no count: $(head -n 1 "$at/counts")"
    fi
    passes "$name/restored" "$ilpatch" restore "$app"
    check "$name/restored-same" "" "$(state_of "$app" | diff "$at/before" - | head -n 3)"
    cut -c 1-60 "$at/values" >"$tmp/$name.values"
    [ "$failed" -ne 0 ] || rm -rf "${at:?}"
    app=
}
app=

# published NAME SOURCE VERB [OPTION...]: $published is such a folder, made once
published() {
    local name=$1 source=$2
    shift 2
    published=$cache/folders/$name/app
    "$here/publish.sh" "$here/$source" "$cache/folders/$name" "$@" >"$tmp/$name.log" 2>&1 && return
    skip "$name" "$(grep -m 1 error "$tmp/$name.log")"
    return 1
}

# ---- compilers ----

cat >hello.cs <<'CS'
class Hello { static int Main() { System.Console.WriteLine("hello"); return 4; } }
CS

# csc FILE OPTION...: with the compiler in $app; what it says and makes
csc() {
    dotnet exec "$app/csc.dll" -nologo -noconfig -nostdlib -deterministic -optimize+ -debug:embedded -out:made.dll "$@" || return
    sha256sum <made.dll
}
job_csharp() { csc "$here/work/Work.cs" "${references[@]}" "$here/warned.cs"; }
little_csharp() { ! csc "$here/warned.cs" "-r:$refs/System.Runtime.dll"; }
part_csharp() {
    whole csharp "$sdk/Roslyn/bincore" '^Microsoft\.CodeAnalysis\.CSharp\.Syntax\.InternalSyntax\.[A-Za-z]*::'
}

# fsc FILE
fsc() {
    local references=("$refs"/System.*.dll "$refs/mscorlib.dll" "$refs/netstandard.dll" "$sdk/FSharp/FSharp.Core.dll")
    dotnet exec "$app/fsc.dll" --nologo --deterministic+ --targetprofile:netcore --noframework --simpleresolution "${references[@]/#/-r:}" -o:made.dll "$@" || return
    sha256sum <made.dll
}
job_fsharp() { fsc "$here/../real/fsharp"/*.fs; }
little_fsharp() { dotnet exec "$app/fsc.dll" --help; }
part_fsharp() {
    whole fsharp "$sdk/FSharp" '^FSharp\.Compiler\.'
}

# ---- Mono ----

# on_mono PROGRAM [ARGUMENT...]: on the class library in $app
on_mono() { MONO_PATH=$app:$app/Facades mono "$@"; }
job_mono() {
    on_mono "$app/mcs.exe" -out:made.exe "$here/../corelib/Work.cs" && on_mono made.exe
}
little_mono() { on_mono hello.exe; }
part_mono() {
    have mono && have mcs || { skip mono "no Mono, or no mcs"; return; }
    mcs -out:hello.exe hello.cs
    app=$tmp/mono/lib/mono/4.5 # where mcs looks for its references
    whole mono /usr/lib/mono/4.5 '^System\.Console::'
}

# ---- .NET itself ----

# on_framework PROGRAM
on_framework() { DOTNET_ROOT=$tmp/framework/root "$tmp/framework/root/dotnet" exec "$@"; }
job_framework() { on_framework work.dll; }
little_framework() { on_framework hello.dll; }
part_framework() {
    build_csharp -optimize+ "${references[@]}" -out:work.dll "$here/work/Work.cs"
    build_csharp -optimize+ "${references[@]}" -out:hello.dll hello.cs
    for file in work hello; do
        echo "{\"runtimeOptions\":{\"framework\":{\"name\":\"Microsoft.NETCore.App\",\"version\":\"$version\"},\"configProperties\":{\"System.Globalization.Invariant\":true}}}" \
            >$file.runtimeconfig.json
    done
    mkdir -p framework/root/shared
    cp -r "$dotnet_root/dotnet" "$dotnet_root/host" framework/root/
    app=$tmp/framework/root/shared/Microsoft.NETCore.App
    mkdir "$app"
    cp -r --preserve=mode,timestamps "$framework" "$app/"
    whole framework "$app" '^System\.Console::'
    # a core library alone: it holds its inspector, and needs none beside it, by a cache either
    mkdir core
    cp "$framework/System.Private.CoreLib.dll" core/
    for time in first second; do
        "$ilpatch" inspect --cache core.cache -o core.out core >log 2>&1
        code=$?
        check "framework/core-alone-$time" "0 System.Private.CoreLib.dll" "$code $(ls core.out)"
    done
    contains framework/core-not-again "all 1 file: 1 patched before and unchanged" log
}

# ---- programs ----

# requests FOLDER ROUNDS: what a web API answers, with as many connections at a time as there are different requests, and its exit code
requests() {
    local address process code i
    coproc service { exec "$1/Api" 2>&3; } 3>&2
    process=$service_PID
    read -r address <&"${service[0]}"
    # shellcheck disable=SC1083,SC2093 # it is redirected, not replaced
    exec {input}>&"${service[1]}" {service[1]}>&-
    i=0
    for request in items items/plum items/Grape sum/1000 fail "orders {\"name\":\"pear\",\"count\":3}" 'orders {"name":7}' nowhere; do
        i=$((i + 1))
        request "$address" "$request" "$2" >answer.$i 2>&1 &
        asking[i]=$!
    done
    wait "${asking[@]}"
    exec {input}>&-
    wait "$process"
    code=$?
    cat answer.*
    return $code
}
request() { # ADDRESS REQUEST ROUNDS
    local options=() urls=() path=${2%% *}
    [ "$path" = "$2" ] || options=(-H 'Content-Type: application/json' -d "${2#* }")
    for _ in $(seq "$3"); do urls+=("$1/$path"); done
    curl -s --max-time 300 -w '%{http_code} %header{x-path} %{size_download}\n' "${options[@]}" "${urls[@]}"
}
job_api() { requests "$app" 100; }
little_api() { requests "$app" 2; }
part_api() {
    have curl || { skip api "no curl"; return; }
    published api api publish || return
    whole api "$published" '^Till::Sum -> 500500 \(System\.Int64\)$'
}
job_api_framework() { requests "$app" 3; }
little_api_framework() { requests "$app" 1; }
part_api_framework() {
    have curl || { skip api_framework "no curl"; return; }
    published api api publish || return
    whole api_framework "$published" '^Microsoft\.AspNetCore\.Http\.' --framework
}
job_composite() { requests "$app" 20; }
little_composite() { requests "$app" 1; }
part_composite() {
    have curl || { skip composite "no curl"; return; }
    published composite api publish -p:PublishReadyToRun=true -p:PublishReadyToRunComposite=true || return
    whole composite "$published" '^Till::Sum -> 500500 \(System\.Int64\)$'
}
job_work() { "$app/Work"; }
little_work() { "$app/Work"; }
part_work() {
    published work work publish || return
    whole work "$published" '^Work::Json -> "3491 '
}
job_trimmed() { "$app/Work"; }
little_trimmed() { "$app/Work"; }
part_trimmed() {
    published trimmed work publish -p:PublishTrimmed=true || return
    whole trimmed "$published" '^Work::Json -> "3491 '
}
job_libraries() { dotnet exec "$app/Libraries.dll"; }
little_libraries() { dotnet exec "$app/Libraries.dll"; }
part_libraries() {
    published libraries libraries build || return
    whole libraries "$published" '^System\.Data\.SqlClient\.'
    check libraries/each "" "$(for name in AutoMapper Org.BouncyCastle CsvHelper Dapper FluentValidation Humanizer Markdig MediatR Newtonsoft.Json NodaTime Polly Serilog \
        Microsoft.Data.Sqlite YamlDotNet; do grep -qa "^${name}[.]" "$tmp/libraries.values" || echo "$name"; done)"
}

# ---- tests and builds ----

job_suite() { dotnet test "$app/Suite.dll" 2>&1 | sed -n 's/^ *\(Passed\|Failed\|Skipped\) \(Basket[^[]*\).*/\1 \2/p; s/^\(Failed! .*\), Duration.*/\1/p; /^ *Expected:\|^ *Actual:/p' | sort; }
little_suite() { job_suite; }
part_suite() {
    published suite suite build || return
    whole suite "$published" '^Basket::Total -> 30 \(System\.Decimal\)$'
}

# build FOLDER: a project, with the SDK in $app
build() {
    rm -rf "${1:?}/bin" "${1:?}/obj"
    DOTNET_ROOT=$tmp/sdk/root TMPDIR=$tmp "$tmp/sdk/root/dotnet" build "$1" -c Release --nologo -m:1 -p:Deterministic=true "-p:PathMap=$1=/" | sed '/Time Elapsed/d; s/ (in [^)]*)//'
    [ "${PIPESTATUS[0]}" -eq 0 ] && sha256sum <"$1/bin/Release/net10.0/project.dll"
}
job_sdk() { build "$tmp/project"; }
little_sdk() { DOTNET_ROOT=$tmp/sdk/root "$tmp/sdk/root/dotnet" --version; }
part_sdk() {
    mkdir -p sdk/root/sdk project
    cp "$here/warned.cs" hello.cs project/
    echo '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework></PropertyGroup></Project>' >project/project.csproj
    cp -r "$dotnet_root/dotnet" "$dotnet_root/host" sdk/root/
    for name in shared packs sdk-manifests templates metadata; do ln -s "$dotnet_root/$name" sdk/root/; done
    app=$tmp/sdk/root/sdk/${sdk##*/}
    incomplete=1 # parts for .NET Framework refer to what is not here
    # Unsafe::As of this file returns an object as what it need not be, which is wrong IL before, and patched once more for its box
    whole sdk "$sdk" '^Microsoft\.DotNet\.Cli\.' --exclude System.Runtime.CompilerServices.Unsafe.dll
    incomplete=0
}

parts=(csharp framework)
[ "${FOLDERS:-}" != all ] || parts+=(mono work trimmed api composite api_framework libraries suite fsharp sdk)
[ $# -eq 0 ] || parts=("$@")
for part in "${parts[@]}"; do "part_$part"; done
finish
