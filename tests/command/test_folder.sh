# shellcheck shell=bash disable=SC2154
# Several files at once, as a folder with all that is in it: what is not meant is left alone. Sourced by run.sh.

# The 32 bytes by which the SDK's hosts are known.
host_signature='\x8b\x12\x02\xb9\x6a\x61\x20\x38\x72\x7b\x93\x02\x14\xd7\xa0\x32\x13\xf5\xb9\xe6\xef\xae\x33\x18\xee\x3b\x2d\xce\x24\xb3\x6a\xae'

# A self-contained program: Painter.dll stands for what came with its runtime.
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
    says out "left alone (folders): de" "left alone (other names of named files): Sample" "left alone (resources without code): Sample.resources.dll" \
        "left alone (native code alone): Sample.r2r.dll" "left alone (not assemblies): Hello.exe.mdb, LICENSE, Sample.deps.json, Sample.pdb and 2 more" \
        "left alone (the runtime's own: name such a file alone to patch it): Painter.dll" "all 2 files: "
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
    says err "left alone (the runtime's own: name such a file alone to patch it): Painter.dll"
    [ "$(wc -l <err)" -eq 1 ] || die "$(cat err)"
}

test_folder_links() {
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
    mkdir out.d app/sub
    cp app/Sample.pdb app/libnative.so app/sub
    expect 0 inspect -o out.d app/* app/sub/*
    [ "$(ls out.d | tr '\n' ' ')" = "Hello.exe MyProfiler.dll Sample.dll Sample.pdb " ] || die "out.d has $(ls out.d)"
    cp app/Sample.dll app/sub
    refused 2 out.d inspect -o out.d app/* app/sub/*
    says err "two files are named Sample.dll, and -o has room for one"
}

test_folder_report() {
    needs_json
    program_folder app
    expect 0 inspect --report r.json app/*
    good_report r.json
    local got
    got=$(tr -d '\n' <r.json | grep -o '"file": "[^"]*",  *"left": "[^"]*"' | sed 's/"file": "app.//; s/", *"left": / /; s/"//g' | tr '\n' ';')
    [ "$got" = "Hello.exe.mdb no-assembly;LICENSE no-assembly;Painter.dll framework;Sample same-file;Sample.deps.json no-assembly;Sample.pdb no-assembly;Sample.r2r.dll composite;Sample.resources.dll satellite;Sample.xml no-assembly;de folder;libnative.so no-assembly;" ] ||
        die "$got"
}
