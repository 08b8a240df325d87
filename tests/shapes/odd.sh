# shellcheck shell=bash disable=SC2154
# Odd metadata that runtimes load: what odd.py makes does after the patch what it did before, and shows its values.
# Sourced by run.sh.

config='{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"6.0.0"},"rollForward":"LatestMajor"}}'

# on RUNTIME FILE: what the program prints, and its exit code. Each file runs in a folder of its own: all have one name.
on() {
    local code=0
    case $1 in
        net) dotnet exec --runtimeconfig "$tmp/odd.json" "$2" 2>"$tmp/values" || code=$? ;;
        mono) mono "$2" 2>"$tmp/values" || code=$? ;;
    esac
    echo "exit code $code"
}

# odd NAME: patches it; done in part is right where a body is lost.
odd() {
    local name=$1 wanted=0 runtime before after ran=0
    local file=$tmp/odd/$name/$name.exe
    case $name in lost-body | junk-body) wanted=1 ;; esac
    for runtime in $runtimes; do
        on "$runtime" "$file" >"$tmp/before-$runtime" 2>/dev/null
    done
    "$ilpatch" verify --unverifiable --unknown "$file" | sed '$d; s/^[^ ]* //' >"$tmp/found-before"
    run_ilpatch $wanted --inspect-returns "$file" || return
    "$ilpatch" verify --unverifiable --unknown "$file" | sed '$d; s/^[^ ]* //' >"$tmp/found-after"
    diff "$tmp/found-before" "$tmp/found-after" || return
    for runtime in $runtimes; do
        before=$(cat "$tmp/before-$runtime")
        case $before in
            odd!*"exit code 0")
                after=$(on "$runtime" "$file")
                [ "$before" = "$after" ] || { echo "$runtime: '$after', not '$before'"; return 1; }
                has_texts "$tmp/values" 'Odd`1::get_Count -> 145' || return
                ran=$((ran + 1))
                ;;
        esac
    done
    [ $ran -gt 0 ] || ! have dotnet || { echo "no runtime takes it: $before"; return 1; }
    run_ilpatch 0 restore "$file"
}

runtimes=''
have dotnet && runtimes='net'
have mono && runtimes="$runtimes mono"
if [ -z "$runtimes" ] || ! have mcs || ! have python3; then
    skip odd "no runtime, mcs or python3"
    return
fi
echo "$config" >"$tmp/odd.json"
mkdir -p "$tmp/odd" "$tmp/made"
if ! mcs -out:"$tmp/odd/Odd.exe" "$here/Odd.cs" >"$tmp/log" 2>&1 ||
    ! python3 "$here/odd.py" "$tmp/odd/Odd.exe" "$tmp/made" >"$tmp/log" 2>&1; then
    fail odd "$(tail -n 1 "$tmp/log")"
    return
fi
for made in "$tmp"/made/*.exe; do
    name=$(basename "$made" .exe)
    mkdir "$tmp/odd/$name"
    mv "$made" "$tmp/odd/$name/"
    passes "odd-$name" odd "$name"
done
