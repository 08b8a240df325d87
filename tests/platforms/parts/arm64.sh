# shellcheck shell=bash disable=SC2154 # tmp, ports, whole: run.sh
# Linux on 64-bit Arm, under qemu: aarch64-linux-gnu-gcc, qemu-aarch64-static; Debian's packages and CoreCLR's are fetched.

arm64_compiler="aarch64-linux-gnu-gcc --sysroot=$ports/arm64"
arm64_built=$ports/build-arm64
arm64_run=$tmp/arm64 # what is built, as programs that the kernel here can start

arm64_built() {
    [ -n "$whole" ] || [ -e "$ports/arm64/complete" ] || { skip build 'no libraries (make ports)'; return 1; }
    ports/debian.sh arm64 "$ports/arm64" >"$tmp/log" 2>&1 || { skip build "no packages of Debian: $(tail -n 1 "$tmp/log")"; return 1; }
    local goals=(all)
    [ -z "$whole" ] || goals+=(units)
    if ! make -s -j2 WERROR=1 "${make_arm64[@]}" "${goals[@]}" >"$tmp/log" 2>&1; then
        fail build "$(grep -m 1 'error' "$tmp/log")"
        return 1
    fi
    ok 'command, library and profiler build'
    ran library yes
    local program
    mkdir -p "$arm64_run/tests"
    for program in ilpatch $(cd "$arm64_built" && find tests -name 'test_*' ! -name '*.*' 2>/dev/null); do
        "${HOSTCC:-gcc}" -static -DSYSTEM="\"$ports/arm64\"" -DPROGRAM="\"$arm64_built/$program\"" tests/platforms/arm64/under_qemu.c \
            -o "$arm64_run/$program" || { fail build under_qemu.c; return 1; }
    done
    ln -s "$arm64_built"/*.so "$arm64_built/MyProfiler.dll" "$arm64_run/"
}

# The tests that fail there, with the reason: these have to fail, and all others to pass. qemu is 7.2.
arm64_failing_units='
test_local_socket test_too_many_descriptors: of a message with more descriptors than there is room for, qemu leaves open those that it does not pass on
test_other_process sees_what_is_there: with -L the folder / is another one than /proc/PID/root
test_precode test_methods: qemu has no process_vm_readv
test_precode test_readable: qemu has no process_vm_readv
test_profiler_host test_privileged: it starts a copy of /proc/PID/exe, which the kernel here cannot
'
arm64_failing_commands='
launch_native_program: it starts programs that are for x86-64, which is reported first
launch_switches: it starts programs that are for x86-64, which is reported first
terminal_pager_missing: a program there is found by PATH, which the test empties
'

# failing_units LOG: "PROGRAM TEST" of all that tests/run.sh has counted as failed; a PROGRAM alone has not come to its end
failing_units() {
    awk '/^(ok|skip|FAIL) / { if (alone) print program; alone = 0 }
         /^FAIL / { program = $2; sub(/:$/, "", program); alone = 1 }
         /^== / { exit }
         /^  \| \[  FAILED  \] [a-z_0-9]*$/ { print program, $NF; alone = 0 }
         END { if (alone) print program }' "$1" | sort -u
}

# They run beside the other tests of this part.
arm64_start_units() {
    BUILD=$arm64_run ILPATCH=$arm64_run/ilpatch tests/run.sh unit >"$tmp/units" 2>&1 &
    arm64_units=$!
}

arm64_end_units() {
    wait "$arm64_units"
    failing_units "$tmp/units" >"$tmp/failing_units"
    fail_as_known 'unit tests: what fails there' "$arm64_failing_units" "$tmp/failing_units"
    ran units "$(grep -c '^ok ' "$tmp/units") programs, $(sed -n 's/ passed, .*//p' "$tmp/units") tests"
}

# With the compiler of what is tested: some cases make libraries for it to load.
arm64_commands() { # [NAME...]
    CC=$arm64_compiler BUILD=$arm64_built ILPATCH=$arm64_run/ilpatch tests/command/run.sh "$@" >"$tmp/command" 2>&1
    commands_fail_as_known "$arm64_failing_commands" "$@"
}

# Files that are patched there and here have the same bytes. With --embed, which core libraries need.
arm64_bytes() { # COUNT
    local file same=0 differ=
    for file in $(find "$framework" -name '*.dll' | sort | awk -v n="$1" '{ line[NR] = $0 } END { for (i = 0; i < n; i++) print line[1 + int(i * NR / n)] }'); do
        mkdir -p "$tmp/bytes/here" "$tmp/bytes/there"
        "$ilpatch" inspect -q --embed -o "$tmp/bytes/here/" "$file" >"$tmp/log" 2>&1
        "$arm64_run/ilpatch" inspect -q --embed -o "$tmp/bytes/there/" "$file" >"$tmp/log" 2>&1
        if diff -r "$tmp/bytes/here" "$tmp/bytes/there" >/dev/null && [ -n "$(ls "$tmp/bytes/here")" ]; then
            same=$((same + 1))
        else
            differ="$differ $(basename "$file")"
        fi
        rm -rf "$tmp/bytes"
    done
    check "bytes of $1 files" '' "$differ"
    [ -z "$whole" ] || ran bytes "$same files"
}

# on_arm64 COMMAND...: with the `dotnet` of that processor
on_arm64() { PATH=$arm64_dotnet:$PATH timeout 600 "$@"; }

arm64_program() { # NAME SOURCE
    compile "$tmp/$1/$1.dll" -unsafe -nowarn:0649,0169,0414,9184 "$2"
    runs_with_framework "$tmp/$1/$1.dll"
}

# shows_as_here NAME LEAST INSPECTOR: the lines of that program, so many at least, are those of this machine
shows_as_here() {
    "$ilpatch" run -q -o "$tmp/here" --inspector "$3" -- dotnet exec "$tmp/$1/$1.dll"
    on_arm64 "$arm64_run/ilpatch" run -q -o "$tmp/there" --inspector "$3" -- dotnet exec "$tmp/$1/$1.dll" 2>"$tmp/err"
    check "$1, $3: exit code" 0 $?
    [ "$(wc -l <"$tmp/here")" -ge "$2" ] || fail "$1, $3" "only $(wc -l <"$tmp/here") lines"
    same "$1, $3" "$tmp/here" "$tmp/there"
}

# By the profiler itself and by the stock inspector, which shows no field that is not aligned.
arm64_values() {
    local inspector
    arm64_program Returned tests/platforms/arm64/Returned.cs
    awk -v seed=1 -v count=120 -f tests/runtime/unmanaged/structs.awk >"$tmp/structs.cs"
    sed 's/Pack = [1-4]/Pack = 8/' "$tmp/structs.cs" >"$tmp/aligned.cs"
    arm64_program structs "$tmp/structs.cs"
    arm64_program aligned "$tmp/aligned.cs"
    for inspector in unmanaged full; do
        shows_as_here Returned 29 $inspector
        shows_as_here aligned 270 $inspector
    done
    shows_as_here structs 270 unmanaged
    arm64_trimmed
    ran run yes
    arm64_program Packed tests/platforms/arm64/Packed.cs
    shows_as_here Packed 30 unmanaged
    on_arm64 "$arm64_run/ilpatch" run -q -o "$tmp/there" --inspector full -- dotnet exec "$tmp/Packed/Packed.dll" 2>"$tmp/err"
    same 'Packed, full' tests/platforms/arm64/packed.txt "$tmp/there"
    ran values 'but for misaligned fields by the stock inspector'
}

# By the small edition of the stock inspector.
arm64_trimmed() {
    cp -r tests/runtime/trimmed/app "$tmp/source"
    if ! TMPDIR=$tmp timeout 600 dotnet publish "$tmp/source" -c Release -r linux-arm64 --self-contained -p:PublishTrimmed=true -o "$tmp/trimmed" >"$tmp/log" 2>&1; then
        skip trimmed "$(grep -m 1 error "$tmp/log")"
        return
    fi
    "$arm64_run/ilpatch" --inspect-returns -q "$tmp/trimmed/App.dll"
    timeout 600 qemu-aarch64-static -L "$ports/arm64" "$tmp/trimmed/App" >"$tmp/out" 2>"$tmp/there"
    same 'trimmed: values' tests/runtime/trimmed/values.txt "$tmp/there"
}

arm64_attach() {
    local process # whose socket has another time in its name than /proc: a process under qemu does not know when it was started
    "$arm64_dotnet/dotnet" exec "$tmp/Returned/Returned.dll" loop >"$tmp/ready" 2>&1 &
    process=$!
    awaits grep -q ready "$tmp/ready"
    timeout 120 "$arm64_run/ilpatch" attach --for 10s --max-cost 0 --method-rate 0 "$process" >"$tmp/attached" 2>"$tmp/said"
    check 'attach: exit code' 0 $?
    check 'attach: the process goes on' yes "$(kill -0 "$process" && echo yes)"
    kill "$process"
    wait "$process" 2>/dev/null
    contains 'attach: values' 'Returned::Float4 -> {A=1.5, B=2.5, C=3.5, D=4.5} (F4)' "$tmp/attached"
    ran attach yes
}

# The fast hooks: the program is unharmed, and at each call the stack is the runtime's own.
arm64_trace() {
    local tiered parts='generics exceptions native tails threads'
    arm64_program Calls tests/runtime/hooks/Calls.cs
    # shellcheck disable=SC2086
    dotnet exec "$tmp/Calls/Calls.dll" $parts >"$tmp/plain"
    for tiered in 1 0; do
        # shellcheck disable=SC2086
        DOTNET_TieredCompilation=$tiered on_arm64 "$arm64_run/ilpatch" trace --check-stacks 1 --format text -o "$tmp/trace" -- \
            dotnet exec "$tmp/Calls/Calls.dll" $parts >"$tmp/out" 2>"$tmp/said"
        same "trace (tiers: $tiered): output" "$tmp/plain" "$tmp/out"
        check "trace (tiers: $tiered): all stacks are the runtime's" same \
            "$(sed -n 's/.*recorded \([0-9]*\) enters,.* \([0-9]*\) snapshots$/\1 \2/p' "$tmp/said" | awk '$1 == $2 && $1 > 3000 { print "same" }')"
    done
    BUILD=$arm64_built ILPATCH=$ilpatch tests/platforms/arm64/registers.sh "$arm64_dotnet" "$ports/arm64" "$arm64_compiler" >"$tmp/registers" 2>&1
    adds "$tmp/registers" registers
    ran trace yes
}

arm64_runtime() {
    arm64_dotnet=$ports/dotnet-arm64
    tests/platforms/arm64/dotnet.sh "$ports/arm64" "$arm64_dotnet" "$version" 2>"$tmp/why" ||
        { skip CoreCLR "no CoreCLR $version for arm64: $(head -n 1 "$tmp/why")"; return; }
    arm64_values
    arm64_attach
    arm64_trace
}

arm64_all() {
    have aarch64-linux-gnu-gcc && have qemu-aarch64-static || { skip arm64 'no aarch64-linux-gnu-gcc, or no qemu-aarch64-static (./setup.sh platforms)'; return; }
    find_sdk || { skip arm64 'no .NET SDK 10 or newer'; return; }
    arm64_built || return
    if [ -n "$whole" ]; then
        arm64_start_units
        arm64_commands
        arm64_bytes 60
    else
        arm64_commands rules text
        arm64_bytes 6
    fi
    arm64_runtime
    [ -z "$whole" ] || arm64_end_units
}
arm64_all
