# shellcheck shell=bash
# Windows x64: x86_64-w64-mingw32-gcc, wine64, and the libraries of ports/libraries.sh. Library and command are built, unit tests run, and files
# that the command patches there are compared with those that it patches here, as are the values that a program on .NET for Windows shows, and its calls. Sourced by tests/platforms/run.sh.

target=x86_64-w64-mingw32
windows=$build/windows
export WINEPREFIX=$ports/wine WINEDEBUG=-all
unset TMPDIR # wine looks for its server there, and two servers would overwrite each other's registry

wine() { timeout 300 /usr/lib/wine/wine64 "$@" </dev/null; }

# One unit test program: its tests that failed but are not left out.
unit_failures() {
    local name
    name=$(basename "$1" .exe)
    wine "$1" >"$tmp/$name.log" 2>&1 || [ -s "$tmp/$name.log" ] || echo "$name"
    grep -q '^\[==========\].*run\.' "$tmp/$name.log" || echo "$name"
    sed -n 's/^\[  FAILED  \] \([a-zA-Z0-9_]*\).\{0,1\}$/\1/p' "$tmp/$name.log" | sort -u | while read -r test; do
        grep -q "^$name/$test " tests/platforms/windows/left-out.txt || echo "$name/$test"
    done
}

# The command's own tests, in two halves at a time, with .NET where Windows has it. What is for Linux alone they skip themselves.
commands_on_windows() { # [NAME...]
    local half halves=('a b c d e f g h i' 'j k l m n o p q r s t u v w x y z')
    [ $# -eq 0 ] || halves=("$*")
    # TMPDIR is where wine looks for its server; to programs there the two names are one.
    printf '#!/bin/sh\nexec env -u TMPDIR tmpdir="$TMPDIR" /usr/lib/wine/wine64 "%s" "$@"\n' "$windows/ilpatch.exe" >"$tmp/ilpatch"
    chmod +x "$tmp/ilpatch"
    mkdir "$tmp/programs" # those of Linux that tests start, but for a shell
    $target-gcc -o "$tmp/programs/touch.exe" tests/platforms/windows/touch.c
    cp "$tmp/programs/touch.exe" "$tmp/programs/true.exe"
    ln -sfn "${framework%/shared/*}" "$WINEPREFIX/drive_c/Program Files/dotnet"
    for half in "${!halves[@]}"; do
        # shellcheck disable=SC2086 # beginnings of names
        WINEPATH=Z:$tmp/programs CC=$target-gcc BUILD=$windows ILPATCH=$tmp/ilpatch ILPATCH_SYSTEM=Windows tests/command/run.sh ${halves[half]} >"$tmp/command.$half" 2>&1 &
    done
    wait
    for half in "$tmp"/command.[0-9]; do # an end without totals is a failure that no list has
        [[ $(tail -n 1 "$half") =~ ^[0-9]+\ passed, ]] || echo "FAIL no_end: $(tail -n 1 "$half")" >>"$half"
        cat "$half"
    done >"$tmp/command"
    commands_fail_as_known "$(grep -v '^#' tests/platforms/windows/command.txt)" "$@"
}

units_on_windows() {
    local programs failures
    if ! make -s -j2 CC=$target-gcc AR=$target-ar PORT="$ports/$target" BUILD="$windows" units >"$tmp/units.build" 2>&1; then
        fail 'unit tests build' "$(grep -m 1 -E 'error|undefined' "$tmp/units.build")" "$tmp/units.build"
        return
    fi
    programs=$(find "$windows/tests" -name 'test_*.exe' | sort)
    export -f unit_failures wine
    export tmp
    failures=$(xargs -P 2 -I{} bash -c 'unit_failures {}' <<<"$programs")
    if [ -z "$failures" ]; then
        ok "unit tests: $(wc -l <<<"$programs") programs"
        ran units "$(wc -l <<<"$programs") programs, $(cat "$tmp"/test_*.log | grep -c '^\[       OK \]') tests"
    else
        fail 'unit tests' "${failures//$'\n'/ }"
    fi
}

# Real assemblies, patched by both: each file that is there afterwards has the same bytes.
same_bytes() {
    local count=$1 there
    mkdir -p "$tmp/here" "$tmp/there"
    find "$framework" -maxdepth 1 -name '*.dll' | sort | awk -v n="$count" '{ file[NR] = $0 } END { for (i = 1; i <= n && i <= NR; i++) print file[int(1 + (i - 1) * NR / n)] }' |
        xargs -I{} cp {} "$tmp/here"
    cp samples/Shop.exe "$tmp/here"
    cp tests/command/files/*.dll tests/command/files/*.pdb "$tmp/here" 2>/dev/null
    cp -r "$tmp/here/." "$tmp/there"
    (cd "$tmp/here" && "$ilpatch" inspect --framework --in-place --embed --exclude MyProfiler.dll . >../here.out 2>&1)
    (cd "$tmp/there" && DOTNET_ROOT="Z:$(dirname "$(dirname "$(dirname "$framework")")")" wine "$windows/ilpatch.exe" inspect --framework --in-place --embed --exclude MyProfiler.dll . >../there.out 2>&1)
    there=$(find "$tmp/here" -type f | wc -l)
    if ! diff -rq "$tmp/here" "$tmp/there" >"$tmp/differ"; then
        fail 'the same bytes' "$(wc -l <"$tmp/differ") of $there files differ" "$tmp/differ"
    elif ! diff "$tmp/here.out" "$tmp/there.out" >"$tmp/differ"; then
        fail 'the same words' "$(head -n 1 "$tmp/differ")" "$tmp/differ"
    else
        ok "the same bytes: $there files"
        ran bytes "$there files"
    fi
}

# Patched with the inspector beside it, listed, verified, restored: as here, and by paths as Windows has them.
shop_on_windows() {
    mkdir -p "$tmp/shop/a folder"
    cp samples/Shop.exe "$tmp/shop/a folder/Žluťoučký.exe"
    (cd "$tmp/shop" && wine "$windows/ilpatch.exe" --inspect-returns 'a folder\Žluťoučký.exe') >"$tmp/shop.out" 2>&1
    if ! grep -q '7 of 9 methods inspected' "$tmp/shop.out"; then
        fail 'a path of Windows' "$(head -n 1 "$tmp/shop.out")"
        return
    fi
    wine "$windows/ilpatch.exe" restore "Z:$(tr / '\\' <<<"$tmp/shop/a folder/")Žluťoučký.exe" >"$tmp/restore.out" 2>&1
    if cmp -s samples/Shop.exe "$tmp/shop/a folder/Žluťoučký.exe"; then
        ok 'patched and restored by paths of Windows'
    else
        fail 'restored by a path with a drive' "$(head -n 1 "$tmp/restore.out")"
    fi
}

# A program on the runtime for Windows shows the values that it shows here, by the profiler and by the inspector.
values_on_windows() {
    local folder=$ports/windows-shop how
    publish Shop samples/Shop.cs || { skip 'values' "the program cannot be published: $(tail -n 1 "$tmp/publish.out")"; return; }
    "$ilpatch" run -- dotnet exec samples/Shop.exe 2>&1 | grep -v '^ilpatch:' | tr -d '\r' >"$tmp/values.here"
    for how in unmanaged full; do
        (cd "$folder" && wine "$windows/ilpatch.exe" run --inspector "$how" -- Shop.exe 'an "odd" argument\') 2>&1 | grep -v '^ilpatch:' | tr -d '\r' >"$tmp/values.$how"
        if cmp -s "$tmp/values.here" "$tmp/values.$how"; then
            ok "run: the same lines as here, $how"
        else
            fail "run: the same lines as here, $how" "$(diff "$tmp/values.here" "$tmp/values.$how" | sed -n 2p)" "$tmp/values.$how"
            return
        fi
    done
    ran run yes
    ran values "$(grep -c -- '->' "$tmp/values.here")"
}

# windows_program NAME SOURCE OPTION...: NAME/Shop.exe there, NAME-here/Shop.dll here
windows_program() {
    mkdir -p "$tmp/$1"
    cp -rs "$ports/windows-shop/." "$tmp/$1"
    rm "$tmp/$1/Shop.dll"
    compile "$tmp/$1-here/Shop.dll" -unsafe "${@:2}"
    runs_with_framework "$tmp/$1-here/Shop.dll"
    cp "$tmp/$1-here/Shop.dll" "$tmp/$1/"
}

# windows_trace NAME PROGRAM OPTIONS [ARGUMENT...]: the program's output in NAME.out, the spool in NAME.spool, what the command says in NAME.said
windows_trace() {
    local name=$1 folder=$tmp/$2 options
    read -r -a options <<<"$3"
    shift 3
    rm -f "$tmp/$name.spool"
    (cd "$folder" && wine "$windows/ilpatch.exe" trace "${options[@]}" --spool "Z:$tmp/$name.spool" -- Shop.exe "$@") >"$tmp/$name.crlf" 2>"$tmp/$name.said"
    tr -d '\r' <"$tmp/$name.crlf" >"$tmp/$name.out"
}
windows_spool() { dotnet exec "$tmp/Spool.dll" "$tmp/$1.spool" "$2"; }

# Of each enter the stack was compared, and no difference is reported.
windows_compared() {
    sed -n 's/.*recorded \([0-9]*\) enters,.* \([0-9]*\) snapshots$/\1 \2/p' "$tmp/$1.said" | awk '$1 == $2 && $1 > 2500 { print "same" }'
}

# Calls of all kinds, by fast and by slow hooks, with and without tiers: the program is unharmed, each call has its end, both have the same calls, and
# at each of them the stack is the runtime's own. Without the part `native`: exceptions that go on into native code end nowhere under wine 8, without the
# profiler as well.
trace_calls_on_windows() {
    local tiered kind options name parts='generics exceptions tails threads'
    windows_program calls tests/runtime/hooks/Calls.cs
    # shellcheck disable=SC2086
    dotnet exec "$tmp/calls-here/Shop.dll" $parts >"$tmp/calls.plain"
    for tiered in 1 0; do
        for kind in fast slow; do
            name=calls-$kind$tiered
            options='--check-stacks 1'
            [ $kind = fast ] || options="$options --slow"
            # shellcheck disable=SC2086
            DOTNET_TieredCompilation=$tiered DOTNET_TC_CallCountingDelayMs=36EE80 DOTNET_TailCallOpt=0 DOTNET_FastTailCalls=0 \
                windows_trace $name calls "$options" $parts
            same "trace: output, $kind (tiers: $tiered)" "$tmp/calls.plain" "$tmp/$name.out"
            check "trace: each call has its end, $kind (tiers: $tiered)" 'crossed 0' "$(windows_spool $name balance)"
            check "trace: all stacks are the runtime's, $kind (tiers: $tiered)" same "$(windows_compared $name)"
            windows_spool $name stacks >"$tmp/$name.stacks"
        done
        same "trace: fast is slow (tiers: $tiered)" "$tmp/calls-fast$tiered.stacks" "$tmp/calls-slow$tiered.stacks"
    done
    # With hooks the JIT makes none of its own accord there: those that IL requests.
    mkdir "$tmp/tails"
    "$ilpatch" tail add -q -o "$tmp/tails/Shop.dll" "$tmp/calls-here/Shop.dll" >"$tmp/log" 2>&1
    cp "$tmp/tails/Shop.dll" "$tmp/calls/"
    # shellcheck disable=SC2086
    windows_trace calls-tails calls '--check-stacks 1' $parts
    same 'trace: output, tail calls' "$tmp/calls.plain" "$tmp/calls-tails.out"
    check 'trace: each call has its end, tail calls' 'crossed 0' "$(windows_spool calls-tails balance)"
    check 'trace: a tail call of the framework' 'Calls::Sleep 5 0 5 0' "$(windows_spool calls-tails ends | grep '^Calls::Sleep ')"
    check "trace: all stacks are the runtime's, tail calls" same "$(windows_compared calls-tails)"
}

# What is returned in each way, with hooks in the program's own methods and in all.
trace_returned_on_windows() {
    local tiered
    windows_program returned tests/platforms/windows/Returned.cs
    dotnet exec "$tmp/returned-here/Shop.dll" >"$tmp/returned.plain"
    for tiered in 1 0; do
        DOTNET_TieredCompilation=$tiered windows_trace returned returned ''
        same "trace: values of all sizes (tiers: $tiered)" "$tmp/returned.plain" "$tmp/returned.out"
    done
    DOTNET_TieredCompilation=0 windows_trace returned returned --framework
    same 'trace: values of all sizes, in the framework too' "$tmp/returned.plain" "$tmp/returned.out"
}

# Arguments and values as on Linux.
trace_values_on_windows() {
    local tiered
    windows_program values tests/runtime/hooks/Values.cs
    expected tests/runtime/hooks/values.expected >"$tmp/values.expected"
    for tiered in 1 0; do
        DOTNET_TieredCompilation=$tiered windows_trace values$tiered values --values
        windows_spool values$tiered values | grep -v '::\.ctor' >"$tmp/values$tiered.values"
        same "trace: values (tiers: $tiered)" "$tmp/values.expected" "$tmp/values$tiered.values"
    done
}

# The caller of a runtime-async method crashes where a hook leaves something in the register of its continuation.
trace_async_on_windows() {
    local tiered
    windows_program async tests/runtime/programs/runtimeasync/RuntimeAsync.cs -features:runtime-async=on -nowarn:SYSLIB5007
    export DOTNET_RuntimeAsync=1
    dotnet exec "$tmp/async-here/Shop.dll" >"$tmp/async.plain"
    "$ilpatch" trace -q --spool "$tmp/async.spool" -- dotnet exec "$tmp/async-here/Shop.dll" >"$tmp/log" 2>&1
    windows_spool async ends >"$tmp/async.ends"
    for tiered in 1 0; do
        DOTNET_TieredCompilation=$tiered windows_trace async async ''
        same "trace: runtime-async methods (tiers: $tiered)" "$tmp/async.plain" "$tmp/async.out"
        windows_spool async ends >"$tmp/async.ended"
        same "trace: their calls are those of here (tiers: $tiered)" "$tmp/async.ends" "$tmp/async.ended"
    done
    windows_trace async async --slow
    same 'trace: runtime-async methods, slow' "$tmp/async.plain" "$tmp/async.out"
    contains 'trace: runtime-async methods are left alone, slow' 'runtime-async methods are not traced' "$tmp/async.said"
    unset DOTNET_RuntimeAsync
}

# Each stub is unwound from each of its instructions; the program says how many there are, and how many were wrong.
stubs_on_windows() {
    if ! $target-gcc -O1 -Wall -Wextra -Werror -Isrc -I. tests/platforms/windows/unwind.c elt/stubs_x86_64_windows.S elt/targets.c -o "$tmp/unwind.exe" >"$tmp/log" 2>&1; then
        fail 'stubs: unwound' "$(head -n 1 "$tmp/log")"
    elif wine "$tmp/unwind.exe" >"$tmp/unwound" 2>&1; then
        ok "stubs: unwound from each instruction: $(tr -d '\r' <"$tmp/unwound")"
    else
        fail 'stubs: unwound' "$(head -n 1 "$tmp/unwound")"
    fi
}

trace_on_windows() {
    local failed_before=$failed
    compile "$tmp/Spool.dll" tests/runtime/hooks/Spool.cs
    runs_with_framework "$tmp/Spool.dll"
    # Windows copies what is between the two for each thread, and the linker sorts by name.
    check "trace: a thread's own record is in its memory" '_tls_start hooks_current_word _tls_end ' \
        "$($target-nm -n "$windows/ilpatch_profiler.dll" | awk '$3 ~ /^(_tls_start|hooks_current_word|_tls_end)$/ { print $3 }' | tr '\n' ' ')"
    trace_calls_on_windows
    trace_returned_on_windows
    trace_values_on_windows
    trace_async_on_windows
    BUILD=$windows ILPATCH=$ilpatch tests/platforms/windows/registers.sh "$ports/windows-shop" $target-gcc AR=$target-ar PORT="$ports/$target" >"$tmp/registers" 2>&1
    grep '^FAIL' "$tmp/registers" | cut -c 1-300
    count_results "$tmp/registers"
    [ $failed -ne "$failed_before" ] || ran trace yes
}

# await_line FILE PATTERN: until a line matches, which `has` looks for again
await_line() {
    for _ in {1..40}; do
        grep -q -- "$2" "$1" && return
        sleep 0.25
    done
}

# helper NAME: a program of tests/platforms/windows, built as $tmp/NAME.exe
helper() { $target-gcc -municode -o "$tmp/$1.exe" "tests/platforms/windows/$1.c"; }

# Command lines are taken apart as by Windows itself, which would load a dozen libraries for that.
command_lines_on_windows() {
    $target-gcc -O1 -Iports/windows/src -o "$tmp/command_lines.exe" tests/platforms/windows/command_lines.c ports/windows/src/base/command_line.c
    if wine "$tmp/command_lines.exe" >"$tmp/command_lines"; then
        ok "command lines: $(tr -d '\r' <"$tmp/command_lines")"
    else
        fail 'command lines' "$(head -n 1 "$tmp/command_lines")"
    fi
}

# A program that is started gets its arguments as they were typed.
arguments_on_windows() {
    local arguments=('a b' '' 'a\b' 'a\' 'a b\' 'a b\\' '"' '\"' 'a\\"b c' 'say "a b"' 'C:\x y\' '\\server\share\' 'a/b' '*' '%PATH%' '^&|' "'" 'Žluťoučký' -- -o)
    helper arguments
    printf '[%s]\n' "${arguments[@]}" >"$tmp/arguments.typed"
    wine "$windows/ilpatch.exe" run -- "$tmp/arguments.exe" "${arguments[@]}" >"$tmp/arguments.got" 2>"$tmp/arguments.said"
    if cmp -s "$tmp/arguments.typed" "$tmp/arguments.got"; then
        ok "run: ${#arguments[@]} arguments, with quotes and backslashes"
    else
        fail 'run: arguments' "$(diff "$tmp/arguments.typed" "$tmp/arguments.got" | sed -n 2p)" "$tmp/arguments.got"
    fi
}

# Paths longer than MAX_PATH (260): a file, and a folder.
long_paths_on_windows() {
    local folder=$tmp/long path
    for path in {1..6}; do
        folder=$folder/$path-$(printf '%050d' 0)
    done
    mkdir -p "$folder"
    cp samples/Shop.exe "$folder"
    path=Z:${folder//\//\\}\\Shop.exe
    wine "$windows/ilpatch.exe" inspect "$path" >"$tmp/long.out" 2>&1
    if grep -q '7 of 9 methods inspected' "$tmp/long.out" && [ -e "$folder/Shop.exe.orig" ] && [ -e "$folder/MyProfiler.dll" ]; then
        ok "a path of ${#path} characters: patched"
    else
        fail 'a long path: patched' "$(tail -n 1 "$tmp/long.out")" "$tmp/long.out"
    fi
    wine "$windows/ilpatch.exe" restore "$path" >"$tmp/long.out" 2>&1
    if cmp -s samples/Shop.exe "$folder/Shop.exe" && [ "$(ls "$folder")" = Shop.exe ]; then
        ok 'a long path: restored, and nothing is left'
    else
        fail 'a long path: restored' "$(tail -n 1 "$tmp/long.out")" "$tmp/long.out"
    fi
    wine "$windows/ilpatch.exe" inspect -o "Z:${tmp//\//\\}\\longer" "Z:${tmp//\//\\}\\long" >"$tmp/long.out" 2>&1
    if [ -e "$tmp/longer/${folder#"$tmp/long/"}/MyProfiler.dll" ]; then
        ok 'a folder with long paths: patched'
    else
        fail 'a folder with long paths: patched' "$(tail -n 1 "$tmp/long.out")" "$tmp/long.out"
    fi
}

# A file that another process has open, and does not share: exit code and sentence, and it stays as it is.
held_on_windows() {
    local how code holder
    helper hold
    cp samples/Shop.exe "$tmp/Held.exe"
    wine "$tmp/hold.exe" "$tmp/Held.exe" 12000 >"$tmp/held" &
    holder=$!
    await_line "$tmp/held" '^held'
    for how in inspect 'inspect --in-place' list verify; do
        # shellcheck disable=SC2086
        wine "$windows/ilpatch.exe" $how "$tmp/Held.exe" >"$tmp/held.out" 2>&1
        code=$?
        if [ $code = 3 ] && grep -q 'Held.exe: cannot read: another process has it open and does not share it: close that program first$' "$tmp/held.out"; then
            ok "$how: a file that another process does not share"
        else
            fail "$how: a file that another process does not share" "exit code $code: $(tail -n 1 "$tmp/held.out")" "$tmp/held.out"
        fi
    done
    wait "$holder"
    wine "$windows/ilpatch.exe" inspect "$tmp/Held.exe" >"$tmp/held.out" 2>&1
    wine "$tmp/hold.exe" "$tmp/Held.exe.orig" 5000 >"$tmp/held" &
    holder=$!
    await_line "$tmp/held" '^held'
    wine "$windows/ilpatch.exe" restore "$tmp/Held.exe" >"$tmp/held.out" 2>&1
    code=$?
    if [ $code != 0 ] && grep -q 'another process has it open' "$tmp/held.out" && [ -e "$tmp/Held.exe.orig" ]; then
        ok 'restore: an original that another process does not share'
    else
        fail 'restore: an original that another process does not share' "exit code $code: $(tail -n 1 "$tmp/held.out")" "$tmp/held.out"
    fi
    wait "$holder"
}

# publish NAME SOURCE: a program of one file for Windows, in $ports/windows-NAME, with its runtime beside it
publish() {
    local folder=$ports/windows-${1,,}
    [ ! -e "$folder/$1.exe" ] || return 0
    mkdir -p "$tmp/source-$1"
    cp "$2" "$tmp/source-$1"
    cat >"$tmp/source-$1/$1.csproj" <<'PROJECT'
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework>
<RuntimeIdentifier>win-x64</RuntimeIdentifier><SelfContained>true</SelfContained><InvariantGlobalization>true</InvariantGlobalization></PropertyGroup></Project>
PROJECT
    (cd "$tmp/source-$1" && dotnet publish -c Release -o "$folder") >"$tmp/publish.out" 2>&1 || { rm -rf "$folder"; return 1; }
}

on_windows() { timeout 100 /usr/lib/wine/wine64 "$windows/ilpatch.exe" "$@" </dev/null 2>&1; }

# start_waiting SECONDS: a program that runs for so long; $waiting is its number there
start_waiting() {
    (cd "$ports/windows-wait" && exec timeout "$1" /usr/lib/wine/wine64 Wait.exe "$1" </dev/null >"$tmp/waiting.out" 2>&1) &
    waiting=
    for _ in {1..40}; do
        on_windows ps --json >"$tmp/ps.json" # what wine starts beside a program keeps a pipe open
        waiting=$(sed -n "s/.*\"process\": \([0-9]*\),.*\"version\": .*Wait.exe $1\".*/\1/p" "$tmp/ps.json")
        [ -z "$waiting" ] || return 0
        sleep 0.25
    done
    return 1
}

# has NAME FILE PATTERN: a line of FILE matches
has() {
    if grep -q -- "$3" "$2"; then
        ok "$1"
    else
        fail "$1" "$(tail -n 1 "$2")" "$2"
        attached_well=
    fi
}

# A program that runs already: it is listed, attached to in all ways, explained by doctor, and goes on.
attach_on_windows() {
    local first attached_well=yes
    publish Wait tests/platforms/windows/Wait.cs || { skip 'attach' "the program cannot be published: $(tail -n 1 "$tmp/publish.out")"; return; }
    start_waiting 90 || { fail 'ps: a program that runs' "$(tail -n 1 "$tmp/ps.json")"; return; }
    on_windows ps >"$tmp/ps"
    has 'ps: a program that runs' "$tmp/ps" "^ *$waiting  [^ ]*  *\.NET 10\.[0-9.]*  yes .*/Wait.exe 90$"

    on_windows attach --limit 4 "$waiting" >"$tmp/lines"
    first=$(sed -n 's/^Wait.Program::Next -> \([0-9]*\) .*/\1/p' "$tmp/lines" | head -n 1)
    has 'attach: values' "$tmp/lines" "^Wait.Program::Text -> \"round ${first:-none}\" (System.String)$"
    has 'attach: the methods are counted' "$tmp/lines" '^ilpatch: 2 methods inspected, '

    printf '<rules><include><method name="Text"/></include></rules>\n' >"$tmp/text.xml"
    printf '<rules><include><method name="Next"/></include></rules>\n' >"$tmp/next.xml"
    on_windows attach --rules "$tmp/text.xml" "$waiting" >"$tmp/first" &
    first=$!
    await_line "$tmp/first" '^Wait.Program::Text'
    on_windows attach --limit 2 "$waiting" >"$tmp/second"
    has 'attach: a second command joins' "$tmp/second" 'which others watch already'
    has 'attach: it has the lines of the first' "$tmp/second" '^Wait.Program::Text -> "round '
    on_windows doctor "$waiting" Wait.Program::Text >"$tmp/doctor"
    has 'doctor: what is watched' "$tmp/doctor" '^  called: '
    on_windows doctor "$waiting" Wait.Program::Next >"$tmp/doctor"
    has 'doctor: what is not selected' "$tmp/doctor" '^  not-selected: '
    has 'doctor: the file, as Windows names it' "$tmp/doctor" "^  Z:$ports/windows-wait/Wait.dll$"
    on_windows rules set "$waiting" "$tmp/next.xml" >"$tmp/set"
    await_line "$tmp/first" '^Wait.Program::Next'
    has 'rules set: other methods' "$tmp/first" '^Wait.Program::Next -> '
    on_windows detach "$waiting" >"$tmp/detach"
    wait "$first"
    has 'detach: the other command ends' "$tmp/first" '^ilpatch: 1 method inspected, '
    on_windows detach "$waiting" >"$tmp/detach"
    has 'detach: nothing is watched' "$tmp/detach" "^ilpatch: nothing is watched in process $waiting$"

    on_windows attach -o "$tmp/values.txt" "$waiting" >"$tmp/said"
    sleep 0.5
    on_windows detach "$waiting" >>"$tmp/said"
    has 'attach -o: the process writes the file' "$tmp/values.txt" '^Wait.Program::Text -> "round [0-9]*" (System.String)$'
    on_windows attach --trace -o "$tmp/attached.txt" --for 1s "$waiting" >"$tmp/said"
    has 'attach --trace: calls' "$tmp/attached.txt" 'Wait.Program.Next'
    python3 tests/platforms/windows/interrupt.py 1 /usr/lib/wine/wine64 "$windows/ilpatch.exe" attach --for 60s "$waiting" >"$tmp/interrupt"
    has 'attach: Ctrl-C ends it, and not the program' "$tmp/interrupt" '^ended$'
    on_windows attach --limit 1 "$waiting" >"$tmp/lines"
    has 'attach: again after that' "$tmp/lines" '^Wait.Program::'

    helper pipes
    wine "$tmp/pipes.exe" who "\\\\.\\pipe\\ilpatch-$waiting" | tr -d '\r' >"$tmp/who"
    has 'the pipe is for the user of the process alone' "$tmp/who" '^D:(A;;GA;;;S-1-5-21-[0-9-]*)$'

    on_windows attach "$waiting" >"$tmp/first" &
    first=$!
    await_line "$tmp/first" '^Wait.Program::Text'
    wine taskkill /f /pid "$waiting" >/dev/null 2>&1
    wait "$first"
    has 'attach: the program is killed' "$tmp/first" "^ilpatch: process $waiting ended$"

    start_waiting 20
    wine "$tmp/pipes.exe" take "\\\\.\\pipe\\ilpatch-$waiting" 20000 >"$tmp/taken" &
    await_line "$tmp/taken" '^taken'
    on_windows attach --limit 1 "$waiting" >"$tmp/lines"
    has 'attach: a pipe that another process has made' "$tmp/lines" 'Operation not permitted$'
    (cd "$ports/windows-wait" && DOTNET_EnableDiagnostics=0 wine Wait.exe 5) >/dev/null 2>&1 &
    sleep 2
    on_windows ps >"$tmp/ps"
    has 'ps: diagnostics are switched off' "$tmp/ps" '^        DOTNET_EnableDiagnostics=0 is set in it: '
    [ -z "$attached_well" ] || ran attach yes
    wait
}

framework=$(find /usr/share/dotnet/shared/Microsoft.NETCore.App /usr/lib/dotnet/shared/Microsoft.NETCore.App -mindepth 1 -maxdepth 1 2>/dev/null | sort -V | tail -n 1)
if ! have $target-gcc || [ ! -x /usr/lib/wine/wine64 ]; then
    skip "$target" 'no compiler or no wine64 (./setup.sh platforms)'
elif [ "$whole" != all ] && [ ! -e "$ports/$target/complete" ]; then
    skip "$target" 'no libraries (make ports)'
elif ! ports/libraries.sh $target "$ports/$target" >"$tmp/libraries.out" 2>&1; then
    fail 'libraries' "$(tail -n 1 "$tmp/libraries.out")"
elif ! make -s -j2 CC=$target-gcc AR=$target-ar WERROR=1 PORT="$ports/$target" BUILD="$windows" all >"$tmp/build.out" 2>&1; then
    fail 'builds without a warning' "$(grep -m 1 -E 'error|undefined' "$tmp/build.out")" "$tmp/build.out"
else
    ok 'builds without a warning'
    ran library yes
    mkdir -p "$WINEPREFIX"
    [ -e "$WINEPREFIX/system.reg" ] || wine wineboot -i >"$tmp/wineboot" 2>&1
    /usr/lib/wine/wineserver64 -p60 # one for all programs, which takes ten times as long to start as they do
    shop_on_windows
    stubs_on_windows
    command_lines_on_windows
    arguments_on_windows
    long_paths_on_windows
    held_on_windows
    if [ -z "$framework" ]; then
        skip 'the same bytes, command tests' 'no .NET here'
    elif [ "$whole" = all ]; then
        same_bytes 60
        commands_on_windows
    else
        same_bytes 12
        commands_on_windows bad_files inplace_o streams_
    fi
    if have dotnet && find_sdk; then
        values_on_windows
        [ ! -e "$ports/windows-shop/Shop.exe" ] || trace_on_windows
        attach_on_windows
    else
        skip values 'no .NET SDK 10 or newer'
    fi
    [ "$whole" != all ] || units_on_windows
fi
