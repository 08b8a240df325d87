#!/bin/sh
# split_debug.sh FILE...: puts the debug symbols of each into .debug/FILE.debug beside it, where debuggers look for them, and strips it. For `make install`.
set -eu
for file; do
    name=$(basename "$file").debug
    folder=$(dirname "$file")/.debug
    mkdir -p "$folder"
    ${OBJCOPY:-objcopy} --only-keep-debug "$file" "$folder/$name"
    chmod 644 "$folder/$name"
    (cd "$folder" && ${OBJCOPY:-objcopy} --strip-unneeded --add-gnu-debuglink="$name" "../${name%.debug}")
done
