# shellcheck shell=bash disable=SC2154
# `ilpatch attach` beside a process that is played: what it sends, what it shows, and what it says where the process refuses, goes or is
# none of .NET. What becomes of a real one is seen in tests/runtime/attach. Sourced by run.sh.

# A process of this kind; its number is in $process, what it was sent in said.
play() { # MODE
    needs_linux "a diagnostics socket"
    have python3 || skip_case "no python3"
    rm -f pid
    export TMPDIR=$PWD
    python3 "$here/played_runtime.py" pid "$1" >said 2>said.err &
    player=$!
    awaits test -s pid
    process=$(cat pid)
}

ends() {
    wait "$player" || die "the process: $(cat said.err)"
}

# Nothing that was made for the attachment stays.
nothing_stays() {
    [ -z "$(find . -name 'ilpatch-*')" ] || die "left over: $(find . -name 'ilpatch-*')"
}

test_attach_follows() {
    play ends
    expect 0 attach "$process" --where '<method name="M"/>'
    ends
    says out 'N.C::M -> 42 (System.Int32)'
    says err "attached to process $process; Ctrl-C ends this, and the process goes on" "process $process ended"
    says said 'profiler libilpatch_profiler.so' "where=<method name=\"M\"/>"
    ! grep -q hook said || die "an inspector was loaded: $(cat said)"
    nothing_stays
}

test_attach_other_inspectors() {
    play ends
    expect 0 attach -q "$process" --inspector "$files/good-inspector.dll"
    ends
    says said 'variable ILPATCH_INSPECTORS' 'hook MyProfiler.dll'
    silent err
    play ends
    expect 0 attach -q "$process" --inspector unmanaged
    ends
    says said 'inspector=unmanaged'
    ! grep -q hook said || die "an inspector was loaded: $(cat said)"
    play ends
    expect 0 attach -q "$process" --inspector full
    ends
    says said 'inspector=full' 'hook MyProfiler.dll'
}

# Values into a file: the command need not stay.
test_attach_output() {
    play ends
    echo old >values
    expect 0 attach "$process" -o values
    ends
    silent out
    [ "$(cat values)" = 'N.C::M -> 42 (System.Int32)' ] || die "values: $(cat values)"
    play attach
    expect 0 attach "$process" -o new
    ends # with the connection
    [ "$(cat new)" = 'N.C::M -> 42 (System.Int32)' ] || die "new: $(cat new)"
    play ends
    refused 4 . attach "$process" -o missing/values
    says err 'missing/values: cannot write: No such file or directory'
    kill "$player"
}

# The signal ends the attachment, and the process has a while to report what it knows.
test_attach_interrupted() {
    play attach
    "$ilpatch" attach "$process" >out 2>err &
    local attached=$!
    awaits grep -q 42 out
    kill -TERM $attached # a job in the background has SIGINT ignored
    wait $attached
    check_code=$?
    [ $check_code -eq 0 ] || die "exit code $check_code: $(cat err)"
    ends
    nothing_stays
}

test_attach_refused() {
    local pair
    for pair in '0x80131384|a bad message (0x80131384)' '0x80131385|its .NET is too old' '0x8013136A|another one is in it already' \
        '0x80004005|see what it wrote (0x80004005)' 'closes|Connection reset by peer' 'babbles|Protocol error'; do
        play "${pair%%|*}"
        expect 3 attach "$process" -o values
        says err "process $process does not load the profiler: " "${pair#*|}"
        gone values
        silent said
        kill "$player"
        nothing_stays
    done
}

test_attach_to_what_goes() {
    play dies
    expect 3 attach "$process" -o values --inspector full
    says err "process $process ended before the profiler had started"
    gone values
    nothing_stays
}

test_attach_to_no_runtime() {
    needs_linux "numbers of processes of Linux"
    sleep 60 &
    expect 3 attach $!
    says err "cannot attach to process $!: it is not a .NET program" "'ilpatch ps' lists those that are."
    kill $!
    expect 3 attach 4194305
    says err 'cannot find process 4194305'
    expect 2 attach
    expect 2 attach not-a-number
}
