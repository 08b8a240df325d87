# shellcheck shell=bash disable=SC2154
# What version 0.1 patched and wrote (tests/fixtures-0.1). Sourced by run.sh.

first_version=$here/../fixtures-0.1

# for_each_patched FUNCTION: in a copy of each folder, with the patched file and the options that it was patched with in `given`
for_each_patched() {
    local case file given
    while read -r case file given; do
        cp -r "$first_version/$case" .
        # shellcheck disable=SC2086
        (cd "$case" && "$1" "$file" $given) || die "$case"
    done <<END
stock Sample.dll
own Sample.dll --inspector $files/good-inspector.dll
embed Sample.dll --embed
rules good-csharp.dll --inspector $files/good-inspector-passes.dll --rules rules.xml --id-map new.json
ready-to-run Sample.dll --inspector $files/good-inspector.dll
signed Sample.dll --inspector $files/good-inspector.dll
bundle Sample --inspector $files/good-inspector.dll
END
}

# The folder is as it was before 0.1 patched it.
as_before() {
    sha256sum --quiet -c before || exit 1
    local name
    for name in *.orig MyProfiler.dll; do
        [ ! -e "$name" ] || die "$name is left"
    done
}

# tokens WORD: of the methods that have this answer in `out`
tokens() { sed -n "s/^\([0-9A-F]*\)  $1 .*/\1/p" out; }

is_recognised() {
    local file=$1 given
    read -ra given <<<"${*:2}"
    case ${given[0]-} in
        --embed) given=() ;;
        *) given=("${given[@]:0:4}") ;; # without --id-map
    esac
    expect 0 list "${given[@]}" "$file"
    [ "$(tokens already-inspected)" = "$(cat inspected)" ] || die "recognised: $(tokens already-inspected)"
    [ -z "$(tokens inspected)" ] || die "not recognised: $(tokens inspected)"
    expect 0 verify "$file"
    says out ": 0 errors, 0 warnings"
}
test_first_version_is_recognised() { for_each_patched is_recognised; }

is_restored() {
    expect 0 restore "$1"
    as_before
}
test_first_version_is_restored() { for_each_patched is_restored; }

# The original is taken, so that nothing is inspected twice, and kept.
is_patched_again() {
    local count
    count=$(wc -l <inspected)
    expect 0 inspect "$@"
    says out ": $count of "
    ! grep -q already out || die "$(cat out)"
    expect 0 verify "$1"
    expect 0 restore "$1"
    rm -f new.json
    as_before
}
test_first_version_is_patched_again() { for_each_patched is_patched_again; }

# Without an original the methods are left as they are.
is_left_alone() {
    local count
    count=$(wc -l <inspected)
    rm -f ./*.orig
    cp "$1" was
    expect 0 inspect "$@"
    says out "$count already-inspected"
    identical was "$1"
}
test_first_version_without_original() { for_each_patched is_left_alone; }

# Ids mean what they meant.
test_first_version_ids() {
    cp -r "$first_version/rules" .
    expect 0 inspect --inspector "$files/good-inspector-passes.dll" --rules rules/rules.xml --id-map ids.json rules/good-csharp.dll
    sed 's/"schema": 1, //' ids.json | cmp -s - rules/ids.json || die "other ids"
}

test_first_version_spools() {
    local spool format version
    version=$("$ilpatch" --version)
    version=${version#ilpatch }
    for spool in program hostile shop; do
        for format in text chrome speedscope folded otlp; do
            [ -e "$first_version/spools/$spool.$format" ] || continue
            expect 0 report --format $format -o new "$first_version/spools/$spool.spool"
            sed "s/$version/0.1.0/" new | cmp -s - "$first_version/spools/$spool.$format" || die "$spool.$format differs"
        done
    done
}
