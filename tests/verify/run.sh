#!/bin/bash
# Does `ilpatch verify` find what is wrong, and nothing else?
#
#   bad/*.il        one rule each: the code after "expects:" is found, and no finding of another class ERROR
#   good/*.il       odd, but right: no errors, nor the code after "lacks:"
#   thousand        of more findings the first thousand are listed, the rest is counted
#   real            real assemblies: no error that docs/VERIFY.md does not explain; and nothing new, of any kind, once
#                   they are patched (--verify)
#
# Each source is assembled by Mono's ilasm and by .NET's, whichever there are.
#
#   NET_ILASM           .NET's ilasm; else from the NuGet cache
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
here=$PWD/tests/verify

need_ilpatch verify
scratch verify

net_ilasm=${NET_ILASM:-$(find_net_tool ilasm)}

# ---- IL ------------------------------------------------------------------------------------------------------

# assemble ASSEMBLER SOURCE OUTPUT
assemble() {
    case $1 in
    mono) ilasm -quiet -dll -output:"$3" "$2" ;;
    net) "$net_ilasm" -quiet -dll -output="$3" "$2" ;;
    esac >"$tmp/log" 2>&1
}

# The findings of a file: "CLASS CODE" a line.
findings() {
    "$ilpatch" verify --unverifiable --unknown "$1" 2>"$tmp/error" | awk '$3 ~ /^(error|warning|unverifiable|unknown)$/ { print $3, $4 }' |
        sort -u
}

# one KIND SOURCE ASSEMBLER
one() {
    name=$1-$(basename "$2" .il).$3
    case $(sed -n 's,^// assembler: ,,p' "$2") in
    "" | "$3") ;;
    *) return ;; # the other one refuses the source
    esac
    { printf '.assembly extern mscorlib { }\n.assembly Test { }\n.module Test.dll\n'; cat "$2"; } >"$tmp/Test.il"
    if ! assemble "$3" "$tmp/Test.il" "$tmp/Test.dll"; then
        fail "$name" "does not assemble: $(grep -m1 -iE 'error' "$tmp/log")"
        return
    fi
    findings "$tmp/Test.dll" >"$tmp/found"
    expected=$(sed -n 's,^// expects: ,,p' "$2")
    unwanted=$(sed -n 's,^// lacks: ,,p' "$2")
    others=$(awk -v code="$expected" '$1 == "error" && $2 != code { print $2 }' "$tmp/found" | tr '\n' ' ')
    if [ -s "$tmp/error" ]; then
        fail "$name" "$(head -n 1 "$tmp/error")"
    elif [ -n "$expected" ] && ! awk -v code="$expected" '$2 == code { found = 1 } END { exit !found }' "$tmp/found"; then
        fail "$name" "$expected is not found, but: $(tr '\n' ' ' <"$tmp/found")"
    elif [ -n "$unwanted" ] && awk -v code="$unwanted" '$2 == code { found = 1 } END { exit !found }' "$tmp/found"; then
        fail "$name" "$unwanted is found"
    elif [ -n "$others" ]; then
        fail "$name" "errors that are none: $others"
    else
        ok "$name"
    fi
}

for kind in bad good; do
    for script in "$here/$kind"/*.il.awk; do
        [ ! -f "$script" ] || awk -f "$script" >"$tmp/$(basename "$script" .il.awk).il"
    done
    for source in "$here/$kind"/*.il $(cd "$here/$kind" && ls -- *.il.awk 2>/dev/null | sed "s,^,$tmp/,; s,\.awk$,,"); do
        if have ilasm && have mono; then one $kind "$source" mono; else skip "$kind-$(basename "$source" .il).mono" "no Mono ilasm"; fi
        if [ -n "$net_ilasm" ]; then one $kind "$source" net; else skip "$kind-$(basename "$source" .il).net" "no .NET ilasm"; fi
    done
done

# Every code of findings.def is expected by one of these, or by the unit test.
sed -n 's/^FINDING([A-Z_0-9]*, *[A-Z]*, *"\([^"]*\)".*/\1/p' src/verify/findings.def | sort >"$tmp/codes"
{ cat "$here"/bad/* | grep -o 'expects: [a-z0-9-]*' | cut -d ' ' -f 2; grep -o '"[a-z0-9-]*"' tests/unit/test_verify_tables.c | tr -d '"'; } |
    sort -u >"$tmp/expected"
untested=$(comm -23 "$tmp/codes" "$tmp/expected" | tr '\n' ' ')
if [ -z "$untested" ]; then ok every-code; else fail every-code "nothing expects $untested"; fi

# ---- more findings than are listed -------------------------------------------------------------------------------

# Each of 1,200 methods returns null as an int32; patched, each boxes it as well.
thousand() {
    local assembler=$1
    {
        printf '.assembly extern mscorlib { }\n.assembly Test { }\n.module Test.dll\n.class public C {\n'
        for number in $(seq 1200); do printf '.method public static int32 M%d() { ldnull\n ret }\n' "$number"; done
        echo '}'
    } >"$tmp/Test.il"
    assemble "$assembler" "$tmp/Test.il" "$tmp/Test.dll" || { fail thousand "does not assemble"; return; }
    "$ilpatch" verify "$tmp/Test.dll" >"$tmp/found"
    check thousand-lines 1000 "$(grep -c ' error ' "$tmp/found")"
    check thousand-counted "$tmp/Test.dll: 1200 errors, 0 warnings, 0 unverifiable, 0 unknown; 200 not listed" "$(tail -n 1 "$tmp/found")"
    "$ilpatch" verify --json "$tmp/Test.dll" >"$tmp/found.json"
    "$ilpatch" --inspect-returns --verify -n --report "$tmp/report.json" "$tmp/Test.dll" 2>"$tmp/error" && fail thousand-patched "exit code 0"
    contains thousand-patched "it would have 1200 findings that it has not now" "$tmp/error"
    have python3 || { skip thousand-json "no python3"; return; }
    check thousand-json "1000 200 1200" "$(python3 -c 'import json, sys
file = json.load(open(sys.argv[1]))["files"][0]
print(len(file["findings"]), file["unlisted"], file["errors"])' "$tmp/found.json")"
    check thousand-report "1000 200" "$(python3 -c 'import json, sys
module = json.load(open(sys.argv[1]))["modules"][0]
print(len(module["findings"]), module["unlisted"])' "$tmp/report.json")"
}
if have ilasm && have mono; then thousand mono; elif [ -n "$net_ilasm" ]; then thousand net; else skip thousand "no ilasm"; fi

# ---- real assemblies -----------------------------------------------------------------------------------------

# real FOLDER FILE ERRORS [keep]: so many errors, and nothing new once it is patched
real() {
    name=real-$(basename "$1")-$2
    errors=$("$ilpatch" verify "$1/$2" 2>&1 | sed -n 's/^.*: \([0-9]*\) errors\?, .*/\1/p')
    if [ "$errors" = "$3" ]; then ok "$name"; else fail "$name" "${errors:-no} errors, $3 are explained in docs/VERIFY.md"; fi
    [ "${4:-}" = keep ] && return
    # with everything that rules can request; the inspector need not be beside it
    if "$ilpatch" --rules "$tmp/all.xml" --verify -n --reference-path "$1" "$1/$2" >"$tmp/log" 2>&1 || [ $? = 1 ]; then
        said=$(sed -n 's/^.*; verified: \([^;]*\).*/\1/p' "$tmp/log")
        if [ "$said" = "nothing new" ]; then ok "$name-patched"; else fail "$name-patched" "verified: ${said:-nothing is said}"; fi
    else
        fail "$name-patched" "$(head -n 1 "$tmp/log")"
    fi
}
printf '%s\n' '<rules><include byref="inspect" pointers="inspect" async="result" iterators="current" guard="yes"/></rules>' >"$tmp/all.xml"

if ! have dotnet || ! tests/runtime/real/fetch.sh "$cache" >"$tmp/log" 2>&1; then
    skip real "packages cannot be had"
else
    for file in Newtonsoft.Json Mono.Cecil Microsoft.CodeAnalysis Microsoft.CodeAnalysis.CSharp; do real "$cache/net" $file.dll 0; done
    real "$cache/net" FSharp.Core.dll 20
    for file in Newtonsoft.Json.dll Mono.Cecil.dll mcs.exe; do [ ! -f "$cache/mono/$file" ] || real "$cache/mono" $file 0; done
    real "$cache/mono" FSharp.Core.dll 20
fi
if [ -f /usr/lib/mono/4.5/mscorlib.dll ]; then real /usr/lib/mono/4.5 mscorlib.dll 4 keep; else skip real-mscorlib "no Mono"; fi

for name in Microsoft.NETCore.App Microsoft.AspNetCore.App; do
    framework=
    have dotnet && framework=$(dotnet --list-runtimes | sed -n "s/^$name \(10[^ ]*\) \[\(.*\)\]\$/\2\/\1/p" | tail -n 1)
    if [ -z "$framework" ]; then
        skip "real-$name" "no .NET 10"
        continue
    fi
    # what is native has no CLI header
    managed=$(for file in "$framework"/*.dll; do "$ilpatch" dump --headers "$file" >/dev/null 2>&1 && echo "$file"; done)
    # shellcheck disable=SC2086
    "$ilpatch" verify $managed >"$tmp/found" 2>&1
    bad=$(grep -cE ': [1-9][0-9]* errors?,' "$tmp/found")
    good=$(grep -cE ': 0 errors,' "$tmp/found")
    if [ "$bad" -eq 0 ] && [ "$good" -gt 50 ]; then ok "real-$name ($good assemblies)"
    else fail "real-$name" "$good assemblies without errors, $bad with: $(grep -m1 ' error ' "$tmp/found")"; fi
done
finish
