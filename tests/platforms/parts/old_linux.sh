# Linux with an older glibc (OLD_GLIBC=1, ports/glibc): this machine's gcc, ports/debian.sh; ports/libraries.sh for what is published (packaging/natives.sh).
# shellcheck shell=bash disable=SC2154 # tmp, ports, whole: run.sh

old_build=$ports/old-glibc
old_root=$ports/debian-11
newest=2.28
old_files=(ilpatch libilpatch.so libilpatch_profiler.so)

# Symbols of a version that 2.28 does not have.
newer() { objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | awk -F_ -v newest=$newest '{ split($2, v, "."); split(newest, n, "."); if (v[1] > n[1] || v[2] > n[2]) print }'; }

# old_symbols NAME BUILD: none of its files needs a newer glibc
old_symbols() {
    local file
    for file in "${old_files[@]}"; do
        newer "$2/$file" >"$tmp/newer"
        if [ -s "$tmp/newer" ]; then
            fail "symbols of $1 $file" "needs $(tr '\n' ' ' <"$tmp/newer")"
        else
            ok "$1 $file needs glibc $newest or older"
        fi
    done
}

# With the other libraries inside, as they are published. The unwinder is that of CoreCLR.
old_alone() { # TARGET
    local target=$1 libraries=$ports/$1 build=$ports/old-$1 file
    [ -n "$whole" ] || [ -e "$libraries/complete" ] || { skip "$target" 'no libraries (make ports)'; return 1; }
    ports/libraries.sh "$target" "$libraries" >"$tmp/libraries.log" 2>&1 || { fail "$target libraries" "$(head -n 1 "$tmp/libraries.log")"; return 1; }
    make -s -j2 OLD_GLIBC=1 CC="$target-gcc" PORT="$libraries" BUILD="$build" "${old_files[@]/#/$build/}" >"$tmp/alone.log" 2>&1 ||
        { fail "$target" 'does not build' "$tmp/alone.log"; return 1; }
    old_symbols "$target" "$build"
    for file in "${old_files[@]}"; do
        check "$target $file needs libc alone" '' "$(readelf -d "$build/$file" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libc|libm|libdl|libpthread|libgcc_s|ld-linux-[-_a-z0-9]*)\.so\.[0-9]+$')"
    done
}

# In a root of Debian 11 that has CoreCLR, what CoreCLR is linked with, and what is published: rules, values, a report, symbols.
old_run() { # BUILD
    local root=$tmp/root net file
    [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null || { skip 'run with glibc 2.31' 'needs root and namespaces'; return; }
    find_sdk || { skip 'run with glibc 2.31' 'no .NET SDK'; return; }
    net=$(dirname "$(readlink -f "$(command -v dotnet)")")
    mkdir -p "$tmp/app"
    cat >"$tmp/app/Sums.cs" <<'CS'
static class Sums
{
    struct Pair { public int First; public long Second; }
    static Pair Both(int n) => new Pair { First = n, Second = -n };
    static int Add(int a, int b) => a + b;
    static int Main() => Add(Both(3).First, 4) - 7;
}
CS
    compile "$tmp/app/Sums.dll" -debug:portable "$tmp/app/Sums.cs"
    runs_with_framework "$tmp/app/Sums.dll"
    cp tests/platforms/rules.xml data/inspector/MyProfiler.dll "$tmp/app/"
    for file in "${old_files[@]}"; do cp "$1/$file" "$tmp/app/"; done
    cat >"$tmp/expected" <<'END'
Sums::Both -> {First=3, Second=-3} (Sums+Pair)
Sums::Add -> 7 (System.Int32)
Sums::Main -> 0 (System.Int32)
END
    mkdir "$root"
    cat >"$tmp/in-root" <<'END'
# in-root OLD NET APP ROOT COMMAND...: a root in ROOT, a mount of its own, with OLD's libraries
set -e
root=$4
mount -t tmpfs -o mode=755 root "$root"
mkdir -p "$root/lib" "$root/lib64" "$root/usr" "$root/net" "$root/app" "$root/proc" "$root/dev" "$root/tmp"
mount --bind "$1/lib" "$root/lib"
mount --bind "$1/lib64" "$root/lib64"
mount --bind "$1/usr" "$root/usr"
mount --bind "$2" "$root/net"
mount --bind "$3" "$root/app"
mount --rbind /dev "$root/dev"
mount --rbind /proc "$root/proc"
shift 4
export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1
exec chroot "$root" "$@"
END
    local in_root=(unshare --mount sh "$tmp/in-root" "$old_root" "$net" "$tmp/app" "$root")
    "${in_root[@]}" /app/ilpatch run -q --rules /app/rules.xml --report /app/report.json -- /net/dotnet exec /app/Sums.dll >"$tmp/run.out" 2>"$tmp/values"
    check 'run with glibc 2.31' '0 ' "$? $(cat "$tmp/run.out")"
    same 'values with glibc 2.31' "$tmp/expected" "$tmp/values" && ran run yes
    check 'report with glibc 2.31' true "$(jq '.schema == 1' "$tmp/app/report.json" 2>&1)"
    "${in_root[@]}" /app/ilpatch -q --rules /app/rules.xml /app/Sums.dll >"$tmp/patch.out" 2>&1
    check 'patch with glibc 2.31' '0 ' "$? $(cat "$tmp/patch.out")"
    "${in_root[@]}" /net/dotnet exec /app/Sums.dll >"$tmp/values" 2>&1
    same 'values of the patched file' "$tmp/expected" "$tmp/values"
}

old_linux() {
    make -s -j2 OLD_GLIBC=1 BUILD="$old_build" all >"$tmp/old.log" 2>&1 || { fail build 'does not build' "$tmp/old.log"; return; }
    old_symbols '' "$old_build"
    # Debian 11 is the oldest whose packages are served: glibc 2.31, from before programs began in another way (2.34).
    ports/debian.sh amd64 "$old_root" bullseye libc6 libgcc-s1 libstdc++6 >"$tmp/fetch.log" 2>&1 || { skip 'Debian 11' "$(tail -n 1 "$tmp/fetch.log")"; return; }
    local lib=$old_root/lib/x86_64-linux-gnu
    # Without symbols, whose checksum libcrypto makes: this machine's needs a newer glibc.
    patches_alike 'same bytes with glibc 2.31' '--inspect-returns --symbols drop' \
        "$lib/ld-2.31.so" --library-path "$lib:/usr/lib/x86_64-linux-gnu" "$old_build/ilpatch" && ran command yes
    ran library yes
    ran note 'symbols of glibc 2.28 and older alone; `run` in a root of Debian 11 (2.31), with no library but those of .NET'
    if old_alone x86_64-linux-gnu; then
        patches_alike 'same bytes with glibc 2.31 and no other library' '--inspect-returns' \
            "$lib/ld-2.31.so" --library-path "$lib" "$ports/old-x86_64-linux-gnu/ilpatch"
        old_run "$ports/old-x86_64-linux-gnu"
    fi
    [ -z "$whole" ] || old_alone aarch64-linux-gnu
}
old_linux
