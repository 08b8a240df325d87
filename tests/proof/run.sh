#!/bin/bash
# The proof: the values that methods return, as a leave hook shows them and as inspected IL does, against what the program
# itself says (docs/PROOF.md).
#
#   run.sh             tests that the results are those in docs/PROOF.md
#   run.sh --table     prints them in the form that they have there
#   run.sh --write     writes them there
#   run.sh --methods   prints a line for each method and configuration: what judge.awk says
set -u
cd "$(dirname "$0")/../.." || exit 1
here=$PWD/tests/proof
root=$PWD
want=${1:-test}
unset PROBE_ADDRESS PROBE_STRING
. tests/lib.sh
# what was requested goes to standard output, and tests to it only when nothing else is
exec 3>&1
[ "$want" = test ] || exec >&2

need_sdk proof
if [ "$(uname -m)" != x86_64 ]; then
    skip proof "not x86-64"
    finish
fi
scratch proof
mkdir -p "$tmp/values" "$tmp/exits" "$tmp/alone" "$tmp/net" "$tmp/mono"
export PROBE_OUTPUT=$tmp/probed
c_options="-Wall -Wextra -O1 -shared -fPIC"

# ---- the programs ----

# csharp_for net|mono OPTION...
csharp_for() {
    local references=() kind=$1
    shift
    if [ "$kind" = net ]; then
        references=("$refs"/*.dll)
        set -- -define:NET "$@"
    else
        references=(/usr/lib/mono/4.5/mscorlib.dll)
    fi
    build_csharp -unsafe -nowarn:CS8500,CS0649,CS0169,CS1998 "${references[@]/#/-r:}" "$@"
}

# prepare FOLDER: FOLDER/in/Proof.dll is patched to FOLDER/out, and FOLDER/methods says which methods the rules take up.
prepare() {
    local folder=$1
    mkdir -p "$folder/out"
    "$ilpatch" --rules "$here/inspect.xml" --id-map "$folder/map" -o "$folder/out/Proof.dll" "$folder/in/Proof.dll" >"$tmp/log" 2>&1 ||
        fail patch "$folder $(head -n 1 "$tmp/log")"
    "$ilpatch" list --rules "$here/inspect.xml" "$folder/in/Proof.dll" |
        sed -n '/^[^ ]* *not-selected/d; s/^\([0-9A-F]*\) .*::\([^<(]*\).*/0x\1 \2/p' | while read -r token name; do
        echo "$((token)) $name"
    done >"$folder/methods"
    runs_with_framework "$folder/in/Proof.dll"
    runs_with_framework "$folder/out/Proof.dll"
}

programs() { # net|mono
    local kind=$1 net=0 configuration optimize=+
    [ "$kind" = mono ] || net=1
    awk -v net=$net -v rows="$tmp/rows.$kind" -f tests/runtime/native/fields.awk -f "$here/program.awk" "$here/values.txt" >"$tmp/Values.$kind.cs"
    for configuration in release debug; do
        mkdir -p "$tmp/$kind/$configuration/in"
        csharp_for "$kind" -optimize$optimize -out:"$tmp/$kind/$configuration/in/Proof.dll" "$tmp/Values.$kind.cs" "$here/Shapes.cs"
        prepare "$tmp/$kind/$configuration"
        optimize=-
    done
    mkdir -p "$tmp/$kind/exits/in" "$tmp/$kind/runtime-async/in"
    csharp_for "$kind" -optimize+ -out:"$tmp/$kind/exits/in/Proof.dll" "$here/Exits.cs"
    prepare "$tmp/$kind/exits"
    if [ "$kind" = net ]; then
        csharp_for net -optimize+ -define:RUNTIME_ASYNC -features:runtime-async=on -nowarn:SYSLIB5007 -out:"$tmp/net/runtime-async/in/Proof.dll" "$here/Exits.cs"
        prepare "$tmp/net/runtime-async"
    fi
    if [ -f "$tmp/Jumps.dll" ]; then
        mkdir -p "$tmp/$kind/jumps/in"
        cp "$tmp/Jumps.dll" "$tmp/$kind/jumps/in/Proof.dll"
        prepare "$tmp/$kind/jumps"
    fi
}

# ---- running them ----

# judge FOLDER SHOWN TRUTH [address]: what was shown, for each method; see judge.awk
judge() { awk -v address="${4:-0}" -f "$here/judge.awk" "$1/methods" "$2" "$3"; }

# run COMMAND...: the program, whatever it ends with
run() (
    ulimit -c 0
    rm -f "$PROBE_OUTPUT"
    "$@" </dev/null
    exit
)

# alone COLUMN FOLDER COMMAND...: the program as it is. What its caller gets wrong then is not the doing of hooks: it is noted.
alone() {
    local column=$1 folder=$2
    shift 2
    run "$@" >"$tmp/truth" 2>"$tmp/log"
    if [ $? -eq 100 ]; then
        judge "$folder" /dev/null "$tmp/truth" | awk -F '|' '$6 { print $1 }' >"$tmp/alone/$column"
        cp "$tmp/alone/$column" "$tmp/alone/$((column + 1))"
    else
        fail "${label[column]}: the program alone" "$(head -n 2 "$tmp/log" | tr '\n' ' ')"
    fi
}

# watch TABLE COLUMN CONFIGURATION FOLDER hook|il COMMAND...: what is shown while it runs, judged. What IL inspection shows of
# plain values has to be right.
watch() {
    local result=$tmp/$1/$2.$3 what="${label[$2]}, $3" folder=$4 kind=$5 table=$1 noted=$tmp/alone/$2 address=0 code
    shift 5
    [ "$kind" = il ] || address=1
    run "$@" >"$tmp/truth" 2>"$tmp/log"
    code=$?
    if [ $code -ne 100 ] && [ $kind.$table = hook.exits ]; then # that is a result, too
        sed 's/^[^ ]* //; /^[.]/d; s/$/|1|0|0|0|dead/' "$folder/methods" >"$result"
    elif [ $code -ne 100 ] || [ ! -s "$PROBE_OUTPUT" ]; then
        fail "$what" "it ends with $code: $(head -n 2 "$tmp/log" | tr '\n' ' ')"
    else
        touch "$noted"
        judge "$folder" "$PROBE_OUTPUT" "$tmp/truth" $address |
            awk -F '|' -v OFS='|' 'FILENAME == ARGV[1] { noted[$1] = 1; next } $1 in noted { $6 = 0 } { print }' "$noted" - >"$result"
        [ $kind.$table != il.values ] || is_right "$what" "$result"
    fi
}

is_right() {
    local wrong
    wrong=$(awk -F '|' '$2 == 0 || $2 != $3 || $4 || $5 || $6' "$2" | head -n 3 | tr '\n' ' ')
    if [ -n "$wrong" ] || [ "$(wc -l <"$2")" -lt 600 ]; then
        fail "$1" "${wrong:-too few values}"
    else
        ok "$1: $(awk -F '|' '{ n += $2 } END { print n }' "$2") values"
    fi
}

in_folder() ( cd "$1" && shift && exec "$@" )

run_coreclr() { # TABLE FOLDER CONFIGURATION ARGUMENT [VARIABLE=VALUE...]
    local table=$1 folder=$tmp/net/$2 configuration=$3 passes=$4
    shift 4
    watch "$table" 1 "$configuration" "$folder" hook env "$@" CORECLR_ENABLE_PROFILING=1 "CORECLR_PROFILER={$guid}" \
        CORECLR_PROFILER_PATH="$tmp/net/libleave.so" PROOF_METHODS="$folder/methods" dotnet exec "$folder/in/Proof.dll" $passes
    cp "$tmp/net/libprobe.so" "$folder/out/"
    watch "$table" 2 "$configuration" "$folder" il env "$@" dotnet exec "$folder/out/Proof.dll" $passes
    cp "$here/inspect-running.xml" "$tmp/net/Bytes.dll" "$folder/"
    watch "$table" 3 "$configuration" "$folder" il env "$@" "$ilpatch" run --rules "$folder/inspect-running.xml" -- dotnet exec "$folder/in/Proof.dll" $passes
}

# Programs that the runtime's own way of calling hooks breaks run with the product's: stubs on the fast path keep what is
# needed, and ilpatch trace takes care on the slow one.
harmless() { # NAME FOLDER COMMAND...
    local name="$1: ${2##*/}" folder=$2 code damaged
    shift 2
    run env DOTNET_TieredCompilation=0 DOTNET_RuntimeAsync=1 PROOF_METHODS="$folder/methods" "$@" dotnet exec "$folder/in/Proof.dll" >"$tmp/truth" 2>"$tmp/log"
    code=$?
    damaged=$(judge "$folder" /dev/null "$tmp/truth" | awk -F '|' '$6 { print $1 }')
    if [ $code -eq 100 ] && [ -z "$damaged" ] && [ -s "$PROBE_OUTPUT" ]; then
        ok "$name unharmed"
    else
        fail "$name unharmed" "$code, damaged: $damaged, $(head -n 2 "$tmp/log" | tr '\n' ' ')"
    fi
}

run_mono() { # TABLE PROGRAM ARCHITECTURE COLUMN COMMAND: the libraries are in the folder where it runs
    local table=$1 folder=$tmp/mono/$2 libraries=$tmp/$3 column=$4
    shift 4
    watch "$table" "$column" "${folder##*/}" "$folder" hook in_folder "$libraries" env PROOF_CONTEXT=1 PROOF_METHODS="$folder/methods" \
        LD_LIBRARY_PATH=. "$@" --profile=proof "$folder/in/Proof.dll"
    watch "$table" $((column + 1)) "${folder##*/}" "$folder" il in_folder "$libraries" env LD_LIBRARY_PATH=. "$@" "$folder/out/Proof.dll"
}

# mono_libraries FOLDER COMPILER...: the hook and the native inspector for one processor
mono_libraries() {
    local folder=$1
    shift
    mkdir -p "$folder"
    # shellcheck disable=SC2086
    "$@" $c_options -I/usr/include/mono-2.0 -o "$folder/libmono-profiler-proof.so" "$here/leave_mono.c" 2>"$tmp/log" &&
        "$@" $c_options -o "$folder/libprobe.so" "$root/tests/runtime/native/probe.c" 2>"$tmp/log"
}

mono_on() { # ARCHITECTURE COLUMN COMPILER -- COMMAND
    local architecture=$1 column=$2 compiler=() program
    shift 2
    while [ "$1" != -- ]; do
        compiler+=("$1")
        shift
    done
    shift
    if ! mono_libraries "$tmp/$architecture" "${compiler[@]}"; then
        fail "Mono $architecture" "$(head -n 1 "$tmp/log")"
        return
    fi
    present+=("$column" "$((column + 1))")
    # Programs with several threads, which exits is, do not run on Mono for i386 under qemu: it ends them by a signal or runs for ever, in 10 of 20
    # runs, also without a profiler.
    local programs='release debug exits jumps'
    case $architecture." $*" in i386.*qemu-i386*) programs='release debug jumps' ;; *) with_exits+=("$column" "$((column + 1))") ;; esac
    alone "$column" "$tmp/mono/release" "$@" "$tmp/mono/release/in/Proof.dll"
    for program in $programs; do
        case $program.$architecture in
        debug.arm64) ;; # emulated: half of it has to do
        release.* | debug.*) run_mono values $program "$architecture" "$column" "$@" ;;
        *) [ ! -d "$tmp/mono/$program" ] || run_mono exits $program "$architecture" "$column" "$@" ;;
        esac
    done
}

# Without values a leave hook is harmless on i386, too: it is asking for them that damages others.
hook_without_values() { # FOLDER COMMAND...
    local folder=$1 damaged
    shift
    run in_folder "$tmp/i386" env PROOF_METHODS="$folder/methods" "$@" --profile=proof "$folder/in/Proof.dll" >"$tmp/truth" 2>"$tmp/log"
    damaged=$(judge "$folder" "$PROBE_OUTPUT" "$tmp/truth" | awk -F '|' '$6 { n++ } END { print n + 0, (NR > 500) }')
    check "i386: a leave hook without values damages none" "0 1" "$damaged"
}

# foreign_mono ARCHITECTURE COLUMN
foreign_mono() {
    local lines command compiler
    if lines=$("$here/foreign_mono.sh" "$1" "$cache/mono-foreign" 2>"$tmp/log"); then
        read -r -a command <<<"$(echo "$lines" | sed -n 1p)"
        read -r -a compiler <<<"$(echo "$lines" | sed -n 2p)"
        mono_on "$1" "$2" "${compiler[@]}" -- "${command[@]}"
        [ "$1" != i386 ] || hook_without_values "$tmp/mono/release" "${command[@]}"
    else
        skip "Mono $1" "$(tail -n 1 "$tmp/log")"
    fi
}

label=('' 'CoreCLR hook' 'CoreCLR file' 'CoreCLR process' 'amd64 hook' 'amd64 file' 'i386 hook' 'i386 file' 'arm64 hook' 'arm64 file')
labels=$(printf '|%s' "${label[@]:1}")
present=(1 2 3)
# What hooks get wrong is a matter of the runtime's version: it is compared for the one that docs/PROOF.md names.
documented=$(sed -n 's/^\* \*\*CoreCLR\*\* \([0-9.]*\),.*/\1/p' docs/PROOF.md)
if [ "$version" != "$documented" ]; then
    skip "CoreCLR hook" "the runtime is $version, docs/PROOF.md says $documented: this column is not compared"
    present=(2 3)
fi
with_exits=("${present[@]}") # columns of the table of exits
guid=$(sed -n 's/^GUID(ilpatch, *"\(.*\)")/\1/p' profiler/clr/corprof.def)

! have ilasm || ilasm -quiet -exe -output:"$tmp/Jumps.dll" "$here/Jumps.il" >"$tmp/log" 2>&1 || fail build "Jumps.il: $(grep -m1 -i error "$tmp/log")"
programs net
csharp_for net -target:library -out:"$tmp/net/Bytes.dll" "$here/Bytes.cs"
# shellcheck disable=SC2086
${CC:-cc} -std=c11 -D_GNU_SOURCE $c_options -Isrc -I. -Iinclude -o "$tmp/net/libleave.so" "$here/leave_coreclr.c" profiler/clr/{class_factory,guid}.c \
    elt/{stubs_x86_64.S,targets.c} 2>"$tmp/log" &&
    ${CC:-cc} $c_options -o "$tmp/net/libprobe.so" tests/runtime/native/probe.c 2>"$tmp/log" || fail build "$(head -n 1 "$tmp/log")"

alone 1 "$tmp/net/release" dotnet exec "$tmp/net/release/in/Proof.dll"
cp "$tmp/alone/1" "$tmp/alone/3"
run_coreclr values debug Debug ''
run_coreclr values release Release ''
run_coreclr values release optimised '' DOTNET_TieredCompilation=0
run_coreclr values release tiers 3 DOTNET_TC_CallCountThreshold=2 DOTNET_TC_CallCountingDelayMs=0
run_coreclr exits exits exits '' DOTNET_TieredCompilation=0
run_coreclr exits runtime-async runtime-async '' DOTNET_TieredCompilation=0 DOTNET_RuntimeAsync=1
for program in exits runtime-async; do
    harmless "hooks of the fast path" "$tmp/net/$program" CORECLR_ENABLE_PROFILING=1 "CORECLR_PROFILER={$guid}" \
        CORECLR_PROFILER_PATH="$tmp/net/libleave.so" PROOF_FAST=1
    for options in --slow --values; do
        harmless "ilpatch trace $options" "$tmp/net/$program" "$ilpatch" trace -q $options --spool "$PROBE_OUTPUT" --
    done
done
[ ! -d "$tmp/net/jumps" ] || run_coreclr exits jumps jumps '' DOTNET_TieredCompilation=0

if have mono && [ -d /usr/include/mono-2.0 ]; then
    programs mono
    mono_on amd64 4 "${CC:-cc}" -- mono
    foreign_mono i386 6
    foreign_mono arm64 8
else
    skip Mono "no mono, or no headers of it (libmono-2.0-dev)"
fi

# ---- the judge ----

# It has to see a wrong digit, a missing line and one too many.
tampered() { # NAME EXPRESSION EXPECTED
    sed "$2" "$tmp/shown.good" >"$tmp/shown.bad"
    judge "$tmp/net/jumps" "$tmp/shown.bad" "$tmp/truth.good" >"$tmp/log"
    check "judge: $1" "$3" "$(cat "$tmp/log")"
}
echo 'tail_call 4 2a000000 2a000000' >"$tmp/truth.good"
echo 'Returns::tail_call 4 2a000000' >"$tmp/shown.good"
tampered "what is right" '' 'tail_call|1|1|0|0|0'
tampered "a wrong digit" 's/2a0/2b0/' 'tail_call|1|0|0|1|0'
tampered "a missing value" d 'tail_call|1|0|0|0|0'
tampered "one too many" p 'tail_call|1|1|0|1|0'

# ---- the tables ----

awk -v labels="${labels#|}" -f "$here/table.awk" "$tmp/rows.net" "$tmp"/values/* >"$tmp/values.md"
# What the product shows of some: the profiler itself, and its own leave hook.
release=$tmp/net/release
run "$ilpatch" run -q --where '<type name="Returns"/>' -o "$tmp/shown.run" -- dotnet exec "$release/in/Proof.dll" >"$tmp/log" 2>&1 ||
    run "$ilpatch" trace -q --values --where '<type name="Returns"/>' --format text -o "$tmp/shown.trace" -- dotnet exec "$release/in/Proof.dll" >"$tmp/log" 2>&1
awk -v methods='true_ char_ long_ float_least double_ decimal_ guid_ datetime_ nullable_int nullable_none tuple_int_int doubles_3 tuple_three text' \
    -f "$here/shown.awk" "$here/values.txt" "$tmp"/shown.{run,trace} >"$tmp/shown.md"
awk -v labels="${labels#|}" -f "$here/exits.awk" "$tmp"/exits/*.{exits,runtime-async,jumps} >"$tmp/exits.md"
for column in 1 4 6 8; do
    [ ! -s "$tmp/alone/$column" ] || echo "${label[column]% hook}: $(paste -sd ' ' "$tmp/alone/$column")"
done >"$tmp/alone.md"

# same_table NAME FILE COLUMN...: those columns are in docs/PROOF.md as they are in FILE
same_table() {
    local name=$1 file=$2 columns
    shift 2
    columns=$(printf ',%s' "$@")
    sed -n "/^<!-- $name -->/,/^\$/{/^|/p}" docs/PROOF.md | cut -d '|' -f "${columns#,}" >"$tmp/doc"
    cut -d '|' -f "${columns#,}" "$file" >"$tmp/now"
    if [ -s "$tmp/now" ] && cmp -s "$tmp/doc" "$tmp/now"; then
        ok "docs/PROOF.md: $name"
    else
        fail "docs/PROOF.md: $name" "tests/proof/run.sh --table says otherwise: $(diff "$tmp/doc" "$tmp/now" | sed -n 2,5p)"
    fi
}

# What programs get wrong by themselves, as docs/PROOF.md says it.
expected_alone=
case " ${present[*]} " in *' 8 '*) expected_alone='arm64: fixed_floats' ;; esac
check "programs alone" "$expected_alone" "$(cat "$tmp/alone.md")"

case $want in
--table)
    for table in values shown exits; do
        printf '<!-- %s -->\n' $table
        cat "$tmp/$table.md"
        echo
    done >&3
    ;;
--write)
    for table in values shown exits; do
        sed -i -e "/^<!-- $table -->/r $tmp/$table.md" -e "/^<!-- $table -->/,/^\$/{/^|/d}" docs/PROOF.md
    done
    ;;
--methods) (cd "$tmp" && grep -H '' values/* exits/* >&3) ;;
*)
    # shellcheck disable=SC2046
    same_table values "$tmp/values.md" 2 3 $(printf '%d\n' "${present[@]}" | awk '{ print $1 + 3 }')
    same_table shown "$tmp/shown.md" 2 3 4 5
    if [ -f "$tmp/Jumps.dll" ]; then
        # shellcheck disable=SC2046
        same_table exits "$tmp/exits.md" 2 $(printf '%d\n' "${with_exits[@]}" | awk '{ print $1 + 2 }')
    else
        skip "docs/PROOF.md: exits" "no ilasm"
    fi
    ;;
esac
finish
