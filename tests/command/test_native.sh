# shellcheck shell=bash disable=SC2154
# Native inspectors on the command line. Sourced by run.sh.

native_rule() { # ATTRIBUTES
    echo "<rules><include library=\"libprobe.so\" symbol=\"probe\" $1/></rules>" >native.xml
}

# Nothing is placed, listed or embedded; a second run changes nothing.
test_native_rule() {
    give . Hello.exe
    echo "$deps" >Hello.deps.json
    cp Hello.deps.json before
    mkdir a b
    native_rule 'references="inspect"'
    expect 0 --rules native.xml --id-map map -o a Hello.exe
    says out "2 of 2 methods inspected"
    "$ilpatch" dump --methods a/Hello.exe >dump.txt
    says dump.txt "call       void <ilpatch>.PInvoke.libprobe.so!probe::probe(native int, uint32, int64)"
    "$ilpatch" dump --tables a/Hello.exe >dump.txt
    ! grep -q MyProfiler dump.txt || die "the stock inspector is referred to"
    says dump.txt "ImportName=probe" "Name=libprobe.so"
    [ "$(ls a)" = Hello.exe ] || die "placed: $(ls a)"
    identical Hello.deps.json before
    expect 0 --rules native.xml --id-map map -o b a/Hello.exe
    says out "2 already-inspected"
    identical a/Hello.exe b/Hello.exe
    refused 2 . --rules native.xml --id-map map --embed -o c Hello.exe
    says err "--embed copies an inspector that is an assembly, and only native functions are called"
    expect 0 --rules native.xml --id-map map Hello.exe
    expect 0 restore Hello.exe
    identical Hello.exe "$files/Hello.exe"
}

# Objects are left alone without a word from the rule; the answer is in list, summary and report.
test_native_answers() {
    needs_json
    give . Hello.exe
    native_rule ''
    expect 0 list --rules native.xml Hello.exe
    says out "managed-reference  string Hello.Program::Greeting" \
        "int32 Hello.Program::Main()  + dup; stloc; ldloca; sizeof; ldc.i8; call"
    expect 0 --rules native.xml --id-map map --report r.json -o x.exe Hello.exe
    says out "1 of 2 methods inspected; left as they are: 1 managed-reference"
    good_report r.json
    [ "$(json r.json modules 0 methods 1 id)" = 4395630594 ] || die "no id in the report"
    says map '"id": 4395630594,' '"name": "Hello.Program::Main"'
    expect 0 diff Hello.exe x.exe
    says out "conv.u" "<ilpatch>.PInvoke.libprobe.so!probe::probe"
}

test_native_option() {
    give . Hello.exe
    mkdir a b
    expect 0 --inspector 'native:libprobe.so!probe' --inspect-returns --id-map map -o a Hello.exe
    native_rule ''
    expect 0 --rules native.xml --id-map map -o b Hello.exe
    identical a/Hello.exe b/Hello.exe
    # the last mark ends the library's name
    expect 0 --inspector 'native:./odd!name.so!probe' --inspect-returns --id-map map -o x.exe Hello.exe
    "$ilpatch" dump --tables x.exe >dump.txt
    says dump.txt "Name=./odd!name.so" "TypeName=./odd!name.so!probe"
    for text in native: native:x 'native:!f' 'native:x!'; do
        refused 2 . --inspector "$text" --inspect-returns --id-map map -o y.exe Hello.exe
        says err "has to be native:LIBRARY!FUNCTION"
    done
    refused 2 . --inspector 'native:libprobe.so!probe' --inspect-returns -o y.exe Hello.exe
    says err "--inspector: ids are passed, so --id-map has to name a file for them"
    if [ "$system" = Linux ]; then # on Windows arguments are UTF-16
        refused 3 . --inspector "native:$(printf 'a\377')!f" --inspect-returns --id-map map -o y.exe Hello.exe
        says err "have names of UTF-8"
    fi
    refused 3 . --inspector "native:$(printf %0401d 0)!f" --inspect-returns --id-map map -o y.exe Hello.exe
    expect 0 list --inspector 'native:libprobe.so!probe' Hello.exe
}

# What goes with other inspectors only.
test_native_refused() {
    give . Hello.exe
    echo '<rules><include guard="yes"/></rules>' >guard.xml
    refused 3 . --rules guard.xml --inspector 'native:libprobe.so!probe' --id-map map -o y.exe Hello.exe
    says err "libprobe.so!probe is native code, which the rule in line 1 of guard.xml cannot guard"
    echo '<rules><include pass="handle"/></rules>' >handle.xml
    refused 3 . --rules handle.xml --inspector 'native:libprobe.so!probe' --id-map map -o y.exe Hello.exe
    says err "pass=\"handle\""
    refused 2 . --rules guard.xml --inspector 'native:libprobe.so' --id-map map -o y.exe Hello.exe
    # bare-core.dll is a core library of the right name that has nothing
    mkdir old
    cp "$files/bare-core.dll" old/mscorlib.dll
    native_rule 'gc-transition="no"'
    refused 3 . --rules native.xml --reference-path old --id-map map -o y.exe Hello.exe
    says err "no GC transition can be left out" "SuppressGCTransitionAttribute"
}

# Beside other inspectors, each for its own rule; and two kinds of call of one function.
test_native_mixed() {
    give . Hello.exe good-inspector.dll
    cat >mixed.xml <<'XML'
<rules>
  <include inspector="good-inspector.dll"><method name="Greeting"/></include>
  <include library="libprobe.so" symbol="probe"/>
</rules>
XML
    mkdir a
    expect 0 --rules mixed.xml --id-map map -o a Hello.exe
    [ "$(ls a | tr '\n' ' ')" = "Hello.exe Watcher.dll " ] || die "placed: $(ls a)"
    mkdir b
    expect 0 --rules mixed.xml --id-map map --embed -o b Hello.exe
    says out "inspector embedded"
    [ "$(ls b)" = Hello.exe ] || die "placed: $(ls b)"
    expect 0 --rules mixed.xml --id-map map --embed -o x.exe b/Hello.exe
    identical x.exe b/Hello.exe
    expect 0 verify b/Hello.exe
}
