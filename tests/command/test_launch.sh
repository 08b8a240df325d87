# shellcheck shell=bash disable=SC2154
# `ilpatch run` with programs that are none of .NET: what is reported where nothing can be shown, and that they run all the same.
# What keeps the profiler out of a real program is seen in tests/runtime/launch. Sourced by run.sh.

test_launch_native_program() {
    expect 0 run -- true
    says err 'true ended, but the profiler was not loaded into it, so nothing was shown' 'is a native program. Either it started no .NET'
    expect 7 run -- sh -c 'exit 7'
    says err 'ended, but the profiler was not loaded'
    expect 3 run -- ./missing
    says err './missing'
}

test_launch_script() {
    needs_linux "scripts that start themselves"
    printf '#!/bin/sh\necho "$1" >said\nexit 5\n' >script
    chmod +x script
    expect 5 run -- ./script word
    [ "$(cat said)" = word ] || die "it was not started"
    says err '/script is a script. Either it started no .NET'
}

test_launch_switches() {
    local name
    for name in DOTNET_EnableDiagnostics COMPlus_EnableDiagnostics DOTNET_EnableDiagnostics_Profiler COMPlus_EnableDiagnostics_Profiler; do
        export "$name=0"
        expect 0 run -- true
        says err "$name=0 is set: the runtime loads no profiler then"
        export "$name=1"
        expect 0 run -- true
        ! grep -q 'is set: the runtime loads no profiler' err || die "$name=1: $(cat err)"
        unset "$name"
    done
    # the newer spelling decides
    DOTNET_EnableDiagnostics=1 COMPlus_EnableDiagnostics=0 expect 0 run -- true
    ! grep -q 'loads no profiler then' err || die "$(cat err)"
}

test_launch_other_profiler() {
    export CORECLR_ENABLE_PROFILING=1 CORECLR_PROFILER='{00000000-0000-0000-0000-000000000001}' CORECLR_PROFILER_PATH=/opt/other.so
    expect 2 run -- touch started
    gone started
    says err 'CORECLR_PROFILER is set to another profiler: {00000000-0000-0000-0000-000000000001}, /opt/other.so' '--replace-profiler'
    expect 0 run --replace-profiler -- touch started
    there started
    rm started
    CORECLR_ENABLE_PROFILING=0 expect 0 run -- touch started
    there started
}

test_launch_more_rights() {
    needs_linux "set-gid programs"
    cp "$(type -P true)" program
    chgrp 65534 program 2>/dev/null || skip_case "no other group"
    chmod 2755 program
    [ "$(stat -c %a program)" = 2755 ] || skip_case "the file system keeps no set-gid"
    expect 0 run -- ./program
    says err '/program is a set-uid or set-gid program: the profiler leaves it alone'
}

test_launch_environment() {
    expect 0 run --print-env
    says out "CORECLR_ENABLE_PROFILING='1'" CORECLR_PROFILER= "$profiler" ILPATCH_OPTIONS
    ! grep -q DOTNET_STARTUP_HOOKS= out || die "a hook for nothing: $(cat out)"
    expect 0 run --print-env --inspector full
    says out DOTNET_STARTUP_HOOKS= MyProfiler.dll
    expect 0 run --print-env --inspector unmanaged
    ! grep -q DOTNET_STARTUP_HOOKS= out || die "a hook for nothing: $(cat out)"
    expect 2 run
}
