# shellcheck shell=bash disable=SC2154
# Options of `ilpatch run` that would have no effect beside another one are refused with a sentence, and nothing is started.
# What pairs that are taken do is seen in tests/runtime. Sourced by run.sh.

not_started() { # TEXT OPTION...
    local text=$1
    shift
    expect 2 run "$@" -- touch started
    gone started
    silent out
    says err "$text"
}

test_pairs_run_explaining_alone() {
    local option
    for option in "--output o" --framework "--target x64" "--reference-path ." "--report r.json" "--id-map i.json"; do
        # shellcheck disable=SC2086
        not_started "${option%% *} is for methods that are inspected" --explain-tail $option
    done
    gone o r.json i.json
    not_started "--explain-tail needs ilpatch to stay" --explain-tail --print-env
    # with methods that are inspected all of them mean something; the program is none of .NET
    expect 0 run -q --explain-tail --inspect-returns -o o --framework --report r.json -- touch started
    there started
}

test_pairs_run_rules_from_pipes() {
    needs_linux "/dev/stdin"
    not_started "name a file instead of /dev/stdin" --rules /dev/stdin </dev/null
    expect 2 trace -o t.txt --rules /dev/stdin -- touch started </dev/null
    says err "name a file instead of /dev/stdin"
    gone started t.txt
}

test_pairs_run_reports_of_pipes() {
    needs_linux "mkfifo"
    local option
    mkfifo pipe
    for option in '-o t.txt' '--format text'; do
        # shellcheck disable=SC2086
        expect 2 trace --spool pipe $option -- touch started
        says err "a report is made of a spool that is a file, and pipe is none"
        # shellcheck disable=SC2086
        expect 2 attach --trace --spool pipe $option $$
    done
    gone started t.txt
}

test_pairs_run_children() {
    echo old >o
    expect 0 run -q --children -o o -- true
    silent o
    not_started "--report needs %p with --children" --children --report r.json
    not_started "--id-map needs %p with --children" --children --id-map i.json
    not_started "so --verbose has no effect" --print-env --verbose
}

# Of what is written no file is another one of the command line, which is written or read.
test_pairs_run_places() {
    local option other
    give . good-inspector.dll
    mv good-inspector.dll inspector
    mkdir folder
    ln -s ../folder folder/link
    echo '<rules><include inspector="inspector"/></rules>' >r.xml
    for option in '-o ' '--report ' --explain-tail=; do
        # shellcheck disable=SC2086
        {
            not_started "would replace r.xml" --rules r.xml ${option}folder/../r.xml
            not_started "would replace inspector" --inspector inspector ${option}./inspector
            not_started "would replace ./inspector" --rules r.xml ${option}inspector
        }
        for other in '-o ' '--report ' --explain-tail=; do
            # shellcheck disable=SC2086
            [ "$option" = "$other" ] || not_started "would be written twice" --inspect-returns ${option}folder/new ${other}folder/link/new
            # shellcheck disable=SC2086
            [ "$option" = "$other" ] || not_started "would be written twice" --inspect-returns ${option}new-%p ${other}./new-%p
        done
    done
    echo '<rules><include/></rules>' >own.xml
    not_started "would replace own.xml" --spool own.xml --rules own.xml
    not_started "a file of this name is an original" --spool new.dll.orig
    expect 2 attach --rules r.xml -o r.xml $$
    says err "--output would replace r.xml"
    expect 2 trace --rules r.xml --format text -o r.xml -- touch started
    says err "--output would replace r.xml"
    gone started
}
