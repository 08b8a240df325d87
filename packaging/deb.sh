#!/bin/sh
# deb.sh OUT: Debian packages of the last commit, in OUT, by debhelper (./setup.sh packages). packaging/debian becomes the folder debian/ of the source.
set -eu
mkdir -p "$1"
out=$(realpath "$1")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
archive=$(packaging/dist.sh "$work")
tar -xzf "$archive" -C "$work"
version=$(basename "$archive" .tar.gz)
version=${version#ilpatch-}
cd "$work/ilpatch-$version"
cp -r packaging/debian debian
date=$(date -R -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}")
cat >debian/changelog <<END
ilpatch ($version) unstable; urgency=medium

  * See /usr/share/doc/ilpatch/CHANGELOG.md.

 -- the ilpatch authors <ilpatch@localhost>  $date
END
dpkg-buildpackage -b -us -uc >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }
cp "$work"/*.deb "$out/"
ls "$out"/*.deb
