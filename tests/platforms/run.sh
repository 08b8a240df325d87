#!/bin/bash
# ilpatch on other platforms than the one that the other tests run on: other processors, systems, C libraries, runtimes. Each file of parts/ is
# one; its first line has what it needs. What is not installed is skipped, and reported so (./setup.sh platforms and make ports bring it).
#
#   run.sh [PART...]      only these, by the beginning of their names
#
#   PLATFORMS=all         everything (make check-platforms); without it each part takes what is done in a minute or two
#
# A part is sourced after tests/lib.sh, with $tmp as a scratch folder of its own and $ports as the folder for what takes long to fetch or build. It counts
# with ok, fail and skip, and says what ran by
#
#   ran WHAT RESULT       a cell of the table in docs/SUPPORT.md: a column of table.py, and `yes`, `no: why` or a number
#
# PLATFORMS=all PLATFORMS_WRITE=1 writes that table again; with PLATFORMS=all alone each cell that ran has to be the one that is there.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/lib.sh
scratch platforms
all=$tmp # each part has a folder of its own in it
trap 'rm -rf "$all"; exit 1' HUP INT TERM
ports=$cache/ports
mkdir -p "$ports"
# make's arguments for Linux on other processors; parts share what is built. Doubles on x86 as on x64 (SSE): with x87 more digits are kept than they have.
# shellcheck disable=SC2034
{
    make_i386=(CC="i686-linux-gnu-gcc --sysroot=$ports/i386" AR=i686-linux-gnu-ar CFLAGS='-O1 -g -msse2 -mfpmath=sse -Wno-psabi' BUILD="$ports/build-i386")
    make_arm64=(CC="aarch64-linux-gnu-gcc --sysroot=$ports/arm64" BUILD="$ports/build-arm64")
}
wanted=$*
whole=${PLATFORMS-}

ran() { printf '%s\t%s\t%s\n' "$part" "$1" "$2" >>"$all/cells"; }

# adds LOG NAME: what a script has counted
adds() {
    count_results "$1"
    grep '^FAIL' "$1" | cut -c 1-300
    echo "ok $group$2: $(tail -n 1 "$1")"
}

# fail_as_known NAME KNOWN FAILING: what is in the file FAILING is what the list KNOWN has, a line `NAME: why` for each
fail_as_known() {
    sed -n 's/: .*//p' <<<"$2" | sort >"$tmp/known"
    sort "$3" >"$tmp/failing"
    same "$1" "$tmp/known" "$tmp/failing"
}

# commands_fail_as_known KNOWN [NAME...]: what tests/command/run.sh, with these arguments, has printed into $tmp/command. Of KNOWN all have to fail that
# it ran, so that none stays there which passes.
commands_fail_as_known() {
    local known=$1 wanted name
    shift
    wanted=$*
    if ! grep -q '^ok ' "$tmp/command" || [[ ! $(tail -n 1 "$tmp/command") =~ ^[0-9]+\ passed, ]]; then
        fail 'command tests' "no end: $(tail -n 1 "$tmp/command")"
        return
    fi
    known=$(while IFS= read -r name; do ! selected "$name" || echo "$name"; done <<<"$known")
    LC_ALL=C sed -n 's/^FAIL \([^:]*\):.*/\1/p' "$tmp/command" >"$tmp/failing_commands"
    fail_as_known "command tests: what fails of $(grep -cE '^(ok|FAIL) ' "$tmp/command")" "$known" "$tmp/failing_commands"
    grep -aE '^FAIL ' "$tmp/command" | grep -avE "^FAIL ($(sed 's/: .*//' <<<"$known" | paste -sd '|')):" | cut -c 1-300
    [ -n "$wanted" ] || ran command "$(grep -c '^ok ' "$tmp/command") tests"
}

# patches_alike NAME OPTIONS COMMAND...: that command and the one here make the same files of an assembly and its symbols; OPTIONS is one word
patches_alike() {
    local name=$1 options input=tests/command/files/Sample.dll
    read -r -a options <<<"-q $2 -o"
    shift 2
    rm -rf "$tmp/there" "$tmp/here"
    mkdir "$tmp/there" "$tmp/here"
    if "$@" "${options[@]}" "$tmp/there/" "$input" >"$tmp/out" 2>&1 && "$ilpatch" "${options[@]}" "$tmp/here/" "$input" &&
        [ -s "$tmp/here/$(basename "$input")" ] && diff -r "$tmp/there" "$tmp/here" >>"$tmp/out"; then
        ok "$name"
        ran bytes yes
    else
        fail "$name" "$(head -n 1 "$tmp/out")"
        return 1
    fi
}

for file in tests/platforms/parts/*.sh; do
    part=$(basename "$file" .sh)
    selected "$part" || continue
    group="$part: "
    tmp=$all/$part
    mkdir "$tmp"
    # shellcheck source=/dev/null
    . "$file"
    group=
    tmp=$all
done

if [ -n "$whole" ] && [ -s "$tmp/cells" ]; then
    if python3 tests/platforms/table.py ${PLATFORMS_WRITE:+--write} "$tmp/cells" docs/SUPPORT.md >"$tmp/table" 2>&1; then
        ok 'docs/SUPPORT.md has what ran'
    else
        fail 'docs/SUPPORT.md has what ran' "$(head -n 3 "$tmp/table")"
    fi
fi
finish
