#!/bin/bash
# Asks ilpatch where referenced assemblies are, and compares with what the host of .NET and Mono say themselves.
#
#   run.sh [NAME...]      only tests whose name starts with one of NAMEs
#
# Environment: ILPATCH (the command, build/ilpatch), ILPATCH_TEST_TMP (parent of the scratch folder), CC. Tests skip what is not
# installed. What failed stays on disk.
set -u
here=$(cd "$(dirname "$0")" && pwd)
ilpatch=$(readlink -f "${ILPATCH:-build/ilpatch}")
files=$here/../command/files
wanted=$*
if [ ! -x "$ilpatch" ]; then
    echo "run.sh: no $ilpatch (make builds it)" >&2
    exit 1
fi

tmp=$(mktemp -d "${ILPATCH_TEST_TMP:-${TMPDIR:-/tmp}}/ilpatch-resolve.XXXXXX") || exit 1
passed=0 failed=0 skipped=0
umask 022
ulimit -c 0
export LC_ALL=C.UTF-8 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 HOME=$tmp
export ASAN_OPTIONS=exitcode=99:${ASAN_OPTIONS:-} UBSAN_OPTIONS=halt_on_error=1:exitcode=99:${UBSAN_OPTIONS:-}
unset DOTNET_ROOT DOTNET_ROOT_X64 DOTNET_ROLL_FORWARD DOTNET_ROLL_FORWARD_TO_PRERELEASE NUGET_PACKAGES MONO_PATH MONO_GAC_PREFIX

die() {
    echo "$*"
    exit 1
}

skip() {
    echo "$*"
    exit 77
}

# resolve CODE ARGUMENT...: what it says goes to out and err.
resolve() {
    local wanted_code=$1
    shift
    "$ilpatch" resolve "$@" >out 2>err
    local code=$?
    [ $code -eq "$wanted_code" ] || die "ilpatch resolve $*: exit code $code, not $wanted_code: $(head -c 600 out err)"
}

says() { # TEXT...
    local text
    for text in "$@"; do
        grep -qF -- "$text" out || die "out does not say '$text': $(head -c 900 out)"
    done
}

says_not() { # TEXT...
    local text
    for text in "$@"; do
        ! grep -qF -- "$text" out || die "out says '$text': $(head -c 900 out)"
    done
}

# ---- .NET ----

dotnet=$(command -v dotnet) && dotnet=$(dirname "$(readlink -f "$dotnet")")
fxr=$(ls -d "${dotnet:-/nowhere}"/host/fxr/10.*/libhostfxr.so 2>/dev/null | tail -n 1)
core=$(ls -d "${dotnet:-/nowhere}"/shared/Microsoft.NETCore.App/10.* 2>/dev/null | tail -n 1)
host=$tmp/host
${CC:-cc} -D_GNU_SOURCE -o "$host" "$here/host.c" -ldl 2>"$tmp/host.log" || host=

needs_host() { { [ -n "$host" ] && [ -f "$fxr" ] && [ -d "$core" ]; } || skip "no .NET 10, or no C compiler"; }

# A folder as .NET is installed in, with the real core framework in the versions given; others are made by add_framework.
make_root() { # VERSION...
    rm -rf root
    mkdir -p root/shared/Microsoft.NETCore.App root/host
    ln -s "$(dirname "$fxr")" root/host/fxr
    local version
    for version; do ln -s "$core" "root/shared/Microsoft.NETCore.App/$version"; done
}

# A framework of one assembly, which asks for others.
add_framework() { # NAME VERSION JSON
    local folder=root/shared/$1/$2
    mkdir -p "$folder"
    cp "$files/Colors.dll" "$folder/$1.dll"
    echo '{"runtimeTarget":{"name":".NETCoreApp,Version=v10.0"},"targets":{".NETCoreApp,Version=v10.0":{"'"$1/$2"'":{"runtime":{"'"$1"'.dll":{"assemblyVersion":"1.0.0.0","fileVersion":"1.0.0.0"}}}}},"libraries":{"'"$1/$2"'":{"type":"package","serviceable":false,"sha512":""}}}' >"$folder/$1.deps.json"
    [ -z "$3" ] || echo '{"runtimeOptions":'"$3"'}' >"$folder/$1.runtimeconfig.json"
}

app() { # JSON: a program and its runtimeOptions
    mkdir -p app
    [ -e app/App.dll ] || cp "$files/Sample.dll" app/App.dll
    echo '{"runtimeOptions":'"$1"'}' >app/App.runtimeconfig.json
}

# Both answers have one line for each framework, or "refused".
host_says() {
    "$host" "$fxr" "$PWD/root" "$PWD/app/App.dll" 2>/dev/null >tpa
    sed -n "s|^refused|&|p; s|^$PWD/root/shared/\([^/]*\)/\([^/]*\)/.*|\1 \2|p" tpa | sort -u
}
ilpatch_says() {
    DOTNET_ROOT=$PWD/root "$ilpatch" resolve app/App.dll >out 2>err
    sed -n 's|^  not as the host would.*|refused|p; s|^  framework \([^ ]*\) \([^ ]*\) .*|\1 \2|p' out | sort -u
}

agree() { # WHAT: description of the case
    local theirs ours
    theirs=$(host_says)
    ours=$(ilpatch_says)
    [ -n "$theirs" ] || die "$1: the host says nothing"
    [ "$theirs" = "$ours" ] || die "$1: the host says '$theirs', ilpatch '$ours'; installed: $(cd root/shared && echo */*)"
}

one() { # VERSION [POLICY]: asks for one framework
    echo '{"framework":{"name":"Microsoft.NETCore.App","version":"'"$1"'"}'"${2:+,\"rollForward\":\"$2\"}"'}'
}

# shellcheck disable=SC2034 # used by the parts
policies='Disable LatestPatch Minor LatestMinor Major LatestMajor'

for part in "$here"/test_*.sh; do
    # shellcheck source=/dev/null
    . "$part"
done

selected() {
    [ -n "$wanted" ] || return 0
    for prefix in $wanted; do
        case $1 in "$prefix"*) return 0 ;; esac
    done
    return 1
}

for name in $(compgen -A function test_); do
    name=${name#test_}
    selected "$name" || continue
    mkdir "$tmp/$name"
    why=$(cd "$tmp/$name" && "test_$name" 2>&1)
    case $? in
    0)
        echo "ok $name"
        passed=$((passed + 1))
        rm -rf "${tmp:?}/$name"
        ;;
    77)
        echo "skip $name: $why"
        skipped=$((skipped + 1))
        ;;
    *)
        echo "FAIL $name: $why (in $tmp/$name)"
        failed=$((failed + 1))
        ;;
    esac
done

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -gt 0 ] || rm -rf "$tmp"
[ $failed -eq 0 ]
