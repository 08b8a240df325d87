# Linux with an older glibc (OLD_GLIBC=1, ports/glibc): this machine's gcc, ports/debian.sh.
# shellcheck shell=bash

old_build=$ports/old-glibc
old_root=$ports/debian-11
newest=2.28

# Symbols of a version that 2.28 does not have.
newer() { objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | awk -F_ -v newest=$newest '{ split($2, v, "."); split(newest, n, "."); if (v[1] > n[1] || v[2] > n[2]) print }'; }

old_linux() {
    local file
    make -s -j2 OLD_GLIBC=1 BUILD="$old_build" all >"$tmp/old.log" 2>&1 || { fail build 'does not build' "$tmp/old.log"; return; }
    for file in ilpatch libilpatch.so libilpatch_profiler.so; do
        newer "$old_build/$file" >"$tmp/newer"
        if [ -s "$tmp/newer" ]; then
            fail "symbols of $file" "needs $(tr '\n' ' ' <"$tmp/newer")"
        else
            ok "$file needs glibc $newest or older"
        fi
    done
    # Debian 11 is the oldest whose packages are served: glibc 2.31, from before programs began in another way (2.34).
    ports/debian.sh amd64 "$old_root" bullseye libc6 >"$tmp/fetch.log" 2>&1 || { skip 'Debian 11' "$(tail -n 1 "$tmp/fetch.log")"; return; }
    local lib=$old_root/lib/x86_64-linux-gnu
    # Without symbols, whose checksum libcrypto makes: this machine's needs a newer glibc.
    patches_alike 'same bytes with glibc 2.31' '--inspect-returns --symbols drop' \
        "$lib/ld-2.31.so" --library-path "$lib:/usr/lib/x86_64-linux-gnu" "$old_build/ilpatch" && ran command yes
    ran library yes
    ran note 'symbols of glibc 2.28 and older alone; started with 2.31'
}
old_linux
