#!/bin/bash
# Signed assemblies: are the signatures those that Mono's sn makes, do the runtimes load what is kept, cleared, signed and
# public-signed, and does patched code run where precompiled code of the original is found by its MVID?
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/lib.sh
here=$PWD/tests/runtime/signed
verifier=$PWD/tests/command/strong_name.py
for tool in "$ilpatch" sn mcs mono python3; do
    command -v "$tool" >/dev/null || { skip signed "no $tool"; finish; }
done
scratch signed
cd "$tmp" || exit 1

inspect() { "$ilpatch" --inspect-returns -q "$@"; }
signature() { [ "$(python3 "$verifier" "$1" "$2")" = "$3" ] || { python3 "$verifier" "$1" "$2"; false; }; }

# ---- Mono's sn ----------------------------------------------------------------------------------------------

sn -q -k 1024 key.snk && sn -q -p key.snk key.pub && sn -q -k 2048 large.snk && sn -q -p large.snk large.pub
mkdir library
mcs -target:library -out:library/Library.dll -keyfile:key.snk "$here/Library.cs"
mcs -target:exe -out:App.exe -reference:library/Library.dll "$here/App.cs"

# Its checksum apart, which sn leaves as it was. (DOS header, "PE", COFF and optional header: 0x3C, 4 + 20 + 64.)
same_as_sn() { # OUT STALE KEY
    cp "$2" by-sn.dll
    sn -q -R by-sn.dll "$3" || return 1
    python3 - "$1" by-sn.dll <<'PYTHON'
import struct, sys
left, right = (bytearray(open(path, "rb").read()) for path in sys.argv[1:])
for data in left, right:
    at = struct.unpack_from("<I", data, 0x3C)[0] + 88
    data[at:at + 4] = bytes(4)
sys.exit(left != right)
PYTHON
}

for size in 1024 2048; do
    key=key
    [ $size = 2048 ] && key=large
    mcs -target:library -out:Signed.dll -keyfile:$key.snk "$here/Library.cs"
    mcs -target:library -out:Delayed.dll -delaysign+ -keyfile:$key.pub "$here/Library.cs"
    for file in Signed Delayed; do
        passes "patch-$file-$size" inspect -o stale.dll $file.dll
        passes "sign-$file-$size" inspect --key $key.snk -o new.dll $file.dll
        if sn -q -v stale.dll >/dev/null 2>&1; then fail "stale-$file-$size" "sn takes it"; else ok "stale-$file-$size"; fi
        passes "sn-verifies-$file-$size" sn -q -v new.dll
        passes "verified-$file-$size" signature $key.pub new.dll 'valid sha1'
        # sn does not set the flag of a delay-signed file
        [ $file = Delayed ] || passes "sn-signs-alike-$size" same_as_sn new.dll stale.dll $key.snk
    done
done
# mscorlib.dll of the profile has checksum, resources and three sections.
big=/usr/lib/mono/4.5/Mono.Security.dll
if [ -f $big ]; then
    sn -q -e $big big.pub
    passes public-big inspect --key big.pub -o big.dll $big
    passes public-big-verified signature big.pub big.dll public
fi

# ---- what the runtimes load ---------------------------------------------------------------------------------

# load TEST RUNTIME-COMMAND: an App that refers to the library by its key, and four libraries.
load() {
    local test=$1 what shown
    shift
    for what in keep clear sign public; do
        mkdir -p "$test-$what"
        cp "$app"* "$test-$what/"
        case $what in
            keep | clear) inspect --strong-name $what -o "$test-$what/Library.dll" "$library" ;;
            sign) inspect --key key.snk -o "$test-$what/Library.dll" "$library" ;;
            public) inspect --key key.pub -o "$test-$what/Library.dll" "$library" ;;
        esac || { fail "$test-$what" "not patched"; continue; }
        shown=$(cd "$test-$what" && "$@" "$(basename "$app")" 2>&1)
        # cleared, too: in the application's folder neither of the two looks for the key that the reference names
        case $shown in
            *"Library::Twice -> 42"*) ok "$test-$what" ;;
            *) fail "$test-$what" "$(echo "$shown" | head -n 2)" ;;
        esac
    done
}
app=App.exe library=library/Library.dll
load mono mono
if ! find_sdk; then
    skip roslyn "no .NET SDK"
else
    roslyn() { csharp -r:"$framework/System.Private.CoreLib.dll" -r:"$framework/System.Runtime.dll" -r:"$framework/System.Console.dll" "$@"; }
    mkdir roslyn
    roslyn -target:library -out:roslyn/Library.dll -keyfile:key.snk "$here/Library.cs"
    roslyn -target:exe -out:roslyn/App.dll -r:roslyn/Library.dll "$here/App.cs"
    runs_with_framework roslyn/App.dll
    app=roslyn/App. library=roslyn/Library.dll
    # the original: the verifier knows a signature of this compiler
    passes roslyn-verified signature key.pub roslyn/Library.dll 'valid sha1'
    coreclr() { dotnet App.dll; }
    load coreclr coreclr

    for platform in x64 x86 arm64; do
        roslyn -target:library -out:$platform.dll -platform:$platform -keyfile:key.snk "$here/Library.cs"
        passes "sign-$platform" inspect --key key.snk -o new.dll $platform.dll
        passes "verified-$platform" signature key.pub new.dll 'valid sha1'
    done

    # Enhanced strong names: the public key names the hash.
    for hash in 0c/sha256 0d/sha384 0e/sha512; do
        name=${hash#*/}
        cp large.pub $name.pub
        printf "\\x${hash%/*}" | dd of=$name.pub bs=1 seek=4 conv=notrunc 2>log
        roslyn -target:library -out:$name.dll -publicsign -keyfile:$name.pub "$here/Library.cs"
        passes "sign-$name" inspect --key large.snk -o new.dll $name.dll
        passes "verified-$name" signature $name.pub new.dll "valid $name"
    done

    # The identity's key has its place taken by another, which names SHA-256.
    hex() { od -An -v -tx1 "$1" | tr -d ' \n'; }
    printf 'static class Keys { public const string Signature = "%s", Counter = "00"; }\n' "$(hex sha256.pub)" >Keys.cs
    # the room for a signature is that of the identity's key: another one of this size
    sn -q -k 2048 identity.snk && sn -q -p identity.snk identity.pub
    roslyn -target:library -out:migrated.dll -publicsign -keyfile:identity.pub -define:SIGNATURE_KEY "$here/Library.cs" Keys.cs
    passes sign-migrated inspect --key large.snk -o new.dll migrated.dll
    passes verified-migrated signature sha256.pub new.dll 'valid sha256'
    inspect --key identity.snk -o other.dll migrated.dll >log 2>&1
    contains migrated-other-key 'AssemblySignatureKeyAttribute' "$tmp/log"
fi

# ---- precompiled code is found by the MVID -------------------------------------------------------------------

mvid() { "$ilpatch" dump --tables "$1" | sed -n 's/.*Mvid=\([0-9A-F]*\).*/\1/p' | head -n 1; }
# keep_mvid FILE ORIGINAL: gives the patched FILE the old MVID again.
keep_mvid() {
    python3 - "$1" "$(mvid "$1")" "$(mvid "$2")" <<'PYTHON'
import sys
path, new, old = sys.argv[1], bytes.fromhex(sys.argv[2]), bytes.fromhex(sys.argv[3])
data = open(path, "rb").read()
assert data.count(new) == 1
open(path, "wb").write(data.replace(new, old))
PYTHON
}

# Debian's own: the compiler.
if [ ! -f "$(find /usr/lib/mono/aot-cache -name mcs.exe.so 2>/dev/null | head -n 1)" ]; then
    skip aot-mcs "no precompiled mcs.exe"
else
    mkdir mcs
    inspect -o mcs/mcs.exe /usr/lib/mono/4.5/mcs.exe
    echo 'class A { static void Main() {} }' >A.cs
    ILPATCH_COUNT=1 ILPATCH_OUTPUT=$tmp/new.txt mono mcs/mcs.exe -out:A.exe A.cs
    keep_mvid mcs/mcs.exe /usr/lib/mono/4.5/mcs.exe
    ILPATCH_COUNT=1 ILPATCH_OUTPUT=$tmp/old.txt mono mcs/mcs.exe -out:A.exe A.cs
    # what is not precompiled, some generic methods, shows its values in any case
    values() { sed -n 's/^ilpatch: \([0-9]*\) values.*/\1/p' "$1" | sort -n | tail -n 1; }
    new=$(values new.txt) old=$(values old.txt)
    if [ "${new:-0}" -gt 1000000 ]; then ok "aot-mcs-new-mvid ($new values)"; else fail aot-mcs-new-mvid "${new:-0} values"; fi
    if [ "${old:-0}" -lt $((new / 10)) ]; then ok "aot-mcs-old-mvid (${old:-0} values)"
    else fail aot-mcs-old-mvid "${old:-0} values are shown: this test shows nothing"; fi
fi
# A library with a strong name, precompiled here, as for the GAC.
mkdir aot && cp App.exe library/Library.dll aot/
if ! (cd aot && mono --aot Library.dll) >log 2>&1; then
    skip aot-library "$(tail -n 1 log)"
else
    inspect aot/Library.dll
    mono aot/App.exe >log 2>&1
    contains aot-library-new-mvid 'Library::Twice -> 42' "$tmp/log"
    keep_mvid aot/Library.dll aot/Library.dll.orig
    mono aot/App.exe >log 2>&1
    contains aot-library-runs 'twice 21 is 42' "$tmp/log"
    if grep -q 'Twice ->' log; then fail aot-library-old-mvid "values are shown: this test shows nothing"; else ok aot-library-old-mvid; fi
fi
finish
