# shellcheck shell=bash disable=SC2154
# -n, --dry-run: everything is done but the writing. Sourced by run.sh.

# What a report says without `written`, which no dry run has.
without_written() { # FILE
    sed '/^      "summary": /{N; s/,\n      "written": .*//}' "$1"
}

# dry_and_real CODE ARGUMENT...: in the folder `work`, a dry run ends with the same code as a real one, says the same in
# its report, and leaves everything as it is.
dry_and_real() {
    local code=$1 before
    shift
    before=$(state_of work)
    (cd work && expect "$code" -n --report ../dry.json "$@") || exit 1
    [ "$(state_of work)" = "$before" ] || die "a dry run of ilpatch $*: changed something: $(state_of work | diff - <(echo "$before"))"
    mv work/err dry.err
    (cd work && expect "$code" --report ../real.json "$@") || exit 1
    diff dry.err work/err >difference || die "ilpatch $*: a dry run says something else: $(cat difference)"
    if [ "$code" = 2 ]; then
        gone dry.json real.json
        return
    fi
    ! grep -q '"written"' dry.json || die "ilpatch $*: a dry run says that it wrote"
    without_written real.json >real
    diff dry.json real >difference || die "ilpatch $*: another report: $(head -c 300 difference)"
    if [ -n "$json_check" ]; then good_report dry.json; fi
    rm -f dry.json real.json
}

test_dryrun() {
    give . Sample.dll
    echo "$deps" >Sample.deps.json
    local before
    before=$(state_of .)
    expect 0 -n --inspect-returns Sample.dll
    says out "Sample.dll: would be patched: 8 of 14 methods inspected; left as they are: 2 void"
    silent err
    expect 0 --inspect-returns --dry-run -q Sample.dll
    silent out
    expect 0 inspect --in-place --dry-run Sample.dll
    expect 0 --inspect-returns -o x.dll -n Sample.dll
    mkdir folder
    expect 0 --inspect-returns -o folder -n Sample.dll
    rmdir folder
    [ "$(state_of .)" = "$before" ] || die "something was written: $(ls)"
    expect 0 --inspect-returns Sample.dll
    before=$(state_of .)
    expect 0 --inspect-returns -n Sample.dll # from Sample.dll.orig
    says out "8 of 14 methods inspected"
    [ "$(state_of .)" = "$before" ] || die "something was written: $(ls)"
}

test_dryrun_same() {
    give work Sample.dll Hello.exe Painter.dll Colors.dll good-inspector.dll
    echo "$deps" >work/Sample.deps.json
    mkdir work/d
    ln -s Sample.dll work/link.dll
    cat >work/rules.xml <<'XML'
<rules>
  <exclude name="text"><return type="string"/></exclude>
  <include inspector="good-inspector.dll"><return kind="struct"/></include>
  <include name="rest" byref="inspect"/>
</rules>
XML
    dry_and_real 0 --inspect-returns -o d Sample.dll Hello.exe Painter.dll Colors.dll
    dry_and_real 0 --inspect-returns -o x.dll link.dll
    dry_and_real 0 --rules rules.xml -o d Sample.dll Painter.dll
    there work/d/Watcher.dll work/d/MyProfiler.dll
    dry_and_real 0 --where '<return kind="struct"/>' -q Sample.dll
    dry_and_real 0 --inspect-returns link.dll # what was patched before is patched again
    dry_and_real 0 --inspect-returns --in-place Hello.exe
    dry_and_real 0 --inspect-returns --in-place Hello.exe # nothing is left to do
}

test_dryrun_codes() {
    give work Sample.dll Painter.dll unsupported-core.dll bad-inspector-none.dll bad-inspector-circle.dll
    echo text >work/bad.dll
    echo '<rules><include name="idle"><type name="No"/></include><include/></rules>' >work/idle.xml
    echo '<rules><include name="wrong" enabled="maybe"/></rules>' >work/wrong.xml
    mkdir work/folder work/d
    mkfifo work/pipe
    dry_and_real 1 --inspect-returns -o x.dll Painter.dll
    dry_and_real 1 --inspect-returns --rules idle.xml -o x.dll Sample.dll
    dry_and_real 1 --inspect-returns --inspector bad-inspector-circle.dll -o x.dll Sample.dll
    dry_and_real 2 --rules wrong.xml -o x.dll Sample.dll
    dry_and_real 2 --where '<return/>' -o x.dll Sample.dll
    dry_and_real 2 --inspect-returns --target z80 -o x.dll Sample.dll
    dry_and_real 2 --inspect-returns -o x.dll Sample.dll Painter.dll
    dry_and_real 3 --inspect-returns -o d Sample.dll bad.dll missing.dll unsupported-core.dll
    dry_and_real 3 --inspect-returns --inspector bad-inspector-none.dll -o x.dll Sample.dll
    dry_and_real 4 --inspect-returns -o no/x.dll Sample.dll
    dry_and_real 4 --inspect-returns -o pipe Sample.dll
    dry_and_real 4 --inspect-returns -o /dev/null Sample.dll
    cp work/Painter.dll work/Sample.dll.orig
    dry_and_real 4 --inspect-returns Sample.dll
    [ -c /dev/null ] || die "/dev/null is no device any more"
}

test_dryrun_read_only() {
    small_disk ro 1m || skip_case "mount does not work"
    give ro Sample.dll Colors.dll
    mount -o remount,ro "$disk"
    refused 4 ro --inspect-returns -n ro/Sample.dll
    says err "ro/Sample.dll: cannot write: Read-only file system"
    expect 0 --inspect-returns -n ro/Colors.dll # it would not be written either
    expect 0 --inspect-returns -n -o x.dll ro/Sample.dll
    gone x.dll
}
