# shellcheck shell=bash
# Programs that run already, and commands that are attached to them; sourced after tests/lib.sh, with $tmp there.
#
# Such a program says that it is ready, then answers each line of its standard input with a line, and ends when there are no more. One runs at
# a time: its input is descriptor 9, which no command inherits.

# shellcheck disable=SC2034 # used by those who source this
program=() # what start starts

# launch NAME [COMMAND...]: COMMAND with $program, without waiting for anything. $started is its number; what it says is in $tmp/NAME.out and .err.
launch() {
    name=$1
    shift
    rm -f "$tmp/$name".{in,out,err}
    mkfifo "$tmp/$name.in"
    : >"$tmp/$name.out"
    "$@" "${program[@]}" <"$tmp/$name.in" >"$tmp/$name.out" 2>"$tmp/$name.err" &
    started=$!
    process=$started
    streams=
    exec 9>"$tmp/$name.in"
}

# start NAME [COMMAND...]: the same, and waits until the program is ready. $process is its number: COMMAND may start it as a child.
start() {
    launch "$@"
    awaits is_ready
    while [ "$(cat "/proc/$process/comm" 2>/dev/null)" != dotnet ] && [ -n "$(children_of "$process")" ]; do
        process=$(children_of "$process" | head -n 1)
    done
    streams=$(streams_of "$process") # its own, and the same at the end
}
is_ready() { grep -q ready "$tmp/$name.out" || ! kill -0 "$started" 2>/dev/null; }

# says LINE [ANSWER]: to the program, whose answer is in $answer, and should be ANSWER
says() {
    local before
    before=$(wc -l <"$tmp/$name.out")
    echo "$1" >&9
    awaits has_answered "$before"
    answer=$(tail -n 1 "$tmp/$name.out")
    [ $# -eq 1 ] || check "answer/$1" "$2" "$answer"
}
has_answered() { [ "$(wc -l <"$tmp/$name.out")" -gt "$1" ] || ! kill -0 "$started" 2>/dev/null; }

# end: of the program; $code is its exit code
end() {
    exec 9>&-
    wait "$started"
    code=$?
}

# end_well: the same; the program is as it was, and has said nothing on standard error
end_well() {
    local now=
    [ -z "$streams" ] || now=$(streams_of "$process")
    end
    check "ends/$name" "0  $streams" "$code $(cat "$tmp/$name.err") $now"
}

# slay: the program, by KILL
slay() {
    kill -KILL "$process"
    exec 9>&-
    wait "$started" 2>/dev/null # says that it was killed
}

# attach_by VALUES COMMAND...: COMMAND, attached to the program, to go on: values in $tmp/VALUES, what it says in VALUES.log. $attaching is its number.
attach_by() {
    local values=$1
    shift
    : >"$tmp/$values.log"
    "$@" "$process" >"$tmp/$values" 2>"$tmp/$values.log" 9>&- &
    attaching=$!
    awaits is_attached "$values"
}
is_attached() { grep -q '^ilpatch: attached' "$tmp/$1.log" || ! kill -0 "$attaching" 2>/dev/null; }

# attach VALUES OPTION...
attach() { attach_by "$1" "$ilpatch" attach "${@:2}"; }

# leave COMMAND: ends it, as Ctrl-C does (which bash ignores for what runs beside it); its exit code is $left
leave() {
    kill -TERM "$1"
    wait "$1"
    left=$?
}
