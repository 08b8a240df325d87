# shellcheck shell=sh
# What the scripts of tests share: what is tested, counting, comparing, the last line; programs for .NET. For sh and bash,
# sourced, most often in the root of the tree.

passed=0 failed=0 skipped=0
group= # stands before each name
# shellcheck disable=SC2034 # used by those who source this
ilpatch=$(realpath -m "${ILPATCH:-build/ilpatch}")
unset ILPATCH_OUTPUT ILPATCH_COUNT ILPATCH_TOSTRING # they change what the inspector writes
export LC_ALL=C.UTF-8 DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_CLI_WORKLOAD_UPDATE_NOTIFY_DISABLE=1
# Builds leave no process behind, which would keep locks, variables and folders of the script that began it.
export MSBUILDDISABLENODEREUSE=1 UseSharedCompilation=false DOTNET_CLI_USE_MSBUILD_SERVER=0
# They leave folders where temporary files go, so these go into the script's own; NuGet's locks are shared by all scripts.
export NUGET_SCRATCH="${NUGET_SCRATCH:-${TMPDIR:-/tmp}/NuGetScratch$(id -un 2>/dev/null)}"

ok() { echo "ok $group$1"; passed=$((passed + 1)); }
fail() {
    echo "FAIL $group$1: $2"
    failed=$((failed + 1))
    [ "$failed" -gt 5 ] || show_latest
}
skip() { echo "skip $group$1: $2"; skipped=$((skipped + 1)); }
have() { command -v "$1" >/dev/null 2>&1; }

# What was written last into the scratch folder, as far as it is text: how it begins, and how it ends.
show_latest() {
    [ -n "${tmp-}" ] && [ -d "$tmp" ] || return 0
    find "$tmp" -maxdepth 1 -type f -size -4000k -size +0 -printf '%T@ %f\n' | sort -rn | head -n 8 | cut -d ' ' -f 2- | while read -r file; do
        LC_ALL=C grep -qP '[^\t\r\n\x20-\xff]' "$tmp/$file" || echo "$file"
    done | head -n 3 | while read -r file; do
        echo "  | in $tmp/$file:"
        awk '{ line[NR] = $0 } END { for (i = 1; i <= NR; i++) if (i <= 3 || i > NR - 3) print line[i]; else if (i == 4) print "..." }' "$tmp/$file" |
            cut -c 1-240 | sed 's/^/  |     /'
    done
}

# Ends the script with the line that tests/run.sh adds up. The scratch folder stays if something failed.
finish() {
    [ "$failed" -ne 0 ] || [ -z "${tmp-}" ] || rm -rf "$tmp"
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit
}

# awaits COMMAND...: asks until the answer is yes. The limit is for what hangs, and no measure of time.
awaits() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 12000 ] || return 1
        sleep 0.05
    done
}
# children_of PROCESS: their numbers, also of those that have ended and that nobody has waited for
children_of() { sed -n "s/^\([0-9]*\) (.*) [A-Za-z] $1 .*/\1/p" /proc/[0-9]*/stat 2>/dev/null; }

# scratch NAME: $tmp is a new folder
scratch() { tmp=$(mktemp -d "${ILPATCH_TEST_TMP:-${TMPDIR:-/tmp}}/ilpatch-$1.XXXXXX") || exit 1; }

# check NAME EXPECTED ACTUAL
check() {
    if [ "$2" = "$3" ]; then ok "$1"; else fail "$1" "expected '$2', got '$3' (${tmp-})"; fi
}

# contains NAME TEXT FILE
contains() {
    if grep -qF -- "$2" "$3"; then ok "$1"; else fail "$1" "$3 has no '$2'"; fi
}

# same NAME EXPECTED-FILE FILE
same() {
    if cmp -s "$2" "$3"; then
        ok "$1"
    else
        fail "$1" "$3 is not $2"
        diff "$2" "$3" | head -n 20
    fi
}

# ---- .NET ----

# need_sdk NAME: $sdk, $refs, $csc and $version of .NET 10 or newer; without one the script ends
need_sdk() {
    # "10.0.401 [/usr/share/dotnet/sdk]"
    sdk=$(dotnet --list-sdks 2>/dev/null | sed -n 's/^\([1-9][0-9]\.[^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
    refs=$(ls -d "$sdk"/../../packs/Microsoft.NETCore.App.Ref/*/ref/net* 2>/dev/null | tail -n 1)
    if [ -z "$sdk" ] || [ -z "$refs" ]; then
        skip "$1" "no .NET SDK 10 or newer"
        finish
    fi
    csc=$sdk/Roslyn/bincore/csc.dll
    version=$(dotnet --list-runtimes | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\) .*/\1/p' | tail -n 1)
}

# compile OUT OPTION...: a C# program or library; the script ends if that fails
compile() {
    compiled=$1
    shift
    mkdir -p "$(dirname "$compiled")"
    # shellcheck disable=SC2046
    if ! dotnet exec "$csc" -nologo -noconfig -nostdlib -deterministic -optimize+ $(printf -- '-r:%s ' "$refs"/System.*.dll) \
        -out:"$compiled" "$@" >"$tmp/build.log" 2>&1; then
        cat "$tmp/build.log"
        fail build "$compiled"
        finish
    fi
}

# runs_with_framework DLL: puts a .runtimeconfig.json beside it
runs_with_framework() {
    echo "{\"runtimeOptions\":{\"framework\":{\"name\":\"Microsoft.NETCore.App\",\"version\":\"$version\"}}}" >"${1%.dll}.runtimeconfig.json"
}

# find_net_tool ilasm|ildasm: .NET's own, from the packages that tests/runtime/real/fetch.sh fetches; nothing if it is not there
find_net_tool() {
    ls "${NUGET_PACKAGES:-${HOME:-/root}/.nuget/packages}"/runtime.*.microsoft.netcore."$1"/*/runtimes/*/native/"$1" 2>/dev/null | tail -n 1
}
