#!/bin/bash
# Tests of data/inspector/MyProfiler.dll as it is committed, on CoreCLR and on Mono, whichever is here; and of its small edition.
# run.sh --rebase writes the expected files again, from the first runtime found.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
here=$PWD/tests/inspector
inspector=$PWD/data/inspector
export LC_ALL=C TZ=UTC
rebase=no
[ "${1:-}" != --rebase ] || rebase=yes

program=("$here"/{Program,Values,Newer}.cs)
need_ilpatch inspector

scratch inspector
cd "$tmp" || exit 1

# lines NAME ACTUAL LINE...: exactly these
lines() {
    lines_name=$1 lines_file=$2
    shift 2
    printf '%s\n' "$@" >"$tmp/lines"
    same "$lines_name" "$tmp/lines" "$lines_file"
}

# whole NAME FILE: 8 threads' 5,000 lines each, in any order
whole() {
    sort "$2" >"$tmp/sorted"
    same "$1" "$tmp/all-lines" "$tmp/sorted"
}

# ---- the file itself

made_with=$(sed -n "s/^made_with='\(.*\)'$/\1/p" "$inspector/build.sh")
compiler=$(sh "$inspector/build.sh" --compiler 2>"$tmp/why") || compiler=

# built NAME FILE OPTION...: of one edition
built() {
    built_name=$1 built_file=$2
    shift 2
    if [ -z "$compiler" ] || ! sh "$inspector/build.sh" "$@" "$tmp/built.dll" >"$tmp/why" 2>&1; then
        skip "$built_name-committed-bytes" "$(head -n 1 "$tmp/why")"
        skip "$built_name-same-bytes-elsewhere" "no build"
        return
    fi
    if cmp -s "$tmp/built.dll" "$inspector/$built_file"; then
        ok "$built_name-committed-bytes"
    elif [ "$compiler" != "$made_with" ]; then
        skip "$built_name-committed-bytes" "compiler $compiler, the committed file is from $made_with"
    else
        fail "$built_name-committed-bytes" "build.sh gives another file"
    fi
    mkdir -p "$tmp/else where"
    cp -r "$inspector"/*.cs "$inspector"/*.snk "$inspector"/build.sh "$inspector/small" "$tmp/else where"
    if sh "$tmp/else where/build.sh" "$@" again.dll && cmp -s again.dll built.dll; then
        ok "$built_name-same-bytes-elsewhere"
    else
        fail "$built_name-same-bytes-elsewhere" "the folder shows in the file"
    fi
}
built full MyProfiler.dll
built small small/MyProfiler.dll --small

size=$(wc -c <"$inspector/MyProfiler.dll")
# Objects and collections are two thirds of it.
if [ "$size" -lt 90112 ]; then ok size; else fail size "$size bytes"; fi
size=$(wc -c <"$inspector/small/MyProfiler.dll")
if [ "$size" -lt 23553 ]; then ok small-size; else fail small-size "$size bytes"; fi

if have sn; then
    if sn -q -v "$inspector/MyProfiler.dll" >"$tmp/why" 2>&1; then ok strong-name
    else fail strong-name "$(tail -n 1 "$tmp/why")"; fi
else
    skip strong-name "no sn"
fi

# The types that are shown otherwise than by their fields, in C and in C#.
if "$inspector/known.py" --check >why 2>&1; then ok known-types; else fail known-types "$(tail -n 1 why)"; fi

# The names whose values are hidden, in C and in C#.
sed -n 's/^SECRET("\(.*\)")$/\1/p' "$inspector/../../src/values/secrets.def" >names.def
sed -n '/const string Common =/,/;$/s/^ *"\([^"]*\)".*/\1/p' "$inspector/Redaction.cs" | tr -d '\n' | tr , '\n' >names.cs
echo >>names.cs
if [ -s names.def ]; then same secret-names names.def names.cs; else fail secret-names "none found"; fi

# ---- what each runtime does with it

i=0
while [ $i -lt 8 ]; do
    filler=$(printf "%$((i * 20))s" '' | tr ' ' "$(echo abcdefgh | cut -c $((i + 1)))")
    awk -v t=$i -v s="$filler" 'BEGIN { for (n = 0; n < 5000; n++)
        printf "T%d::L%d -> \"%s\" (System.String)\n", t, n, s }'
    i=$((i + 1))
done | sort >"$tmp/all-lines"

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

    ILPATCH_OUTPUT=$tmp/none/file $run one 2>err
    lines "$n-cannot-open" err \
        "ilpatch: cannot open $tmp/none/file (System.IO.DirectoryNotFoundException), values go to standard error" \
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

    ILPATCH_OUTPUT=file $run copies "$tmp/$n/MyProfiler.dll"
    awk 'BEGIN { for (n = 0; n < 5000; n++) {
        printf "A -> %d (System.Int32)\nB -> %d (System.Int32)\n", n, n } }' | sort >expected
    sort file >sorted
    same "$n-two-copies" expected sorted

    if ILPATCH_OUTPUT=file $run traces >out 2>&1; then ok "$n-leaves-no-traces"
    else fail "$n-leaves-no-traces" "$(head -n 1 out)"; fi
    ILPATCH_OUTPUT=file $run changing
    check "$n-changing-collections" "20000 0" "$(wc -l <file) $(grep -c threw file)"
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

# cases NAME PROGRAM COMMAND...: what each case of Cases.cs shows in a patched program. What only .NET has, and how the runtimes
# name their own types, is left out on others.
cases() {
    local name=$1 file=$2 expected=$here/cases.txt
    [ "$name" != fsharp ] || expected=$here/fsharp.txt
    shift 2
    if ! "$ilpatch" --inspect-returns --where '<type like="Cases.*"/>' "$file" >why 2>&1; then
        fail "$name-cases" "$(head -n 1 why)"
        return
    fi
    ILPATCH_REDACT=zip,type:Samples.Card "$@" "$file" 2>err >out || fail "$name-cases" "exit code $?"
    if [ $rebase = yes ] && [ "$name" != mono ]; then
        cp err "$expected"
    fi
    [ "$name" = mono ] || expected "$expected" >expected-cases
    if [ "$name" = mono ]; then
        for lines in err "$expected"; do
            grep -v '^Cases\.\(LongTuples\|Records\|Newer\|ValueTasks\|Memories\|Immutables\|Latest\|Elements\|Documents\|Nodes\|Sequences\)::' "$lines" |
                sed '/::\(Anonymous\|Encoding\|Lookup[A-Za-z]*\) \|^Cases.Tasks::/s/ ([^()]*)$//' >"${lines##*/}.plain"
        done
        same "$name-cases" cases.txt.plain err.plain
    else
        same "$name-cases" expected-cases err
    fi
}

# limits NAME VARIABLE=VALUE...: the same cases with other limits; the lines that are not in cases.txt.
limits() {
    local expected=$here/limits-$1.txt
    shift
    env ILPATCH_REDACT=zip,type:Samples.Card "$@" dotnet cases/Cases.dll 2>err >out || fail "$expected" "exit code $?"
    expected "$here/cases.txt" | grep -vxF -f - err >differs
    [ $rebase = no ] || cp differs "$expected"
    expected "$expected" >expected-differs
    same "${expected##*/}" expected-differs differs
}

# older NAME PROGRAM SECOND COMMAND...: a program that another version of ilpatch has patched, with its inspector beside it, runs;
# and also after this one has put its own there, with the next file that it patches. So does what this one has patched with the other
# inspector.
older() {
    local name=$1 file=$2 second=$3 folder list='(System.Collections.Generic.List`1[System.Int32])'
    shift 3
    folder=$(dirname "$file")
    cp "$here/../fixtures-0.1/stock/MyProfiler.dll" "$folder"
    lines "$name-older" <("$@" "$file" 2>&1 | head -n 1) "Cases.Lists::Empty -> object $list"
    cp "$second" "$folder/second.dll"
    "$ilpatch" --inspect-returns "$folder/second.dll" >why 2>&1 || fail "$name-older" "$(head -n 1 why)"
    same "$name-older-replaced" "$inspector/MyProfiler.dll" "$folder/MyProfiler.dll"
    lines "$name-newer" <("$@" "$file" 2>&1 | head -n 1) "Cases.Lists::Empty -> [0] $list"
}

core() {
    if ! find_sdk; then
        skip coreclr "no SDK with a runtime"
        return
    fi
    mkdir coreclr
    cp "$inspector/MyProfiler.dll" coreclr
    runs_with_framework coreclr/t.dll
    references=("$framework"/System*.dll "$framework"/mscorlib.dll coreclr/MyProfiler.dll)
    if ! csharp -unsafe+ -nowarn:0649 -define:NET -debug- -out:coreclr/t.dll "${references[@]/#/-r:}" "${program[@]}"; then
        fail coreclr-build "$(grep error build.log | head -n 1)"
        return
    fi
    run="dotnet coreclr/t.dll"
    checks coreclr
    expect coreclr-newer newer newer.txt
    mkdir cases
    runs_with_framework cases/Cases.dll
    if csharp -unsafe+ -optimize+ -nowarn:0649,0414 -define:NET -debug- -out:cases/Cases.dll "${references[@]/#/-r:}" "$here"/*Cases.cs; then
        cases coreclr cases/Cases.dll dotnet
        limits more ILPATCH_DEPTH=5 ILPATCH_ELEMENTS=10 ILPATCH_TEXT=12 ILPATCH_WIDTH=900
        limits less ILPATCH_DEPTH=1 ILPATCH_ELEMENTS=1 ILPATCH_TEXT=1 ILPATCH_WIDTH=40
        $run unload "$tmp/cases/Cases.dll" >out 2>err
        lines coreclr-unload out unloaded
        lines coreclr-unloaded-values err 'M -> {Name=null, Age=0, Friend=null} (Samples.Person)' \
            'M -> [1: Person {Name=null, Age=0, Friend=null}] (Samples.Person[])' 'M -> [0] (System.Collections.Generic.List`1[Samples.Person])'
        older coreclr cases/Cases.dll coreclr/t.dll dotnet
    else
        fail coreclr-cases "$(grep error build.log | head -n 1)"
    fi
    mkdir fsharp
    runs_with_framework fsharp/FSharpCases.dll
    if fsharp fsharp/FSharpCases.dll "$here/FSharpCases.fs"; then
        cases fsharp fsharp/FSharpCases.dll dotnet
    else
        fail fsharp-cases "$(grep error build.log | head -n 1)"
    fi
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
            -r:mono/MyProfiler.dll "${program[@]}" >why 2>&1; then
        fail mono-build "$(grep error why | head -n 1)"
        return
    fi
    run="mono mono/t.exe"
    checks mono
    if mcs -nologo -unsafe -nowarn:0649,0414 -langversion:7 -r:System.Numerics.dll -out:mono/Cases.exe "$here/Cases.cs" "$here/FrameworkCases.cs" >why 2>&1; then
        cases mono mono/Cases.exe mono
        older mono mono/Cases.exe mono/t.exe mono
    else
        fail mono-cases "$(grep error why | head -n 1)"
    fi
    ILPATCH_OUTPUT=domain $run domains
    cat domain domain.* >out
    lines mono-domains out 'M -> 1 (System.Int32)' 'M -> 2 (System.Int32)' 'M -> {...} (Remote)' 'M -> "other" (System.String)'
    skip mono-little-stack "Mono 6.8 does not report how much stack is left"
}

# The small edition, where nothing was trimmed: the same text but for what needs more of the core library.
small() {
    mkdir small
    cp coreclr/t.dll coreclr/t.runtimeconfig.json "$inspector/small/MyProfiler.dll" small
    run="dotnet small/t.dll"
    for mode in values newer; do
        $run $mode 2>err >out || fail small-$mode "exit code $?"
        if [ $rebase = yes ]; then diff "$here/$mode.txt" err >"$here/small-$mode.diff"; fi
        diff "$here/$mode.txt" err >differences
        same small-$mode "$here/small-$mode.diff" differences
    done
    ILPATCH_TOSTRING=1 $run tostring 2>err >out || fail small-tostring "exit code $?"
    sed 's/\[0\] (System.Collections.Generic.List/object (System.Collections.Generic.List/' "$here/tostring.txt" >expected
    same small-tostring expected err
    ILPATCH_COUNT=1 $run count 2>err
    lines small-count err 'ilpatch: 1 values' 'ilpatch: 2 values' 'ilpatch: 4 values' \
          'ilpatch: 8 values' 'ilpatch: 16 values' 'ilpatch: 32 values' 'ilpatch: 64 values'
    elsewhere='or another process or copy of the inspector writes to it; values go to standard error'
    ILPATCH_OUTPUT=$tmp/none/file $run one 2>err
    lines small-cannot-open err "ilpatch: cannot open $tmp/none/file, $elsewhere" 'M -> 1 (System.Int32)' 'M -> 2 (System.Int32)'
    echo "longer than what comes now, and gone then ....................." >file
    ILPATCH_OUTPUT=file $run directory 2>err
    lines small-directory file 'M -> 1 (System.Int32)' 'M -> 2 (System.Int32)'
    echo kept >file
    if have flock; then
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

if have dotnet; then core; else skip coreclr "no dotnet"; fi
if [ -f coreclr/t.dll ]; then small; else skip small "needs CoreCLR"; fi
if have mono && have mcs; then onmono; else skip mono "no mono with mcs"; fi
if [ -f floats-coreclr ] && [ -f floats-mono ]; then
    same floats-on-both floats-coreclr floats-mono
else
    skip floats-on-both "needs CoreCLR and Mono"
fi

finish
