# shellcheck shell=bash disable=SC2154
# Every pair of options of the commands that patch: both do what they do alone, or the two are refused with a sentence and
# nothing changes. None is accepted and ignored. Sourced by run.sh.
#
# A table has a line for each way to use an option: NAME | ARGUMENTS | CHECK. CHECK is a command that fails where what was
# written is not what the option requests. It looks at `out`, the folder, and these:
#   $result      the patched file
#   $given       all arguments
#   inspected    the names of the methods that call an inspector

pair_options='output|-o out.dll|there out.dll && identical Signed.dll ../clean/Signed.dll && gone Signed.dll.orig
in-place|--in-place|differ Signed.dll ../clean/Signed.dll && gone Signed.dll.orig Signed.pdb.orig
rules|--rules r.xml|pair_not Shade && pair_rule_of_bug
where|--where "<any><affected-by bug=\"x86-struct-return\"/><method name=\"Number\"/></any>"|pair_not Main && pair_narrowed Place
affected-by|--affected-by x86-struct-return|pair_not Number && pair_narrowed Place
target|--target x64|pair_target
inspector|--inspector good-inspector.dll|grep -q "Watch::MyInspector(object)" dump.txt && ! grep -q "MyProfiler.Helper" dump.txt
inspector small|--inspector small|pair_small
inspector native|--inspector "native:x.so!probe" --id-map map|grep -q "x.so!probe::probe(native int" dump.txt && grep -q Place map
inspector unmanaged|--inspector unmanaged|false
embed|--embed|grep -q "<ilpatch:.*::MyInspector(" dump.txt && gone MyProfiler.dll Watcher.dll
verify|--verify|says out "; verified: nothing new"
strong-name keep|--strong-name keep|says out "; strong name kept but no longer valid"
strong-name clear|--strong-name clear|says out "; strong name removed" && pair_flags 0x1
strong-name sign|--strong-name sign --key key.snk|says out "; signed again" && pair_flags 0x9
key|--key key.snk|says out "; signed again" && pair_flags 0x9
compact|--compact|says out "; laid out again" && pair_layout compact
layout auto|--layout auto|! grep "laid out\|layout kept" out && pair_layout compact
layout keep|--layout keep|! grep "laid out\|layout kept" out && pair_layout keep
layout compact|--layout compact|says out "; laid out again" && pair_layout compact
with-callers|--with-callers|says out "no native code of others holds copies of changed methods"
symbols update|--symbols update|says out "; symbols updated" && differ "${result%.dll}.pdb" ../clean/Signed.pdb
symbols drop|--symbols drop|says out "; link to symbols dropped"
symbols keep|--symbols keep|says out "; symbols kept, but they no longer match"
report|--report r.json|good_report r.json && says r.json "Sample.Values::Place" "Sample.Program::Main"
id-map|--id-map map|[ -e map ] || says out "; no id is passed, so none is in the id map"'

# What is refused: the names of both, * for any, and the sentence. The first line that fits counts.
pair_refused='in-place|output|-o and --in-place exclude each other
target|affected-by|
target|where|
target|rules|
target|*|--target is for --affected-by, --where and --rules
inspector unmanaged|*|the inspector unmanaged is in the profiler
key|strong-name keep|--key is for --strong-name sign
key|strong-name clear|--key is for --strong-name sign
compact|layout auto|--compact is --layout compact, so that --layout auto excludes it
compact|layout keep|--compact is --layout compact, so that --layout keep excludes it
embed|inspector native|--embed copies an inspector that is an assembly'

# The sentence for a pair; fails where it is not refused.
pair_sentence() { # NAME NAME
    local one two sentence
    while IFS='|' read -r one two sentence; do
        # shellcheck disable=SC2053 # the second is a pattern
        if { [ "$1" = "$one" ] && [[ "$2" = $two ]]; } || { [ "$2" = "$one" ] && [[ "$1" = $two ]]; }; then
            echo "$sentence"
            [ -n "$sentence" ]
            return
        fi
    done <<<"$pair_refused"
    return 1
}

# ---- what options do ----

pair_has() { grep -qx "$1" inspected; }
pair_not() { ! pair_has "$1"; }

# A method that the bug affects, unless the target takes it away.
pair_narrowed() {
    case $given in
    *--target*) pair_not "$1" ;;
    *) pair_has "$1" ;;
    esac
}

pair_rule_of_bug() {
    case $given in
    *--target*) pair_has Day ;;
    *) pair_not Day ;;
    esac
}

pair_target() {
    case $given in
    *--rules*) pair_has Place && pair_has Day ;;
    *) pair_not Place ;;
    esac
}

pair_small() {
    case $given in
    *--embed*) [ "$("$ilpatch" dump --tables "$result" | wc -l)" -lt 900 ] ;;
    *) identical MyProfiler.dll "$here/../../data/inspector/small/MyProfiler.dll" ;;
    esac
}

pair_flags() { [ "$("$ilpatch" dump --headers "$result" | sed -n 's/^CLI header.*flags \([0-9x]*\),.*/\1/p')" = "$1" ]; }

# Only where the layout is kept there is a section of ours.
pair_layout() { # keep|compact
    case $1 in
    keep) head -c 1024 "$result" | grep -qaF .ilpatch ;;
    *) ! head -c 1024 "$result" | grep -aF .ilpatch ;;
    esac
}

# ---- trying them ----

pair_folder() {
    rm -rf clean
    give clean Signed.dll Signed.pdb good-inspector.dll
    cp "$here"/../../data/inspector/MyProfiler.snk clean/key.snk
    cat >clean/r.xml <<'XML'
<rules>
  <exclude><method name="Shade"/></exclude>
  <exclude><method name="Day"/><affected-by bug="x86-struct-return"/></exclude>
  <include/>
</rules>
XML
}

# pair_run CODE ARGUMENTS: in a new copy of the folder; `result` and `given` are set.
pair_run() {
    local code
    given=$2 result=Signed.dll
    case $given in *'-o out.dll'*) result=out.dll ;; esac
    rm -rf work
    cp -r clean work
    cd work || die "no folder"
    case $given in
    *--rules*) eval "\"\$ilpatch\" inspect $given Signed.dll" ;;
    *) eval "\"\$ilpatch\" --inspect-returns $given Signed.dll" ;;
    esac >out 2>err
    code=$?
    # where options together leave nothing to a rule, the code says so
    [ $code -ne 1 ] || [ "$1" != 0 ] || ! grep -q 'decides about no method' err || code=0
    [ $code -eq "$1" ] || die "$given: exit code $code, not $1: $(head -n 2 err)"
}

# pair_is_refused ARGUMENTS SENTENCE
pair_is_refused() {
    pair_run 2 "$1"
    says err "$2"
    silent out
    cd ..
    [ "$(state_of work | sed 1d | sed 's/ [^ ]* [0-7]* $//')" = "$(state_of clean | sed 1d | sed 's/ [^ ]* [0-7]* $//')" ] ||
        die "$1: refused, but changed something"
}

pair_look() {
    "$ilpatch" dump --methods "$result" >dump.txt || die "$given: dump failed"
    awk '/^method / { name = $0; sub(/.*::/, "", name); sub(/[(<].*/, "", name) }
        /call .*(::MyInspector|!probe::probe)\(/ { print name }' dump.txt | sort -u >inspected
}

# pair_try ARGUMENTS CHECK...: taken, and each check holds
pair_try() {
    local arguments=$1 check
    shift
    pair_run 0 "$arguments"
    pair_look
    for check; do
        (eval "$check") >why || die "$arguments: not done: $check: $(cat why) $(head -c 300 out)"
    done
    cd ..
}

test_pairs_inspect() {
    local name other arguments others check checks sentence
    needs_json
    pair_folder
    while IFS='|' read -r name arguments check; do
        while IFS='|' read -r other others checks; do
            [[ "$name" < "$other" ]] && [ "${name%% *}" != "${other%% *}" ] || continue
            [ "$name $other" != "key strong-name sign" ] || continue # the one is a part of the other
            if sentence=$(pair_sentence "$name" "$other"); then
                pair_is_refused "$arguments $others" "$sentence"
            else
                pair_try "$arguments $others" "$check" "$checks"
            fi
        done <<<"$pair_options"
    done <<<"$pair_options"
}

# Each alone: as a dry run it says the same and writes nothing but a report, quietly it writes the same.
test_pairs_dry_and_quiet() {
    local name arguments check
    needs_json
    pair_folder
    while IFS='|' read -r name arguments check; do
        case $name in target | 'inspector unmanaged') continue ;; esac
        pair_run 0 "$arguments"
        cd ..
        rm -rf real
        mv work real
        pair_run 0 "$arguments -n"
        cmp -s err ../real/err || die "$arguments -n: says something else: $(cat err)"
        [ "$(sed 's/: would be patched: /: /' out)" = "$(cat ../real/out)" ] || die "$arguments -n: $(cat out)"
        grep -q ': would be patched: ' out || die "-n is ignored: $(cat out)"
        [ "$name" != report ] || { good_report r.json && rm r.json; }
        rm out err
        cd ..
        diff -r clean work >difference || die "$arguments -n: wrote something: $(cat difference)"
        pair_run 0 "$arguments -q"
        silent out
        cd ..
        diff -r -x out real work >difference || die "$arguments -q: writes something else: $(cat difference)"
        pair_run 0 "$arguments -n -q"
        silent out
        cd ..
    done <<<"$pair_options"
}

# --reference-path, with a file whose types are elsewhere.
test_pairs_reference_path() {
    local arguments
    give . Painter.dll good-inspector.dll
    give refs Colors.dll
    echo '<rules><include/></rules>' >r.xml
    for arguments in '--inspect-returns -o x.dll' '--inspect-returns -n' '--rules r.xml -o x.dll' \
        "--where '<method like=\"*\"/>' -o x.dll" '--inspect-returns --inspector good-inspector.dll -o x.dll' \
        '--inspect-returns --embed -o x.dll' '--inspect-returns --verify -o x.dll' '--inspect-returns --compact -o x.dll' \
        '--inspect-returns --with-callers -o x.dll' '--inspect-returns --report r.json -o x.dll' \
        "--inspect-returns --inspector 'native:x!y' --id-map map -o x.dll" '--inspect-returns --in-place'; do
        [[ $arguments = *--in-place ]] || { eval "expect 1 $arguments Painter.dll" && says out "1 unresolved"; }
        eval "expect 0 $arguments --reference-path refs Painter.dll"
        ! grep -q unresolved out || die "$arguments: --reference-path is ignored: $(cat out)"
    done
}

# --compact alone changes no method, so that what is for methods is refused.
test_pairs_compact() {
    pairs_laying_out --compact
    pairs_laying_out "--layout compact"
}

pairs_laying_out() { # OPTION
    local name arguments check option=$1 nothing="is for methods that are inspected"
    needs_json
    pair_folder
    for arguments in '--inspector good-inspector.dll' --embed '--id-map map' --with-callers '--symbols update' '--symbols drop' \
        '--symbols keep' '--reference-path .'; do
        (cd clean && refused 2 . $option $arguments Signed.dll && says err "$nothing") || die "$arguments"
    done
    (cd clean && refused 2 . $option --target x64 Signed.dll && says err "--target is for --affected-by") || exit 1
    while IFS='|' read -r name arguments check; do
        case $name in
        output | in-place | verify | 'strong-name '* | key | report) ;;
        *) continue ;;
        esac
        rm -rf work
        cp -r clean work
        cd work || die "no folder"
        result=Signed.dll given=$arguments
        [ "$name" != output ] || result=out.dll
        eval "expect 0 $option $arguments Signed.dll"
        says out "nothing inspected" "; laid out again"
        (eval "$check") >why || die "$option $arguments: not done: $check: $(cat why) $(cat out)"
        cd ..
    done < <(sed '/^report/s/ "Sample.Values.*//; /^report/s/says r.json$/says r.json compacted/' <<<"$pair_options")
    (cd clean && refused 2 . $option Signed.dll --key key.snk --strong-name keep) || exit 1
}

# ---- two outputs in one place ----

test_pairs_places() {
    local native="--inspector native:x!y" path
    pair_folder
    cd clean || die "no folder"
    mkdir folder
    ln -s folder link
    for path in x.dll ./x.dll folder/../x.dll x.pdb x.dll.orig .x.dll.ilpatch; do
        refused 2 . --inspect-returns -o x.dll --report "$path" Signed.dll
        says err "--report $path: this name is needed for what is written of Signed.dll"
        # shellcheck disable=SC2086
        refused 2 . --inspect-returns $native -o x.dll --id-map "$path" Signed.dll
        says err "--id-map $path: this name is needed"
    done
    for path in Signed.dll.orig Signed.pdb Signed.pdb.orig .Signed.dll.ilpatch; do
        refused 2 . --inspect-returns --report "$path" Signed.dll
        refused 2 . --inspect-returns -n --report "$path" Signed.dll
    done
    refused 2 . --inspect-returns -o folder --report link/Signed.dll Signed.dll
    refused 2 . --inspect-returns --report MyProfiler.dll Signed.dll
    says err "--report MyProfiler.dll: the inspector itself has to be there"
    refused 2 . --inspect-returns -o folder --report folder/MyProfiler.dll Signed.dll
    # shellcheck disable=SC2086
    refused 2 . --inspect-returns $native -o x.dll --id-map map --report ./map Signed.dll
    says err "--id-map and --report name one file"
    refused 2 . --rules r.xml -o r.xml Signed.dll
    says err "-o would replace r.xml"
    refused 2 . --rules r.xml --report r.xml Signed.dll
    refused 2 . --inspect-returns --inspector good-inspector.dll -o good-inspector.dll Signed.dll
    says err "-o would replace good-inspector.dll"
    for path in '-o' '--report' '--id-map'; do
        refused 2 . --inspect-returns --key key.snk $path key.snk Signed.dll
        says err "$path would replace key.snk"
    done
    cp good-inspector.dll inspector
    echo '<rules><include inspector="inspector"/></rules>' >i.xml
    for path in -o --report; do
        refused 2 . --rules i.xml $path folder/../inspector Signed.dll
        says err "$path would replace ./inspector"
        refused 2 . --rules i.xml --embed $path inspector Signed.dll
    done
    # a name that is free
    expect 0 --inspect-returns --embed -o x.dll --report MyProfiler.dll Signed.dll
    expect 0 --inspect-returns -o folder --report Signed.json Signed.dll
}

# ---- options for what is not there ----

test_pairs_nothing_there() {
    local word
    give . Hello.exe good-inspector.dll
    for word in update drop keep; do
        expect 0 --inspect-returns --symbols $word -o x.exe Hello.exe
        says out "; no symbols to $word"
    done
    expect 0 --inspect-returns --strong-name clear -o x.exe Hello.exe
    says out "; no strong name to remove"
    expect 0 --inspect-returns -o x.exe Hello.exe
    ! grep -q "no symbols\|no id" out || die "not requested: $(cat out)"
    echo '<rules><include inspector="good-inspector.dll"/></rules>' >r.xml
    refused 2 . --rules r.xml --inspector small -o x.exe Hello.exe
    says err "--inspector is for rules that name no inspector"
    expect 0 --rules r.xml --inspect-returns --inspector full -o x.exe Hello.exe
    refused 2 . --inspect-returns --inspector 'native:x!y' -o x.exe Hello.exe
    refused 2 . --inspect-returns --strong-name sign -o x.exe Hello.exe
    says err "--strong-name sign needs the key"
}
