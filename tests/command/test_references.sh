# shellcheck shell=bash disable=SC2154
# Where references are found; and patched programs run. Sourced by run.sh.

# ---- where references are found ----

test_reference_path() {
    give . Painter.dll
    give refs Colors.dll
    mkdir empty
    expect 1 --inspect-returns -o x.dll Painter.dll
    says out "1 unresolved" "name their folder with --reference-path"
    patched x.dll # the other method is inspected
    expect 1 --inspect-returns -o x.dll --reference-path empty --reference-path nowhere Painter.dll
    expect 0 --inspect-returns -o x.dll --reference-path empty --reference-path refs Painter.dll
    says out "2 of 2 methods inspected"
    cp refs/Colors.dll .
    expect 0 --inspect-returns -o x.dll Painter.dll
}

# What was not found is named, for the file that requested it.
test_reference_missing() {
    give . Painter.dll Hello.exe Sample.dll
    expect 1 --inspect-returns -n Painter.dll
    says out "not found: Colors 0.0.0.0" "'ilpatch resolve Painter.dll' says where they were looked for"
    expect 1 --inspect-returns -n Hello.exe Painter.dll Sample.dll
    [ "$(grep -c "not found: Colors" out)" = 1 ] || die "$(cat out)"
    expect 1 resolve Painter.dll Hello.exe
    says out "Colors 0.0.0.0  not found" "looked in: ."
}

# A file of the right name that is something else is passed over.
test_reference_wrong() {
    give . Painter.dll
    give refs Colors.dll
    mkdir wrong
    cp "$files/Hello.exe" wrong/Colors.dll
    echo text >wrong/Colors.exe
    expect 1 --inspect-returns -o x.dll --reference-path wrong Painter.dll
    expect 0 --inspect-returns -o x.dll --reference-path wrong --reference-path refs Painter.dll
}

test_reference_framework() {
    give . Painter.dll
    for version in 1.0.0 1.2.1 1.2.3 1.3.0 2.0.0; do
        mkdir -p dotnet/shared/My.App/$version
        echo {} >dotnet/shared/My.App/$version/My.App.deps.json
    done
    cp "$files/Colors.dll" dotnet/shared/My.App/1.2.3/ # the newest patch of the lowest minor that will do
    export DOTNET_ROOT=$PWD/dotnet
    expect 1 --inspect-returns -o x.dll Painter.dll
    echo '{"runtimeOptions":{"framework":{"name":"My.App","version":"1.2.0"}}}' >Painter.runtimeconfig.json
    expect 0 --inspect-returns -o x.dll Painter.dll
    echo '{"runtimeOptions":{"frameworks":[{"name":"My.App","version":"1.1.5"}]}}' >Painter.runtimeconfig.json
    expect 0 --inspect-returns -o x.dll Painter.dll
    echo '{"runtimeOptions":{"framework":{"name":"My.App","version":"1.3.0"}}}' >Painter.runtimeconfig.json
    expect 1 --inspect-returns -o x.dll Painter.dll
    echo '{"runtimeOptions":{"framework":{"name":"../My.App","version":"1.2.0"}}}' >Painter.runtimeconfig.json
    expect 1 --inspect-returns -o x.dll Painter.dll
    echo 'not JSON' >Painter.runtimeconfig.json
    rm x.dll
    refused 3 . --inspect-returns -o x.dll Painter.dll
    says err "Painter.runtimeconfig.json: cannot read it as JSON, as the host would: line 1, column "
    printf '\xEF\xBB\xBF{"runtimeOptions":{"framework":{"name":"My.App","version":"1.2.0"}}/* " */}}"' >Painter.runtimeconfig.json
    expect 0 --inspect-returns -o x.dll Painter.dll
}

test_reference_package() {
    give . Painter.dll
    mkdir -p cache/colors/1.0.0/lib/net10.0 home
    cp "$files/Colors.dll" cache/colors/1.0.0/lib/net10.0/
    echo '{"targets":{"T":{"Colors/1.0.0":{"runtime":{"lib/net10.0/Colors.dll":{}}}}}}' >Painter.deps.json
    export HOME=$PWD/home
    expect 1 --inspect-returns -o x.dll Painter.dll
    NUGET_PACKAGES=$PWD/cache expect 0 --inspect-returns -o x.dll Painter.dll
    mkdir -p home/.nuget
    mv cache home/.nuget/packages
    expect 0 --inspect-returns -o x.dll Painter.dll
    echo '{"targets":{"T":{"Colors/1.0.0":{"runtime":{"../../colors/1.0.0/lib/net10.0/Colors.dll":{}}}}}}' >Painter.deps.json
    expect 1 --inspect-returns -o x.dll Painter.dll
}

# The framework of the machine: System.Uri is a class, System.Guid is known by name, Rune is in the framework.
test_reference_machine() {
    needs_json
    give . Sample.dll
    expect 0 --inspect-returns -o x.dll --report r.json Sample.dll
    [ "$(json r.json modules 0 methods 5 answer)" = inspected ] || die "System.DateTime is not known"
    [ "$(json r.json modules 0 methods 7 answer)" = byref-like ] || die "System.Span is not known"
}

# ---- and it runs ----

test_run_mono() {
    have mono || skip_case "no mono"
    give . Hello.exe
    mono Hello.exe >before || die "Hello does not run as it is"
    expect 0 --inspect-returns Hello.exe
    mono Hello.exe >after 2>values || die "$(cat values)"
    identical before after
    says values 'Hello.Program::Greeting -> "Hello, world"' 'Hello.Program::Main -> 0'
    expect 0 restore Hello.exe
    mono Hello.exe >after 2>values
    identical before after
    silent values
}

test_run_dotnet() {
    dotnet --list-runtimes 2>/dev/null | grep -q 'Microsoft.NETCore.App 10' || skip_case "no .NET 10"
    give . Sample.dll
    echo '{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"}}}' >Sample.runtimeconfig.json
    echo "$deps" >Sample.deps.json
    dotnet Sample.dll >before || die "Sample does not run as it is"
    expect 0 --inspect-returns Sample.dll
    dotnet Sample.dll >after 2>values || die "$(cat values)"
    identical before after
    says values 'Sample.Values::Number -> 42' 'Sample.Values::Shade -> ' 'Sample.Program::Main -> 0'
}
