#!/bin/bash
# Lists where ilpatch finds referenced assemblies, and compares with what the host of .NET and Mono say themselves.
#
#   run.sh [NAME...]      only tests whose name starts with one of NAMEs
#
# Tests skip what is not installed.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
here=$PWD/tests/resolve
files=$PWD/tests/command/files
wanted=$*
need_ilpatch resolve
scratch resolve
export HOME=$tmp
unset DOTNET_ROOT DOTNET_ROOT_X64 DOTNET_ROLL_FORWARD DOTNET_ROLL_FORWARD_TO_PRERELEASE NUGET_PACKAGES MONO_PATH MONO_GAC_PREFIX

# resolve CODE ARGUMENT...: what it says goes to out and err.
resolve() {
    local wanted_code=$1
    shift
    "$ilpatch" resolve "$@" >out 2>err
    local code=$?
    [ $code -eq "$wanted_code" ] || die "ilpatch resolve $*: exit code $code, not $wanted_code: $(head -c 600 out err)"
}

says_not() { # TEXT...: in out
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

needs_host() { { [ -n "$host" ] && [ -f "$fxr" ] && [ -d "$core" ]; } || skip_case "no .NET 10, or no C compiler"; }

# A folder as .NET is installed in, with the real core framework in the versions given; others are made by add_framework.
make_root() { # VERSION...
    rm -rf root
    mkdir -p root/shared/Microsoft.NETCore.App root/host
    ln -s "$(dirname "$fxr")" root/host/fxr
    local version
    for version; do ln -s "$core" "root/shared/Microsoft.NETCore.App/$version"; done
}

# A framework of one assembly, which requests others.
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

one() { # VERSION [POLICY]: requests one framework
    echo '{"framework":{"name":"Microsoft.NETCore.App","version":"'"$1"'"}'"${2:+,\"rollForward\":\"$2\"}"'}'
}

# shellcheck disable=SC2034 # used by the parts
policies='Disable LatestPatch Minor LatestMinor Major LatestMajor'

for part in "$here"/test_*.sh; do
    # shellcheck source=/dev/null
    . "$part"
done

run_cases
finish
