# shellcheck shell=bash disable=SC2154
# Ids and --id-map. Sourced by run.sh.

ids() { # RULES of a file ids.xml
    printf '<rules>%s</rules>\n' "$1" >ids.xml
}
lines() { [ "$(wc -l <"$1")" -eq "$2" ] || die "$1 has $(wc -l <"$1") lines, not $2"; }
id_of() { sed -n "s/^{.*\"id\": \([0-9]*\),.*\"module\": \"$2\".*\"name\": \"$3\".*/\1/p" "$1"; }

give_ids() {
    give . Sample.dll Hello.exe Painter.dll Colors.dll good-inspector-passes.dll good-inspector.dll
    mkdir a b c
    ids '<include pass="id" inspector="good-inspector-passes.dll"/>'
}

# Two modules in one run: the ids differ, and are in the code.
test_ids_two_modules() {
    needs_json
    give_ids
    expect 0 --rules ids.xml --id-map map --report r.json -o a Sample.dll Hello.exe
    good_report r.json
    first=$(id_of map Sample.dll Sample.Values::Text)
    second=$(id_of map Hello.exe Hello.Program::Main)
    [ "$first" -gt 4294967296 ] && [ "$second" -gt 8589934592 ] || die "ids are $first and $second"
    "$ilpatch" dump --method 06000002 a/Hello.exe >dump.txt
    says dump.txt "ldc.i8     $second"
    [ "$(json r.json modules 0 methods 1 id)" = "$first" ] || die "the report has another id"
    # the same again, whatever is there
    cp map before
    expect 0 --rules ids.xml --id-map map -o b Sample.dll Hello.exe
    identical map before
    identical a/Sample.dll b/Sample.dll
    identical a/Hello.exe b/Hello.exe
    rm map
    expect 0 --rules ids.xml --id-map map -o b Sample.dll Hello.exe
    identical map before
    while read -r line; do
        echo "$line" >one.json
        [ "$(json one.json id)" -gt 0 ] || die "no JSON: $line"
    done <map
}

# One after the other, with the same file: as in one run. Another order gives other numbers, but never two for one.
test_ids_continued() {
    give_ids
    expect 0 --rules ids.xml --id-map one -o a Sample.dll Hello.exe
    expect 0 --rules ids.xml --id-map two -o b Sample.dll
    expect 0 --rules ids.xml --id-map two -o b Hello.exe
    identical one two
    identical a/Hello.exe b/Hello.exe
    expect 0 --rules ids.xml --id-map three -o c Hello.exe
    expect 0 --rules ids.xml --id-map three -o c Sample.dll
    differ one three
    differ a/Hello.exe c/Hello.exe
    # more methods of a module that is known, and a module without any
    ids '<include pass="id" inspector="good-inspector-passes.dll"><return type="string"/></include>'
    expect 0 --rules ids.xml --id-map four -o c Sample.dll
    lines four 1
    ids '<include pass="id" inspector="good-inspector-passes.dll"/>'
    expect 0 --rules ids.xml --id-map four -o c Colors.dll Sample.dll Hello.exe
    identical one four
}

# A patched file starts again from its original.
test_ids_in_place() {
    give_ids
    expect 0 --rules ids.xml --id-map map Hello.exe
    cp map before
    expect 0 --rules ids.xml --id-map map Hello.exe
    identical map before
    expect 0 restore Hello.exe
    identical Hello.exe "$files/Hello.exe"
    expect 0 --rules ids.xml --id-map map --in-place Hello.exe
    expect 0 --rules ids.xml --id-map map --in-place Hello.exe
    says out already-inspected
    identical map before
}

test_ids_handle() {
    give_ids
    ids '<include pass="handle" inspector="good-inspector-passes.dll"/>'
    expect 0 --rules ids.xml -o a/Hello.exe Hello.exe
    "$ilpatch" dump --method 06000002 a/Hello.exe >dump.txt
    says dump.txt "ldtoken    int32 Hello.Program::Main" "MyInspector(object, valuetype System.RuntimeMethodHandle)"
    expect 0 list --rules ids.xml Hello.exe
    says out "+ dup; box; ldtoken; call"
    ids '<include pass="id" inspector="good-inspector-passes.dll"/>'
    expect 0 list --rules ids.xml Hello.exe
    says out "+ dup; box; ldc.i8; call"
}

test_ids_refused() {
    give_ids
    refused 2 . --rules ids.xml -o a Hello.exe
    says err "ids.xml:1: ids are passed, so --id-map has to name a file for them"
    refused 2 . --rules ids.xml -n Hello.exe
    refused 2 . --rules ids.xml --id-map Hello.exe -o a Hello.exe
    says err "--id-map would replace Hello.exe"
    refused 2 . --rules ids.xml --id-map ids.xml -o a Hello.exe
    refused 2 . --rules ids.xml --id-map r --report r -o a Hello.exe
    refused 4 . --rules ids.xml --id-map no/where -o a Hello.exe
    refused 4 . --rules ids.xml --id-map no/where Hello.exe
    ids '<include pass="id" inspector="good-inspector.dll"/>'
    refused 3 . --rules ids.xml --id-map map -o a Hello.exe
    says err "has no method that takes a value and an id (a long)"
    # no code requests one: there is nothing to write
    expect 0 --inspect-returns --id-map map -o a Hello.exe
    gone map
}

# What is no such file stays as it is, and nothing is patched.
test_ids_bad_map() {
    give_ids
    expect 0 --rules ids.xml --id-map good -o a Hello.exe Sample.dll
    bad() { # LINE
        refused 3 . --rules ids.xml --id-map map -o b Hello.exe
        says err "map:$1: not a line of an id map"
    }
    echo >map && bad 1
    echo '{}' >map && bad 1
    head -c -1 good >map && bad "$(wc -l <good)"
    head -c 20 good >map && bad 1
    { cat good && head -n 1 good; } >map && bad $(($(wc -l <good) + 1))
    sed 's/"id": [0-9]*/"id": 5/' good >map && bad 1
    sed 's/"id": [0-9]*/"id": -4395630593/' good >map && bad 1
    sed 's/"id": [0-9]*/"id": 4395630593000000000000/' good >map && bad 1
    sed '1s/"id": [0-9]*/"id": 12985565185/' good >map && bad 2
    sed '1s/"module": "[^"]*"/"module": 1/' good >map && bad 1
    sed '2s/"mvid": "./"mvid": "x/' good >map && bad 2
    mkdir folder
    refused 3 . --rules ids.xml --id-map folder -o b Hello.exe
    # files that were to be left alone are not counted
    give folder Hello.exe
    echo >folder/notes.txt
    echo >folder/more.txt
    echo >map
    refused 3 folder --rules ids.xml --id-map map --dry-run folder
    silent out
    if has_links; then
        ln -s loop loop
        refused 3 . --rules ids.xml --id-map loop -o b Hello.exe
    fi
}

# A module that has the name and MVID of another one, but not its methods.
test_ids_conflict() {
    give_ids
    expect 0 --rules ids.xml --id-map map -o a Hello.exe
    sed -i 's/Hello.Program::Main/Hello.Program::Other/' map
    refused 4 . --rules ids.xml --id-map map -o b Hello.exe
    says err "another file of this name and MVID has other methods"
    refused 4 . --rules ids.xml --id-map map Hello.exe
    # the others are worked on
    expect 4 --rules ids.xml --id-map map -o b Hello.exe Sample.dll
    there b/Sample.dll
    gone b/Hello.exe
    [ -n "$(id_of map Sample.dll Sample.Values::Text)" ] || die "no ids of Sample.dll"
}

# Many runs at once with one file wait for each other, and go on from what the others have added.
test_ids_at_once() {
    give_ids
    pids=
    for i in 1 2 3; do
        for file in Hello.exe Sample.dll; do
            mkdir -p "o$i"
            "$ilpatch" -q --rules ids.xml --id-map map -o "o$i/$file" "$file" 2>"o$i/err" &
            pids="$pids $!"
        done
    done
    for pid in $pids; do
        wait "$pid" || die "exit code $?"
    done
    cp map before
    for file in Hello.exe Sample.dll; do
        expect 0 --rules ids.xml --id-map map -o "a/$file" "$file"
        for i in 1 2 3; do
            identical "o$i/$file" "a/$file"
        done
    done
    identical map before
}

# A dry run reads the file, and leaves it.
test_ids_dry_run() {
    give_ids
    before=$(state_of .)
    expect 0 --rules ids.xml --id-map map -n Hello.exe
    [ "$(state_of .)" = "$before" ] || die "a dry run changed something"
}
