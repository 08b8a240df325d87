#!/bin/bash
# `ilpatch run` on Mono: the program does what it does alone, nothing of its folder is changed, and what methods return is shown, in
# every assembly, however that was loaded.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/mono_run
scratch mono_run
for tool in mono mcs resgen al; do
    have $tool || { skip mono_run "no $tool"; finish; }
done
unset MONO_ENV_OPTIONS LD_LIBRARY_PATH

# ---- the program ----

app=$tmp/app
"$here/program.sh" "$app" >"$tmp/build.log" 2>&1 || { fail build "$(grep -m 1 -i error "$tmp/build.log")"; finish; }

files() { (cd "$app" && find . -type f -exec sha256sum {} + | sort); }
# offsets of IL move, and the MVID is another one
comparable() { sed 's/\[0x[0-9a-f]*\] in <[0-9a-f]*>//' "$1"; }
files >"$tmp/files"

alone() { # ARGUMENT...
    (cd "$app" && mono App.exe "$@") >"$tmp/before" 2>"$tmp/before.err"
    code=$?
}
# run NAME OPTION... -- ARGUMENT...: as it does alone
run() {
    local name=$1 options=()
    shift
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    (cd "$app" && "$ilpatch" run "${options[@]}" -- mono App.exe "$@") >"$tmp/out" 2>"$tmp/err"
    check "$name: exit code" $code $?
    comparable "$tmp/before" >"$tmp/before.lines"
    comparable "$tmp/out" >"$tmp/lines"
    same "$name: output" "$tmp/before.lines" "$tmp/lines"
    files >"$tmp/files.now"
    same "$name: no file is changed" "$tmp/files" "$tmp/files.now"
}

# ---- values ----

alone a 'b c'
run values -o "$tmp/values" --report "$tmp/report.json" -- a 'b c'
same "values" "$here/values.txt" "$tmp/values"
contains "in its place" "mono: on Mono the stock inspector shows values" "$tmp/err"
check "counts" 1 "$(grep -c '^ilpatch: [0-9]* methods inspected, [0-9]* not; 0 modules left alone' "$tmp/err")"
passes "report: is JSON" python3 -m json.tool "$tmp/report.json" "$tmp/json"
contains "report: the runtime" '"runtime": "Mono ' "$tmp/report.json"
for file in App.exe Lib.dll plug/Plug.dll; do
    contains "report: $file" "\"file\": \"$app/$file\"" "$tmp/report.json"
done
contains "report: bytes" '"file": ""' "$tmp/report.json"
check "report: framework" 1 "$(grep -A 1 '"file": ".*/mscorlib.dll"' "$tmp/report.json" | grep -c '"left": "framework"')"

alone exit
run exit -o "$tmp/values" -- exit
alone throw
run throw -o "$tmp/values" --exceptions -- throw
contains "throw: shown" 'App::Throws threw {Message="no 3"} (System.InvalidOperationException)' "$tmp/values"

# ---- patched already: a stock inspector beside the program is the one that is brought, an embedded one writes for itself ----

for form in beside embedded; do
    options=()
    [ $form = beside ] || options=(--embed)
    cp -r "$app" "$tmp/$form"
    passes "$form: patch" "$ilpatch" inspect -q "${options[@]}" "$tmp/$form/App.exe"
    alone a 'b c'
    (cd "$tmp/$form" && "$ilpatch" run -q -o "$tmp/values" -- mono App.exe a 'b c') >"$tmp/out" 2>"$tmp/err"
    if [ $form = beside ]; then
        same "$form: values" "$here/values.txt" "$tmp/values"
    else
        grep '^\(Lib\.\|Plug\|Raw\)' "$here/values.txt" >"$tmp/others"
        grep -v '^\(Lib\.\|Plug\|Raw\)' "$here/values.txt" >"$tmp/own"
        same "$form: values" "$tmp/others" "$tmp/values"
        grep ' -> ' "$tmp/err" >"$tmp/lines"
        same "$form: its own lines" "$tmp/own" "$tmp/lines"
    fi
done

# ---- which methods, which inspectors ----

alone
run where -o "$tmp/values" --where '<return kind="struct"/>' --
check "where" 9 "$(wc -l <"$tmp/values")"
run method -o "$tmp/values" --method 'Lib.*::*' --args --
check "method" 'Lib.Greeter::Hello(name: "reference") -> "hello reference" (System.String)' "$(head -n 1 "$tmp/values")"
mcs -target:library -out:"$tmp/Own.dll" "$here/Own.cs" >"$tmp/build.log" 2>&1 || fail build "$(cat "$tmp/build.log")"
run own --inspector "$tmp/Own.dll" --method 'Plug::*' --
check "own" "own Plug::Run 16" "$(grep '^own' "$tmp/err")"
run framework --framework -v -o "$tmp/values" --method 'App::Long' --
cat >"$tmp/rules.xml" <<EOF
<rules><include inspector="unmanaged"><method name="Long"/></include></rules>
EOF
run rule -o "$tmp/values" --rules "$tmp/rules.xml" --
check "rule: the stock inspector in its place" 'App::Long -> 1099511627776 (System.Int64)' "$(cat "$tmp/values")"

# ---- what is refused, and what is reported ----

refused() { # NAME TEXT OPTION...
    local name=$1 text=$2
    shift 2
    (cd "$app" && "$ilpatch" run "$@" -- mono App.exe) >"$tmp/out" 2>"$tmp/err"
    check "$name: exit code" 2 $?
    contains "$name" "$text" "$tmp/err"
    check "$name: nothing is started" 0 "$(wc -c <"$tmp/out")"
}
refused json "--json is for values that the profiler shows itself, as it does on CoreCLR" --json
refused when "--when is for values that the profiler shows itself" --when 'result > 3'
refused spool "--spool is for values that the profiler shows itself" --spool "$tmp/spool"

# ---- options of the environment, children ----

(cd "$app" && MONO_ENV_OPTIONS=--debug LD_LIBRARY_PATH=/nowhere mono App.exe) >"$tmp/before" 2>&1
(cd "$app" && MONO_ENV_OPTIONS=--debug LD_LIBRARY_PATH=/nowhere "$ilpatch" run -o "$tmp/values" -- mono App.exe) >"$tmp/out" 2>"$tmp/err"
comparable "$tmp/before" >"$tmp/before.lines"
comparable "$tmp/out" >"$tmp/lines"
same "environment: stays" "$tmp/before.lines" "$tmp/lines"
same "environment: values" "$here/values.txt" "$tmp/values"
(eval "$("$ilpatch" run -q --print-env -- mono)" && cd "$app" && mono App.exe) >"$tmp/out" 2>"$tmp/err"
check "by hand" 1 "$(grep -c '^App::Forty -> {A=1, B=0, C=0, D=0, E=5} (Bytes40)$' "$tmp/err")"

# ---- symbols in Mono's own format, which do not match any more ----

cp -r "$app" "$tmp/debug"
mcs -debug -resource:"$app.words/Words.resources" -r:"$app/Lib.dll" -out:"$tmp/debug/App.exe" "$here/app/App.cs" >"$tmp/build.log" 2>&1 ||
    fail build "$(cat "$tmp/build.log")"
(cd "$tmp/debug" && "$ilpatch" run -q -o "$tmp/values" -- mono --debug App.exe) >"$tmp/out" 2>"$tmp/err"
check "mdb: Mono has nothing to say of it" 1 "$(wc -l <"$tmp/err")"

# ---- precompiled code ----

cp -r "$app" "$tmp/aot"
if (cd "$tmp/aot" && mono --aot App.exe) >"$tmp/aot.log" 2>&1 && [ -s "$tmp/aot/App.exe.so" ]; then
    (cd "$tmp/aot" && "$ilpatch" run -o "$tmp/values" -- mono App.exe) >"$tmp/out" 2>"$tmp/err"
    check "precompiled: exit code" 3 $?
    same "precompiled: is not used" "$here/values.txt" "$tmp/values"
else
    skip precompiled "$(tail -n 1 "$tmp/aot.log")"
fi

# ---- a real program: the compiler ----

compiler=$(find /usr/lib/mono/4.5 -name mcs.exe 2>/dev/null)
mono "$compiler" -target:library -out:"$tmp/before.dll" "$here/lib/Lib.cs"
"$ilpatch" run -o "$tmp/values" --where '<return kind="struct"/>' -- mono "$compiler" -target:library -out:"$tmp/after.dll" "$here/lib/Lib.cs" >"$tmp/out" 2>"$tmp/err"
check "compiler: exit code" 0 $?
check "compiler: makes the same" "$("$ilpatch" dump --methods "$tmp/before.dll" | sha256sum)" "$("$ilpatch" dump --methods "$tmp/after.dll" | sha256sum)"
check "compiler: is shown" yes "$([ "$(grep -c '^Mono.CSharp' "$tmp/values")" -gt 100 ] && echo yes)"
finish
