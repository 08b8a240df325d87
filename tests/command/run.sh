#!/bin/bash
# Uses the command as people do, and looks at what it says, which files it leaves and its exit code.
#
#   run.sh [NAME...]      only tests whose name starts with one of NAMEs
#
# Most of it needs neither .NET nor Mono: files/README.md.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
here=$PWD/tests/command
files=$here/files
wanted=$*
system=${ILPATCH_SYSTEM:-Linux}
profiler=libilpatch_profiler.so
[ "$system" = Linux ] || profiler=ilpatch_profiler.dll
unset DOTNET_ROOT NUGET_PACKAGES
need_ilpatch command
scratch command

json_check=$tmp/json_check
${HOSTCC:-cc} -o "$json_check" "$here/json_check.c" -ljansson 2>"$tmp/json_check.log" || json_check=

for part in "$here"/lib.sh "$here"/test_*.sh; do
    # shellcheck source=/dev/null
    . "$part"
done
run_cases
finish
