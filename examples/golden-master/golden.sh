#!/bin/sh
# golden.sh record|check FILE [ILPATCH-OPTION...] -- COMMAND...
#
# record   runs COMMAND, and writes what the methods returned to FILE, the golden master
# check    runs it again, and compares: exit code 1, and the differences, if a method returned something else
#
# Options go to `ilpatch run`: --method, --where and --rules select methods, --args shows the arguments, too.
set -eu
usage() { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ $# -ge 4 ] || usage
action=$1 master=$2
shift 2
values=$(mktemp)
trap 'rm -f "$values"' EXIT

# A limit that is reached would make every value after it equal: there is none here. --quiet leaves values alone on the output.
ilpatch run --quiet --output "$values" "$@" >/dev/null
case $action in
    record)
        cp "$values" "$master"
        echo "$master: $(wc -l <"$master") values"
        ;;
    check)
        if diff -U0 "$master" "$values" >"$values.diff"; then
            echo "the same $(wc -l <"$master") values"
            rm -f "$values.diff"
        else
            sed '1,2d; /^@@/d' "$values.diff"
            rm -f "$values.diff"
            exit 1
        fi
        ;;
    *) usage ;;
esac
