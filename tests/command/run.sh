#!/bin/bash
# Uses the command as people do, and looks at what it says, what it leaves behind and its exit code.
#
#   run.sh [NAME...]      only tests whose name starts with one of NAMEs
#
# Environment: ILPATCH (the command, build/ilpatch), ILPATCH_TEST_TMP (parent of the scratch folder), ILPATCH_TEST_CACHE
# (real assemblies, build/packages), CC. Most of it needs neither .NET nor Mono: files/README.md.
# What failed stays on disk.
set -u
here=$(cd "$(dirname "$0")" && pwd)
ilpatch=$(readlink -f "${ILPATCH:-build/ilpatch}")
cache=$(readlink -f "${ILPATCH_TEST_CACHE:-build/packages}")
files=$here/files
wanted=$*
if [ ! -x "$ilpatch" ]; then
    echo "run.sh: no $ilpatch (make builds it)" >&2
    exit 1
fi

tmp=$(mktemp -d "${ILPATCH_TEST_TMP:-${TMPDIR:-/tmp}}/ilpatch-command.XXXXXX") || exit 1
passed=0 failed=0 skipped=0
umask 022
ulimit -c 0
export LC_ALL=C.UTF-8 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
# Of a sanitizer's build: an error is none of the exit codes that are expected.
export ASAN_OPTIONS=exitcode=99:${ASAN_OPTIONS:-} UBSAN_OPTIONS=halt_on_error=1:exitcode=99:${UBSAN_OPTIONS:-}
unset ILPATCH_OUTPUT ILPATCH_COUNT ILPATCH_TOSTRING DOTNET_ROOT NUGET_PACKAGES

json_check=$tmp/json_check
${CC:-cc} -o "$json_check" "$here/json_check.c" -ljansson 2>"$tmp/json_check.log" || json_check=

# ---- what tests are written with ----

die() {
    echo "$*"
    exit 1
}

skip() {
    echo "$*"
    exit 77
}

# expect CODE ARGUMENT...: runs ilpatch, which has to end with that code; output goes to out and err.
expect() {
    local wanted_code=$1
    shift
    "$ilpatch" "$@" >out 2>err
    local code=$?
    [ $code -eq "$wanted_code" ] || die "ilpatch $*: exit code $code, not $wanted_code: $(head -c 300 err)"
}

says() { # FILE TEXT...
    local file=$1 text
    shift
    for text in "$@"; do
        grep -qF -- "$text" "$file" || die "$file does not say '$text': $(head -c 300 "$file")"
    done
}

silent() { # FILE
    [ ! -s "$1" ] || die "$1 says: $(head -c 300 "$1")"
}

same() { cmp -s "$1" "$2" || die "$1 and $2 differ"; }
differ() { ! cmp -s "$1" "$2" || die "$1 and $2 are the same"; }
there() { for file; do [ -e "$file" ] || die "$file is missing"; done; }
gone() { for file; do [ ! -e "$file" ] && [ ! -L "$file" ] || die "$file is there"; done; }

# A folder of its own with copies of some files.
give() { # FOLDER FILE...
    mkdir -p "$1"
    local folder=$1
    shift
    for file; do cp "$files/$file" "$folder/" && chmod 644 "$folder/$file"; done
}

# Everything in a folder, with contents: two of these are the same if nothing happened in between.
state_of() {
    (
        cd "$1" || exit
        find . ! -path ./out ! -path ./err ! -path ./dump.txt -printf '%p %y %m %l\n' | sort
        find . -type f ! -path ./out ! -path ./err ! -path ./dump.txt -exec md5sum {} + | sort -k 2
    )
}

# Runs ilpatch, which must fail with this code and leave the folder as it is.
refused() { # CODE FOLDER ARGUMENT...
    local before code=$1 folder=$2
    shift 2
    before=$(state_of "$folder")
    expect "$code" "$@"
    [ -s err ] || die "ilpatch $*: not a word about what is wrong"
    [ "$(state_of "$folder")" = "$before" ] || die "ilpatch $*: failed, but changed something in $folder"
}

# Whether a file is patched: it calls the inspector.
is_patched() {
    "$ilpatch" dump --methods "$1" >dump.txt || die "$1: dump failed"
    grep -q '::MyInspector(' dump.txt
}
patched() { is_patched "$1" || die "$1 is not patched"; }

json() { # FILE PATH...: prints the value
    [ -n "$json_check" ] || skip "no C compiler with jansson"
    "$json_check" get "$@" || die "$1: nothing at ${*:2}"
}
good_report() {
    [ -n "$json_check" ] || skip "no C compiler with jansson"
    "$json_check" report "$1" || die "$1 is no good report"
}

poke() { # FILE OFFSET HEX
    printf "$(echo "$3" | sed 's/../\\x&/g')" | dd of="$1" bs=1 seek=$(($2)) conv=notrunc status=none
}
cli_offset() { "$ilpatch" dump --headers "$1" | sed -n 's/^CLI header at \(0x[0-9A-F]*\),.*/\1/p'; }

# A small file system of its own, unmounted when the test ends: needs root.
small_disk() { # FOLDER SIZE
    mkdir -p "$1"
    mount -t tmpfs -o "size=$2" none "$1" 2>/dev/null || return 1
    trap 'umount "$disk"' EXIT
    disk=$PWD/$1
}

# ---- -o ----

test_output_file() {
    give in Sample.dll
    mkdir out.d
    expect 0 --inspect-returns -o out.d/Other.dll in/Sample.dll
    says out "in/Sample.dll: 8 of 14 methods inspected"
    silent err
    patched out.d/Other.dll
    same in/Sample.dll "$files/Sample.dll"
    [ "$(ls in)" = Sample.dll ] || die "something was left in the input's folder: $(ls in)"
    [ "$(ls out.d)" = "$(printf 'MyProfiler.dll\nOther.dll')" ] || die "out.d has $(ls out.d)"
}

test_output_folder() {
    give in Sample.dll
    mkdir out.d
    expect 0 --inspect-returns --output out.d in/Sample.dll
    patched out.d/Sample.dll
}

test_output_several() {
    give in Sample.dll Hello.exe
    mkdir out.d
    expect 0 --inspect-returns -o out.d in/Sample.dll in/Hello.exe
    patched out.d/Sample.dll
    patched out.d/Hello.exe
    [ "$(wc -l <out)" -eq 2 ] || die "not one line for each: $(cat out)"
}

test_output_deterministic() {
    give a Sample.dll
    give b Sample.dll
    expect 0 --inspect-returns -o 1.dll a/Sample.dll
    expect 0 --inspect-returns -o 2.dll b/Sample.dll
    same 1.dll 2.dll
}

test_output_replaces() {
    give in Sample.dll
    echo old >out.dll
    chmod 600 out.dll
    expect 0 --inspect-returns -o out.dll in/Sample.dll
    patched out.dll
    [ "$(stat -c %a out.dll)" = 644 ] || die "it has not the permissions of its input"
}

test_output_no_folder() {
    give in Sample.dll Hello.exe
    refused 4 . --inspect-returns -o no/Sample.dll in/Sample.dll
    says err "no/Sample.dll: cannot write: No such file or directory"
    refused 2 . --inspect-returns -o no in/Sample.dll in/Hello.exe
    says err "with several files -o must name a folder that exists, and no does not"
    refused 2 . --inspect-returns -o in/Hello.exe in/Sample.dll in/Hello.exe
}

test_output_self() {
    give in Sample.dll
    refused 2 . --inspect-returns -o in/Sample.dll in/Sample.dll
    refused 2 . --inspect-returns -o in in/Sample.dll
    says err "-o names the file itself"
    ln -s in/Sample.dll link.dll
    refused 2 . --inspect-returns -o link.dll in/Sample.dll
    refused 2 . --inspect-returns -o MyProfiler.dll in/Sample.dll
    says err "MyProfiler.dll: the inspector itself has to be there"
    refused 2 . --inspect-returns --report in/Sample.dll -o x.dll in/Sample.dll
    says err "--report would replace in/Sample.dll"
}

test_output_same_names() {
    give a Sample.dll
    give b Sample.dll
    mkdir out.d
    refused 2 . --inspect-returns -o out.d a/Sample.dll b/Sample.dll
    says err "two files are named Sample.dll"
}

# A rename would put a regular file into the device's place.
test_output_device() {
    give in Sample.dll
    refused 4 in --inspect-returns -o /dev/null in/Sample.dll
    [ -c /dev/null ] || die "/dev/null is no device any more"
    gone /dev/MyProfiler.dll
    mkfifo pipe in/pipe.dll
    refused 4 . --inspect-returns -o pipe in/Sample.dll
    refused 3 . --inspect-returns in/pipe.dll
}

test_output_patched() {
    give in Sample.dll
    mkdir once twice
    expect 0 --inspect-returns -o once in/Sample.dll
    expect 0 --inspect-returns -o twice once/Sample.dll
    says out "already-inspected"
    same once/Sample.dll twice/Sample.dll
    there twice/MyProfiler.dll # the copy needs it as much
}

test_output_nothing_to_do() {
    give in Colors.dll
    mkdir out.d
    expect 0 --inspect-returns -o out.d in/Colors.dll
    same in/Colors.dll out.d/Colors.dll
    gone out.d/MyProfiler.dll
}

# ---- in place ----

test_inplace_default() {
    give . Sample.dll
    expect 0 --inspect-returns Sample.dll
    patched Sample.dll
    same Sample.dll.orig "$files/Sample.dll"
    there MyProfiler.dll
    [ -z "$(find . -name '*.tmp*')" ] || die "a temporary file is left"
}

test_inplace_again() {
    give . Sample.dll
    expect 0 --inspect-returns Sample.dll
    cp Sample.dll first.dll
    local made
    made=$(stat -c '%i %Y' Sample.dll.orig)
    expect 0 --inspect-returns Sample.dll
    says out "8 of 14 methods inspected" # from the original, not from what was patched
    same Sample.dll first.dll
    same Sample.dll.orig "$files/Sample.dll"
    [ "$(stat -c '%i %Y' Sample.dll.orig)" = "$made" ] || die "the original was written again"
}

test_inplace_other_inspector() {
    give . Sample.dll good-inspector.dll
    expect 0 --inspect-returns Sample.dll
    expect 0 --inspect-returns --inspector good-inspector.dll Sample.dll
    patched Sample.dll
    grep -q 'Watching.Watch::MyInspector(object)' dump.txt || die "the other inspector is not called"
    ! grep -q 'MyProfiler' dump.txt || die "the first inspector is still called"
    same Sample.dll.orig "$files/Sample.dll"
}

# -o starts from the original, too, so that one inspector replaces the other.
test_inplace_then_output() {
    give . Sample.dll good-inspector.dll
    expect 0 --inspect-returns Sample.dll
    mkdir out.d
    expect 0 --inspect-returns --inspector good-inspector.dll -o out.d Sample.dll
    patched out.d/Sample.dll
    ! grep -q MyProfiler dump.txt || die "the first inspector is still called"
    expect 0 --inspect-returns -o again.dll Sample.dll
    same again.dll Sample.dll
}

test_inplace_rebuilt() {
    give . Sample.dll
    expect 0 --inspect-returns Sample.dll
    cp "$files/Hello.exe" Sample.dll # somebody compiled
    refused 4 . --inspect-returns Sample.dll
    says err "Sample.dll was not made from Sample.dll.orig (was it rebuilt?)"
    rm Sample.dll.orig
    expect 0 --inspect-returns Sample.dll
    same Sample.dll.orig "$files/Hello.exe"
}

test_inplace_foreign_original() {
    give . Sample.dll
    echo mine >Sample.dll.orig
    refused 4 . --inspect-returns Sample.dll
    refused 4 . --inspect-returns --in-place Sample.dll
}

test_inplace_no_copy() {
    give . Sample.dll
    expect 0 --inspect-returns --in-place Sample.dll
    patched Sample.dll
    gone Sample.dll.orig
    cp Sample.dll first.dll
    expect 0 --inspect-returns --in-place Sample.dll
    same Sample.dll first.dll
    expect 0 --inspect-returns Sample.dll
    same Sample.dll first.dll
    gone Sample.dll.orig
}

test_inplace_original_as_file() {
    give . Sample.dll
    expect 0 --inspect-returns Sample.dll
    refused 2 . --inspect-returns Sample.dll.orig
    says err "Sample.dll.orig is an original that is kept"
    gone Sample.dll.orig.orig
    expect 0 --inspect-returns -o copy.dll Sample.dll.orig
    same copy.dll Sample.dll
}

test_inplace_several() {
    give . Sample.dll Hello.exe
    expect 3 --inspect-returns Sample.dll missing.dll Hello.exe # the others are done all the same
    patched Sample.dll
    patched Hello.exe
    says err "missing.dll: cannot read: No such file or directory"
}

test_inplace_nothing_to_do() {
    give . Colors.dll
    expect 0 --inspect-returns Colors.dll
    same Colors.dll "$files/Colors.dll"
    gone Colors.dll.orig MyProfiler.dll
}

test_inplace_odd_names() {
    give . Sample.dll
    mkdir "a folder"
    cp Sample.dll "a folder/a file.dll"
    cp Sample.dll ./-x.dll
    cp Sample.dll '%s%n.dll'
    expect 0 --inspect-returns "a folder/a file.dll" '%s%n.dll' -- -x.dll
    patched "a folder/a file.dll"
    patched '%s%n.dll'
    there ./-x.dll.orig '%s%n.dll.orig'
    expect 0 restore -- -x.dll '%s%n.dll'
    same ./-x.dll Sample.dll
    same '%s%n.dll' Sample.dll
}

# ---- restore ----

test_restore() {
    give . Sample.dll
    printf '{"runtimeTarget":{"name":"T"},"targets":{"T":{}},\n"libraries":{}}' >Sample.deps.json
    local before
    before=$(state_of .)
    expect 0 --inspect-returns Sample.dll
    there MyProfiler.dll
    expect 0 restore Sample.dll
    silent out
    silent err
    [ "$(state_of .)" = "$before" ] || die "not everything is as it was: $(ls)"
}

test_restore_two() {
    give . Sample.dll Hello.exe
    printf '{"runtimeTarget":{"name":"T"},"targets":{"T":{}},"libraries":{}}' >App.deps.json
    cp App.deps.json before.json
    expect 0 --inspect-returns Sample.dll Hello.exe
    expect 0 restore Sample.dll
    there MyProfiler.dll
    differ App.deps.json before.json
    expect 0 restore Hello.exe
    gone MyProfiler.dll App.deps.json.orig
    same App.deps.json before.json
}

# A file that was patched without a copy still needs the inspector; somebody's notes.txt.orig does not.
test_restore_inspector_needed() {
    give . Sample.dll Hello.exe
    echo >notes.txt.orig
    expect 0 --inspect-returns Sample.dll
    expect 0 --inspect-returns --in-place Hello.exe
    expect 0 restore Sample.dll
    there MyProfiler.dll
    cp "$files/Hello.exe" Hello.exe
    expect 0 --inspect-returns Sample.dll
    expect 0 restore Sample.dll
    gone MyProfiler.dll
}

test_restore_nothing() {
    give . Sample.dll
    refused 1 . restore Sample.dll
    says err "Sample.dll: there is no Sample.dll.orig to restore it from"
    refused 1 . restore missing.dll
    expect 0 --inspect-returns Sample.dll
    expect 1 restore missing.dll Sample.dll
    same Sample.dll "$files/Sample.dll"
}

test_restore_rebuilt() {
    give . Sample.dll
    expect 0 --inspect-returns Sample.dll
    cp "$files/Hello.exe" Sample.dll
    refused 1 . restore Sample.dll
    says err "was it rebuilt?"
}

test_restore_deleted() {
    give . Sample.dll
    expect 0 --inspect-returns Sample.dll
    rm Sample.dll
    expect 0 restore Sample.dll
    same Sample.dll "$files/Sample.dll"
}

test_restore_own_inspector() {
    give . Sample.dll good-inspector.dll
    expect 0 --inspect-returns --inspector good-inspector.dll Sample.dll
    there Watcher.dll
    expect 0 restore Sample.dll
    same Sample.dll "$files/Sample.dll"
    there Watcher.dll # it may have been there before
}

# ---- permissions and links ----

test_permissions() {
    give . Sample.dll Hello.exe
    chmod 640 Sample.dll
    chmod 755 Hello.exe
    expect 0 --inspect-returns Sample.dll Hello.exe
    [ "$(stat -c %a Sample.dll Hello.exe Sample.dll.orig | xargs)" = "640 755 640" ] ||
        die "$(stat -c '%n %a' Sample.dll Hello.exe Sample.dll.orig)"
    [ "$(stat -c %a MyProfiler.dll)" = 644 ] || die "the inspector cannot be read by all"
}

test_owner() {
    [ "$(id -u)" -eq 0 ] || skip "not root"
    give . Sample.dll
    chown 12345:12346 Sample.dll
    expect 0 --inspect-returns Sample.dll
    [ "$(stat -c %u:%g Sample.dll)" = 12345:12346 ] || die "the file changed hands"
}

# What the link leads to is patched; the link stays one.
test_symbolic_link() {
    give real Sample.dll
    ln -s real/Sample.dll link.dll
    expect 0 --inspect-returns link.dll
    [ -L link.dll ] || die "the link is a file now"
    patched real/Sample.dll
    there real/Sample.dll.orig real/MyProfiler.dll
    gone link.dll.orig MyProfiler.dll
    cp real/Sample.dll first.dll
    expect 0 --inspect-returns link.dll
    same real/Sample.dll first.dll
    expect 0 restore link.dll
    [ -L link.dll ] || die "the link is a file now"
    same real/Sample.dll "$files/Sample.dll"
    [ "$(ls real)" = Sample.dll ] || die "real has $(ls real)"
    ln -s nowhere broken.dll
    refused 3 . --inspect-returns broken.dll
}

test_hard_link() {
    give . Sample.dll
    ln Sample.dll other.dll
    expect 0 --inspect-returns Sample.dll
    same other.dll "$files/Sample.dll" # another name of the original, not of what was patched
    patched Sample.dll
}

test_read_only_folder() {
    if [ "$(id -u)" -eq 0 ]; then
        small_disk ro 1m || skip "root may write anywhere, and mount does not work"
        give ro Sample.dll
        mount -o remount,ro "$disk"
    else
        give ro Sample.dll
        chmod 555 ro
    fi
    refused 4 ro --inspect-returns ro/Sample.dll
    says err "ro/Sample.dll: cannot write: "
    refused 4 ro --inspect-returns --report ro/r.json -o x.dll ro/Sample.dll
    says err "ro/r.json: cannot write: "
    expect 0 list ro/Sample.dll
    [ "$(id -u)" -eq 0 ] || chmod 755 ro
}

test_full_disk() {
    small_disk full 12k || skip "mount does not work"
    give full Sample.dll # 5 KB, two pages; the patched one needs three
    refused 4 full --inspect-returns full/Sample.dll
    says err "cannot write: No space left on device"
    refused 4 full --inspect-returns --in-place full/Sample.dll
    refused 4 full --inspect-returns -o full/x.dll full/Sample.dll
}

# The assembly fits, the inspector does not.
test_full_disk_inspector() {
    small_disk full 32k || skip "mount does not work"
    give full Sample.dll
    refused 4 full --inspect-returns full/Sample.dll
    says err "full/MyProfiler.dll: cannot write: No space left on device"
}

test_file_size_limit() {
    give . Sample.dll
    (
        ulimit -f 4
        refused 4 . --inspect-returns Sample.dll
        says err "cannot write: File too large"
    )
}

# ---- inputs that cannot be patched ----

test_bad_files() {
    mkdir in
    : >in/empty.dll
    head -c 100 /dev/zero >in/zeros.dll
    echo "MZ but nothing else, though there are more than sixty-four bytes in this" >in/text.dll
    mkdir in/folder.dll
    for file in in/empty.dll in/zeros.dll in/text.dll in/folder.dll in/missing.dll; do
        for command in --inspect-returns list dump; do
            refused 3 in $command "$file"
            says err "ilpatch: $file: "
            silent out
        done
    done
    refused 3 in --inspect-returns in/folder.dll
    says err "in/folder.dll: cannot read: Is a directory"
}

test_truncated() {
    mkdir in
    for size in 1 63 64 130 200 400 512 600 1000 2000 3000; do
        head -c $size "$files/Sample.dll" >in/cut.dll
        refused 3 in --inspect-returns in/cut.dll
        says err "ilpatch: in/cut.dll: "
    done
}

test_native() {
    give in Sample.dll
    local headers
    headers=$("$ilpatch" dump --headers in/Sample.dll)
    says <(echo "$headers") "directory 14"
    # PE header at 0x80, CLI header's directory at 0x80 + 24 + 96 + 14 * 8
    poke in/Sample.dll 0x168 0000000000000000
    refused 3 in --inspect-returns in/Sample.dll
    says err "in/Sample.dll: not a .NET assembly: the PE file has no CLI header"
}

test_ready_to_run() {
    give in Sample.dll
    poke in/Sample.dll "$(cli_offset in/Sample.dll) + 64" 0020000010000000
    refused 3 in --inspect-returns in/Sample.dll
    says err "ReadyToRun"
    local root
    root=$(dirname "$(readlink -f "$(command -v dotnet || echo /)")")
    for framework in "$root"/shared/Microsoft.NETCore.App/*/System.Linq.dll; do
        [ -f "$framework" ] || continue
        cp "$framework" in/
        refused 3 in --inspect-returns in/System.Linq.dll
        says err "ReadyToRun"
    done
}

test_mixed_mode() {
    give in Sample.dll
    poke in/Sample.dll "$(cli_offset in/Sample.dll) + 16" 00000000
    refused 3 in --inspect-returns in/Sample.dll
    says err "mixed-mode"
}

test_core_library() {
    give in unsupported-core.dll
    refused 3 in --inspect-returns in/unsupported-core.dll
    says err "a core library"
    refused 3 in list in/unsupported-core.dll
}

test_inspector_itself() {
    give . Sample.dll
    expect 0 --inspect-returns Sample.dll
    refused 1 . --inspect-returns MyProfiler.dll
    says err "MyProfiler.dll: MyProfiler is the inspector itself"
    refused 1 . list MyProfiler.dll
}

# ---- inspectors of one's own ----

test_inspector_own() {
    give . Sample.dll good-inspector.dll
    mkdir out.d
    expect 0 --inspect-returns --inspector good-inspector.dll -o out.d Sample.dll
    same good-inspector.dll out.d/Watcher.dll # a runtime looks for it by its assembly's name
    gone out.d/MyProfiler.dll
    patched out.d/Sample.dll
    grep -q 'Watching.Watch::MyInspector(object)' dump.txt || die "not called"
    ! grep -q ldstr.*Sample.Values dump.txt || die "it takes no name"
    expect 0 list --inspector good-inspector.dll Sample.dll
    says out "+ dup; box; call" "+ dup; call"
    expect 0 list Sample.dll
    says out "+ dup; box; ldstr; call"
}

test_inspector_bad() {
    give . Sample.dll bad-inspector-none.dll bad-inspector-two.dll bad-inspector-module.netmodule \
        bad-inspector-circle.dll
    echo text >text.dll
    for inspector in missing.dll text.dll bad-inspector-none.dll bad-inspector-two.dll \
        bad-inspector-module.netmodule; do
        for command in --inspect-returns list; do
            refused 3 . $command --inspector $inspector Sample.dll
            says err "$inspector: "
        done
    done
    refused 3 . --inspect-returns --inspector missing.dll Sample.dll
    says err "missing.dll: cannot read the inspector: No such file"
    refused 3 . --inspect-returns --inspector bad-inspector-two.dll Sample.dll
    says err "more than one public class has a method MyInspector"
    refused 1 . --inspect-returns --inspector bad-inspector-circle.dll Sample.dll
    says err "the inspector Circle uses Sample"
    give other Hello.exe
    expect 0 --inspect-returns --inspector bad-inspector-circle.dll other/Hello.exe # Hello is not used by it
}

test_inspector_in_the_way() {
    give . Sample.dll
    cp "$files/Hello.exe" MyProfiler.dll
    refused 4 . --inspect-returns Sample.dll
    says err "MyProfiler.dll is there already and is another file"
    echo text >MyProfiler.dll
    refused 4 . --inspect-returns Sample.dll
    rm MyProfiler.dll
    mkdir MyProfiler.dll
    refused 4 . --inspect-returns Sample.dll
}

# Another version of the stock inspector is replaced.
test_inspector_older() {
    give . Sample.dll
    expect 0 --inspect-returns Sample.dll
    cp MyProfiler.dll stock.dll
    echo >>MyProfiler.dll
    expect 0 --inspect-returns Sample.dll
    same MyProfiler.dll stock.dll
}

# ---- .deps.json ----

deps='{
  "runtimeTarget": { "name": ".NETCoreApp,Version=v10.0/x", "signature": "" },
  "compilationOptions": {},
  "targets": {
    ".NETCoreApp,Version=v10.0": { "Z/1.0.0": {} },
    ".NETCoreApp,Version=v10.0/x": { "Sample/1.0.0": { "runtime": { "Sample.dll": {} } } }
  },
  "libraries": { "Sample/1.0.0": { "type": "project", "serviceable": false, "sha512": "" } },
  "later": [1, 2.5, true, null, "\u00fc"]
}'

test_deps() {
    give . Sample.dll
    echo "$deps" >Sample.deps.json
    expect 0 --inspect-returns Sample.dll
    [ "$(json Sample.deps.json targets .NETCoreApp,Version=v10.0/x MyProfiler/1.0.0 runtime MyProfiler.dll assemblyVersion)" = 1.0.0.0 ] ||
        die "no entry among the targets: $(cat Sample.deps.json)"
    [ "$(json Sample.deps.json libraries MyProfiler/1.0.0 type)" = reference ] || die "no library"
    [ "$(json Sample.deps.json later)" = '[1,2.5,true,null,"ü"]' ] || die "something was lost: $(cat Sample.deps.json)"
    [ "$(json Sample.deps.json targets .NETCoreApp,Version=v10.0)" = '{"Z/1.0.0":{}}' ] || die "another target was changed"
    [ "$(json Sample.deps.json targets .NETCoreApp,Version=v10.0/x Sample/1.0.0)" = '{"runtime":{"Sample.dll":{}}}' ] ||
        die "another entry was changed"
    cp Sample.deps.json first.json
    expect 0 --inspect-returns Sample.dll
    same Sample.deps.json first.json
    echo "$deps" | cmp -s - Sample.deps.json.orig || die "the original is not kept"
    expect 0 restore Sample.dll
    echo "$deps" | cmp -s - Sample.deps.json || die "not restored byte for byte"
    gone Sample.deps.json.orig
}

test_deps_several() {
    give . Sample.dll
    echo "$deps" >A.deps.json
    echo "$deps" >B.deps.json
    expect 0 --inspect-returns Sample.dll
    grep -q MyProfiler A.deps.json && grep -q MyProfiler B.deps.json || die "not in both"
    expect 0 restore Sample.dll
    cmp -s A.deps.json B.deps.json || die "not both restored"
}

test_deps_other() {
    give . Sample.dll
    echo '{ "targets": ' >broken.deps.json
    echo '[1]' >list.deps.json
    echo '{"targets":{"T":{}}}' >notarget.deps.json
    echo '{"runtimeTarget":{"name":"U"},"targets":{"T":{}}}' >othertarget.deps.json
    echo '{"runtimeTarget":{"name":"T"},"targets":{"T":[]}}' >array.deps.json
    : >empty.deps.json
    mkdir folder.deps.json saved
    cp ./*.deps.json saved/ 2>/dev/null
    expect 0 --inspect-returns Sample.dll
    silent err
    for file in saved/*; do same "$file" "${file#saved/}"; done
    gone ./*.deps.json.orig
    expect 0 restore Sample.dll
}

# Somebody changes the file while the assembly is patched: only our entry goes.
test_deps_changed() {
    give . Sample.dll
    echo "$deps" >Sample.deps.json
    expect 0 --inspect-returns Sample.dll
    sed -i 's/"Z\/1.0.0"/"Y\/2.0.0"/' Sample.deps.json
    expect 0 restore Sample.dll
    [ "$(json Sample.deps.json targets .NETCoreApp,Version=v10.0)" = '{"Y/2.0.0":{}}' ] || die "the change is lost"
    ! grep -q MyProfiler Sample.deps.json || die "the entry is still there"
}

# The application lists the inspector's assembly by itself: that entry is not ours to remove.
test_deps_own_entry() {
    give . Sample.dll good-inspector.dll
    echo "$deps" | sed 's|"Sample/1.0.0": {|"Watcher/2.1.0": { "runtime": { "Watcher.dll": {} } }, &|' >Sample.deps.json
    cp Sample.deps.json before.json
    expect 0 --inspect-returns --inspector good-inspector.dll Sample.dll
    same Sample.deps.json before.json
    expect 0 restore Sample.dll
    same Sample.deps.json before.json
}

# With an inspector of one's own, too, the entry goes; the file stays.
test_deps_own_inspector() {
    give . Sample.dll good-inspector.dll
    echo "$deps" >Sample.deps.json
    cp Sample.deps.json before.json
    expect 0 --inspect-returns --inspector good-inspector.dll Sample.dll
    [ "$(json Sample.deps.json targets .NETCoreApp,Version=v10.0/x Watcher/2.1.0 runtime Watcher.dll fileVersion)" = 2.1.0.0 ] ||
        die "no entry: $(cat Sample.deps.json)"
    expect 0 restore Sample.dll
    same Sample.deps.json before.json
}

test_deps_with_output() {
    give in Sample.dll
    echo "$deps" >in/Sample.deps.json
    mkdir out.d
    echo "$deps" >out.d/Sample.deps.json
    expect 0 --inspect-returns -o out.d in/Sample.dll
    grep -q MyProfiler out.d/Sample.deps.json || die "no entry where the output is"
    ! grep -q MyProfiler in/Sample.deps.json || die "an entry where the input is"
}

# ---- reports ----

test_report() {
    give . Sample.dll Hello.exe Painter.dll
    echo text >bad.dll
    expect 3 --inspect-returns --report r.json Sample.dll bad.dll missing.dll Painter.dll Hello.exe
    good_report r.json
    [ "$(json r.json modules 0 file)" = Sample.dll ] || die "not in the order of the files"
    [ "$(json r.json modules 0 summary methods)" = 14 ] || die "Sample has 14 methods"
    [ "$(json r.json modules 0 summary byref-like)" = 1 ] || die "one of them returns a span"
    [ "$(json r.json modules 0 written bytes)" = "$(stat -c %s Sample.dll)" ] || die "not the size that was written"
    [ "$(json r.json modules 0 methods 0 name)" = Sample.Values::Number ] || die "the first is Number"
    [ "$(json r.json modules 0 methods 0 sites ret)" = 1 ] || die "with one ret"
    [ "$(json r.json modules 1 error)" = NOT_PE ] || die "bad.dll is no PE file"
    [ "$(json r.json modules 2 error)" = IO ] || die "missing.dll could not be read"
    [ "$(json r.json modules 3 summary unresolved)" = 1 ] || die "Painter has an enum from elsewhere"
    [ "$(json r.json modules 3 methods 0 detail)" = Colors.Shade ] || die "whose name it says"
    [ "$(json r.json modules 4 file)" = Hello.exe ] || die "five modules"
    [ "$(stat -c %a r.json)" = 644 ] || die "others cannot read it"
}

test_report_failures() {
    give . Sample.dll unsupported-core.dll bad-inspector-none.dll
    cp "$files/Hello.exe" MyProfiler.dll
    expect 4 --inspect-returns --report r.json Sample.dll unsupported-core.dll
    good_report r.json
    [ "$(json r.json modules 0 error)" = IO ] || die "the inspector could not be placed"
    [ "$(json r.json modules 1 error)" = CORE_LIBRARY ] || die "a core library"
    expect 3 --inspect-returns --inspector bad-inspector-none.dll --report s.json Sample.dll
    good_report s.json
    [ "$(json s.json modules)" = '[]' ] || die "no module was looked at"
}

test_report_stdout() {
    give . Sample.dll
    "$ilpatch" --inspect-returns -q -o x.dll --report /dev/stdout Sample.dll | cat >r.json
    good_report r.json
    expect 4 --inspect-returns -q -o x.dll --report /dev/full Sample.dll
    says err "/dev/full: cannot write: No space left on device"
    [ -c /dev/full ] || die "/dev/full is no device any more"
}

test_report_unwritable() {
    give . Sample.dll
    refused 4 . --inspect-returns --report no/r.json Sample.dll
    says err "no/r.json: cannot write: No such file or directory"
    mkdir folder
    refused 4 . --inspect-returns --report folder Sample.dll
    says err "folder: cannot write: Is a directory"
}

test_quiet() {
    give . Sample.dll
    expect 0 --inspect-returns -q Sample.dll
    silent out
    silent err
    expect 0 inspect --quiet Sample.dll
    silent out
}

# ---- list and dump ----

test_list() {
    give . Sample.dll
    expect 0 list Sample.dll
    [ "$(wc -l <out)" -eq 14 ] || die "not one line for each method"
    says out "06000001  inspected          int32 Sample.Values::Number()  + dup; box; ldstr; call" \
        "byref-like         valuetype System.Span\`1<int32> Sample.Values::Numbers()" \
        "  - returns a reference (T&)" "no-return" "pointer" "void"
    same Sample.dll "$files/Sample.dll"
    give painter Painter.dll
    expect 0 list painter/Painter.dll
    says out "unresolved" "(Colors.Shade)"
    expect 0 list --reference-path "$files" painter/Painter.dll
    ! grep -q unresolved out || die "Colors was not found"
}

test_dump() {
    give . Sample.dll Sample.pdb
    expect 0 dump Sample.dll
    says out "PE 32, machine" "stream #Strings" "table 0x02 TypeDef" "Name=Number" \
        "method 06000001 int32 Sample.Values::Number()" "ldc.i4.s   42" "max stack"
    expect 0 dump --headers Sample.dll
    ! grep -q "^table\|^method" out || die "more than headers"
    expect 0 dump --tables Sample.dll
    ! grep -q "^PE\|^method" out || die "more than tables"
    expect 0 dump --methods Sample.dll
    [ "$(grep -c ^method out)" -eq 14 ] || die "not every method"
    ! grep -q "^PE\|^table" out || die "more than methods"
    expect 0 dump --method 0x06000002 Sample.dll
    [ "$(grep -c ^method out)" -eq 1 ] || die "not one method"
    says out 'ldstr      "text"'
    expect 0 dump --method 06000002 Sample.dll
    expect 2 dump --method 0x06000063 Sample.dll
    expect 2 dump --method 0x02000001 Sample.dll
    expect 2 dump --method Number Sample.dll
    expect 2 dump --method "" Sample.dll
    expect 0 dump Sample.pdb
    says out "#Pdb" "SequencePoints=" "table 0x30 Document"
    expect 3 --inspect-returns -o x.dll Sample.pdb
    gone x.dll
}

# What is broken in the middle is shown as far as it goes.
test_dump_broken() {
    give . Sample.dll
    local code
    code=$("$ilpatch" dump --method 06000001 Sample.dll | sed -n 's/.* at \(0x[0-9A-F]*\) (rva.*/\1/p')
    poke Sample.dll "$code" FF
    expect 0 dump --methods Sample.dll
    says out "<bad body>" "method 06000002"
    expect 0 list Sample.dll
    says out "06000001  bad-body"
    expect 1 --inspect-returns -o x.dll Sample.dll
    says out "1 bad-body"
}

# ---- output that goes nowhere ----

test_stdout_full() {
    give . Sample.dll
    for arguments in "list Sample.dll" "dump Sample.dll" "--help" "--version" "dump --help" \
        "--inspect-returns -o x.dll Sample.dll"; do
        # shellcheck disable=SC2086
        "$ilpatch" $arguments >/dev/full 2>err
        [ $? -eq 4 ] || die "$arguments > /dev/full: not exit code 4"
        says err "cannot write to standard output: No space left on device"
        # shellcheck disable=SC2086
        "$ilpatch" $arguments >&- 2>err
        [ $? -eq 4 ] || die "$arguments >&-: not exit code 4"
        says err "cannot write to standard output: "
    done
    patched x.dll # what was asked for was done
    "$ilpatch" --inspect-returns Sample.dll >&- 2>&- <&- # the file's number is not that of a closed stream
    patched Sample.dll
    head -c 2 Sample.dll | grep -q MZ || die "the summary went into the file"
}

# As any filter, list and dump end with the reader; patching goes on.
test_stdout_pipe() {
    give . Sample.dll Hello.exe
    { "$ilpatch" dump Sample.dll 2>err; echo $? >code; } | head -n 1 >first
    says first "PE 32"
    silent err
    [ "$(cat code)" -eq 141 ] || [ "$(cat code)" -eq 0 ] || die "exit code $(cat code)"
    { sleep 0.2; "$ilpatch" --inspect-returns Sample.dll Hello.exe 2>err; echo $? >code; } | true
    [ "$(cat code)" -eq 4 ] || die "exit code $(cat code)"
    says err "cannot write to standard output: Broken pipe"
    patched Sample.dll
    patched Hello.exe
}

# ---- usage ----

test_usage() {
    give . Sample.dll
    refused 2 .
    says err "ilpatch shows the values"
    while IFS='|' read -r arguments text; do
        # shellcheck disable=SC2086
        refused 2 . $arguments
        says err "ilpatch: $text"
        says err "Try 'ilpatch"
        silent out
    done <<'TABLE'
Sample.dll|unknown command 'Sample.dll'; to patch a file say --inspect-returns Sample.dll
nonsense|unknown command 'nonsense'
--inspect-returns|no file is named
inspect|no file is named
-o x.dll Sample.dll|nothing to do: say --inspect-returns
--inspect-returns -o x.dll --in-place Sample.dll|-o and --in-place exclude each other
--inspect-returns --nonsense Sample.dll|unknown option --nonsense
--inspect-returns -z Sample.dll|unknown option -z
--inspect-returns -zq Sample.dll|unknown option -z
--inspect-returns -qz Sample.dll|unknown option -z
--inspect-returns --quiet=1 Sample.dll|unknown option --quiet=1
--inspect-returns --in-place=1 Sample.dll|unknown option --in-place=1
--inspect-returns --in Sample.dll|unknown option --in
--inspect-returns Sample.dll -o|-o needs a value
--inspect-returns Sample.dll --output|--output needs a value
--inspect-returns Sample.dll --inspector|--inspector needs a value
--inspect-returns Sample.dll --report|--report needs a value
--inspect-returns Sample.dll --reference-path|--reference-path needs a value
list|one file has to be named
list Sample.dll Sample.dll|one file has to be named
list --nonsense Sample.dll|unknown option --nonsense
list --inspector|--inspector needs a value
dump|one file has to be named
dump --nonsense Sample.dll|unknown option --nonsense
dump --method|--method needs a value
dump --method x Sample.dll|'x' is no token
restore|no file is named
restore --nonsense Sample.dll|unknown option --nonsense
TABLE
}

test_help() {
    for command in "" inspect list dump restore; do
        for option in --help -h; do
            # shellcheck disable=SC2086
            expect 0 $command $option
            says out ilpatch
            silent err
        done
    done
    expect 0 help
    expect 0 --inspect-returns --help
    says out "--inspector X.dll"
    expect 0 --version
    [ "$(cat out)" = "ilpatch $(sed -n 's/^#define ILP_VERSION "\(.*\)"/\1/p' "$here/../../include/ilpatch.h")" ] ||
        die "--version says $(cat out)"
}

test_exit_codes() {
    give . Sample.dll Painter.dll
    expect 0 --inspect-returns -o x.dll Sample.dll
    expect 1 --inspect-returns -o y.dll Painter.dll
    expect 2 --inspect-returns
    expect 3 --inspect-returns missing.dll
    expect 4 --inspect-returns -o no/x.dll Sample.dll
    mkdir out.d # of several files the worst counts
    expect 3 --inspect-returns -o out.d Sample.dll Painter.dll missing.dll
    expect 1 --inspect-returns -o out.d Sample.dll Painter.dll
}

# ---- interruption ----

# Nobody reads the summaries: it stands still when the pipe is full, and the report is not complete yet.
test_interrupt() {
    give in Sample.dll
    local long
    long=$(printf 'x%.0s' {1..200})
    for i in {1..300}; do ln in/Sample.dll "in/$long$i.dll"; done
    for signal in INT TERM HUP KILL; do
        rm -rf out.d
        mkdir out.d
        mkfifo out.d/pipe
        sleep 60 <>out.d/pipe &
        local reader=$! tries=0
        # bash gives background jobs an ignored SIGINT; env gives it back
        env --default-signal=INT "$ilpatch" --inspect-returns -o out.d --report r.json in/*.dll >out.d/pipe 2>err &
        local job=$!
        until [ "$(ls out.d | wc -l)" -gt 150 ] || [ $tries -ge 200 ]; do
            sleep 0.05
            tries=$((tries + 1))
        done
        sleep 0.3
        kill -$signal $job
        wait $job
        [ $? -gt 128 ] || die "SIG$signal did not end it: $(cat err)"
        kill $reader
        gone r.json
        [ $signal = KILL ] || [ -z "$(find . -name '*.tmp*')" ] || die "SIG$signal leaves a temporary file"
        patched "out.d/${long}1.dll"
        rm -f r.json.tmp*
    done
}

big_file() {
    for file in "$cache"/net/Microsoft.CodeAnalysis.CSharp.dll "$cache"/net/FSharp.Core.dll /usr/lib/mono/4.5/mcs.exe; do
        [ -f "$file" ] && echo "$file" && return 0
    done
    return 1
}

# Killed at any moment, the file is the old one or the new one, and the original is not lost.
test_kill() {
    local big delay job
    big=$(big_file) || skip "no large assembly"
    cp "$big" before.dll
    "$ilpatch" --inspect-returns -q -o after.dll before.dll 2>err
    [ -e after.dll ] || die "$(cat err)"
    rm -f MyProfiler.dll
    for delay in 0 0.01 0.02 0.03 0.04 0.05 0.06 0.07 0.08 0.1 0.12 0.15 0.2; do
        rm -rf work
        mkdir work
        cp before.dll work/Big.dll
        "$ilpatch" --inspect-returns -q work/Big.dll >/dev/null 2>&1 &
        job=$!
        sleep $delay
        kill -KILL $job 2>/dev/null
        wait $job 2>/dev/null
        cmp -s work/Big.dll before.dll || cmp -s work/Big.dll after.dll || die "after $delay s: half a file"
        [ ! -e work/Big.dll.orig ] || same work/Big.dll.orig before.dll
        cmp -s work/Big.dll before.dll || there work/Big.dll.orig work/MyProfiler.dll
        "$ilpatch" --inspect-returns -q work/Big.dll >/dev/null 2>err # and it can be done again
        same work/Big.dll after.dll
    done
}

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
    done
    cp "$files/Colors.dll" dotnet/shared/My.App/1.2.3/ # the newest patch of the lowest minor that will do
    export DOTNET_ROOT=$PWD/dotnet
    expect 1 --inspect-returns -o x.dll Painter.dll
    echo '{"runtimeOptions":{"framework":{"name":"My.App","version":"1.2.0"}}}' >Painter.runtimeconfig.json
    expect 0 --inspect-returns -o x.dll Painter.dll
    echo '{"runtimeOptions":{"frameworks":[{"name":"Other"},{"name":"My.App","version":"1.1.5"}]}}' >Painter.runtimeconfig.json
    expect 0 --inspect-returns -o x.dll Painter.dll
    echo '{"runtimeOptions":{"framework":{"name":"My.App","version":"1.3.0"}}}' >Painter.runtimeconfig.json
    expect 1 --inspect-returns -o x.dll Painter.dll
    echo '{"runtimeOptions":{"framework":{"name":"../My.App","version":"1.2.0"}}}' >Painter.runtimeconfig.json
    expect 1 --inspect-returns -o x.dll Painter.dll
    echo 'not JSON' >Painter.runtimeconfig.json
    expect 1 --inspect-returns -o x.dll Painter.dll
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

# The framework of the machine: System.Uri is a class, System.Guid is known by name, Rune lies in the framework.
test_reference_machine() {
    give . Sample.dll
    expect 0 --inspect-returns -o x.dll --report r.json Sample.dll
    [ "$(json r.json modules 0 methods 5 answer)" = inspected ] || die "System.DateTime is not known"
    [ "$(json r.json modules 0 methods 7 answer)" = byref-like ] || die "System.Span is not known"
}

# ---- and it runs ----

test_run_mono() {
    command -v mono >/dev/null || skip "no mono"
    give . Hello.exe
    mono Hello.exe >before || die "Hello does not run as it is"
    expect 0 --inspect-returns Hello.exe
    mono Hello.exe >after 2>values || die "$(cat values)"
    same before after
    says values 'Hello.Program::Greeting -> "Hello, world"' 'Hello.Program::Main -> 0'
    expect 0 restore Hello.exe
    mono Hello.exe >after 2>values
    same before after
    silent values
}

test_run_dotnet() {
    dotnet --list-runtimes 2>/dev/null | grep -q 'Microsoft.NETCore.App 10' || skip "no .NET 10"
    give . Sample.dll
    echo '{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"}}}' >Sample.runtimeconfig.json
    echo "$deps" >Sample.deps.json
    dotnet Sample.dll >before || die "Sample does not run as it is"
    expect 0 --inspect-returns Sample.dll
    dotnet Sample.dll >after 2>values || die "$(cat values)"
    same before after
    says values 'Sample.Values::Number -> 42' 'Sample.Values::Shade -> ' 'Sample.Program::Main -> 0'
}

# ---- all of them ----

selected() {
    [ -n "$wanted" ] || return 0
    for prefix in $wanted; do
        case $1 in "$prefix"*) return 0 ;; esac
    done
    return 1
}

for name in $(compgen -A function test_); do
    name=${name#test_}
    selected "$name" || continue
    mkdir "$tmp/$name"
    why=$(cd "$tmp/$name" && "test_$name" 2>&1)
    case $? in
    0)
        echo "ok $name"
        passed=$((passed + 1))
        rm -rf "${tmp:?}/$name"
        ;;
    77)
        echo "skip $name: $why"
        skipped=$((skipped + 1))
        ;;
    *)
        echo "FAIL $name: $why (in $tmp/$name)"
        failed=$((failed + 1))
        ;;
    esac
done

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -gt 0 ] || rm -rf "$tmp"
[ $failed -eq 0 ]
