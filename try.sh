#!/bin/sh
# The first success on a fresh machine: installs what is needed, builds, patches a copy of the sample and runs it.
#   ./try.sh         does that
#   ./try.sh shell   opens a shell in a scratch folder with fresh copies, and with ilpatch in PATH
# Nothing is changed outside of build/ but the packages that setup.sh installs.
set -eu
cd "$(dirname "$0")"
./setup.sh try
[ -x "${BUILD:-build}/ilpatch" ] || echo "try.sh: building, which takes a minute" >&2
make -s -j2 all
build=$(realpath "${BUILD:-build}")
samples/copy.sh "$build/try"
cd "$build/try"

case ${1:-} in
    '')
        echo '$ ilpatch --inspect-returns Shop.exe'
        ../ilpatch --inspect-returns Shop.exe
        if command -v dotnet >/dev/null 2>&1; then run='dotnet exec'; else run=mono; fi
        echo "\$ $run Shop.exe"
        exec $run Shop.exe
        ;;
    shell)
        echo "This is $build/try, with copies of the sample. 'exit' ends the shell; the next one begins with fresh copies."
        PATH=$build:$PATH
        export PATH
        exec "${SHELL:-/bin/sh}"
        ;;
    *)
        echo "usage: ./try.sh [shell]" >&2
        exit 2
        ;;
esac
