# shellcheck shell=bash
# The harness of all scripts in tests, sourced by them in the root of the tree: what is tested, counting, comparing, the last line; cases;
# programs for .NET. tests/README.md has an example.

# shellcheck disable=SC2034 # used by those who source this
{
    build=$(realpath -m "${BUILD:-build}")
    made=$(realpath -ms --relative-base=. "${BUILD:-build}") # as make names it
    ilpatch=$(realpath -m "${ILPATCH:-$build/ilpatch}")
    cache=$(realpath -m "${ILPATCH_TEST_CACHE:-build/packages}") # real assemblies, and what takes long to build
}
older_runtimes=$PWD/tests/runtime/versions
passed=0 failed=0 skipped=0
group=  # precedes each name
wanted= # beginnings of names: see selected()
umask 022
ulimit -c 0 # programs that abort on purpose leave nothing
# Writing to a program that has crashed ends no script: a check says what its exit code was. Not ignored, since programs inherit that.
trap : PIPE
unset ILPATCH_OUTPUT ILPATCH_COUNT ILPATCH_TOSTRING ILPATCH_ELAPSED # they change what the inspector writes
export LC_ALL=C.UTF-8 DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_CLI_WORKLOAD_UPDATE_NOTIFY_DISABLE=1
# Builds leave no process running, which would keep locks, variables and folders of the script that began it.
export MSBUILDDISABLENODEREUSE=1 UseSharedCompilation=false DOTNET_CLI_USE_MSBUILD_SERVER=0
# They leave folders where temporary files go, so these go into the script's own; NuGet's locks are shared by all scripts.
export NUGET_SCRATCH="${NUGET_SCRATCH:-${TMPDIR:-/tmp}/NuGetScratch$(id -un 2>/dev/null)}"
# Of a sanitizer's build: an error is none of the exit codes that are expected.
export ASAN_OPTIONS=exitcode=99:${ASAN_OPTIONS:-} UBSAN_OPTIONS=halt_on_error=1:exitcode=99:${UBSAN_OPTIONS:-}

have() { command -v "$1" >/dev/null 2>&1; }

# ---- counting ----

ok() { echo "ok $group$1"; passed=$((passed + 1)); }
skip() { echo "skip $group$1: $2"; skipped=$((skipped + 1)); }

# fail NAME WHY [FILE]: FILE is where there is more to see
fail() {
    echo "FAIL $group$1: $2${3:+ ($3)}"
    failed=$((failed + 1))
    [ "$failed" -gt 5 ] || show_latest
}

# count_results LOG: of a program that prints as these do, one line for each test
count_results() {
    passed=$((passed + $(grep -c '^ok ' "$1")))
    failed=$((failed + $(grep -c '^FAIL ' "$1")))
    skipped=$((skipped + $(grep -c '^skip ' "$1")))
}

# What was written last into the scratch folder, as far as it is text: how it begins, and how it ends.
show_latest() {
    [ -n "${tmp-}" ] && [ -d "$tmp" ] || return 0
    find "$tmp" -maxdepth 1 -type f -size -4000k -size +0 -printf '%T@ %f\n' | sort -rn | head -n 8 | cut -d ' ' -f 2- | while read -r file; do
        LC_ALL=C grep -qP '[^\t\r\n\x20-\xff]' "$tmp/$file" || echo "$file"
    done | head -n 3 | while read -r file; do
        echo "  | in $tmp/$file:"
        awk '{ line[NR] = $0 } END { for (i = 1; i <= NR; i++) if (i <= 3 || i > NR - 3) print line[i]; else if (i == 4) print "..." }' "$tmp/$file" |
            cut -c 1-240 | sed 's/^/  |     /'
    done
}

# scratch NAME: $tmp is a new folder, which stays if something failed
scratch() {
    tmp=$(mktemp -d "${ILPATCH_TEST_TMP:-${TMPDIR:-/tmp}}/ilpatch-$1.XXXXXX") || exit 1
    trap 'rm -rf "$tmp"; exit 1' HUP INT TERM
}

# Ends the script with the line that tests/run.sh adds up.
finish() {
    [ "$failed" -ne 0 ] || [ -z "${tmp-}" ] || rm -rf "$tmp"
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit
}

# need_ilpatch NAME: without the command the script ends
need_ilpatch() {
    [ -x "$ilpatch" ] || { fail "$1" "$ilpatch is not there (make builds it)"; finish; }
}

# hide_library NAME FOLDER: with LD_LIBRARY_PATH=FOLDER, ilpatch gets a library of this name (libz) that has none of its functions,
# which is as good as none. $soname is its whole name.
hide_library() {
    soname=$(grep -aoh "$1\\.so\\.[0-9]*" "$ilpatch" "$build/ilpatch" | head -n 1) # $ilpatch may start the other one
    mkdir -p "$2"
    [ -n "$soname" ] && : | ${CC:-cc} -shared -x c -o "$2/$soname" - 2>"$2/err"
}

# selected NAME: whether it begins with one of $wanted, if there are any
selected() {
    local prefix
    [ -n "$wanted" ] || return 0
    for prefix in $wanted; do
        case $1 in "$prefix"*) return 0 ;; esac
    done
    return 1
}

# ---- comparing ----

# check NAME EXPECTED ACTUAL
check() {
    if [ "$2" = "$3" ]; then ok "$1"; else fail "$1" "expected '$2', got '$3' (${tmp-})"; fi
}

# passes NAME COMMAND...: what it prints is in $tmp/log
passes() {
    local name=$1
    shift
    if "$@" >"$tmp/log" 2>&1; then ok "$name"; else fail "$name" "$* $(tail -n 1 "$tmp/log")"; fi
}

# valid_json NAME [--lines] WORD FILE...: JSON, or lines of it, of the form data/WORD.schema.json
valid_json() {
    local name=$1 code
    shift
    tests/schema.py "$@" >"$tmp/wrong" 2>&1
    code=$?
    case $code in
        0) ok "$name" ;;
        77) skip "$name" "no Python with jsonschema (Debian: python3-jsonschema)" ;;
        *) fail "$name" "$(head -n 1 "$tmp/wrong")" ;;
    esac
}

# contains NAME TEXT FILE
contains() {
    if grep -qF -- "$2" "$3"; then ok "$1"; else fail "$1" "$3 has no '$2'"; fi
}

# same NAME EXPECTED-FILE FILE
same() {
    if cmp -s "$2" "$3"; then
        ok "$1"
    else
        fail "$1" "$3 is not $2"
        diff "$2" "$3" | head -n 20 | cut -c 1-300
    fi
}

# has_texts FILE TEXT...: prints what is missing
has_texts() {
    local file=$1 text
    shift
    for text in "$@"; do
        grep -qF -- "$text" "$file" || { echo "$file does not say '$text': $(head -c 600 "$file")"; return 1; }
    done
}

# ---- waiting ----

# awaits COMMAND...: runs it until it succeeds. The limit is for what hangs, and no measure of time.
awaits() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 12000 ] || return 1
        sleep 0.05
    done
}
# attach_to SOURCE OPTION...: compiles a program that says "ready" and goes on for ever, and attaches to it until that ends by itself;
# lines are in $tmp/attached. The program goes on after that, and is ended here.
attach_to() {
    local program=${1%.cs}.dll process
    compile "$program" "$1"
    shift
    runs_with_framework "$program"
    dotnet exec "$program" >"$tmp/ready" 2>&1 &
    process=$!
    awaits grep -q ready "$tmp/ready"
    timeout 300 "$ilpatch" attach --method-rate 0 --max-cost 0 "$@" "$process" >"$tmp/attached" 2>"$tmp/said"
    check "attach: exit code" 0 $?
    check "attach: the process goes on" yes "$(kill -0 "$process" && echo yes)"
    kill "$process"
    wait "$process" 2>"$tmp/aborted"
}
# children_of PROCESS: their numbers, also of those that have ended and that have not been waited for
children_of() { sed -n "s/^\([0-9]*\) (.*) [A-Za-z] $1 .*/\1/p" /proc/[0-9]*/stat 2>/dev/null; }
# streams_of PROCESS: what its standard streams are
streams_of() { readlink "/proc/$1/fd/"{0,1,2}; }

# ---- cases: functions test_NAME that end at the first thing wrong ----

# shows_patched SHOWN NAME FOLDER FILE EXPECTED OPTIONS... -- COMMAND...: FILE, patched in a copy of $tmp/FOLDER, does what it does there
# ($tmp/before.out), and the lines of its standard error that SHOWN prints are those of EXPECTED
shows_patched() {
    local shown=$1 name=$2 folder=$3 file=$4 expected=$5 options=()
    shift 5
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    rm -rf "${tmp:?}/run"
    cp -r "$tmp/$folder" "$tmp/run"
    passes "$name: patch" "$ilpatch" "${options[@]}" --verify --in-place "$tmp/run/$file"
    "$@" "$tmp/$folder/$file" >"$tmp/before.out"
    "$@" "$tmp/run/$file" >"$tmp/after.out" 2>"$tmp/after.err"
    check "$name: exit code" 0 $?
    same "$name: output" "$tmp/before.out" "$tmp/after.out"
    "$shown" "$tmp/after.err" >"$tmp/lines"
    same "$name" "$expected" "$tmp/lines"
}

# shows_in_forms SHOWN NAME FOLDER FILE EXPECTED COMMAND...: the same by the rules of $tmp/rules.xml, by those of $tmp/guarded.xml, and with
# the inspector embedded
shows_in_forms() {
    local rules
    for rules in rules guarded; do
        shows_patched "$1" "$2 $rules" "${@:3:3}" --rules "$tmp/$rules.xml" -- "${@:6}"
    done
    shows_patched "$1" "$2 embedded" "${@:3:3}" --rules "$tmp/rules.xml" --embed -- "${@:6}"
}

# shows_on_mono SHOWN SOURCE EXPECTED: the same of a program that Mono's compiler makes of SOURCE, on Mono
shows_on_mono() {
    if have mono && have mcs; then
        mkdir -p "$tmp/mono"
        mcs -out:"$tmp/mono/App.exe" "$2" >"$tmp/build.log" 2>&1 || fail build "$(grep -m1 error "$tmp/build.log")"
        shows_in_forms "$1" Mono mono App.exe "$3" mono
    else
        skip Mono "no Mono, or no mcs"
    fi
}

# shows_run SHOWN NAME FILE EXPECTED OPTIONS...: the same in the process, after one of these, by `ilpatch run`; what it wrote stays as $tmp/written
shows_run() {
    local shown=$1 name=$2 file=$3 expected=$4
    shift 4
    "$ilpatch" run -q "$@" -o "$tmp/written" -- dotnet exec "$file" >"$tmp/out"
    check "$name: exit code" 0 $?
    same "$name: output" "$tmp/before.out" "$tmp/out"
    "$shown" "$tmp/written" >"$tmp/lines"
    same "$name" "$expected" "$tmp/lines"
}

# run_cases: each in a shell and an empty folder of its own, $tmp/NAME, which stays if it fails
run_cases() {
    local name why
    for name in $(compgen -A function test_); do
        name=${name#test_}
        selected "$name" || continue
        mkdir "$tmp/$name"
        why=$(cd "$tmp/$name" && "test_$name" 2>&1)
        case $? in
            0)
                ok "$name"
                rm -rf "${tmp:?}/$name"
                ;;
            77) skip "$name" "$why" ;;
            *) fail "$name" "$why" "in $tmp/$name" ;;
        esac
    done
}

die() { echo "$*"; exit 1; }
skip_case() { echo "$*"; exit 77; }
says() { has_texts "$@" || exit 1; }
silent() { [ ! -s "$1" ] || die "$1 says: $(head -c 300 "$1")"; }
identical() { cmp -s "$1" "$2" || die "$1 and $2 differ"; }
differ() { ! cmp -s "$1" "$2" || die "$1 and $2 are the same"; }
there() { for file; do [ -e "$file" ] || die "$file is missing"; done; }
gone() { for file; do [ ! -e "$file" ] && [ ! -L "$file" ] || die "$file is there"; done; }

# ---- .NET ----

# find_sdk: of .NET 10 or newer $sdk, its compiler $csc, its references $refs, their $major and its $symbols; the newest runtime's $version and folder
# $framework. ILPATCH_TEST_RUNTIME names another runtime of the installation, with its references (tests/runtime/versions/root.sh).
find_sdk() {
    # "10.0.401 [/usr/share/dotnet/sdk]"
    sdk=$(dotnet --list-sdks 2>/dev/null | sed -n 's/^\([1-9][0-9]\.[^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
    csc=$sdk/Roslyn/bincore/csc.dll
    refs=$(ls -d "$sdk"/../../packs/Microsoft.NETCore.App.Ref/*/ref/net* 2>/dev/null | tail -n 1)
    [ -z "${ILPATCH_TEST_RUNTIME:-}" ] || refs=$(ls -d "${sdk%/sdk/*}"/references/net*)
    major=${refs##*/net}
    major=${major#coreapp}
    major=${major%%.*}
    symbols=$(seq -f 'NET%g_0_OR_GREATER' -s ';' 8 "$major" 2>/dev/null)
    framework=$(dotnet --list-runtimes 2>/dev/null | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\) \[\(.*\)\]$/\2\/\1/p' |
        grep "/${ILPATCH_TEST_RUNTIME:-[^/]*}\$" | tail -n 1)
    version=${framework##*/}
    [ -n "$sdk" ] && [ -f "$csc" ] && [ -n "$refs" ] && [ -n "$framework" ]
}

# need_sdk NAME: without one the script ends
need_sdk() { find_sdk || { skip "$1" "no .NET SDK 10 or newer"; finish; }; }

# run_csc OPTION...: the compiler of $sdk, with no references; NET9_0_OR_GREATER and its like are defined as by the SDK
run_csc() { dotnet exec "$csc" -nologo -noconfig -nostdlib -deterministic ${symbols:+"-define:$symbols"} "$@"; }

# csharp OPTION...: the same; what it prints is in $tmp/build.log
csharp() { run_csc "$@" >"$tmp/build.log" 2>&1; }

# build_csharp OPTION...: the same; a test that fails if that does
build_csharp() { csharp "$@" || fail build "$* $(grep -m1 error "$tmp/build.log")"; }

# compile OUT OPTION...: a C# program or library for .NET; the script ends if that fails
compile() {
    local out=$1
    shift
    local references=("$refs"/System.*.dll)
    references=("${references[@]/#/-r:}")
    mkdir -p "$(dirname "$out")"
    if ! csharp -optimize+ "${references[@]}" -out:"$out" "$@"; then
        cat "$tmp/build.log"
        fail build "$out"
        finish
    fi
}

# fsharp OUT.dll OPTION...: an F# program for .NET, with FSharp.Core beside it; what the compiler prints is in $tmp/build.log
fsharp() {
    local out=$1 fsc=$sdk/FSharp
    shift
    local references=("$refs"/System.*.dll "$refs/mscorlib.dll" "$refs/netstandard.dll" "$fsc/FSharp.Core.dll")
    [ -f "$fsc/fsc.dll" ] && mkdir -p "$(dirname "$out")" && cp "$fsc/FSharp.Core.dll" "$(dirname "$out")" &&
        dotnet exec "$fsc/fsc.dll" --nologo --deterministic+ --targetprofile:netcore --noframework --simpleresolution \
            "${references[@]/#/-r:}" -o:"$out" "$@" >"$tmp/build.log" 2>&1
}

# runs_with_framework FILE: puts a .runtimeconfig.json beside it, for this version and no newer patch
runs_with_framework() {
    echo "{\"runtimeOptions\":{\"rollForward\":\"Disable\",\"framework\":{\"name\":\"Microsoft.NETCore.App\",\"version\":\"$version\"}}}" >"${1%.*}.runtimeconfig.json"
}

# expected FILE: what FILE expects, as the runtime that is tested has it: older ones have other types and other names
expected() {
    local older changes=()
    for older in 9 8 3; do
        [ "${major:-0}" -gt $older ] || changes+=(-f "$older_runtimes/net$older.sed")
    done
    sed "${changes[@]}" -e '' "$1"
}

# find_netstandard: sets $netstandard, what a library for netstandard2.0 refers to; building one fetches its package
find_netstandard() {
    tests/runtime/real/tool.sh tests/runtime/embed/library "$cache/tools/library" >"$tmp/log" 2>&1 &&
        netstandard=$(ls "${NUGET_PACKAGES:-${HOME:-/root}/.nuget/packages}"/netstandard.library/2.*/build/netstandard2.0/ref/netstandard.dll)
}

# find_net_tool ilasm|ildasm: .NET's own, from the packages that tests/runtime/real/fetch.sh fetches; nothing if it is not there
find_net_tool() {
    ls "${NUGET_PACKAGES:-${HOME:-/root}/.nuget/packages}"/runtime.*.microsoft.netcore."$1"/*/runtimes/*/native/"$1" 2>/dev/null | tail -n 1
}
