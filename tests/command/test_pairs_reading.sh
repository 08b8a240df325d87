# shellcheck shell=bash disable=SC2154
# Every pair of options of the commands that read: both do what they do alone, or the two are refused with a sentence. None
# is accepted and ignored. Sourced by run.sh.
#
# A table has a line for each option: NAME | ARGUMENTS | CHECK. CHECK is a command that fails where the output, in `out`, is
# not what the option requests; `alone` lists options that are refused beside another.

# pairs COMMAND FILES TABLE REFUSED: REFUSED has lines "NAME NAME"
pairs() {
    local command=$1 files_of=$2 table=$3 refused=$4 name other arguments others check checks code
    while IFS='|' read -r name arguments check; do
        while IFS='|' read -r other others checks; do
            [[ "$name" < "$other" ]] || continue
            # shellcheck disable=SC2086
            eval "\"\$ilpatch\" $command $arguments $others $files_of" >out 2>err
            code=$?
            if grep -qx -e "$name $other" -e "$other $name" <<<"$refused"; then
                [ $code -eq 2 ] && [ -s err ] && [ ! -s out ] || die "$command $arguments $others: exit code $code, not refused: $(head -n 2 err)"
                continue
            fi
            [ $code -le 1 ] || die "$command $arguments $others: exit code $code: $(head -n 2 err)"
            eval "$check" || die "$command $arguments $others: $name is ignored: $(head -c 300 out)"
            eval "$checks" || die "$command $arguments $others: $other is ignored: $(head -c 300 out)"
        done <<<"$table"
    done <<<"$table"
}

# What is in lists, in both forms.
is_json() { "$json_check" get out modules 0 file >/dev/null 2>&1; }
tokens_of() { grep -oE '^06[0-9A-F]{6}|"token": "0x06[0-9A-F]{6}"' out | grep -oE '06[0-9A-F]{6}'; }
has_token() { tokens_of | grep -q "$1"; }
no_token() { ! has_token "$1"; }

test_pairs_list() {
    needs_json
    give . Sample.dll good-inspector.dll
    echo '<rules><exclude name="day"><method name="Day"/></exclude><include/></rules>' >r.xml
    mkdir refs
    # Main (0E) is not static-typed struct; Day (06) and Place (04) return structs, Maybe (05) one of 8 bytes
    pairs list Sample.dll "--rules|--rules r.xml|grep -qE '^06000006  excluded|06000006.*\"answer\": \"excluded\"' out || no_token 06000006
--where|--where '<return kind=\"struct\"/>'|no_token 0600000E && has_token 06000004
--affected-by|--affected-by x86-struct-return|no_token 0600000E && grep -q 'returns struct' out
--target|--target anycpu|true
--answer|--answer inspected|no_token 06000008
--sort|--sort size|[ \"\$(tokens_of | tr '\\n' ' ')\" != \"\$(tokens_of | sort | tr '\\n' ' ')\" ]
--json|--json|is_json
--inspector|--inspector good-inspector.dll|grep -q 'good-inspector' out || ! grep -q ldstr out
--reference-path|--reference-path refs|true" ""
    # the target takes away what the bug concerns
    expect 0 list --affected-by x86-struct-return --target x64 Sample.dll
    silent out
    expect 0 list --json --affected-by x86-struct-return Sample.dll
    says out '"affectedBy": "returns struct'
}

test_pairs_dump() {
    give . Sample.dll
    pairs dump Sample.dll "--headers|--headers|grep -q '^PE 32' out
--tables|--tables|grep -q '^table 0x02 TypeDef' out
--methods|--methods|grep -q '^method 06000001' out && grep -q '^method 0600000E' out
--method|--method Main|grep -q '^method 0600000E' out && ! grep -q '^method 06000001' out" "--methods --method"
    refused 2 . dump --method Main --method Day Sample.dll
    says err "--method is given twice"
}

# One file has two methods that are unverifiable, the other one that hangs on a type that is not there.
test_pairs_verify() {
    needs_json
    give . Painter.dll
    cp "$here/../files/good-il.dll" .
    mkdir refs
    cp "$files/Colors.dll" refs/
    local kind='^[0-9A-F]{8}  [^ ]+ *KIND |"kind": "KIND"'
    pairs verify 'good-il.dll Painter.dll' "--method|--method 0x06000001|! grep -q 06000013 out
--unverifiable|--unverifiable|grep -qE '${kind//KIND/unverifiable}' out || [[ \"\$arguments \$others\" = *--method* ]]
--unknown|--unknown|grep -qE '${kind//KIND/unknown}' out || [[ \"\$arguments \$others\" = *--reference-path* ]]
--json|--json|\"$json_check\" get out files 0 file >/dev/null 2>&1
--reference-path|--reference-path refs|! grep -qE '${kind//KIND/unknown}' out" ""
    refused 2 . verify --method Main --method Day Painter.dll
    says err "--method is given twice"
}

test_pairs_diff() {
    give . Sample.dll
    expect 0 --inspect-returns -q -o new.dll Sample.dll
    pairs diff 'Sample.dll new.dll' "--context|-U 0|! grep -q 'ldloc.0' out || true
--side-by-side|-y|grep -q ' [|>] ' out
--width|--width 60|[ \"\$(grep -v ^@@ out | sed 's/\\x1b\\[[0-9;]*m//g' | wc -L)\" -le 70 ]
--color|--color always|grep -q \$'\\e\\[' out" "--context --width
--width --color"
    expect 2 diff --width 60 Sample.dll new.dll
    says err "--width is for --side-by-side"
    # fewer lines around each difference, in both forms
    for form in '' -y; do
        # shellcheck disable=SC2086
        "$ilpatch" diff $form -U 0 Sample.dll new.dll >few && "$ilpatch" diff $form -U 9 Sample.dll new.dll >many || die "$form"
        [ "$(wc -l <few)" -lt "$(wc -l <many)" ] || die "-U is ignored with '$form'"
    done
}

test_pairs_resolve() {
    needs_json
    give . Painter.dll
    mkdir refs
    cp "$files/Colors.dll" refs/
    pairs resolve Painter.dll "--reference-path|--reference-path refs|grep -q 'refs/Colors.dll' out
--verbose|-v|grep -q 'looked in: \\|\"lookedIn\": \\[\"' out
--json|--json|\"$json_check\" get out files 0 references 0 name >/dev/null 2>&1" ""
}

test_pairs_explain() {
    give . Painter.dll good-inspector.dll
    echo '<rules><exclude name="nobody"><method name="Nobody"/></exclude><include name="all"/></rules>' >r.xml
    mkdir refs
    cp "$files/Colors.dll" refs/
    local method
    method=$("$ilpatch" list --where '<return like="Colors.*"/>' Painter.dll | sed -n '1s/^\([0-9A-F]*\) .*/\1/p')
    pairs 'rules explain' "Painter.dll $method" "--rules|--rules r.xml|grep -q 'r.xml:1: rule' out || grep -q 'decided by --' out
--where|--where '<not><method name=\"x\"/></not>'|grep -q '<method name=\"x\">: ' out || grep -q 'decided by --affected-by' out
--affected-by|--affected-by x86-struct-return|grep -q 'affected-by bug=' out
--target|--target x64|! grep -q 'runs on anycpu' out
--inspector|--inspector good-inspector.dll|grep -q 'good-inspector.dll is called' out || ! grep -q ': included' out
--reference-path|--reference-path refs|! grep -q 'could not be found' out" ""
    for action in check schema; do
        refused 2 . rules $action --where '<method name="x"/>' r.xml
        says err "unknown option --where"
    done
}

# What tail list reads, and what add and strip write.
test_pairs_tail() {
    give . Sample.dll
    mkdir refs
    for option in '-o x.dll' --in-place --verify '--strong-name keep' --compact --with-callers '--symbols keep' -n -q; do
        # shellcheck disable=SC2086
        refused 2 . tail list $option Sample.dll
        says err "list writes no file and has no summary"
    done
    for action in list add; do
        refused 2 . tail $action --auto -o x.dll Sample.dll
    done
    refused 2 . tail strip --auto -o x.dll --in-place Sample.dll
    says err "-o and --in-place exclude each other"
    expect 0 tail list --reference-path refs Sample.dll Main
    expect 0 tail strip --auto -n --reference-path refs Sample.dll
    says out "would be patched"
    gone Sample.dll.orig
    expect 0 tail add -q -o x.dll --symbols drop --verify Sample.dll
    there x.dll
    silent out
}

test_pairs_others() {
    give . Sample.dll
    refused 2 . bundle list -o out.d Sample.dll
    says err "list takes one file, and no -o"
    refused 2 . bundle list Sample.dll Sample.dll
    refused 2 . restore --quiet Sample.dll
    says err "unknown option --quiet"
}
