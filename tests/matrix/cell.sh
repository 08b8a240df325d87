#!/bin/bash
# One cell:  cell.sh ENTRY INSPECTOR PROGRAM works | without-lines | refused CODE MESSAGE
#
# CELLS is the folder that run.sh has prepared: shapes/PROGRAM, before/PROGRAM.{out,code,files} of the unpatched program, inspectors/,
# rules/. The cell is tried in a copy of the shape. Prints one line: `ok` or `FAIL`, and what was seen otherwise.
set -u
entry=$1 inspector=$2 program=$3 outcome=$4
shift 4
code=${1:-0}
[ $# -eq 0 ] || shift
message=$*
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
. "$here/lib.sh"
begin "$entry/$inspector/$program" "$CELLS/cells/$entry.$inspector.$program"

# ---- the program ----

# Links, not copies: a file that is written in place, instead of replaced, changes the shape, which run.sh notices.
cp -al "$CELLS/shapes/$program" app
folder=$work/app
target=App.dll
starter "$program"
case $program in
    single-file* | trimmed-single-file)
        target=App/App.dll
        [ "$entry" != bundle ] || target=App
        case $entry in output | in-place | embed | folder) target=App ;; esac
        ;;
    plug-ins) target=plugins/one/Plugin.dll ;;
    mono-*) target=App.exe ;;
esac

# ---- what is requested from ilpatch ----

options=(--inspect-returns)
case $inspector in
    stock) case $entry in run | run-framework | attach) options+=(--inspector full) ;; esac ;;
    object) options+=(--inspector "$CELLS/inspectors/Object.dll") ;;
    named) options+=(--inspector "$CELLS/inspectors/Named.dll") ;;
    typed) options+=(--inspector "$CELLS/inspectors/Typed.dll") ;;
    generic) options+=(--inspector "$CELLS/inspectors/Generic.dll") ;;
    replacing) options+=(--inspector "$CELLS/inspectors/Replacing.dll") ;;
    native) options+=(--inspector "native:$CELLS/inspectors/libprobe.so!probe" --id-map "$work/ids.json") ;;
    unmanaged) case $entry in run | run-framework | attach) ;; *) options+=(--inspector unmanaged) ;; esac ;;
    *) options=(--rules "$CELLS/rules/$inspector.xml") ;;
esac
case $entry in
    in-place) options+=(--in-place --layout keep) ;; # elsewhere the default
    embed) options+=(--embed) ;;
    output)
        # what is beside the output is what the program needs
        cp -a app out # not links: the PDB there is another file than the input's
        rm -f "out/$target" "out/$target.mdb"
        options+=(-o "$work/out/$target")
        ;;
    run-framework) options+=(--framework) ;;
esac

# patch: the files of the cell
patch() {
    case $entry in
        folder)
            local files=(app/*)
            [ "$program" != plug-ins ] || files+=(app/plugins/one/*)
            "$ilpatch" "${options[@]}" "${files[@]}"
            ;;
        *) "$ilpatch" "${options[@]}" "app/$target" ;;
    esac >ilpatch.out 2>ilpatch.err
}

# start COMMAND...: the program, in its folder
start() { (cd "$folder" && exec timeout -k 10 600 "$@"); }

# The process of the program: it runs in the folder, and .NET's waits for diagnostics.
program_process() {
    local process
    for process in $(pgrep -x 'App|mono|mono-sgen'); do
        if [ "$(readlink "/proc/$process/cwd")" = "$folder" ] &&
            { [ "${command[0]}" = mono ] || [ -n "$(ls "${TMPDIR:-/tmp}/dotnet-diagnostic-$process"-* 2>/dev/null)" ]; }; then
            echo "$process"
            return
        fi
    done
    return 1
}

# run_program: its output and exit code, with values in `stock` and `own`
run_program() {
    case $entry in
        run | run-framework)
            echo | start "$ilpatch" run "${options[@]}" -o "$work/stock" -- "${command[@]}" >program.out 2>ilpatch.err
            echo $? >program.code
            ;;
        attach) attach_program ;;
        *)
            echo | ILPATCH_OUTPUT=$work/stock start "${command[@]}" >program.out 2>program.err
            echo $? >program.code
            ;;
    esac
}

attach_program() {
    mkfifo input
    (start "${command[@]}" <input >program.out 2>program.err; echo $? >program.code) &
    exec 3>input
    local process
    awaits program_process >/dev/null
    process=$(program_process)
    case $inspector in stock | unmanaged | several) options+=(-o "$work/stock") ;; esac # others write where they like
    "$ilpatch" attach --method-rate 0 --max-cost 0 "${options[@]}" "$process" >ilpatch.out 2>ilpatch.err &
    local attach=$!
    # it says so when methods are seen, or ends
    awaits eval "grep -q 'attached to process' ilpatch.err || ! kill -0 $attach 2>/dev/null"
    echo >&3
    exec 3>&-
    wait $attach
    attached=$?
    wait
}

# ---- what has to hold ----

# A program without its symbols shows no lines either.
comparable() {
    if [ "$outcome" = without-lines ]; then
        sed 's/ \[0x[0-9a-f]*\] in .*//; s/ in .*:[0-9]*[ ]*$//'
    else
        trace_lines
    fi
}

same_output() { # WHAT
    comparable <program.out >program.lines
    comparable <"$CELLS/before/$program.out" >before.lines
    cmp -s program.lines before.lines || { diff program.lines before.lines >output.diff; end_badly "$1: another output" output.diff; }
    [ "$(cat program.code)" = "$(cat "$CELLS/before/$program.code")" ] || end_badly "$1: exit code $(cat program.code)" program.err
}

# What inspectors wrote, of the methods in question; ids as names.
seen_values() {
    {
        grep -a '^Cell\.Values::' stock
        grep -aE '^Cell\.Values::|^\? (long )?(42[0-9]{4}|4242\.5|Cell\.Point|cell-[a-z]+|Aquamarine)$' own
        # a number as the name that the id map has for it
        sed -n 's/^{.*"id": \([0-9]*\), .*"name": "\(Cell[^"]*\)".*/\1 \2/p' ids.json |
            awk 'FILENAME == "-" { name["#" $1] = $2; next } $1 in name { print name[$1], $2 }' - own | grep '^Cell\.Values::'
    } 2>/dev/null | sort
}

same_folder() {
    files app >files.after
    cmp -s files.after "$CELLS/before/$program.files" ||
        { diff files.after "$CELLS/before/$program.files" >files.diff; end_badly "$1" files.diff; }
}

if [ "$outcome" = refused ]; then
    attached=
    case $entry in
        run | run-framework | attach)
            # the program itself runs as always
            run_program
            same_output "refused"
            got=${attached:-$(cat program.code)}
            ;;
        *)
            patch
            got=$?
            ;;
    esac
    [ "$got" = "$code" ] || end_badly "exit code $got, should be refused with $code"
    grep -qF -- "$message" ilpatch.err || end_badly "does not say '$message'"
    same_folder "changed though it is refused"
    [ ! -s stock ] && [ ! -s own ] || end_badly "values though it is refused"
    rm -rf "$work"
    echo "ok $name (refused)"
    exit 0
fi

case $entry in
    run | run-framework | attach) ;;
    *)
        patch
        got=$?
        [ $got -eq 0 ] || end_badly "exit code $got"
        [ "$entry" != output ] || folder=$work/out
        ;;
esac
run_program
[ "${attached:-0}" = 0 ] || end_badly "attach: exit code $attached"
same_output patched
seen_values >values
expected=$CELLS/expected/$inspector
cmp -s values "$expected" || { diff values "$expected" >values.diff; end_badly "other values" values.diff; }
given=$(grep -c 'the program got another value' program.err ilpatch.err 2>/dev/null | awk -F: '{ n += $NF } END { print n }')
wanted=0
[ "$inspector" != replacing ] || wanted=1
[ "$given" = $wanted ] || end_badly "the program got a changed value $given times, $wanted expected" program.err

case $entry in
    file | embed | bundle | folder)
        if [ "$entry" = folder ]; then
            originals=$(find app -name '*.dll.orig' -o -name '*.exe.orig' -o -name App.orig)
            # shellcheck disable=SC2086
            "$ilpatch" restore ${originals//.orig/} >ilpatch.out 2>ilpatch.err || end_badly "restore: exit code $?"
        else
            "$ilpatch" restore "app/${target%%/App.dll}" >ilpatch.out 2>ilpatch.err || end_badly "restore: exit code $?"
        fi
        same_folder "restore leaves another folder"
        ;;
    in-place) ;;
    *) same_folder "the program's folder was changed" ;;
esac
rm -rf "$work"
echo "ok $name"
