#!/bin/bash
# What a web service loses while `ilpatch attach` watches it, and after that: web/Shop.cs on ASP.NET Core under the load of web/load.c on this
# machine. Two processes of it run: one is left alone, the other is attached to in one way after the other. Every answer of both is compared
# with what the one that is left alone says before anything is measured.
#
# The first table: requests a second and latencies of both, and the ratio of the requests. The two are loaded in turn for fractions of a second, left
# alone, watched, watched, left alone, so that what else the machine does meets both; a ratio is of such four turns, and the table has the median
# of all with its 95 % interval (by ranks). Two processes of one program differ by what their JIT has found: the first row says by how much, and
# the column "of that" is the ratio without it.
#
# The second table: how long requests take that come at a steady rate while methods are changed, several times a second. A request counts from the time
# at which it is due, so a pause is seen by all that come meanwhile.
#
#   ILPATCH          the command, build/ilpatch
#   BENCH_PAIRS      such four turns of each row, 72
#   BENCH_SECONDS    of load in a turn, 0.1
#   BENCH_WARM       four turns after each change that are not counted: methods come to their last tier, 15; three times as many at first
#   BENCH_WAYS       some of the rows, all of them
#   BENCH_CHANGES    some of the columns of the second table, all of them
#   BENCH_RATE       requests a second for that, 2000
#   BENCH_STEADY     seconds of them for each column, 10.5
#   BENCH_REQUEST    totals: /totals/1 to /totals/100
#
# Where there are two processors or more, both services run on the last one, and the load on the others.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
. bench/web/service.sh attachment
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -o "$tmp/load" bench/web/load.c || exit 1

declare -A texts=(
    [plain]="nothing: both are left alone"
    [idle]="nothing any more, before a first method"
    [nothing]="rules that match nothing"
    [method]="one method"
    [program]="all of the program"
    [routing]="the framework's routing"
    [framework]="the whole framework"
    [detached]="nothing any more"
)
read -r -a ways <<<"${BENCH_WAYS:-plain idle nothing method program routing framework detached}"
read -r -a changes <<<"${BENCH_CHANGES:-plain method program routing framework}"
request=${BENCH_REQUEST:-totals} pairs=${BENCH_PAIRS:-72} warm=${BENCH_WARM:-15}

processors=$(nproc) on_last=() on_others=()
if [ "$processors" -gt 1 ] && have taskset; then
    on_last=(taskset -c $((processors - 1)))
    on_others=(taskset -c "0-$((processors - 2))")
fi
serve alone "${on_last[@]}"
serve watched "${on_last[@]}"
alone=${urls[alone]##*:} other=${urls[watched]##*:}
load() { "${on_others[@]}" "$tmp/load" "$alone" "$request" "$@"; }

# watch WAY OPTION...: attaches, to go on
watching=
watch() {
    local chosen=()
    case $1 in
        nothing) chosen=(--method NoSuchMethod) ;;
        method) chosen=(--method Line::Total) ;;
        routing) chosen=(--framework --where '<namespace like="Microsoft.AspNetCore.Routing*"/>') ;;
        framework) chosen=(--framework) ;;
    esac
    : >"$tmp/attach.log"
    "$ilpatch" attach "${chosen[@]}" "${@:2}" "$server" >/dev/null 2>"$tmp/attach.log" &
    watching=$!
    awaits sh -c "grep -q attached '$tmp/attach.log' || ! kill -0 $watching 2>/dev/null"
}
unwatch() {
    [ -n "$watching" ] || return 0
    kill -TERM "$watching"
    wait "$watching"
    watching=
}

# ---- requests a second ----

# median_of COLUMN: of the lines of standard input, and the bounds of the 95 % interval: ranks that a median is outside of as seldom as that
median_of() {
    awk -v column="$1" '{ print $column }' | sort -g | awk '{ n[NR] = $1 }
        END {
            middle = NR % 2 ? n[(NR + 1) / 2] : (n[NR / 2] + n[NR / 2 + 1]) / 2
            term = sum = 0.5 ^ NR
            for (rank = 0; sum <= 0.025; rank++) { term *= (NR - rank) / (rank + 1); sum += term }
            if (rank == 0) { rank = 1 } # of a few nothing less wide is known
            print middle, n[rank], n[NR + 1 - rank]
        }'
}
# row WAY: of what is in $tmp/turns
row() {
    local ratio low high i medians=()
    awk 'NF == 7' "$tmp/turns" >"$tmp/whole"
    for i in 2 3 4 5 6 7; do medians[i]=$(median_of $i <"$tmp/whole" | cut -d ' ' -f 1); done
    read -r ratio low high < <(awk '{ print $5 / $2 }' "$tmp/whole" | median_of 1)
    [ "$1" != plain ] || error=$ratio
    printf '| %s | %d | %.0f | %.0f | %.3f | %.3f to %.3f | %s | %.0f, %.0f | %.0f, %.0f | %d |\n' "${texts[$1]}" \
        "$(awk '{ all += $1 } END { print all }' "$tmp/whole")" "${medians[2]}" "${medians[5]}" "$ratio" "$low" "$high" \
        "$(awk -v ratio="$ratio" -v error="${error:-}" 'BEGIN { print error ? sprintf("%.3f", ratio / error) : "" }')" \
        "${medians[3]}" "${medians[6]}" "${medians[4]}" "${medians[7]}" "$(awk '$1 == "wrong" { print $2 }' "$tmp/turns")"
}

if [ ${#ways[@]} -gt 0 ]; then
    load pairs "$other" "${BENCH_SECONDS:-0.1}" $((3 * warm)) >/dev/null
    echo '| attached to | requests | a second, alone | watched | ratio | interval | of that | p50, µs: alone, watched | p99, µs | wrong answers |'
    echo '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|'
fi
for way in "${ways[@]}"; do
    unwatch
    case $way in
        plain | detached) ;;
        idle)
            watch nothing
            unwatch
            ;;
        *) watch "$way" ;;
    esac
    load pairs "$other" "${BENCH_SECONDS:-0.1}" "$warm" >/dev/null
    load pairs "$other" "${BENCH_SECONDS:-0.1}" "$pairs" >"$tmp/turns"
    row "$way"
    [ -z "$watching" ] || sed -n 's/^ilpatch: /    /p' "$tmp/attach.log" >&2
done
unwatch

# ---- pauses ----

[ ${#changes[@]} -gt 0 ] || exit 0
echo
head='| requests that took, ms |' rule='|---|'
for way in "${changes[@]}"; do
    load steady "$other" "${BENCH_STEADY:-10.5}" "${BENCH_RATE:-2000}" >"$tmp/steady.$way" &
    loading=$!
    count=0
    while [ "$way" != plain ] && kill -0 $loading 2>/dev/null; do
        watch "$way" --for 200ms
        wait "$watching"
        count=$((count + 1))
    done
    watching=
    wait $loading
    head+=" ${texts[$way]%%:*}${count/#/, changed } times |"
    rule+='--:|'
done
echo "$head" | sed 's/nothing, changed 0 times/no method is changed/'
echo "$rule"
paste -d ' ' "${changes[@]/#/$tmp/steady.}" | awk '
    {
        counts = ""
        all = 0
        for (i = 2; i <= NF; i += 2) { counts = counts sprintf(" %d |", $i); all += $i }
    }
    $1 != "wrong" { # from the first bound that any request kept to the last
        bounds[++count] = $1
        line[count] = counts
        if (all) { last = count; first = first ? first : count }
        next
    }
    {
        for (i = first; i <= last; i++)
            print "| " (i == count ? "more than " bounds[i - 1] : (i > 1 ? bounds[i - 1] : 0) " to " bounds[i]) " |" line[i]
        print "| wrong answers |" counts
    }'
