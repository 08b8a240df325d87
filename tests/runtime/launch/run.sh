#!/bin/bash
# How `ilpatch run` starts programs of every form, what it hands through, and what it says when the profiler is kept out.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/launch
unset CORECLR_ENABLE_PROFILING CORECLR_PROFILER CORECLR_PROFILER_PATH DOTNET_STARTUP_HOOKS

scratch launch

need_sdk launch

cp -r "$here/app" "$here/lib" "$tmp"
publish() { # FOLDER OPTION...
    local folder=$1
    shift
    TMPDIR=$tmp timeout 1800 dotnet publish "$tmp/app" -c Release -r linux-x64 -v q -o "$tmp/$folder" "$@" >"$tmp/$folder.log" 2>&1
}
run() { # NAME PROGRAM...: with a line to read and an exit code to end with
    local name=$1
    shift
    echo hello | "$ilpatch" run -o "$tmp/$name.txt" -- "$@" 5 >"$tmp/$name.out" 2>"$tmp/$name.err"
    echo $?
}

# ---- every form of a program ----

publish host --no-self-contained || { fail publish "$(grep -m 1 error "$tmp/host.log")"; finish; }
starts() { # NAME PROGRAM...
    check "$1/exit-code" 5 "$(run "$@")"
    check "$1/input-and-output" "hello Green 3 8" "$(cat "$tmp/$1.out")"
    check "$1/values" 'App::Read -> "hello" (System.String),App::Paint -> Green (Color),App::Open -> {Left=3} (Window),Lib::Twice -> 8 (System.Int32),App::Both -> {A=4, B=8} (Pair),App::Main -> 5 (System.Int32)' \
        "$(grep -E '^(App|Lib)::' "$tmp/$1.txt" 2>/dev/null | paste -sd ,)"
    contains "$1/summary" " methods inspected, " "$tmp/$1.err"
}
own_only() { # NAME: no value of the framework is shown, though the program brings it
    check "$1/framework" "" "$(grep -m 1 '^\(System\|Microsoft\|Internal\|Interop\)' "$tmp/$1.txt")"
}
inspected() { # PROGRAM: the assemblies in a single file that would be patched
    "$ilpatch" --inspect-returns --dry-run "$1" | sed -n 's|.*/App/\([^/:]*\.dll\):.*|\1|p' | sort | paste -sd ' '
}
starts dotnet dotnet "$tmp/host/App.dll"

# What is not inspected is counted by its reason; a name that no method has, for one.
says() { # NAME SENTENCE OPTION...
    local name=$1 sentence=$2
    shift 2
    echo hello | "$ilpatch" run "$@" -o "$tmp/said.txt" -- dotnet "$tmp/host/App.dll" 5 >"$tmp/said.out" 2>"$tmp/said.err"
    check "$name" 1 "$(grep -c "^ilpatch: $sentence" "$tmp/said.err")"
}
nothing="no method that ran is selected; ilpatch list ASSEMBLY shows their names"
says no-such-method/hint "$nothing" --method 'App::Wrong'
says no-such-method/verbose "[0-9]* methods: a rule excludes it" --verbose --method 'App::Wrong'
says a-method/no-hint "1 method inspected, " --method 'App::Read'
check a-method/no-hint "" "$(grep "$nothing" "$tmp/said.err")"
says other-methods/verbose "1 method: returns a reference (T&)" --verbose --inspect-returns
starts dotnet-exec dotnet exec --roll-forward Major "$tmp/host/App.dll"
starts host "$tmp/host/App"
starts script sh -c '"$@"' sh "$tmp/host/App"
if publish one --no-self-contained -p:PublishSingleFile=true; then
    starts single-file "$tmp/one/App"
else
    skip single-file "$(grep -m 1 error "$tmp/one.log")"
fi
if publish whole --self-contained -p:PublishSingleFile=true -p:EnableCompressionInSingleFile=true -p:StartupHookSupport=true; then
    starts single-file-with-runtime "$tmp/whole/App"
    own_only single-file-with-runtime
    check single-file-with-runtime/as-in-files "App.dll Lib.dll" "$(inspected "$tmp/whole/App")"
else
    skip single-file-with-runtime "$(grep -m 1 error "$tmp/whole.log")"
fi

# The same with its files in a folder, and with nothing that lists them.
if publish folder --self-contained -p:StartupHookSupport=true; then
    starts with-runtime "$tmp/folder/App"
    own_only with-runtime
    rm "$tmp/folder/App.deps.json"
    starts with-runtime-unlisted "$tmp/folder/App"
    own_only with-runtime-unlisted
    echo hello | "$ilpatch" run --framework --where '<type name="System.Console"/>' -o "$tmp/framework.txt" -- "$tmp/folder/App" 5 >/dev/null 2>&1
    contains with-runtime/framework "System.Console::get_In -> " "$tmp/framework.txt"
    rm "$tmp/folder/mscorlib.dll" # as trimming does
    trimmed=yes
else
    skip with-runtime "$(grep -m 1 error "$tmp/folder.log")"
fi

# What cannot be written is reported before anything is started; an assembly is no program.
check unwritable/exit-code 4 "$("$ilpatch" run -o "$tmp/none/values.txt" -- touch "$tmp/started" 2>"$tmp/unwritable.err"; echo $?)"
check unwritable/not-started absent "$([ -e "$tmp/started" ] && echo there || echo absent)"
check assembly/exit-code 3 "$("$ilpatch" run -- "$tmp/host/App.dll" 2>"$tmp/assembly.err"; echo $?)"
contains assembly/says "dotnet starts it: -- dotnet $tmp/host/App.dll" "$tmp/assembly.err"
(cd samples && "$ilpatch" run -- Shop.exe) 2>"$tmp/assembly.err"
contains assembly/beside-says "dotnet starts it: -- dotnet Shop.exe" "$tmp/assembly.err"
install -m 755 samples/Shop.exe "$tmp/executable.exe" # as all files are that come from Windows: no shell has to read it
"$ilpatch" run -- "$tmp/executable.exe" 2>"$tmp/assembly.err"
contains assembly/executable-says "dotnet starts it: -- dotnet $tmp/executable.exe" "$tmp/assembly.err"

# `dotnet test` starts a process for the tests, and waits for it.
export VSTEST_CONNECTION_TIMEOUT=1800
cp -r "$here/tests" "$tmp"
if ! TMPDIR=$tmp dotnet restore "$tmp/tests" >"$tmp/tests.log" 2>&1; then
    skip dotnet-test "xunit cannot be had: $(grep -m 1 error "$tmp/tests.log")"
elif ! TMPDIR=$tmp dotnet build --no-restore "$tmp/tests" -v q >"$tmp/tests.log" 2>&1; then
    fail dotnet-test/build "$(grep -m 1 error "$tmp/tests.log")"
else
    # without --children nothing of the tests is seen, and that is reported
    TMPDIR=$tmp "$ilpatch" run --where '<type name="Tests"/>' -o "$tmp/alone-%p.txt" -- dotnet test --no-build "$tmp/tests" >"$tmp/alone.out" 2>"$tmp/alone.err"
    check dotnet-test/alone-exit-code 1 $?
    contains dotnet-test/alone-reported "dotnet test starts the application as a process of its own" "$tmp/alone.err"
    check dotnet-test/alone "" "$(cat "$tmp"/alone-*.txt 2>/dev/null)"
    TMPDIR=$tmp "$ilpatch" run --children --where '<type name="Tests"/>' -o "$tmp/tests-%p.txt" --report "$tmp/tests-%p.json" -- \
        dotnet test --no-build "$tmp/tests" >"$tmp/tests.out" 2>"$tmp/tests.err"
    check dotnet-test/exit-code 1 $?
    contains dotnet-test/result "Failed:     1, Passed:     1" "$tmp/tests.out"
    contains dotnet-test/lines "Tests.cs:line 11" "$tmp/tests.out"
    check dotnet-test/values "Tests::Triple -> 21 (System.Int32),Tests::Triple -> 21 (System.Int32)" "$(cat "$tmp"/tests-*.txt | paste -sd ,)"
    check dotnet-test/reports yes "$([ "$(ls "$tmp"/tests-*.json | wc -l)" -ge 2 ] && echo yes)"
fi

# ---- what keeps the profiler out: the program does what it did, and why nothing is shown is reported ----

goes_on() { # NAME SENTENCE PROGRAM...
    local name=$1 sentence=$2
    shift 2
    check "$name/exit-code" 5 "$(run "$name" "$@")"
    check "$name/output" "hello Green 3 8" "$(cat "$tmp/$name.out")"
    contains "$name" "$sentence" "$tmp/$name.err"
}
kept_out() { # NAME SENTENCE PROGRAM...
    local name=$1
    goes_on "$@"
    check "$name/no-values" no "$([ -s "$tmp/$name.txt" ] && echo yes || echo no)"
}
for switch in DOTNET_EnableDiagnostics=0 COMPlus_EnableDiagnostics=0 DOTNET_EnableDiagnostics_Profiler=0 COMPlus_EnableDiagnostics_Profiler=0x0; do
    export ${switch?}
    kept_out "$switch" "$switch is set: the runtime loads no profiler then" "$tmp/host/App"
    unset ${switch%=*}
done
# A profiler takes no options that it may not understand. By hand they are a command line, of any version.
with_options() { # NAME OPTIONS SENTENCE
    # shellcheck disable=SC2016
    "${4-kept_out}" "$1" "$3" sh -c 'export ILPATCH_OPTIONS=$1; shift; exec "$@"' sh "$2" "$tmp/host/App"
}
own=command-version=$("$ilpatch" --version | grep -o '[0-9][0-9.]*' | head -n 1)
with_options other-version "command-version=0.0.1;no-such-key=1" "of version 0.0.1: install both from one version"
with_options unknown-key "$own;no-such-key=1" "knows no option 'no-such-key' that the command ilpatch sets: install both from one version"
with_options wrong-value "$own;framework=yes" "ILPATCH_OPTIONS: framework takes 1, not 'yes'"
with_options wrong-number "--check-stacks many" "ILPATCH_OPTIONS: check-stacks takes a number from 1 on, not 'many'"
with_options own-version "$own;inspect-returns=1" " methods inspected" goes_on
with_options by-hand "--inspect-returns" " methods inspected" goes_on
DOTNET_EnableDiagnostics=1 COMPlus_EnableDiagnostics=0 run newer-name-decides "$tmp/host/App" >"$tmp/code"
contains newer-name-decides " methods inspected" "$tmp/newer-name-decides.err"

# Start-up hooks that are switched off concern managed inspectors alone.
configured() { # FOLDER SETTINGS: a copy with settings of its own
    cp -r "$tmp/host" "$tmp/$1"
    echo "{\"runtimeOptions\":{$2}}" >"$tmp/$1/App.runtimeconfig.json"
}
framework() { echo "\"framework\":{\"name\":\"Microsoft.NETCore.App\",\"version\":\"$1\"}"; }
hooks='"configProperties":{"System.StartupHookProvider.IsSupported":false}'
managed() { # NAME SENTENCE PROGRAM...: the stock inspector cannot get in
    local name=$1 sentence=$2
    shift 2
    echo hello | "$ilpatch" run --inspector full -o "$tmp/$name.txt" -- "$@" 5 >"$tmp/$name.out" 2>"$tmp/$name.err"
    check "$name/exit-code" 5 $?
    check "$name/output" "hello Green 3 8" "$(cat "$tmp/$name.out")"
    contains "$name" "$sentence" "$tmp/$name.err"
    check "$name/no-values" no "$([ -s "$tmp/$name.txt" ] && echo yes || echo no)"
}
configured no-hooks "$(framework 10.0.0),$hooks"
starts no-hooks "$tmp/no-hooks/App"
check no-hooks/nothing-reported 1 "$(wc -l <"$tmp/no-hooks.err")"
starts no-hooks-exec dotnet exec --runtimeconfig "$tmp/no-hooks/App.runtimeconfig.json" "$tmp/host/App.dll"
switched_off="no-hooks/App.runtimeconfig.json switches start-up hooks off, by which the inspector gets in, so nothing will be shown"
managed no-hooks-managed "$switched_off" "$tmp/no-hooks/App"
managed no-hooks-managed-dotnet "$switched_off" dotnet "$tmp/no-hooks/App.dll"
managed no-hooks-managed-exec "$switched_off" dotnet exec --runtimeconfig "$tmp/no-hooks/App.runtimeconfig.json" "$tmp/host/App.dll"
managed no-hooks-managed-script "the inspector was not loaded" sh -c '"$@"' sh "$tmp/no-hooks/App"
if publish one-no-hooks --no-self-contained -p:PublishSingleFile=true -p:StartupHookSupport=false; then
    starts no-hooks-single-file "$tmp/one-no-hooks/App"
    managed no-hooks-managed-single-file "one-no-hooks/App/${switched_off#*/}" "$tmp/one-no-hooks/App"
fi

if [ -n "${trimmed-}" ]; then
    starts trimmed "$tmp/folder/App"
    managed trimmed-managed "folder/App has no mscorlib.dll, which the stock inspector refers to (it was trimmed), so nothing will be shown" "$tmp/folder/App"
    coproc PROGRAM { exec "$tmp/folder/App" stay 2>/dev/null; }
    process=$PROGRAM_PID
    exec 7<&"${PROGRAM[0]}" 8>&"${PROGRAM[1]}"
    echo hello >&8
    read -r line <&7
    "$ilpatch" attach --inspector full "$process" 2>"$tmp/trimmed.err"
    check trimmed-attached/exit-code 3 $?
    contains trimmed-attached "has no mscorlib.dll" "$tmp/trimmed.err"
    "$ilpatch" attach -o /dev/null "$process" 2>"$tmp/trimmed.err"
    check trimmed-attached/unmanaged-exit-code 0 $?
    kill -9 "$process"
    wait "$process"
    check trimmed-attached/program 137 $? # it was there until then
    exec 7<&- 8>&-
fi

# A program for an older .NET, which a newer runtime takes here: nothing is reported.
configured dotnet6 "$(framework 6.0.0)"
DOTNET_ROLL_FORWARD=Major starts dotnet6-on-newer "$tmp/dotnet6/App"
check dotnet6-on-newer/nothing-reported 1 "$(wc -l <"$tmp/dotnet6-on-newer.err")"

# A copy of the command, beside which the profiler is another one.
mkdir "$tmp/installed"
cp "$ilpatch" "$(dirname "$ilpatch")/MyProfiler.dll" "$tmp/installed"
elf() { # CLASS MACHINE: the header of an ELF file, in octal
    printf "\177ELF\\$1\\1\\1\\0\\0\\0\\0\\0\\0\\0\\0\\0\\3\\0\\$2\\0"
    head -c 100 /dev/zero
}
"$tmp/installed/ilpatch" run -- true 2>"$tmp/missing.err"
check missing-profiler/exit-code 3 $?
contains missing-profiler "libilpatch_profiler.so is not there: it is installed beside ilpatch" "$tmp/missing.err"
plain=$ilpatch
ilpatch=$tmp/installed/ilpatch
elf 2 267 >"$tmp/installed/libilpatch_profiler.so"
kept_out processor "App is for x64, but $tmp/installed/libilpatch_profiler.so for arm64" "$tmp/host/App"
kept_out processor-dotnet "dotnet is for x64, but $tmp/installed/libilpatch_profiler.so for arm64" dotnet "$tmp/host/App.dll"
elf 2 76 >"$tmp/installed/libilpatch_profiler.so"
kept_out broken-profiler "It cannot be loaded: $tmp/installed/libilpatch_profiler.so: " "$tmp/host/App"
ilpatch=$plain
elf 1 3 >"$tmp/x86" && chmod +x "$tmp/x86"
run x86 "$tmp/x86" >"$tmp/code"
contains processor-of-program "x86 is for x86, but $(realpath "$(dirname "$ilpatch")")/libilpatch_profiler.so for x64" "$tmp/x86.err"

# Another profiler is not put out of the way without a word, but on request.
export CORECLR_ENABLE_PROFILING=1 CORECLR_PROFILER='{846F5F1C-F9AE-4B07-969E-05C26BC060D8}' CORECLR_PROFILER_PATH_64=/opt/other.so
"$ilpatch" run -- touch "$tmp/touched" 2>"$tmp/other.err"
check other-profiler/exit-code 2 $?
contains other-profiler "set to another profiler: Datadog ({846F5F1C-F9AE-4B07-969E-05C26BC060D8}, /opt/other.so)" "$tmp/other.err"
check other-profiler/not-started no "$([ -e "$tmp/touched" ] && echo yes || echo no)"
echo hello | "$ilpatch" run --replace-profiler -- "$tmp/host/App" >/dev/null 2>"$tmp/replace.err"
contains replaced-profiler 'App::Read -> "hello"' "$tmp/replace.err"
unset CORECLR_ENABLE_PROFILING
CORECLR_PROFILER_PATH_64=/opt/other.so run path-for-processor "$tmp/host/App" >"$tmp/code"
contains path-for-processor 'App::Read -> "hello"' "$tmp/path-for-processor.txt"
unset CORECLR_PROFILER CORECLR_PROFILER_PATH_64

configured old "$(framework 2.1.0)"
run old "$tmp/old/App" >"$tmp/code"
contains old-runtime "old/App.runtimeconfig.json requests .NET Core 2.1: the profiler needs 3.1 or later" "$tmp/old.err"
echo '__attribute__((section("__managedcode"))) int code(void) { return 5; } int main(void) { return code(); }' >"$tmp/aot.c"
cc -o "$tmp/aot" "$tmp/aot.c"
check ahead-of-time/exit-code 5 "$(run aot "$tmp/aot")"
contains ahead-of-time "is compiled ahead of time (PublishAot)" "$tmp/aot.err"
run other sh -c 'exit $0' >"$tmp/code"
check other-program/exit-code 5 "$(cat "$tmp/code")"
contains other-program " is a native program. Either it started no .NET program" "$tmp/other.err"
printf '#!/bin/sh\nexit $1\n' >"$tmp/script.sh" && chmod +x "$tmp/script.sh"
check script/exit-code 5 "$(run script "$tmp/script.sh")"
contains script "script.sh is a script. Either it started no .NET program" "$tmp/script.err"
if command -v mono >/dev/null; then
    "$ilpatch" run -- mono --version >/dev/null 2>"$tmp/mono.err"
    contains mono "Did it get as far as to start its runtime? Options such as --version start none" "$tmp/mono.err"
    "$ilpatch" trace -o "$tmp/mono.txt" -- mono --version >/dev/null 2>"$tmp/mono.err"
    contains mono-trace " has another profiling interface, so nothing will be shown" "$tmp/mono.err"
else
    skip mono "no mono"
fi
"$ilpatch" run -- "$tmp/no such program" 2>"$tmp/none.err"
check no-program 3 $?
contains no-program-reported "cannot start it: No such file" "$tmp/none.err"
check no-program-alone 1 "$(wc -l <"$tmp/none.err")"
"$ilpatch" run --rules "$tmp/none.xml" -- true 2>"$tmp/none.err"
check no-rules 2 $?

# A file that the system does not know is a shell's, found in PATH or not, with our environment.
mkdir "$tmp/plain"
echo 'echo "$1 $ILPATCH_OPTIONS $OWN"; exit 7' >"$tmp/plain/script"
chmod +x "$tmp/plain/script"
for script in "$tmp/plain/script" script; do
    check "shell-$(dirname "${script#"$tmp/"}")" "a $own;inspect-returns=1 mine 7" \
        "$(OWN=mine PATH="$tmp/plain:$PATH" "$ilpatch" run -- "$script" a 2>/dev/null) $?"
done

# ---- rules ----

# Parsed once, by the command, which is what the processes that it starts get; a file that has changed since is parsed again.
echo '<rules><include args="yes"><method name="Twice"/></include></rules>' >"$tmp/parsed.xml"
loads() { # NAME OPTION... -- PROGRAM...: how many processes load libxml2
    local name=$1
    shift
    echo hello | strace -f -qq -e trace=openat -o "$tmp/$name.strace" "$ilpatch" run -o "$tmp/$name.txt" "$@" >/dev/null 2>"$tmp/$name.err"
    grep 'libxml2.*= [0-9]' "$tmp/$name.strace" | cut -d' ' -f1 | sort -u | wc -l
}
if have strace && strace -o /dev/null true 2>/dev/null; then
    check rules-parsed-once "1 Lib::Twice(#1: 4) -> 8 (System.Int32)" \
        "$(loads once --rules "$tmp/parsed.xml" -- dotnet "$tmp/host/App.dll" 5) $(sed 's/(\([a-z]*\): /(#1: /' "$tmp/once.txt")"
    check rules-of-options-parsed-once 1 "$(loads options --args --where '<method name="Twice"/>' -- dotnet "$tmp/host/App.dll" 5)"
    check rules-without-conditions-not-parsed "0 7" "$(loads alone --args --exceptions -- dotnet "$tmp/host/App.dll" 5) $(wc -l <"$tmp/alone.txt")"
    check rules-that-change-are-parsed-again "2 App::Both" "$(loads changed --rules "$tmp/parsed.xml" -- sh -c \
        'sed -i s/Twice/Both/ "$1" && exec dotnet "$2" 5' sh "$tmp/parsed.xml" "$tmp/host/App.dll") $(sed 's/(.*//' "$tmp/changed.txt")"
else
    skip rules-parsed-once "no strace"
fi

# ---- the report ----

answers() { # FILE: each method of the program and its answer, and what was left
    python3 - "$1" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1], encoding="utf-8"))
words = [f'{method["name"]} {method["answer"]}' for module in report["modules"] for method in module.get("methods", [])
         if method["name"].startswith(("App::", "Lib::"))]
left = {module.get("left") or module.get("error") for module in report["modules"]} - {None}
print(", ".join(sorted(words)), "|", ", ".join(sorted(left)))
PYTHON
}
echo hello | "$ilpatch" run -o /dev/null --where '<not><method name="Both"/></not>' --report "$tmp/report-%p.json" -- "$tmp/host/App" >/dev/null 2>"$tmp/report.err"
if have python3; then
    valid_json report/valid report "$tmp"/report-*.json
    check report/answers "App::Both excluded, App::Main inspected, App::Open inspected, App::Paint inspected, App::Read inspected, Lib::Twice inspected | framework" "$(answers "$tmp"/report-*.json)"
else
    skip report/valid "no python3"
fi
check report/alone 1 "$(ls "$tmp"/report-* | grep -vc err)"
echo 'class Empty { }' >"$tmp/Empty.cs"
"$ilpatch" run -o /dev/null --where '<type name="Microsoft.CodeAnalysis.CSharp.SyntaxFacts"/>' --report "$tmp/native.json" -- \
    dotnet exec "$csc" -nologo -noconfig -nostdlib -t:library -out:"$tmp/Empty.dll" "$tmp/Empty.cs" >/dev/null 2>&1
valid_json report/native-valid report "$tmp/native.json"
contains report/native-refused '"nativeRefused": ["0x06' "$tmp/native.json"
mkdir "$tmp/bad" # and gone when the report is written
echo hello | "$ilpatch" run -q -o /dev/null --report "$tmp/bad/r.json" -- sh -c "rmdir $tmp/bad; exec $tmp/host/App 5" >/dev/null 2>"$tmp/bad.err"
check report/unwritable-exit-code 5 $?
contains report/unwritable "cannot write the report $tmp/bad/r.json: No such file or directory" "$tmp/bad.err"
"$ilpatch" run --children --report "$tmp/r.json" -- true 2>/dev/null
check report/children-need-numbers 2 $?
# A process that is killed leaves what was known until then.
mkfifo "$tmp/never"
exec 9<>"$tmp/never"
echo hello >&9
mkfifo "$tmp/up"
TMPDIR=$tmp "$ilpatch" run -q --report "$tmp/killed.json" -- "$tmp/host/App" stay <&9 >"$tmp/up" 2>"$tmp/killed.err" &
exec 8<"$tmp/up"
read -r _ <&8
kill -9 "$(children_of $!)"
wait $!
check report/killed-exit-code 137 $?
check report/killed "$tmp/killed.json" "$(ls "$tmp"/killed.json*)"
valid_json report/killed-valid report "$tmp/killed.json"
contains report/killed-reported-in-it '"complete": false' "$tmp/killed.json"
exec 8<&- 9>&-
contains report/killed-reported "1 of 1 processes ended without their runtime's shutdown" "$tmp/killed.err"

# ---- signals and files ----

"$ilpatch" run -- sh -c 'kill -9 $$' 2>/dev/null
check signal 137 $?

# What is sent to the command alone reaches the program; its own answer to it is the exit code.
mkdir "$tmp/status"
for signal in INT TERM HUP USR1; do
    TMPDIR=$tmp/status env --default-signal "$ilpatch" run -- \
        bash -c "trap 'exit 7' $signal; echo up; while :; do read -t 0.05 <>$tmp/never; done" >"$tmp/up" 2>/dev/null &
    read -r _ <"$tmp/up"
    kill -$signal $!
    wait $!
    check "signal-$signal" 7 $?
done
# When the program has ended signals are the command's own again: here it waits for a reader of its messages.
mkfifo "$tmp/full"
exec 9<>"$tmp/full"
dd if=/dev/zero of="$tmp/full" oflag=nonblock bs=4096 2>/dev/null # until no more goes in
TMPDIR=$tmp env --default-signal "$ilpatch" run -- touch "$tmp/begun" 2>&9 9>&- &
run=$!
over() { [ -e "$tmp/begun" ] && [ -z "$(children_of $run)" ]; }
awaits over
kill -TERM $run
wait $run
check signal-afterwards 143 $?
exec 9>&-
TMPDIR=$tmp/nowhere "$ilpatch" run -- true 2>"$tmp/nowhere.err"
check no-folder-for-temporary-files 0 $? # the counters have no name
check status-files-are-gone "" "$(ls "$tmp/status")"

finish
