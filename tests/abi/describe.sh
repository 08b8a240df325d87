#!/bin/sh
# describe.sh LIBRARY OUT [HEADERS]: the binary interface of libilpatch.so as abidw has it: functions, and the types of ilpatch.h. No paths,
# lines or order of the build are in it, so that it changes with the interface alone.
set -eu
exec abidw --headers-dir "${3:-include}" --drop-private-types --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --out-file "$2" "$1"
