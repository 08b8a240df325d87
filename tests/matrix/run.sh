#!/bin/bash
# Entry points, inspectors and programs, each with each (table.txt): what works, and what is refused how.
#
#   MATRIX=all          every cell; without it those of a few programs that are built quickly
#   ILPATCH_TEST_RUNTIME=VERSION  programs for that version, and on it (tests/runtime/versions); what differs is in the table, too
#   MATRIX_CELLS=WORDS  only cells that match the extended regular expression; `pairs`: only pairs of options
#
# A cell that works: output and exit code are those of the unpatched program, stack traces with their lines included; the expected
# values are seen, each once; restore leaves the folder as it was. One that is refused: the exit code and the message are the
# table's, no file is changed, nothing is shown. docs/SUPPORT.md has the same tables for people.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
here=$PWD/tests/matrix
. "$here/lib.sh"

if ! have python3; then
    skip matrix "no python3"
    finish
fi
need_sdk matrix
scratch matrix
export CELLS=$tmp ILPATCH=$ilpatch
runtime=${ILPATCH_TEST_RUNTIME-}
[ -z "$runtime" ] || export DOTNET_ROOT=${sdk%/sdk/*}

# ---- the table for people ----

"$here/table.py" support >"$tmp/support"
sed '1,/<!-- made by tests\/matrix\/table.py support -->/d' docs/SUPPORT.md >"$tmp/documented"
same "docs/SUPPORT.md" "$tmp/support" "$tmp/documented"

# ---- programs, built once ----

"$here/table.py" cells ${runtime:+"$runtime"} >"$tmp/table.txt"
programs=$(awk '{ print $3 }' "$tmp/table.txt" | uniq)
if [ "${MATRIX-}" != all ]; then
    programs='release debug single-file plug-ins mono-mdb mono-pdb'
    [ -z "$runtime" ] || programs=release
fi
# Whatever they are made from is in the key.
key=$(cd "$here" && cat shapes.sh app/* vb/* fsharp/* plugin/* | cat - <(echo "$version $sdk $("$older_runtimes/table.sh" tools "$version")") | sha256sum | cut -c 1-16)
shapes=$cache/matrix/$key
mkdir -p "$shapes"
(
    flock 9
    # shellcheck disable=SC2086 # those that take long first
    printf '%s\n' $programs | awk '{ print (/composite|ready-to-run$/ ? 0 : 1), $0 }' | sort -n | cut -d ' ' -f 2 |
        xargs -P "$(nproc)" -n 1 "$here/shapes.sh" "$shapes"
) 9>"$shapes/lock" >"$tmp/shapes.log" 2>&1
ln -s "$shapes" "$tmp/shapes"

# ---- inspectors and rules ----

if ! find_netstandard; then
    skip matrix "NETStandard.Library cannot be had: $(grep -m 1 error "$tmp/log")"
    finish
fi
mkdir "$tmp/inspectors" "$tmp/rules" "$tmp/expected" "$tmp/before" "$tmp/cells"
for source in Object Named Typed Generic Replacing Throwing; do
    build_csharp -optimize+ -t:library "-r:$netstandard" "-out:$tmp/inspectors/$source.dll" "$here/inspectors/$source.cs" "$here/inspectors/Notes.cs"
done
cc -shared -fPIC -o "$tmp/inspectors/libprobe.so" "$here/inspectors/probe.c" || fail "build probe" "cc"
for rules in "$here"/rules/*.xml; do
    sed "s,@INSPECTORS@,$tmp/inspectors," "$rules" >"$tmp/rules/${rules##*/}"
done
awk '$1 == "inspector" { print $2, $3 }' "$here/table.txt" | while read -r name expected; do
    LC_ALL=C.UTF-8 sort "$here/expected/$expected" >"$tmp/expected/$name"
done

# ---- the programs as they are ----

for program in $programs; do
    if [ ! -d "$shapes/$program" ]; then
        skip "$program" "not built: $(grep -m 1 -i error "$shapes/$program.log")"
        continue
    fi
    files "$shapes/$program/" >"$tmp/before/$program.files"
    starter "$program"
    echo | (cd "$shapes/$program" && "${command[@]}") >"$tmp/before/$program.out" 2>"$tmp/before/$program.err"
    echo $? >"$tmp/before/$program.code"
    if grep -q ':line [1-9]\|\.cs:[1-9]' "$tmp/before/$program.out" && tail -n 1 "$tmp/before/$program.out" | grep -q '^done$'; then
        ok "$program/runs"
    else
        fail "$program/runs" "$(cat "$tmp/before/$program.out" "$tmp/before/$program.err" | head -n 3)"
    fi
done

# ---- the cells ----

# shellcheck disable=SC2086
(cd "$shapes" && ls -d $programs 2>/dev/null) | awk 'FILENAME == "-" { built[$1]; next } $3 in built' - "$tmp/table.txt" |
    grep -E -- "${MATRIX_CELLS:-.}" >"$tmp/cells.txt"
[ -s "$tmp/cells.txt" ] || [ "${MATRIX_CELLS-}" = pairs ] || fail cells "none match '${MATRIX_CELLS-}'"
tr '\n' '\0' <"$tmp/cells.txt" | xargs -0 -P "$(nproc)" -I {} bash -c '"$0"/cell.sh $1' "$here" {} >"$tmp/cells.log" 2>&1
cat "$tmp/cells.log"
passed=$((passed + $(grep -c '^ok ' "$tmp/cells.log")))
bad=$(($(wc -l <"$tmp/cells.txt") - $(grep -c '^ok ' "$tmp/cells.log")))
failed=$((failed + bad))

# ---- options of `ilpatch run`, two at a time ----

if [ "${MATRIX-}" = all ] && [ -z "${MATRIX_CELLS-}" ] || [ "${MATRIX_CELLS-}" = pairs ]; then
    set -- inspect-returns framework rules where affected-by target own full reference-path output explain-tail report id-map \
        children replace-profiler print-env quiet verbose
    for first; do
        shift
        for second; do echo "$first $second"; done
    done | grep -v '^own full$' >"$tmp/pairs.txt" # one option
    xargs -P "$(nproc)" -L 1 "$here/pair.sh" <"$tmp/pairs.txt" >"$tmp/pairs.log" 2>&1
    cat "$tmp/pairs.log"
    good=$(grep -c '^ok ' "$tmp/pairs.log")
    passed=$((passed + good))
    failed=$((failed + $(wc -l <"$tmp/pairs.txt") - good))
fi

for program in $programs; do
    [ -d "$shapes/$program" ] || continue
    files "$shapes/$program/" >"$tmp/files.now"
    same "$program/not written in place" "$tmp/before/$program.files" "$tmp/files.now"
done
finish
