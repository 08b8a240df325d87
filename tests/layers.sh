#!/bin/sh
# Fails on an include that goes upward: ground < metadata, sig, elt < il, types, bundle, symbols < rules < inspect, verify < tools.
# metadata, sig and elt stand side by side, and none may know another; the same il, types, bundle and symbols, inspect and verify.
set -eu
cd "$(dirname "$0")/.."

rank() {
    case $1 in
        ground) echo 0 ;;
        metadata | sig | elt | trace) echo 1 ;;
        il | types | bundle | symbols) echo 2 ;;
        rules) echo 3 ;;
        verify | inspect) echo 4 ;;
        profiler | tools) echo 5 ;;
        *) echo "layers: unknown folder $1" >&2; exit 2 ;;
    esac
}

# Of il, only facts about opcodes and bytes: it may not know metadata, though that is lower.
allowed() { # from to
    [ "$1" = "$2" ] && return 0
    [ "$1" = il ] && [ "$2" != ground ] && return 1
    [ "$(rank "$2")" -lt "$(rank "$1")" ]
}

bad=0
for file in $(find src tools -name '*.[ch]'); do
    from=$(echo "$file" | sed -E 's|^src/[^/]*\.[ch]$|ground|; s|^src/([^/]*)/.*|\1|; s|^tools/.*|tools|')
    for include in $(sed -n 's/^#include "\([a-z]*\/[^"]*\)".*/\1/p' "$file"); do
        to=${include%%/*}
        case $to in
            ilpatch | data) continue ;;
            diff | formats | launch | resolve) to=tools ;;
        esac
        if ! allowed "$from" "$to"; then
            echo "$file includes $include: $from may not know $to"
            bad=1
        fi
    done
done
exit $bad
