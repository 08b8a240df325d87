#!/bin/sh
# Installs what building, trying, testing and linting ilpatch need, from Debian's packages:  ./setup.sh build|try|test|platforms|packages|lint|fuzz|bench
# For bench, what is measured is fetched, too, from NuGet into build/packages. Does nothing when everything is there already. As root, or
# with sudo.
set -eu

what=${1:-build}

have() { command -v "$1" >/dev/null 2>&1; }
# libxml2's headers are in a folder of their own; pcre2.h wants to know how wide characters are.
have_header() { echo "#include <$1>" | cc -I/usr/include/libxml2 -DPCRE2_CODE_UNIT_WIDTH=8 -E - >/dev/null 2>&1; }

wanted=''
want() { wanted="$wanted $*"; }

have cc || want gcc libc6-dev
have make || want make
have cc && have_header jansson.h || want libjansson-dev
have cc && have_header xxhash.h || want libxxhash-dev
have cc && have_header libxml/parser.h || want libxml2-dev
have cc && have_header pcre2.h || want libpcre2-dev
have cc && have_header libdeflate.h || want libdeflate-dev
have cc && have_header zlib.h || want zlib1g-dev
have cc && have_header openssl/evp.h || want libssl-dev

case $what in
    build) ;;
    try)
        # Any runtime will do; Mono is the one that Debian has.
        have dotnet || have mono || want mono-runtime libmono-system-core4.0-cil
        ;;
    test)
        have cc && printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <cmocka.h>\n' |
            cc -E - >/dev/null 2>&1 || want libcmocka-dev
        have mono || want mono-runtime
        have mcs || want mono-mcs
        have c++ || want g++
        have jq || want jq
        have xmllint || want libxml2-utils
        have abidiff || want abigail-tools
        have mandoc || want mandoc
        have cmark-gfm || want cmark-gfm
        have zsh || want zsh
        have fish || want fish
        have strace || want strace
        have pgrep || want procps
        have valgrind || want valgrind
        { have ilasm && have monodis; } || want mono-devel mono-utils
        # The hooks' stubs are tried on other processors, too.
        have i686-linux-gnu-gcc || want gcc-i686-linux-gnu libc6-dev-i386-cross
        have aarch64-linux-gnu-gcc || want gcc-aarch64-linux-gnu libc6-dev-arm64-cross
        have qemu-aarch64-static || want qemu-user-static
        have clang || have x86_64-w64-mingw32-as || want binutils-mingw-w64-x86-64 binutils-mingw-w64-i686
        have chromium || want chromium
        python3 -c 'import jsonschema' 2>/dev/null || want python3-jsonschema
        ;;
    platforms)
        # Compilers for other platforms and what runs their programs; what builds libraries for them (ports/libraries.sh).
        have musl-gcc || want musl-tools
        have x86_64-w64-mingw32-gcc || want gcc-mingw-w64-x86-64
        have i686-w64-mingw32-gcc || want gcc-mingw-w64-i686
        [ -x /usr/lib/wine/wine64 ] || want wine64
        have i686-linux-gnu-gcc || want gcc-i686-linux-gnu libc6-dev-i386-cross
        have aarch64-linux-gnu-gcc || want gcc-aarch64-linux-gnu libc6-dev-arm64-cross
        have qemu-aarch64-static || want qemu-user-static
        have cmake || want cmake
        have ninja || want ninja-build
        have dpkg-source || want dpkg-dev
        have mono || want mono-runtime
        have mcs || want mono-mcs
        ;;
    packages)
        # What Debian packages are made with, and checked.
        have dh || want debhelper
        have dpkg-buildpackage || want dpkg-dev
        have lintian || want lintian
        ;;
    lint)
        have clang || want clang
        have clang-format || want clang-format
        have clang-tidy || want clang-tidy
        have cppcheck || want cppcheck
        have shellcheck || want shellcheck
        have valgrind || want valgrind
        have python3 || want python3
        ;;
    bench)
        have wrk || want wrk
        have curl || want curl
        have valgrind || want valgrind
        have python3 || want python3
        ;;
    fuzz)
        # The sanitizers' libraries and libFuzzer are a package of their own, which that of clang only recommends.
        echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | clang -fsanitize=fuzzer,address -x c -o /dev/null - 2>/dev/null ||
            want clang libclang-rt-dev
        ;;
    *)
        echo "usage: ./setup.sh build|try|test|platforms|lint|fuzz|bench" >&2
        exit 2
        ;;
esac

# Packages of NuGet that benchmarks work on.
fetch() {
    [ "$what" != bench ] || ! have dotnet || "$(dirname "$0")/bench/fetch.sh" "${ILPATCH_TEST_CACHE:-$(dirname "$0")/build/packages}" large
}

[ -n "$wanted" ] || { fetch; exit; }
if ! have apt-get; then
    echo "setup.sh: this machine has no apt-get; please install what these Debian packages hold:$wanted" >&2
    exit 1
fi
root=''
if [ "$(id -u)" -ne 0 ]; then
    have sudo || { echo "setup.sh: run this as root, it installs:$wanted" >&2; exit 1; }
    root=sudo
fi
echo "setup.sh: installing$wanted"
$root apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends $wanted >/dev/null
fetch
