#!/bin/sh
# Tests of data/inspector/MyProfiler.dll as it is committed, on CoreCLR and on Mono, whichever is here; and of its small edition.
# run.sh --rebase writes the expected files anew, from the first runtime found.
# ILPATCH_TEST_TMP: where the temporary folder is made.
set -u
here=$(cd "$(dirname "$0")" && pwd -P)
inspector=$here/../../data/inspector
. "$here/../lib.sh"
export LC_ALL=C TZ=UTC
rebase=no
[ "${1:-}" != --rebase ] || rebase=yes

work=$(mktemp -d "${ILPATCH_TEST_TMP:-${TMPDIR:-/tmp}}/inspector.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

# same NAME EXPECTED ACTUAL
same() {
    if cmp -s "$2" "$3"; then ok "$1"; return; fi
    fail "$1" "not as expected"
    diff "$2" "$3" | head -n 6 | cut -c 1-300
}

# lines NAME ACTUAL LINE...: exactly these
lines() {
    lines_name=$1 lines_file=$2
    shift 2
    printf '%s\n' "$@" >"$work/lines"
    same "$lines_name" "$work/lines" "$lines_file"
}

# whole NAME FILE: 8 threads' 5,000 lines each, in any order
whole() {
    sort "$2" >"$work/sorted"
    same "$1" "$work/all-lines" "$work/sorted"
}

# The folder in brackets at the end of the last line, as dotnet --list-... prints them.
newest_of() {
    tail -n 1 | sed 's|^.*[^ ]* \[\(.*\)\]$|\1|'
}

# ---- the file itself

made_with=$(sed -n "s/^made_with='\(.*\)'$/\1/p" "$inspector/build.sh")
compiler=$(sh "$inspector/build.sh" --compiler 2>"$work/why") || compiler=

# built NAME FILE OPTION...: of one edition
built() {
    built_name=$1 built_file=$2
    shift 2
    if [ -z "$compiler" ] || ! sh "$inspector/build.sh" "$@" "$work/built.dll" >"$work/why" 2>&1; then
        skip "$built_name-committed-bytes" "$(head -n 1 "$work/why")"
        skip "$built_name-same-bytes-elsewhere" "no build"
        return
    fi
    if cmp -s "$work/built.dll" "$inspector/$built_file"; then
        ok "$built_name-committed-bytes"
    elif [ "$compiler" != "$made_with" ]; then
        skip "$built_name-committed-bytes" "compiler $compiler, the committed file is from $made_with"
    else
        fail "$built_name-committed-bytes" "build.sh gives another file"
    fi
    mkdir -p "$work/else where"
    cp -r "$inspector"/*.cs "$inspector"/*.snk "$inspector"/build.sh "$inspector/small" "$work/else where"
    if sh "$work/else where/build.sh" "$@" again.dll && cmp -s again.dll built.dll; then
        ok "$built_name-same-bytes-elsewhere"
    else
        fail "$built_name-same-bytes-elsewhere" "the folder shows in the file"
    fi
}
built full MyProfiler.dll
built small small/MyProfiler.dll --small

size=$(wc -c <"$inspector/MyProfiler.dll")
if [ "$size" -lt 24576 ]; then ok size; else fail size "$size bytes"; fi
size=$(wc -c <"$inspector/small/MyProfiler.dll")
if [ "$size" -lt 16384 ]; then ok small-size; else fail small-size "$size bytes"; fi

if command -v sn >/dev/null; then
    if sn -q -v "$inspector/MyProfiler.dll" >"$work/why" 2>&1; then ok strong-name
    else fail strong-name "$(tail -n 1 "$work/why")"; fi
else
    skip strong-name "no sn"
fi

# ---- what each runtime does with it

i=0
while [ $i -lt 8 ]; do
    filler=$(printf "%$((i * 20))s" '' | tr ' ' "$(echo abcdefgh | cut -c $((i + 1)))")
    awk -v t=$i -v s="$filler" 'BEGIN { for (n = 0; n < 5000; n++)
        printf "T%d::L%d -> \"%s\" (System.String)\n", t, n, s }'
    i=$((i + 1))
done | sort >"$work/all-lines"

# expect NAME MODE FILE: the mode's standard error is the file's text
expect() {
    $run "$2" 2>err >out || fail "$1" "exit code $?"
    if [ $rebase = yes ] && [ ! -e "rebased-$3" ]; then
        cp err "$here/$3"
        : >"rebased-$3"
    fi
    same "$1" "$here/$3" err
}

checks() { # NAME; $run starts the program
    n=$1
    expect "$n-values" values values.txt
    ILPATCH_TOSTRING=1 expect "$n-tostring" tostring tostring.txt

    ILPATCH_COUNT=1 $run count 2>err
    lines "$n-count" err 'ilpatch: 1 values' 'ilpatch: 2 values' 'ilpatch: 4 values' \
          'ilpatch: 8 values' 'ilpatch: 16 values' 'ilpatch: 32 values' 'ilpatch: 64 values'

    ILPATCH_OUTPUT=$work/none/file $run one 2>err
    lines "$n-cannot-open" err \
        "ilpatch: cannot open $work/none/file (System.IO.DirectoryNotFoundException), values go to standard error" \
        'M -> 1 (System.Int32)' 'M -> 2 (System.Int32)'

    pid=$(ILPATCH_OUTPUT=pid-%p-%p $run pid)
    if [ -f "pid-$pid-$pid" ]; then ok "$n-process-id"
    else fail "$n-process-id" "no file for process $pid"; fi

    echo "longer than what comes now, and gone then ....................." >file
    ILPATCH_OUTPUT=file $run directory 2>err
    lines "$n-directory" file 'M -> 1 (System.Int32)' 'M -> 2 (System.Int32)'

    for try in 1 2 3; do
        ILPATCH_OUTPUT=file $run threads 2>err
        [ ! -s err ] || cat err >>file
        whole "$n-threads-file-$try" file
    done
    { $run threads 2>&1 >/dev/null; } | cat >file
    whole "$n-threads-pipe" file
    $run threads 2>file
    whole "$n-threads-redirected" file
    { echo before >&2; $run one; echo after >&2; } 2>file
    lines "$n-shared-file" file before 'M -> 1 (System.Int32)' 'M -> 2 (System.Int32)' after
    for device in /dev/null /dev/full; do
        if ILPATCH_OUTPUT=$device $run one >out 2>&1 && [ ! -s out ]; then ok "$n-$device"
        else fail "$n-$device" "$(head -n 1 out)"; fi
    done
    if $run one 2>&-; then ok "$n-no-stderr"; else fail "$n-no-stderr" "exit code $?"; fi

    ILPATCH_OUTPUT=file $run copies "$work/$n/MyProfiler.dll"
    awk 'BEGIN { for (n = 0; n < 5000; n++) {
        printf "A -> %d (System.Int32)\nB -> %d (System.Int32)\n", n, n } }' | sort >expected
    sort file >sorted
    same "$n-two-copies" expected sorted

    if ILPATCH_OUTPUT=file $run traces >out 2>&1; then ok "$n-leaves-no-traces"
    else fail "$n-leaves-no-traces" "$(head -n 1 out)"; fi
    if [ -r /proc/self/status ]; then
        { $run signals 2>&1 >out; } | cat >err
        lines "$n-no-console-setup" out same
    else
        skip "$n-no-console-setup" "no /proc"
    fi

    $run shape >out
    lines "$n-shape" out \
        'reference mscorlib, Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089' \
        'public MyProfiler.Helper' \
        'MyProfiler, Version=1.0.0.0, Culture=neutral, PublicKeyToken=6f5cf5a445817162'

    ILPATCH_OUTPUT=floats-$n $run floats >floats-own-$n
}

core() {
    runtime=$(dotnet --list-runtimes 2>/dev/null | grep '^Microsoft.NETCore.App ' | tail -n 1)
    csc=$(dotnet --list-sdks 2>/dev/null | newest_of)
    version=$(echo "$runtime" | cut -d ' ' -f 2)
    csc=$csc/$(dotnet --list-sdks | tail -n 1 | cut -d ' ' -f 1)/Roslyn/bincore/csc.dll
    folder=$(echo "$runtime" | newest_of)/$version
    if [ -z "$version" ] || [ ! -f "$csc" ]; then
        skip coreclr "no SDK with a runtime"
        return
    fi
    mkdir coreclr
    cp "$inspector/MyProfiler.dll" coreclr
    echo '{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"'"$version"'"}}}' \
        >coreclr/t.runtimeconfig.json
    references=
    for file in "$folder"/System*.dll "$folder"/mscorlib.dll; do
        references="$references -r:$file"
    done
    # shellcheck disable=SC2086
    if ! dotnet "$csc" -nologo -noconfig -nostdlib+ -unsafe+ -nowarn:0649 -define:NET -debug- \
            -out:coreclr/t.dll $references -r:coreclr/MyProfiler.dll "$here"/*.cs >why 2>&1; then
        fail coreclr-build "$(grep error why | head -n 1)"
        return
    fi
    run="dotnet coreclr/t.dll"
    checks coreclr
    expect coreclr-newer newer newer.txt
    $run stack 2>err
    lines coreclr-little-stack err '"alive" (System.String)'
    case $version in
        10.*) same coreclr-floats floats-own-coreclr floats-coreclr ;;
        *)    skip coreclr-floats "$version writes floats otherwise than .NET 10" ;;
    esac
}

onmono() {
    mkdir mono
    cp "$inspector/MyProfiler.dll" mono
    if ! mcs -nologo -unsafe -nowarn:0649 -langversion:7 -out:mono/t.exe \
            -r:mono/MyProfiler.dll "$here"/*.cs >why 2>&1; then
        fail mono-build "$(grep error why | head -n 1)"
        return
    fi
    run="mono mono/t.exe"
    checks mono
    ILPATCH_OUTPUT=domain $run domains
    cat domain domain.* >out
    lines mono-domains out 'M -> 1 (System.Int32)' 'M -> 2 (System.Int32)' 'M -> "other" (System.String)'
    skip mono-little-stack "Mono 6.8 does not tell how much stack is left"
}

# The small edition, where nothing was trimmed: the same text but for what needs more of the core library.
small() {
    mkdir small
    cp coreclr/t.dll coreclr/t.runtimeconfig.json "$inspector/small/MyProfiler.dll" small
    run="dotnet small/t.dll"
    sed 's/^Red, 0x8 (Paint)$/9 (Paint)/; s/^Green, Purple, 0xfffffffffffffff8 (Paint)$/-1 (Paint)/
        s/\[2,3\] (/[6 in 2 dimensions] (/; s/\[5,6\] (/[30 in 2 dimensions] (/; s/\[3,4\] (/[12 in 2 dimensions] (/' \
        "$here/values.txt" >expected
    cmp -s "$here/values.txt" expected && fail small-values "the same as of the full one is expected"
    $run values 2>err >out || fail small-values "exit code $?"
    same small-values expected err
    $run newer 2>err >out || fail small-newer "exit code $?"
    same small-newer "$here/newer.txt" err
    ILPATCH_TOSTRING=1 $run tostring 2>err >out || fail small-tostring "exit code $?"
    same small-tostring "$here/tostring.txt" err
    ILPATCH_COUNT=1 $run count 2>err
    lines small-count err 'ilpatch: 1 values' 'ilpatch: 2 values' 'ilpatch: 4 values' \
          'ilpatch: 8 values' 'ilpatch: 16 values' 'ilpatch: 32 values' 'ilpatch: 64 values'
    elsewhere='or another process or copy of the inspector writes to it; values go to standard error'
    ILPATCH_OUTPUT=$work/none/file $run one 2>err
    lines small-cannot-open err "ilpatch: cannot open $work/none/file, $elsewhere" 'M -> 1 (System.Int32)' 'M -> 2 (System.Int32)'
    echo "longer than what comes now, and gone then ....................." >file
    ILPATCH_OUTPUT=file $run directory 2>err
    lines small-directory file 'M -> 1 (System.Int32)' 'M -> 2 (System.Int32)'
    echo kept >file
    if command -v flock >/dev/null; then
        ILPATCH_OUTPUT=file flock file $run one 2>err
        lines small-locked err "ilpatch: cannot open file, $elsewhere" 'M -> 1 (System.Int32)' 'M -> 2 (System.Int32)'
        lines small-locked-is-kept file kept
    fi
    pid=$(ILPATCH_OUTPUT=small-%p-%p $run pid)
    if [ -f "small-$pid-$pid" ]; then ok small-process-id
    else fail small-process-id "no file for process $pid"; fi
    ILPATCH_OUTPUT=file $run threads 2>err
    [ ! -s err ] || cat err >>file
    whole small-threads-file file
    { $run threads 2>&1 >/dev/null; } | cat >file
    whole small-threads-pipe file
    for device in /dev/null /dev/full; do
        if ILPATCH_OUTPUT=$device $run one >out 2>&1 && [ ! -s out ]; then ok "small-$device"
        else fail "small-$device" "$(head -n 1 out)"; fi
    done
    if $run one 2>&-; then ok small-no-stderr; else fail small-no-stderr "exit code $?"; fi
    if [ -r /proc/self/status ]; then
        { $run signals 2>&1 >out; } | cat >err
        lines small-no-console-setup out same
    fi
    $run stack 2>err
    lines small-little-stack err '"alive" (System.String)'
    $run shape >out
    lines small-shape out \
        'reference System.Private.CoreLib, Version=4.0.0.0, Culture=neutral, PublicKeyToken=7cec85d7bea7798e' \
        'public MyProfiler.Helper' \
        'MyProfiler, Version=1.0.0.0, Culture=neutral, PublicKeyToken=6f5cf5a445817162'
}

if command -v dotnet >/dev/null; then core; else skip coreclr "no dotnet"; fi
if [ -f coreclr/t.dll ]; then small; else skip small "needs CoreCLR"; fi
if command -v mono >/dev/null && command -v mcs >/dev/null; then onmono; else skip mono "no mono with mcs"; fi
if [ -f floats-coreclr ] && [ -f floats-mono ]; then
    same floats-on-both floats-coreclr floats-mono
else
    skip floats-on-both "needs CoreCLR and Mono"
fi

finish
