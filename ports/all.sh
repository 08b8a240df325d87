#!/bin/sh
# all.sh FOLDER: what it takes to build for each other platform, each in a folder of its own. With these in build/packages/ports `make check`
# tries all platforms that tests/platforms/run.sh tries in part. `./setup.sh platforms` installs compilers.
set -eu
mkdir -p "$1"
to=$(realpath "$1")
cd "$(dirname "$0")"

./debian.sh arm64 "$to/arm64"
./debian.sh i386 "$to/i386"
./libraries.sh x86_64-w64-mingw32 "$to/x86_64-w64-mingw32"
./libraries.sh x86_64-linux-musl "$to/x86_64-linux-musl"
