# shellcheck shell=bash disable=SC2154
# How the command hands options to the profiler: by itself as versioned pairs, and with --print-env as a command line, which people
# have set by hand. Sourced by run.sh.

# handed COMMAND OPTION...: what ILPATCH_OPTIONS is in the program, in the file out
handed() {
    # shellcheck disable=SC2016
    expect 0 "$@" -q -- sh -c 'printf "%s\n" "$ILPATCH_OPTIONS"'
    grep '^command-version=' out >pairs || die "$*: $(head -c 300 out)"
}
# by_hand COMMAND OPTION...: the same as --print-env has it
by_hand() {
    expect 0 "$@" --print-env
    (eval "$(cat out)" && printf '%s\n' "$ILPATCH_OPTIONS") >line
}

test_handed_over_in_both_forms() {
    needs_linux "a name of a file with a backslash"
    local here version
    here=$(pwd -P)
    version=$("$ilpatch" --version | grep -o '[0-9][0-9.]*' | head -n 1)
    printf '<rules><include/></rules>' >'a b;c\d.xml'
    mkdir references
    set -- --framework --rules 'a b;c\d.xml' --rules 'a b;c\d.xml' --where '<method name="It'\''s; \it"/>' --affected-by x86-struct-return \
        --target arm64 --reference-path references --reference-path /none
    local pairs="rules=$here/a b\\;c\\\\d.xml;rules=$here/a b\\;c\\\\d.xml;where=<method name=\"It's\\; \\\\it\"/>"
    pairs+=";affected-by=x86-struct-return;target=arm64"
    local line="--rules $here/a\\ b;c\\\\d.xml --rules $here/a\\ b;c\\\\d.xml --where <method\\ name=\"It's;\\ \\\\it\"/>"
    line+=" --affected-by x86-struct-return --target arm64"
    handed run "$@" --inspector unmanaged --id-map 'ids %p'
    echo "command-version=$version;framework=1;id-map=$here/ids %p;$pairs;inspector=unmanaged;reference-path=$here/references;reference-path=/none" >expected
    identical pairs expected
    by_hand run "$@" --inspector unmanaged --id-map 'ids %p'
    echo "--framework --id-map $here/ids\\ %p $line --inspector unmanaged --reference-path $here/references --reference-path /none" >expected
    identical line expected
    by_hand trace "$@" --spool new --values --slow --paused --disable-optimizations --check-stacks 07
    echo "--trace $here/new --framework --values --disable-optimizations --paused --slow --check-stacks 7 $line --reference-path $here/references --reference-path /none" >expected
    identical line expected
    handed run
    echo "command-version=$version;inspect-returns=1" >expected
    identical pairs expected
    handed run --explain-tail
    echo "command-version=$version;explain-tail=1" >expected
    identical pairs expected
}
