#!/bin/bash
# What a web service loses of its requests while `ilpatch attach` watches it, and after that: web/Shop.cs on ASP.NET Core under the load of
# wrk on this machine. Two processes of it are loaded in turn: one is left alone, the other is attached to in one way after the other.
# The table has, for each way, medians of the requests a second and of the latencies, the median of the ratio to the process alone with
# the interval of its middle half, and the longest request while methods were changed.
#
#   ILPATCH          the command, build/ilpatch
#   BENCH_ROUNDS     pairs for a median, 7
#   BENCH_SECONDS    of load, each time, 2
#   BENCH_WARM       seconds of load before the first round and after each change, until methods are in their last tier, 6
#   BENCH_WAYS       some of the ways below, all of them
#   BENCH_REQUEST    totals/7
#
# Needs wrk and curl (./setup.sh bench).
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
. bench/web/service.sh attachment

declare -A texts=(
    [plain]="nothing"
    [nothing]="rules that match nothing"
    [method]="one method"
    [program]="all of the program"
    [routing]="the framework's routing"
    [framework]="the whole framework"
    [detached]="nothing any more"
)
attach_plain() { :; }
attach_detached() { :; }
attach_nothing() { watch --where '<method name="NoSuchMethod"/>'; }
attach_method() { watch --where '<method name="Total"/>'; }
attach_program() { watch; }
attach_routing() { watch --framework --where '<namespace like="Microsoft.AspNetCore.Routing*"/>'; }
attach_framework() { watch --framework; }
read -r -a ways <<<"${BENCH_WAYS:-plain nothing method program routing framework detached}"

serve alone
serve watched
watching=
watch() {
    "$ilpatch" attach "$@" "$server" >/dev/null 2>"$tmp/attach.log" &
    watching=$!
    awaits sh -c "grep -q attached '$tmp/attach.log' || ! kill -0 $watching 2>/dev/null"
}
# load SECONDS NAME: requests a second, and the latencies that half and 99 % do not exceed, and none, in µs
load() {
    wrk --latency -t1 -c16 -d"$1"s "${urls[$2]}/${BENCH_REQUEST:-totals/7}" | awk '
        function us(t) { return t ~ /us$/ ? t + 0 : t ~ /ms$/ ? t * 1000 : t * 1000000 }
        /^Requests\/sec/ { rate = $2 } / 50% / { half = us($2) } / 99% / { most = us($2) } /^ *Latency  / { longest = us($4) }
        /Non-2xx|Socket errors/ { print "failed: " $0 >"/dev/stderr" }
        END { print rate, half, most, longest }'
}
median() { sort -n | awk '{ n[NR] = $1 } END { print NR % 2 ? n[(NR + 1) / 2] : (n[NR / 2] + n[NR / 2 + 1]) / 2 }'; }
quarter() { sort -n | awk -v part="$1" '{ n[NR] = $1 } END { at = int(NR * part + 0.5); print n[at < 1 ? 1 : at] }'; }

for name in alone watched; do load "${BENCH_WARM:-6}" $name >/dev/null; done
echo '| attached to | requests a second | ratio | half of them | p50, µs | p99, µs | longest while methods change, ms |'
echo '|---|--:|--:|--:|--:|--:|--:|'
for way in "${ways[@]}"; do
    load 3 watched >"$tmp/change" &
    loading=$!
    sleep 0.5
    [ -z "$watching" ] || { kill -TERM "$watching"; wait "$watching"; }
    watching=
    "attach_$way"
    wait "$loading"
    load "${BENCH_WARM:-6}" watched >/dev/null
    : >"$tmp/rounds"
    for ((round = 0; round < ${BENCH_ROUNDS:-7}; round++)); do
        alone=$(load "${BENCH_SECONDS:-2}" alone)
        watched=$(load "${BENCH_SECONDS:-2}" watched)
        echo "$alone $watched" >>"$tmp/rounds"
    done
    ratios=$(awk '{ print $5 / $1 }' "$tmp/rounds")
    printf '| %s | %.0f | %.3f | %.3f to %.3f | %.0f | %.0f | %.1f |\n' "${texts[$way]}" "$(awk '{ print $5 }' "$tmp/rounds" | median)" \
        "$(median <<<"$ratios")" "$(quarter 0.25 <<<"$ratios")" "$(quarter 0.75 <<<"$ratios")" \
        "$(awk '{ print $6 }' "$tmp/rounds" | median)" "$(awk '{ print $7 }' "$tmp/rounds" | median)" \
        "$(awk '{ print $4 / 1000 }' "$tmp/change")"
    [ -z "$watching" ] || sed -n 's/^ilpatch: /    /p' "$tmp/attach.log" >&2
done
