# shellcheck shell=bash disable=SC2154
# Versions of frameworks, as the host of .NET chooses them. Sourced by run.sh.

test_policies() {
    needs_host
    make_root 8.0.1 8.0.4 8.1.0 8.1.3 8.2.0-preview.1 9.0.2 9.3.0 10.0.0-rc.1 10.0.0-rc.2 11.0.0-preview.9 11.0.0-preview.10
    for wanted in 7.0.0 8.0.0 8.0.1 8.0.2 8.0.5 8.1.0 8.2.0-alpha 8.2.0 9.0.0 9.3.1 10.0.0-rc.1 10.0.0-rc.1.5 10.0.0 11.0.0-preview.9 11.0.0 12.0.0; do
        for policy in '' $policies; do
            app "$(one $wanted $policy)"
            agree "$wanted $policy"
        done
    done
}

test_settings() {
    needs_host
    make_root 8.0.1 8.0.4 8.1.3 9.0.2 9.1.0-rc.1 10.0.0-rc.1
    for policy in $policies; do
        for other in $policies; do
            app '{"rollForward":"'$policy'","framework":{"name":"Microsoft.NETCore.App","version":"8.0.0","rollForward":"'$other'"}}'
            agree "$policy, in the framework's entry $other"
        done
        app "$(one 8.0.0 Minor)"
        DOTNET_ROLL_FORWARD=$policy agree "DOTNET_ROLL_FORWARD=$policy against Minor"
        app "$(one 8.0.0)"
        DOTNET_ROLL_FORWARD_TO_PRERELEASE=1 DOTNET_ROLL_FORWARD=$policy agree "DOTNET_ROLL_FORWARD_TO_PRERELEASE, $policy"
    done
    for number in 0 1 2; do
        for patches in true false; do
            for version in 7.0.0 8.0.0 8.0.1 8.2.0; do
                app '{"rollForwardOnNoCandidateFx":'$number',"applyPatches":'$patches',"framework":{"name":"Microsoft.NETCore.App","version":"'$version'"}}'
                agree "$version, rollForwardOnNoCandidateFx $number, applyPatches $patches"
            done
        done
        app "$(one 8.0.0)"
        DOTNET_ROLL_FORWARD_ON_NO_CANDIDATE_FX=$number agree "DOTNET_ROLL_FORWARD_ON_NO_CANDIDATE_FX=$number"
    done
    for json in '{"framework":{"name":"Microsoft.NETCore.App"}}' '{"framework":{"name":"Microsoft.NETCore.App","version":"8"}}' \
        '{"framework":{"name":"Microsoft.NETCore.App","version":"8.0.0"},"rollForward":"Sideways"}' \
        '{"framework":{"name":"Microsoft.NETCore.App","version":"8.0.0"},"rollForward":"Minor","applyPatches":true}' \
        '/* why */ {"framework":{"name":"Microsoft.NETCore.App", // because
            "version":"8.0.0"}}' '{"framework":{"name":"Microsoft.NETCore.App","version":"8.0.0"},"rollForward":"latestpatch"}'; do
        app "$json"
        agree "$json"
    done
    rm root/shared/Microsoft.NETCore.App/8.0.4
    mkdir root/shared/Microsoft.NETCore.App/8.0.4 # nothing in it
    app "$(one 8.0.0)"
    agree "a folder without a framework"
}

# Frameworks that request others; some of these cannot be used together.
test_several() {
    needs_host
    make_root 8.0.1 8.0.4 8.1.0 9.0.2
    local inner
    for inner in '{"rollForward":"LatestPatch","framework":{"name":"Microsoft.NETCore.App","version":"8.0.4"}}' "$(one 8.1.0)" "$(one 8.0.1 Disable)" \
        "$(one 8.0.0 LatestMajor)" "$(one 9.0.0)" "$(one 7.0.0 Major)"; do
        rm -rf root/shared/My.App
        add_framework My.App 1.0.0 "$inner"
        add_framework My.App 1.2.0 "$inner"
        for wanted in 8.0.0 8.0.1 8.0.2 8.1.0 9.0.0; do
            for policy in $policies; do
                app '{"frameworks":[{"name":"Microsoft.NETCore.App","version":"'$wanted'","rollForward":"'$policy'"},{"name":"My.App","version":"1.0.0"}]}'
                agree "$wanted $policy beside My.App with $inner"
            done
        done
        for policy in $policies; do
            app '{"framework":{"name":"My.App","version":"1.0.0","rollForward":"'$policy'"}}'
            agree "My.App $policy with $inner"
        done
    done
    add_framework Your.App 2.0.0 '{"frameworks":[{"name":"My.App","version":"1.1.0"},{"name":"Microsoft.NETCore.App","version":"8.0.0"}]}'
    app '{"framework":{"name":"Your.App","version":"2.0.0"}}'
    agree "three levels"
    app '{"frameworks":[{"name":"My.App","version":"1.0.0"},{"name":"Your.App","version":"2.0.0"},{"name":"Microsoft.NETCore.App","version":"7.0.0","rollForward":"Major"}]}'
    agree "two ways to one framework"
    app '{"frameworks":[{"name":"My.App","version":"1.0.0"},{"name":"Nobodys.App","version":"2.0.0"}]}'
    agree "one that is not installed"
}

# The same with numbers by chance, always the same ones.
test_chance() {
    needs_host
    RANDOM=4711
    # shellcheck disable=SC2206 # they are words
    local i words=($policies) previews=('' '' '' -rc.1 -rc.2 -preview.1)
    for i in $(seq 40); do
        local versions=() more=() version
        for _ in 1 2 3 4 5; do
            versions+=("$((8 + RANDOM % 3)).$((RANDOM % 2)).$((RANDOM % 3))${previews[RANDOM % 6]}")
            more+=("$((1 + RANDOM % 2)).$((RANDOM % 3)).$((RANDOM % 2))")
        done
        mapfile -t versions < <(printf '%s\n' "${versions[@]}" | sort -u)
        make_root "${versions[@]}"
        for version in "${more[@]}"; do
            add_framework My.App "$version" "$(one "$((8 + RANDOM % 2)).$((RANDOM % 2)).$((RANDOM % 3))${previews[RANDOM % 6]}" "${words[RANDOM % 6]}")"
        done
        app '{"rollForward":"'"${words[RANDOM % 6]}"'","frameworks":[{"name":"Microsoft.NETCore.App","version":"'"$((8 + RANDOM % 2)).0.$((RANDOM % 2))${previews[RANDOM % 6]}"'"},{"name":"My.App","version":"1.'$((RANDOM % 3))'.0","rollForward":"'"${words[RANDOM % 6]}"'"}]}'
        agree "case $i: $(cat app/App.runtimeconfig.json); My.App: $(cat root/shared/My.App/*/*runtimeconfig.json)"
    done
}
