#!/bin/bash
# What the sources look like, and what compilers and checkers find in them. Each is a target of the Makefile; one whose program is not
# installed is skipped (./setup.sh lint).
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
scratch lint

# lint NAME ARGUMENT...: passes when make does, by itself: what `make check` was called with is not for it
lint() {
    local name=$1
    shift
    if env -u MAKEFLAGS -u MAKELEVEL make -s -k -j"$(nproc)" "$@" >"$tmp/$name.log" 2>&1; then
        ok "$name"
    else
        fail "$name" "make $* ($(grep -c . "$tmp/$name.log") lines)"
    fi
}
# lint_by PROGRAM NAME ARGUMENT...
lint_by() {
    if have "$1"; then
        lint "${@:2}"
    else
        skip "$2" "no $1 (./setup.sh lint)"
    fi
}

lint columns columns
lint names names
lint layers BUILD="${BUILD:-build}" layers
lint_by clang-format format format-check
for compiler in gcc clang; do
    lint_by $compiler $compiler BUILD="${BUILD:-build}/lint" CC=$compiler CFLAGS=-O1 WERROR=1 syntax
done
for compiler in gcc clang; do
    lint_by $compiler $compiler-analyzer BUILD="${BUILD:-build}/lint" CC=$compiler CFLAGS=-O1 WERROR=1 analyze
done
lint_by clang-tidy clang-tidy BUILD="${BUILD:-build}/lint" CFLAGS=-O1 tidy
lint_by cppcheck cppcheck cppcheck
lint_by shellcheck shellcheck shellcheck

finish
