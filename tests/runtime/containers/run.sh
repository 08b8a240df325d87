#!/bin/bash
# Programs in containers: in a PID namespace, with mounts, a root, a user namespace of their own. ilpatch attach shows their values from outside,
# leaves no file, and says what is in the way; ilpatch ps lists them.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
. tests/live.sh
need_ilpatch containers
need_sdk containers
scratch containers

[ "$(id -u)" = 0 ] || { skip containers "needs root"; finish; }
unshare --mount --pid --fork --mount-proc true 2>"$tmp/unshare.err" || { skip containers "no namespaces: $(cat "$tmp/unshare.err")"; finish; }

mkdir -m 755 "$tmp/app"
chmod 755 "$tmp"
compile "$tmp/app/Rounds.dll" tests/runtime/attach/Rounds.cs
runs_with_framework "$tmp/app/Rounds.dll"
net=$(dirname "$(readlink -f "$(command -v dotnet)")")

# What a program's root is made of: the system and the runtime, but not this tree.
cat >"$tmp/make-root" <<'END'
# make-root FOLDER NET APP: a root in FOLDER, a mount of its own
set -e
mount -t tmpfs -o mode=755 root "$1"
for part in usr etc lib lib64 bin sbin "${2#/}"; do
    if [ -L "/$part" ]; then
        cp -P "/$part" "$1/$part"
    elif [ -d "/$part" ] && [ ! -e "$1/$part/dotnet" ]; then
        mkdir -p "$1/$part"
        mount --rbind "/$part" "$1/$part"
    fi
done
mkdir -p "$1/app" "$1/proc" "$1/dev" "$1/tmp" "$1/other"
mount --bind "$3" "$1/app"
mount --rbind /dev "$1/dev"
mount --rbind /proc "$1/proc"
chmod 1777 "$1/tmp" "$1/other"
END

expected() {
    seq "$1" "$2" | awk '{ printf "Rounds::Next -> %d (System.Int32)\nRounds::Name -> \"round %d\" (System.String)\nRounds::Both -> (%d, %d) (System.ValueTuple`2[System.Int32,System.Int64])\n", $1 + 1, $1, $1, -$1 }'
}
expected 1 3 >"$tmp/three"

# shown GROUP FOLDER COMMAND...: by COMMAND, attached to what has begun, values are shown, in FOLDER (as the process names it) nothing stays, and the
# process goes on
shown() {
    local folder=$2
    group="$1/"
    shift 2
    says 1
    attach_by "$name.values" "$@"
    check nothing-stays "" "$(find "/proc/$process/root$folder" -name '.ilpatch*' -o -name 'ilpatch-attach*' 2>/dev/null)"
    says 3
    end
    wait "$attaching"
    check codes "0 0" "$? $code"
    same values "$tmp/three" "$tmp/$name.values"
    check nothing-on-its-standard-error "" "$(cat "$tmp/$name.err")"
    group=
}
# refused NAME CODE TEXT OPTION...: attach says so, and loads nothing
refused() {
    local title=$1 expected=$2 text=$3
    shift 3
    "$ilpatch" attach "$@" "$process" >"$tmp/refused.out" 2>"$tmp/refused.err"
    check "$title: exit code" "$expected" $?
    contains "$title: reported" "$text" "$tmp/refused.err"
    check "$title: nothing is loaded" 0 "$(grep -c 'libilpatch_profiler' "/proc/$process/maps")"
}
listed() { "$ilpatch" ps --json "$process" | jq -r ".processes[0] | $1"; }

inside=(unshare --mount --pid --fork --mount-proc sh -c)

# ---- a PID namespace, and a /tmp of its own ----

start tmp "${inside[@]}" "mount --bind '$tmp/app' /mnt && mount -t tmpfs tmp /tmp && exec dotnet exec /mnt/Rounds.dll"
check "listed" "true true 1 .NET Rounds" "$(listed '"\(.container) \(.attach) \(.ownNumber) \(.runtime) \(.assembly)"')"
check "the socket is of its number" 1 "$(find "/proc/$process/root/tmp" -name 'dotnet-diagnostic-1-*-socket' | wc -l)"
shown own-tmp /tmp "$ilpatch" attach

# ---- a root of its own, without this tree ----

rooted="mkdir -p '$tmp/root' && sh '$tmp/make-root' '$tmp/root' '$net' '$tmp/app'"
for inspector in "" "--inspector full"; do
    start root "${inside[@]}" "$rooted && exec chroot '$tmp/root' dotnet exec /app/Rounds.dll"
    # shellcheck disable=SC2086
    shown "root${inspector:+-full}" /tmp "$ilpatch" attach -v $inspector
    contains "a copy is reported" "does not see $build/libilpatch_profiler.so: it loads a copy, /tmp/" "$tmp/root.values.log"
done

# TMPDIR is that of the process, whatever ours is.
start tmpdir "${inside[@]}" "$rooted && exec env TMPDIR=/other chroot '$tmp/root' dotnet exec /app/Rounds.dll"
shown tmpdir /other env TMPDIR="$tmp" "$ilpatch" attach

# The same file under the same path needs no copy.
start seen "${inside[@]}" "$rooted && mkdir -p '$tmp/root$build' && cp '$build/libilpatch_profiler.so' '$tmp/root$build/' && exec chroot '$tmp/root' dotnet exec /app/Rounds.dll"
shown same-bytes /tmp "$ilpatch" attach -v
check "no copy" 0 "$(grep -c 'loads a copy' "$tmp/seen.values.log")"

# ---- another user ----

start user "${inside[@]}" "$rooted && exec chroot --userspec=65534:65534 '$tmp/root' env HOME=/nonexistent dotnet exec /app/Rounds.dll"
check "another user is listed" "true nobody" "$(listed '"\(.attach) \(.user)"')"
shown other-user /tmp "$ilpatch" attach

# ---- a user namespace ----

usable=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if "${usable[@]}" unshare --user --map-root-user --mount --pid --fork --mount-proc true 2>"$tmp/unshare.err"; then
    mkdir -m 755 "$tmp/bin"
    cp "$(dirname "$ilpatch")"/{ilpatch,libilpatch_profiler.so,MyProfiler.dll} "$tmp/bin/"
    mkdir "$tmp/root" 2>/dev/null
    chmod 755 "$tmp/root"
    mapped=("${usable[@]}" env HOME=/nonexistent unshare --user --map-root-user "${inside[@]:1}")
    start mapped "${mapped[@]}" "$rooted && exec chroot '$tmp/root' dotnet exec /app/Rounds.dll"
    check "user namespace: listed" "true true nobody" "$(listed '"\(.attach) \(.container) \(.user)"')"
    shown user-namespace-by-root /tmp "$ilpatch" attach
    start own "${mapped[@]}" "$rooted && exec chroot '$tmp/root' dotnet exec /app/Rounds.dll"
    shown user-namespace-by-its-owner /tmp "${usable[@]}" "$tmp/bin/ilpatch" attach
else
    skip user-namespace "$(cat "$tmp/unshare.err")"
fi

# ---- what is refused ----

start refused-program "${inside[@]}" "$rooted && mount -t tmpfs -o noexec,mode=1777 none '$tmp/root/other' && exec env TMPDIR=/other chroot '$tmp/root' dotnet exec /app/Rounds.dll"
refused noexec 3 "/other, where a copy would go, is mounted noexec"
check "noexec: listed" "false folder-noexec" "$(listed '"\(.attach) \(.reason)"')"
nsenter --target "$process" --mount mount -o remount,ro,exec "/proc/self/root$tmp/root/other" 2>/dev/null ||
    nsenter --target "$process" --mount --root mount -o remount,ro,exec /other
refused read-only 3 "is mounted read-only"
end
check "refused: the program" "0 " "$code $(cat "$tmp/refused-program.err")"

start paths "${inside[@]}" "$rooted && exec chroot '$tmp/root' dotnet exec /app/Rounds.dll"
echo '<rules><include><type name="Rounds"/></include></rules>' >"$tmp/rules.xml"
refused rules 3 "$tmp/rules.xml: process $process has files of its own, and does not see this one" --rules "$tmp/rules.xml"
refused report 3 "$tmp/report.json: process $process has files of its own, and would write this one there" --report "$tmp/report.json"
mkdir -p "/proc/$process/root$tmp"
cp "$tmp/rules.xml" "/proc/$process/root$tmp/"
shown rules-there /tmp "$ilpatch" attach --rules "$tmp/rules.xml"

# An older glibc is in the place of its own when attach looks: the same file, but that its versions end with 2.29.
libc=$(sed -n 's/.* \(\/.*\/libc\.so\.6\)$/\1/p' /proc/self/maps | head -n 1)
if [ -n "$libc" ] && grep -q 'GLIBC_2\.3[0-9]' "$build/libilpatch_profiler.so"; then
    LC_ALL=C sed 's/GLIBC_2\.3[0-9]/GLIBC_2.29/g' "$libc" >"$tmp/old-libc"
    start glibc "${inside[@]}" "$rooted && exec chroot '$tmp/root' dotnet exec /app/Rounds.dll"
    cp "$tmp/old-libc" "/proc/$process/root/tmp/old-libc"
    nsenter --target "$process" --mount mount --bind "/proc/$process/root/tmp/old-libc" "/proc/$process/root$libc" 2>"$tmp/bind.err" ||
        nsenter --target "$process" --mount --root --wd mount --bind /tmp/old-libc "$libc" 2>"$tmp/bind.err"
    refused glibc 3 "its C library is glibc 2.29, and the profiler needs 2.3"
    check "glibc: listed" "false glibc" "$(listed '"\(.attach) \(.reason)"')"
    end
    check "glibc: the program" 0 "$code"
else
    skip glibc "the profiler needs no glibc after 2.29"
fi

# ---- a root of its own, in our namespaces ----

sh "$tmp/make-root" "$tmp/root" "$net" "$tmp/app"
start chroot chroot "$tmp/root" dotnet exec /app/Rounds.dll
check "chroot: listed" "true true null" "$(listed '"\(.container) \(.attach) \(.ownNumber)"')"
shown chroot /tmp "$ilpatch" attach
umount --recursive --lazy "$tmp/root"

# ---- a name that is too long ----

# Through /proc a path would be too long for a socket: it is opened by its descriptor.
deep=/tmp/$(printf 'x%.0s' $(seq 60))
start deep "${inside[@]}" "$rooted && mkdir -p '$tmp/root$deep' && exec env TMPDIR=$deep chroot '$tmp/root' dotnet exec /app/Rounds.dll"
shown deep "$deep" "$ilpatch" attach

# Links of the process's folder lead nowhere but in its own root.
start links "${inside[@]}" "$rooted && ln -s /other '$tmp/root/linked' && exec env TMPDIR=/linked chroot '$tmp/root' dotnet exec /app/Rounds.dll"
shown links /other "$ilpatch" attach

finish
