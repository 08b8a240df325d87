#!/bin/sh
# The first success on a fresh machine: installs what is needed, builds, patches the sample and runs it.
# Nothing is changed outside of build/ but the packages that setup.sh installs.
set -eu
cd "$(dirname "$0")"
./setup.sh try
make -s -j2 all

rm -rf build/try
mkdir -p build/try
cp samples/Shop.exe samples/Shop.runtimeconfig.json build/try/
echo '$ ilpatch --inspect-returns Shop.exe'
build/ilpatch --inspect-returns build/try/Shop.exe
if command -v dotnet >/dev/null 2>&1; then
    run='dotnet exec'
else
    run=mono
fi
echo "\$ $run Shop.exe"
exec $run build/try/Shop.exe
