# shellcheck shell=bash disable=SC2154
# Permissions, links, disks that are full or read-only, and being interrupted. Sourced by run.sh.

# ---- permissions and links ----

test_permissions() {
    needs_linux "permissions"
    give . Sample.dll Hello.exe
    chmod 640 Sample.dll
    chmod 755 Hello.exe
    expect 0 --inspect-returns Sample.dll Hello.exe
    [ "$(stat -c %a Sample.dll Hello.exe Sample.dll.orig | tr '\n' ' ')" = "640 755 640 " ] ||
        die "$(stat -c '%n %a' Sample.dll Hello.exe Sample.dll.orig)"
    [ "$(stat -c %a MyProfiler.dll)" = 644 ] || die "the inspector cannot be read by all"
}

test_owner() {
    needs_linux "owners of files"
    [ "$(id -u)" -eq 0 ] || skip_case "not root"
    give . Sample.dll
    chown 12345:12346 Sample.dll
    expect 0 --inspect-returns Sample.dll
    [ "$(stat -c %u:%g Sample.dll)" = 12345:12346 ] || die "the file changed hands"
}

# What the link leads to is patched; the link stays one.
test_symbolic_link() {
    needs_linux "symbolic links"
    give real Sample.dll
    ln -s real/Sample.dll link.dll
    expect 0 --inspect-returns link.dll
    [ -L link.dll ] || die "the link is a file now"
    patched real/Sample.dll
    there real/Sample.dll.orig real/MyProfiler.dll
    gone link.dll.orig MyProfiler.dll
    cp real/Sample.dll first.dll
    expect 0 --inspect-returns link.dll
    identical real/Sample.dll first.dll
    expect 0 restore link.dll
    [ -L link.dll ] || die "the link is a file now"
    identical real/Sample.dll "$files/Sample.dll"
    [ "$(ls real)" = Sample.dll ] || die "real has $(ls real)"
    ln -s nowhere broken.dll
    refused 3 . --inspect-returns broken.dll
}

test_hard_link() {
    give . Sample.dll
    ln Sample.dll other.dll
    expect 0 --inspect-returns Sample.dll
    identical other.dll "$files/Sample.dll" # another name of the original, not of what was patched
    patched Sample.dll
}

test_read_only_folder() {
    if [ "$(id -u)" -eq 0 ]; then
        small_disk ro 1m || skip_case "root may write anywhere, and mount does not work"
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
    small_disk full 12k || skip_case "mount does not work"
    give full Sample.dll # 5 KB, two pages; the patched one needs three
    refused 4 full --inspect-returns full/Sample.dll
    says err "cannot write: No space left on device"
    refused 4 full --inspect-returns --in-place full/Sample.dll
    refused 4 full --inspect-returns -o full/x.dll full/Sample.dll
}

# The assembly fits, the inspector does not.
test_full_disk_inspector() {
    small_disk full 32k || skip_case "mount does not work"
    give full Sample.dll
    refused 4 full --inspect-returns full/Sample.dll
    says err "full/MyProfiler.dll: cannot write: No space left on device"
}

test_file_size_limit() {
    needs_linux "ulimit"
    give . Sample.dll
    (
        ulimit -f 4
        refused 4 . --inspect-returns Sample.dll
        says err "cannot write: File too large"
    )
}

# ---- interruption ----

# The summaries are not read: it stops when the pipe is full, and the report is not complete yet.
test_interrupt() {
    needs_linux "signals"
    give in Sample.dll
    local long
    long=$(printf 'x%.0s' {1..200})
    for i in {1..300}; do ln in/Sample.dll "in/$long$i.dll"; done
    for signal in INT TERM HUP KILL; do
        rm -rf out.d
        mkdir out.d
        mkfifo out.d/pipe
        sleep 600 <>out.d/pipe &
        local reader=$!
        # bash gives background jobs an ignored SIGINT, nohup SIGHUP; env gives them back
        env --default-signal=INT,HUP "$ilpatch" --inspect-returns -o out.d --report r.json in/*.dll >out.d/pipe 2>err &
        local job=$!
        until [ -e "out.d/${long}1.dll" ] && grep -q '^State:.*S' /proc/$job/status; do
            kill -0 $job 2>/dev/null || die "it ended: $(cat err)"
            sleep 0.05
        done
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
    big=$(big_file) || skip_case "no large assembly"
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
        [ ! -e work/Big.dll.orig ] || identical work/Big.dll.orig before.dll
        cmp -s work/Big.dll before.dll || there work/Big.dll.orig work/MyProfiler.dll
        "$ilpatch" --inspect-returns -q work/Big.dll >/dev/null 2>err # and it can be done again
        identical work/Big.dll after.dll
    done
}

# ---- more than one run ----

# Two runs at once in one folder: one waits for the other.
test_at_once() {
    give app Sample.dll Sample.pdb Hello.exe
    local pids='' pid
    local rounds=3
    [ "$system" = Linux ] || rounds=1 # wine takes long to start, and a run waits ten seconds for the others
    for _ in $(seq $rounds); do
        "$ilpatch" -q --inspect-returns app/Sample.dll app/Hello.exe 2>>err.at-once &
        pids="$pids $!"
        "$ilpatch" -q --inspect-returns --embed app/Sample.dll 2>>err.at-once &
        pids="$pids $!"
    done
    for pid in $pids; do
        wait "$pid" || die "exit code $?: $(cat err.at-once)"
    done
    expect 0 restore app/Sample.dll app/Hello.exe
    give fresh Sample.dll Sample.pdb Hello.exe
    diff -r app fresh || die "something is left"
}

# One that takes very long is not waited for.
test_locked() {
    needs_linux "flock"
    give app Sample.dll
    flock app sleep 20 &
    local holder=$!
    sleep 0.2
    refused 4 app --inspect-returns app/Sample.dll
    says err "app: another run of ilpatch is at work in this folder"
    pkill -P $holder sleep
    wait
    expect 0 --inspect-returns app/Sample.dll
}

# What a killed run left is removed, and nothing else.
test_leftovers() {
    give app Sample.dll
    echo part >app/.ilpatch.abc123
    echo mine >app/.ilpatch.notes
    expect 0 --inspect-returns app/Sample.dll
    gone app/.ilpatch.abc123
    there app/.ilpatch.notes
}

# What a run left that was ended is completed by the next one.
test_own_journal() {
    give app Sample.dll Hello.exe
    echo text >app/left
    touch -d @1000000000 app/left
    printf 'ilpatch journal 1\nremove - 5:1000000000.0 left\nend\n' >app/.ilpatch.journal
    expect 0 --inspect-returns app/Sample.dll
    gone app/left app/.ilpatch.journal
    patched app/Sample.dll
}

# The journal of another user, or of another form, is not obeyed.
test_foreign_journal() {
    give app Sample.dll Hello.exe
    printf 'ilpatch journal 9\nend\n' >app/.ilpatch.journal
    refused 4 app --inspect-returns app/Sample.dll
    says err "app/.ilpatch.journal: is not what ilpatch writes"
    refused 4 app restore app/Sample.dll
}

# With another inspector, or none beside it, what the form before needed goes with it.
test_inspector_changes() {
    give app Sample.dll
    give fresh Sample.dll
    expect 0 --inspect-returns app/Sample.dll
    there app/MyProfiler.dll
    expect 0 --inspect-returns --embed app/Sample.dll
    gone app/MyProfiler.dll
    expect 0 --inspect-returns --inspector "$files/good-inspector.dll" app/Sample.dll
    there app/Watcher.dll
    expect 0 restore app/Sample.dll
    diff -r app fresh || die "something is left"
}

# Where a file system has no links the original is copied, and that is on the disk before FILE is replaced, as FILE itself is.
test_copied_original() {
    needs_linux "strace"
    local name
    have strace || skip_case "no strace"
    give app Sample.dll
    # LeakSanitizer does not work in a traced process
    ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace -f -y -o calls -e trace=?link,linkat,fsync,?rename,renameat,renameat2 -e inject=?link,linkat:error=EPERM "$ilpatch" -q --inspect-returns app/Sample.dll ||
        die "exit code $?"
    identical app/Sample.dll.orig "$files/Sample.dll"
    for name in Sample.dll.orig Sample.dll; do
        temporary=$(sed -n "s/.*rename[^\"]*\"\([^\"]*\)\",[^\"]*\"[^\"]*\/$name\".*/\1/p" calls)
        [ -n "$temporary" ] || die "$name was not renamed: $(cat calls)"
        grep -q "fsync(.*$(basename "$temporary")>)" calls || die "$temporary, which became $name, was not synced: $(cat calls)"
    done
}

# Also of what is beside FILE: what the links lead to is changed and put back, and they stay.
test_symbolic_links_beside() {
    needs_linux "symbolic links"
    local option
    give store Sample.pdb
    give in Sample.dll
    mv store/Sample.pdb store/pdb
    ln -s ../store/pdb in/Sample.pdb
    echo '{"runtimeTarget": {"name": ".NETCoreApp,Version=v10.0"}, "targets": {".NETCoreApp,Version=v10.0": {}}, "libraries": {}}' >store/deps
    ln -s ../store/deps in/Sample.deps.json
    cp -a . ../linked
    for option in --inspect-returns "--inspect-returns --symbols drop" "--inspect-returns --symbols keep" "--inspect-returns --embed"; do
        # shellcheck disable=SC2086
        expect 0 $option in/Sample.dll
        [ -L in/Sample.pdb ] && [ -L in/Sample.deps.json ] || die "$option: a link is none any more"
        [ "$option" != --inspect-returns ] || ! cmp -s store/pdb ../linked/store/pdb || die "the PDB is not updated"
        expect 0 --inspect-returns in/Sample.dll
        expect 0 restore in/Sample.dll
        rm -f out err
        diff -r --no-dereference . ../linked || die "$option: restore leaves something else"
    done
    rm -r ../linked
}
