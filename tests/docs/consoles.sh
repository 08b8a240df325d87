#!/bin/bash
# Types what a text shows, and compares:  consoles.sh TEXT TREE
#
#   ```console    `$ ` begins a command, which goes on in lines that begin with `> ` as long as it is not complete (a `\`, a `|` or
#                 an open here document); the lines below it are what it prints, on standard output and standard error
#                 ...   as a whole line: any number of lines       …   in a line: any text
#   ```LANGUAGE   a block whose first line is a comment of a file name alone (`<!-- a.xml -->`, `/* a.c */`, `// a.cs`): that file,
#                 written when its turn comes
#
# All blocks of a text are typed one after the other into one shell, where the text says that commands are typed:
#
#   "typed in the scratch folder"         what `./try.sh shell` opens: build/try in TREE, with ilpatch in PATH
#   "typed in the root of a built tree"   TREE itself
#
# TREE is made here: the folders of the tree, and links to what was built. A block that needs a tool that is not there is skipped,
# one of not_run.txt is not run. For tests/docs/run.sh, which sets ILPATCH and BUILD.
set -u
shopt -s extglob
text=$1 tree=$2 root=$PWD
. tests/lib.sh
tmp=$tree.work
mkdir -p "$tree/build" "$tmp/bin"
for entry in "$root"/*; do
    [ "$(basename "$entry")" = build ] || ln -s "$entry" "$tree"
done
find "$build" -maxdepth 1 -mindepth 1 ! -name try -exec ln -s -t "$tree/build" {} +
ln -sf "$ilpatch" "$tree/build/ilpatch"
samples/copy.sh "$tree/build/try"

runtime=net
if ! have dotnet; then
    runtime=none
    if have mono; then # the sample prints the same on both
        printf '#!/bin/sh\nshift\nexec mono "$@"\n' >"$tmp/bin/dotnet"
        chmod +x "$tmp/bin/dotnet"
        runtime=mono
    fi
fi

# ---- what is typed -------------------------------------------------------------------------------------------

# One file for each block, $tmp/N.block, without its fences; its language in $tmp/N.language.
awk -v folder="$tmp" '
    /^```/ && on { on = 0; close(file); next }
    /^```/ { on = 1; file = folder "/" ++n ".block"; print substr($0, 4) >(folder "/" n ".language"); printf "" >file; next }
    on { print >file }' "$text"

# open_command TEXT: more of it has to come
open_command() {
    local last=${1##*$'\n'} end
    case $last in *'\' | *'|' | *'&&') return 0 ;; esac
    end=$(sed -n "s/.*<<-\{0,1\}['\"\\\\]\{0,1\}\([A-Za-z]\{1,\}\).*/\1/p" <<<"$1" | head -n 1)
    [ -n "$end" ] && ! grep -qx "$end" <<<"$1"
}
# add_block N: its commands go into the script, and into $tmp/N.command.K and $tmp/N.shown.K
add_block() {
    local line command='' count=0
    while IFS= read -r line || [ -n "$line" ]; do
        if [ -n "$command" ] && [[ $line == '> '* ]] && open_command "$command"; then
            command+=$'\n'${line#??}
            printf '%s' "$command" >"$tmp/$1.command.$count"
        elif [[ $line == '$ '* ]]; then
            count=$((count + 1)) command=${line#??}
            printf '%s' "$command" >"$tmp/$1.command.$count"
            : >"$tmp/$1.shown.$count"
        elif [ $count -eq 0 ]; then
            fail "$text-$1" "begins with no command"
        else
            printf '%s\n' "$line" >>"$tmp/$1.shown.$count"
        fi
    done <"$tmp/$1.block"
    for ((i = 1; i <= count; i++)); do
        printf 'mark\n%s\n' "$(cat "$tmp/$1.command.$i")" >>"$tmp/script"
        echo "$1 $i" >>"$tmp/order"
    done
}
# missing_tool N: what the block needs and what is not there
missing_tool() {
    local tool
    if grep -qE '^[$>] .*\bdotnet ' "$tmp/$1.block"; then
        [ $runtime != none ] || echo "neither .NET nor Mono"
    fi
    if [ $runtime != net ] && grep -qE 'ilpatch (run|trace|attach|resolve) |CORECLR_' "$tmp/$1.block"; then echo "no .NET"; fi
    for tool in cc c++ od mcs; do
        if grep -qE "^[$>] (.*[ &|;(])?${tool//+/\\+} " "$tmp/$1.block"; then have $tool || echo "no $tool"; fi
    done
}

# The state of a shell that commands see ($?) stays as it was.
echo 'mark() { local status=$?; printf "\036"; return $status; }' >"$tmp/script"
: >"$tmp/order"
behind_skipped=no
for ((n = 1; ; n++)); do
    [ -e "$tmp/$n.block" ] || break
    language=$(cat "$tmp/$n.language")
    name=$(sed -nE '1s,^(<!--|/\*|//) ([A-Za-z0-9._-]+\.(xml|c|cs|json))(: .*)?( -->| \*/)?$,\2,p' "$tmp/$n.block")
    if [ -n "$name" ]; then
        printf "cat >%s <<'END OF %s'\n%s\nEND OF %s\n" "$name" "$name" "$(cat "$tmp/$n.block")" "$name" >>"$tmp/script"
    elif [ "$language" = console ]; then
        reason=$(awk -F '\t' -v text="$text" -v first="$(head -n 1 "$tmp/$n.block")" '$1 == text && $2 == first { print $3 }' tests/docs/not_run.txt)
        missing=$(missing_tool "$n" | head -n 1)
        if [ -n "$reason" ]; then
            echo "not run: $text: $(head -n 1 "$tmp/$n.block"): $reason"
        elif [ -n "$missing" ]; then
            skip "$text-$n" "$missing"
            [ $runtime != none ] || behind_skipped=yes
        elif [ $behind_skipped = yes ]; then
            skip "$text-$n" "comes after one that was skipped"
        else
            add_block "$n"
        fi
    fi
done

# ---- typing --------------------------------------------------------------------------------------------------

start=
grep -q 'typed in the scratch folder' "$text" && start=$tree/build/try
grep -q 'typed in the root of a built tree' "$text" && start=$tree
if [ -z "$start" ]; then
    [ -s "$tmp/order" ] || finish # all are in not_run.txt
    fail "$text" "does not say where its commands are typed"
    finish
fi
(cd "$start" && PATH=$tmp/bin:$tree/build:$PATH exec bash "$tmp/script") >"$tmp/output" 2>&1 </dev/null

# One file for each command: what follows its mark.
awk -v folder="$tmp" 'BEGIN { RS = "\036" } NR > 1 { file = folder "/printed." (NR - 1); printf "%s", $0 >file; close(file) }' "$tmp/output"

# shows SHOWN PRINTED
shows() {
    local pattern='' line any
    any="*([!"$'\n'"])"
    while IFS= read -r line; do
        if [ "$line" = ... ]; then
            pattern+='*'
        else
            line=$(printf '%s' "$line" | sed 's/[][\\*?+@!()|]/\\&/g')
            pattern+=${line//…/$any}$'\n'
        fi
    done <"$1"
    # shellcheck disable=SC2053
    [[ "$(cat "$2"; echo .)" == ${pattern}. ]]
}
good=yes of=
number=0
while read -r n i; do
    number=$((number + 1))
    if [ "$n" != "$of" ]; then
        [ -z "$of" ] || [ $good = no ] || ok "$text-console-$of"
        of=$n good=yes
    fi
    [ -e "$tmp/printed.$number" ] || : >"$tmp/printed.$number"
    if ! shows "$tmp/$n.shown.$i" "$tmp/printed.$number"; then
        good=no
        fail "$text-console-$n" "$(head -n 1 "$tmp/$n.command.$i")"
        diff "$tmp/$n.shown.$i" "$tmp/printed.$number" | head -n 20 | cut -c 1-240 | sed 's/^/  | /'
    fi
done <"$tmp/order"
[ -z "$of" ] || [ $good = no ] || ok "$text-console-$of"
finish
