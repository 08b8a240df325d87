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

# Calls an example, and clears the stack after it: a pointer that is left there would keep what it points to from being a leak.
mkdir -p "$tmp/main"
cat >"$tmp/main/main.c" <<'END'
int example(void);

static void clear(void)
{
    volatile char room[65536];
    for (unsigned i = 0; i < sizeof room; i++) {
        room[i] = 0;
    }
}

int main(void)
{
    int status = example();
    clear();
    return status;
}
END
# build_example PART, try_example PART: its program in $tmp, run there; what is wrong in PART.log
build_example() {
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror -g -fsanitize=address,undefined -Iinclude -c -o "$tmp/$1.o" "$tmp/$1.c" &&
        objcopy --redefine-sym main=example "$tmp/$1.o" &&
        ${CC:-cc} -fsanitize=address,undefined -o "$tmp/$1" "$tmp/main/main.c" "$tmp/$1.o" "$build/libilpatch.a" -lpthread
}
try_example() {
    build_example "$1" >"$tmp/$1.log" 2>&1 && (cd "$tmp" && "./$1" >"$1.out" 2>"$1.log")
    echo $? >"$tmp/$1.status"
}
export -f build_example try_example
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
