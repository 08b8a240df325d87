#!/bin/sh
# foreign_mono.sh ARCHITECTURE DIR: Mono for another processor (i386, arm64) and what a library for it is built with, out of
# Debian's packages, unpacked below DIR and not installed. The assemblies of the core library are those of the installed Mono,
# of the same version. Does nothing when all is there; of several at a time the others wait for the first.
#
# Prints how to run it: a command, and on a second line the options for a C compiler.
set -eu

architecture=$1
dir=$2/$1
# emulate PROCESSOR: its programs run under qemu
emulate() {
    emulator=$(command -v "qemu-$1-static" || command -v "qemu-$1") || { echo "no qemu-$1 (qemu-user-static)" >&2; exit 1; }
}
emulator=''
case $architecture in
    i386) triple=i386-linux-gnu loader=ld-linux.so.2 compiler="${CC:-cc} -m32" ;;
    arm64)
        triple=aarch64-linux-gnu loader=ld-linux-aarch64.so.1 compiler="aarch64-linux-gnu-gcc -mno-outline-atomics"
        emulate aarch64
        ;;
    *) exit 2 ;;
esac
command -v "${compiler%% *}" >/dev/null || { echo "no ${compiler%% *}" >&2; exit 1; }
packages='mono-runtime-sgen mono-runtime-common libc6 libc6-dev linux-libc-dev zlib1g libgcc-s1 libstdc++6 libgssapi-krb5-2
libkrb5-3 libk5crypto3 libkrb5support0 libcom-err2 libkeyutils1 libssl3'

mkdir -p "$2"
exec 9>"$2/lock"
flock 9
if [ ! -f "$dir/complete" ]; then
    rm -rf "$dir"
    mkdir -p "$dir/root" "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial" "$dir/debs"
    # apt's own state stays as it is: another architecture is known here alone
    apt() {
        apt-get -qq -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o APT::Sandbox::User="$(id -un)" \
            -o Dir::State::Lists="$dir/apt/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$dir/apt/cache" "$@"
    }
    # shellcheck disable=SC2086
    {
        apt update || true # some source may not have this architecture
        (cd "$dir/debs" && apt download $packages) &&
            for package in "$dir"/debs/*.deb; do dpkg -x "$package" "$dir/root" || exit; done &&
            sed "s|\$mono_libdir|$dir/root/usr/lib|" "$dir/root/etc/mono/config" >"$dir/config"
    } >"$2/log.$architecture" 2>&1 || { tail -n 3 "$2/log.$architecture" >&2; exit 1; }
    rm -rf "$dir/apt" "$dir/debs"
    touch "$dir/complete"
fi

root=$dir/root
# Some kernels for x86-64 do not run 32-bit programs.
[ "$architecture" != i386 ] || "$root/lib/$loader" --version >"$dir/log" 2>&1 || emulate i386
libraries=$root/lib/$triple:$root/usr/lib/$triple:$root/usr/lib
echo "env MONO_CONFIG=$dir/config MONO_CFG_DIR=$root/etc MONO_PATH=/usr/lib/mono/4.5 $emulator $root/lib/$loader --library-path .:$libraries $root/usr/bin/mono-sgen"
echo "$compiler --sysroot=$root -isystem $root/usr/include/$triple -nostdlib"
