#!/bin/bash
# Lets each system call of a command fail that concerns a folder, in each way, and kills the command after each that changes files. Then no
# file is torn, what has failed is reported, and the same command, or the opposite one, brings the folder to exactly the state that it has
# without the fault. FAULTS=all: every fault (make check-faults); otherwise some, other ones for each scenario.
#
#   run.sh [NAME...]      only scenarios whose name starts with one of NAMEs
#
# With several threads, calls come in another order each time, and so some faults are tried twice, and others not. What must hold is the same.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/lib.sh
files=$PWD/tests/command/files
[ ! -w /dev/shm ] || : "${ILPATCH_TEST_TMP:=/dev/shm}" # half of the time were syncs, and a killed program loses nothing without them
scratch faults
BUILD=${BUILD:-build}
wanted=$*
every=${FAULTS_EVERY:-31}
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
plain=$tmp/plain
compile "$plain/App.dll" -debug:portable -pdb:"$plain/App.pdb" "$tmp/App.cs"
cat >"$plain/App.deps.json" <<'EOF'
{
  "runtimeTarget": { "name": ".NETCoreApp,Version=v10.0" },
  "targets": { ".NETCoreApp,Version=v10.0": { "App/1.0.0": { "runtime": { "App.dll": {} } } } },
  "libraries": { "App/1.0.0": { "type": "project", "serviceable": false, "sha512": "" } }
}
EOF

# state NAME FROM COMMAND...: the folder NAME is FROM after the command
work=$tmp/work
in_work() { (cd "$work" && "$@") >"$tmp/out" 2>&1; }
restart() { rm -rf "$work" && cp -a "$tmp/$1" "$work"; }
state() {
    restart "$2"
    in_work "${@:3}" || fail "state $1" "$(cat "$tmp/out")"
    mv "$work" "$tmp/$1"
}

# ---- one fault ----

leads_to() { # STATE COMMAND...: from what is in $tmp/after
    restart after
    in_work "${@:2}"
    code=$?
    difference=$(diff -rq "$work" "$tmp/$1" 2>&1)
    [ $code -eq 0 ] && [ -z "$difference" ] && return
    why="then '${*:2}' ends with $code: $(tail -n 1 "$tmp/out") $(echo "$difference" | sed "s|$tmp/||g" | tr '\n' ' ')"
    return 1
}

# A cache may know less than after a run without faults.
files_of() { (cd "$1" && find . -type f ! -name '.ilpatch.*' ! -name cache -exec md5sum {} +); }

# All of a folder but times and the ends of temporary names, which are other ones in each run: two that are alike lead to the same.
form_of() {
    (cd "$1" && find . -printf '%P %M %n %l\n' && find . -type f -exec md5sum {} +) |
        sed -E 's/(\.ilpatch\.)[[:alnum:]]{6}\b/\1XXXXXX/' | sort | md5sum
}

# A command whose call has failed ends with one of its own exit codes (tools/tool.h), and says why if that is not 0.
ends_well() { # CODE WAY
    if [ "$2" = after ]; then
        [ "$1" -eq 137 ] || why="ends with $1, and was to be killed"
    elif [ "$1" -gt 4 ] || [ "$1" -eq 2 ]; then # 2: the command line makes no sense
        why="ends with $1: $(tail -n 1 "$tmp/err")"
    elif [ "$1" -ne 0 ] && ! grep -q '^ilpatch: .*: ' "$tmp/err"; then
        why="ends with $1 and does not say why"
    fi
    [ -z "$why" ]
}

# attempt FROM TO BACK NUMBER WAY COMMAND...: BACK is the command that leads to FROM again, "": there is none
attempt() {
    restart "$1"
    (cd "$work" && "$tmp/fault" "$work" "$4" "$5" "${@:6}") >"$tmp/out" 2>"$tmp/err" 3>"$tmp/call"
    local end=$? torn form
    [ $end -ne 99 ] || return 0 # that call cannot fail in this way
    tried=$((tried + 1))
    ends_well $end "$5" || return 1
    # what is left of the run itself the next one removes
    if [ $end -eq 0 ] && ! diff -rq -x '.ilpatch.*' -x cache "$work" "$tmp/$2" >"$tmp/differs"; then
        why="ends with 0, but $(sed "s|$tmp/||g" "$tmp/differs" | tr '\n' ' ')"
        return 1
    fi
    # a neighbour that one may not read can call the inspector, which stays then, and stays listed
    if [ $end -eq 1 ] && grep -q 'stays, since this may call it' "$tmp/err"; then
        cmp -s "$work/App.dll" "$tmp/$2/App.dll" && return
        why="App.dll is not as after"
        return 1
    fi
    form=$(form_of "$work")
    [ -z "${right[$form]-}" ] || return 0
    torn=$(files_of "$work" | grep -vxFf "$tmp/whole")
    if [ -n "$torn" ]; then
        why="neither as before nor as after: $torn"
        return 1
    fi
    rm -rf "$tmp/after"
    mv "$work" "$tmp/after"
    # shellcheck disable=SC2086
    leads_to "$2" "${@:6}" && { [ -z "$3" ] || leads_to "$1" $3; } && right[$form]=yes
}

# faults NAME FROM TO BACK COMMAND...
shift_by=0
declare -A right # forms of folders from which both states can be reached
faults() {
    local name=$1 count bad=0 tried=0 first number way
    selected "$name" || return
    restart "$2"
    (cd "$work" && "$tmp/fault" "$work" 0 list "${@:5}") >"$tmp/out" 2>&1 3>"$tmp/calls"
    count=$(tail -n 1 "$tmp/calls" | cut -d ' ' -f 1)
    (files_of "$tmp/$2" && files_of "$tmp/$3") >"$tmp/whole"
    sed -n 's|  ./in/|  ./out/|p' "$tmp/whole" >"$tmp/copies" # what is copied, and then edited
    cat "$tmp/copies" >>"$tmp/whole"
    right=()
    shift_by=$(((shift_by + 3) % every))
    while read -r number _ way; do
        why=
        if ! attempt "$2" "$3" "$4" "$number" "$way" "${@:5}"; then
            bad=$((bad + 1))
            why="$way at call $number ($(cat "$tmp/call")): $why"
            first=${first:-$why}
            [ -z "${FAULTS_VERBOSE-}" ] || echo "# $name: $why"
        fi
    done < <(awk -v every="$every" -v shift="$shift_by" 'NR % every == shift' "$tmp/calls")
    if [ $bad -eq 0 ] && [ $tried -gt 0 ]; then
        ok "$name ($tried faults at ${count:-0} calls)"
    else
        fail "$name" "$bad of $tried: ${first-}"
    fi
}

# ---- the scenarios ----

patch="$ilpatch --inspect-returns App.dll"
embed="$ilpatch --inspect-returns --embed App.dll"
mine="$ilpatch --inspect-returns --inspector $files/good-inspector.dll App.dll"
in_place="$ilpatch --inspect-returns --in-place App.dll"
output="$ilpatch --inspect-returns -o out/App.dll App.dll"
restore="$ilpatch restore App.dll"
# shellcheck disable=SC2086
{
    state patched plain $patch
    state embedded plain $embed
    state embedded_later patched $embed
    state mine plain $mine
    state placed plain $in_place

    faults patch plain patched "$restore" $patch
    faults restore patched plain "$patch" $restore
    faults embed plain embedded "$restore" $embed
    faults patch-again patched embedded_later "$patch" $embed
    faults restore-embedded embedded plain "$embed" $restore
    faults own-inspector plain mine "$restore" $mine
    faults own-inspector-again mine patched "$mine" $patch
    faults in-place plain placed "" $in_place

    # nothing is replaced: what was written can be written again
    cp -a "$plain" "$tmp/beside"
    mkdir "$tmp/beside/out"
    state written beside $output
    faults output beside written "" $output
}

# Of a file of ids restore takes nothing away.
cat >"$tmp/ids.xml" <<EOF
<rules><include pass="id" inspector="$files/good-inspector-passes.dll"/></rules>
EOF
ids="$ilpatch --rules $tmp/ids.xml --id-map ids/ids.json App.dll"
# shellcheck disable=SC2317 # called by leads_to
back_from_ids() { "$ilpatch" restore App.dll && rm -rf ids/* ids/.ilpatch.*; }
cp -a "$plain" "$tmp/unnumbered"
mkdir "$tmp/unnumbered/ids"
# shellcheck disable=SC2086
{
    state numbered unnumbered $ids
    faults ids unnumbered numbered back_from_ids $ids
}

# Two assemblies of a folder are two transactions: between them the first is patched, and the second is not.
all="$ilpatch --inspect-returns App.dll Other.dll"
cp -a "$plain" "$tmp/two"
cp "$plain/App.dll" "$tmp/two/Other.dll"
# shellcheck disable=SC2086
{
    state two_patched two $all
    faults two two two_patched "$ilpatch restore App.dll Other.dll" $all
    faults two-restored two_patched two "$all" "$ilpatch" restore App.dll Other.dll
}

# A folder with another one in it, as a whole: in its place, and copied.
mkdir -p "$tmp/deep/sub" "$tmp/source/in"
cp -a "$plain"/* "$tmp/deep"
cp "$plain/App.dll" "$tmp/deep/sub/Lib.dll"
echo text >"$tmp/deep/sub/text"
ln -s sub "$tmp/deep/link"
cp -a "$tmp/deep/." "$tmp/source/in"
deep="$ilpatch inspect ."
copied="$ilpatch inspect -o out in"
cached="$ilpatch inspect --cache cache -o out in"
# shellcheck disable=SC2086
{
    state deep_patched deep $deep
    faults folder deep deep_patched "$ilpatch restore ." $deep
    faults folder-restored deep_patched deep "$deep" "$ilpatch" restore .
    state copied source $copied
    faults folder-copied source copied "" $copied
    state cached source $cached
    faults folder-cached source cached "" $cached
}

# Symbols in Mono's format, which are put aside.
cp -a "$plain" "$tmp/mono"
mv "$tmp/mono/App.pdb" "$tmp/mono/App.dll.mdb"
python3 - "$tmp/numbered/ids/ids.json" "$tmp/mono/App.dll.mdb" <<'EOF'
import json, struct, sys, uuid
mvid = uuid.UUID(json.loads(open(sys.argv[1]).readline())["mvid"]).bytes_le
open(sys.argv[2], "wb").write(struct.pack("<QII", 0x45E82623FD7FA614, 50, 0) + mvid)
EOF
# shellcheck disable=SC2086
{
    state mono_patched mono $patch
    faults mdb mono mono_patched "$restore" $patch
    faults mdb-restored mono_patched mono "$patch" $restore
}

# A single-file program that is never started.
mkdir "$tmp/bundle"
printf '{"runtimeOptions": {"framework": {"name": "Microsoft.NETCore.App", "version": "10.0.0"}}}' >"$tmp/config.json"
python3 tests/command/make_bundle.py "$tmp/bundle/App" "1:App.dll=$plain/App.dll" "3:App.deps.json=$plain/App.deps.json" \
    "4:App.runtimeconfig.json=$tmp/config.json"
cp "$plain/App.pdb" "$tmp/bundle/"
bundle="$ilpatch --inspect-returns App"
# shellcheck disable=SC2086
{
    state bundle_patched bundle $bundle
    faults bundle bundle bundle_patched "$ilpatch restore App" $bundle
    faults bundle-restored bundle_patched bundle "$bundle" "$ilpatch" restore App
}

# ---- several threads ----

# Five assemblies in two folders, three of which have one PDB.
mkdir -p "$tmp/many/sub" "$tmp/many_source/in"
cp -a "$plain"/* "$tmp/many"
cp "$plain/App.dll" "$tmp/many/Copy.dll"
cp "$plain/App.dll" "$tmp/many/Other.dll"
cp "$plain"/App.{dll,pdb} "$tmp/many/sub"
cp "$files/Colors.dll" "$tmp/many/sub"
echo text >"$tmp/many/sub/text"
ln -s text "$tmp/many/sub/link"
cp -a "$tmp/many/." "$tmp/many_source/in"
many="$ilpatch inspect -j 2 ."
many_copied="$ilpatch inspect -j 2 -o out in"
many_cached="$ilpatch inspect -j 2 --cache cache -o out in"

# One whose methods are enough for threads of the library (ILPI_BLOCK_METHODS).
{
    echo 'public static class Large {'
    for i in $(seq 600); do echo "    public static int M$i(int x) => x < $i ? x + $i : System.Math.Abs(x);"; done
    echo '}'
} >"$tmp/Large.cs"
compile "$tmp/large/Large.dll" -target:library -debug:portable -pdb:"$tmp/large/Large.pdb" "$tmp/Large.cs"
large="$ilpatch inspect -j 2 Large.dll"
# shellcheck disable=SC2086
{
    state many_patched many "$ilpatch" inspect .
    faults threads-folder many many_patched "$ilpatch restore ." $many
    state many_copied many_source "$ilpatch" inspect -o out in
    faults threads-copied many_source many_copied "" $many_copied
    state many_cached many_source "$ilpatch" inspect --cache cache -o out in
    faults threads-cached many_source many_cached "" $many_cached
    state large_patched large "$ilpatch" inspect Large.dll
    faults threads-file large large_patched "$ilpatch restore Large.dll" $large
}
finish
