#!/bin/bash
# ilpatch ps beside real processes: what it says of them, by its schema, and that ilpatch attach refuses for the same reasons.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
. tests/live.sh
need_ilpatch ps
need_sdk ps
scratch ps
have jq || { skip ps "no jq"; finish; }

compile "$tmp/Rounds.dll" tests/runtime/attach/Rounds.cs
runs_with_framework "$tmp/Rounds.dll"
program=(dotnet exec "$tmp/Rounds.dll")
mkdir "$tmp/folder"
export TMPDIR=$tmp/folder

# said NAME FILTER: what `ps` says of $process
said() {
    "$ilpatch" ps --json "$process" >"$tmp/$1.json" 2>"$tmp/$1.log"
    jq -r ".processes[0] | $2" "$tmp/$1.json"
}
# keeps_out NAME WORD TEXT: attach refuses, in the words of ps
keeps_out() {
    check "$1: listed" "false $2" "$(said "$1" '"\(.attach) \(.reason)"')"
    valid_json "$1: valid" ps "$tmp/$1.json"
    contains "$1: reason" "$3" "$tmp/$1.json"
    "$ilpatch" attach "$process" >"$tmp/$1.out2" 2>"$tmp/$1.err2"
    check "$1: attach" 3 $?
    contains "$1: refused" "ilpatch: cannot attach to process $process: $(jq -r '.processes[0].text' "$tmp/$1.json")" "$tmp/$1.err2"
}

check "the schema knows all reasons" "$(sed -n 's/^OBSTACLE(.*, "\(.*\)")/\1/p' tools/launch/obstacles.def | sort)" \
    "$(jq -r '.properties.processes.items.properties.reason.enum[]' data/ps.schema.json | sort)"

start plain
check "plain: listed" ".NET $version Rounds true true false false dotnet exec $tmp/Rounds.dll" \
    "$(said plain '"\(.runtime) \(.version) \(.assembly) \(.attach) \(.answers) \(.container) \(.stopped) \(.program)"')"
valid_json "plain: valid" ps "$tmp/plain.json"
"$ilpatch" ps >"$tmp/plain.text"
contains "plain: text" "$process" "$tmp/plain.text"
kill -STOP "$process"
awaits sh -c "grep -q '^State:.T' /proc/$process/status"
check "stopped: listed" "$version true false true" "$(said stopped '"\(.version) \(.attach) \(.answers) \(.stopped)"')"
valid_json "stopped: valid" ps "$tmp/stopped.json"
kill -CONT "$process"
env -u TMPDIR "$ilpatch" attach -q -o "$tmp/plain.values" "$process" # its folder is its own business
check "another TMPDIR: attached" 0 $?
check "watched: listed" "true null" "$(said watched '"\(.attach) \(.reason)"')"
"$ilpatch" detach "$process"
check "watched: listed afterwards" "true null" "$(said watched '"\(.attach) \(.reason)"')"
end

start own-profiler "$ilpatch" run -q --
keeps_out own-profiler own-profiler "ilpatch's own"
end

start off env DOTNET_EnableDiagnostics=0
keeps_out off diagnostics-off "DOTNET_EnableDiagnostics=0 is set in it"
end

start no-profiler env DOTNET_EnableDiagnostics_Profiler=0
keeps_out no-profiler diagnostics-off "DOTNET_EnableDiagnostics_Profiler=0 is set in it"
end

launch suspended env DOTNET_DefaultDiagnosticPortSuspend=1
awaits sh -c "ls '$TMPDIR'/dotnet-diagnostic-$process-*-socket 2>/dev/null | grep -q ."
keeps_out suspended suspended "until a tool resumes it"
kill "$process"
end 2>"$tmp/killed"

start removed
rm "$TMPDIR/dotnet-diagnostic-$process-"*
keeps_out removed no-socket "it has no diagnostics socket in $TMPDIR"
end

# A profiler that is loaded, and is not ours.
mkdir "$tmp/agent"
echo 'int DllGetClassObject(const void *a, const void *b, void **c) { *c = 0; return -1; }' >"$tmp/agent.c"
${CC:-cc} -shared -fPIC -o "$tmp/agent/Datadog.Trace.ClrProfiler.Native.so" "$tmp/agent.c"
# by LD_PRELOAD, as some agents are loaded: the runtime unloads a profiler that cannot be made
start datadog env LD_PRELOAD="$tmp/agent/Datadog.Trace.ClrProfiler.Native.so" CORECLR_ENABLE_PROFILING=1 \
    CORECLR_PROFILER='{846F5F1C-F9AE-4B07-969E-05C26BC060D8}' CORECLR_PROFILER_PATH="$tmp/agent/Datadog.Trace.ClrProfiler.Native.so"
keeps_out datadog other-profiler "Datadog ({846F5F1C-F9AE-4B07-969E-05C26BC060D8}, $tmp/agent/Datadog.Trace.ClrProfiler.Native.so)"
contains "datadog: advice" "Patch the files instead: ilpatch inspect $tmp/Rounds.dll" "$tmp/datadog.err2"
end

if have mono && have mcs; then
    echo 'class Waits { static void Main() { System.Console.WriteLine("ready"); System.Console.ReadLine(); } }' >"$tmp/Mono.cs"
    mcs -out:"$tmp/Mono.exe" "$tmp/Mono.cs" >"$tmp/mcs.log" 2>&1
    name=mono
    mkfifo "$tmp/mono.in"
    mono "$tmp/Mono.exe" <"$tmp/mono.in" >"$tmp/mono.out" 2>"$tmp/mono.err" &
    process=$! started=$!
    exec 9>"$tmp/mono.in"
    awaits is_ready
    check "Mono: listed" "Mono" "$(said mono .runtime)"
    keeps_out mono mono "another profiling interface"
    contains "Mono: advice" "ilpatch inspect $tmp/Mono.exe" "$tmp/mono.err2"
    end
else
    skip Mono "no Mono, or no mcs"
fi
finish
