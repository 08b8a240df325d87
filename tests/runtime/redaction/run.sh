#!/bin/bash
# Secrets in values: hidden in lines of both inspectors, in traces, in what is made of these, and in patched files; shown where
# an option requests that. Each secret of the program ends with zqxj, or is a number of
# ten digits: a time or a thread has none of these.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/redaction
scratch redaction
need_sdk redaction
compile "$tmp/Login.dll" "$here/Login.cs" -optimize+
runs_with_framework "$tmp/Login.dll"

# secrets NAME FILE WORD...: these are there, and no others
secrets() {
    local name=$1 file=$2
    shift 2
    check "$name" "$*" "$(grep -aoE '[a-z]*-?zqxj|1947114711' "$file" | LC_ALL=C sort -u | tr '\n' ' ' | sed 's/ $//')"
}
# run NAME OPTION...: its values in $tmp/NAME
run() {
    local name=$1
    shift
    timeout 600 "$ilpatch" run -q -o "$tmp/$name" "$@" -- dotnet "$tmp/Login.dll"
    check "$name: exit code" 0 $?
}

for inspector in "--inspector full" ""; do
    # shellcheck disable=SC2086
    {
        run "default$inspector" $inspector
        run "all$inspector" $inspector --no-redact
        run "added$inspector" $inspector --redact zip --redact 'number,type:Nothing'
        run "types$inspector" $inspector --redact type:Card,type:Box+Slip
        run "only$inspector" $inspector --no-redact --redact zip
        ILPATCH_REDACT=zip run "environment$inspector" $inspector --redact type:Card,type:Box+Slip
        ILPATCH_NO_REDACT=1 run "off$inspector" $inspector
        run "json$inspector" --inspector unmanaged --json
    }
    secrets "default$inspector: secrets" "$tmp/default$inspector" 1947114711 card-zqxj slip-zqxj
    secrets "all$inspector: secrets" "$tmp/all$inspector" 1947114711 card-zqxj pass-zqxj secret-zqxj slip-zqxj token-zqxj
    secrets "added$inspector: secrets" "$tmp/added$inspector"
    secrets "types$inspector: secrets" "$tmp/types$inspector" 1947114711
    secrets "only$inspector: secrets" "$tmp/only$inspector" card-zqxj pass-zqxj secret-zqxj slip-zqxj token-zqxj
    secrets "environment$inspector: secrets" "$tmp/environment$inspector"
    secrets "off$inspector: secrets" "$tmp/off$inspector" 1947114711 card-zqxj pass-zqxj secret-zqxj slip-zqxj token-zqxj
    secrets "json$inspector: secrets" "$tmp/json$inspector" 1947114711 card-zqxj slip-zqxj
    check "marks$inspector" 'Login::GetToken -> {redacted} (System.String)' "$(grep GetToken "$tmp/default$inspector")"
done

# Arguments of calls, which the stock inspector shows.
run arguments --args
secrets "arguments: secrets" "$tmp/arguments" 1947114711 card-zqxj slip-zqxj
contains "arguments" 'Login::Find(name: "ada", password: {redacted}, zip: 1947114711) -> ' "$tmp/arguments"
run arguments-given --args --redact zip,name --no-redact
contains "arguments, --redact" 'Login::Find(name: {redacted}, password: "argument-zqxj", zip: {redacted}) -> ' "$tmp/arguments-given"

# Traces: arguments, values, and each report that is made of them.
trace() { # NAME OPTION...
    local name=$1
    shift
    timeout 600 "$ilpatch" trace -q --values --spool "$tmp/$name.spool" "$@" -- dotnet "$tmp/Login.dll"
    check "trace $name: exit code" 0 $?
    for format in text chrome values lines; do
        "$ilpatch" report --format $format -o "$tmp/$name.$format" "$tmp/$name.spool" || fail "report $name" "$format"
    done
}
trace hidden
trace shown --no-redact
trace given --redact zip
for file in spool chrome lines; do
    secrets "trace: $file" "$tmp/hidden.$file" 1947114711
done
for file in text values; do # which have no arguments
    secrets "trace: $file" "$tmp/hidden.$file"
done
secrets "trace --no-redact" "$tmp/shown.spool" 1947114711 argument-zqxj token-zqxj
secrets "trace --redact" "$tmp/given.spool"
contains "trace: arguments" 'name="ada" password={redacted}' "$tmp/hidden.lines"

# Patched files.
mkdir "$tmp/patched"
cp "$tmp"/Login.* "$tmp/patched"
"$ilpatch" --inspect-returns "$tmp/patched/Login.dll" >"$tmp/why" 2>&1 || fail patched "$(head -n 1 "$tmp/why")"
dotnet "$tmp/patched/Login.dll" 2>"$tmp/lines"
secrets "patched" "$tmp/lines" 1947114711 card-zqxj slip-zqxj
ILPATCH_REDACT=zip,type:Card,type:Box+Slip dotnet "$tmp/patched/Login.dll" 2>"$tmp/lines"
secrets "patched, ILPATCH_REDACT" "$tmp/lines"
ILPATCH_NO_REDACT=1 dotnet "$tmp/patched/Login.dll" 2>"$tmp/lines"
secrets "patched, ILPATCH_NO_REDACT" "$tmp/lines" 1947114711 card-zqxj pass-zqxj secret-zqxj slip-zqxj token-zqxj

# What is wrong is said before anything is started.
for wrong in '' 'a*b' 'card,' 'type:'; do
    for command in run trace; do
        "$ilpatch" $command --redact "$wrong" -- false >"$tmp/why" 2>&1
        check "wrong '$wrong' ($command): exit code" 2 $?
        contains "wrong '$wrong' ($command)" "--redact takes names such as card" "$tmp/why"
    done
done

finish
