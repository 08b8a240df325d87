# shellcheck shell=bash disable=SC2154
# Several files at once, a folder with all that is below it: what is not meant is left alone. Sourced by run.sh.

# The 32 bytes by which the SDK's hosts are known.
host_signature='\x8b\x12\x02\xb9\x6a\x61\x20\x38\x72\x7b\x93\x02\x14\xd7\xa0\x32\x13\xf5\xb9\xe6\xef\xae\x33\x18\xee\x3b\x2d\xce\x24\xb3\x6a\xae'

# A self-contained program: Painter.dll is in place of what came with its runtime.
program_folder() { # FOLDER
    give "$1" Sample.dll Sample.pdb Hello.exe Painter.dll
    cp "$files/Colors.dll" "$1/Sample.resources.dll"
    cp "$here/../files/unsupported-composite.dll" "$1/Sample.r2r.dll"
    printf "\x7fELF%0120d$host_signature" 0 | tr 0 '\0' >"$1/Sample"
    printf '\x7fELF native' >"$1/libnative.so"
    printf '\x14\xa6\x7f\xfd\x23\x26\xe8\x45' >"$1/Hello.exe.mdb"
    printf '<?xml version="1.0"?><doc/>' >"$1/Sample.xml"
    echo text >"$1/LICENSE"
    mkdir -p "$1/de"
    echo '{"runtimeTarget": {"name": "t"}, "targets": {"t": {"Sample/1.0.0": {"runtime": {"Sample.dll": {}}},
"runtimepack.R/10.0.12": {"runtime": {"Painter.dll": {}}}}},
"libraries": {"Sample/1.0.0": {"type": "project"}, "runtimepack.R/10.0.12": {"type": "runtimepack"}}}' >"$1/Sample.deps.json"
}

test_folder_all() {
    program_folder app
    local before after
    before=$(state_of app)
    expect 0 inspect app/*
    patched app/Sample.dll
    patched app/Hello.exe
    says out "left alone (other names of named files): Sample" "left alone (resources without code): Sample.resources.dll" \
        "left alone (native code alone): Sample.r2r.dll" "left alone (not assemblies): Hello.exe.mdb, LICENSE, Sample.deps.json, Sample.pdb and 2 more" \
        "left alone (the runtime's own: --framework patches them): Painter.dll" "all 2 files: "
    silent err
    identical app/Painter.dll "$files/Painter.dll"
    gone app/Painter.dll.orig
    after=$(state_of app)
    # with the inspector, the originals and what is hidden
    expect 0 inspect app/* app/.[!.]*
    says out "left alone (kept as originals): Hello.exe.orig, Sample.deps.json.orig, Sample.dll.orig, Sample.pdb.orig" \
        "left alone (inspectors): MyProfiler.dll"
    silent err
    [ "$(state_of app)" = "$after" ] || die "the second time makes other files"
    expect 0 restore app/Sample.dll app/Hello.exe
    [ "$(state_of app)" = "$before" ] || die "restore leaves other files"
}

test_folder_own_inspector() {
    give app Sample.dll
    give . good-inspector.dll
    expect 0 inspect --inspector good-inspector.dll app/Sample.dll
    expect 0 inspect --inspector good-inspector.dll app/*
    says out "left alone (inspectors): Watcher.dll"
    expect 0 inspect app/Sample.dll # the stock one; nothing calls the other any more
    gone app/Watcher.dll
    expect 1 inspect app/MyProfiler.dll
    expect 0 inspect --inspector good-inspector.dll app/*
    says out "left alone (inspectors): MyProfiler.dll"
    gone app/MyProfiler.dll
}

# What should be an assembly by its name or its bytes, and what is not there.
test_folder_broken() {
    give app Sample.dll Hello.exe
    head -c 700 "$files/Painter.dll" >app/Painter.dll
    expect 3 inspect app/*
    says err "app/Painter.dll: "
    says out "all 3 files: " "; 1 file failed"
    for file in text.dll short.bin; do
        expect 0 restore app/Sample.dll app/Hello.exe
        rm -f app/Painter.dll
        case $file in text.dll) echo text ;; *) printf 'MZ' ;; esac >app/$file
        expect 3 inspect app/*
        says err "app/$file: "
        rm app/$file
    done
    expect 0 restore app/Sample.dll app/Hello.exe
    expect 3 inspect app/* app/missing.txt
    says err "app/missing.txt: cannot read: "
}

# A file below a folder that cannot be looked at once, when it is found out which files are meant: it is not taken for an assembly, and does
# not replace what became of it.
test_folder_unseen() {
    local looks at seen=0
    needs_linux strace
    have strace || skip_case "no strace"
    give app Sample.dll Sample.pdb
    expect 0 inspect -o whole app
    trace() { ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace -f -o calls -P app/Sample.pdb -e trace=?stat,?newfstatat "$@" >out 2>err; }
    trace "$ilpatch" inspect -o plain app || die "exit code $?"
    looks=$(grep -c stat calls)
    for at in $(seq "$looks"); do
        rm -rf copy
        trace -e inject=?stat,?newfstatat:error=EIO:when="$at" "$ilpatch" inspect -o copy app
        case $? in
            0) ;;
            1 | 3) says err "app/Sample.pdb: cannot read: Input/output error" ;;
            *) die "call $at: exit code $?: $(cat err)" ;;
        esac
        if grep -q 'all 2 files: .*1 file failed' out; then
            seen=$((seen + 1))
            diff -r copy whole || die "call $at: not what it is without the error"
        fi
    done
    [ $seen -eq 1 ] || die "$seen of $looks calls are those by which it is found out what is meant"
}

# Of a folder that the system does not show, the system's reason is reported, and not that it is no file.
test_folder_named_unseen() {
    needs_linux strace
    have strace || skip_case "no strace"
    give app Sample.dll
    unseen() {
        ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace -o calls -P app -e trace=?stat,?newfstatat \
            -e inject=?stat,?newfstatat:error=EIO:when=1 "$ilpatch" "$@" >out 2>err
    }
    unseen inspect -o copy app
    [ $? -eq 3 ] || die "inspect: $(cat err)"
    says err "app: cannot read: Input/output error"
    unseen restore app
    [ $? -eq 3 ] || die "restore: $(cat err)"
    says err "app: cannot read: Input/output error"
}

# By itself, and where nothing else is named, a file is meant.
test_folder_none() {
    program_folder app
    refused 3 app inspect app/Sample.xml
    refused 3 app inspect app/LICENSE app/libnative.so app/Sample.deps.json
    says err "app/LICENSE: " "app/libnative.so: "
    ! grep -q 'left alone' out || die "$(cat out)"
    expect 1 inspect -n app/Painter.dll # byref-like and unresolved
    says out "Painter.dll: would be patched: "
    expect 1 inspect -n app/Painter.dll app/libnative.so
    says out "Painter.dll: would be patched: " "left alone (not assemblies): libnative.so"
    expect 0 inspect -q -n app/Painter.dll app/libnative.so app/Sample.dll
    silent out
    says err "left alone (the runtime's own: --framework patches them): Painter.dll"
    [ "$(wc -l <err)" -eq 1 ] || die "$(cat err)"
}

test_folder_links() {
    needs_linux "symbolic links"
    give app Sample.dll
    ln -s Sample.dll app/link.dll
    expect 0 inspect app/*
    says out "left alone (other names of named files): link.dll"
    [ -L app/link.dll ] || die "the link is a file now"
    rm app/Sample.dll.orig
    cp "$files/Sample.dll" app/
    mkdir out.d
    expect 0 inspect -o out.d app/Sample.dll app/link.dll # two outputs
    patched out.d/Sample.dll
    identical out.d/Sample.dll out.d/link.dll
}

# Into another folder: names of what is left alone take no room there.
test_folder_output() {
    program_folder app
    mkdir out.d sub
    cp app/Sample.pdb app/libnative.so sub
    rmdir app/de
    expect 0 inspect -o out.d app/* sub/*
    [ "$(ls out.d | tr '\n' ' ')" = "Hello.exe MyProfiler.dll Sample.dll Sample.pdb " ] || die "out.d has $(ls out.d)"
    cp app/Sample.dll sub
    refused 2 out.d inspect -o out.d app/* sub/*
    says err "two files are named Sample.dll, and -o has room for one"
}

test_folder_report() {
    needs_json
    program_folder app
    expect 0 inspect --report r.json app/*
    good_report r.json
    local got
    got=$(tr -d '\n' <r.json | grep -o '"file": "[^"]*",  *"left": "[^"]*"' | sed 's/"file": "app.//; s/", *"left": / /; s/"//g' | tr '\n' ';')
    [ "$got" = "Hello.exe.mdb no-assembly;LICENSE no-assembly;Painter.dll framework;Sample same-file;Sample.deps.json no-assembly;Sample.pdb no-assembly;Sample.r2r.dll composite;Sample.resources.dll satellite;Sample.xml no-assembly;libnative.so no-assembly;" ] ||
        die "$got"
}

# ---- a folder as such ----

# What a program of several folders has: a plug-in, satellites, a variant for one kind of machine, links, something hidden.
deep_folder() { # FOLDER
    program_folder "$1"
    mkdir -p "$1/plugins/a" "$1/runtimes/unix/lib/net8.0" "$1/empty"
    cp "$files/Sample.dll" "$1/plugins/a/Plugin.dll"
    cp "$files/Colors.dll" "$1/de/Sample.resources.dll"
    cp "$files/Hello.exe" "$1/runtimes/unix/lib/net8.0/Variant.dll"
    if has_links; then
        ln -s ../LICENSE "$1/plugins/LICENSE"
        ln -s plugins "$1/more"
        ln -s nowhere "$1/broken"
    fi
    echo hidden >"$1/.config"
    chmod 640 "$1/LICENSE"
    touch -d '2020-02-02 02:02:02' "$1/LICENSE"
}

test_folder_below() {
    deep_folder app
    local before
    before=$(state_of app)
    expect 0 inspect app
    for file in Sample.dll Hello.exe plugins/a/Plugin.dll runtimes/unix/lib/net8.0/Variant.dll; do patched "app/$file"; done
    says out "left alone (resources without code): Sample.resources.dll, Sample.resources.dll" "all 4 files: "
    ! has_links || says out "left alone (links to folders, or to nothing): broken, more"
    ! grep -q 'app/' out || die "a line for each file: $(cat out)"
    # one where each program looks for it; that of a variant is the program's
    [ "$(cd app && find . -name MyProfiler.dll | sort | tr '\n' ' ')" = "./MyProfiler.dll ./plugins/a/MyProfiler.dll " ] || die "$(find app)"
    silent err
    local after
    after=$(state_of app)
    expect 0 inspect --verbose app/
    says out "app/plugins/a/Plugin.dll: "
    [ "$(state_of app)" = "$after" ] || die "the second time makes other files"
    expect 0 restore app
    says out "4 files restored"
    [ "$(state_of app)" = "$before" ] || die "restore leaves other files"
    expect 0 restore app
    says out "0 files restored"
}

# The inspector of a program stays as long as one of its variants calls it.
test_folder_variant() {
    deep_folder app
    expect 0 inspect app/Sample.dll app/runtimes/unix/lib/net8.0/Variant.dll
    gone app/runtimes/unix/lib/net8.0/MyProfiler.dll
    expect 0 restore app/Sample.dll
    [ -f app/MyProfiler.dll ] || die "the inspector is gone, and a variant calls it"
    grep -q MyProfiler app/Sample.deps.json || die "it is not listed any more"
    (cd app/runtimes/unix/lib/net8.0 && expect 0 restore Variant.dll) || exit 1
    gone app/MyProfiler.dll
    ! grep -q MyProfiler app/Sample.deps.json || die "it is still listed"
    # without .deps.json no host would look there
    rm app/Sample.deps.json
    expect 0 inspect app/runtimes/unix/lib/net8.0/Variant.dll
    [ -f app/runtimes/unix/lib/net8.0/MyProfiler.dll ] || die "no inspector"
}

# The new folder is the old one but for what was patched.
test_folder_copied() {
    deep_folder app
    local before
    before=$(state_of app)
    expect 0 inspect -n -o new/out app
    gone new
    expect 0 inspect -o new/out app
    [ "$(state_of app)" = "$before" ] || die "the input is another one"
    for file in Sample.dll Hello.exe plugins/a/Plugin.dll runtimes/unix/lib/net8.0/Variant.dll; do patched "new/out/$file"; done
    for file in LICENSE .config Sample libnative.so Sample.xml Painter.dll Sample.r2r.dll de/Sample.resources.dll; do
        identical "app/$file" "new/out/$file"
    done
    [ -d new/out/empty ] || die "an empty folder is missing"
    if has_links; then
        identical app/plugins/LICENSE new/out/plugins/LICENSE
        [ "$(readlink new/out/more)" = plugins ] && [ "$(readlink new/out/broken)" = nowhere ] || die "links: $(ls -l new/out)"
    fi
    [ "$(modes_of new/out/LICENSE)" = "$(modes_of app/LICENSE)" ] || die "permissions are others"
    [ "$(stat -c %Y new/out/LICENSE)" = "$(stat -c %Y app/LICENSE)" ] || die "the time is another"
    ! identical_files app/Sample.pdb new/out/Sample.pdb || die "the PDB is the old one"
    # what is the same is not touched
    find new -exec touch -h -d '2021-01-01' {} +
    before=$(times_of new)
    expect 0 inspect -o new/out app
    [ "$(times_of new)" = "$before" ] || die "$(diff <(echo "$before") <(times_of new))"
    # what is another is
    echo other >app/LICENSE
    sed -i 's/10.0.12/10.0.13/g' app/Sample.deps.json
    expect 0 inspect -o new/out app
    identical app/LICENSE new/out/LICENSE
    grep -q MyProfiler new/out/Sample.deps.json && grep -q 10.0.13 new/out/Sample.deps.json || die "$(cat new/out/Sample.deps.json)"
    identical app/Sample.deps.json new/out/Sample.deps.json.orig
    # a folder that was patched in place gives the same
    expect 0 inspect app
    expect 0 inspect -o second app
    diff -r --no-dereference new/out second || die "a patched folder gives another one"
}

identical_files() { cmp -s "$1" "$2"; }
times_of() { find "$1" -type f -printf '%p %T@\n' | sort; }

# However many options need to know which file is written.
test_folder_host_reported_once() {
    program_folder app
    mkdir out.d
    expect 0 inspect -o out.d --cache cache app/Sample
    patched out.d/Sample.dll
    [ "$(grep -c 'app/Sample.dll is taken' err)" = 1 ] || die "$(cat err)"
}

# Of an SDK: a host that starts nothing there is meant to be copied. Named itself, it is an error.
test_folder_host_alone() {
    program_folder app
    mkdir app/template
    cp app/Sample app/template/apphost
    expect 0 inspect app
    silent err
    says out "left alone (not assemblies): Hello.exe.mdb, LICENSE, Sample.deps.json, Sample.pdb and 3 more"
    refused 3 app inspect app/template/apphost
    says err "app/template/apphost: "
    expect 0 restore app
    expect 3 inspect app/template/apphost app/Sample.dll
    says err "app/template/apphost: "
}

test_folder_copied_symbols() {
    program_folder app
    expect 0 inspect -o kept --symbols keep app
    identical app/Sample.pdb kept/Sample.pdb
    expect 0 inspect -o dropped --symbols drop app
    gone dropped/Sample.pdb
}

test_folder_places() {
    deep_folder app
    refused 2 app inspect -o app app
    says err "this is within app, or the other way round"
    refused 2 app inspect -o app/new/out app
    refused 2 app inspect -o . app
    refused 2 app inspect -o app/LICENSE app/plugins
    refused 2 app inspect -o - app
    says err "app is a folder: -o has to name one, too"
    echo >text
    refused 2 app inspect -o text app
    says err "not a folder, but app is one"
    if has_links; then
        ln -s circle circle
        refused 4 app inspect -o circle/app app
        says err "circle/app: cannot make this folder: Too many levels of symbolic links"
    fi
    refused 2 app inspect -o to.d app app/Sample.dll
    says err "with several files -o must name a folder that exists"
    mkdir to.d
    expect 0 inspect -o to.d app/plugins app/Sample.dll
    patched to.d/plugins/a/Plugin.dll
    patched to.d/Sample.dll
    gone to.d/Hello.exe
    refused 2 app inspect -o to.d --report to.d/plugins/a/Plugin.dll app/plugins app/Sample.dll
}

# One that is broken does not spoil the others, and is in the new folder as it is.
test_folder_below_broken() {
    deep_folder app
    head -c 700 "$files/Painter.dll" >app/plugins/a/Bad.dll
    expect 1 inspect -o to.d app
    says err "app/plugins/a/Bad.dll: "
    [ "$(wc -l <err)" -eq 1 ] || die "$(cat err)"
    says out "all 5 files: " "; 1 file failed"
    identical app/plugins/a/Bad.dll to.d/plugins/a/Bad.dll
    patched to.d/runtimes/unix/lib/net8.0/Variant.dll
    expect 1 inspect app
    patched app/runtimes/unix/lib/net8.0/Variant.dll
    expect 0 restore app
    mkdir none
    echo text >none/LICENSE
    expect 1 inspect none
    ! grep -q '^all ' out || die "$(cat out)"
    says err "none of the files below none is an assembly of a program"
}

test_folder_chosen() {
    deep_folder app
    expect 0 inspect -o to.d --include 'Plugin.*' --include Variant.dll app
    says out "left alone (--include, --exclude): "
    patched to.d/plugins/a/Plugin.dll
    patched to.d/runtimes/unix/lib/net8.0/Variant.dll
    identical app/Sample.dll to.d/Sample.dll
    expect 0 inspect -o out2 --exclude plugins --exclude 'runtimes/*/Variant.dll' app
    identical app/plugins/a/Plugin.dll out2/plugins/a/Plugin.dll
    identical app/runtimes/unix/lib/net8.0/Variant.dll out2/runtimes/unix/lib/net8.0/Variant.dll
    patched out2/Sample.dll
    expect 1 inspect -o out3 --framework app # byref-like and unresolved
    patched out3/Painter.dll
    expect 0 inspect app
    expect 0 restore --include '*.exe' app
    identical app/Hello.exe "$files/Hello.exe"
    patched app/Sample.dll
    expect 0 restore --exclude Sample.dll app
    patched app/Sample.dll
    identical app/plugins/a/Plugin.dll "$files/Sample.dll"
}

test_folder_list() {
    deep_folder app
    printf 'app/Sample.dll\r\n\napp/plugins\n' >list
    expect 0 inspect @list
    patched app/Sample.dll
    patched app/plugins/a/Plugin.dll
    identical app/Hello.exe "$files/Hello.exe"
    expect 0 restore @list
    gone app/Sample.dll.orig
    find app -name '*.exe' | expect 0 inspect @-
    patched app/Hello.exe
    expect 3 inspect @missing
    says err "missing: cannot read: "
    : >empty
    expect 2 inspect @empty
    says err "no file is named"
    cp "$files/Sample.dll" @Sample.dll
    expect 0 inspect @Sample.dll
    patched @Sample.dll
}

test_folder_progress() {
    deep_folder app
    expect 0 inspect --progress -o new app
    [ "$(grep -c '^\[[0-4]/4\]' err)" -ge 2 ] || die "$(cat err)"
    says err "[0/4] app/"
    grep -q '^\[4/4\].* done$' err || die "$(cat err)" # with a rate, where it takes long
    expect 0 inspect -q --progress app/Sample.dll
    silent err
    # a terminal gets it without, and has nothing of it in the end; wine draws it in its own way
    [ "$system" = Linux ] || return 0
    script -qec "$ilpatch inspect -o second app >out" typescript </dev/null >/dev/null || die "$(cat typescript)"
    says typescript "[0/4] app/"
    ! tail -n 2 typescript | tr '\r' '\n' | tail -n 2 | grep -q '4\]' || die "the last line stays"
}

# ---- --cache ----

# unchanged N: so many files of the last run
unchanged() {
    if [ "$1" -eq 0 ]; then
        ! grep -q 'patched before and unchanged' out || die "$(cat out)"
    else
        says out ": $1 patched before and unchanged"
    fi
}

# again N OPTION...: N of the four files are as they were, and the new folder is what it is without a cache
again() {
    local count=$1
    shift
    expect 0 inspect --cache cache -o new "$@" app
    unchanged "$count"
    rm -rf plain
    expect 0 inspect -o plain "$@" app
    diff -r --no-dereference plain new || die "another folder than without a cache"
}

test_folder_cache() {
    deep_folder app
    again 0
    local before
    find new -exec touch -h -d '2021-01-01' {} +
    before=$(times_of new)
    again 4
    [ "$(times_of new)" = "$before" ] || die "$(diff <(echo "$before") <(times_of new))"
    # what is patched, what came of it, the symbols of both
    cp "$files/Hello.exe" app/plugins/a/Plugin.dll
    again 3
    rm new/Hello.exe
    again 3
    echo x >>new/Sample.dll
    again 3
    rm new/Sample.pdb
    again 3
    mv app/Sample.pdb kept.pdb
    expect 0 inspect --cache cache -o new app
    unchanged 3
    mv kept.pdb app/Sample.pdb
    again 3
    # what is put beside it
    rm new/MyProfiler.dll
    again 4
    sed -i 's/10.0.12/10.0.14/g' app/Sample.deps.json
    again 4
    # what is requested
    again 0 --strong-name clear
    again 4 --strong-name clear
    again 0 --where '<method like="*"/>'
    printf '<rules><include><method like="*"/></include></rules>' >r.xml
    again 0 --rules r.xml
    again 4 --rules r.xml
    echo ' ' >>r.xml
    again 0 --rules r.xml
    give . good-inspector.dll
    rm -r new # no inspector of another request stays there
    again 0 --inspector good-inspector.dll
    again 4 --inspector good-inspector.dll
    rm -rf new
    again 0 --inspector good-inspector.dll
}

# What is broken, cut off or of another version says nothing.
test_folder_cache_broken() {
    deep_folder app
    again 0
    cp cache good
    for change in 's/^end$//' 's/^ilpatch cache 2/ilpatch cache 1/' 's/^request ./request x/' 's/^is ./is x/' 's/^file [0-9a-f]*/file 00/' 's/$/ /'; do
        sed "$change" good >cache
        again 0
    done
    for size in 0 1 40 400; do
        head -c $size good >cache
        again 0
    done
    cp good cache
    sed -i 's/ ref / /; s/^ref .*$/ref/' cache
    expect 0 inspect --cache cache -o new app
    rm cache
    again 0
    mkdir folder.d
    expect 4 inspect --cache folder.d -o new app
    says err "folder.d: cannot write"
}

# The original is the input, and a file that was built again is patched again.
test_folder_cache_in_place() {
    deep_folder app
    local before
    before=$(state_of app)
    expect 0 inspect --cache cache app
    unchanged 0
    local after
    after=$(state_of app)
    expect 0 inspect --cache cache app
    unchanged 4
    [ "$(state_of app)" = "$after" ] || die "the second time makes other files"
    cp "$files/Colors.dll" app/Hello.exe # another one in its place
    expect 4 inspect --cache cache app
    unchanged 3
    cp "$files/Hello.exe" app/Hello.exe
    rm app/Hello.exe.orig app/.Hello.exe.ilpatch
    expect 0 inspect --cache cache app
    unchanged 3
    expect 0 restore app
    [ "$(state_of app)" = "$before" ] || die "restore leaves other files"
    expect 0 inspect --cache cache app
    unchanged 0
}

# A file that what is patched refers to: another build of it, one that is gone, one that comes.
test_folder_cache_references() {
    mkdir app
    cp "$files/Painter.dll" "$files/Colors.dll" app
    expect 0 inspect --cache cache --exclude Colors.dll -o new app
    expect 0 inspect --cache cache --exclude Colors.dll -o new app
    unchanged 1
    grep -q '^ref [0-9a-f]* .* Colors$' cache || die "$(cat cache)"
    rm app/Colors.dll
    expect 1 inspect --cache cache --exclude Colors.dll -o new app # unresolved
    unchanged 0
    cp "$files/Colors.dll" app/
    expect 0 inspect --cache cache --exclude Colors.dll -o new app
    unchanged 0
    LC_ALL=C sed -i 's/\x34\x92\x55\x10\x02\x40\x5e\x45/\x34\x92\x55\x10\x02\x40\x5e\x46/' app/Colors.dll # another MVID
    ! identical_files app/Colors.dll "$files/Colors.dll" || die "the MVID is the same"
    expect 0 inspect --cache cache --exclude Colors.dll -o new app
    unchanged 0
}

# A single-file program: what is in it, the symbols beside it, and what it refers to elsewhere.
test_folder_cache_bundle() {
    give_bundle
    give refs Colors.dll
    python3 "$here/make_bundle.py" App 1:App.dll=in/Sample.dll z1:Painter.dll=in/Painter.dll 3:App.deps.json=in/App.deps.json \
        4:App.runtimeconfig.json=in/App.runtimeconfig.json
    mkdir app
    cp App app/App
    cp in/Sample.pdb app/Sample.pdb # for App.dll, since the compiler noted this name
    again 0 --reference-path refs
    grep -q '^of app/App/Painter.dll$' cache || die "$(cat cache)"
    ! grep -q ilpatch- cache || die "a temporary file is noted: $(cat cache)"
    again 1 --reference-path refs
    again 0 --reference-path refs --embed
    again 1 --reference-path refs --embed
    LC_ALL=C sed -i 's/\x34\x92\x55\x10\x02\x40\x5e\x45/\x34\x92\x55\x10\x02\x40\x5e\x46/' refs/Colors.dll # another MVID
    again 0 --reference-path refs --embed
    again 1 --reference-path refs --embed
    rm app/Sample.pdb new/Sample.pdb
    again 0 --reference-path refs --embed
    again 1 --reference-path refs --embed
    cp in/Sample.pdb app/Sample.pdb
    again 0 --reference-path refs --embed
    echo x >>new/Sample.pdb
    again 0 --reference-path refs --embed
    rm -rf new
    again 0 --reference-path refs --embed
    # a part of it says nothing of the whole
    expect 0 inspect --cache cache --reference-path refs app/App/Painter.dll
    expect 0 inspect --cache cache --reference-path refs app
    unchanged 0
    expect 0 inspect --cache cache --reference-path refs app
    unchanged 1
    expect 0 restore app
    identical app/App App
}

# What is beside a link to a single-file program is not beside the program.
test_folder_linked_bundle() {
    needs_linux "symbolic links"
    give_bundle
    mkdir app real
    mv App real/App
    ln -s ../real/App app/App
    cp in/Sample.pdb app/Sample.pdb
    expect 0 inspect -o new app
    identical new/Sample.pdb in/Sample.pdb
}

# A PDB of another name than the assembly's.
test_folder_cache_named_symbols() {
    give app Sample.pdb
    cp "$files/Sample.dll" app/Other.dll
    again 0
    again 1
    # nor is it copied and written again without a cache, but one that nothing requests is copied
    cp "$files/Sample.pdb" app/Foreign.pdb
    echo x >>app/Foreign.pdb
    expect 0 inspect -o new app
    identical new/Foreign.pdb app/Foreign.pdb
    find new -exec touch -h -d '2021-01-01' {} +
    local before
    before=$(times_of new)
    expect 0 inspect -o new app
    [ "$(times_of new)" = "$before" ] || die "$(diff <(echo "$before") <(times_of new))"
    rm app/Foreign.pdb new/Foreign.pdb
    echo x >>new/Sample.pdb
    again 0
    rm app/Sample.pdb new/Sample.pdb
    again 0
    again 1
}

test_folder_cache_refused() {
    deep_folder app
    for options in "--report r.json" "--id-map ids" --with-callers --in-place --dry-run; do
        # shellcheck disable=SC2086 # several words
        refused 2 app inspect --cache cache $options app
        says err "--cache leaves out what is done already"
    done
    refused 2 app inspect --cache app/Sample.dll app
    refused 2 app inspect --cache app/Sample.pdb app
    # rules that select nothing are reported again
    printf '<rules><include><method name="nowhere"/></include></rules>' >r.xml
    expect 1 inspect --cache cache --rules r.xml -o new app
    gone cache
    expect 1 inspect --cache cache --rules r.xml -o new app
}
