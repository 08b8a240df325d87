#!/bin/bash
# natives.sh OUT: the command for each platform that this machine can build for, stripped, as OUT/PLATFORM/ilpatch, by NuGet's names. On Linux x64 it
# is linked statically with musl and needs no library, so it is one file for all distributions. `make ports` brings what the others need; what is
# missing is left out, which is printed.
set -eu
mkdir -p "$1"
out=$(realpath "$1")
cd "$(dirname "$0")/.."
ports=$PWD/build/packages/ports

# native PLATFORM FOLDER-OF-LIBRARIES STRIP FILE MAKE-ARGUMENT...
native() {
    local platform=$1 libraries=$2 strip=$3 file=$4 build=$ports/native-$1
    shift 4
    if [ ! -e "$libraries/complete" ] || ! command -v "$strip" >/dev/null; then
        echo "left out: $platform (./setup.sh platforms; make ports)"
        return
    fi
    make -s -j2 BUILD="$build" "$@" "$build/$file"
    mkdir -p "$out/$platform"
    "$strip" -o "$out/$platform/$file" "$build/$file"
}
native linux-x64 "$ports/x86_64-linux-musl" strip ilpatch CC=musl-gcc "PORT=$ports/x86_64-linux-musl" LDFLAGS=-static
native linux-arm64 "$ports/arm64" aarch64-linux-gnu-strip ilpatch "CC=aarch64-linux-gnu-gcc --sysroot=$ports/arm64"
native win-x64 "$ports/x86_64-w64-mingw32" x86_64-w64-mingw32-strip ilpatch.exe CC=x86_64-w64-mingw32-gcc "PORT=$ports/x86_64-w64-mingw32"
if [ -d "$out/linux-x64" ]; then
    rm -rf "$out/linux-musl-x64"
    cp -r "$out/linux-x64" "$out/linux-musl-x64"
fi
