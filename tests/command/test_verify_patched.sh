# shellcheck shell=bash disable=SC2154
# --verify: what is patched must have no finding that its original has not. Sourced by run.sh.

# A method that returns an int32 and puts null on the stack: boxing that is a new finding.
wrong_sample() {
    give . Sample.dll
    [ "$("$ilpatch" dump --method 06000001 Sample.dll | grep -c 'ldc.i4.s   42')" = 1 ] || die "Sample.dll is another one"
    poke Sample.dll 0x251 14002A # ldnull; nop; ret
    expect 1 verify Sample.dll
    says out "Sample.dll: 1 error,"
}

test_verify_patched() {
    give . Sample.dll
    expect 0 --inspect-returns --verify -o out.dll Sample.dll
    says out "; verified: nothing new"
    patched out.dll
    expect 0 --inspect-returns -o plain.dll Sample.dll
    identical out.dll plain.dll
    expect 0 --rules "$here/../../data/examples/byrefs-and-pointers.xml" --verify -n Sample.dll
    says out "would be patched" "; verified: nothing new"
    expect 0 tail add -n --verify Sample.dll
    says out "; verified: nothing new"
    expect 2 tail list --verify Sample.dll
}

# Mono's System.Runtime has not all that the inspector needs.
test_verify_patched_embedded() {
    dotnet --list-runtimes 2>/dev/null | grep -q 'Microsoft.NETCore.App 10' || skip_case "no .NET 10"
    give . Sample.dll
    expect 0 --inspect-returns --verify --embed -o embedded.dll Sample.dll
    says out "inspector embedded; verified: nothing new"
}

# An original that is wrong already is no reason to refuse it.
test_verify_patched_as_before() {
    wrong_sample
    expect 0 tail add -n --verify Sample.dll
    says out "; verified: nothing new"
    expect 0 --inspect-returns --where '<not><method name="Number"/></not>' --verify -n Sample.dll
    says out "; verified: nothing new"
}

# Whether Thing is a class is as unknown in the original; a core library without Int32 is a new reason not to know.
test_verify_patched_unknown() {
    needs_json
    give . maker.dll
    expect 0 --inspect-returns --verify --report report.json -o out.dll maker.dll
    says out "; verified: nothing new but 1 unknown, since types were not found (--reference-path)"
    patched out.dll
    good_report report.json
    [ "$(json report.json modules 0 verified unknown)" = 1 ] || die "unknown: $(json report.json modules 0 verified unknown)"
    cp "$files/bare-core.dll" mscorlib.dll
    refused 3 . --inspect-returns --verify maker.dll
    says err "new: 06000001  IL_000b  unknown       unresolved-type  Maker::Make: argument 1 of MyInspector"
}

test_verify_patched_refused() {
    wrong_sample
    mkdir other
    refused 3 . --inspect-returns --verify Sample.dll
    says err "Sample.dll: new: 06000001  IL_0003  error         type-mismatch  Sample.Values::Number: what is boxed" \
        "Sample.dll: not replaced: patched, it would have 1 finding that it has not now"
    silent out
    refused 3 . --inspect-returns --verify --in-place Sample.dll
    refused 3 . --inspect-returns --verify -o other/Sample.dll Sample.dll
    refused 3 . --inspect-returns --verify --dry-run Sample.dll
    refused 3 . --inspect-returns --verify --embed Sample.dll
    expect 0 --inspect-returns Sample.dll
    patched Sample.dll
}

# The other files of a command line are patched.
test_verify_patched_several() {
    needs_json
    wrong_sample
    mkdir good
    give good Sample.dll
    expect 3 --inspect-returns --verify --report report.json Sample.dll good/Sample.dll
    patched good/Sample.dll
    ! is_patched Sample.dll || die "the wrong one is patched"
    good_report report.json
    [ "$(json report.json modules 0 error)" = NOT_VERIFIED ] || die "error: $(json report.json modules 0 error)"
    [ "$(json report.json modules 0 findings 0 code)" = type-mismatch ] || die "no finding"
    [ "$(json report.json modules 0 findings 0 method)" = Sample.Values::Number ] || die "no method"
    [ "$(json report.json modules 1 verified unverifiable)" = 0 ] || die "not verified"
}
