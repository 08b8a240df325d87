# shellcheck shell=bash
# What the scripts that work on real assemblies begin with: `prepare NAME TOOL...` fetches packages and builds tools, or
# ends the script with what is missing. Sourced from the root of the tree.

. tests/lib.sh
real=tests/runtime/real
here=$real

prepare() { # NAME TOOL...
    local name=$1 tool
    shift
    need_sdk "$name"
    need_ilpatch "$name"
    scratch "$name"
    if ! $real/fetch.sh "$cache" >"$tmp/log" 2>&1; then
        skip "$name" "packages cannot be had: $(grep -m1 error "$tmp/log")"
        finish
    fi
    for tool; do
        if ! $real/tool.sh $real/$tool "$cache/tools/$tool" >"$tmp/log" 2>&1; then
            fail "build $tool" "$(grep -m1 'error' "$tmp/log")"
            finish
        fi
    done
    tools=$cache/tools
}

# make_mono_harness: $harness is jitall for Mono. Of several at a time the others wait.
make_mono_harness() {
    harness=$cache/tools/JitAll.exe
    have mono && [ -e /usr/lib/mono/4.5/mscorlib.dll ] || return
    (
        flock 9
        [ "$harness" -nt $real/jitall/JitAll.cs ] ||
            { mcs -out:"$tmp/JitAll.exe" $real/jitall/JitAll.cs >"$tmp/log" 2>&1 && mv "$tmp/JitAll.exe" "$harness"; }
    ) 9>"$harness.lock"
}
