#!/bin/bash
# Compiles and runs the example of each part of include/ilpatch.h, and compares what it prints:  examples.sh FOLDER [PART...]
#
# FOLDER is made here. An example that leaks, or uses what is no longer valid, fails as well: AddressSanitizer finds it. A part without an
# example fails. For tests/docs/run.sh; ILPATCH_H is another header than the tree's.
set -u
tmp=$1
shift
. tests/lib.sh
wanted=$*
mkdir -p "$tmp"
man/generate.py --examples "$tmp" || fail examples "man/generate.py --examples has failed"
ln -sfn "$PWD/samples" "$PWD/data" "$PWD/tests" "$tmp" # which examples read

# try_example PART: its program in $tmp, run there; what is wrong in PART.log
try_example() {
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror -g -fsanitize=address,undefined -Iinclude -o "$tmp/$1" "$tmp/$1.c" "$build/libilpatch.a" -lpthread \
        >"$tmp/$1.log" 2>&1 && (cd "$tmp" && "./$1" >"$1.out" 2>"$1.log")
    echo $? >"$tmp/$1.status"
}
export -f try_example
export tmp build
parts=$(cd "$tmp" && for part in *.c; do selected "${part%.c}" && echo "${part%.c}"; done)
echo "$parts" | xargs -P "$(nproc)" -I '{}' bash -c 'try_example {}'
for part in $parts; do
    if [ ! -s "$tmp/$part.txt" ]; then fail "example-$part" "there is none, or it prints nothing"
    elif [ "$(cat "$tmp/$part.status")" != 0 ]; then fail "example-$part" "$(grep -m1 -iE 'error|undefined|detected' "$tmp/$part.log")" "$tmp/$part.log"
    else same "example-$part" "$tmp/$part.txt" "$tmp/$part.out"; fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
