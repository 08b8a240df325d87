# shellcheck shell=bash disable=SC2154
# What list lists, in which order and which form. Sourced by run.sh.

listed() { # TOKEN...: out has these methods, in this order
    local got
    got=$(sed 's/^06\([0-9A-F]*\)  .*/\1/; s/^0*//' out | tr '\n' ' ')
    [ "$got" = "$*${*:+ }" ] || die "lists $got, not $*"
}

test_list_where() {
    give . Sample.dll
    expect 0 list --where '<return kind="struct"/>' Sample.dll
    listed 4 5 6 8
    expect 0 list --where '<return kind="struct"/>' --where '<not><return type="System.DateTime"/></not>' Sample.dll
    listed 4 5 8
    expect 0 list --where '<method like="N*"/><return kind="primitive struct"/>' Sample.dll
    listed 1 8 B
    expect 0 list --where '<type name="Sample.Program"/>' Sample.dll
    listed E
    expect 0 list --where '<type name="No"/>' Sample.dll
    silent out
    says err 'Sample.dll: the options select none of its 14 methods; without them all are listed'
    refused 2 . list --where '<method nmae="N"/>' Sample.dll
    says err "--where:1:9: <method> has no attribute 'nmae'; did you mean 'name'?"
}

test_list_answer() {
    give . Sample.dll
    expect 0 list --answer byref,byref-like,pointer Sample.dll
    listed 8 9 A
    expect 0 list --answer void --answer no-return Sample.dll
    listed B C D
    expect 0 list --answer inspected --where '<return kind="struct"/>' Sample.dll
    listed 4 5 6
    expect 0 list --answer limit Sample.dll
    silent out
    says err 'select none of its 14 methods'
    refused 2 . list --answer byref,bytref Sample.dll
    says err "unknown reason code 'bytref'; did you mean 'byref'?"
    refused 2 . list --answer , Sample.dll
    # each word is known
    for answer in $(sed -n 's/^ILP_REASON([A-Z_]*, *[0-9]*, *[A-Z_]*, *"\([^"]*\)".*/\1/p' "$here/../../include/ilpatch/reasons.def"); do
        expect 0 list --answer "$answer" Sample.dll
        [ "$(cut -c 11-27 out | sort -u | tr -d ' ')" = "$([ ! -s out ] || echo "$answer")" ] || die "--answer $answer: $(cat out)"
    done
}

# Answers by rules: what an option leaves out is not listed, what a rule file leaves out is.
test_list_rules() {
    give . Sample.dll
    give inspectors good-inspector.dll
    cat >inspectors/rules.xml <<'XML'
<rules>
  <exclude name="text"><return type="string"/></exclude>
  <include inspector="good-inspector.dll" byref="inspect"><method like="S*"/></include>
  <include pass="value"><return kind="struct"/></include>
</rules>
XML
    expect 0 list --rules inspectors/rules.xml Sample.dll
    [ "$(wc -l <out)" -eq 14 ] || die "not all: $(cat out)"
    says out "06000002  excluded           string Sample.Values::Text()  - a rule excludes it" \
        "06000001  not-selected       int32 Sample.Values::Number()  - no rule selects it" \
        "06000003  inspected          valuetype Sample.Color Sample.Values::Shade()  + dup; box; call" \
        "06000009  inspected          int32& Sample.Values::Slot()  + dup; " \
        "06000004  inspected          valuetype Sample.Point Sample.Values::Place()  + dup; box; call" \
        "0600000E  not-selected  "
    expect 0 list --rules inspectors/rules.xml --where '<return kind="class struct"/>' --answer excluded,inspected Sample.dll
    listed 2 4 5 6
    refused 2 . list --rules missing.xml Sample.dll
    refused 3 . list --rules inspectors/rules.xml missing.dll
}

test_list_sort() {
    give . Sample.dll
    expect 0 list Sample.dll
    listed 1 2 3 4 5 6 7 8 9 A B C D E
    cp out by_token
    expect 0 list --sort token Sample.dll
    identical out by_token
    expect 0 list --sort name Sample.dll
    listed E D A 6 5 B C 1 8 4 7 3 9 2
    expect 0 list --sort answer Sample.dll
    listed 1 2 3 4 5 6 7 E C D B 9 A 8 # in the order of reasons.def, then of tokens
    expect 0 list --sort returns Sample.dll
    listed 7 E B 1 9 A 2 3 4 6 5 8 D C
    expect 0 list --sort size Sample.dll
    cut -c 1-8 out | while read -r token; do
        size=$("$ilpatch" dump --method "$token" Sample.dll | sed -n 's/.*, \([0-9]*\) bytes of code.*/\1/p')
        echo "$size $token"
    done >sizes
    sort -k1,1nr -k2,2 sizes | diff sizes - >difference || die "not by size: $(cat difference)"
    refused 2 . list --sort length Sample.dll
    says err "unknown value of --sort 'length'; expected token, name, answer, returns or size"
    # sorting leaves nothing out and adds nothing
    for key in name answer returns size; do
        expect 0 list --sort $key Sample.dll
        sort out | diff - <(sort by_token) >difference || die "--sort $key: $(cat difference)"
    done
}

# JSON is the report of a dry run without what only a file has.
test_list_json() {
    needs_json
    give . Sample.dll Painter.dll good-inspector.dll
    cp "$here/../files/good-csharp.dll" .
    cat >rules.xml <<'XML'
<rules>
  <exclude name="text"><return type="string"/></exclude>
  <include inspector="good-inspector.dll" byref="inspect" tail-calls="strip"><method like="S*"/></include>
  <include async="skip"/>
</rules>
XML
    for file in Sample.dll Painter.dll good-csharp.dll; do
        for options in '' '--rules rules.xml' '--inspector good-inspector.dll' '--target x86'; do
            expect 0 list --json $options $file
            silent err
            mv out list.json
            good_report list.json
            case $options in --rules*) every='' ;; *) every=--inspect-returns ;; esac
            "$ilpatch" -n -q $every $options --report dry.json $file 2>/dev/null
            sed -e '/^      "output": /d' -e 's/, "bytesAdded": -*[0-9]*//' dry.json >dry
            diff list.json dry >difference || die "list --json $options $file: $(cat difference)"
        done
    done
    expect 0 list --json --where '<return kind="struct"/>' --answer inspected --sort name Sample.dll
    good_report out
    [ "$(json out modules 0 summary methods)" = 3 ] || die "counts what is not listed"
    [ "$(json out modules 0 methods 0 token)" = 0x06000006 ] || die "not sorted: $(json out modules 0 methods)"
    [ "$(json out rules 0 file)" = --where ] || die "not the rule of --where"
    [ "$(json out rules 1 file)" = --inspect-returns ] || die "not the rule of all"
    expect 0 list --json --answer limit Sample.dll
    good_report out
    [ "$(json out modules 0 methods)" = '[]' ] || die "lists something"
}

test_list_json_errors() {
    needs_json
    cp "$here"/../files/bad-row-cut.dll .
    echo text >bad.dll
    expect 3 list --json bad.dll
    says err "bad.dll: "
    good_report out
    [ "$(json out modules 0 error)" = NOT_PE ] || die "bad.dll is no PE file: $(cat out)"
    expect 3 list --json missing.dll
    good_report out
    [ "$(json out modules 0 error)" = IO ] || die "missing.dll cannot be read: $(cat out)"
    [ "$(json out modules 0 message)" = "missing.dll: cannot read: No such file or directory" ] || die "$(cat out)"
    expect 3 list --json bad-row-cut.dll
    good_report out
    [ "$(json out modules 0 error)" = TRUNCATED ] || die "a row is cut: $(cat out)"
    expect 2 list --json --sort length bad.dll
    silent out
}

# ---- the bug of the leave hook ----

# An assembly like Sample.dll for one kind of machine.
machine() { # FILE MACHINE FLAGS: both as they stand in the file
    cp Sample.dll "$1"
    poke "$1" 0x84 "$2"
    poke "$1" $(($(cli_offset Sample.dll) + 16)) "$3"
}

affected() { # FILE TARGET TEXT TOKEN...
    local file=$1 target=$2 text=$3
    shift 3
    expect 0 list --affected-by x86-struct-return --target "$target" "$file"
    listed "$@"
    [ -z "$text" ] || [ "$(grep -c "$text" out)" -eq $# ] || die "$file for $target: not '$text' everywhere: $(cat out)"
}

test_list_affected() {
    give . Sample.dll
    machine x86.dll 4c01 03000000
    machine preferred.dll 4c01 03000200
    machine x64.dll 6486 01000000
    machine arm.dll c401 01000000
    machine arm64.dll 64aa 01000000
    expect 0 list --affected-by x86-struct-return Sample.dll
    listed 4 5 6 8
    for file in Sample.dll preferred.dll; do # IL alone: what it runs as is for --target to say
        affected $file auto 'runs on anycpu$' 4 5 6 8
        affected $file anycpu 'runs on anycpu$' 4 5 6 8
        affected $file x86 'runs on x86$' 4 5 6 8
        affected $file x64 ''
        affected $file arm ''
        affected $file arm64 ''
    done
    affected Sample.dll x86 '  ! returns struct of [0-9]* bytes, ' 4 5 6 8
    grep -q 'Numbers() .* of 8 bytes' out || die "a span has 8 bytes on x86: $(cat out)"
    affected Sample.dll anycpu '' 4 5 6 8
    grep -q 'Numbers() .* of 16 bytes' out || die "a span has 16 bytes elsewhere: $(cat out)"
    for target in auto anycpu x86 x64 arm64; do # what the assembly says counts more
        affected x86.dll $target 'runs on x86$' 4 5 6 8
        affected x64.dll $target ''
        affected arm.dll $target ''
        affected arm64.dll $target ''
    done
    cp "$here/../files/good-pe32plus.dll" .
    affected good-pe32plus.dll x86 ''
    refused 2 . list --affected-by x86 Sample.dll
    says err "unknown value of --affected-by 'x86'; expected x86-struct-return"
    refused 2 . list --target amd64 Sample.dll
    says err "unknown value of --target 'amd64'; did you mean 'arm64'? Expected auto, anycpu, x86, x64, arm or arm64"
    expect 0 list --affected-by x86-struct-return --where '<return larger-than="8"/>' Sample.dll
    listed 8
    expect 0 --affected-by x86-struct-return -o x.dll Sample.dll
    says out "3 of 14 methods inspected; left as they are: 10 excluded, 1 byref-like"
    expect 0 --affected-by x86-struct-return --target x64 -o x.dll Sample.dll
    says out "0 of 14 methods inspected; left as they are: 14 excluded"
    identical x.dll Sample.dll
}

# Whether Colors.Shade is an enum is not known here: it is listed, with what is not known.
test_list_affected_unknown() {
    give . Painter.dll
    give refs Colors.dll
    expect 0 list --affected-by x86-struct-return Painter.dll
    listed 1
    says out "06000001  undecided " "it may return an enum or a struct: Colors.Shade could not be found)"
    ! grep -q '  ! ' out || die "the reason is there twice: $(cat out)"
    expect 0 list --affected-by x86-struct-return --reference-path refs Painter.dll
    silent out
    expect 1 --affected-by x86-struct-return -n Painter.dll
    says out "1 undecided"
}

# ---- names that are hostile ----

test_list_names() {
    needs_json
    give . Sample.dll
    local at
    at=$(grep -obUa Nothing Sample.dll | head -n 1 | cut -d : -f 1)
    poke Sample.dll "$at" ff1b0ac3 # "Nothing" with bytes that are no UTF-8, an escape and a line feed
    expect 0 list Sample.dll
    [ "$(wc -l <out)" -eq 14 ] || die "a name makes lines"
    says out 'void Sample.Values::\xFF\x1B\x0A\xC3ing()'
    expect 0 list --json Sample.dll
    good_report out
    says out 'Sample.Values::\ufffd\u001b\u000a\ufffding"'
    if has_byte_arguments; then
        expect 0 rules explain --where '<method static="yes"/>' Sample.dll $'\xff\e\n\xc3ing'
        says out '0600000C  void Sample.Values::\xFF\x1B\x0A\xC3ing()'
        ! grep -q $'\e' out || die "the terminal gets an escape"
    fi
    expect 0 list --where $'<method like="??\n?ing"/>' Sample.dll # an attribute's line feed is a space
    silent out
    expect 0 list --where $'<method like="??&#10;?ing"/>' Sample.dll
    listed C
}

# What is sorted is made when the method is met, not at the end: its tail calls are its own.
test_list_json_sorted() {
    needs_json
    assembled_program tailauto
    expect 0 list --json tailauto.exe
    grep '"tailCalls"' out | sed 's/,$//' | sort >by-token
    expect 0 list --json --sort name tailauto.exe
    grep '"tailCalls"' out | sed 's/,$//' | sort >by-name
    [ "$(sed 's/.*"tailCalls"//' by-token | sort -u | wc -l)" -gt 2 ] || die "tail calls that are all the same"
    cmp by-token by-name || die "other tail calls"
}
