#!/bin/bash
# Unpacks Debian's packages for another processor: what ilpatch is built with there, and what programs for .NET need to run.
#
#   ports/debian.sh ARCHITECTURE FOLDER [SUITE PACKAGE...]     of Debian 12, and all that takes, unless others are named
#
#   make CC="aarch64-linux-gnu-gcc --sysroot=FOLDER" BUILD=build/arm64
#   qemu-aarch64-static -L FOLDER build/arm64/ilpatch
#
# FOLDER becomes the root of such a system, as far as these packages go. Nothing is installed, and apt's own state is not touched. Nothing is
# done where FOLDER is complete.
set -eu
arch=$1
mkdir -p "$2"
to=$(realpath "$2")
[ ! -e "$to/complete" ] || exit 0

tmp=$(mktemp -d "${TMPDIR:-/tmp}/ilpatch-debian.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# To build with, and what the shared libraries among these refer to.
packages=(libc6-dev linux-libc-dev libcrypt-dev libjansson-dev libpcre2-dev libxml2-dev libicu-dev zlib1g-dev libdeflate-dev libssl-dev
    libcmocka-dev libxxhash-dev)
# To run with: the same, without headers, and CoreCLR's.
packages+=(libc6 libgcc-s1 libstdc++6 libjansson4 libpcre2-8-0 libxml2 liblzma5 libicu72 zlib1g libdeflate0 libssl3 libcmocka0)
suite=${3:-bookworm}
[ $# -le 3 ] || packages=("${@:4}")

cd "$tmp"
mkdir -p lists/partial cache
: >status
cat >debian.sources <<LIST
Types: deb
URIs: http://deb.debian.org/debian
Suites: $suite
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
LIST
apt=(apt-get -qq -o Dir::Etc::SourceParts=/dev/null -o "Dir::Etc::SourceList=$tmp/debian.sources" -o "Dir::State::Lists=$tmp/lists"
    -o "Dir::State::status=$tmp/status" -o "Dir::Cache=$tmp/cache" -o APT::Sandbox::User=root
    -o "APT::Architecture=$arch" -o "APT::Architectures=$arch")
"${apt[@]}" update
"${apt[@]}" download "${packages[@]}"
for package in *.deb; do
    dpkg-deb -x "$package" "$to"
done
# Links to places from the root on are to lead into this one.
find "$to" -lname '/*' | while read -r link; do
    ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$to$(readlink "$link")")" "$link"
done
touch "$to/complete"
echo "$arch: ${#packages[@]} packages in $to"
