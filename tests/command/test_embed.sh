# shellcheck shell=bash disable=SC2154
# --embed: the inspector becomes part of what is patched. Sourced by run.sh.

# Whether a file calls an inspector that is in it, and refers to none.
embeds() { # FILE ASSEMBLY
    patched "$1"
    grep -q "<ilpatch:$2>.*::MyInspector(" dump.txt || die "$1 does not call an embedded $2"
    "$ilpatch" dump --tables "$1" >dump.txt || die "$1: dump failed"
    ! grep -q "Name=$2 .*HashValue" dump.txt || die "$1 still refers to $2"
}

# A core library that is found on every machine is trusted, or has what is needed.
test_embed_stock() {
    give . Hello.exe
    expect 0 --inspect-returns --embed Hello.exe
    says out "2 of 2 methods inspected" "inspector embedded"
    embeds Hello.exe MyProfiler
    gone MyProfiler.dll
    identical Hello.exe.orig "$files/Hello.exe"
    expect 0 restore Hello.exe
    identical Hello.exe "$files/Hello.exe"
    gone Hello.exe.orig
}

test_embed_own() {
    give . Hello.exe good-inspector.dll
    expect 0 --inspect-returns --embed --inspector good-inspector.dll -o x.exe Hello.exe
    embeds x.exe Watcher
    gone Watcher.dll MyProfiler.dll
}

# The same bytes each time; what is patched already is recognised, by either way of patching.
test_embed_twice() {
    needs_json
    give . Hello.exe
    mkdir a b c
    expect 0 --inspect-returns --embed --report r.json -o a Hello.exe
    [ "$(json r.json modules 0 written embedded)" = true ] || die "the report does not say that it is embedded"
    expect 0 --inspect-returns --embed -o b Hello.exe
    identical a/Hello.exe b/Hello.exe
    expect 0 --inspect-returns --embed --report r.json -o c a/Hello.exe
    says out "2 already-inspected" "inspector-method"
    identical a/Hello.exe c/Hello.exe
    good_report r.json
    [ "$(json r.json modules 0 summary already-inspected)" = 2 ] || die "its calls are not recognised"
    [ "$(json r.json modules 0 written embedded)" = false ] || die "it is embedded twice"
    [ "$(json r.json modules 0 summary inspector-method)" -gt 10 ] || die "its methods are not recognised"
    expect 0 --inspect-returns -o c a/Hello.exe
    identical a/Hello.exe c/Hello.exe
    gone a/MyProfiler.dll b/MyProfiler.dll c/MyProfiler.dll
}

# Files that list an application's assemblies stay as they are, also when what was added is taken away.
test_embed_deps() {
    give . Hello.exe
    echo "$deps" >Hello.deps.json
    cp Hello.deps.json before
    expect 0 --inspect-returns --embed Hello.exe
    identical Hello.deps.json before
    expect 0 restore Hello.exe
    identical Hello.deps.json before
}

# One folder, both ways: restore takes away only what is not needed any more.
test_embed_and_not() {
    give . Hello.exe Sample.dll
    expect 0 --inspect-returns Sample.dll
    expect 0 --inspect-returns --embed Hello.exe
    there MyProfiler.dll
    expect 0 restore Hello.exe
    there MyProfiler.dll
    expect 0 restore Sample.dll
    gone MyProfiler.dll
}

# What refers to an inspector still needs it, whatever is requested.
test_embed_after_reference() {
    give . Hello.exe
    mkdir a b
    expect 0 --inspect-returns -o a Hello.exe
    expect 0 --inspect-returns --embed -o b a/Hello.exe
    identical a/Hello.exe b/Hello.exe
    there b/MyProfiler.dll
}

test_embed_dry_run() {
    give . Hello.exe
    expect 0 --inspect-returns --embed --dry-run Hello.exe
    identical Hello.exe "$files/Hello.exe"
    gone Hello.exe.orig
}

test_embed_rules() {
    give . Hello.exe good-inspector.dll
    cat >r.xml <<'X'
<rules>
  <include><method name="Main"/></include>
  <include inspector="good-inspector.dll"><method name="Greeting"/></include>
</rules>
X
    expect 0 --rules r.xml --embed -o x.exe Hello.exe
    embeds x.exe MyProfiler
    embeds x.exe Watcher
    gone Watcher.dll MyProfiler.dll
}

test_embed_refused() {
    give . Hello.exe bad-inspector-circle.dll
    refused 3 . --inspect-returns --embed --inspector bad-inspector-circle.dll Hello.exe
    says err "Circle cannot be embedded: it uses Sample"
    give core unsupported-core.dll
    refused 3 . --inspect-returns --embed core/unsupported-core.dll
    says err "MyProfiler cannot be embedded: the core library of the module does not offer System."
}

test_embed_native() {
    give . Hello.exe good-inspector-native.dll
    expect 0 --inspect-returns --embed --inspector good-inspector-native.dll Hello.exe
    embeds Hello.exe Native
    grep -q "ImportName=getpid" dump.txt || die "nothing says what getpid is"
}

# A core library takes an inspector in, if it has what that needs, and refers to nothing.
test_embed_core() {
    give . unsupported-core.dll good-inspector-native.dll
    refused 3 . --inspect-returns unsupported-core.dll
    says err "a core library" "--embed"
    expect 0 --inspect-returns --embed --inspector good-inspector-native.dll unsupported-core.dll
    embeds unsupported-core.dll Native
    ! grep -q "AssemblyRef\|TypeRef,\|MemberRef," dump.txt || die "refers to something"
    expect 0 tail list unsupported-core.dll
    expect 0 restore unsupported-core.dll
}

# The module's core library lacks what the inspector needs.
test_embed_missing() {
    give . Hello.exe bare-core.dll
    mv bare-core.dll mscorlib.dll
    refused 3 . --inspect-returns --embed Hello.exe
    says err "MyProfiler cannot be embedded: the core library of the module does not offer System."
    needs_json
    expect 3 --inspect-returns --embed --report r.json -o x.exe Hello.exe
    [ "$(json r.json modules 0 error)" = CANNOT_EMBED ] || die "the report says something else"
    gone x.exe
}

test_embed_run_mono() {
    have mono || skip_case "no mono"
    give . Hello.exe
    expect 0 --inspect-returns --embed Hello.exe
    mono Hello.exe >after 2>values || die "$(cat values)"
    says after 'Hello, world'
    says values 'Hello.Program::Greeting -> "Hello, world"' 'Hello.Program::Main -> 0'
}

# Its only references are System.Runtime and System.Console.
test_embed_run_dotnet() {
    dotnet --list-runtimes 2>/dev/null | grep -q 'Microsoft.NETCore.App 10' || skip_case "no .NET 10"
    give . Sample.dll
    echo '{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"}}}' >Sample.runtimeconfig.json
    echo "$deps" >Sample.deps.json
    cp Sample.deps.json before
    expect 0 --inspect-returns --embed Sample.dll
    identical Sample.deps.json before
    gone MyProfiler.dll
    dotnet Sample.dll >after 2>values || die "$(cat values)"
    says values 'Sample.Values::Number -> 42' 'Sample.Values::Shade -> ' 'Sample.Program::Main -> 0'
    expect 0 restore Sample.dll
    identical Sample.deps.json before
    identical Sample.dll "$files/Sample.dll"
}
