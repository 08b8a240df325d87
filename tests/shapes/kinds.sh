# shellcheck shell=bash disable=SC2154
# What is met where an assembly is expected. Sourced by run.sh.

# refused NAME TEXT...: list, patch and verify end with 3 and say so, and nothing is written.
refused() {
    local file=$tmp/kinds/$1
    shift
    for command in list dump verify --inspect-returns; do
        run_ilpatch 3 $command "$file" && has_texts "$tmp/err" "$@" || return
    done
    [ ! -e "$file.orig" ]
}

mkdir "$tmp/kinds"
# kind NAME CONTENTS TEXT
kind() {
    printf "$2" >"$tmp/kinds/$1"
    passes "kind-$1" refused "$1" "$3"
}
kind elf '\177ELF' 'a native program or library (ELF)'
kind mach-o '\317\372\355\376' 'macOS (Mach-O)'
kind archive '!<arch>\n' 'a library of object files'
kind wasm '\0asm\1\0\0\0' 'a WebAssembly module'
kind webcil 'WbIL\0\0' 'publish with WasmEnableWebcil=false'
kind webcil-wasm '\0asm\1\0\0\0 WbIL' 'publish with WasmEnableWebcil=false'
kind zip 'PK\3\4' 'a zip archive'
kind windows-pdb 'Microsoft C/C++ MSF 7.00\r\n' 'a Windows PDB'
kind mdb '\024\246\177\375\043\046\350\105' 'symbols of Mono'
kind compressed XALZ 'AndroidEnableAssemblyCompression=false'
kind xml '<?xml version="1.0"?>' 'text: XML'
kind script '#!/bin/sh\n' 'text: a script'
kind empty '' 'not a PE file'
