#!/bin/bash
# Older runtimes, which root.sh installs: what other scripts test holds on .NET 8 and 9, in processes and in files. net8.sed and net9.sed
# say what these have otherwise. On .NET Core 3.1 no value is wrong, and it is reported what is not shown.
#
#   VERSIONS=all   on more versions, by more scripts: make check-versions
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=tests/runtime/versions
need_sdk versions
need_ilpatch versions
scratch versions

# scripts VERSION SCRIPT...: what each finds on this version counts as found here
scripts() {
    local version=$1 script root
    shift
    if ! root=$($here/root.sh "$cache" "$version" 2>"$tmp/why"); then
        skip ".NET $version" "it cannot be had: $(grep -m1 error "$tmp/why")"
        return
    fi
    for script; do
        PATH=$root:$PATH ILPATCH_TEST_RUNTIME=$version "tests/$script" >"$tmp/log" 2>&1
        sed "s,^\(ok\|FAIL\|skip\) ,&$version ${script%.sh}: ," "$tmp/log" | grep -v '^[0-9]* passed, '
        count_results "$tmp/log"
        [[ $(tail -n 1 "$tmp/log") =~ ^[1-9][0-9]*\ passed, ]] || fail "$version $script" "it ends with: $(tail -n 1 "$tmp/log")"
    done
}

most=(runtime/{arguments,choice,activities}/run.sh)
if [ "${VERSIONS:-}" = all ]; then
    most+=(inspector/run.sh runtime/{unmanaged,spool,attach,hooks,exceptions,async_exceptions}/run.sh)
    export SELFCHECK_ROUNDS=3
    for version in 8.0.0 9.0.23; do
        scripts "$version" runtime/versions/shown.sh runtime/selfcheck/run.sh "${most[@]}"
    done
    for version in 8.0.34 9.0.18; do
        scripts "$version" runtime/versions/shown.sh runtime/activities/run.sh
    done
else
    export SELFCHECK_ROUNDS=1
    scripts 8.0.0 runtime/versions/shown.sh "${most[@]}"
    scripts 9.0.23 runtime/versions/shown.sh runtime/selfcheck/run.sh
fi
scripts 3.1.3 runtime/versions/unknown.sh
finish
