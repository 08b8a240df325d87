# shellcheck shell=bash
# What run.sh, cell.sh and pair.sh know of programs. Sourced after tests/lib.sh.

# files FOLDER: every file's digest, and what it is
files() { (cd "$1" && find . -type f -printf '%m %p ' -exec sh -c 'sha256sum <"$1"' sh {} \; | sort -k 2; find . ! -type f | sort); }

# starter PROGRAM: $command is what starts it, in its folder
starter() {
    command=(./App)
    case $1 in mono-*) command=(mono --debug App.exe) ;; esac
}

# Mono shows offsets of the IL besides lines, and those move.
trace_lines() { sed 's/ \[0x[0-9a-f]*\]//'; }

# begin NAME FOLDER: $work is that folder, empty, and entered
begin() {
    name=$1 work=$2
    rm -rf "$work"
    mkdir -p "$work"
    cd "$work" || exit 1
    export MATRIX_OUT=$work/own
}

# show FILE LINES PREFIX: how it begins
show() { [ ! -s "$1" ] || head -n "$2" "$1" | cut -c 1-300 | sed "s/^/  | $3/"; }

# end_badly WHAT [FILE]: the line for what was not as it should be, and the end
end_badly() {
    echo "FAIL $name: $1"
    [ -z "${2-}" ] || show "$2" 12 ''
    for file in err ilpatch.err; do
        [ ! -e $file ] || show "$file" 6 'ilpatch: '
    done
    exit 1
}
