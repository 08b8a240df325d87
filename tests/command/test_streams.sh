# shellcheck shell=bash disable=SC2154
# "-" for standard input and standard output. Sourced by run.sh.

test_streams_input() {
    give . Sample.dll Hello.exe good-facade.dll
    local command last
    for command in list 'list --json' dump verify 'verify --json' resolve 'tail list' 'rules explain'; do
        # shellcheck disable=SC2086
        set -- $command
        last=
        case $command in rules*) set -- "$@" --where '<method name="Day"/>' && last=Day ;; esac
        "$ilpatch" "$@" Sample.dll $last >named 2>err || die "$command: $(cat err)"
        "$ilpatch" "$@" - $last <Sample.dll >out 2>err || die "$command -: $(cat err)"
        sed -i 's/Sample\.dll/-/' named
        sed -i 's/Sample\.dll/-/' out
        case $command in resolve) continue ;; esac # it looks beside the file
        identical named out
    done
    "$ilpatch" diff Hello.exe Sample.dll >named 2>err || die "diff: $(cat err)"
    "$ilpatch" diff Hello.exe - <Sample.dll >out 2>err || die "diff -: $(cat err)"
    sed -i 's/Sample\.dll/-/' named
    identical named out
    # a pipe, and what is no assembly
    cat Sample.dll | "$ilpatch" dump --headers - >out || die "a pipe is not read"
    says out "PE 32"
    echo text | refused 3 . list -
    says err "ilpatch: -: "
    : | refused 3 . verify -
    refused 3 . list - <&-
    says err "-: cannot read: "
    refused 2 . restore -
    says err "- is standard input, which has no original"
    # the file of that name
    cp Sample.dll ./-
    expect 0 list ./-
}

test_streams_rules() {
    give . Sample.dll
    echo '<rules><include><method name="Day"/></include></rules>' >r.xml
    expect 0 rules check - <r.xml
    [ "$(cat out)" = "-: 1 rule" ] || die "$(cat out)"
    echo '<rules><includ/></rules>' | expect 2 rules check -
    says err "ilpatch: -:1:8: unknown element 'includ'"
    expect 0 --rules - -n Sample.dll <r.xml
    says out "1 of 14 methods inspected"
    expect 0 list --rules - --answer inspected Sample.dll <r.xml
    [ "$(wc -l <out)" -eq 1 ] || die "$(cat out)"
    for command in run trace; do
        expect 2 $command --rules - -o x.html -- true <r.xml
        says err "rules are read again in the process: name a file instead of -"
    done
}

test_streams_output() {
    local TMPDIR=$PWD/temporary
    export TMPDIR
    mkdir temporary
    give . Sample.dll Sample.pdb
    expect 0 --inspect-returns --embed -q --symbols drop -o named.dll Sample.dll
    "$ilpatch" --inspect-returns --embed --symbols drop -o - Sample.dll >out.dll 2>err || die "exit code $?: $(cat err)"
    identical named.dll out.dll
    says err "Sample.dll: 8 of 14 methods inspected" # the summary is not among the bytes
    gone Sample.dll.orig MyProfiler.dll -
    "$ilpatch" --inspect-returns --embed --symbols drop -o - - <Sample.dll >out.dll 2>err || die "exit code $?: $(cat err)"
    identical named.dll out.dll
    # what has no place beside it
    "$ilpatch" --inspect-returns -o - Sample.dll >out.dll 2>err || die "exit code $?"
    says err "MyProfiler.dll has to be put beside the patched file" "a PDB has no place beside standard output"
    gone MyProfiler.dll
    "$ilpatch" --inspect-returns -q -o - Sample.dll >out.dll 2>err || die "exit code $?"
    silent err
    expect 1 --inspect-returns --symbols update --embed -o - Sample.dll # as requested, and not possible
    "$ilpatch" tail strip -o - Sample.dll >out.dll 2>err || die "tail: exit code $?"
    says err "0 tail calls made plain calls"
    identical Sample.dll out.dll
    # a folder of that name is another thing
    mkdir ./-
    cp Sample.dll ./-/
    "$ilpatch" --inspect-returns --embed -q --symbols drop -o in.dll - <Sample.dll >out 2>err || die "exit code $?: $(cat err)"
    [ -f in.dll ] || die "the folder's files were patched"
    rm -r ./- in.dll
    # no byte where something is wrong
    echo text >bad.dll
    expect 3 --inspect-returns -o - bad.dll
    silent out
    [ -z "$(ls -A temporary)" ] || die "a folder is left"
    "$ilpatch" --inspect-returns --embed -q -o - Sample.dll >/dev/full 2>err
    local code=$?
    [ $code -eq 4 ] || die "a full disk: exit code $code"
    says err "cannot write to standard output: No space left on device"
}

test_streams_report() {
    needs_json
    give . Sample.dll
    "$ilpatch" --inspect-returns -n --report - Sample.dll >out 2>err || die "exit code $?"
    good_report out
    says err "8 of 14 methods inspected"
    "$ilpatch" --inspect-returns --embed -o x.dll --report - - <Sample.dll >out 2>err || die "exit code $?"
    good_report out
    [ "$(json out modules 0 file)" = - ] || die "$(json out modules 0 file)"
    "$ilpatch" --inspect-returns --embed -o - --report r.json Sample.dll >x.dll 2>err || die "exit code $?"
    good_report r.json
    [ "$(json r.json modules 0 output)" = - ] || die "$(json r.json modules 0 output)"
}

test_streams_refused() {
    give . Sample.dll Hello.exe
    while IFS='|' read -r arguments text; do
        # shellcheck disable=SC2086
        refused 2 . $arguments
        says err "$text"
        silent out
    done <<'TABLE'
--inspect-returns -|- is standard input, which cannot be replaced: pass -o
--inspect-returns --in-place -|- is standard input, which cannot be replaced: pass -o
--inspect-returns -o . -|standard input has no name: -o has to name a file, and . is a folder
--inspect-returns -o - Sample.dll Hello.exe|with several files -o must name a folder
--inspect-returns -o - --report - Sample.dll|-o and --report cannot both be standard output
--inspect-returns --id-map - Sample.dll|an id map is continued, so --id-map has to name a file
tail add -|- is standard input, which cannot be replaced: pass -o
bundle extract -o - Sample.dll|standard output has room for one file
--rules - -o x.dll -|standard input cannot be both --rules and FILE: name a file instead of one of them
--rules - @-|standard input cannot be both --rules and FILE
--inspect-returns --key - --strong-name sign -o x.dll -|standard input cannot be both --key and FILE
tail add --key - --strong-name sign -o x.dll -|standard input cannot be both --key and FILE
--inspect-returns --rules - --key - --strong-name sign -o x.dll Sample.dll|standard input cannot be both --rules and --key
list --rules r.xml --rules - -|standard input cannot be both --rules and FILE
rules explain --rules - - Main|standard input cannot be both --rules and FILE
run -o - -- true|--output has to name a file, and - is standard output
run --print-env --report -|--report has to name a file
run --inspect-returns --id-map - -- true|--id-map has to name a file
run --spool - -- true|--spool has to name a file
attach --report - 1|--report has to name a file
attach --trace -o - 1|--output has to name a file
trace -o - -- true|--output has to name a file
trace --print-env --spool -|--spool has to name a file
TABLE
    have python3 || return 0
    python3 - "$ilpatch" >out <<'PY' || die "on a terminal: $(cat out)"
import os, pty, subprocess, sys
for arguments in (["--inspect-returns", "-o", "-", "Sample.dll"], ["tail", "add", "-o", "-", "Sample.dll"],
                  ["bundle", "extract", "-o", "-", "Sample.dll", "x"]):
    master, terminal = pty.openpty()
    done = subprocess.run([sys.argv[1]] + arguments, stdout=terminal, stderr=subprocess.PIPE, text=True)
    if done.returncode != 2 or "standard output is a terminal" not in done.stderr:
        sys.exit(f"{arguments}: {done.returncode}, {done.stderr}")
PY
    gone Sample.dll.orig
}
