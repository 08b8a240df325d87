#!/bin/bash
# program.sh FOLDER: the program, with what it loads. FOLDER.words has its texts.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
words=$1.words
mkdir -p "$1/plug" "$1/de" "$words"
printf 'yes=yes\n' >"$words/Words.txt"
printf 'yes=ja\n' >"$words/Words.de.txt"
for file in Words Words.de; do
    resgen "$words/$file.txt" "$words/$file.resources"
done
mcs -target:library -out:"$1/Lib.dll" "$here/lib/Lib.cs"
for file in Plug Raw; do
    mcs -target:library -out:"$1/plug/$file.dll" "$here/plug/$file.cs"
done
mcs -optimize -resource:"$words/Words.resources" -r:"$1/Lib.dll" -out:"$1/App.exe" "$here/app/App.cs"
al -target:lib -culture:de -embed:"$words/Words.de.resources" -out:"$1/de/App.resources.dll"
