# shellcheck shell=bash disable=SC2154
# --rules and the options that become rules, and `ilpatch rules`. Sourced by run.sh.

# rules FILE: writes a rule file around the rules on standard input, which begin in line 2.
rules() {
    { echo '<rules>' && cat && echo '</rules>'; } >"$1"
}

# answers_of FILE ARGUMENT...: out gets "TOKEN ANSWER RULE" for each method, as a dry run reports it.
answers_of() {
    "$ilpatch" -n -q --report answers.json "${@:2}" "$1" >said 2>&1
    sed -n 's/.*"token": "0x06\([0-9A-F]*\)".*"answer": "\([a-z-]*\)".*/\1 \2 &/p' answers.json |
        sed -E 's/^0*([0-9A-F]+) ([a-z-]+) .*"rule": ([0-9]+).*/\1 \2 \3/; s/^0*([0-9A-F]+) ([a-z-]+) .*[^0-9]$/\1 \2 -/' >out
    [ -s out ] || die "no answers: $(cat said)"
}

# decided RULE TOKEN...: the methods that the rule (- for none) decided about.
decided() {
    local rule=$1 got
    shift
    got=$(sed -n "s/ [a-z-]* $rule\$//p" out | tr '\n' ' ')
    [ "$got" = "$*${*:+ }" ] || die "rule $rule decided about $got, not $*: $(cat said)"
}

# ---- rules and their order ----

test_rules_one() {
    give . Sample.dll
    rules r.xml <<'XML'
  <include><return kind="struct"/></include>
XML
    expect 0 --rules r.xml Sample.dll
    silent err
    says out "Sample.dll: 3 of 14 methods inspected; left as they are: 10 not-selected, 1 byref-like"
    patched Sample.dll
    [ "$(grep -c '::MyInspector(' dump.txt)" -eq 3 ] || die "not three calls"
    there MyProfiler.dll
    expect 1 --rules r.xml --rules r.xml -n Sample.dll # the second time nothing is left
}

test_rules_first_decides() {
    give . Sample.dll
    rules r.xml <<'XML'
  <exclude enabled="no"/>
  <exclude name="no text"><return type="string"/></exclude>
  <include><return kind="class"/></include>
  <include><return kind="struct"/><not><method name="Day"/></not></include>
  <exclude><return kind="struct"/></exclude>
  <include><any><method name="Main"/><method name="Number"/></any></include>
XML
    answers_of Sample.dll --rules r.xml
    decided 0
    decided 1 2
    decided 2
    decided 3 4 5 8
    decided 4 6
    decided 5 1 E
    decided - 3 7 9 A B C D
    grep -q '^6 excluded 4$' out || die "Day is not excluded: $(cat out)"
    grep -q '^8 byref-like 3$' out || die "Numbers is not byref-like: $(cat out)"
    grep -q '^3 not-selected -$' out || die "Shade is selected: $(cat out)"
}

test_rules_several_files() {
    give . Sample.dll
    rules a.xml <<'XML'
  <include><method like="S*"/></include>
XML
    rules b.xml <<'XML'
  <exclude><return kind="enum generic"/></exclude>
  <include/>
XML
    answers_of Sample.dll --rules a.xml --rules b.xml
    decided 0 3 7 9
    decided 1
    decided 2 1 2 4 5 6 8 A B C D E
    answers_of Sample.dll --rules b.xml --rules a.xml
    decided 0 3 7
    decided 1 1 2 4 5 6 8 9 A B C D E
    decided 2
}

# Options as rules: first what narrows, then what takes the rest.
test_rules_options() {
    give . Sample.dll
    rules r.xml <<'XML'
  <exclude><method name="Place"/></exclude>
  <include><method name="Maybe"/></include>
XML
    answers_of Sample.dll --rules r.xml --where '<return kind="struct"/>' --affected-by x86-struct-return
    decided 0 1 2 3 7 9 A B C D E
    decided 1
    decided 2 4
    decided 3 5
    decided - 6 8
    answers_of Sample.dll --rules r.xml --where '<return kind="struct"/>' --inspect-returns
    decided 0 1 2 3 7 9 A B C D E
    decided 1 4
    decided 2 5
    decided 3 6 8
    answers_of Sample.dll --where '<return kind="struct"/>' --where '<method like="*a*"/>'
    decided 0 1 2 3 7 9 A B C D E
    decided 1 8
    decided 2 4 5 6
    answers_of Sample.dll --inspect-returns
    decided - 1 2 3 4 5 6 7 8 9 A B C D E
    refused 2 . Sample.dll
    refused 2 . inspect --rules Sample.dll
    # nothing has to come of options
    expect 0 --where '<type name="No"/>' -n Sample.dll
    silent err
    says out "0 of 14 methods inspected; left as they are: 14 excluded"
}

# ---- --where ----

test_where() {
    give . Sample.dll
    expect 0 --where '<return kind="struct"/><method name="Day"/>' -n Sample.dll # both
    says out "1 of 14 methods inspected; left as they are: 13 excluded"
    expect 0 --where '<any><return kind="struct"/><method name="Number"/></any>' -n Sample.dll
    says out "4 of 14"
    expect 0 --where '<not><return kind="struct"/></not>' -n Sample.dll
    says out "5 of 14"
    expect 0 --where ' <!-- these -->
        <return kind="struct"/> ' -n Sample.dll
    says out "3 of 14"
    expect 0 --where '<method regex="^(Day|Place)$"/>' -n Sample.dll
    says out "2 of 14"
}

bad_where() { # CONDITIONS MESSAGE...
    refused 2 . --where "$1" Sample.dll
    says err "${@:2}"
    refused 2 . list --where "$1" Sample.dll
    says err "${@:2}"
    refused 2 . rules explain --where "$1" Sample.dll Main
    says err "${@:2}"
}

test_where_bad() {
    give . Sample.dll
    bad_where '<method nmae="x"/>' "--where:1:9: <method> has no attribute 'nmae'; did you mean 'name'?"
    bad_where '<method name="x"/>
  <return kind="strcut"/>' "--where:2:17: unknown word 'strcut'; did you mean 'struct'?"
    bad_where '<method name="x">' "--where:"
    bad_where '<method name="x"' "--where:"
    bad_where '<return/>' "--where:1:1: <return> needs at least one attribute"
    bad_where 'struct' "--where:1:1: text is not expected here"
    bad_where '' "--where takes conditions alone"
    bad_where ' ' "--where takes conditions alone"
    bad_where '<!-- none -->' "--where takes conditions alone"
    bad_where '<exclude/>' "--where:1:1: the element is not allowed here 'exclude'"
    bad_where '<rules/>' "--where:1:1: "
    bad_where '<!DOCTYPE x><method name="x"/>' "--where:1:"
    bad_where '<method regex="(x"/>' "--where:1:"
    ! has_byte_arguments || bad_where $'<method name="\xff"/>' "--where:1:15: this is not UTF-8"
    bad_where '<?xml version="1.0"?><method name="x"/>' "--where:1:"
}

# What closes the element around the conditions would say something else than it seems to.
test_where_injection() {
    give . Sample.dll
    local a='<method name="Day"/>' b='<method name="Text"/>'
    for text in "$a</not></exclude><include/><exclude><not>$a" "$a</not></exclude><include/></rules><!--" \
        "$a</not></exclude></rules>" "$a</not><not>$b" "$a</not>$b<not>$b" "$a</exclude><include/><exclude>$a" \
        "$a</exclude><exclude>$b" "$a</all><all>$b" "$a</not></exclude><exclude><not>$b" "$a</not><!--" "$a<!--" \
        "$a<![CDATA[" "$a</not>" "</not>$a<not>" "</exclude><exclude>" "$a</exclude><!-- --><exclude>"; do
        refused 2 . --where "$text" Sample.dll
        silent out
        refused 2 . list --where "$text" Sample.dll
    done
    refused 2 . --affected-by 'x86-struct-return"/><method name="Day' Sample.dll
    says err "unknown value of --affected-by '"
}

# ---- rules that do nothing ----

test_rules_idle() {
    give . Sample.dll Hello.exe Colors.dll
    rules r.xml <<'XML'
  <include name="greetings"><namespace name="Hello"/></include>
  <exclude name="gone"><type name="Sample.Gone"/></exclude>
  <include enabled="no" name="sleeping"><type name="Nowhere"/></include>
  <include name="spans and nothing"><return like="System.Span*"/></include>
  <include><return kind="struct"/></include>
  <include><method name="Place"/></include>
XML
    expect 1 --rules r.xml -n Sample.dll
    says err "ilpatch: r.xml:2: rule 'greetings': decides about no method (ilpatch rules explain shows why)" \
        "ilpatch: r.xml:3: rule 'gone': decides about no method" \
        "ilpatch: r.xml:5: rule 'spans and nothing': decides about 1 method, but none can be inspected: 1 byref-like" \
        "ilpatch: r.xml:7: decides about no method"
    [ "$(wc -l <err)" -eq 4 ] || die "not four messages: $(cat err)"
    # of several files it is enough that one has something for it
    expect 1 --rules r.xml -n Sample.dll Hello.exe
    ! grep -q greetings err || die "the rule has methods: $(cat err)"
    [ "$(wc -l <err)" -eq 3 ] || die "not three messages: $(cat err)"
    expect 1 --rules r.xml Sample.dll # and it is patched
    patched Sample.dll
    # what a rule would have done in a file that cannot be read is not known
    echo text >bad.dll
    expect 3 --rules r.xml -n Sample.dll bad.dll
    [ "$(grep -vc '^ilpatch: bad.dll: ' err)" -eq 0 ] || die "not only about bad.dll: $(cat err)"
    # an exclude rule has done its part, and so has a rule whose methods are inspected already
    rules x.xml <<'XML'
  <exclude name="text"><return type="string"/></exclude>
  <include name="all"/>
XML
    expect 0 --rules x.xml -o once.dll Sample.dll.orig
    expect 0 --rules x.xml -o twice.dll once.dll
    silent err
    says out "already-inspected"
}

test_rules_nothing_to_inspect() {
    give . Sample.dll
    rules r.xml <<'XML'
  <include name="nothing to show"><return kind="void byref pointer"/></include>
XML
    expect 1 --rules r.xml Sample.dll
    says err "r.xml:2: rule 'nothing to show': decides about 4 methods, but none can be inspected: 2 void, 1 byref, 1 pointer"
    identical Sample.dll "$files/Sample.dll"
    gone Sample.dll.orig MyProfiler.dll
    sed -i 's/<include /&byref="inspect" /' r.xml
    expect 0 --rules r.xml Sample.dll
    silent err
}

test_rules_many_idle() {
    give . Sample.dll
    for i in {1..10000}; do echo "<include name=\"n$i\"><method name=\"m$i\"/></include>"; done | rules r.xml
    expect 1 --rules r.xml --report r.json -n Sample.dll
    [ "$(wc -l <err)" -eq 11 ] || die "$(wc -l <err) messages"
    says err "r.xml:2: rule 'n1': " "r.xml:11: rule 'n10': " "9990 more rules have no effect"
    [ "$(grep -c '"action": "include"' r.json)" -eq 10000 ] || die "not all are in the report"
    expect 0 rules check r.xml
    silent err
    sed -i '2s/.*/<include\/>/' r.xml
    expect 1 rules check r.xml
    [ "$(wc -l <err)" -eq 11 ] || die "$(wc -l <err) warnings"
    says err "r.xml:3: this rule is never reached: the one in line 2 matches every method" "9989 more rules are never reached"
}

# ---- what cannot be decided ----

test_rules_undecided() {
    needs_json
    give . Painter.dll
    give refs Colors.dll
    rules r.xml <<'XML'
  <include name="structs"><return kind="struct"/></include>
  <include name="rest"/>
XML
    expect 1 --rules r.xml --report r.json -o x.dll Painter.dll
    says out "1 of 2 methods inspected; left as they are: 1 undecided"
    says err "r.xml:2: rule 'structs': decides about 1 method, but none can be inspected: 1 undecided"
    good_report r.json
    [ "$(json r.json modules 0 methods 0 detail)" = "it may return an enum or a struct: Colors.Shade could not be found" ] ||
        die "$(json r.json modules 0 methods 0)"
    [ "$(json r.json modules 0 methods 0 rule)" = 0 ] || die "the rule that is not decided is not named"
    patched x.dll
    expect 1 --rules r.xml --reference-path refs -n Painter.dll
    says out "2 of 2 methods inspected" # an enum
    says err "r.xml:2: rule 'structs': decides about no method"
    rules either.xml <<'XML'
  <include><return kind="struct enum primitive"/></include>
XML
    expect 1 --rules either.xml -n Painter.dll # it is one of these, but what it is has to be known to be inspected
    says out "1 unresolved"
}

test_rules_regex_limit() {
    give . Sample.dll
    rules r.xml <<'XML'
  <exclude name="slow"><signature regex="^(.|..)*[!#]$"/></exclude>
  <include/>
XML
    expect 1 --rules r.xml Sample.dll
    says out "0 of 14 methods inspected; left as they are: 14 undecided"
    says err "r.xml:3: decides about no method"
    identical Sample.dll "$files/Sample.dll"
    expect 1 rules explain --rules r.xml Sample.dll Text
    says out "not known  <signature regex=\"^(.|..)*[!#]\$\">: the pattern '^(.|..)*[!#]\$' takes too many steps on "
}

# ---- rule files that are wrong ----

bad_rules() { # MESSAGE, with the file on standard input
    cat >bad.xml
    refused 2 . --rules bad.xml --report r.json Sample.dll
    says err "ilpatch: bad.xml$1"
    gone r.json Sample.dll.orig
    refused 2 . --rules good.xml --rules bad.xml Sample.dll
    says err "ilpatch: bad.xml$1"
    refused 2 . list --rules bad.xml Sample.dll
    says err "ilpatch: bad.xml$1"
    refused 2 . rules check good.xml bad.xml
    says err "ilpatch: bad.xml$1"
    refused 2 . rules explain --rules bad.xml Sample.dll Main
    says err "ilpatch: bad.xml$1"
}

test_rules_bad() {
    give . Sample.dll
    echo '<rules><include/></rules>' >good.xml
    bad_rules ":" </dev/null
    echo text | bad_rules ":1:1: "
    echo '<rules>' | bad_rules ":2:1: not well-formed XML: "
    echo '<ruels/>' | bad_rules ":1:1: unknown element 'ruels'; did you mean 'rules'?"
    bad_rules ":3:21: <include> has no attribute 'inspecter'; did you mean 'inspector'?" <<'XML'
<rules>
  <exclude><method name="x"/></exclude>
  <include name="ä" inspecter="x.dll"/>
</rules>
XML
    bad_rules ":2:32: unknown word 'vlaue'; did you mean 'value'?" <<'XML'
<rules>
  <include name="number" pass="vlaue"/>
</rules>
XML
    printf '<rules>\n<include>\xff' | bad_rules ":2:10: this is not UTF-8"
    echo '<!DOCTYPE rules SYSTEM "/etc/passwd"><rules/>' | bad_rules ":1:1: a document type declaration is not accepted"
    echo '<rules><include xmlns="urn:x"/></rules>' | bad_rules ":1:8: elements must not have a namespace"
}

test_rules_unreadable() {
    give . Sample.dll
    mkdir folder
    ln -s nowhere.xml link.xml
    for command in '--rules missing.xml' 'list --rules missing.xml' 'rules check'; do
        case $command in rules*) rest=missing.xml ;; *) rest=Sample.dll ;; esac
        refused 2 . $command $rest
        says err "missing.xml: cannot read: No such file or directory"
    done
    refused 2 . --rules folder Sample.dll
    says err "folder: cannot read: Is a directory"
    refused 2 . --rules link.xml Sample.dll
    refused 2 . --rules '' Sample.dll
    if [ "$(id -u)" -ne 0 ]; then
        echo '<rules/>' >secret.xml
        chmod 0 secret.xml
        refused 2 . --rules secret.xml Sample.dll
        says err "secret.xml: cannot read: Permission denied"
    fi
    echo '<rules><include/></rules>' >r.xml
    refused 2 . --rules r.xml --report r.xml Sample.dll
    says err "--report would replace r.xml"
}

# A pipe is read to its end; inspectors that it names stand in the working directory.
test_rules_pipe() {
    needs_linux "pipes with names"
    give . Sample.dll good-inspector.dll
    local text='<rules><include inspector="good-inspector.dll"><return kind="struct"/></include></rules>'
    expect 0 --rules <(echo "$text") -o x.dll Sample.dll
    says out "3 of 14 methods inspected"
    there Watcher.dll
    echo "$text" | expect 0 --rules /dev/stdin -n Sample.dll || exit 1
    says out "3 of 14 methods inspected"
    echo "$text" >r.xml
    expect 0 --rules /dev/stdin -n Sample.dll <r.xml
    mkfifo pipe
    echo "$text" >pipe &
    expect 0 list --rules pipe Sample.dll
    says out "+ dup; box; call"
    expect 0 rules check <(echo "$text")
    expect 2 --rules <(echo '<rules>
<inclde/></rules>') -n Sample.dll
    says err "/dev/fd/" ":2:1: unknown element 'inclde'"
    expect 2 --rules <(:) -n Sample.dll
    expect 2 --rules /dev/null -n Sample.dll
    # not for ever
    expect 2 --rules /dev/zero -n Sample.dll
    says err "/dev/zero: a rule file has at most 64 MB"
    { for i in {1..20000}; do echo "<!-- a comment that fills more than one buffer: $i -->"; done; echo "$text"; } >long.xml
    expect 0 --rules <(cat long.xml) -n Sample.dll
    says out "3 of 14 methods inspected"
}

# ---- inspectors that rules name ----

# The stock inspector without its (object) form: that method becomes private.
without_value() { # FILE
    "$ilpatch" --inspect-returns -q -o stock.d/x.dll Sample.dll || die "no stock inspector"
    cp stock.d/MyProfiler.dll "$1"
    local at rva
    rva=$("$ilpatch" dump --tables "$1" | sed -n 's/.*RVA=0x\(..\)\(..\) .*Name=MyInspector  Signature=void \*(object) .*/\\x\2\\x\1/p')
    at=$(LC_ALL=C grep -obUaP "$rva"'\x00\x00\x00\x00\x96\x00' "$1" | head -n 1 | cut -d : -f 1)
    [ -n "$at" ] || die "MyProfiler.dll has no row of MyInspector(object)"
    poke "$1" $((at + 6)) 91
}

test_rules_inspectors() {
    give app Sample.dll
    give rules.d/lib good-inspector.dll
    echo "$deps" >app/Sample.deps.json
    local before
    before=$(state_of app)
    rules rules.d/r.xml <<'XML'
  <include inspector="lib/good-inspector.dll"><return kind="struct"/></include>
  <include/>
XML
    expect 0 --rules rules.d/r.xml app/Sample.dll
    says out "8 of 14 methods inspected"
    [ "$(ls app | tr '\n' ' ')" = "MyProfiler.dll Sample.deps.json Sample.deps.json.orig Sample.dll Sample.dll.orig Watcher.dll " ] ||
        die "app has $(ls app)"
    for entry in MyProfiler/1.0.0 Watcher/2.1.0; do
        [ "$(grep -cF "\"$entry\"" app/Sample.deps.json)" -eq 2 ] || die "$entry: $(cat app/Sample.deps.json)"
    done
    "$ilpatch" dump --methods app/Sample.dll >dump.txt
    [ "$(grep -c 'Watching.Watch::MyInspector(object)' dump.txt)" -eq 3 ] || die "not three calls of Watcher"
    [ "$(grep -c 'MyProfiler.Helper::MyInspector(object, string)' dump.txt)" -eq 6 ] || die "not six calls of the stock one"
    cp app/Sample.dll first.dll
    expect 0 --rules rules.d/r.xml app/Sample.dll
    identical app/Sample.dll first.dll
    expect 0 restore app/Sample.dll
    gone app/MyProfiler.dll
    gone app/Watcher.dll app/.Watcher.dll.ilpatch
    [ "$(state_of app)" = "$before" ] || die "not everything is as it was: $(ls app)"
}

# Only what is called is placed.
test_rules_inspector_alone() {
    give app Sample.dll
    give . good-inspector.dll
    rules r.xml <<XML
  <include inspector="$PWD/good-inspector.dll"/>
  <include enabled="no"/>
XML
    mkdir elsewhere
    mv r.xml elsewhere
    expect 0 --rules elsewhere/r.xml app/Sample.dll
    gone app/MyProfiler.dll
    there app/Watcher.dll
    rules r.xml <<'XML'
  <exclude><type name="Sample.Values"/></exclude>
  <include/>
XML
    give two Sample.dll
    expect 0 --rules r.xml --inspector good-inspector.dll two/Sample.dll # the default one is another
    gone two/MyProfiler.dll
    there two/Watcher.dll
}

test_rules_inspector_bad() {
    give . Sample.dll good-inspector.dll bad-inspector-none.dll bad-inspector-two.dll bad-inspector-circle.dll
    mkdir stock.d d other
    for inspector in missing.dll d/missing.dll bad-inspector-none.dll bad-inspector-two.dll r.xml d; do
        rules r.xml <<XML
  <include inspector="$inspector"><type name="Nowhere"/></include>
  <include/>
XML
        for command in '' list; do
            refused 3 . $command --rules r.xml Sample.dll
            says err "./$inspector: "
        done
    done
    rules r.xml <<'XML'
  <include inspector="bad-inspector-circle.dll"/>
XML
    refused 1 . --rules r.xml Sample.dll
    says err "the inspector Circle uses Sample"
    # pass="value" needs a MyInspector(object)
    without_value named.dll
    rules r.xml <<'XML'
  <include inspector="named.dll"><return kind="struct"/></include>
XML
    expect 0 --rules r.xml -o other/x.dll Sample.dll
    rules r.xml <<'XML'
  <include inspector="named.dll"><return type="string"/></include>
  <include inspector="named.dll" pass="value"><return kind="struct"/></include>
XML
    refused 3 . --rules r.xml Sample.dll
    says err "MyProfiler has no method that takes a value alone, which the rule in line 3 of r.xml requests with pass=\"value\""
    refused 3 . --rules r.xml -n Sample.dll
    refused 3 . list --rules r.xml Sample.dll
    sed -i 's/ pass="value"/ enabled="no"&/' r.xml
    expect 0 --rules r.xml -o other/y.dll Sample.dll
}

# Two files of one name have no room beside the output.
test_rules_inspectors_same_name() {
    give . Sample.dll good-inspector.dll
    give v2 good-inspector.dll
    mkdir stock.d out.d
    echo >>v2/good-inspector.dll
    rules r.xml <<'XML'
  <include inspector="good-inspector.dll"><return kind="struct"/></include>
  <include inspector="v2/good-inspector.dll"/>
XML
    refused 3 . --rules r.xml -o out.d Sample.dll
    says err "two inspectors that differ are both named Watcher: ./good-inspector.dll and ./v2/good-inspector.dll"
    cp good-inspector.dll v2/
    expect 0 --rules r.xml -o out.d Sample.dll
    # one in the place of the stock inspector
    without_value named.dll
    rules r.xml <<'XML'
  <include inspector="named.dll"><return kind="struct"/></include>
XML
    expect 0 --rules r.xml -o out.d/x.dll Sample.dll
    identical out.d/MyProfiler.dll named.dll
    refused 3 . --inspect-returns --rules r.xml -o out.d/y.dll Sample.dll
    says err "two inspectors that differ are both named MyProfiler: the stock inspector and ./named.dll"
}

# ---- several files ----

test_rules_total() {
    give . Sample.dll Hello.exe Painter.dll
    expect 1 --inspect-returns -n Sample.dll Hello.exe Painter.dll
    [ "$(tail -n 1 out)" = "all 3 files: would be patched: 11 of 18 methods inspected; left as they are: 2 void, 1 no-return, 1 byref, 1 pointer, 1 byref-like, 1 unresolved" ] ||
        die "$(tail -n 1 out)"
    [ "$(grep -c '^[A-Z].*: would be patched: ' out)" -eq 3 ] || die "$(cat out)"
    expect 1 --inspect-returns -q -n Sample.dll Hello.exe Painter.dll
    silent out
    expect 0 --inspect-returns -n Sample.dll
    ! grep -q '^all' out || die "a total of one file"
    echo text >bad.dll
    expect 3 --where '<return type="string"/>' bad.dll missing.dll Sample.dll Hello.exe
    [ "$(tail -n 1 out)" = "all 4 files: 2 of 16 methods inspected; left as they are: 14 excluded; 2 files failed" ] || die "$(tail -n 1 out)"
    expect 1 --inspect-returns -n MyProfiler.dll
    expect 0 --inspect-returns -n MyProfiler.dll Sample.dll
    says out "left alone (inspectors): MyProfiler.dll"
    ! grep -q '^all' out || die "a total of one file"
}

test_rules_tail_calls() {
    needs_json
    give . Sample.dll
    # Main becomes: tail. call Number; ret
    poke Sample.dll "$(code_of Sample.dll 0600000E)" 22fe1428010000062a
    rules keep.xml <<'XML'
  <include tail-calls="keep"><method name="Main"/></include>
XML
    sed 's/"keep"/"strip"/' keep.xml >strip.xml
    sed 's/ tail-calls="keep"//' keep.xml >auto.xml
    expect 1 --rules keep.xml -n Sample.dll
    says out "1 tail-call" "; 1 tail-call site kept"
    says err "none can be inspected: 1 tail-call"
    expect 0 --rules strip.xml --report r.json -o x.dll Sample.dll
    says out "1 of 14 methods inspected" "; 1 tail-call site stripped"
    good_report r.json
    [ "$(json r.json modules 0 methods 13 sites)" = '{"ret":1,"inspected":1,"already":0,"tailCall":0,"stripped":1,"unreachable":0,"jmp":0}' ] ||
        die "$(json r.json modules 0 methods 13)"
    "$ilpatch" dump --method 0600000E x.dll >dump.txt
    ! grep -q 'tail\.' dump.txt || die "the prefix is still there: $(cat dump.txt)"
    expect 0 --rules auto.xml --report a.json -o y.dll Sample.dll # Number leads nowhere else
    identical x.dll y.dll
    good_report a.json
    [ "$(json a.json modules 0 methods 13 tailCalls)" = '[{"offset":2,"decision":"stripped"}]' ] ||
        die "$(json a.json modules 0 methods 13)"
    cp Sample.dll Copy.dll
    expect 0 --rules strip.xml -n Sample.dll Copy.dll
    says out "all 2 files: would be patched: 2 of 28 methods inspected" "; 2 tail-call sites stripped"
}

# ---- rules check ----

test_rules_check() {
    give . Sample.dll
    rules a.xml <<'XML'
  <include name="one"><method name="x"/></include>
  <exclude enabled="no"/>
XML
    rules b.xml <<'XML'
  <include><method name="x"/></include>
  <exclude/>
  <include enabled="no"/>
  <include><method name="y"/></include>
  <include/>
XML
    echo '<rules/>' >c.xml
    expect 0 rules check a.xml
    [ "$(cat out)" = "a.xml: 2 rules, 1 of them enabled" ] || die "$(cat out)"
    silent err
    expect 0 rules check c.xml
    [ "$(cat out)" = "c.xml: 0 rules" ] || die "$(cat out)"
    expect 1 rules check a.xml b.xml c.xml
    [ "$(wc -l <out)" -eq 3 ] || die "$(cat out)"
    says out "b.xml: 5 rules, 4 of them enabled"
    [ "$(cat err)" = "ilpatch: b.xml:5: this rule is never reached: the one in line 3 matches every method
ilpatch: b.xml:6: this rule is never reached: the one in line 3 matches every method" ] || die "$(cat err)"
    expect 2 rules check missing.xml a.xml b.xml
    says out "a.xml: 2 rules" "b.xml: 5 rules" # the others are checked all the same
    expect 2 rules check
    expect 2 rules check --strict a.xml
    says err "unknown option --strict"
    cp a.xml ./--strict
    expect 0 rules check -- --strict
    says out "--strict: 2 rules"
    expect 2 rules chekc a.xml
    says err "unknown action 'chekc'; did you mean 'check'?"
    expect 2 rules
    expect 0 rules --help
    expect 0 rules check --help
    says out "ilpatch rules explain"
}

test_rules_schema() {
    expect 0 rules schema
    identical out "$here/../../data/rules.xsd"
    mv out rules.xsd
    expect 2 rules schema x
    have xmllint || skip_case "no xmllint"
    rules r.xml <<'XML'
  <include byref="inspect"><any><method name="x"/><not><return kind="struct enum"/></not></any></include>
XML
    xmllint --noout --schema rules.xsd r.xml 2>lint || die "$(cat lint)"
    sed -i 's/enum/emun/' r.xml
    ! xmllint --noout --schema rules.xsd r.xml 2>lint || die "takes a word that is none"
}

# ---- rules explain ----

explained() { # exactly the text on standard input
    diff - out >difference || die "$(cat difference)"
}

test_rules_explain() {
    give . Sample.dll
    rules r.xml <<'XML'
  <include enabled="no"/>
  <exclude name="text"><return type="string"/><method static="yes"/></exclude>
  <include>
    <any>
      <return kind="struct" larger-than="8"/>
      <not><method name="Main"/></not>
    </any>
    <method arity="0"/>
  </include>
XML
    expect 0 rules explain --rules r.xml Sample.dll Sample.Values::Day
    cp out by_name
    silent err
    explained <<'TEXT'
06000006  valuetype System.DateTime Sample.Values::Day()
  r.xml:3: rule 'text': exclude: no
     3  no         <return type="string">: System.DateTime
     3  yes        <method static="yes">: yes
  r.xml:4: include: yes
     6    yes        <return kind="struct">: struct
     6    no         <return larger-than="8">: 8 bytes
     7      no         <method name="Main">: Day
     7    yes        <not>
     5  yes        <any>
     9  yes        <method arity="0">: 0
  decided by r.xml:4: included
TEXT
    for method in 0x06000006 06000006 Sample.Values::Day Day 'valuetype System.DateTime Sample.Values::Day()'; do
        expect 0 rules explain --rules r.xml Sample.dll "$method"
        identical out by_name
    done
    expect 0 rules explain --rules r.xml Sample.dll Text
    [ "$(tail -n 1 out)" = "  decided by r.xml:3: rule 'text': excluded" ] || die "$(cat out)"
    expect 0 rules explain --rules r.xml Sample.dll Main
    [ "$(tail -n 1 out)" = "  no rule decides: left as it is" ] || die "$(cat out)"
    for method in Nobody day 0x0600000F 0600000F Sample.Values; do
        expect 1 rules explain --rules r.xml Sample.dll "$method"
        silent out
        says err "Sample.dll has no method '$method'; 'ilpatch list Sample.dll' prints tokens and names"
    done
    for method in 0x06000000 0x02000001; do
        expect 2 rules explain --rules r.xml Sample.dll "$method"
        says err "$method is not the token of a method"
    done
    expect 2 rules explain --rules r.xml Sample.dll ''
    says err "METHOD is empty"
}

# JSON, made into the text again.
test_rules_explain_json() {
    needs_schema
    give . Sample.dll Painter.dll good-inspector.dll
    rules r.xml <<'XML'
  <exclude name="text"><return type="string"/><method static="yes"/></exclude>
  <include inspector="good-inspector.dll">
    <any>
      <return kind="struct"/>
      <not><method name="Main"/></not>
    </any>
  </include>
XML
    rules native.xml <<'XML'
  <include library="lib.so" symbol="see"/>
XML
    local options
    for options in "--rules r.xml Sample.dll Text" "--rules r.xml Sample.dll Main" "--rules r.xml Painter.dll Shade" "Sample.dll Day" \
        "--affected-by x86-struct-return --target x86 Sample.dll Place" "--rules native.xml Sample.dll Day" "--rules r.xml Sample.dll Nobody"; do
        # shellcheck disable=SC2086
        "$ilpatch" rules explain $options >text 2>err
        local code=$?
        # shellcheck disable=SC2086
        expect $code rules explain --json $options
        "$here/../schema.py" selection out >wrong || die "$options: $(head -n 3 wrong)"
        python3 - out >again <<'PYTHON' || die "$options: $(cat out)"
import json, sys
known = {"unknown": "not known"}
for method in json.load(open(sys.argv[1]))["methods"]:
    print(method["token"][2:] + "  " + method["method"])
    for rule in method["rules"]:
        print(f"  {rule['rule']}: {rule['action']}: {known.get(rule['outcome'], rule['outcome'])}")
        for row in rule["conditions"]:
            fact = ": " + row["fact"] if "fact" in row else ""
            print(f"{row.get('line', ''):6}  {'  ' * row['depth']}{known.get(row['outcome'], row['outcome']):9}  {row['condition']}{fact}")
    if method["decision"] == "none":
        print("  no rule decides: left as it is")
        continue
    function = f"{method['function']} of " if "function" in method else ""
    called = f", {function}{method['inspector']} is called" if "inspector" in method else ""
    decision = {"unknown": "not known, left as it is: "}.get(method["decision"], method["decision"])
    print(f"  decided by {method['decided_by']}: {decision}{method.get('detail', '')}{called}")
PYTHON
        identical again text
    done
}

# Overloads, and methods of one name in several types, are all explained.
test_rules_explain_several() {
    cp "$here/../files/good-csharp.dll" .
    expect 0 rules explain --where '<return kind="void"/>' good-csharp.dll MoveNext
    [ "$(grep -c '^060000' out)" -eq 2 ] || die "not two: $(cat out)"
    expect 0 rules explain --where '<return kind="void"/>' good-csharp.dll .ctor
    [ "$(grep -c '^060000' out)" -gt 3 ] || die "not all: $(cat out)"
    [ "$(grep -c 'decided by ' out)" = "$(grep -c '^060000' out)" ] || die "$(cat out)"
}

# The lines of an option's conditions are those of its text; what is around it has none.
test_rules_explain_options() {
    give . Sample.dll
    expect 0 rules explain --affected-by x86-struct-return --target x86 --where '<return kind="struct"/>
<method name="Day"/>' Sample.dll Place
    explained <<'TEXT'
06000004  valuetype Sample.Point Sample.Values::Place()
  --affected-by: exclude: no
     1    yes        <affected-by bug="x86-struct-return">: returns struct of 8 bytes, runs on x86
        no         <not>
  --where: exclude: yes
     1    yes        <return kind="struct">: struct
     2    no         <method name="Day">: Place
        yes        <not>
  decided by --where: excluded
TEXT
    expect 0 rules explain --where '<method name="Day"/>' Sample.dll Day
    explained <<'TEXT'
06000006  valuetype System.DateTime Sample.Values::Day()
  --where: exclude: no
     1    yes        <method name="Day">: Day
        no         <not>
  --inspect-returns: include: yes
  decided by --inspect-returns: included
TEXT
    expect 0 rules explain Sample.dll Day # the default
    explained <<'TEXT'
06000006  valuetype System.DateTime Sample.Values::Day()
  --inspect-returns: include: yes
  decided by --inspect-returns: included
TEXT
    expect 2 rules explain --where '<method name="Day"/>' Sample.dll
    expect 2 rules explain --where '<method name="Day"/>' Sample.dll Main Text
    expect 2 rules explain --no-such Sample.dll Main
    expect 3 rules explain --where '<method name="Day"/>' missing.dll Main
    echo text >bad.dll
    expect 3 rules explain --where '<method name="Day"/>' bad.dll Main
    says err "bad.dll: "
}

# Groups of truths, each with one condition that is not known.
test_rules_explain_truths() {
    give . Painter.dll
    local yes='<method name="Shade"/>' no='<method name="Other"/>' unknown='<return kind="struct"/>'
    truth() { # TRUTH CONDITIONS: of an include rule
        rules r.xml <<<"<include>$2</include>"
        "$ilpatch" rules explain --rules r.xml Painter.dll Shade >out 2>err
        local code=$?
        says out "r.xml:2: include: $1"
        if [ "$1" = 'not known' ]; then
            [ $code -eq 1 ] || die "$2: exit code $code"
            says out "  decided by r.xml:2: not known, left as it is: it may return an enum or a struct: Colors.Shade could not be found"
            answers_of Painter.dll --rules r.xml
            grep -q '^1 undecided 0$' out || die "$2: $(cat out)"
        else
            [ $code -eq 0 ] || die "$2: exit code $code"
        fi
    }
    truth yes "$yes"
    truth no "$no"
    truth 'not known' "$unknown"
    truth 'not known' "$yes$unknown"
    truth no "$no$unknown"
    truth no "$unknown$no"
    truth yes "<any>$unknown$yes</any>"
    truth yes "<any>$yes$unknown</any>"
    truth 'not known' "<any>$no$unknown</any>"
    truth 'not known' "<not>$unknown</not>"
    truth yes "<not>$unknown$no</not>"
    truth no "<not>$yes</not>"
    truth yes "<not><all>$yes$no</all></not>"
    truth 'not known' "<all><any>$no<not>$unknown</not></any>$yes</all>"
}

# ---- names that are hostile ----

clean() { # FILE...: nothing that a terminal obeys
    ! LC_ALL=C grep -lP '[\x00-\x09\x0B-\x1F\x7F]|\xC2[\x80-\x9F]' "$@" || die "a terminal would obey $*: $(cat -v "$@" | head -c 300)"
}

test_rules_hostile_names() {
    needs_linux "a name of a file with a line feed"
    give . Sample.dll
    local name='a&#10;b&#9;&#x9b;31m&#x7f;c' file=$'r\e[31m\n.xml'
    rules "$file" <<XML
  <exclude name="$name"><type name="&#x9b;31m&#10;     9  yes        &lt;all>x"/></exclude>
  <include name="$name x"/>
  <exclude/>
XML
    expect 1 --rules "$file" -n Sample.dll
    clean out err
    says err "r\\x1B[31m\\x0A.xml:2: rule 'a\\x0Ab\\x09\\xC2\\x9B31m\\x7Fc': decides about no method"
    [ "$(wc -l <err)" -eq 2 ] || die "a name makes lines: $(cat err)"
    expect 1 rules check "$file"
    clean out err
    [ "$(wc -l <out)" -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] || die "a name makes lines: $(cat out err)"
    expect 0 rules explain --rules "$file" Sample.dll Main
    clean out err
    [ "$(wc -l <out)" -eq 5 ] || die "a name makes lines: $(cat out)"
    expect 1 rules explain --rules "$file" Sample.dll $'\e[31mMain'
    clean err
    cp Sample.dll $'S\e[31m.dll'
    expect 1 --rules "$file" -n $'S\e[31m.dll'
    clean out err
    says out 'S\x1B[31m.dll: would be patched: '
    expect 3 --inspect-returns $'no\e[31m.dll'
    clean err
    expect 3 list $'no\e[31m.dll'
    clean err
    expect 2 --rules $'no\e[31m.xml' Sample.dll
    clean err
    expect 4 --inspect-returns --report $'no\e/r.json' Sample.dll
    clean err
    rules bad.xml <<XML
  <include inspector="&#x9b;31m.dll"/>
XML
    expect 3 --rules bad.xml Sample.dll
    cp bad.xml $'bad\e.xml'
    echo '<rules><inclde/></rules>' >$'bad\e.xml'
    expect 2 rules check $'bad\e.xml'
    clean err
    says err 'bad\x1B.xml:1:8: unknown element'
}

test_rules_long_names() {
    needs_json
    give . Sample.dll
    local long
    long=$(printf 'ä%.0s' {1..50000})
    rules r.xml <<XML
  <include name="x$long"><method name="$long"/></include>
  <include/>
XML
    expect 1 --rules r.xml --report r.json -n Sample.dll
    [ "$(wc -c <err)" -lt 300 ] || die "$(wc -c <err) bytes of a message"
    says err "ää...': decides about no method"
    LC_ALL=C.UTF-8 grep -qx '.*' err || die "the name is cut within a character"
    good_report r.json
    [ "$(json r.json rules 0 name)" = "x$long" ] || die "the report has another name"
    expect 0 rules explain --rules r.xml Sample.dll Main
    rules deep.xml <<XML
  <include><type regex="$(printf '(%.0s' {1..2000})x$(printf ')%.0s' {1..2000})"/></include>
XML
    expect 2 rules check deep.xml
    [ "$(wc -c <err)" -lt 400 ] || die "$(wc -c <err) bytes of a message"
}

# ---- base types, parameters, keys, source files ----

# selects CONDITIONS TOKEN...: the methods of Sample.dll that meet them.
selects() {
    expect 0 list --where "$1" Sample.dll
    shift
    [ "$(cut -c 7-8 out | sed 's/^0//' | tr '\n' ' ')" = "$*${*:+ }" ] || die "not $*: $(cat out)"
}

test_rules_spelling() {
    give . Sample.dll
    selects '<return type="int"/>' 1 B E
    selects '<return type="System.Int32"/>' 1 B E
    selects '<return type="System.Nullable`1&lt;int>"/>' 5
    selects '<return type="int&amp;"/>' 9
    expect 2 list --where '<return type="int?"/>' Sample.dll
    says err "did you mean 'System.Nullable\`1<int32>'?"
    expect 2 list --where '<method name="Main()"/>' Sample.dll
    says err "did you mean 'Main'?"
}

test_rules_types() {
    give . Sample.dll Sample.pdb
    selects '<parameters count="1"/>' 7
    selects '<parameter type="!!0"/>' 7
    selects '<parameters types=""/><method visibility="private"/>' D E
    selects '<derives-from name="System.Object"/><method name="Main"/>' E
    selects '<implements like="*"/>'
    selects '<assembly public-key-token="none"/><method name="Day"/>' 6
    selects '<assembly public-key-token="b77a5c561934e089"/>'
    selects '<source file="Sample.cs"/><method name="Day"/>' 6
    selects '<source file="./Sample.cs"/><method name="Day"/>' 6
    selects '<source file="ample.cs"/>' # the last parts, and not of one
    selects '<source like="*.vb"/>'
    expect 0 rules explain --where '<source regex="\.cs$"/>' Sample.dll Day
    says out '<source regex="\.cs$">: ./Sample.cs'
    expect 0 --where '<source file="Sample.cs"/>' Sample.dll
    says out "symbols updated"
    expect 0 --where '<source file="Sample.cs"/><method name="Day"/>' Sample.dll # the original's are those that count
    says out "1 of 14 methods inspected"
}

# Which source file a method has is not known without the PDB, or with that of another build.
test_rules_no_symbols() {
    give . Sample.dll
    expect 1 --where '<source file="Sample.cs"/>' Sample.dll
    says out "14 undecided"
    expect 1 rules explain --where '<source file="Sample.cs"/>' Sample.dll Day
    says out "not known" "its source file is not known: Sample.pdb is not there"
    cp "$files/Sample.pdb" . && chmod 644 Sample.pdb
    poke Sample.pdb "$(grep -abo '#Pdb' Sample.pdb | head -n 1 | cut -d : -f 1)" 234d64
    expect 1 rules explain --where '<source file="Sample.cs"/>' Sample.dll Day
    says out "its source file is not known: Sample.pdb: "
    head -c 700 "$files/Sample.pdb" >Sample.pdb
    expect 1 rules explain --where '<source file="Sample.cs"/>' Sample.dll Day
    says out "its source file is not known: Sample.pdb: "
    expect 0 rules explain --where '<not><source file="Sample.cs"/></not><method name="x"/>' Sample.dll Day # a name decides
}

test_rules_explain_inspector() {
    give . Sample.dll good-inspector.dll
    expect 0 rules explain --inspector good-inspector.dll Sample.dll Day
    says out "decided by --inspect-returns: included, good-inspector.dll is called"
    rules r.xml <<'XML'
  <include library="lib.so" symbol="see"/>
XML
    expect 0 rules explain --rules r.xml Sample.dll Day
    says out "included, see of lib.so is called"
}

# A type that is not spelled as metadata has it is proposed, where an assembly shows it (test_hint.c has the others).
test_rules_type_hints() {
    give . Hello.exe
    cp "$here/../files/good-csharp.dll" .
    rules r.xml <<'XML'
  <include><type name="N.Box"/></include>
  <include><type name="Box"/></include>
  <include><type name="No.Such"/></include>
  <include><type name="N.Box`1"/><method name="no such"/></include>
  <include/>
XML
    expect 1 --rules r.xml -n good-csharp.dll
    says err "r.xml:2: decides about no method: no type has that name; did you mean 'N.Box\`1'?" \
        "r.xml:3: decides about no method: no type has that name; did you mean 'N.Box\`1'?" \
        "r.xml:4: decides about no method (" "r.xml:5: decides about no method ("
    expect 1 --rules r.xml -n Hello.exe good-csharp.dll # the second file shows it
    says err "r.xml:2: decides about no method: no type has that name; did you mean 'N.Box\`1'?"
}
