#!/bin/bash
# Trimmed programs: the small inspector shows their values, and what an inspector misses is named before anything is written.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/trimmed
unset CORECLR_ENABLE_PROFILING CORECLR_PROFILER CORECLR_PROFILER_PATH DOTNET_STARTUP_HOOKS

need_sdk trimmed
scratch trimmed

# publish SOURCE FOLDER OPTION...: from one place for each source, so that the second time little is left to do
publish() {
    local source=$1 folder=$2
    shift 2
    [ -d "$tmp/$source-src" ] || cp -r "$here/$source" "$tmp/$source-src"
    TMPDIR=$tmp timeout 1800 dotnet publish "$tmp/$source-src" -c Release -r linux-x64 --self-contained -p:PublishTrimmed=true \
        -o "$tmp/$folder" "$@" >"$tmp/$folder.log" 2>&1
}

# starts NAME PROGRAM: what it prints and its exit code, as without inspection; values in NAME.values
starts() {
    check "$1/output-and-exit-code" "8,6" "$({ "$2" 2>"$tmp/$1.values"; echo $?; } | paste -sd ,)"
    same "$1/values" "$here/values.txt" "$tmp/$1.values"
}
patch() { # NAME OPTION...: $code, output in NAME.out and NAME.err
    local name=$1
    shift
    "$ilpatch" --inspect-returns "$@" >"$tmp/$name.out" 2>"$tmp/$name.err"
    code=$?
}
as_published() { # NAME FOLDER PUBLISHED
    check "$1" "" "$(diff -r "$tmp/$2" "$tmp/$3" 2>&1)"
}

# ---- a folder ----

if ! publish app app; then
    skip trimmed "$(grep -m 1 error "$tmp/app.log")"
    finish
fi
check trimmed "" "$(ls "$tmp/app" | grep -x -e mscorlib.dll -e System.Runtime.dll)"
cp -r "$tmp/app" "$tmp/folder"
patch folder --report "$tmp/report.json" "$tmp/folder/App.dll"
check folder/exit-code 0 $code
contains folder/says-why "small inspector, since the program has no assembly mscorlib" "$tmp/folder.out"
contains folder/report '"smallInspector": "the program has no assembly mscorlib"' "$tmp/report.json"
starts folder "$tmp/folder/App"
(cd "$tmp/folder" && ILPATCH_OUTPUT=v%p ./App >/dev/null 2>"$tmp/folder.err"; mv v[0-9]* "$tmp/folder.file")
same folder/file "$here/values.txt" "$tmp/folder.file"
check folder/file-alone "" "$(cat "$tmp/folder.err")"
check folder/count "ilpatch: 1 values,ilpatch: 2 values,ilpatch: 4 values,ilpatch: 8 values,ilpatch: 16 values" \
    "$(ILPATCH_COUNT=1 "$tmp/folder/App" 2>&1 >/dev/null | paste -sd ,)"
check folder/tostring 'App::Object -> "a shape" (Shape)' "$(ILPATCH_TOSTRING=1 "$tmp/folder/App" 2>&1 >/dev/null | grep Object)"
cp "$tmp/folder/App.dll" "$tmp/once.dll"
patch folder --verify "$tmp/folder/App.dll"
check folder/again 0 "$(cmp "$tmp/once.dll" "$tmp/folder/App.dll" >/dev/null; echo $?)"
contains folder/verified "verified: nothing new" "$tmp/folder.out"
"$ilpatch" restore "$tmp/folder/App.dll"
as_published folder/restored folder app

patch embed --embed "$tmp/folder/App.dll"
check embed/exit-code 0 $code
check embed/no-second-file "" "$(ls "$tmp/folder" | grep MyProfiler)"
starts embed "$tmp/folder/App"
"$ilpatch" restore "$tmp/folder/App.dll"
as_published embed/restored folder app

# ---- with a cache ----

cached() { # NAME UNCHANGED
    check "cache/$1" 0 "$("$ilpatch" inspect --cache "$tmp/cache" -o "$tmp/new" "$tmp/app" >"$tmp/cache.out" 2>"$tmp/cache.err"; echo $?)"
    check "cache/$1-unchanged" "$2" "$(sed -n 's/.*: \([0-9]*\) patched before and unchanged$/\1/p' "$tmp/cache.out")"
}
cached first ''
cp -r "$tmp/new" "$tmp/first"
rm "$tmp/new/MyProfiler.dll"
cached again 1
check cache/same '' "$(diff -r "$tmp/first" "$tmp/new" 2>&1)"
starts cache "$tmp/new/App"

# ---- without a file changed ----

# runs NAME FOLDER: as any other program
runs() {
    check "run-$1/output-and-exit-code" "8,6" "$({ "$ilpatch" run -o "$tmp/$1.txt" -- "$tmp/$2/App" 2>"$tmp/$1.err"; echo $?; } | paste -sd ,)"
    check "run-$1/nothing-reported" 1 "$(wc -l <"$tmp/$1.err")"
    check "run-$1/values" 'App::Int -> -3 (System.Int32),App::Main -> 6 (System.Int32)' "$(grep -E '^App::(Int|Main) ' "$tmp/$1.txt" | paste -sd ,)"
    passes "run-$1/exceptions" sh -c "'$ilpatch' run -q --args --exceptions -o '$tmp/$1.ends' -- '$tmp/$2/App' >'$tmp/$1.out'; [ \$? -eq 6 ]"
    contains "run-$1/exceptions-shown" 'App::Throws(n: 3) threw {Message="n is 3"} (System.InvalidOperationException)' "$tmp/$1.ends"
    contains "run-$1/void-shown" 'App::Fail(n: 3) -> void' "$tmp/$1.ends"
    check "run-$1/not-the-framework" "" "$(grep '^System' "$tmp/$1.txt" | head -n 1)"
}
runs folder app
cp -r "$tmp/app" "$tmp/hooks"
sed -i 's/"System.StartupHookProvider.IsSupported": false/"System.StartupHookProvider.IsSupported": true/' "$tmp/hooks/App.runtimeconfig.json"
runs hooks hooks
"$ilpatch" run --inspector full -- "$tmp/hooks/App" >"$tmp/run.out" 2>"$tmp/run.err"
check run-full/exit-code 6 $?
contains run-full/says-why "has no mscorlib.dll, which the stock inspector refers to" "$tmp/run.err"
check run-full/output 8 "$(cat "$tmp/run.out")"

# ---- what is missing ----

patch full --inspector full "$tmp/folder/App.dll"
check full/exit-code 3 $code
contains full/says-what "  assembly mscorlib" "$tmp/full.err"
patch full-embed --inspector full --embed "$tmp/folder/App.dll"
check full-embed/exit-code 3 $code
contains full-embed/says-what "  instance void System.Threading.Thread::Interrupt()" "$tmp/full-embed.err"
contains full-embed/says-all "  instance int32 System.Array::GetUpperBound(int32)" "$tmp/full-embed.err"
contains full-embed/says-what-to-do "Use --inspector small, or publish it with PublishTrimmed=false" "$tmp/full-embed.err"
patch core --embed "$tmp/folder/System.Private.CoreLib.dll"
check core-library/exit-code 3 $code
contains core-library/says-what "System.Threading.Thread::Interrupt()" "$tmp/core.err"

compile "$tmp/Own.dll" -target:library "$here/Own.cs"
patch own --inspector "$tmp/Own.dll" "$tmp/folder/App.dll"
check own/exit-code 3 $code
contains own/says-what "  assembly System.Runtime" "$tmp/own.err"
contains own/says-all "  assembly System.Threading" "$tmp/own.err"
patch own-embed --inspector "$tmp/Own.dll" --embed "$tmp/folder/App.dll"
check own-embed/exit-code 3 $code
contains own-embed/says-type "  System.Threading.Barrier" "$tmp/own-embed.err"
contains own-embed/says-member "  instance void System.Threading.Thread::Interrupt()" "$tmp/own-embed.err"
check own-embed/not-what-is-never-called "" "$(grep Mutex "$tmp/own-embed.err")"
as_published missing/nothing-written folder app

# ---- a single file ----

if publish app single -p:PublishSingleFile=true; then
    cp "$tmp/single/App" "$tmp/single.before"
    patch single "$tmp/single/App"
    check single/exit-code 0 $code
    contains single/says-why "small inspector, since the program has no assembly mscorlib" "$tmp/single.out"
    starts single "$tmp/single/App"
    "$ilpatch" restore "$tmp/single/App"
    check single/restored 0 "$(cmp "$tmp/single/App" "$tmp/single.before" >/dev/null; echo $?)"
    runs single single
else
    skip single "$(grep -m 1 error "$tmp/single.log")"
fi

# ---- a service ----

# serve NAME: what it answers, and its exit code
serve() {
    coproc service { exec "$tmp/served/Web" 2>"$tmp/$1.values"; }
    local process=$service_PID address
    read -r address <&"${service[0]}"
    # shellcheck disable=SC1083,SC2093 # it is redirected, not replaced
    exec {input}>&"${service[1]}" {service[1]}>&-
    curl -s --max-time 60 "$address/price/7"
    exec {input}>&-
    wait "$process"
    echo " $?"
}
if publish web web && have curl; then
    cp -r "$tmp/web" "$tmp/served"
    check service/before "10.5 3" "$(serve before)"
    patch service "$tmp/served/Web.dll"
    check service/exit-code 0 $code
    check service/answers "10.5 3" "$(serve service)"
    check service/values 'Shop::Total -> 10.5 (System.Decimal),Shop::Price -> "10.5" (System.String)' \
        "$(grep '^Shop' "$tmp/service.values" | paste -sd ,)"
    "$ilpatch" restore "$tmp/served/Web.dll"
    as_published service/restored served web
else
    skip service "$(grep -m 1 error "$tmp/web.log" || echo "no curl")"
fi
finish
