# shellcheck shell=bash disable=SC2154
# `ilpatch ps`, and what keeps `ilpatch attach` from a process, with processes that are played: one that has files mapped under the names of a
# runtime, or answers as its diagnostics server. Real ones are in tests/runtime/ps. Sourced by run.sh.

# elf FILE CLASS MACHINE: the beginning of one
elf() { needs_linux "ELF files" && mkdir -p "$(dirname "$1")" && { printf "\\x7fELF\\x0$2\\x01\\x01"; head -c 11 /dev/zero; printf "\\x$(printf %02x "$3")\\x00"; head -c 4096 /dev/zero; } >"$1"; }

# A process that has these files mapped, as $process; ended by `unmap`.
map() { # [--socket] FILE...
    needs_linux "files mapped as a runtime maps them"
    have python3 || skip_case "no python3"
    rm -f pid
    [ -p in ] || mkfifo in
    export TMPDIR=$PWD
    python3 "$here/mapped_process.py" pid "$@" <in &
    mapper=$!
    exec 8>in
    awaits test -s pid
    process=$(cat pid)
}
unmap() {
    exec 8>&-
    wait "$mapper"
}

# Both say the same: `ps` that attach is not possible for this reason (a word), and `attach` in these words.
keeps_out() { # WORD TEXT...
    local word=$1
    shift
    expect 0 ps --json "$process"
    [ "$(jq -r '.processes[0] | "\(.process) \(.attach) \(.reason)"' out)" = "$process false $word" ] || die "not $word: $(cat out)"
    expect 0 ps "$process"
    says out "$@"
    expect 3 attach "$process"
    says err "cannot attach to process $process: " "$@"
}

core=shared/Microsoft.NETCore.App/10.0.1/libcoreclr.so
own_class=2 own_machine=
[ "$system" != Linux ] || own_machine=$(od -An -tu2 -j18 -N2 "$build/ilpatch" | tr -d ' ') # e_machine
needs_jq() { have jq || skip_case "no jq"; }

test_ps_lists() {
    needs_jq
    play attach
    expect 0 ps
    grep -q "^ *$process  .*\.NET 10\.0\.1 *yes .*played_runtime\.py" out || die "$(cat out)"
    expect 0 ps --json
    [ "$(jq -r ".processes[] | select(.process == $process) | \"\(.version) \(.architecture) \(.assembly) \(.attach) \(.answers)\"" out)" = \
        "10.0.1 x64 Played true true" ] || die "$(cat out)"
    kill "$player"
    expect 3 ps $$
    says err "process $$ is not there, or is not of .NET"
    expect 3 ps 4194305
    for wrong in x 0 -1 1x 99999999999; do
        expect 2 ps -- $wrong
        says err "'$wrong' is not the number of a process"
    done
    expect 2 ps --color often
    expect 2 ps --what
    expect 0 ps --help
    says out 'ilpatch ps [options] [PID...]' 'Exit codes'
}

# Neither of these keeps others from the list, or takes longer than the time that all have together.
test_ps_hanging_and_lying() {
    needs_jq
    local modes=(hangs garbles closes babbles 0x80131385) players=() numbers=()
    for mode in "${modes[@]}" attach; do
        play "$mode"
        players+=("$player") numbers+=("$process")
    done
    kill -STOP "${players[3]}"
    expect 0 ps --json
    for i in "${!modes[@]}"; do
        [ "$(jq -r ".processes[] | select(.process == ${numbers[i]}) | \"\(.attach) \(.answers)\"" out)" = "true false" ] || die "${modes[i]}: $(cat out)"
    done
    [ "$(jq -r ".processes[] | select(.process == ${numbers[5]}) | \"\(.attach) \(.answers)\"" out)" = "true true" ] || die "the one that answers: $(cat out)"
    [ "$(jq -r ".processes[] | select(.process == ${numbers[3]}) | .stopped" out)" = true ] || die "the one that is stopped: $(cat out)"
    expect 0 ps "${numbers[3]}"
    says out 'it is stopped: attach waits until it goes on'
    kill -CONT "${players[3]}"
    kill "${players[@]}"
}

test_ps_text_is_safe() {
    needs_linux "a diagnostics socket"
    local name=$'bad\e[31m\nname'
    have python3 || skip_case "no python3"
    cp "$here/played_runtime.py" "$name"
    export TMPDIR=$PWD
    rm -f pid
    python3 "$name" pid attach >said 2>&1 &
    player=$!
    awaits test -s pid
    expect 0 ps "$(cat pid)"
    says out 'bad\x1B[31m\x0Aname'
    [ "$(wc -l <out)" = 2 ] || die "$(cat out)"
    kill "$player"
}

test_ps_colors() {
    play attach
    expect 0 ps --color always "$process"
    says out $'\e[32myes' $'\e[m'
    expect 0 ps "$process"
    ! grep -q $'\e' out || die "colours in a file"
    kill "$player"
}

test_ps_versions() {
    needs_jq
    export PLAYED_VERSION=6.0.36
    play attach
    unset PLAYED_VERSION
    keeps_out too-old "it runs on .NET 6.0.36: attach needs .NET 8 or later" "ilpatch inspect"
    kill "$player"
    elf ${core/10.0.1/7.0.20} $own_class "$own_machine"
    map --socket ${core/10.0.1/7.0.20} # which does not answer
    keeps_out too-old "it runs on .NET 7.0.20"
    unmap
}

test_ps_other_runtimes() {
    needs_linux "files mapped as a runtime maps them"
    needs_jq
    elf lib/libmonosgen-2.0.so.1 $own_class "$own_machine"
    map lib/libmonosgen-2.0.so.1
    keeps_out mono "it runs on Mono, which has another profiling interface" "Patch the files instead: ilpatch inspect"
    unmap
    echo '__attribute__((section("__managedcode"))) int code(void) { return 5; } int main(void) { code(); getchar(); }' >aot.c
    cc -include stdio.h -o aot aot.c 2>cc.log || skip_case "no C compiler"
    [ -p in ] || mkfifo in
    ./aot <in &
    process=$!
    exec 8>in
    awaits sh -c "[ \$(readlink /proc/$process/exe) = $PWD/aot ]"
    keeps_out native-aot "it is compiled ahead of time (PublishAot)" "Publish without PublishAot."
    exec 8>&-
    wait $process
}

test_ps_processor() {
    needs_jq
    elf $core 2 243
    map --socket $core
    keeps_out processor "its runtime is for riscv64, and this ilpatch for" "Use an ilpatch built for riscv64."
    unmap
}

test_ps_diagnostics() {
    needs_jq
    elf $core $own_class "$own_machine"
    for name in DOTNET_EnableDiagnostics COMPlus_EnableDiagnostics DOTNET_EnableDiagnostics_IPC DOTNET_EnableDiagnostics_Profiler; do
        export $name=0
        map $core
        unset $name
        keeps_out diagnostics-off "$name=0 is set in it: its runtime loads no profiler then"
        unmap
    done
    map $core
    keeps_out no-socket "it has no diagnostics socket in $PWD"
    unmap
}

test_ps_suspended() {
    needs_jq
    elf $core $own_class "$own_machine"
    elf System.Private.CoreLib.dll $own_class "$own_machine"
    export DOTNET_DefaultDiagnosticPortSuspend=1
    map --socket $core
    keeps_out suspended "it waits at its start until a tool resumes it (DOTNET_DefaultDiagnosticPortSuspend=1)"
    unmap
    map --socket $core System.Private.CoreLib.dll
    unset DOTNET_DefaultDiagnosticPortSuspend
    expect 0 ps --json "$process"
    [ "$(jq '.processes[0].attach' out)" = true ] || die "resumed: $(cat out)"
    unmap
}

# Each of the table is known by its library and by its class.
test_ps_profilers() {
    needs_jq
    local name class library
    elf $core $own_class "$own_machine"
    sed -n 's/^PROFILER("\(.*\)", "\({.*}\)", "\?\([^")]*\)"\?)$/\1|\2|\3/p' "$here/../../tools/launch/other_profilers.def" >known
    [ "$(wc -l <known)" -ge 10 ] || die "the table: $(cat known)"
    while IFS='|' read -r name class library; do
        if [ "$library" != NULL ]; then
            elf "lib/$library" $own_class "$own_machine"
            map --socket $core "lib/$library"
            keeps_out other-profiler "a profiler is in it already, and a runtime takes one only: $name ($PWD/lib/$library)" "ilpatch inspect"
            unmap
        fi
        elf lib/agent.so $own_class "$own_machine"
        export CORECLR_ENABLE_PROFILING=1 CORECLR_PROFILER=$class CORECLR_PROFILER_PATH=$PWD/lib/agent.so
        expect 2 run -- dotnet app/Shop.dll
        says err "CORECLR_PROFILER is set to another profiler: $name ($class, $PWD/lib/agent.so)" "ilpatch inspect app/Shop.dll"
        map --socket $core lib/agent.so
        unset CORECLR_ENABLE_PROFILING CORECLR_PROFILER CORECLR_PROFILER_PATH
        keeps_out other-profiler "takes one only: $name ($class, $PWD/lib/agent.so)"
        unmap
    done <known
    # one that is named, but was not loaded, is none
    export CORECLR_ENABLE_PROFILING=1 CORECLR_PROFILER='{00000000-0000-0000-0000-000000000001}' CORECLR_PROFILER_PATH=/missing/agent.so
    map --socket $core
    unset CORECLR_ENABLE_PROFILING CORECLR_PROFILER CORECLR_PROFILER_PATH
    expect 0 ps --json "$process"
    [ "$(jq '.processes[0].attach' out)" = true ] || die "not loaded: $(cat out)"
    unmap
    elf lib/libilpatch_profiler.so $own_class "$own_machine"
    map --socket $core lib/libilpatch_profiler.so
    keeps_out own-profiler "a profiler is in it already, and stays: ilpatch's own"
    unmap
}

test_ps_musl() {
    needs_jq
    elf $core $own_class "$own_machine"
    elf lib/ld-musl-x86_64.so.1 $own_class "$own_machine"
    map --socket $core lib/ld-musl-x86_64.so.1
    keeps_out musl "its C library is musl, and the profiler is built for glibc" "ilpatch inspect"
    unmap
}

# What another user has is not shown to us, but that there is something.
test_ps_other_user() {
    needs_linux "several users"
    needs_jq
    [ "$(id -u)" = 0 ] && have setpriv || skip_case "needs root and setpriv"
    chmod 755 . ..
    mkdir -m 755 bin
    cp "$(dirname "$ilpatch")"/{ilpatch,libilpatch_profiler.so,MyProfiler.dll} bin/
    play attach
    local other=(setpriv --reuid 65534 --regid 65534 --clear-groups env TMPDIR="$PWD" "$PWD/bin/ilpatch")
    "${other[@]}" ps --json "$process" >out 2>err || die "$(cat err)"
    [ "$(jq -r '.processes[0] | "\(.attach) \(.reason) \(.user)"' out)" = "false other-user root" ] || die "$(cat out)"
    "${other[@]}" attach "$process" >out 2>err
    [ $? = 3 ] || die "$(cat err)"
    says err "cannot attach to process $process: it belongs to another user" "Run ilpatch as that user, or as root."
    kill "$player"
}
