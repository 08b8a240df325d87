# shellcheck shell=bash disable=SC2154
# list on a terminal: colours and the pager. Sourced by run.sh.

# on_terminal CODE COMMAND...: with a terminal as standard output, what that gets is in out; the exit code has to be CODE
on_terminal() {
    local code=$1
    shift
    python3 -c '
import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:], lambda file: os.read(file, 65536))))' "$@" </dev/null >raw 2>&1
    check_code $? "$code" "$*"
    tr -d '\r' <raw >out
}
check_code() { [ "$1" = "$2" ] || die "$3: exit code $1, not $2: $(head -c 300 raw)"; }
needs_terminal() {
    needs_linux "pseudo terminals"
    have python3 || skip_case "no Python 3"
    unset NO_COLOR PAGER LESS
    export TERM=xterm
    give . Sample.dll
}
escape=$'\033'
green="06000001  ${escape}[32minspected        ${escape}[0m  "

test_terminal_colors() {
    needs_terminal
    export PAGER=
    on_terminal 0 "$ilpatch" list Sample.dll
    says out "$green"
    says out "${escape}[2mvoid             ${escape}[0m" "${escape}[33mbyref            ${escape}[0m"
    on_terminal 0 "$ilpatch" list --sort name Sample.dll
    says out "$green"
    NO_COLOR=1 on_terminal 0 "$ilpatch" list Sample.dll
    ! grep -q "$escape" out || die "colours in spite of NO_COLOR"
    on_terminal 0 "$ilpatch" list --color never Sample.dll
    ! grep -q "$escape" out || die "colours in spite of --color never"
    expect 0 list Sample.dll
    ! grep -q "$escape" out || die "colours in a file"
    mv out plain
    expect 0 list --color always Sample.dll
    sed "s/${escape}\[[0-9]*m//g" out >without
    identical plain without
    refused 2 . list --color sometimes Sample.dll
}

test_terminal_pager() {
    needs_terminal
    PAGER="sed 's/^/paged /'" on_terminal 0 "$ilpatch" list Sample.dll
    says out "paged $green"
    [ "$(grep -c '^paged ' out)" = 14 ] || die "not all lines are paged: $(cat out)"
    PAGER="sed 's/^/paged /'" on_terminal 0 "$ilpatch" list --no-pager Sample.dll
    ! grep -q paged out || die "paged in spite of --no-pager"
    PAGER=cat on_terminal 0 "$ilpatch" list Sample.dll
    says out "$green"
    PAGER="sed 's/^/paged /'" expect 0 list Sample.dll
    ! grep -q paged out || die "paged in a file"
    # its exit code is of no interest, but that of list is
    PAGER='cat; false' on_terminal 0 "$ilpatch" list Sample.dll
    PAGER='cat; true' on_terminal 3 "$ilpatch" list None.dll
    says out "None.dll: cannot read"
}

# Of an assembly whose lines no pipe has room for, if .NET is there: the pager has ended before the last ones are written.
test_terminal_pager_left_early() {
    needs_terminal
    local pager file=Sample.dll xml
    xml=$(ls "$(dirname "$(readlink -f "$(command -v dotnet)")")"/shared/Microsoft.NETCore.App/*/System.Private.Xml.dll 2>/dev/null | tail -n 1)
    for pager in 'head -n 1' true 'exec <&-; sleep 0.2'; do
        PAGER=$pager on_terminal 0 "$ilpatch" list "${xml:-$file}"
        [ "$(wc -l <out)" -le 1 ] || die "$pager: $(head -n 3 out)"
    done
}

test_terminal_pager_missing() {
    needs_terminal
    PAGER=/none/such on_terminal 4 "$ilpatch" list Sample.dll
    says out "ilpatch: cannot start the pager: set PAGER, or pass --no-pager"
    # less, with settings that the user has not made; without it none
    mkdir bin
    printf '#!/bin/sh\necho "less with $LESS"\ncat\n' >bin/less
    chmod +x bin/less
    PATH=$PWD/bin:$PATH on_terminal 0 "$ilpatch" list Sample.dll
    says out "less with FRX" "$green"
    LESS=Q PATH=$PWD/bin:$PATH on_terminal 0 "$ilpatch" list Sample.dll
    says out "less with Q"
    on_terminal 0 env PATH="$PWD/none:" "$ilpatch" list Sample.dll
    says out "$green"
}
