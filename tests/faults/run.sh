#!/bin/bash
# Lets each system call of a command fail that concerns a folder, in each way, and kills the command at each; then the same
# command, or the opposite one, has to bring the folder to exactly the state that it has without the fault. FAULTS=all: at every
# call (make check-faults); otherwise at some, others in each run of a scenario's ways.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/lib.sh
scratch faults
BUILD=${BUILD:-build}
ways="ENOSPC EIO EMFILE EACCES EINTR EROFS short before after"
every=${FAULTS_EVERY:-7}
[ "${FAULTS-}" != all ] || every=1

if [ "$(uname -sm)" != "Linux x86_64" ]; then
    skip faults "only on Linux, x86-64"
    finish
fi
cc -O1 -std=c11 -D_GNU_SOURCE -o "$tmp/fault" tests/faults/fault.c || { fail build fault; finish; }
need_sdk faults

# ---- the folder ----

cat >"$tmp/App.cs" <<'EOF'
public struct Pair { public int A; public long B; }
public static class App
{
    static int One() => 1;
    static Pair Two() => new Pair { A = 1, B = 2 };
    static string Three() => "three";
    public static int Main() { return One() + Two().A + Three().Length - 7; }
}
EOF
folder=$tmp/original
compile "$folder/App.dll" -debug:portable -pdb:"$folder/App.pdb" "$tmp/App.cs"
runs_with_framework "$folder/App.dll"
cat >"$folder/App.deps.json" <<'EOF'
{
  "runtimeTarget": { "name": ".NETCoreApp,Version=v10.0" },
  "targets": { ".NETCoreApp,Version=v10.0": { "App/1.0.0": { "runtime": { "App.dll": {} } } } },
  "libraries": { "App/1.0.0": { "type": "project", "serviceable": false, "sha512": "" } }
}
EOF

# state NAME FROM COMMAND...: the folder NAME is FROM after the command
work=$tmp/work
in_work() { (cd "$work" && "$@") >"$tmp/out" 2>&1; }
restart() { rm -rf "$work" && cp -a "$1" "$work"; }
state() {
    restart "$tmp/$2"
    in_work "${@:3}" || fail "state $1" "$(cat "$tmp/out")"
    mv "$work" "$tmp/$1"
}

# ---- one fault ----

leads_to() { # STATE COMMAND...: from what is in $tmp/after
    restart "$tmp/after"
    in_work "${@:2}"
    code=$?
    difference=$(diff -rq "$work" "$tmp/$1" 2>&1)
    [ $code -eq 0 ] && [ -z "$difference" ] && return
    why="then '${*:2}' ends with $code: $(tail -n 1 "$tmp/out") $(echo "$difference" | sed "s|$tmp/||g" | tr '\n' ' ')"
    return 1
}

# attempt FROM TO BACK NUMBER WAY COMMAND...: BACK is the command that leads to FROM again
attempt() {
    restart "$tmp/$1"
    (cd "$work" && "$tmp/fault" "$work" "$4" "$5" "${@:6}") >"$tmp/out" 2>&1
    local end=$?
    [ $end -ne 99 ] || return 0
    # what is left of the run itself the next one removes
    if [ $end -eq 0 ] && ! diff -rq -x '.ilpatch.*' "$work" "$tmp/$2" >"$tmp/differs"; then
        why="ends with 0, but $(sed "s|$tmp/||g" "$tmp/differs" | tr '\n' ' ')"
        return 1
    fi
    cmp -s "$work/App.dll" "$tmp/$1/App.dll" || cmp -s "$work/App.dll" "$tmp/$2/App.dll" || { why="App.dll is torn"; return 1; }
    rm -rf "$tmp/after"
    mv "$work" "$tmp/after"
    # shellcheck disable=SC2086
    leads_to "$2" "${@:6}" && leads_to "$1" $3
}

# faults NAME FROM TO BACK COMMAND...
shift_by=0
faults() {
    local name=$1 count bad=0 tried=0 first
    restart "$tmp/$2"
    count=$(cd "$work" && "$tmp/fault" "$work" 0 count "${@:5}" 3>"$tmp/calls" 2>/dev/null | tail -n 1)
    for way in $ways; do
        shift_by=$(((shift_by + 3) % every))
        for ((number = 1 + shift_by; number <= count; number += every)); do
            why=
            tried=$((tried + 1))
            if ! attempt "$2" "$3" "$4" "$number" "$way" "${@:5}"; then
                bad=$((bad + 1))
                first=${first:-"$way at call $number ($(sed -n "s/^$number //p" "$tmp/calls")): $why"}
                [ -z "${FAULTS_VERBOSE-}" ] || echo "# $name: $way at call $number ($(sed -n "s/^$number //p" "$tmp/calls")): $why"
            fi
        done
    done
    if [ $bad -eq 0 ]; then ok "$name ($tried faults at $count calls)"; else fail "$name" "$bad of $tried: $first"; fi
}

# ---- the scenarios ----

patch="$ilpatch --inspect-returns App.dll"
embed="$ilpatch --inspect-returns --embed App.dll"
restore="$ilpatch restore App.dll"
# shellcheck disable=SC2086
{
    state patched original $patch
    state embedded original $embed
    state embedded_later patched $embed

    faults patch original patched "$restore" $patch
    faults restore patched original "$patch" $restore
    faults embed original embedded "$restore" $embed
    faults patch-again patched embedded_later "$patch" $embed
    faults restore-embedded embedded original "$embed" $restore
}
finish
