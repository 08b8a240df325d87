#!/bin/sh
# dist.sh OUT: the source of the last commit as OUT/ilpatch-VERSION.tar.gz. The same commit gives the same bytes.
set -eu
mkdir -p "$1"
out=$(realpath "$1")
cd "$(dirname "$0")/.."
version=$(sed -n 's/^.define ILP_VERSION "\(.*\)"/\1/p' include/ilpatch.h)
git archive --format=tar --prefix="ilpatch-$version/" HEAD | gzip -9n >"$out/ilpatch-$version.tar.gz"
echo "$out/ilpatch-$version.tar.gz"
