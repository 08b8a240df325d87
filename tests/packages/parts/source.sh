# Debian's packages and the source archive, which PACKAGES=all makes: from the last commit.
# shellcheck shell=bash

debian_packages() {
    local root=$tmp/root package packages='libilpatch1 libilpatch-dev ilpatch ilpatch-profiler'
    if ! packaging/deb.sh "$tmp/deb" >"$tmp/log" 2>&1; then
        fail deb "$(tail -n 1 "$tmp/log")"
        return
    fi
    ok deb
    if have lintian; then
        find "$tmp/deb" -name '*.deb' ! -name '*-dbgsym_*' -exec lintian --allow-root {} + >"$tmp/lintian" 2>&1
        check deb/lintian "" "$(grep '^[EW]:' "$tmp/lintian")"
    else
        skip deb/lintian "no lintian (./setup.sh packages)"
    fi
    # A root of its own, with none of the packages that these depend on.
    mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers}
    touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
    for package in $packages; do
        dpkg --root="$root" --force-all --no-triggers -i "$tmp/deb/${package}_"*.deb >"$tmp/log" 2>&1 || fail "deb/$package" "$(tail -n 1 "$tmp/log")"
    done
    LD_LIBRARY_PATH=$(echo "$root"/usr/lib/*-linux-gnu) "$root/usr/bin/ilpatch" --inspect-returns -q -o "$tmp/shop.exe" samples/Shop.exe
    [ -s "$tmp/shop.exe" ] && ok deb/used || fail deb/used "nothing written"
    passes deb/run "$root/usr/bin/ilpatch" run --print-env
    check deb/profiler 1 "$("$root/usr/bin/ilpatch" run --print-env | grep -c "$root/usr/lib/ilpatch/libilpatch_profiler.so")"
    for package in $packages; do
        dpkg --root="$root" --force-all --no-triggers -P "$package" >"$tmp/log" 2>&1 || fail "deb/purge $package" "$(tail -n 1 "$tmp/log")"
    done
    check deb/purged "" "$(find "$root/usr" ! -type d 2>/dev/null | head -n 3)"
}
source_archive() {
    local first second
    first=$(packaging/dist.sh "$tmp/dist1") && second=$(packaging/dist.sh "$tmp/dist2") || { fail dist "no archive"; return; }
    same dist/same "$first" "$second"
    mkdir "$tmp/source"
    tar -xzf "$first" -C "$tmp/source"
    # In two folders: no path of theirs is in what is built.
    cp -r "$tmp"/source/ilpatch-* "$tmp/elsewhere"
    make -s -C "$tmp"/source/ilpatch-* BUILD=build build/ilpatch build/libilpatch.so >"$tmp/log" 2>&1 || fail dist/builds "$(tail -n 1 "$tmp/log")"
    make -s -C "$tmp/elsewhere" BUILD=build build/ilpatch build/libilpatch.so >"$tmp/log" 2>&1 || fail dist/builds "$(tail -n 1 "$tmp/log")"
    for file in ilpatch libilpatch.so; do
        same "dist/same-$file" "$(echo "$tmp"/source/ilpatch-*/build)/$file" "$tmp/elsewhere/build/$file"
    done
}
if [ "$whole" = all ]; then
    if have dh; then debian_packages; else skip deb "no debhelper (./setup.sh packages)"; fi
    source_archive
fi
