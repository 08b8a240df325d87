# shellcheck shell=bash disable=SC2154
# Writing with -o: what is written where, and what is refused. Sourced by run.sh.

test_output_file() {
    give in Sample.dll
    mkdir out.d
    expect 0 --inspect-returns -o out.d/Other.dll in/Sample.dll
    says out "in/Sample.dll: 8 of 14 methods inspected"
    silent err
    patched out.d/Other.dll
    identical in/Sample.dll "$files/Sample.dll"
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
    [ "$(wc -l <out)" -eq 3 ] || die "not one line for each, and one for all: $(cat out)"
}

test_output_deterministic() {
    give a Sample.dll
    give b Sample.dll
    expect 0 --inspect-returns -o 1.dll a/Sample.dll
    expect 0 --inspect-returns -o 2.dll b/Sample.dll
    identical 1.dll 2.dll
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
    if has_links; then
        ln -s in/Sample.dll link.dll
        refused 2 . --inspect-returns -o link.dll in/Sample.dll
    fi
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
    identical once/Sample.dll twice/Sample.dll
    there twice/MyProfiler.dll # the copy needs it as much
}

test_output_nothing_to_do() {
    give in Colors.dll
    mkdir out.d
    expect 0 --inspect-returns -o out.d in/Colors.dll
    identical in/Colors.dll out.d/Colors.dll
    gone out.d/MyProfiler.dll
}

# The PDB goes with an assembly of which no body changed, under the name that the assembly requests.
test_output_symbols_unchanged() {
    local kind
    give in Sample.dll Sample.pdb
    for kind in compact nothing both; do
        set -- --compact --where '<method name="nothing"/>'
        [ $kind != compact ] || set -- --compact
        [ $kind != nothing ] || shift
        mkdir out.d
        expect 0 "$@" --report r.json -o out.d in/Sample.dll
        identical out.d/Sample.pdb in/Sample.pdb
        says r.json '"symbols": {"answer": "none", "output": "out.d/Sample.pdb"}'
        expect 0 "$@" -o out.d/Other.dll in/Sample.dll
        [ "$(ls out.d)" = "$(printf 'Other.dll\nSample.dll\nSample.pdb')" ] || die "$kind: out.d has $(ls out.d)"
        expect 0 "$@" --report r.json -o in/Other.dll in/Sample.dll
        ! grep -q '"symbols".*output' r.json || die "$(grep '"symbols"' r.json)"
        rm -r out.d in/Other.dll
    done
    [ "$(ls in)" = "$(printf 'Sample.dll\nSample.pdb')" ] || die "in has $(ls in)"
}

# Neither an original nor what a program needs is replaced by an output of any command, whatever it is called with.
test_output_places() {
    local name
    give . Sample.dll Sample.pdb Hello.exe
    expect 0 --inspect-returns Sample.dll
    echo '{}' >Hello.deps.json
    echo '{}' >Hello.runtimeconfig.json
    for name in Sample.dll.orig Sample.pdb Sample.pdb.orig .Sample.dll.ilpatch Hello.deps.json Hello.runtimeconfig.json MyProfiler.dll \
        Hello.exe other.dll.orig .other.dll.ilpatch; do
        for option in '-o ' '--report ' --explain-tail=; do
            # shellcheck disable=SC2086
            refused 2 . run --inspect-returns $option"$name" -- touch started
            says err "$name: cannot write: a file of this name is "
        done
        refused 2 . attach --inspect-returns -o "$name" $$
        refused 2 . attach --inspect-returns --report "$name" $$
        refused 2 . trace -o "$name" -- touch started
        refused 2 . trace --spool "$name" -- touch started
        refused 2 . report -o "$name" Hello.exe
        refused 2 . --inspect-returns --report "$name" Hello.exe
    done
    for name in Sample.dll.orig Sample.pdb .Sample.dll.ilpatch Hello.deps.json other.dll.orig; do
        refused 2 . --inspect-returns -o "$name" Hello.exe
        refused 2 . tail strip -o "$name" Hello.exe
    done
}

# What FILE refers to is read, and needed by it.
test_output_reference() {
    give . Painter.dll Colors.dll Hello.exe
    mv Colors.dll other.dll # it is still Colors
    refused 2 . --inspect-returns -o other.dll Painter.dll
    says err "-o other.dll: a file of this name is an assembly that Painter.dll refers to"
    refused 2 . tail add -o other.dll Painter.dll
    expect 0 --inspect-returns -q -o other.dll Hello.exe
    patched other.dll
}

# Two commands with one spool: the second is refused and changes nothing, and the first still gives an earlier spool its name back.
test_output_spool_of_another() {
    needs_linux "locks"
    local form first spool earlier=$first_version/spools/shop.spool
    mkfifo go
    for form in trace 'run --inspect-returns'; do
        for spool in new.spool earlier.spool; do
            rm -f started
            [ $spool = new.spool ] || cp "$earlier" $spool
            # shellcheck disable=SC2086
            "$ilpatch" $form --spool $spool -- sh -c 'echo >started; read line <go' >first 2>&1 &
            first=$!
            awaits test -e started
            # shellcheck disable=SC2086
            refused 4 . $form --spool $spool -- touch started-too
            says err "$spool: cannot write: another ilpatch command records to it"
            echo >go
            wait $first
            [ "$(find . -name '*.spool*')" = "$([ $spool = new.spool ] || echo ./$spool)" ] || die "$form left $(ls)"
            [ $spool = new.spool ] || identical $spool "$earlier"
            rm -f $spool
        done
    done
}

# What a command leaves of FILE and of an earlier spool of that name, for what the program does to FILE.
test_output_spool_at_the_end() {
    needs_linux "symbolic links"
    local earlier=$first_version/spools/shop.spool does left
    while IFS='|' read -r does left; do
        for form in trace 'run --inspect-returns'; do
            rm -f one.spool* other
            cp "$earlier" one.spool
            # shellcheck disable=SC2086
            "$ilpatch" $form --spool one.spool -- sh -c "$does" >out 2>err
            [ "$(find . -name '*.spool*' | sed 's/[0-9]*$//')" = ./one.spool ] || [ "$left" = both ] || die "$does: $form left $(ls)"
            case $left in
                earlier) identical one.spool "$earlier" ;;
                new) [ "$(cat one.spool)" = x ] || die "$does: $form: the new one is gone" ;;
                both)
                    identical one.spool.old-* "$earlier"
                    says err "another ilpatch command records to it now; the earlier spool is"
                    ;;
            esac
        done
    done <<'END'
true|earlier
rm one.spool|earlier
echo x >one.spool|new
echo x >one.spool; rm one.spool|earlier
rm one.spool; echo other >one.spool|both
END
    ln -s missing/spool link.spool
    for form in trace 'run --inspect-returns'; do
        # shellcheck disable=SC2086
        refused 4 . $form --spool link.spool -- touch started
    done
    [ -L link.spool ] || die "the link is gone"
}

# Nor is it through a symbolic link, whether something is at its end or not, or under a name that is the same in another case.
test_output_places_through_links() {
    needs_linux "symbolic links"
    local name
    give . Sample.dll Sample.pdb Hello.exe
    expect 0 --inspect-returns Sample.dll
    echo '{}' >Hello.deps.json
    mkdir links
    ln -s ../link links/link
    for name in Sample.dll.orig Sample.pdb Sample.pdb.orig .Sample.dll.ilpatch Hello.deps.json Hello.exe MyProfiler.dll other.dll.orig \
        .other.dll.ilpatch; do
        ln -sfn "$name" link
        refused 2 . --inspect-returns --report links/link Hello.exe
        refused 2 . run --inspect-returns -o links/link -- touch started
        refused 2 . run --inspect-returns --report links/link -- touch started
        refused 2 . report -o links/link Hello.exe
        [ $name = Hello.exe ] || [ $name = MyProfiler.dll ] || refused 2 . --inspect-returns -o links/link Hello.exe
    done
    give . Colors.dll
    mv Colors.dll Lib.DLL
    for name in Sample.dll.ORIG Lib.DLL; do
        refused 2 . --inspect-returns --report "$name" Hello.exe
        refused 2 . run --inspect-returns -o "$name" -- touch started
    done
    ln -s loop loop
    refused 4 . run --inspect-returns -o loop -- touch started
}
