#!/bin/sh
# Patches the programs here and runs them: stdout, exit code and the inspector's lines have to be as expected.
#
#   run.sh [NAME...]        only programs whose name starts with one of NAMEs
#   ILPATCH=none run.sh     builds and runs the programs as they are, without patching
#
# A program with NAME.rules.xml beside it is patched by these rules, any other with --inspect-returns.
#
# Environment: ILPATCH (the command under test, build/ilpatch), ILPATCH_TEST_TMP (parent of the scratch directory),
# NET_ILASM (the .NET ilasm, otherwise looked for among the restored NuGet packages).
# A runtime or compiler that is missing makes its programs `skip`, not fail. What failed stays on disk.

set -u
here=$(cd "$(dirname "$0")" && pwd)
ilpatch=${ILPATCH:-build/ilpatch}
[ "$ilpatch" = none ] || [ -x "$ilpatch" ] || ilpatch=$here/../../../build/ilpatch
case $ilpatch in
none | /*) ;;
*) ilpatch=$PWD/$ilpatch ;;
esac
if [ "$ilpatch" != none ] && [ ! -x "$ilpatch" ]; then
    echo "run.sh: no $ilpatch (make builds it)" >&2
    exit 1
fi

tmp=$(mktemp -d "${ILPATCH_TEST_TMP:-${TMPDIR:-/tmp}}/ilpatch-programs.XXXXXX") || exit 1
passed=0
failed=0
skipped=0
wanted=$*

# Programs that abort on purpose or by a bug leave no core files.
ulimit -c 0
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 LC_ALL=C.UTF-8
# Whoever calls may have set these: they change what the inspector writes.
unset ILPATCH_OUTPUT ILPATCH_COUNT ILPATCH_TOSTRING

ok() {
    echo "ok $1"
    passed=$((passed + 1))
}

fail() {
    echo "FAIL $1: $2 ($3)"
    failed=$((failed + 1))
}

skip() {
    echo "skip $1: $2"
    skipped=$((skipped + 1))
}

selected() {
    [ -n "$wanted" ] || return 0
    for prefix in $wanted; do
        case $1 in
        "$prefix"*) return 0 ;;
        esac
    done
    return 1
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# ---- where the tools are --------------------------------------------------------------------------------

mono=
have mono && mono=mono
csc=
refs=
coreclr=
if have dotnet; then
    # "10.0.401 [/usr/share/dotnet/sdk]"; the programs are written for 10 and later
    sdk=$(dotnet --list-sdks | sed -n 's/^\([1-9][0-9]\.[^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
    major=$(dotnet --list-runtimes | sed -n 's/^Microsoft\.NETCore\.App \([1-9][0-9]\)\..*/\1/p' | tail -n 1)
    [ -n "$major" ] && coreclr="dotnet exec"
    if [ -n "$sdk" ] && [ -f "$sdk/Roslyn/bincore/csc.dll" ]; then
        csc="$sdk/Roslyn/bincore/csc.dll"
        refs=$(ls -d "$sdk"/../../packs/Microsoft.NETCore.App.Ref/*/ref/net"$major".0 2>/dev/null | tail -n 1)
    fi
fi
[ -n "$refs" ] || csc=
net_ilasm=${NET_ILASM:-}
if [ -z "$net_ilasm" ]; then
    packages=${NUGET_PACKAGES:-${HOME:-/root}/.nuget/packages}
    net_ilasm=$(ls "$packages"/runtime.*.microsoft.netcore.ilasm/*/runtimes/*/native/ilasm 2>/dev/null | tail -n 1)
fi

# ---- one program ----------------------------------------------------------------------------------------

# run RUNTIME DIRECTORY FILE LOG: stdout, stderr, exit code and the inspector's lines go to LOG.*
run() {
    case $1 in
    mono) command=$mono ;;
    *) command=$coreclr ;;
    esac
    rm -f "$4.lines"
    (cd "$2" && ILPATCH_OUTPUT=$4.lines timeout 60 $command "./$3" >"$4.out" 2>"$4.err" </dev/null)
    echo $? >"$4.code"
    [ -f "$4.lines" ] || : >"$4.lines"
}

# What an inspected program has to show: EXPECTED against LINES, as WHICH says.
compare_lines() {
    case $3 in
    all) awk -f "$here/match.awk" "$1" "$2" ;;
    # Compilers do not agree on the names they make up.
    named) awk '{ name = $0; sub(/ -> .*/, "", name) } name !~ /</' "$2" >"$2.named" &&
        awk -f "$here/match.awk" "$1" "$2.named" ;;
    esac
}

# program NAME FILE RUNTIMES EXPECTED WHICH [RULES]: FILE lies in $tmp/NAME/in
program() {
    name=$1 file=$2 runtimes=$3 expected=$4 which=$5 rules=${6:-}
    dir=$tmp/$name
    if [ "$ilpatch" != none ]; then
        patch_program || return
    fi
    for runtime in $runtimes; do
        case $runtime in
        mono) [ -n "$mono" ] || { skip "$name/mono" "no mono"; continue; } ;;
        coreclr)
            [ -n "$coreclr" ] || { skip "$name/coreclr" "no .NET 10 runtime"; continue; }
            for place in in out embed; do
                [ ! -d "$dir/$place" ] || printf '%s\n' "{\"runtimeOptions\":{\"tfm\":\"net$major.0\",\"framework\":{\"name\":\"Microsoft.NETCore.App\",\"version\":\"$major.0.0\"}}}" \
                    >"$dir/$place/${file%.*}.runtimeconfig.json"
            done
            ;;
        esac
        run_program
    done
}

# The patched file in $dir/out, and what can be said of it without running it.
patch_program() {
    mkdir -p "$dir/out" "$dir/twice" "$dir/again"
    for step in out twice again; do
        from=in
        [ $step = again ] && from=out
        # 1: done, but not everything could be inspected, which is so for references and spans
        if [ -n "$rules" ]; then
            set -- --rules "$rules"
        else
            set -- --inspect-returns
        fi
        "$ilpatch" "$@" -o "$dir/$step/$file" "$dir/$from/$file" >"$dir/$step.log" 2>&1 </dev/null
        code=$?
        if [ $code -gt 1 ] || [ ! -f "$dir/$step/$file" ]; then
            fail "$name/file" "ilpatch exits $code for $from/$file" "$dir/$step.log"
            # Without the first there is nothing to run; the others are checks only.
            [ $step = out ] && return 1
            return 0
        fi
    done
    if [ ! -f "$dir/out/MyProfiler.dll" ]; then
        fail "$name/file" "no MyProfiler.dll beside the patched file" "$dir/out"
    elif cmp -s "$dir/in/$file" "$dir/out/$file"; then
        fail "$name/file" "the patched file is the original" "$dir"
    elif ! cmp -s "$dir/out/$file" "$dir/twice/$file"; then
        fail "$name/file" "patching the original twice gives different bytes" "$dir"
    elif ! cmp -s "$dir/out/$file" "$dir/again/$file"; then
        fail "$name/file" "patching the patched file changes it" "$dir"
    elif ! readers out; then
        fail "$name/file" "$why" "$dir"
    else
        ok "$name/file"
    fi
    embed_program "$@"
    return 0
}

# The same with the inspector in it, in $dir/embed, where no other file is needed then.
embed_program() {
    mkdir -p "$dir/embed" "$dir/embed-again"
    for step in embed embed-again; do
        from=in
        [ $step = embed-again ] && from=embed
        "$ilpatch" "$@" --embed -o "$dir/$step/$file" "$dir/$from/$file" >"$dir/$step.log" 2>&1 </dev/null
        code=$?
        if [ $code -gt 1 ] || [ ! -f "$dir/$step/$file" ]; then
            fail "$name/embed" "ilpatch exits $code for $from/$file" "$dir/$step.log"
            return
        fi
    done
    if [ -f "$dir/embed/MyProfiler.dll" ] || [ -f "$dir/embed-again/MyProfiler.dll" ]; then
        fail "$name/embed" "MyProfiler.dll was placed" "$dir/embed"
    elif ! cmp -s "$dir/embed/$file" "$dir/embed-again/$file"; then
        fail "$name/embed" "patching the patched file changes it" "$dir"
    elif ! readers embed; then
        fail "$name/embed" "$why" "$dir"
    else
        ok "$name/embed"
    fi
}

# What Mono's readers say about the patched file in folder $1 and did not say about the original.
readers() {
    why=
    if have monodis && disassemble in; then
        if ! disassemble "$1"; then
            why="monodis fails on the patched file: $1.monodis"
            return 1
        fi
        sort -u "$dir/in.monodis" >"$dir/in.said"
        sort -u "$dir/$1.monodis" | comm -13 "$dir/in.said" - >"$dir/new.said"
        [ ! -s "$dir/new.said" ] || why="monodis has new complaints: new.said"
    fi
    if have pedump && complaints in && [ -z "$why" ]; then
        if ! complaints "$1"; then
            why="pedump --verify fails on the patched file: $1.pedump"
            return 1
        fi
        # What rules ask for may be less verifiable than before: NAME.verify beside them says where.
        allowed=${rules%.rules.xml}.verify
        [ -n "$rules" ] && [ -f "$allowed" ] || allowed=/dev/null
        comm -13 "$dir/in.verify" "$dir/$1.verify" | grep -vxF -f "$allowed" >"$dir/new.verify"
        [ ! -s "$dir/new.verify" ] || why="pedump --verify has new complaints: new.verify"
    fi
    [ -z "$why" ]
}

# monodis and pedump abort on some originals already; `exit` keeps the shell from saying so.
disassemble() {
    (cd "$dir/$1" && monodis "$file" >"../$1.il" 2>"../$1.monodis"; exit $?) 2>/dev/null
}

# Which methods do not verify, and what is wrong with the tables; without offsets and tokens, which move.
complaints() {
    (cd "$dir/$1" && pedump --verify metadata,code "$file" >"../$1.pedump" 2>&1; exit $?) 2>/dev/null
    [ $? -lt 128 ] || return 1
    sed -n -e '/^In method/p' -e '/^FAIL/s/0x[0-9a-f]*//gp' "$dir/$1.pedump" | sed 's/row [0-9]*/row/g' |
        sort -u >"$dir/$1.verify"
}

# Before and after patching, on one runtime.
run_program() {
    before=$dir/$runtime.before
    run "$runtime" "$dir/in" "$file" "$before"
    if [ "$(cat "$before.code")" != 100 ]; then
        fail "$name/$runtime" "the unpatched program exits $(cat "$before.code")" "$before.err"
        return
    fi
    if [ -s "$before.lines" ]; then
        fail "$name/$runtime" "the unpatched program writes inspector lines" "$before.lines"
        return
    fi
    [ "$ilpatch" != none ] || { ok "$name/$runtime"; return; }

    same_as_before out "$dir/$runtime.after" || return
    same_as_before embed "$dir/$runtime.embedded" || return
    if [ "$runtime" = coreclr ]; then
        # The other JIT: optimised code at once, with inlining across the inserted calls.
        DOTNET_TieredCompilation=0
        export DOTNET_TieredCompilation
        same_as_before out "$dir/$runtime.optimised" && same_as_before embed "$dir/$runtime.embedded-optimised"
        code=$?
        unset DOTNET_TieredCompilation
        [ $code -eq 0 ] || return
    fi
    ok "$name/$runtime"
}

# same_as_before FOLDER LOG
same_as_before() {
    run "$runtime" "$dir/$1" "$file" "$2"
    if ! cmp -s "$before.code" "$2.code"; then
        fail "$name/$runtime" "$1: exit code $(cat "$2.code"), unpatched $(cat "$before.code")" "$2.err"
    elif ! cmp -s "$before.out" "$2.out"; then
        fail "$name/$runtime" "$1: stdout differs from the unpatched program's" "$2.out"
    elif ! why=$(compare_lines "$expected" "$2.lines" "$which"); then
        fail "$name/$runtime" "$1: inspector: $why" "$2.lines"
    else
        return 0
    fi
    return 1
}

# build NAME COMMAND...: true when COMMAND made $tmp/NAME/in
build() {
    name=$1
    shift
    if ! "$@" >"$tmp/$name/build.log" 2>&1; then
        fail "$name" "does not build" "$tmp/$name/build.log"
        return 1
    fi
}

# ---- C# -------------------------------------------------------------------------------------------------

csharp_net() {
    references=
    for assembly in System.Runtime System.Console System.Collections System.Linq System.Linq.Expressions \
        System.Memory System.Threading System.Threading.Thread System.Runtime.InteropServices Microsoft.CSharp; do
        references="$references -r:$refs/$assembly.dll"
    done
    dotnet exec "$csc" -nologo -noconfig -nostdlib -deterministic -unsafe -define:NET10 $references "$@"
}

# csharp NAME SOURCE [RULES]: SOURCE, a program of namespace Xxx in Xxx.cs, by csc for .NET, csc for Mono and mcs.
# expected.txt lies beside it.
csharp() {
    base=$1 source=$here/$2 csharp_rules=${3:-}
    program=$(basename "$source" .cs)
    expected_net=${source%/*}/expected.txt
    expected_mono=$tmp/expected-$base-mono.txt
    # What needs .NET 10 comes last in the program.
    grep -v "^[?x0-9 ]*$program\.Net10\." "$expected_net" >"$expected_mono"

    for kind in release debug; do
        selected $base-$kind || continue
        [ -n "$csc" ] || { skip $base-$kind "no .NET 10 SDK"; continue; }
        options="-optimize+ -debug-"
        [ $kind = release ] || options="-optimize- -debug:portable"
        mkdir -p "$tmp/$base-$kind/in"
        build $base-$kind csharp_net $options -out:"$tmp/$base-$kind/in/$program.dll" "$source" &&
            program $base-$kind $program.dll coreclr "$expected_net" named "$csharp_rules"
    done

    # csc's code on Mono: not the instructions that mcs chooses.
    library=$(dirname "$(command -v mono || echo /usr/bin/mono)")/../lib/mono/4.5
    if selected $base-csc-mono; then
        if [ -n "$csc" ] && [ -n "$mono" ] && [ -f "$library/mscorlib.dll" ]; then
            mkdir -p "$tmp/$base-csc-mono/in"
            build $base-csc-mono dotnet exec "$csc" -nologo -noconfig -nostdlib -deterministic -unsafe -optimize+ \
                -r:"$library/mscorlib.dll" -out:"$tmp/$base-csc-mono/in/$program.exe" "$source" &&
                program $base-csc-mono $program.exe mono "$expected_mono" named "$csharp_rules"
        else
            skip $base-csc-mono "needs the .NET 10 SDK and Mono"
        fi
    fi

    for kind in release debug; do
        selected $base-mcs-$kind || continue
        have mcs || { skip $base-mcs-$kind "no mcs"; continue; }
        options=-optimize+
        [ $kind = release ] || options="-optimize- -debug"
        mkdir -p "$tmp/$base-mcs-$kind/in"
        build $base-mcs-$kind mcs -langversion:latest -unsafe $options \
            -out:"$tmp/$base-mcs-$kind/in/$program.exe" "$source" &&
            program $base-mcs-$kind $program.exe "mono coreclr" "$expected_mono" named "$csharp_rules"
    done
}

# with_inspectors NAME Source.cs INSPECTOR...: as csharp, by rules that name inspectors: they are built beside a copy
# of the rule file.
with_inspectors() {
    base=$1 source=$1/$2
    shift 2
    for kind in release debug csc-mono mcs-release mcs-debug; do
        ! selected $base-$kind || break
    done
    selected $base-$kind || return
    stock=$here/../../../data/inspector/MyProfiler.dll
    mkdir -p "$tmp/$base"
    for inspector in "$@"; do
        if have mcs; then
            set -- mcs
        elif [ -n "$csc" ]; then
            set -- csharp_net -r:"$refs/mscorlib.dll"
        else
            skip $base "no C# compiler"
            return
        fi
        build $base "$@" -target:library -r:"$stock" -out:"$tmp/$base/$inspector.dll" \
            "$here/$base/$inspector.cs" || return
    done
    cp "$here/${source%.cs}.rules.xml" "$tmp/$base/"
    csharp $base $source "$tmp/$base/$(basename "$source" .cs).rules.xml"
}

runtime_async() {
    for kind in release debug; do
        selected runtimeasync-$kind || continue
        [ -n "$csc" ] || { skip runtimeasync-$kind "no .NET 10 SDK"; continue; }
        optimize=-optimize+
        [ $kind = release ] || optimize=-optimize-
        mkdir -p "$tmp/runtimeasync-$kind/in"
        # SYSLIB5007: the feature is a preview in .NET 10
        build runtimeasync-$kind csharp_net -features:runtime-async=on -nowarn:SYSLIB5007 $optimize \
            -out:"$tmp/runtimeasync-$kind/in/RuntimeAsync.dll" "$here/runtimeasync/RuntimeAsync.cs" || continue
        DOTNET_RuntimeAsync=1
        export DOTNET_RuntimeAsync
        program runtimeasync-$kind RuntimeAsync.dll coreclr "$here/runtimeasync/expected.txt" named
        unset DOTNET_RuntimeAsync
    done
}

# ---- IL -------------------------------------------------------------------------------------------------

# il NAME SOURCE: by both assemblers, as they differ in headers (tiny or fat), order and tables.
il() {
    runtimes="mono coreclr"
    il_rules=$here/il/$1.rules.xml
    [ -f "$il_rules" ] || il_rules=
    case $(sed -n 's,^// runs on: ,,p' "$2") in
    mono) runtimes=mono ;;
    coreclr) runtimes=coreclr ;;
    esac
    mkdir -p "$tmp/il-$1/in" "$tmp/il-$1.net/in"
    cat "$here/il/check.inc" "$2" >"$tmp/il-$1/$1.il"
    if grep -q '^// assembler: ilasm' "$2"; then
        :
    elif have ilasm && have mono; then
        build "il-$1" ilasm -quiet -exe -output:"$tmp/il-$1/in/$1.exe" "$tmp/il-$1/$1.il" &&
            program "il-$1" "$1.exe" "$runtimes" "$here/il/$1.expected" all "$il_rules"
    else
        skip "il-$1" "no Mono ilasm"
    fi
    if [ -n "$net_ilasm" ]; then
        build "il-$1.net" "$net_ilasm" -quiet -exe -output="$tmp/il-$1.net/in/$1.exe" "$tmp/il-$1/$1.il" &&
            program "il-$1.net" "$1.exe" "$runtimes" "$here/il/$1.expected" all "$il_rules"
    else
        skip "il-$1.net" "no .NET ilasm"
    fi
}

il_programs() {
    for script in "$here"/il/*.il.awk; do
        name=$(basename "$script" .il.awk)
        selected "il-$name" || continue
        awk -f "$script" >"$tmp/$name.il"
        il "$name" "$tmp/$name.il"
    done
    for source in "$here"/il/*.il; do
        name=$(basename "$source" .il)
        selected "il-$name" || continue
        il "$name" "$source"
    done
}

csharp returns returns/Returns.cs
csharp refs refs/Refs.cs "$here/refs/Refs.rules.xml"
with_inspectors select Select.cs Bare Tagged
with_inspectors stress Stress.cs Check
runtime_async
il_programs

echo "$passed passed, $failed failed, $skipped skipped"
if [ $failed -gt 0 ]; then
    exit 1
fi
rm -rf "$tmp"
