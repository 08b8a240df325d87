# shellcheck shell=bash disable=SC2154
# METHOD: the same methods are meant by every command. Sourced by run.sh.

# The tokens of the methods that a command means.
meant() { # COMMAND FILE METHOD
    case $1 in
    dump) "$ilpatch" dump --method "$3" "$2" | sed -n 's/^method \([0-9A-F]*\) .*/\1/p' ;;
    rules) "$ilpatch" rules explain --where '<method like="*"/>' "$2" "$3" | sed -n 's/^\(06[0-9A-F]*\)  .*/\1/p' ;;
    esac
}

test_method_name() {
    give . Sample.dll
    local name command
    for name in 0x06000006 06000006 Day Sample.Values::Day 'valuetype System.DateTime Sample.Values::Day()'; do
        for command in dump rules; do
            [ "$(meant $command Sample.dll "$name")" = 06000006 ] || die "$command $name: $(meant $command Sample.dll "$name")"
        done
        expect 0 diff Sample.dll Sample.dll "$name"
        says out "1 the same"
        expect 0 verify --method "$name" Sample.dll
        expect 0 tail list Sample.dll "$name"
    done
    # the same name in several types
    [ "$(meant dump "$here/../files/good-csharp.dll" MoveNext | wc -l)" = 2 ] || die "not both MoveNext"
    [ "$(meant dump "$here/../files/good-csharp.dll" MoveNext)" = "$(meant rules "$here/../files/good-csharp.dll" MoveNext)" ] ||
        die "dump and rules differ"
}

# The nearest name is suggested: of the method, of type and method, of the same method in another type; none for what is not a name.
test_method_name_suggested() {
    give . Sample.dll
    local wrong near
    while read -r wrong near; do
        local text="'ilpatch list Sample.dll' prints tokens and names${near:+. Did you mean '$near'?}"
        for command in "dump --method" "verify --method"; do
            # shellcheck disable=SC2086
            expect 1 $command "$wrong" Sample.dll
            check_last_line "$text"
        done
        expect 1 tail list Sample.dll "$wrong"
        check_last_line "$text"
        expect 1 diff Sample.dll Sample.dll "$wrong"
        check_last_line "$text"
    done <<'END'
Dayy Day
Sample.Valves::Day Sample.Values::Day
Other.Type::Day Sample.Values::Day
Xyzzyq
D*yy
0x0600FFFF
END
}
check_last_line() {
    case $(tail -n 1 err) in *"$1") ;; *) die "not '$1': $(cat err)" ;; esac
}

test_method_name_none() {
    give . Sample.dll
    local name
    for name in Nobody day Values::Day Sample.Values 'Day()' 'System.DateTime Sample.Values::Day()' 0x0600FFFF 0600FFFF 6000006; do
        local wrong="has no method '$name'; 'ilpatch list Sample.dll' prints tokens and names"
        for command in "dump --method" "verify --method"; do
            # shellcheck disable=SC2086
            expect 1 $command "$name" Sample.dll
            says err "Sample.dll $wrong"
        done
        expect 1 rules explain --where '<method like="*"/>' Sample.dll "$name"
        says err "Sample.dll $wrong"
        expect 1 tail list Sample.dll "$name"
        says err "Sample.dll $wrong"
        expect 1 diff Sample.dll Sample.dll "$name"
        says err "no method '$name' in"
    done
    for name in 0x06000000 0x02000001 0x; do
        for command in "dump --method" "verify --method"; do
            # shellcheck disable=SC2086
            expect 2 $command "$name" Sample.dll
            says err "$name is not the token of a method"
        done
    done
    expect 2 verify --method '' Sample.dll
    says err "METHOD is empty"
}
