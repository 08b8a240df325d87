#!/bin/bash
# Makes the fixtures of this folder with the command that said version 0.1:  make.sh TREE
#
# TREE is a built tree of that version (README.md says which commit). Needs the SDK of .NET 10, crossgen2 from NuGet, python3.
# Times, process numbers and the MVIDs that crossgen2 keeps are in the files, so they differ each time.
set -eu
tree=$(realpath "$1")
old=$tree/build/ilpatch
cd "$(dirname "$0")/../.."
. tests/lib.sh
[ "$("$old" --version)" = 'ilpatch 0.1.0' ] || { echo "$old is not version 0.1.0"; exit 1; }
find_sdk || { echo "no .NET SDK 10 or newer"; exit 1; }
crossgen=$(find ~/.nuget/packages/microsoft.netcore.app.crossgen2.linux-x64/*/tools/crossgen2 | sort -V | tail -n 1)
fixtures=$PWD/tests/fixtures-0.1
files=$tree/tests/command/files
inspector=$files/good-inspector.dll
cd "$fixtures"
rm -rf -- */

# begin CASE: an empty folder, and in it
begin() {
    mkdir "$fixtures/$1"
    cd "$fixtures/$1"
}

# patch FILE OPTION...: `before` has the sums of what was there; `inspected` the tokens of the methods that were inspected
patch() {
    local file=$1
    shift
    chmod 644 -- *
    sha256sum -- * >"$fixtures/before"
    "$old" inspect --report "$fixtures/report" "$@" "$file"
    sed -n 's/.*"token": "0x\([0-9A-F]*\)".*"answer": "\(inspected\|sets-result\|yields\)".*/\1/p' "$fixtures/report" >inspected
    mv "$fixtures/before" .
    rm "$fixtures/report"
}

write_deps() { # NAME
    cat >"$1.deps.json" <<END
{
  "runtimeTarget": { "name": ".NETCoreApp,Version=v10.0" },
  "targets": {
    ".NETCoreApp,Version=v10.0": { "$1/1.0.0": { "runtime": { "$1.dll": {} } } }
  },
  "libraries": { "$1/1.0.0": { "type": "project", "serviceable": false, "sha512": "" } }
}
END
}

# The stock inspector, a PDB and .deps.json.
begin stock
cp "$files/Sample.dll" "$files/Sample.pdb" .
write_deps Sample
patch Sample.dll

begin embed
cp "$files/Sample.dll" "$files/Sample.pdb" .
patch Sample.dll --embed

begin own
cp "$files/Sample.dll" "$files/Sample.pdb" .
write_deps Sample
patch Sample.dll --inspector "$inspector"

# Iterators, async methods, guards, ids and their map.
begin rules
cp "$tree/tests/files/good-csharp.dll" .
cp "$tree/tests/files/good-portable.pdb" good-csharp.pdb
cat >../rules.xml <<END
<rules><include iterators="current" async="result" guard="yes" pass="id"/></rules>
END
patch good-csharp.dll --inspector "$files/good-inspector-passes.dll" --rules ../rules.xml --id-map ../ids.json
mv ../ids.json ../rules.xml .

begin ready-to-run
cp "$files/Sample.dll" ../il.dll
"$crossgen" ../il.dll -o Sample.dll -r "$framework/*.dll" -O >/dev/null
rm ../il.dll
patch Sample.dll --inspector "$inspector"

begin signed
run_csc -out:Sample.dll -r:"$refs/System.Runtime.dll" -r:"$refs/System.Console.dll" -r:"$refs/System.Memory.dll" -unsafe \
    -keyfile:"$tree/data/inspector/MyProfiler.snk" "$files/Sample.cs"
patch Sample.dll --inspector "$inspector" --strong-name sign --key "$tree/data/inspector/MyProfiler.snk"

# A host program without code.
begin bundle
python3 - <<'END'
import struct
signature = bytes.fromhex("8b1202b96a612038727b930214d7a03213f5b9e6efae3318ee3b2dce24b36aae")
host = b"\x7fELF\x02\x01\x01".ljust(64, b"\0")
at = len(host) + 8 + len(signature)
header = struct.pack("<IIi", 6, 0, 0) + b"\x08fixtures" + bytes(40)
open("../empty", "wb").write(host + struct.pack("<q", at) + signature + header)
END
cp "$files/Sample.dll" ..
(cd .. && write_deps Sample)
add=$fixtures/../shapes/add_to_bundle.py
python3 "$add" ../empty ../half Sample.dll ../Sample.dll 1
python3 "$add" ../half Sample Sample.deps.json ../Sample.deps.json 3
rm ../empty ../half ../Sample.dll ../Sample.deps.json
patch Sample --inspector "$inspector"

# Spools, and what 0.1 printed of them: one of a program, two with all records that there are.
begin spools
cp "$files/Sample.dll" .
cat >Sample.runtimeconfig.json <<END
{ "runtimeOptions": { "framework": { "name": "Microsoft.NETCore.App", "version": "10.0.0" } } }
END
"$old" trace -q --values --spool program.spool -- dotnet exec Sample.dll
rm Sample.*
cc -std=c11 -D_GNU_SOURCE -I"$tree/include" -I"$tree/src" -I"$tree" -o ../make_spool "$tree/tests/trace/make_spool.c" "$tree/build/libilpatch.a"
for script in shop hostile; do
    ../make_spool $script.spool <"$tree/tests/trace/scripts/$script.txt"
done
rm ../make_spool
for format in text chrome speedscope folded otlp; do
    for spool in program hostile; do
        "$old" report --format $format -o $spool.$format $spool.spool
    done
done
"$old" report --format text -o shop.text shop.spool
du -sb "$fixtures"
