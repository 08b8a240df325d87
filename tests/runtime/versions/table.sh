#!/bin/bash
# What table.txt says.
#
# table.sh list            all versions
# table.sh tools VERSION   the version of the host and the compilers to build programs with
# table.sh served          the oldest and the newest patch of each version that NuGet serves: what `list` has to be
set -u
cd "$(dirname "$0")" || exit 1

case ${1-} in
    list) sed -n 's/^\([1-9][^ ]*\) .*/\1/p' table.txt ;;
    tools) awk -v version="$2" '$1 == version { print $2; found = 1 } END { exit !found }' table.txt ;;
    served)
        dotnet package search Microsoft.NETCore.App.Runtime.linux-x64 --exact-match --format json |
            sed -n 's/.*"version": "\([0-9.]*\)".*/\1/p' | sort -uV |
            awk -F . '{ if ($1 "." $2 != last) { if (newest != oldest) print newest; print; oldest = $0 } last = $1 "." $2; newest = $0 }
                END { if (newest != oldest) print newest }'
        ;;
    *)
        sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
esac
