#!/bin/bash
# archive.sh NATIVES OUT: what natives.sh has put into NATIVES as archives to unpack anywhere, in the folder OUT: ilpatch-VERSION-linux-x64.tar.gz, whose command is linked
# statically, and ilpatch-VERSION-win-x64.zip. The same files give the same bytes: names are sorted, and the time is SOURCE_DATE_EPOCH, or that of the last commit.
set -eu
natives=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
cd "$(dirname "$0")/.."
version=$(sed -n 's/^.define ILP_VERSION "\(.*\)"/\1/p' include/ilpatch.h)
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C TZ=UTC

# fill PLATFORM FILE...: the folder of an archive, $top: these files of the platform, and what is the same for all
fill() {
    local platform=$1 file
    shift
    top=ilpatch-$version-$platform
    mkdir -p "$work/$top/docs" "$work/$top/schemas" "$work/$top/examples" "$work/$top/include/ilpatch"
    for file; do
        [ ! -e "$natives/$platform/$file" ] || cp "$natives/$platform/$file" "$work/$top/"
    done
    cp data/inspector/MyProfiler.dll LICENSE README.md CHANGELOG.md "$work/$top/"
    cp docs/*.md "$work/$top/docs/"
    cp data/rules.xsd data/*.schema.json "$work/$top/schemas/"
    cp data/examples/* "$work/$top/examples/"
    cp include/ilpatch.h "$work/$top/include/"
    cp include/ilpatch/*.def "$work/$top/include/ilpatch/"
}
# dated: modes and times do not differ from machine to machine. After the last change of the folder.
dated() {
    find "$work/$top" -type d -exec chmod 755 {} +
    find "$work/$top" -type f -exec chmod 644 {} +
    find "$work/$top" -maxdepth 1 -name 'ilpatch*' -type f -exec chmod 755 {} +
    find "$work/$top" -exec touch -h -d "@$epoch" {} +
}

if [ -e "$natives/linux-x64/ilpatch" ]; then
    fill linux-x64 ilpatch libilpatch.so libilpatch_profiler.so
    cp -r man completions "$work/$top/"
    rm -f "$work/$top"/*/*.py
    [ ! -e "$work/$top/libilpatch_profiler.so" ] || ln -s libilpatch_profiler.so "$work/$top/libmono-profiler-ilpatch.so"
    dated
    tar --sort=name --owner=0 --group=0 --numeric-owner --format=ustar -C "$work" -cf - "$top" | gzip -9n >"$out/$top.tar.gz"
    echo "$out/$top.tar.gz"
fi
if [ -e "$natives/win-x64/ilpatch.exe" ]; then
    fill win-x64 ilpatch.exe libilpatch.dll libilpatch.dll.a ilpatch_profiler.dll
    cp completions/ilpatch.ps1 "$work/$top/"
    find "$work/$top" -name '*.md' -exec sh -c 'for page; do sed "s/\$/\r/" "$page" >"${page%.md}.txt" && rm "$page"; done' sh {} +
    sed -i 's/$/\r/' "$work/$top/LICENSE"
    mv "$work/$top/LICENSE" "$work/$top/LICENSE.txt"
    dated
    rm -f "$out/$top.zip"
    (cd "$work" && find "$top" | LC_ALL=C sort | zip -q -X -9 -@ "$out/$top.zip")
    echo "$out/$top.zip"
fi
