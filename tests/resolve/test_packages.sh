# shellcheck shell=bash disable=SC2154
# .deps.json: packages, assets for one kind of machine, and who wins where a framework has the same. Sourced by run.sh.

# What the host would hand to the runtime for an assembly, and what ilpatch finds; both as a path below this folder.
host_file() { # ASSEMBLY
    "$host" "$fxr" "$PWD/root" "$PWD/app/App.dll" 2>/dev/null | grep "/$1\.dll\$" | sed "s|^$PWD/||; s|^$dotnet/|root/|"
}
ilpatch_file() { # ASSEMBLY
    DOTNET_ROOT=$PWD/root "$ilpatch" resolve "$PWD/app/App.dll" >out 2>err
    sed -n "s|^  $1 [0-9.]*  [a-z-]*  $PWD/\([^ ]*\).*|\1|p" out
}
same_file() { # WHAT ASSEMBLY
    local theirs ours
    theirs=$(host_file "$2")
    ours=$(ilpatch_file "$2")
    [ -n "$theirs" ] || die "$1: the host finds no $2"
    [ "$theirs" = "$ours" ] || die "$1: the host takes '$theirs', ilpatch '$ours': $(cat out)"
}

# A program that refers to Colors, with a package of that name.
package_app() { # ASSETS OF THE PACKAGE
    app "$(one 10.0.0)"
    cp "$files/Painter.dll" app/App.dll
    echo '{"runtimeTarget":{"name":".NETCoreApp,Version=v10.0"},"targets":{".NETCoreApp,Version=v10.0":{"App/1.0.0":{"runtime":{"App.dll":{}}},"Colors/1.2.3":'"$1"'}},
        "libraries":{"App/1.0.0":{"type":"project","serviceable":false,"sha512":""},"Colors/1.2.3":{"type":"package","serviceable":true,"sha512":"","path":"colors/1.2.3"}}}' >app/App.deps.json
}

test_machine_assets() {
    needs_host
    make_root 10.0.0
    local folder
    for folder in app app/runtimes/linux/lib app/runtimes/unix/lib app/runtimes/win/lib app/runtimes/linux-arm64/lib app/other; do
        mkdir -p $folder
        cp "$files/Colors.dll" $folder/
    done
    local any='"runtime":{"lib/net8.0/Colors.dll":{"assemblyVersion":"1.0.0.0","fileVersion":"1.0.0.0"}}'
    local unix='"runtimes/unix/lib/Colors.dll":{"rid":"unix","assetType":"runtime"}'
    local win='"runtimes/win/lib/Colors.dll":{"rid":"win","assetType":"runtime"}'
    local linux='"runtimes/linux/lib/Colors.dll":{"rid":"linux","assetType":"runtime"}'
    local native='"runtimes/linux-x64/native/Colors.dll":{"rid":"linux-x64","assetType":"native"}'
    local assets
    for assets in "$any" "$any,\"runtimeTargets\":{$win}" "$any,\"runtimeTargets\":{$win,$unix}" "$any,\"runtimeTargets\":{$unix,$linux,$win}" \
        "\"runtimeTargets\":{$unix}" "$any,\"runtimeTargets\":{$native}" \
        '"runtime":{"lib/net8.0/Colors.dll":{"localPath":"other/Colors.dll"}}'; do
        package_app "{$assets}"
        same_file "$assets" Colors
    done
}

# The folders that a program names, and those that only ilpatch looks into.
test_package_caches() {
    needs_host
    make_root 10.0.0
    package_app '{"runtime":{"lib/net8.0/Colors.dll":{}}}'
    local package=colors/1.2.3/lib/net8.0
    mkdir -p probed/$package cache/$package fallback/$package store/x64/net10.0/$package
    resolve_app() { DOTNET_ROOT=$PWD/root resolve "$1" --json app/App.dll; }
    resolve_app 1
    cp "$files/Colors.dll" fallback/$package/
    NUGET_FALLBACK_PACKAGES="/nowhere;$PWD/fallback" resolve_app 0
    says out "\"place\": \"package\", \"path\": \"$PWD/fallback/$package/Colors.dll\""
    cp "$files/Colors.dll" cache/$package/
    NUGET_PACKAGES=$PWD/cache NUGET_FALLBACK_PACKAGES=$PWD/fallback resolve_app 0
    says out "\"path\": \"$PWD/cache/$package/Colors.dll\""
    cp "$files/Colors.dll" store/x64/net10.0/$package/
    if [ "$(uname -m)" = x86_64 ]; then
        app '{"tfm":"net10.0","framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"}}'
        cp "$files/Painter.dll" app/App.dll
        export DOTNET_SHARED_STORE=$PWD/store NUGET_PACKAGES=$PWD/cache
        resolve_app 0
        says out "\"path\": \"$PWD/store/x64/net10.0/$package/Colors.dll\""
        same_file "a shared store" Colors
    fi
    mkdir -p probed && cp "$files/Colors.dll" probed/$package/
    echo '{"runtimeOptions":{"additionalProbingPaths":["/nowhere/|arch|/|tfm|","'"$PWD"'/probed"]}}' >app/App.runtimeconfig.dev.json
    same_file "a shared store and additionalProbingPaths" Colors
    unset DOTNET_SHARED_STORE
    NUGET_PACKAGES=$PWD/cache resolve_app 0
    says out "\"path\": \"$PWD/probed/$package/Colors.dll\""
    NUGET_PACKAGES=$PWD/cache same_file "additionalProbingPaths" Colors
    cp "$files/Colors.dll" app/
    same_file "its own copy" Colors
}

# A program brings what its framework has, too: the higher versions win, and the framework if there are none.
test_framework_wins() {
    needs_host
    make_root 10.0.0
    cp -rL "$core" real && rm root/shared/Microsoft.NETCore.App/10.0.0 && mv real root/shared/Microsoft.NETCore.App/10.0.0
    app "$(one 10.0.0)"
    cp "$core/System.Console.dll" app/
    local assembly file
    assembly=$(sed -n '/"System.Console.dll"/{n;s/.*: "\(.*\)".*/\1/p}' "$core/Microsoft.NETCore.App.deps.json")
    file=$(sed -n '/"System.Console.dll"/{n;n;s/.*: "\(.*\)".*/\1/p}' "$core/Microsoft.NETCore.App.deps.json")
    [ -n "$assembly" ] && [ -n "$file" ] || die "no versions of System.Console"
    same_file "no .deps.json" System.Console
    local versions
    for versions in '' '"assemblyVersion":"4.0.0.0","fileVersion":"99.0.0.0"' '"assemblyVersion":"'"$assembly"'","fileVersion":"1.0.0.0"' \
        '"assemblyVersion":"'"$assembly"'","fileVersion":"'"$file"'"' '"assemblyVersion":"'"$assembly"'","fileVersion":"99.0.0.0"' \
        '"assemblyVersion":"99.0.0.0","fileVersion":"1.0.0.0"'; do
        echo '{"runtimeTarget":{"name":"T"},"targets":{"T":{"App/1.0.0":{"runtime":{"App.dll":{},"System.Console.dll":{'"$versions"'}}}}},"libraries":{"App/1.0.0":{"type":"project","serviceable":false,"sha512":""}}}' >app/App.deps.json
        same_file "versions '$versions'" System.Console
    done
}

# A program that was built, not published: the SDK's own, with all it refers to.
test_sdk_programs() {
    needs_host
    local program ours path name
    for program in "$dotnet"/sdk/10.*/Roslyn/bincore/csc.dll "$dotnet"/sdk/10.*/MSBuild.dll "$dotnet"/sdk/10.*/dotnet.dll; do
        [ -f "$program" ] || continue
        "$host" "$fxr" "$dotnet" "$program" >tpa 2>/dev/null
        [ "$(head -n 1 tpa)" != refused ] || continue
        DOTNET_ROOT=$dotnet resolve 0 "$program"
        sed -n 's|^  \([^ ]*\) [0-9.]*  [a-z-]*  \([^ ]*\)  [0-9.]*$|\1 \2|p' out >ours
        [ -s ours ] || die "$program: nothing found"
        while read -r name path; do
            grep -qx "$path" tpa || die "$program: ilpatch takes $path, the host $(grep "/$name\.dll\$" tpa)"
        done <ours
    done
}

# A program that names no framework has its own in its folder, where nothing is preferred to it.
test_self_contained() {
    needs_host
    mkdir app
    cp "$files/Sample.dll" app/App.dll
    cp "$core/System.Runtime.dll" "$core/System.Console.dll" app/
    local json
    for json in '"includedFrameworks":[{"name":"Microsoft.NETCore.App","version":"10.0.0"}]' '"tfm":"net10.0"'; do
        echo '{"runtimeOptions":{'"$json"'}}' >app/App.runtimeconfig.json
        DOTNET_ROOT=$dotnet resolve 0 app/App.dll
        says out "System.Runtime 10.0.0.0  beside  app/System.Runtime.dll" "System.Console 10.0.0.0  beside  app/System.Console.dll"
    done
    rm app/System.Console.dll
    DOTNET_ROOT=$dotnet resolve 0 app/App.dll
    says out "System.Console 10.0.0.0  newest-framework"
}

# Any byte of the JSON may be another one: no crash, and an answer.
test_changed_json() {
    make_root
    add_framework My.App 1.0.0 '{"tfm":"net10.0","frameworks":[{"name":"Your.App","version":"2.0.0","rollForward":"LatestMinor"}]}'
    add_framework Your.App 2.0.0 ''
    mkdir app
    cp "$files/Painter.dll" app/App.dll
    echo '{"runtimeOptions":{"framework":{"name":"My.App","version":"1.0.0"},"additionalProbingPaths":["x"]}} // end' >config
    echo '{"runtimeTarget":{"name":"T"},"targets":{"T":{"A/1":{"runtime":{"a/A.dll":{"fileVersion":"1.2.3.4"}}}}},"libraries":{"A/1":{"path":"a/1"}}}' >deps
    RANDOM=1
    local i code
    for i in $(seq 120); do
        cp config app/App.runtimeconfig.json
        cp deps app/App.deps.json
        for file in app/App.runtimeconfig.json app/App.deps.json; do
            printf "\\x$(printf %02x $((RANDOM % 256)))" | dd of=$file bs=1 seek=$((RANDOM % $(stat -c %s $file))) conv=notrunc status=none
            [ $((i % 3)) -ne 0 ] || truncate -s $((RANDOM % $(stat -c %s $file))) $file
        done
        DOTNET_ROOT=$PWD/root "$ilpatch" resolve --json app/App.dll >out 2>err
        code=$?
        [ $code -eq 1 ] || die "case $i: exit code $code: $(head -c 300 err)"
    done
}

# Wrong JSON: nothing is read that is not below a folder, nothing goes wrong.
test_bad_json() {
    give_app() { mkdir -p app; cp "$files/Painter.dll" app/App.dll; }
    give_app
    mkdir -p outside
    cp "$files/Colors.dll" outside/
    local json
    for json in '{"targets":{"T":{"Colors/1":{"runtime":{"../outside/Colors.dll":{"localPath":"../outside/Colors.dll"}}}}}}' '{"targets":{"T":[1]}}' '{"targets":7}' \
        '{"targets":{"T":{"../outside":{"runtime":{"Colors.dll":{}}}}},"libraries":{"../outside":{"path":"../outside"}}}' '[' '"' '/*' '//' '{"a":"\' '' '[[[[[[' \
        '{"targets":{"T":{"Colors/1":{"runtime":{"/'"$PWD"'/outside/Colors.dll":{}}}}}}' '{"runtimeTarget":{"name":["T"]},"targets":{"T":{"A":{"runtimeTargets":{"Colors.dll":3}}}}}'; do
        printf '%s' "$json" >app/App.deps.json
        printf '%s' "$json" >app/App.runtimeconfig.json
        NUGET_PACKAGES=$PWD/app resolve 1 --json app/App.dll
        says out '"name": "Colors", "version": "0.0.0.0", "place": "not-found"'
    done
    for json in '{"runtimeOptions":{"framework":{"name":"../x","version":"1.0.0"}}}' '{"runtimeOptions":{"framework":{"name":"X","version":"99999999999.0.0"}}}' \
        '{"runtimeOptions":[]}' '{"runtimeOptions":{"frameworks":{"name":1}}}' '{"runtimeOptions":{"tfm":"../../x","additionalProbingPaths":[1,null,"|tfm|"]}}' \
        '{"runtimeOptions":{"frameworks":['"$(printf '{"name":"A","version":"1.0.0"},%.0s' $(seq 100))"'{"name":"B","version":"1.0.0"}]}}'; do
        rm -f app/App.deps.json
        printf '%s' "$json" >app/App.runtimeconfig.json
        resolve 1 app/App.dll
    done
    head -c 40000000 /dev/zero | tr '\0' '[' >app/App.deps.json # too large
    resolve 1 app/App.dll
    says out 'not as the host would: app/App.deps.json: it is larger than 4 MB'
    echo '{"runtimeOptions":{' >app/App.runtimeconfig.json
    rm app/App.deps.json
    resolve 1 --json app/App.dll
    says out '"wrong": "app/App.runtimeconfig.json: line 2, column 0: '
    # a framework that requests itself in another version, and two that request each other
    make_root
    add_framework My.App 1.0.0 '{"framework":{"name":"My.App","version":"1.1.0"}}'
    add_framework My.App 1.1.0 '{"framework":{"name":"My.App","version":"1.2.0"}}'
    add_framework My.App 1.2.0 '{"framework":{"name":"Your.App","version":"1.0.0"}}'
    add_framework Your.App 1.0.0 '{"framework":{"name":"My.App","version":"1.0.0"}}'
    rm app/App.deps.json
    printf '{"runtimeOptions":{"framework":{"name":"My.App","version":"1.0.0"}}}' >app/App.runtimeconfig.json
    DOTNET_ROOT=$PWD/root resolve 1 app/App.dll
}
