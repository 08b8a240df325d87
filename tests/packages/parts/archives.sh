# Archives to unpack anywhere, for Linux and Windows: the same bytes twice, unpacked, used. Made of this build, and with PACKAGES=all of packaging/natives.sh.
# shellcheck shell=bash

# archive_runs NAME COMMAND...: the command of an archive patches as this build's does
archive_runs() {
    local name=$1
    shift
    rm -f "$tmp/unpacked.exe"
    "$@" -q --inspect-returns -o unpacked.exe Shop.exe >"$tmp/log" 2>&1
    check "$name: exit code" 0 $?
    same "$name: same bytes" "$tmp/expected.exe" unpacked.exe
}

# The folder is the root of its processes, with no library in it.
linux_archive() {
    local folder=$1 empty=$tmp/empty
    mkdir -p "$empty"
    cp "$folder/ilpatch" samples/Shop.exe "$empty/"
    if ldd "$folder/ilpatch" >"$tmp/libraries" 2>&1; then
        [ "$whole" = all ] && fail 'archive linux-x64: static' "needs $(head -n 1 "$tmp/libraries")"
        cd "$empty" && archive_runs 'archive linux-x64' env -i ./ilpatch; cd "$OLDPWD" || exit
    elif chroot "$empty" /ilpatch --version >"$tmp/log" 2>&1; then
        cd "$empty" && archive_runs 'archive linux-x64, in an empty root' chroot "$empty" /ilpatch; cd "$OLDPWD" || exit
    else
        skip 'archive linux-x64, in an empty root' "no chroot: $(tail -n 1 "$tmp/log")"
        cd "$empty" && archive_runs 'archive linux-x64' env -i ./ilpatch; cd "$OLDPWD" || exit
    fi
    "$folder/ilpatch" run --print-env >"$tmp/variables" 2>&1
    [ ! -e "$folder/libilpatch_profiler.so" ] || contains 'archive linux-x64: profiler' "CORECLR_PROFILER_PATH='$folder/libilpatch_profiler.so" "$tmp/variables"
}

windows_archive() {
    local folder=$1
    check 'archive win-x64: files' '' "$(cd "$folder" && ls -d ilpatch.exe libilpatch.dll ilpatch_profiler.dll MyProfiler.dll LICENSE.txt README.txt docs/RULES.txt 2>&1 | grep 'cannot access')"
    if [ ! -x /usr/lib/wine/wine64 ]; then
        skip 'archive win-x64: used' 'no wine64 (./setup.sh platforms)'
        return
    fi
    export WINEPREFIX=$tmp/wine WINEDEBUG=-all
    mkdir -p "$WINEPREFIX"
    timeout 200 /usr/lib/wine/wine64 wineboot -i >"$tmp/wineboot" 2>&1
    cp samples/Shop.exe "$folder/"
    cd "$folder" && archive_runs 'archive win-x64' timeout 100 /usr/lib/wine/wine64 ./ilpatch.exe; cd "$OLDPWD" || exit
    timeout 20 /usr/lib/wine/wineserver64 -k
}

archives() {
    local first=$tmp/archives/first second=$tmp/archives/second natives=$tmp/natives archive folder
    if [ "$whole" = all ]; then
        natives=$cache/ports/natives
        packaging/natives.sh "$natives" >"$tmp/natives.log" 2>&1 || { fail 'archives: natives' "$(tail -n 1 "$tmp/natives.log")"; return; }
        grep '^left out' "$tmp/natives.log"
    fi
    "$ilpatch" -q --inspect-returns -o "$tmp/expected.exe" samples/Shop.exe
    SOURCE_DATE_EPOCH=1700000000 packaging/archive.sh "$natives" "$first" >"$tmp/log" 2>&1 || { fail archives "$(tail -n 1 "$tmp/log")"; return; }
    find "$natives" -exec touch {} +
    SOURCE_DATE_EPOCH=1700000000 packaging/archive.sh "$natives" "$second" >"$tmp/log" 2>&1
    for archive in "$first"/*; do
        same "archive, made twice: $(basename "$archive")" "$archive" "$second/$(basename "$archive")"
    done
    [ ! -e "$natives/linux-x64/ilpatch" ] || { tar -xzf "$first"/*-linux-x64.tar.gz -C "$tmp/archives" && linux_archive "$(echo "$tmp"/archives/ilpatch-*-linux-x64)"; }
    if [ -e "$natives/win-x64/ilpatch.exe" ]; then
        unzip -q "$first"/*-win-x64.zip -d "$tmp/archives" && windows_archive "$(echo "$tmp"/archives/ilpatch-*-win-x64)"
    else
        skip 'archive win-x64' 'not built here (PACKAGES=all, ./setup.sh platforms, make ports)'
    fi
}
archives
