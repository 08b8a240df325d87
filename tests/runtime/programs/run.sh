#!/bin/bash
# Patches the programs here and runs them: stdout, exit code and the inspector's lines have to be as expected.
#
#   run.sh [NAME...]        only programs whose name starts with one of NAMEs
#   ILPATCH=none run.sh     builds and runs the programs as they are, without patching
#
# A program with NAME.rules.xml beside it is patched by these rules, any other with --inspect-returns.
#
# NET_ILASM is the .NET ilasm, otherwise looked for among the restored NuGet packages.
# A runtime or compiler that is missing makes its programs `skip`, not fail. What failed stays on disk.

set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/programs
wanted=$*
if [ "${ILPATCH-}" = none ]; then ilpatch=none; else need_ilpatch programs; fi
scratch programs

# ---- where the tools are --------------------------------------------------------------------------------

mono=
have mono && mono=mono
coreclr=
find_sdk || csc= # the programs are written for .NET 10 and later
[ -z "$framework" ] || coreclr="dotnet exec"
net_ilasm=${NET_ILASM:-$(find_net_tool ilasm)}

# ---- one program ----------------------------------------------------------------------------------------

# run RUNTIME DIRECTORY FILE LOG: stdout, stderr, exit code and the inspector's lines go to LOG.*
run() {
    case $1 in
    mono) command="timeout 900 $mono" ;;
    process) command=in_process ;;
    *) command="timeout 900 $coreclr" ;;
    esac
    rm -f "$4.lines"
    (cd "$2" && ILPATCH_OUTPUT=$4.lines $command "./$3" >"$4.out" 2>"$4.err" </dev/null)
    echo $? >"$4.code"
    [ -f "$4.lines" ] || : >"$4.lines"
}

# The program alone: beside it there are others, which the file path leaves as they are.
in_process() {
    program=${1##*/}
    timeout 900 "$ilpatch" run --quiet --inspector full --where "<assembly name=\"${program%.*}\"/>" ${rules:+--rules "$rules"} -- $coreclr "$1"
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

# program NAME FILE RUNTIMES EXPECTED WHICH [RULES]: FILE is in $tmp/NAME/in
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
                [ ! -d "$dir/$place" ] || runs_with_framework "$dir/$place/$file"
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
        verify=
        [ $step != twice ] || verify=--verify # which changes nothing
        "$ilpatch" "$@" $verify -o "$dir/$step/$file" "$dir/$from/$file" >"$dir/$step.log" 2>&1 </dev/null
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
    elif ! grep -q '; verified: nothing new' "$dir/twice.log"; then
        fail "$name/file" "--verify says nothing" "$dir/twice.log"
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

# The same with the inspector in it, in $dir/embed, where no other file is needed then. The stock inspector can be
# embedded anywhere; those of some programs use other assemblies, and are refused: then there is no such folder.
embed_program() {
    mkdir -p "$dir/embed" "$dir/embed-again"
    for step in embed embed-again; do
        from=in
        [ $step = embed-again ] && from=embed
        "$ilpatch" "$@" --embed --verify -o "$dir/$step/$file" "$dir/$from/$file" >"$dir/$step.log" 2>&1 </dev/null
        code=$?
        if [ $code -eq 3 ] && [ ! -e "$dir/$step/$file" ] &&
            grep ' cannot be embedded: ' "$dir/$step.log" | grep -qv ' MyProfiler cannot be embedded'; then
            rm -rf "$dir/embed" "$dir/embed-again"
            ok "$name/embed-refused"
            return
        fi
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
    if have pedump && [ "$mcs_runtimes" != coreclr ] && complaints in && [ -z "$why" ]; then
        if ! complaints "$1"; then
            why="pedump --verify fails on the patched file: $1.pedump"
            return 1
        fi
        # What rules request may be less verifiable than before: NAME.verify beside them says where.
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
    [ ! -d "$dir/embed" ] || same_as_before embed "$dir/$runtime.embedded" || return
    if [ "$runtime" = coreclr ]; then
        same_in_process "$dir/process" || return
        # The other JIT: optimised code at once, with inlining across the inserted calls.
        DOTNET_TieredCompilation=0
        export DOTNET_TieredCompilation
        same_as_before out "$dir/$runtime.optimised" && same_in_process "$dir/process-optimised" &&
            { [ ! -d "$dir/embed" ] || same_as_before embed "$dir/$runtime.embedded-optimised"; }
        code=$?
        unset DOTNET_TieredCompilation
        [ $code -eq 0 ] || return
    fi
    ok "$name/$runtime"
}

# The file as it was, with the profiler in its process.
same_in_process() {
    runtime=process
    same_as_before in "$1"
    code=$?
    runtime=coreclr
    return $code
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
        System.Memory System.Threading System.Threading.Thread System.Runtime.InteropServices Microsoft.CSharp \
        System.Runtime.Numerics; do
        references="$references -r:$refs/$assembly.dll"
    done
    run_csc -unsafe -define:NET10 $references "$@"
}

# What mcs builds runs on both, unless it calls an inspector that Mono has no types for.
mcs_runtimes="mono coreclr"

# csharp_programs NAME SOURCE [RULES]: SOURCE, a program of namespace Xxx in Xxx.cs, by csc for .NET, csc for Mono and mcs.
# expected.txt is beside it, and mcs.expected.txt where mcs makes something else.
csharp_programs() {
    base=$1 source=$here/$2 csharp_rules=${3:-}
    program=$(basename "$source" .cs)
    expected_net=${source%/*}/expected.txt
    expected_mono=$tmp/expected-$base-mono.txt
    # What needs .NET 10 comes last in the program.
    grep -v "^[?x0-9 ]*$program\.Net10\." "$expected_net" | sed '/^# only for .NET 10/,/^# end/d' >"$expected_mono"
    expected_mcs=${source%/*}/mcs.expected.txt
    [ -f "$expected_mcs" ] || expected_mcs=$expected_mono

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
    if selected $base-csc-mono && [ "$mcs_runtimes" != coreclr ]; then
        if [ -n "$csc" ] && [ -n "$mono" ] && [ -f "$library/mscorlib.dll" ]; then
            mkdir -p "$tmp/$base-csc-mono/in"
            build $base-csc-mono run_csc -unsafe -optimize+ \
                -r:"$library/mscorlib.dll" -r:"$library/System.Numerics.dll" -out:"$tmp/$base-csc-mono/in/$program.exe" "$source" &&
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
        build $base-mcs-$kind mcs -langversion:latest -unsafe $options -r:System.Numerics.dll \
            -out:"$tmp/$base-mcs-$kind/in/$program.exe" "$source" &&
            program $base-mcs-$kind $program.exe "$mcs_runtimes" "$expected_mcs" named "$csharp_rules"
    done
}

# build_inspector NAME SOURCE: SOURCE.cs, from here, as a library in $tmp/NAME.
build_inspector() {
    library=$tmp/$1/$(basename "$2").dll inspector_source=$here/$2.cs
    if have mcs; then
        set -- "$1" mcs
    elif [ -n "$csc" ]; then
        set -- "$1" csharp_net -r:"$refs/mscorlib.dll"
    else
        skip "$1" "no C# compiler"
        return 1
    fi
    build "$@" -target:library -r:"$here/../../../data/inspector/MyProfiler.dll" -out:"$library" "$inspector_source"
}

# with_inspectors NAME Source.cs INSPECTOR...: as csharp_programs, by rules that name inspectors: they are built beside a copy
# of the rule file. An INSPECTOR is in the folder NAME, or written with its own.
with_inspectors() {
    base=$1 source=$1/$2
    shift 2
    for kind in release debug csc-mono mcs-release mcs-debug; do
        ! selected $base-$kind || break
    done
    selected $base-$kind || return
    mkdir -p "$tmp/$base"
    for inspector in "$@"; do
        case $inspector in
        */*) ;;
        *) inspector=$base/$inspector ;;
        esac
        build_inspector $base $inspector || return
    done
    cp "$here/${source%.cs}.rules.xml" "$tmp/$base/"
    csharp_programs $base $source "$tmp/$base/$(basename "$source" .cs).rules.xml"
}

# How an inspector is built against each core library that it may name: the types of its methods have to be found
# to be those of the program all the same.
inspector_mscorlib() {
    mcs -target:library -r:System.Numerics.dll "$@"
}

inspector_netstandard() {
    run_csc -target:library -r:"$standard/netstandard.dll" \
        -r:"$standard/mscorlib.dll" "$@"
}

inspector_runtime() {
    csharp_net -target:library -r:"$refs/mscorlib.dll" "$@"
}

# typed NAME DIRECTORY/Source.cs INSPECTOR...: as with_inspectors, once for each of these core libraries.
typed() {
    stem=$1 typed_source=$2
    shift 2
    standard=$(ls -d "${NUGET_PACKAGES:-${HOME:-/root}/.nuget/packages}"/netstandard.library/2.*/build/netstandard2.0/ref \
        2>/dev/null | tail -n 1)
    for flavour in mscorlib netstandard runtime; do
        typed_base=$stem-$flavour
        for kind in release debug csc-mono mcs-release mcs-debug none; do
            [ $kind = none ] || ! selected $typed_base-$kind || break
        done
        [ $kind != none ] || continue
        case $flavour in
        mscorlib) have mcs || { skip $typed_base "no mcs"; continue; } ;;
        netstandard) [ -n "$csc" ] && [ -n "$standard" ] || { skip $typed_base "no NETStandard.Library package"; continue; } ;;
        runtime) [ -n "$csc" ] || { skip $typed_base "no .NET 10 SDK"; continue; } ;;
        esac
        mkdir -p "$tmp/$typed_base"
        for inspector in "$@"; do
            build $typed_base inspector_$flavour -r:"$here/../../../data/inspector/MyProfiler.dll" \
                -out:"$tmp/$typed_base/$inspector.dll" "$here/${typed_source%/*}/$inspector.cs" || continue 2
        done
        cp "$here/${typed_source%.cs}.rules.xml" "$tmp/$typed_base/"
        # Mono has System.Runtime 4.1 with fewer types.
        [ $flavour != runtime ] || mcs_runtimes=coreclr
        csharp_programs $typed_base $typed_source "$tmp/$typed_base/$(basename "$typed_source" .cs).rules.xml"
        mcs_runtimes="mono coreclr"
        for kind in release debug csc-mono mcs-release mcs-debug; do
            typed_il $typed_base-$kind "$(basename "$typed_source" .cs)"
        done
    done
}

# Methods of the classes Named and Alone box nothing in their source, and a typed method takes the value as it is.
typed_il() {
    for patched in "$tmp/$1/out/$2".dll "$tmp/$1/out/$2".exe; do
        [ "$ilpatch" != none ] && [ -f "$patched" ] || continue
        "$ilpatch" dump "$patched" >"$tmp/$1/out.dump"
        awk '/^method / { on = /[.](Named|Alone)::T/ } on && /^ *IL_....:  (box|call .*::MyInspector)/' \
            "$tmp/$1/out.dump" >"$tmp/$1/out.typed"
        boxes=$(grep -c ':  box' "$tmp/$1/out.typed")
        calls=$(grep -c 'MyInspector(' "$tmp/$1/out.typed")
        if [ "$boxes" != 0 ] || [ "$calls" -lt 82 ]; then
            fail "$1/il" "$calls calls, $boxes of them with a box" "$tmp/$1/out.dump"
        else
            ok "$1/il"
        fi
    done
}

# typed_net DIRECTORY/Source.cs INSPECTOR...: a program and inspectors of .NET 10 alone.
typed_net() {
    typed_source=$1
    program=$(basename "$1" .cs)
    shift
    base=$(echo "$program" | tr 'A-Z' 'a-z')
    for kind in release debug; do
        selected $base-$kind || continue
        [ -n "$csc" ] || { skip $base-$kind "no .NET 10 SDK"; continue; }
        dir=$tmp/$base-$kind
        options=-optimize+
        [ $kind = release ] || options=-optimize-
        mkdir -p "$dir/in"
        for inspector in "$@"; do
            build $base-$kind inspector_runtime -r:"$here/../../../data/inspector/MyProfiler.dll" \
                -out:"$dir/$inspector.dll" "$here/${typed_source%/*}/$inspector.cs" || continue 2
        done
        cp "$here/${typed_source%.cs}.rules.xml" "$dir/"
        build $base-$kind csharp_net $options -out:"$dir/in/$program.dll" "$here/$typed_source" &&
            program $base-$kind $program.dll coreclr "$here/${typed_source%.cs}.expected.txt" named "$dir/$program.rules.xml"
    done
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

# ---- Visual Basic ---------------------------------------------------------------------------------------

# Its iterators, by the rules of the example.
basic_iterators() {
    vbc=${csc%/*}/vbc.dll
    for kind in release debug; do
        selected basic-$kind || continue
        [ -n "$csc" ] && [ -f "$vbc" ] || { skip basic-$kind "no .NET 10 SDK with vbc"; continue; }
        optimize=-optimize+
        [ $kind = release ] || optimize=-optimize-
        mkdir -p "$tmp/basic-$kind/in"
        sed 's,<attribute .*/>,<namespace name="Basic"/>,' "$here/../../../data/examples/iterators.xml" >"$tmp/basic.rules.xml"
        build basic-$kind dotnet exec "$vbc" -nologo -noconfig -deterministic -optioninfer+ -sdkpath:"$refs" \
            -vbruntime:"$refs/Microsoft.VisualBasic.Core.dll" -define:_MYTYPE='"Empty"' $optimize \
            -r:"$refs/System.Runtime.dll" -r:"$refs/System.Console.dll" -r:"$refs/System.Collections.dll" \
            -r:"$refs/Microsoft.VisualBasic.Core.dll" -out:"$tmp/basic-$kind/in/Basic.dll" "$here/iterators/Basic.vb" &&
            program basic-$kind Basic.dll coreclr "$here/iterators/Basic.expected" named "$tmp/basic.rules.xml"
    done
}

# ---- F# -------------------------------------------------------------------------------------------------

# Explicit tail calls as a compiler makes them, inspected by default.
fsharp_tails() {
    references=
    for assembly in "$refs"/*.dll; do # FSharp.Core needs many of them
        references="$references -r:$assembly"
    done
    for kind in release debug; do
        selected tails-$kind || continue
        fsc=${sdk:-/}/FSharp
        [ -n "$csc" ] && [ -f "$fsc/fsc.dll" ] || { skip tails-$kind "no .NET 10 SDK with F#"; continue; }
        optimize=--optimize+
        [ $kind = release ] || optimize=--optimize-
        mkdir -p "$tmp/tails-$kind/in" "$tmp/tails-$kind/out" "$tmp/tails-$kind/embed" "$tmp/tails-$kind/embed-again"
        for place in in out embed embed-again; do
            cp "$fsc/FSharp.Core.dll" "$tmp/tails-$kind/$place/"
        done
        build tails-$kind dotnet exec "$fsc/fsc.dll" --nologo --noframework --deterministic+ --target:exe --tailcalls+ \
            $optimize -r:"$fsc/FSharp.Core.dll" $references --out:"$tmp/tails-$kind/in/Tails.dll" "$here/tails/Tails.fs" &&
            program tails-$kind Tails.dll coreclr "$here/tails/expected.txt" all
    done
}

# guarded_csharp NAME Source.cs: the programs that csharp_programs built as NAME-KIND once more, with guard="yes" in every rule and
# an inspector that throws in those that name none: their lines have to be the same.
guarded_csharp() {
    stem=$1 program=${2%.cs} guard_rules=$tmp/guarded-$1/${2%.cs}.rules.xml
    expected_net=$here/$1/expected.txt
    expected_mono=$tmp/expected-$1-mono.txt
    expected_mcs=$here/$1/mcs.expected.txt
    [ -f "$expected_mcs" ] || expected_mcs=$expected_mono
    for kind in release debug csc-mono mcs-release mcs-debug; do
        selected guarded-$stem-$kind && [ -d "$tmp/$stem-$kind/in" ] || continue
        if [ ! -f "$guard_rules" ]; then
            mkdir -p "$tmp/guarded-$stem"
            cp "$tmp/$stem"/*.dll "$tmp/guarded-$stem/"
            sed -e 's/<include /&guard="yes" /' -e '/inspector=/!s/<include /&inspector="Shows.dll" /' \
                "$here/$stem/$program.rules.xml" >"$guard_rules"
            build_inspector guarded-$stem guard/Shows || return
        fi
        dir=$tmp/guarded-$stem-$kind
        mkdir -p "$dir/out"
        cp -r "$tmp/$stem-$kind/in" "$dir/in"
        cp "$here/../../../data/inspector/MyProfiler.dll" "$dir/out/" # which the inspectors use, and no rule
        case $kind in
        release | debug) program guarded-$stem-$kind $program.dll coreclr "$expected_net" named "$guard_rules" ;;
        csc-mono) program guarded-$stem-$kind $program.exe mono "$expected_mono" named "$guard_rules" ;;
        *) program guarded-$stem-$kind $program.exe "$mcs_runtimes" "$expected_mcs" named "$guard_rules" ;;
        esac
    done
}

# What `list` says of async methods and their MoveNext, before and after patching.
async_answers() {
    selected async-answers && [ "$ilpatch" != none ] || return 0
    for kind in release debug mcs-release; do
        dir=$tmp/async-$kind log=$tmp/async-answers-$kind
        file=Async.dll
        [ $kind != mcs-release ] || file=Async.exe
        [ -f "$dir/out/$file" ] || { skip async-answers-$kind "needs async-$kind"; continue; }
        "$ilpatch" list --rules "$tmp/async/Async.rules.xml" "$dir/in/$file" >"$log.in" 2>&1
        "$ilpatch" list --rules "$tmp/async/Async.rules.xml" "$dir/out/$file" >"$log.out" 2>&1
        why=
        while read -r which answer method; do
            grep -Eq "^[0-9A-F]{8}  $answer +[^-+]*Async\.$method" "$log.$which" ||
                why="$which: $method is not $answer"
        done <<'ANSWERS'
in async-result Plain::Number\(\)
in sets-result Plain/<Number>.*::MoveNext\(\)  \+ dup; box; ldstr; call$
in sets-result Plain/<Text>.*::MoveNext\(\)  \+ dup; ldstr; call$
in sets-result Changed/<Number>.*::MoveNext\(\)  \+ ldstr; call$
in void Plain::Nothing\(\)
in void Plain/<Nothing>.*::MoveNext\(\)
in void Plain::Fire\(
in void Plain/<Fire>.*::MoveNext\(\)
in void Likes::Signal\(\)
in async-result Likes::Promise\(\)
in inspected Plain::Passes\(\)
in inspected Whole::Shown\(\)
in task Whole::Skipped\(\)
in excluded Whole::Excluded\(\)
in void Whole/<Excluded>.*::MoveNext\(\)
in void Unselected/<Number>.*::MoveNext\(\)
out async-result Plain::Number\(\)
out already-inspected Plain/<Number>.*::MoveNext\(\)
out already-inspected Changed/<Number>.*::MoveNext\(\)
ANSWERS
        if [ -n "$why" ]; then
            fail async-answers-$kind "$why" "$log.in"
        else
            ok async-answers-$kind
        fi
    done
}

# The same of iterators; mcs does not mark them.
iterator_answers() {
    selected iterator-answers && [ "$ilpatch" != none ] || return 0
    for kind in release debug mcs-release; do
        dir=$tmp/iterators-$kind log=$tmp/iterator-answers-$kind
        file=Iterators.dll
        [ $kind != mcs-release ] || file=Iterators.exe
        [ -f "$dir/out/$file" ] || { skip iterator-answers-$kind "needs iterators-$kind"; continue; }
        "$ilpatch" list --rules "$tmp/iterators/Iterators.rules.xml" "$dir/in/$file" >"$log.in" 2>&1
        "$ilpatch" list --rules "$tmp/iterators/Iterators.rules.xml" "$dir/out/$file" >"$log.out" 2>&1
        why=
        while read -r compiler which answer method; do
            [ "$compiler" = both ] || case $kind in
            mcs-*) [ "$compiler" = mcs ] || continue ;;
            *) [ "$compiler" = csc ] || continue ;;
            esac
            grep -Eq "^[0-9A-F]{8}  $answer +[^-+]*Iterators\.$method" "$log.$which" || why="$which: $method is not $answer"
        done <<'ANSWERS'
csc in iterator Plain::Numbers\(\)
csc in iterator Plain::UntypedEnumerator\(\)
csc in yields Plain/<Numbers>.*::MoveNext\(\)  \+ ldfld; box; ldstr; call
csc in yields Plain/<Texts>.*::MoveNext\(\)  \+ ldfld; ldstr; call
csc in iterator-part Plain/<Texts>.*get_Current\(\)
csc in iterator-part Plain/<Texts>.*GetEnumerator\(\)
csc in yields Whole/<Alone>.*::MoveNext\(\)  \+ ldfld; box; call
csc in inspected Whole::Shown\(\)
csc in inspected Whole/<Shown>.*::MoveNext\(\)
csc in inspected Unselected/<Numbers>.*::MoveNext\(\)
csc out iterator Plain::Numbers\(\)
csc out already-inspected Plain/<Numbers>.*::MoveNext\(\)
csc out already-inspected Changed/<Numbers>.*::MoveNext\(\)
mcs in inspected Plain::Numbers\(\)
mcs in inspected Plain/<Numbers>.*::MoveNext\(\)
mcs in inspected Plain/<Numbers>.*get_Current\(\)
both in inspected Plain::Passes\(\)
both in excluded Whole::Excluded\(\)
ANSWERS
        if [ -n "$why" ]; then
            fail iterator-answers-$kind "$why" "$log.in"
        else
            ok iterator-answers-$kind
        fi
    done
}

# ---- ilpatch tail ---------------------------------------------------------------------------------------

# tail_program NAME RUNTIMES: TailAdd.exe in $tmp/NAME/in overflows the stack, with tail calls added it does not, and
# without them it does what it did.
tail_program() {
    name=$1 runtimes=$2 file=TailAdd.exe
    dir=$tmp/$name
    mkdir -p "$dir/add" "$dir/strip"
    if ! "$ilpatch" tail add -q -o "$dir/add/$file" "$dir/in/$file" >"$dir/tail.log" 2>&1 ||
        ! "$ilpatch" tail strip -q -o "$dir/strip/$file" "$dir/add/$file" >>"$dir/tail.log" 2>&1; then
        fail "$name" "ilpatch tail fails" "$dir/tail.log"
        return
    fi
    for runtime in $runtimes; do
        case $runtime in
        mono) [ -n "$mono" ] || { skip "$name/mono" "no mono"; continue; } ;;
        coreclr)
            [ -n "$coreclr" ] || { skip "$name/coreclr" "no .NET 10 runtime"; continue; }
            for place in in add strip; do
                runs_with_framework "$dir/$place/TailAdd.exe"
            done
            ;;
        esac
        tail_runs && ok "$name/$runtime"
    done
}

tail_runs() {
    for place in in strip add; do
        run "$runtime" "$dir/$place" "$file" "$dir/$runtime.$place.deep" 2>/dev/null # the shell reports aborts
        code=$(cat "$dir/$runtime.$place.deep.code")
        if [ $place = add ] && [ "$code" != 100 ]; then
            fail "$name/$runtime" "with tail calls it exits $code" "$dir/$runtime.$place.deep.err"
            return 1
        elif [ $place != add ] && [ "$code" = 100 ]; then
            fail "$name/$runtime" "without tail calls the stack does not overflow" "$dir/$place"
            return 1
        fi
        DEPTH=1000
        export DEPTH
        run "$runtime" "$dir/$place" "$file" "$dir/$runtime.$place"
        unset DEPTH
        if [ "$(cat "$dir/$runtime.$place.code")" != 100 ] ||
            ! cmp -s "$dir/$runtime.in.out" "$dir/$runtime.$place.out"; then
            fail "$name/$runtime" "$place differs from the original" "$dir/$runtime.$place.out"
            return 1
        fi
    done
}

tail_programs() {
    [ "$ilpatch" != none ] || return 0
    if selected tailadd-release; then
        if [ -n "$csc" ]; then
            mkdir -p "$tmp/tailadd-release/in"
            build tailadd-release csharp_net -optimize+ -out:"$tmp/tailadd-release/in/TailAdd.exe" \
                "$here/tailadd/TailAdd.cs" && tail_program tailadd-release coreclr
        else
            skip tailadd-release "no .NET 10 SDK"
        fi
    fi
    if selected tailadd-mcs; then
        if have mcs; then
            mkdir -p "$tmp/tailadd-mcs/in"
            build tailadd-mcs mcs -optimize+ -out:"$tmp/tailadd-mcs/in/TailAdd.exe" "$here/tailadd/TailAdd.cs" &&
                tail_program tailadd-mcs "mono coreclr"
        else
            skip tailadd-mcs "no mcs"
        fi
    fi
}

# ---- IL -------------------------------------------------------------------------------------------------

# il NAME SOURCE [TEST RULES EXPECTED]: by both assemblers, as they differ in headers (tiny or fat), order and tables.
il() {
    runtimes="mono coreclr"
    test=${3:-il-$1} il_rules=${4:-$here/il/$1.rules.xml} il_expected=${5:-$here/il/$1.expected}
    [ -f "$il_rules" ] || il_rules=
    case $(sed -n 's,^// runs on: ,,p' "$2") in
    mono) runtimes=mono ;;
    coreclr) runtimes=coreclr ;;
    esac
    mkdir -p "$tmp/$test/in" "$tmp/$test.net/in"
    cat "$here/il/check.inc" "$2" >"$tmp/$test/$1.il"
    if grep -q '^// assembler: ilasm' "$2"; then
        :
    elif have ilasm && have mono; then
        build "$test" ilasm -quiet -exe -output:"$tmp/$test/in/$1.exe" "$tmp/$test/$1.il" &&
            program "$test" "$1.exe" "$runtimes" "$il_expected" all "$il_rules"
    else
        skip "$test" "no Mono ilasm"
    fi
    if [ -n "$net_ilasm" ]; then
        build "$test.net" "$net_ilasm" -quiet -exe -output="$tmp/$test.net/in/$1.exe" "$tmp/$test/$1.il" &&
            program "$test.net" "$1.exe" "$runtimes" "$il_expected" all "$il_rules"
    else
        skip "$test.net" "no .NET ilasm"
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

# Other programs, and one for locals, with an inspector that throws what is no exception.
guarded() {
    assembler=$net_ilasm
    ! { have ilasm && have mono; } || assembler=ilasm
    guarded_rules=$tmp/guarded/Guarded.rules.xml
    mkdir -p "$tmp/guarded"
    cp "$here/guard/Guarded.rules.xml" "$tmp/guarded/"
    for source in "$here"/il/*.il "$here"/il/*.il.awk "$here"/guard/*.il.awk; do
        name=$(basename "${source%.awk}" .il)
        guarded_expected=${source%.il*}.expected
        selected "guarded-$name" || continue
        [ ! -f "$here/il/$name.rules.xml" ] || continue
        [ -n "$assembler" ] || { skip "guarded-$name" "no ilasm"; continue; }
        [ -f "$tmp/guarded/Thrower.dll" ] ||
            build guarded $assembler -quiet -dll -output="$tmp/guarded/Thrower.dll" "$here/guard/Thrower.il" || return
        case $source in
        *.awk) awk -f "$source" >"$tmp/guarded.il" && source=$tmp/guarded.il ;;
        esac
        name=$(basename "$guarded_expected" .expected) # build() has its own
        il "$name" "$source" "guarded-$name" "$guarded_rules" "$guarded_expected"
    done
}

csharp_programs returns returns/Returns.cs
csharp_programs refs refs/Refs.cs "$here/refs/Refs.rules.xml"
with_inspectors select Select.cs Bare Tagged
with_inspectors stress Stress.cs Check
typed typed typed/Typed.cs Takes Few Only Change
typed_net typed/Typed10.cs Takes10 Boxes10 Change10
with_inspectors guard Guard.cs Throws ThrowsAny Changes Broken
with_inspectors async Async.cs Change
guarded_csharp async Async.cs
async_answers
with_inspectors iterators Iterators.cs async/Change
guarded_csharp iterators Iterators.cs
iterator_answers
basic_iterators
runtime_async
fsharp_tails
tail_programs
il_programs
guarded

finish
