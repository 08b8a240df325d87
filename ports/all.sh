#!/bin/sh
# all.sh FOLDER [TARGET...]: what it takes to build for each other platform, or for some, each in a folder of its own. With these in
# build/packages/ports `make check` tries the platforms that tests/platforms/run.sh tries in part. `./setup.sh platforms` installs compilers.
set -eu
mkdir -p "$1"
to=$(realpath "$1")
shift
cd "$(dirname "$0")"
[ $# -ne 0 ] || set -- arm64 i386 x86_64-w64-mingw32 x86_64-linux-musl x86_64-linux-gnu aarch64-linux-gnu

for target; do
    case $target in
        *-*) ./libraries.sh "$target" "$to/$target" ;;
        *) ./debian.sh "$target" "$to/$target" ;;
    esac
done
