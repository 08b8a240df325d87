# shellcheck shell=bash disable=SC2154
# What becomes of strong names. Sourced by run.sh.

# The stock inspector has a strong name and its key is beside it; what it returns can be shown by another.
give_signed() {
    give . good-inspector.dll
    cp "$here"/../../data/inspector/MyProfiler.dll Signed.dll
    cp "$here"/../../data/inspector/MyProfiler.snk key.snk
    public_half
}

# key.pub, as in Assembly.PublicKey, and half.snk, as openssl and others write it: of the key's 2048 bits.
public_half() {
    { printf '\x06\x02\0\0\0\x24\0\0RSA1' && tail -c +13 key.snk | head -c 264; } >half.snk
    { printf '\0\x24\0\0\x04\x80\0\0\x14\x01\0\0' && cat half.snk; } >key.pub
}

# inspect CODE ARGUMENT...: Signed.dll.
inspect_signed() {
    local code=$1
    shift
    expect "$code" --inspect-returns --inspector good-inspector.dll "$@" Signed.dll
}

assembly_row() { "$ilpatch" dump --tables "$1" | grep '^  20000001'; }
flags_of() { "$ilpatch" dump --headers "$1" | sed -n "s/^CLI header.*flags \([0-9x]*\),.*/\1/p"; }
verified() { # WORD FILE: what an independent reader says
    local said
    have python3 || skip_case "no python3"
    said=$(python3 "$here/strong_name.py" key.pub "$2") || die "strong_name.py failed"
    [ "$said" = "$1" ] || die "the signature of $2 is $said, not $1"
}

test_signed_kept() {
    give_signed
    verified 'valid sha1' Signed.dll
    inspect_signed 0 -o default.dll
    says out "strong name kept but no longer valid"
    inspect_signed 0 --strong-name keep --report r.json -o kept.dll
    identical default.dll kept.dll
    [ "$(assembly_row kept.dll)" = "$(assembly_row Signed.dll)" ] || die "the identity is another"
    says r.json '"strongName": "stale"'
    verified invalid kept.dll
}

test_signed_cleared() {
    give_signed
    inspect_signed 0 --strong-name=clear --report r.json -o out.dll
    says out "strong name removed"
    says r.json '"strongName": "cleared"'
    assembly_row out.dll | grep -q 'Flags=0x0  PublicKey=#0\[0\] ' || die "$(assembly_row out.dll)"
    [ "$(flags_of Signed.dll) $(flags_of out.dll)" = "0x9 0x1" ] || die "the flag stays"
    verified none out.dll
}

test_signed_anew() {
    give_signed
    inspect_signed 0 --strong-name sign --key key.snk --report r.json -o out.dll
    says out "; signed again"
    says r.json '"strongName": "signed"'
    verified 'valid sha1' out.dll
    inspect_signed 0 --key=key.snk -o short.dll
    identical out.dll short.dll
    inspect_signed 0 --key key.snk --dry-run
    says out "would be patched" "; signed again"
}

# The public half alone, in either of its forms.
test_signed_public() {
    give_signed
    inspect_signed 0 --key half.snk --report r.json -o half.dll
    says out "; public-signed"
    says r.json '"strongName": "public"'
    [ "$(flags_of half.dll)" = 0x9 ] || die "the flag is not set"
    verified public half.dll
    inspect_signed 0 --key key.pub -o pub.dll
    identical half.dll pub.dll
}

# In place, and again: the input is the original, and so the bytes are the same.
test_signed_in_place() {
    give_signed
    cp Signed.dll before.dll
    inspect_signed 0 --key key.snk
    verified 'valid sha1' Signed.dll
    cp Signed.dll once.dll
    inspect_signed 0 --key key.snk
    identical once.dll Signed.dll
    expect 0 restore Signed.dll
    identical before.dll Signed.dll
}

test_signed_refused() {
    give_signed
    give . Sample.dll
    expect 3 --inspect-returns --key key.snk -o out.dll Sample.dll
    says err "the assembly has no public key, so it was never signed"
    printf '\x81' | dd of=key.snk bs=1 seek=60 conv=notrunc 2>dd.txt # another modulus
    inspect_signed 3 --key key.snk -o out.dll
    says err "this is not the key of the assembly"
    cp "$here"/../../data/inspector/MyProfiler.snk key.snk
    printf '\x81' | dd of=key.snk bs=1 seek=1100 conv=notrunc 2>dd.txt # another private exponent
    printf '\x81' | dd of=key.snk bs=1 seek=300 conv=notrunc 2>dd.txt  # another prime
    inspect_signed 3 --key key.snk -o out.dll
    says err "is the key file damaged?"
    gone out.dll
}

test_signed_no_key_files() {
    give_signed
    head -c 1000 key.snk >cut.snk
    cat key.snk key.pub >more.snk
    printf '\x30\x82\x05\x00 a PFX' >pfx.snk
    printf -- '-----BEGIN RSA PRIVATE KEY-----\n' >pem.snk
    : >empty.snk
    local name
    for name in cut more pfx pem empty absent; do
        inspect_signed 3 --key $name.snk -o out.dll
        case $name in
            cut | empty) says err "$name.snk: key file: the data ends too early" ;;
            more) says err "more.snk: key file: there is more than one RSA key" ;;
            pfx) says err "openssl pkcs12 -in KEY.pfx" ;;
            pem) says err "openssl rsa -in KEY.pem" ;;
            absent) says err "absent.snk: cannot read: No such file" ;;
        esac
    done
    gone out.dll
}

# What the two messages say to do is right.
test_signed_converted() {
    give_signed
    have openssl || skip_case "no openssl"
    openssl rsa -inform MSBLOB -in key.snk -out KEY.pem 2>log || die "$(cat log)"
    openssl rsa -in KEY.pem -outform MSBLOB -out from-pem.snk 2>log || die "$(cat log)"
    inspect_signed 0 --key key.snk -o out.dll
    inspect_signed 0 --key from-pem.snk -o from-pem.dll
    identical out.dll from-pem.dll
    openssl pkcs12 -export -nocerts -inkey KEY.pem -out KEY.pfx -passout pass:x 2>log || die "$(cat log)"
    openssl pkcs12 -in KEY.pfx -nodes -nocerts -out KEY.pem -passin pass:x 2>log || die "$(cat log)"
    openssl rsa -in KEY.pem -outform MSBLOB -out from-pfx.snk 2>log || die "$(cat log)"
    identical from-pem.snk from-pfx.snk
}

test_signed_words() {
    give_signed
    give . Sample.dll
    refused 2 . --inspect-returns --strong-name klear Sample.dll
    says err "--strong-name is keep, clear or sign, not 'klear'"
    refused 2 . --inspect-returns --strong-name sign Sample.dll
    says err "--strong-name sign needs the key: --key KEY.snk"
    refused 2 . --inspect-returns --strong-name clear --key key.snk Sample.dll
    says err "--key is for --strong-name sign"
    refused 2 . tail list --strong-name clear Sample.dll
    refused 2 . tail list --key key.snk Sample.dll
}

# A module has no Assembly row, and its #Blob need not begin with the empty blob that a row's cell 0 would mean (II.24.2.4).
test_signed_module() {
    give_signed
    give . bad-inspector-module.netmodule
    local module=bad-inspector-module.netmodule
    expect 0 --inspect-returns --strong-name clear --compact -o out.netmodule $module
    says out "; no strong name to remove"
    poke $module "$("$ilpatch" dump --headers $module | sed -n 's/.*stream #Blob *at \(0x[0-9A-F]*\) .*/\1/p')" 01
    expect 0 --inspect-returns --strong-name clear --compact -o out.netmodule $module
    says out "; no strong name to remove"
    expect 3 --inspect-returns --key key.snk --compact -o out.netmodule $module
    says err "a module has no strong name: sign the assembly that lists it"
}
