#!/bin/bash
# Builds the libraries that ilpatch loads, for a target that Debian has no packages for, or to be linked statically, from Debian's source packages:
#
#   ports/libraries.sh TARGET FOLDER
#
#   x86_64-linux-musl     for musl-gcc
#   x86_64-w64-mingw32    Windows x64
#   i686-w64-mingw32      Windows x86
#   x86_64-linux-gnu, aarch64-linux-gnu     for programs that need no other library than libc, and none newer than glibc 2.28 (OLD_GLIBC=1)
#
# FOLDER gets include/ and lib/, with static libraries alone: xxhash (its header), zlib, libdeflate, jansson, PCRE2, libxml2, for the unit tests
# cmocka, and for Linux libcrypto; Windows has its own hashes. Nothing is done where FOLDER is complete. Needs what `./setup.sh platforms` installs.
set -eu
target=$1
mkdir -p "$2"
to=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
[ ! -e "$to/complete" ] || exit 0

tmp=$(mktemp -d "${TMPDIR:-/tmp}/ilpatch-libraries.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
log=$to/log
exec 3>&1 >"$log" 2>&1
trap 'code=$?; rm -rf "$tmp"; [ $code -eq 0 ] || { echo "libraries.sh: $target: failed; the end of $log:"; tail -n 15 "$log"; } >&3' EXIT

# ---- sources ----

cd "$tmp"
mkdir -p lists/partial cache sources
cat >debian.sources <<'LIST'
Types: deb-src
URIs: http://deb.debian.org/debian
Suites: bookworm
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
LIST
apt=(apt-get -qq -o Dir::Etc::SourceParts=/dev/null -o "Dir::Etc::SourceList=$tmp/debian.sources"
    -o "Dir::State::Lists=$tmp/lists" -o "Dir::Cache=$tmp/cache" -o APT::Sandbox::User=root)
packages=(xxhash zlib libdeflate jansson pcre2 libxml2 cmocka)
case $target in *-linux-*) packages+=(openssl) ;; esac
"${apt[@]}" update
(cd sources && "${apt[@]}" source "${packages[@]}")

# ---- how they are built ----

ar=$target-ar
flags=-fPIC
case $target in
    x86_64-linux-musl) cc=musl-gcc ar=ar system=Linux ;;
    *-linux-gnu)
        cc=$target-gcc system=Linux
        # glibc/ has stat(), for files of any size.
        flags="-fPIC -D_FILE_OFFSET_BITS=64 -include $here/glibc/old_symbols.h"
        ;;
    *-w64-mingw32) cc=$target-gcc system=Windows ;;
    *) echo "unknown target $target"; exit 2 ;;
esac
mkdir -p "$to/include" "$to/lib"
cat >toolchain.cmake <<CMAKE
set(CMAKE_SYSTEM_NAME $system)
set(CMAKE_SYSTEM_PROCESSOR ${target%%-*})
set(CMAKE_C_COMPILER $cc)
set(CMAKE_C_FLAGS_INIT "$flags")
set(CMAKE_FIND_ROOT_PATH $to)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
CMAKE
# The kernel's headers are not part of musl.
if [ "$target" = x86_64-linux-musl ]; then
    ln -sfn /usr/include/linux /usr/include/asm-generic /usr/include/x86_64-linux-gnu/asm "$to/include/"
fi

by_cmake() { # SOURCE OPTION...
    local source
    source=$(echo sources/"$1"-*/)
    cmake -S "$source" -B "build-$1" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$tmp/toolchain.cmake" -DCMAKE_INSTALL_PREFIX="$to" \
        -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF "${@:2}"
    cmake --build "build-$1"
    cmake --install "build-$1"
}

cp sources/xxhash-*/xxhash.h sources/xxhash-*/xxh3.h "$to/include/"

# A dozen files, without those for .gz files; Debian's source lacks what its cmake wants for Windows.
(cd sources/zlib-*/ && $cc -O2 $flags -DHAVE_UNISTD_H=1 -c adler32.c crc32.c deflate.c infback.c inffast.c inflate.c inftrees.c trees.c zutil.c compress.c uncompr.c &&
    "$ar" rcs "$to/lib/libz.a" ./*.o && cp zlib.h zconf.h "$to/include/")

make -C sources/libdeflate-*/ -j"$(nproc)" CC="$cc" AR="$ar" CFLAGS="-O2 $flags" DISABLE_SHARED=yes "$([ $system = Windows ] && echo libdeflatestatic.lib || echo libdeflate.a)"
cp sources/libdeflate-*/libdeflate.h "$to/include/"
cp "$(find sources/libdeflate-*/ -name 'libdeflate*.a' -o -name 'libdeflate*.lib')" "$to/lib/libdeflate.a"

by_cmake jansson -DJANSSON_BUILD_DOCS=OFF -DJANSSON_EXAMPLES=OFF -DJANSSON_WITHOUT_TESTS=ON
by_cmake pcre2 -DPCRE2_BUILD_PCRE2GREP=OFF -DPCRE2_BUILD_TESTS=OFF -DPCRE2_SUPPORT_JIT=ON
by_cmake libxml2 -DLIBXML2_WITH_ICONV=OFF -DLIBXML2_WITH_LZMA=OFF -DLIBXML2_WITH_ZLIB=OFF -DLIBXML2_WITH_PYTHON=OFF -DLIBXML2_WITH_HTTP=OFF \
    -DLIBXML2_WITH_FTP=OFF -DLIBXML2_WITH_PROGRAMS=OFF -DLIBXML2_WITH_TESTS=OFF
[ -e "$to/lib/libxml2.a" ] || mv "$to"/lib/libxml2*.a "$to/lib/libxml2.a"

if [ $system = Windows ]; then # what is linked statically is exported by no DLL
    "$target-objcopy" --remove-section=.drectve "$to/lib/libxml2.a"
fi
by_cmake cmocka -DWITH_STATIC_LIB=ON -DWITH_EXAMPLES=OFF -DUNIT_TESTING=OFF
rm -f "$to"/lib/libcmocka.so* "$to/lib/libcmocka.dll.a" # a shared one is built, too
mv "$to/lib/libcmocka-static.a" "$to/lib/libcmocka.a"

if [ $system = Linux ]; then
    # Hashes, and RSA to sign with: nothing of networks.
    openssl=$(echo sources/openssl-*/)
    (cd "$openssl" && CC="$cc $flags" AR=$ar ./Configure "linux-${target%%-*}" no-shared no-tests no-engine no-dso no-module no-async no-cms no-ct no-ocsp no-ts no-srp no-psk no-legacy \
        no-autoload-config no-secure-memory no-afalgeng --prefix="$to" --libdir=lib)
    make -C "$openssl" -j"$(nproc)" build_generated
    make -C "$openssl" -j"$(nproc)" libcrypto.a
    cp -r "$openssl/include/openssl" "$to/include/"
    cp "$openssl/libcrypto.a" "$to/lib/"
fi

touch "$to/complete"
echo "$target: $(ls "$to/lib"/*.a | wc -l) libraries in $to" >&3
