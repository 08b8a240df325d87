#!/bin/sh
# Makes a new FOLDER for trying things out:  samples/copy.sh FOLDER
# It holds the sample, and Sample.dll, a library whose methods return references, pointers, structs and so on.
set -eu
cd "$(dirname "$0")/.."
rm -rf "$1"
mkdir -p "$1"
cp samples/Shop.exe samples/Shop.runtimeconfig.json tests/command/files/Sample.dll tests/command/files/Sample.pdb "$1"
