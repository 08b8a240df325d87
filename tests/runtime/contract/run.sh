#!/bin/bash
# The profiler's own hooks, built so that they are watched (make checked), in a real program, on both paths and with values: they hold their
# contract; and when they are made to wait, the process is ended with the hook's name.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
scratch contract
unset DOTNET_STARTUP_HOOKS LD_PRELOAD

if ! have dotnet || [ "$(uname -m)" != x86_64 ]; then
    skip contract "no .NET here, or no stubs"
    finish
fi
make -s BUILD="${BUILD:-build}" checked >"$tmp/make" 2>&1 || { fail build "$(head -n 3 "$tmp/make" | tr '\n' ' ')"; finish; }
"${HOSTCC:-gcc}" -shared -fPIC -D_GNU_SOURCE -O1 -o "$tmp/sleeper.so" tests/runtime/contract/sleeper.c || exit 1

# run NAME OPTIONS [PRELOAD]: the sample with all of its framework traced; leaves NAME.out, .err, .status, .code
run() {
    rm -f "$tmp/spool"
    : >"$tmp/$1.status"
    DOTNET_TailCallOpt=0 DOTNET_FastTailCalls=0 CORECLR_ENABLE_PROFILING=1 CORECLR_PROFILER='{0AF01076-FED6-4561-9947-3525B8E2435D}' \
        CORECLR_PROFILER_PATH=$build/checked/libilpatch_profiler.so ILPATCH_STATUS=$tmp/$1.status \
        ILPATCH_OPTIONS="--trace $tmp/spool --framework $2" LD_PRELOAD=${3:-} DOTNET_DbgEnableMiniDump=0 \
        bash -c 'ulimit -c 0; dotnet samples/Shop.exe; exit $?' >"$tmp/$1.out" 2>"$tmp/$1.err"
    echo $? >"$tmp/$1.code"
}

dotnet samples/Shop.exe >"$tmp/plain" 2>/dev/null
for path in fast slow values; do
    option=''
    [ $path = fast ] || option=--$path
    run $path "$option"
    enters=$(sed -n 's/^[a-z]*\tenters //p' "$tmp/$path.status")
    if cmp -s "$tmp/plain" "$tmp/$path.out" && [ "$(cat "$tmp/$path.code")" = 0 ] && [ "${enters:-0}" -gt 1000 ]; then
        ok "$path: ${enters} hooks of Enter hold their contract"
    else
        fail "$path" "exit code $(cat "$tmp/$path.code"), ${enters:-0} hooks, $(head -n 1 "$tmp/$path.err")"
    fi
    run "$path-waits" "$option" "$tmp/sleeper.so"
    if [ "$(cat "$tmp/$path-waits.code")" = 134 ] && grep -qE '^(enter3|leave3|Function(Enter|Leave)3WithInfo) waited: ' "$tmp/$path-waits.err"; then
        ok "$path: a hook that waits ends the process"
    else
        fail "$path-waits" "exit code $(cat "$tmp/$path-waits.code"), $(head -n 1 "$tmp/$path-waits.err")"
    fi
done
finish
