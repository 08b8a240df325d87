#!/bin/bash
# A file that is patched on disk and the same one with the profiler in the process: what the runtime has of each method says
# what is in the file. Every method of real assemblies is compiled, so there are thousands.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=tests/runtime/differential

scratch differential

need_sdk differential
if ! ${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -O1 -Iinclude -Isrc -I. -o "$tmp/compare" $here/compare.c tools/cmd/method_text.c \
    tools/cmd/token_text.c tools/tool.c tools/build_messages.c "$build/host.a" "$build/libilpatch.a" \
    >"$tmp/log" 2>&1; then
    fail build "$(head -n 1 "$tmp/log")"
    finish
fi

compile "$tmp/JitAll.dll" tests/runtime/real/jitall/JitAll.cs
runs_with_framework "$tmp/JitAll.dll"

# same_bodies NAME FILE AT-LEAST OPTION...
same_bodies() {
    local name=$1 file=$2 least=$3 dll
    shift 3
    dll=$(basename "$file")
    rm -rf "${tmp:?}/$name"
    mkdir -p "$tmp/$name/bodies"
    "$ilpatch" "$@" -q -o "$tmp/$name/$dll" "$file" >"$tmp/$name/log" 2>&1
    [ $? -le 1 ] || { fail "$name" "$(head -n 1 "$tmp/$name/log")"; return; }
    ILPATCH_BODIES=$tmp/$name/bodies ILPATCH_COUNT=1 "$ilpatch" run --quiet --where "<assembly name=\"${dll%.dll}\"/>" "$@" \
        -o "$tmp/$name/values" -- dotnet exec "$tmp/JitAll.dll" "$file" >"$tmp/$name/jit" 2>&1
    "$tmp/compare" "$tmp/$name/$dll" "$tmp/$name/bodies/$dll.metadata" "$tmp/$name/bodies/$dll.bodies" >"$tmp/$name/compared" 2>&1
    code=$?
    said=$(tail -n 1 "$tmp/$name/compared")
    if [ $code -eq 0 ] && [ "${said%% *}" -ge "$least" ]; then
        ok "$name: $said"
    else
        fail "$name" "$said; see $tmp/$name"
    fi
}

if ! tests/runtime/real/fetch.sh "$cache" >"$tmp/log" 2>&1; then
    skip differential "the packages cannot be had"
    finish
fi
same_bodies csharp "$cache/net/Microsoft.CodeAnalysis.CSharp.dll" 10000 --inspect-returns --inspector full
same_bodies json "$cache/net/Newtonsoft.Json.dll" 1000 --inspect-returns --inspector full
# Other forms of what is inserted: locals and clauses, the managed return value taken out of references and results of async methods.
cat >"$tmp/rules.xml" <<'RULES'
<rules><include guard="yes" byref="inspect" async="result" iterators="current" tail-calls="strip"/></rules>
RULES
same_bodies json-rules "$cache/net/Newtonsoft.Json.dll" 1000 --rules "$tmp/rules.xml"
# And the comparison can fail: the file patched by other rules is another one.
"$ilpatch" --inspect-returns -q -o "$tmp/json-rules/Newtonsoft.Json.dll" "$cache/net/Newtonsoft.Json.dll" >"$tmp/log" 2>&1
if "$tmp/compare" "$tmp/json-rules/Newtonsoft.Json.dll" "$tmp"/json-rules/bodies/Newtonsoft.Json.dll.{metadata,bodies} >"$tmp/log" 2>&1 ||
    ! tail -n 1 "$tmp/log" | grep -q '^0 same'; then
    fail other-rules "$(tail -n 1 "$tmp/log")"
else
    ok "other-rules: $(tail -n 1 "$tmp/log")"
fi

finish
