#!/bin/bash
# What a value costs when another tool passes it: the same methods (others/Others.cs) and the same function that gets the value
# (others/Counter.cs), called by the source itself, by an aspect of AspectInjector, which rewrites the assembly in the build, and by
# ilpatch in a file and in the process. A table: ns of processor time a call, the least of all rounds, and after the slash the ratio to ilpatch in a file;
# then how many values were passed, which is the same for all if they show the same methods.
#
#   ILPATCH       the command, build/ilpatch
#   BENCH_CALLS   calls of a round, 200000
#   BENCH_ROUNDS  rounds, 60
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
calls=${BENCH_CALLS:-200000} rounds=${BENCH_ROUNDS:-60}
scratch others
trap 'rm -rf "$tmp"' EXIT
need_sdk others
compile "$tmp/Counter.dll" -target:library bench/others/Counter.cs

# built WAY: the program in $tmp/WAY/bin
built() {
    mkdir -p "$tmp/$1"
    cp bench/others/Others.c* "$tmp/$1/"
    TMPDIR=$tmp dotnet build "$tmp/$1" -c Release -o "$tmp/$1/bin" --nologo -p:Way="$1" -p:CounterFile="$tmp/Counter.dll" >"$tmp/$1.log" 2>&1 && return
    echo "others: $1 cannot be built: $(grep -m1 error "$tmp/$1.log")" >&2
    return 1
}
built PLAIN && built HAND || exit 1
only=(--where '<type name="Returning"/>' --inspector "$tmp/Counter.dll")
cp -r "$tmp/PLAIN" "$tmp/FILE"
"$ilpatch" inspect -q "${only[@]}" "$tmp/FILE/bin/Others.dll" || exit 1

run() { "$@" "$calls" "$rounds"; }
row_plain() { run dotnet "$tmp/PLAIN/bin/Others.dll"; }
row_hand() { run dotnet "$tmp/HAND/bin/Others.dll"; }
row_aspect() { run dotnet "$tmp/ASPECT/bin/Others.dll"; }
row_file() { run dotnet "$tmp/FILE/bin/Others.dll"; }
row_process() { run "$ilpatch" run -q "${only[@]}" -- dotnet "$tmp/PLAIN/bin/Others.dll"; }
declare -A texts=([plain]="no tool" [hand]="calls in the source" [aspect]="AspectInjector 2.7.3" [file]="ilpatch, in a file" [process]="ilpatch run")
rows='plain hand file process'
if built ASPECT; then rows='plain hand aspect file process'; fi

for row in $rows; do "row_$row" >"$tmp/$row" || exit 1; done
awk -v rows="$rows" -v folder="$tmp" -v texts="$(for row in $rows; do printf '%s;' "${texts[$row]}"; done)" '
    BEGIN {
        count = split(rows, row, " "); split(texts, text, ";")
        for (r = 1; r <= count; r++)
            while ((getline line <(folder "/" row[r])) > 0) {
                split(line, word, " ")
                if (r == 1) names[++kinds] = word[1]
                ns[row[r], word[1]] = word[2]
            }
        head = "| ns a call, ratio |"; rule = "|---|"
        for (k = 1; k <= kinds; k++) { head = head " " names[k] " |"; rule = rule "--:|" }
        print head; print rule
        for (r = 1; r <= count; r++) {
            line = "| " text[r] " |"
            for (k = 1; k <= kinds; k++) {
                own = ns[row[r], names[k]]; file = ns["file", names[k]]
                line = line " " (names[k] == "values" ? own : own " / " sprintf("%.2f", file ? own / file : 0)) " |"
            }
            print line
        }
    }'
