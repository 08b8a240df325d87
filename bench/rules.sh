#!/bin/bash
# What rules cost: ilpatch --rules R --dry-run on an assembly of 40 MB, with files of 10 to 10,000 rules.
#
# In each file five rules are made of names in the assembly, and the others name what is not there, so that what is
# done to methods stays the same and only the number of rules grows. A table: wall time (median), of it reading the rule file
# (`ilpatch rules check`), instructions (cachegrind), the ratio to 10 rules of the kind (of instructions where they are
# counted, else of time), peak memory.
#
#   ILPATCH, ILPATCH_TEST_CACHE   as in tests/runtime/real/run.sh
#   BENCH_FILE                    another assembly than Microsoft.Graph of NuGet (fetch.sh)
#   BENCH_KINDS                   some of the kinds of the table, all
#   BENCH_ROUNDS                  processes for a median, 5
#   BENCH_COUNTS                  numbers of rules, "10 100 1000 10000"
#   BENCH_INSTRUCTIONS            yes: count instructions, which takes minutes and valgrind
set -u
cd "$(dirname "$0")/.." || exit 1

ilpatch=$(realpath -m "${ILPATCH:-build/ilpatch}")
cache=$(realpath -m "${ILPATCH_TEST_CACHE:-build/packages}")
rounds=${BENCH_ROUNDS:-5}
counts=${BENCH_COUNTS:-10 100 1000 10000}
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

tmp=$(mktemp -d "${ILPATCH_TEST_TMP:-${TMPDIR:-/tmp}}/ilpatch-bench.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
${CC:-gcc} -O2 -o "$tmp/measure" bench/measure.c || exit 1

file=${BENCH_FILE:-$cache/large/Microsoft.Graph.dll}
if [ -z "${BENCH_FILE:-}" ] && ! bench/fetch.sh "$cache" large; then
    echo "bench: Microsoft.Graph cannot be fetched; BENCH_FILE=FILE takes another assembly"
    exit 0
fi

# Five methods with plain names, "Namespace.Type Method signature", spread over the assembly.
"$ilpatch" list --answer inspected "$file" | sed 's/^[0-9A-F]*  inspected *//; s/  [+].*//' |
    awk 'match($0, / [A-Za-z0-9_.`]+::[A-Za-z0-9_]+\(/) && !/[<>&"]/ {
            split(substr($0, RSTART + 1, RLENGTH - 2), name, "::"); print name[1], name[2], $0 }' >"$tmp/methods"
awk -v count="$(wc -l <"$tmp/methods")" 'NR % int(count / 5) == 1' "$tmp/methods" | head -n 5 >"$tmp/five"
# As many lines as the largest file takes.
largest=$(tr ' ' '\n' <<<"$counts" | sort -n | tail -n 1)
for ((lines = 0; lines < largest; lines += $(wc -l <"$tmp/methods"))); do
    cat "$tmp/methods"
done >"$tmp/repeated"

# rules KIND COUNT: a rule file. The names that are not there are made of those that are.
rules() {
    case $1 in
    any-*) echo '<rules><include><any>' ;;
    not-*) echo '<rules><exclude>' ;;
    *) echo '<rules>' ;;
    esac
    awk -v kind="$1" -v count="$2" -v five="$tmp/five" '
        function rule(type, method, signature) {
            space = type; sub(/\.[^.]*$/, "", space)
            if (kind == "type+method") test = "<type name=\"" type "\"/><method name=\"" method "\"/>"
            if (kind == "method") test = "<method name=\"" method "\"/>"
            if (kind == "type") test = "<type name=\"" type "\"/>"
            if (kind == "namespace") test = "<namespace name=\"" space "\"/><method name=\"" method "\"/>"
            if (kind == "signature") test = "<signature text=\"" signature "\"/>"
            if (kind == "method-like") test = "<method like=\"*" method "?\"/>"
            if (kind == "method-regex") test = "<method regex=\"" method ".$\"/>"
            if (kind == "type-like") test = "<type like=\"*." type "\"/>"
            if (kind == "return-kind") test = "<return kind=\"pointer\"/><method name=\"" method "\"/>"
            if (kind == "attribute") test = "<attribute name=\"" type "\"/>"
            if (kind == "attribute-like") test = "<attribute like=\"*." type "\"/>"
            if (kind == "any-of") print "  <method name=\"" method "\"/>"
            else if (kind == "any-like") print "  <method like=\"*" method "?\"/>"
            else if (kind == "not-like") print "  <not><method like=\"*" method "?\"/></not>"
            else print "  <include>" test "</include>"
        }
        {   # the five at even distances, between others
            type = $1; method = $2; signature = $0; sub(/^[^ ]+ [^ ]+ /, "", signature)
            n++; if (n > count) exit
            if (n % int(count / 5) == 0 && (getline line <five) > 0) {
                split(line, part, " "); sub(/^[^ ]+ [^ ]+ /, "", line)
                rule(part[1], part[2], line)
            } else {
                sub(/::/, "::Not" n, signature)
                rule(type ".Not" n, "Not" n method, signature)
            }
        }' "$tmp/repeated"
    case $1 in
    any-*) echo '</any></include></rules>' ;;
    not-*) echo '</exclude></rules>' ;;
    *) echo '</rules>' ;;
    esac
}

instructions() {
    if [ "${BENCH_INSTRUCTIONS:-}" = yes ] && command -v valgrind >/dev/null; then
        valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$ilpatch" "$@" 2>&1 >/dev/null |
            sed -n 's/.*I *refs: *//p' | tr -d ,
    fi
}

# A rule that decides about no method makes the exit code 1.
run() { printf '%s\0' sh -c '"$0" "$@" || [ $? -eq 1 ]' "$ilpatch" "$@"; }

printf '%s: %s MB, %s methods\n\n' "$(basename "$file")" \
    "$(awk -v n="$(stat -c %s "$file")" 'BEGIN { printf "%.1f", n / 1e6 }')" "$("$ilpatch" list "$file" | wc -l)"
printf '| %-14s | %7s | %8s | %8s | %14s | %7s | %10s |\n' \
    kind rules 'time, ms' 'read, ms' instructions ratio 'memory, MB'
echo '|---|--:|--:|--:|--:|--:|--:|'
for kind in ${BENCH_KINDS:-type+method method type namespace signature return-kind any-of method-like method-regex type-like attribute attribute-like any-like not-like}; do
    first=
    for count in $counts; do
        rules $kind "$count" >"$tmp/rules.xml"
        mapfile -d '' -t whole < <(run --rules "$tmp/rules.xml" --dry-run -q "$file")
        mapfile -d '' -t reading < <(run rules check "$tmp/rules.xml")
        if ! lines=$("$tmp/measure" "$rounds" "${whole[@]}" -- "${reading[@]}" 2>"$tmp/log"); then
            cat "$tmp/log"
            exit 1
        fi
        read -r ms kb read_ms _ <<<"$(echo $lines)"
        instructions=$(instructions --rules "$tmp/rules.xml" --dry-run -q "$file")
        first=${first:-${instructions:-$ms}}
        printf '| %-14s | %7s | %8s | %8s | %14s | %7s | %10s |\n' $kind "$count" "$ms" "$read_ms" \
            "$instructions" "$(awk -v a="${instructions:-$ms}" -v b="$first" 'BEGIN { printf "%.2f", a / b }')" \
            "$(awk -v n="$kb" 'BEGIN { printf "%.1f", n / 1024 }')"
    done
done
