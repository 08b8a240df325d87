# shellcheck shell=bash
# The web service of bench/web.sh and bench/attach.sh, sourced by both with the name of the scratch folder: compiled, and served by
# processes that end with the script.

scratch "$1"
pids=()
end() {
    [ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null
    wait
    rm -rf "$tmp"
}
trap end EXIT
need_sdk "$1"

references=("$(ls -d "$sdk"/../../packs/Microsoft.AspNetCore.App.Ref/*/ref/net* | tail -n 1)"/*.dll)
compile "$tmp/Shop.dll" "${references[@]/#/-r:}" bench/web/Orders.cs bench/web/Shop.cs
cat >"$tmp/Shop.runtimeconfig.json" <<J
{"runtimeOptions":{"frameworks":[{"name":"Microsoft.NETCore.App","version":"$version"},{"name":"Microsoft.AspNetCore.App","version":"$version"}]}}
J

# serve NAME [COMMAND...]: on a port of its own; its place is ${urls[NAME]}, its number $server
declare -A urls
serve() {
    local name=$1 port=$((20000 + RANDOM % 20000))
    shift
    : >"$tmp/$name.out"
    "$@" dotnet exec "$tmp/Shop.dll" $port >"$tmp/$name.out" 2>&1 &
    server=$!
    pids+=("$server")
    awaits grep -q listening "$tmp/$name.out"
    urls[$name]=http://127.0.0.1:$port
}
