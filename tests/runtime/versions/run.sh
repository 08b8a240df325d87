#!/bin/bash
# Other runtimes, which root.sh installs: what other scripts test holds on .NET Core 3.1 and .NET 8, 9 and 10, in processes and in files.
# net3.sed, net8.sed and net9.sed say which values these have otherwise, lines `on VERSIONS` of tests/matrix/table.txt what is refused
# there, differs.txt what fails.
#
#   VERSIONS=all   on all of table.txt, by more scripts: make check-versions
#   VERSIONS=...   on these alone, by as many
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=tests/runtime/versions
need_sdk versions
need_ilpatch versions
scratch versions

# differing VERSION SCRIPT <LOG: what has to fail there is ok when it fails, and else not
differing() {
    awk -v version="$1." -v script="$2" '
        FILENAME != "-" { if ($1 !~ /^#/ && index(version, $1 ".") == 1 && $2 == script) fails[$3]; next }
        { name = $2; sub(/:$/, "", name) }
        !(name in fails) || !/^(ok|FAIL) / { print; next }
        /^FAIL/ { print "ok " name " (differs)"; next }
        { print "FAIL " name ": differs.txt says that it fails" }' $here/differs.txt -
}

# scripts VERSION SCRIPT...: what each finds on this version counts as found here
scripts() {
    local version=$1 script root
    shift
    if ! root=$($here/root.sh "$cache" "$version" 2>"$tmp/why"); then
        skip ".NET $version" "it cannot be had: $(grep -m1 error "$tmp/why")"
        return
    fi
    case $version in 3.1.*) local -x DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 ;; esac # it knows no ICU of today
    for script; do
        PATH=$root:$PATH ILPATCH_TEST_RUNTIME=$version "tests/$script" >"$tmp/found" 2>&1
        [[ $(tail -n 1 "$tmp/found") =~ ^[1-9][0-9]*\ passed, ]] || fail "$version $script" "it ends with: $(tail -n 1 "$tmp/found")"
        differing "$version" "$script" <"$tmp/found" >"$tmp/log"
        sed "s,^\(ok\|FAIL\|skip\) ,&$version ${script%.sh}: ," "$tmp/log" | grep -v '^[0-9]* passed, '
        count_results "$tmp/log"
    done
}

# of VERSION: its scripts for VERSIONS
of() {
    case $1 in
        3.1.*) scripts "$1" runtime/versions/{old,shown}.sh matrix/run.sh runtime/{hooks,selfcheck,contexts}/run.sh ;;
        *) scripts "$1" matrix/run.sh runtime/versions/shown.sh runtime/{unmanaged,hooks,tail_calls,attach,activities}/run.sh ;;
    esac
    case $1 in 8.0.0 | 9.0.23) scripts "$1" runtime/{selfcheck,arguments,choice,spool,exceptions,async_exceptions}/run.sh inspector/run.sh ;; esac
}

if [ -n "${VERSIONS:-}" ]; then
    export SELFCHECK_ROUNDS=3 MATRIX=all
    all=$($here/table.sh list)
    # NuGet may come to serve others; then the table is to follow.
    served=$($here/table.sh served | grep -E "^($(cut -d . -f 1,2 <<<"$all" | sort -u | paste -sd '|'))\.")
    if [ "$served" = "$all" ]; then ok table; else skip table "NuGet serves $(xargs <<<"$served")"; fi
    [ "$VERSIONS" = all ] || all=$VERSIONS
    for version in $all; do of "$version"; done
else
    export SELFCHECK_ROUNDS=1 MATRIX=
    scripts 8.0.0 runtime/versions/shown.sh runtime/{arguments,choice,activities}/run.sh
    scripts 9.0.23 runtime/versions/shown.sh runtime/selfcheck/run.sh
    scripts 3.1.3 runtime/versions/{old,shown}.sh matrix/run.sh
fi
finish
