# shellcheck shell=bash disable=SC2154
# `ilpatch report` with some of the returned values. Sourced by run.sh.

# chosen NUMBER OPTION...: so many lines
chosen() {
    local number=$1
    shift
    expect 0 report "$@" "$first_version/spools/program.spool"
    [ "$(wc -l <out)" -eq "$number" ] || die "$*: $(wc -l <out) lines, not $number: $(cat out)"
}

test_report_values_of_methods() {
    expect 0 report --format lines "$first_version/spools/program.spool"
    cp out all
    chosen 2 --method 'Sample.Values::Number'
    says out 'Sample.Values.Number() -> 42'
    chosen 2 --method 'Sample.Values.Number'
    chosen 3 --method '*::Number*'
    chosen 0 --method Number
    chosen "$(wc -l <all)" --method '*'
}

test_report_values_with_text() {
    chosen 3 --grep '^42$'
    says out 'Sample.Values.Number() -> 42'
    chosen 1 --grep _length --format lines
    chosen 0 --grep '^42$' --method '*::Slot'
}

test_report_values_of_a_time() {
    local sum=0 part
    expect 0 report --format lines "$first_version/spools/program.spool"
    cp out all
    for part in "--until 271ms" "--from 271ms"; do
        # shellcheck disable=SC2086
        expect 0 report $part "$first_version/spools/program.spool"
        [ -s out ] || die "$part: none"
        sum=$((sum + $(wc -l <out)))
    done
    [ $sum -eq "$(wc -l <all)" ] || die "$sum of $(wc -l <all)"
    chosen 0 --from 1d
    chosen 0 --from 271ms --until 1us
}

test_report_values_limited() {
    chosen 3 --limit 3
    chosen 2 --limit 3 --method '*::Number'
}

test_report_values_to_standard_output() {
    expect 0 report --format lines "$first_version/spools/program.spool"
    cp out all
    expect 0 report -o - --format lines "$first_version/spools/program.spool"
    cmp out all || die "other lines"
    [ ! -e ./- ] || die "a file named -"
}

# The other formats of values have the same ones; those of calls take no filter.
test_report_values_formats() {
    expect 0 report --format values --method '*::Number' "$first_version/spools/program.spool"
    says out '2 values of 1 method' 'Sample.Values.Number'
    expect 0 report --format values-json --grep '^42$' "$first_version/spools/program.spool"
    says out '"values":3' Sample.Values.Same
    expect 0 report -o page.values.html --limit 2 "$first_version/spools/program.spool"
    there page.values.html
    expect 2 report --grep 42 --format text "$first_version/spools/program.spool"
    says err '--grep selects returned values, and the format text has calls: pass --format lines'
    expect 2 report --limit 1 -o page.html "$first_version/spools/program.spool"
    gone page.html
}

test_report_values_wrong() {
    expect 2 report --limit 0 "$first_version/spools/program.spool"
    says err "--limit takes a number from 1 on, not '0'"
    expect 2 report --from soon "$first_version/spools/program.spool"
    says err "--from takes a duration, such as 30s or 5min, not 'soon'"
    expect 2 report --until 5 "$first_version/spools/program.spool"
    says err "--until takes a duration"
    expect 2 report --grep '(' "$first_version/spools/program.spool"
    says err '--grep: missing closing parenthesis'
}
