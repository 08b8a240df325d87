#!/bin/bash
# What a web service loses of its requests a second: web/Shop.cs on ASP.NET Core, alone and with all methods of the program inspected in
# several ways, under the load of wrk on this machine. All are started at once, and loaded in turn, round by round, so that what else the
# machine does meets each of them. The table has medians, and ratios to the program alone, for two kinds of requests; the first line says
# how many values of the program's methods each has.
#
#   ILPATCH          the command, build/ilpatch
#   BENCH_ROUNDS     rounds for a median, 5
#   BENCH_SECONDS    of load, each time, 3
#   BENCH_WARM       seconds of load before the first round, until methods are in their last tier, 8
#   BENCH_WAYS       some of the ways of web/ways.sh, all of them
#   BENCH_REQUESTS   "orders/7 totals/7"; orders/1-100: these in turn
#
# Needs wrk and curl (./setup.sh bench).
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
{ have wrk && have curl; } || { echo "$0: no wrk or no curl. Run ./setup.sh bench to install them" >&2; exit 1; }
. bench/web/service.sh web

. bench/web/ways.sh

serve alone
for way in "${ways[@]}"; do
    read -r -a words <<<"${options[$way]}"
    serve "$way" "$ilpatch" run -q "${words[@]}" --
done

# load SECONDS WAY REQUEST: requests a second
load() {
    local turns=()
    [[ $3 != *-* ]] || turns=(-s bench/web/turns.lua)
    wrk -t1 -c16 -d"$1"s "${turns[@]}" "${urls[$2]}/$3" | awk '/^Requests\/sec/ { print $2 } /Non-2xx/ { print "failed: " $0 >"/dev/stderr" }'
}

# ---- rounds ----

read -r -a requests <<<"${BENCH_REQUESTS:-orders/7 totals/7}"
for request in "${requests[@]}"; do
    for way in alone "${ways[@]}"; do
        load "${BENCH_WARM:-8}" "$way" "$request" >/dev/null
    done
done
for ((round = 0; round < ${BENCH_ROUNDS:-5}; round++)); do
    for request in "${requests[@]}"; do
        for way in alone "${ways[@]}"; do
            load "${BENCH_SECONDS:-3}" "$way" "$request" >>"$tmp/$way.${request//\//.}.rates"
            : >"$tmp/$way.txt" # what has been written is of no use
        done
    done
done

# values REQUEST: how many one has, by a service of its own, which ends here
values() {
    local request=${1%-*} way=values.${1//\//.} before pids=()
    serve "$way" "$ilpatch" run -q -o "$tmp/$way.txt" --
    curl -s -o "$tmp/answer" "${urls[$way]}/$request" -o "$tmp/answer" "${urls[$way]}/$request"
    sleep 1
    before=$(wc -l <"$tmp/$way.txt")
    curl -s -o "$tmp/answer" "${urls[$way]}/$request"
    sleep 1
    kill "${pids[@]}"
    echo $(($(wc -l <"$tmp/$way.txt") - before))
}
median() { sort -n "$1" | awk '{ n[NR] = $1 } END { print NR % 2 ? n[(NR + 1) / 2] : (n[NR / 2] + n[NR / 2 + 1]) / 2 }'; }
heads=() rule=
for request in "${requests[@]}"; do
    heads+=("/$request, $(values "$request") values | ratio |")
    rule+='--:|--:|'
done
printf '| requests a second | %s\n|---|%s\n' "${heads[*]}" "$rule"
for way in alone "${ways[@]}"; do
    read -r -a words <<<"${options[$way]-the program alone}"
    printf '| %s |' "${words[*]/#$tmp\//}"
    for request in "${requests[@]}"; do
        median "$tmp/$way.${request//\//.}.rates" | awk -v alone="$(median "$tmp/alone.${request//\//.}.rates")" '{ printf " %.0f | %.2f |", $1, $1 / alone }'
    done
    echo
done
