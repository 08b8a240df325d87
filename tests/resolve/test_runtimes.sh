# shellcheck shell=bash disable=SC2154
# Which file of the right name will do, as .NET and Mono decide when they run a program. Sourced by run.sh.

needs_mono() {
    for tool in mono ilasm gacutil sn; do command -v $tool >/dev/null || skip_case "no $tool"; done
}

# A public key and its token, once for a test.
make_keys() {
    local key
    for key; do
        sn -k $key.snk >/dev/null && sn -p $key.snk $key.pub >/dev/null || die "sn failed"
    done
}
token_of() { sn -t "$1.pub" | sed -n 's/.*oken: //p' | sed 's/../& /g'; }

# Colored.dll, whose method says which one it is.
library() { # FOLDER VERSION KEY|-
    mkdir -p "$1"
    cat >library.il <<END
.assembly extern mscorlib { .publickeytoken=(B7 7A 5C 56 19 34 E0 89) .ver 4:0:0:0 }
.assembly Colored { .ver ${2//./:} }
.module Colored.dll
.class public auto ansi Color extends [mscorlib]System.Object {
  .method public static string Name() { ldstr "$1" ret }
}
END
    local key=()
    [ "$3" = - ] || key=("/key:$3.snk")
    ilasm /dll /quiet "${key[@]}" /output:"$1/Colored.dll" library.il >ilasm.log 2>&1 || die "$(cat ilasm.log)"
}

program() { # VERSION KEY|-
    mkdir -p app
    local key=
    [ "$2" = - ] || key=".publickeytoken=($(token_of "$2"))"
    cat >program.il <<END
.assembly extern mscorlib { .publickeytoken=(B7 7A 5C 56 19 34 E0 89) .ver 4:0:0:0 }
.assembly extern Colored { $key .ver ${1//./:} }
.assembly Program { }
.module Program.exe
.method public static void Main() {
  .entrypoint
  call string [Colored]Color::Name()
  call void [mscorlib]System.Console::WriteLine(string)
  ret
}
END
    ilasm /quiet /output:app/Program.exe program.il >ilasm.log 2>&1 || die "$(cat ilasm.log)"
}

# The folder that ilpatch finds the library in; "none".
found_in() {
    "$ilpatch" resolve app/Program.exe >out 2>err
    local path
    path=$(sed -n 's|^  Colored [0-9.]*  [a-z-]*  \(.*\)/Colored.dll  .*|\1|p' out)
    case $path in '') echo none ;; */gac/*) path=${path##*/} && echo "gac${path%%.*}" ;; *) basename "$path" ;; esac
}
runs_with() { # RUNTIME...
    "$@" app/Program.exe 2>/dev/null || echo none
}
run_agrees() { # WHAT RUNTIME...
    local what=$1 theirs ours
    shift
    theirs=$(runs_with "$@")
    ours=$(found_in)
    [ "$theirs" = "$ours" ] || die "$what: $1 takes '$theirs', ilpatch '$ours': $(cat out)"
}

test_identity() {
    needs_mono
    make_keys a b
    local case versions='1.0.0.0 1.0.0.1 0.9.0.0 2.0.0.0' version
    program 1.0.0.0 a
    for case in '1.0.0.0 a' '1.0.0.1 a' '0.9.0.0 a' '2.0.0.0 a' '1.0.0.0 b' '1.0.0.0 -' '0.9.0.0 b'; do
        rm -f app/Program.runtimeconfig.json
        # shellcheck disable=SC2086
        library app $case
        run_agrees "Mono, library $case" mono
        if [ -n "$dotnet" ] && [ -d "$core" ]; then
            app_config=$(one 10.0.0)
            echo '{"runtimeOptions":'"$app_config"'}' >app/Program.runtimeconfig.json
            run_agrees ".NET, library $case" "$dotnet/dotnet" exec
        fi
    done
    if [ -n "$dotnet" ] && [ -d "$core" ]; then
        library app 1.0.0.0 a
        program 1.65535.65535.65535 a # any 1
        run_agrees ".NET, a version in part" "$dotnet/dotnet" exec
        program 2.65535.65535.65535 a
        run_agrees ".NET, another version in part" "$dotnet/dotnet" exec
        program 1.0.0.0 a
        library app 0.9.0.0 a
        resolve 1 app/Program.exe
        says out "Colored.dll: version 0.9.0.0 is too low" "looked in: app"
    fi
}

test_mono_places() {
    needs_mono
    make_keys a b
    mkdir -p prefix/lib
    local version
    for version in 1 2 4; do
        library gac$version $version.0.0.0 a
        gacutil -i gac$version/Colored.dll -root "$PWD/prefix/lib" >gacutil.log 2>&1 || die "$(cat gacutil.log)"
    done
    library path1 7.0.0.0 b
    library path2 8.0.0.0 -
    program 1.0.0.0 a
    run_agrees "nothing is there" mono
    export MONO_GAC_PREFIX=$PWD/prefix
    for version in 1.0.0.0 2.0.0.0 3.0.0.0 4.0.0.0; do
        program $version a
        run_agrees "the global assembly cache, $version" mono
        MONO_PATH=$PWD/path2:$PWD/path1 run_agrees "MONO_PATH before it, $version" mono
    done
    program 1.0.0.0 b
    run_agrees "another key" mono
    program 1.0.0.0 -
    run_agrees "no key" mono
    library app 9.0.0.0 b
    program 1.0.0.0 a
    MONO_PATH=$PWD/path1 run_agrees "the program's folder first" mono
}

# An assembly of three files; a type in one of them is what a method elsewhere returns.
test_netmodules() {
    have mcs || skip_case "no mcs"
    mkdir -p lib
    echo 'public struct Inner { public int X; }' >inner.cs
    echo 'public class Middle { public string Get() { return null; } }' >middle.cs
    echo 'public class Outer { public Inner Get() { return new Inner(); } }' >outer.cs
    echo 'public class User { public Inner Get() { return new Outer().Get(); } }' >user.cs
    mcs -target:module -out:lib/inner.netmodule inner.cs >mcs.log 2>&1 || die "$(cat mcs.log)"
    mcs -target:module -out:lib/middle.netmodule middle.cs >mcs.log 2>&1 || die "$(cat mcs.log)"
    (cd lib && mcs -target:library -out:Outer.dll -addmodule:inner.netmodule,middle.netmodule ../outer.cs >../mcs.log 2>&1) || die "$(cat mcs.log)"
    mcs -target:library -out:lib/User.dll -r:lib/Outer.dll user.cs >mcs.log 2>&1 || die "$(cat mcs.log)"
    local file
    for file in lib/User.dll lib/Outer.dll; do
        "$ilpatch" list "$file" >out 2>err
        grep -q 'inspected .*Inner' out || die "$file: $(cat out err)"
    done
    resolve 0 lib/Outer.dll
    says out "module inner.netmodule  lib/inner.netmodule" "module middle.netmodule  lib/middle.netmodule"
    rm lib/inner.netmodule
    for file in lib/User.dll lib/Outer.dll; do
        "$ilpatch" list "$file" >out 2>err
        grep -q 'unresolved .*Inner' out || die "$file without its module: $(cat out err)"
    done
    resolve 1 lib/Outer.dll
    says out "module inner.netmodule  not found"
}

# A component of Windows: its metadata is in a .winmd file, if it is anywhere.
test_windows() {
    have ilasm || skip_case "no ilasm"
    cat >component.il <<END
.assembly extern mscorlib { .ver 4:0:0:0 }
.assembly extern Windows.Things { .ver 255:255:255:255 }
.assembly Program { }
.module Program.dll
.class public auto ansi P extends [mscorlib]System.Object {
  .method public static valuetype [Windows.Things]Windows.Things.Thing Get() { .locals init (valuetype [Windows.Things]Windows.Things.Thing t) ldloc.0 ret }
}
END
    cat >things.il <<END
.assembly extern mscorlib { .ver 255:255:255:255 }
.assembly Windows.Things { .ver 255:255:255:255 }
.module Windows.Things.winmd
.class public sealed sequential Windows.Things.Thing extends [mscorlib]System.ValueType { .field public int32 X }
END
    ilasm /dll /quiet /output:Program.dll component.il >ilasm.log 2>&1 || die "$(cat ilasm.log)"
    local row # Mono's ilasm has no word for AssemblyFlags.WindowsRuntime, 0x200: the flags come after the version
    row=$(LC_ALL=C grep -obUaP '\xFF\x00\xFF\x00\xFF\x00\xFF\x00' Program.dll | cut -d : -f 1)
    printf '\x02' | dd of=Program.dll bs=1 seek=$((row + 9)) conv=notrunc status=none
    ilasm /dll /quiet /output:things.dll things.il >ilasm.log 2>&1 || die "$(cat ilasm.log)"
    resolve 1 Program.dll
    says out "Windows.Things 255.255.255.255  not found"
    "$ilpatch" list Program.dll >out
    grep -q '^06000001  unresolved' out || die "$(cat out)"
    mkdir winmd
    cp things.dll winmd/Windows.Things.winmd
    resolve 0 --reference-path winmd Program.dll
    says out "reference-path  winmd/Windows.Things.winmd"
    "$ilpatch" list --reference-path winmd Program.dll >out
    grep -q '^06000001  inspected' out || die "$(cat out)"
}
