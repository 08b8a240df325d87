# shellcheck shell=bash disable=SC2154
# What has nothing to do with IL stays as it is, for every kind of machine: kept.py reads both files by itself.
# Sourced by run.sh.

# kept FILE OPTION...: patched, it is what it was but for the new section, and has no new finding.
kept() {
    local file=$1 before after
    shift
    run_ilpatch 0 --inspect-returns "$@" -o "$file.patched" "$file" && python3 "$here/kept.py" "$file" "$file.patched" || return
    before=$("$ilpatch" verify "$file" | tail -n 1) after=$("$ilpatch" verify "$file.patched" | tail -n 1)
    [ "${before#*:}" = "${after#*:}" ] || { echo "'$after', not '$before'"; return 1; }
}

# moved FILE [WHY]: patched without a word about the layout, it is laid out again, or why not; it has the methods, Win32 resources and findings that
# it has where the layout is kept.
moved() {
    local file=$1 resources
    run_ilpatch 0 --inspect-returns -o "$file.moved" "$file" || return
    if [ -n "${2:-}" ]; then
        has_texts "$tmp/out" "; layout kept: $2" && cmp "$file.moved" "$file.patched"
        return
    fi
    ! grep -q 'layout' "$tmp/out" && [ "$(stat -c %s "$file.moved")" -lt "$(stat -c %s "$file.patched")" ] || return
    run_ilpatch 0 diff "$file.moved" "$file.patched" && has_texts "$tmp/out" "0 methods differ, " ", 0 only in OLD, 0 only in NEW" || return
    [ "$("$ilpatch" verify "$file.moved" | tail -n 1 | cut -d : -f 2-)" = "$("$ilpatch" verify "$file.patched" | tail -n 1 | cut -d : -f 2-)" ] ||
        { echo "other findings"; return 1; }
    resources=$("$ilpatch" dump --headers "$file.moved" | sed -n 's/^  directory 2 .*size \(0x[0-9A-F]*\)$/\1/p')
    [ "$resources" = "$("$ilpatch" dump --headers "$file.patched" | sed -n 's/^  directory 2 .*size \(0x[0-9A-F]*\)$/\1/p')" ] ||
        { echo "Win32 resources of another size: $resources"; return 1; }
}

# A program for one kind of machine, with an icon; Mono runs them all.
for_machine() { # PLATFORM MACHINE [WHY-THE-LAYOUT-IS-KEPT]
    local file=$tmp/kept/$1.exe
    mcs -platform:"$1" -win32icon:"$tmp/kept/icon.ico" -out:"$file" "$here/Odd.cs" &&
        run_ilpatch 0 dump --headers "$file" && has_texts "$tmp/out" "machine $2" "directory 2 " &&
        kept "$file" --layout keep && moved "$file" "${3:-}" && mkdir "$tmp/kept/$1" && cp "$file" "$tmp/kept/$1/" || return
    [ "$1" != x86 ] || return 0 # not by a 64-bit Mono
    run_ilpatch 0 --inspect-returns -q "$tmp/kept/$1/$1.exe" || return
    [ "$(on mono "$tmp/kept/$1/$1.exe")" = "odd! 49 2.5 b 145 1
exit code 0" ] && has_texts "$tmp/values" 'Odd`1::get_Count -> 145'
}

# An assembly of two files: both are patched, and the hash that one keeps of the other follows.
two_files() {
    local folder=$tmp/kept/files
    mkdir "$folder" || return
    (
        cd "$folder" || exit
        echo 'public class Part { public static int Nine() { return 9; } }' >Part.cs
        echo 'static class Whole { static int Main() { System.Console.WriteLine("odd! {0}", Part.Nine()); return 0; } }' >Whole.cs
        mcs -target:module Part.cs && mcs -addmodule:Part.netmodule Whole.cs
    ) || return
    has_hash "$folder" && run_ilpatch 0 --inspect-returns "$folder/Part.netmodule" &&
        has_texts "$tmp/out" "Whole.exe keeps a hash of this module" && ! has_hash "$folder" &&
        run_ilpatch 0 --inspect-returns "$folder/Whole.exe" && has_texts "$tmp/out" "hash of 1 module recomputed" &&
        has_hash "$folder" && [ "$(on mono "$folder/Whole.exe")" = "odd! 9
exit code 0" ] && has_texts "$tmp/values" 'Part::Nine -> 9' 'Whole::Main -> 0' &&
        run_ilpatch 0 verify "$folder/Whole.exe" && run_ilpatch 0 restore "$folder/Part.netmodule" "$folder/Whole.exe" &&
        has_hash "$folder" && two_files_at_once "$folder"
}

# One run patches the module first, though its name is later, and says nothing of its assembly.
two_files_at_once() { # FOLDER
    local options
    for options in "-v" "-j 2" "--embed" "-v Whole.exe Part.netmodule" "-j 2 Whole.exe Part.netmodule"; do
        case $options in *Whole*) ;; *) options="$options ." ;; esac
        # shellcheck disable=SC2086
        (cd "$1" && "$ilpatch" inspect $options) >"$tmp/out" 2>&1 && has_hash "$1" && ! grep "keeps a hash" "$tmp/out" &&
            run_ilpatch 0 restore "$1/Part.netmodule" "$1/Whole.exe" || { echo "inspect $options"; return 1; }
    done
    for options in 1 2; do # the second run finds the module in the cache
        run_ilpatch 0 inspect --cache "$1.cache" -o "$1.out" "$1" && has_hash "$1.out" || return
    done
}

# Whether the File row's hash is that of the file.
has_hash() { # FOLDER
    local hash
    hash=$(sha1sum "$1/Part.netmodule" | cut -c 1-40 | tr a-f A-F)
    "$ilpatch" dump --tables "$1/Whole.exe" | tr -d ' ' | grep -q "Name=Part.netmodule.*$hash"
}

mixed_mode() {
    "$net_ilasm" -quiet -dll -x64 -output="$tmp/kept/Mixed.dll" "$here/Mixed.il" >/dev/null &&
        run_ilpatch 0 list "$tmp/kept/Mixed.dll" && kept "$tmp/kept/Mixed.dll" --layout keep &&
        moved "$tmp/kept/Mixed.dll" "a mixed-mode image: native code cannot be moved" &&
        run_ilpatch 0 dump --headers "$tmp/kept/Mixed.dll.patched" && has_texts "$tmp/out" "flags 0x0," "directory 0 " "directory 9 "
}

if ! have python3; then
    skip kept "no python3"
    return
fi
mkdir "$tmp/kept"
if have mcs && have mono; then
    # an icon of one pixel
    printf '\0\0\1\0\1\0\1\1\0\0\1\0\40\0\60\0\0\0\26\0\0\0\50\0\0\0\1\0\0\0\2\0\0\0\1\0\40\0\0\0\0\0\10\0\0\0' >"$tmp/kept/icon.ico"
    printf '%32s' '' | tr ' ' '\0' >>"$tmp/kept/icon.ico"
    passes kept-anycpu for_machine anycpu 0x014C
    passes kept-x86 for_machine x86 0x014C
    passes kept-x64 for_machine x64 0x8664 "imports are not those of an image of IL alone in PE32"
    passes kept-arm for_machine arm 0x01C4 "imports are not those of an image of IL alone in PE32"
    passes kept-itanium for_machine itanium 0x0200 "imports are not those of an image of IL alone in PE32"
    passes kept-two-files two_files
else
    skip kept-machines "no mcs or mono"
fi
net_ilasm=$(ls "${NUGET_PACKAGES:-${HOME:-/root}/.nuget/packages}"/runtime.*.microsoft.netcore.ilasm/*/runtimes/*/native/ilasm 2>/dev/null | tail -n 1)
if [ -n "$net_ilasm" ]; then
    passes kept-mixed-mode mixed_mode
else
    skip kept-mixed-mode "no ilasm of .NET"
fi
# With an Authenticode signature, a checksum, resources.
signed=${ILPATCH_TEST_CACHE:-build/packages}/net/Newtonsoft.Json.dll
if [ -e "$signed" ]; then
    cp "$signed" "$tmp/kept/"
    passes kept-signed kept "$tmp/kept/Newtonsoft.Json.dll" --layout keep
    passes moved-signed moved "$tmp/kept/Newtonsoft.Json.dll"
else
    skip kept-signed "no $signed"
fi
