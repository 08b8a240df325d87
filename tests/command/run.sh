#!/bin/bash
# Uses the command as people do, and looks at what it says, what it leaves behind and its exit code.
#
#   run.sh [NAME...]      only tests whose name starts with one of NAMEs
#
# Environment: ILPATCH (the command, build/ilpatch), ILPATCH_TEST_TMP (parent of the scratch folder), ILPATCH_TEST_CACHE
# (real assemblies, build/packages), CC. Most of it needs neither .NET nor Mono: files/README.md.
# What failed stays on disk.
set -u
here=$(cd "$(dirname "$0")" && pwd)
ilpatch=$(readlink -f "${ILPATCH:-build/ilpatch}")
cache=$(readlink -f "${ILPATCH_TEST_CACHE:-build/packages}")
files=$here/files
wanted=$*
if [ ! -x "$ilpatch" ]; then
    echo "run.sh: no $ilpatch (make builds it)" >&2
    exit 1
fi

tmp=$(mktemp -d "${ILPATCH_TEST_TMP:-${TMPDIR:-/tmp}}/ilpatch-command.XXXXXX") || exit 1
passed=0 failed=0 skipped=0
umask 022
ulimit -c 0
export LC_ALL=C.UTF-8 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
# Of a sanitizer's build: an error is none of the exit codes that are expected.
export ASAN_OPTIONS=exitcode=99:${ASAN_OPTIONS:-} UBSAN_OPTIONS=halt_on_error=1:exitcode=99:${UBSAN_OPTIONS:-}
unset ILPATCH_OUTPUT ILPATCH_COUNT ILPATCH_TOSTRING DOTNET_ROOT NUGET_PACKAGES

json_check=$tmp/json_check
${CC:-cc} -o "$json_check" "$here/json_check.c" -ljansson 2>"$tmp/json_check.log" || json_check=

# shellcheck disable=SC2034 # used by the parts
for part in "$here"/lib.sh "$here"/test_*.sh; do
    # shellcheck source=/dev/null
    . "$part"
done

selected() {
    [ -n "$wanted" ] || return 0
    for prefix in $wanted; do
        case $1 in "$prefix"*) return 0 ;; esac
    done
    return 1
}

for name in $(compgen -A function test_); do
    name=${name#test_}
    selected "$name" || continue
    mkdir "$tmp/$name"
    why=$(cd "$tmp/$name" && "test_$name" 2>&1)
    case $? in
    0)
        echo "ok $name"
        passed=$((passed + 1))
        rm -rf "${tmp:?}/$name"
        ;;
    77)
        echo "skip $name: $why"
        skipped=$((skipped + 1))
        ;;
    *)
        echo "FAIL $name: $why (in $tmp/$name)"
        failed=$((failed + 1))
        ;;
    esac
done

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -gt 0 ] || rm -rf "$tmp"
[ $failed -eq 0 ]
