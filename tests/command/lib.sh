# shellcheck shell=bash disable=SC2154
# What the tests are written with besides tests/lib.sh. Sourced by run.sh, which sets ilpatch, files and json_check.

# expect CODE ARGUMENT...: runs ilpatch, which has to end with that code; output goes to out and err.
expect() {
    local wanted_code=$1
    shift
    "$ilpatch" "$@" >out 2>err
    local code=$?
    [ $code -eq "$wanted_code" ] || die "ilpatch $*: exit code $code, not $wanted_code: $(head -c 300 err)"
}

# needs_linux WHY: for cases about what the tested command's system has not
needs_linux() { [ "$system" = Linux ] || skip_case "Linux alone: $1"; }

# Arguments that are no UTF-8: those of Windows are UTF-16.
has_byte_arguments() { [ "$system" = Linux ]; }

# Symbolic links: wine shows what they lead to.
has_links() { [ "$system" = Linux ]; }

# modes_of FILE...: their permissions, which are another system's own matter
modes_of() { [ "$system" != Linux ] || stat -c %a "$@"; }

# preload NAME: NAME.c, for LD_PRELOAD=./NAME.so before the command
preload() {
    needs_linux "LD_PRELOAD"
    ${CC:-cc} -shared -fPIC -o "$1.so" "$here/$1.c" 2>log || skip_case "no C compiler"
    LD_PRELOAD=./$1.so "$ilpatch" --version >out 2>err || skip_case "nothing can be preloaded"
}

# A folder of its own with copies of some files.
give() { # FOLDER FILE...
    mkdir -p "$1"
    local folder=$1
    shift
    for file; do cp "$files/$file" "$folder/" && chmod 644 "$folder/$file"; done
}

# Everything in a folder, with contents: two of these are the same if nothing happened in between.
state_of() {
    local modes=%m
    [ "$system" = Linux ] || modes=
    (
        cd "$1" || exit
        find . ! -path ./out ! -path ./err ! -path ./dump.txt -printf "%p %y $modes %l\n" | sort
        find . -type f ! -path ./out ! -path ./err ! -path ./dump.txt -exec md5sum {} + | sort -k 2
    )
}

# Runs ilpatch, which must fail with this code and leave the folder as it is.
refused() { # CODE FOLDER ARGUMENT...
    local before code=$1 folder=$2
    shift 2
    before=$(state_of "$folder")
    expect "$code" "$@"
    [ -s err ] || die "ilpatch $*: not a word about what is wrong"
    [ "$(state_of "$folder")" = "$before" ] || die "ilpatch $*: failed, but changed something in $folder"
}

# Whether a file is patched: it calls the inspector.
is_patched() {
    "$ilpatch" dump --methods "$1" >dump.txt || die "$1: dump failed"
    grep -q '::MyInspector(' dump.txt
}
patched() { is_patched "$1" || die "$1 is not patched"; }

# Tests that look into JSON begin with this: what runs in $(...) cannot skip.
needs_json() { [ -n "$json_check" ] || skip_case "no C compiler with jansson"; }

json() { # FILE PATH...: prints the value
    "$json_check" get "$@" || die "$1: nothing at ${*:2}"
}
good_report() {
    "$json_check" report "$1" || die "$1 is no good report"
}

poke() { # FILE OFFSET HEX
    printf "$(echo "$3" | sed 's/../\\x&/g')" | dd of="$1" bs=1 seek=$(($2)) conv=notrunc status=none
}
cli_offset() { "$ilpatch" dump --headers "$1" | sed -n 's/^CLI header at \(0x[0-9A-F]*\),.*/\1/p'; }

# A small file system of its own, unmounted when the test ends: needs root.
small_disk() { # FOLDER SIZE
    mkdir -p "$1"
    mount -t tmpfs -o "size=$2" none "$1" 2>/dev/null || return 1
    trap 'umount "$disk"' EXIT
    disk=$PWD/$1
}
