# shellcheck shell=bash
# The ways to look at all that the shop returns, of bench/web.sh and bench/orders.sh: the options of each are ${options[WAY]}. Lines go to
# $tmp/WAY.txt; a spool must stay as it is while it is written.

declare -A options=(
    [count]="--count -o $tmp/count.txt"
    [filter]="--when value==987654321 -o $tmp/filter.txt"
    [spool]="--spool $tmp/values.spool"
    [lines]="-o $tmp/lines.txt"
    [null]="-o /dev/null"
    [json]="--json -o $tmp/json.txt"
    [args]="--args -o $tmp/args.txt"
    [stock]="--inspector full -o $tmp/stock.txt"
)
read -r -a ways <<<"${BENCH_WAYS:-count filter spool lines null json args stock}"
