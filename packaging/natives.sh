#!/bin/bash
# natives.sh OUT: command, library and profiler for each platform that this machine can build for, stripped, in OUT/PLATFORM, by NuGet's names. On Linux
# x64 the command is linked statically with musl and needs no library, so it is one file for all distributions; all else is linked with
# the C library of the platform alone, where that is glibc with 2.28 or newer. `make ports` brings what this needs; what is missing is left out, which is printed.
set -eu
mkdir -p "$1"
out=$(realpath "$1")
cd "$(dirname "$0")/.."
ports=$PWD/build/packages/ports

# native PLATFORM BUILD FOLDER-OF-LIBRARIES STRIP FILES MAKE-ARGUMENT...
native() {
    local platform=$1 build=$ports/native-$2 libraries=$ports/$3 strip=$4 files=$5 file
    shift 5
    if [ ! -e "$libraries/complete" ] || ! command -v "$strip" >/dev/null; then
        echo "left out: $files for $platform (./setup.sh platforms; make ports)"
        return
    fi
    mkdir -p "$out/$platform"
    for file in $files; do
        make -s -j2 BUILD="$build" "$@" "$build/$file"
        "$strip" -o "$out/$platform/$file" "$build/$file"
    done
}
shared='libilpatch.so libilpatch_profiler.so'
musl=(CC=musl-gcc "PORT=$ports/x86_64-linux-musl")
native linux-x64 musl x86_64-linux-musl strip ilpatch "${musl[@]}" LDFLAGS=-static
native linux-x64 gnu x86_64-linux-gnu strip "$shared" OLD_GLIBC=1 "PORT=$ports/x86_64-linux-gnu"
native linux-musl-x64 musl x86_64-linux-musl strip ilpatch "${musl[@]}" LDFLAGS=-static
# The unwinder is libgcc_s.so.1, as in every program with CoreCLR for musl.
native linux-musl-x64 musl-shared x86_64-linux-musl strip "$shared" "${musl[@]}" "LDFLAGS=$(gcc -print-file-name=libgcc_s.so.1)"
native linux-arm64 arm64 aarch64-linux-gnu aarch64-linux-gnu-strip "ilpatch $shared" CC=aarch64-linux-gnu-gcc OLD_GLIBC=1 "PORT=$ports/aarch64-linux-gnu"
native win-x64 windows x86_64-w64-mingw32 x86_64-w64-mingw32-strip 'ilpatch.exe libilpatch.dll ilpatch_profiler.dll' \
    CC=x86_64-w64-mingw32-gcc AR=x86_64-w64-mingw32-ar "PORT=$ports/x86_64-w64-mingw32"
# To link with the library; not stripped, since it has nothing but symbols.
[ ! -e "$out/win-x64/libilpatch.dll" ] || cp "$ports/native-windows/libilpatch.dll.a" "$out/win-x64/"
