# shellcheck shell=bash disable=SC2154
# .deps.json files and reports. Sourced by run.sh.

# ---- .deps.json ----

deps='{
  "runtimeTarget": { "name": ".NETCoreApp,Version=v10.0/x", "signature": "" },
  "compilationOptions": {},
  "targets": {
    ".NETCoreApp,Version=v10.0": { "Z/1.0.0": {} },
    ".NETCoreApp,Version=v10.0/x": { "Sample/1.0.0": { "runtime": { "Sample.dll": {} } } }
  },
  "libraries": { "Sample/1.0.0": { "type": "project", "serviceable": false, "sha512": "" } },
  "later": [1, 2.5, true, null, "\u00fc"]
}'

test_deps() {
    needs_json
    give . Sample.dll
    echo "$deps" >Sample.deps.json
    expect 0 --inspect-returns Sample.dll
    [ "$(json Sample.deps.json targets .NETCoreApp,Version=v10.0/x MyProfiler/1.0.0 runtime MyProfiler.dll assemblyVersion)" = 1.0.0.0 ] ||
        die "no entry among the targets: $(cat Sample.deps.json)"
    [ "$(json Sample.deps.json libraries MyProfiler/1.0.0 type)" = reference ] || die "no library"
    [ "$(json Sample.deps.json later)" = '[1,2.5,true,null,"ü"]' ] || die "something was lost: $(cat Sample.deps.json)"
    [ "$(json Sample.deps.json targets .NETCoreApp,Version=v10.0)" = '{"Z/1.0.0":{}}' ] || die "another target was changed"
    [ "$(json Sample.deps.json targets .NETCoreApp,Version=v10.0/x Sample/1.0.0)" = '{"runtime":{"Sample.dll":{}}}' ] ||
        die "another entry was changed"
    cp Sample.deps.json first.json
    expect 0 --inspect-returns Sample.dll
    identical Sample.deps.json first.json
    echo "$deps" | cmp -s - Sample.deps.json.orig || die "the original is not kept"
    expect 0 restore Sample.dll
    echo "$deps" | cmp -s - Sample.deps.json || die "not restored byte for byte"
    gone Sample.deps.json.orig
}

test_deps_several() {
    give . Sample.dll
    echo "$deps" >A.deps.json
    echo "$deps" >B.deps.json
    expect 0 --inspect-returns Sample.dll
    grep -q MyProfiler A.deps.json && grep -q MyProfiler B.deps.json || die "not in both"
    expect 0 restore Sample.dll
    cmp -s A.deps.json B.deps.json || die "not both restored"
}

# JSON that is not a manifest of a program, for the host neither.
test_deps_other() {
    needs_linux "symbolic links"
    give . Sample.dll
    echo '[1]' >list.deps.json
    echo '{"targets":{"T":{}}}' >notarget.deps.json
    echo '{"runtimeTarget":{"name":"U"},"targets":{"T":{}}}' >othertarget.deps.json
    echo '{"runtimeTarget":{"name":"T"},"targets":{"T":[]}}' >array.deps.json
    ln -s missing link.deps.json
    mkdir folder.deps.json saved
    cp ./*.deps.json saved/ 2>/dev/null
    expect 0 --inspect-returns Sample.dll
    silent err
    for file in saved/*; do identical "$file" "${file#saved/}"; done
    gone ./*.deps.json.orig
    expect 0 restore Sample.dll
}

# The program would die without the entry: nothing is changed, with -n neither.
test_deps_broken() {
    local text
    give d Sample.dll
    echo "$deps" >d/A.deps.json # it may come before or after the other
    for text in '{ "targets": ' '' '{"a":1,"a":2}' '{"a":123456789012345678901234567890}' "{\"a\":$(printf '%3000s' '' | tr ' ' '[')"; do
        printf '%s' "$text" >d/broken.deps.json
        refused 3 d --inspect-returns d/Sample.dll
        says err "d/broken.deps.json: cannot read it as JSON" "--embed"
        silent out
        refused 3 d -n --inspect-returns d/Sample.dll
    done
    says err "line 1, column"
    rm d/broken.deps.json
    mkfifo d/pipe.deps.json
    refused 3 d --inspect-returns d/Sample.dll
    says err "d/pipe.deps.json: cannot read: "
    expect 0 --inspect-returns --embed d/Sample.dll
}

# Where no manifest is, none is read.
test_deps_without_library() {
    needs_linux "shared libraries"
    give d Sample.dll
    hide_library libjansson hidden || die "libjansson is not hidden"
    mkdir new
    LD_LIBRARY_PATH=$PWD/hidden expect 0 --inspect-returns -o new/Sample.dll d/Sample.dll
    patched new/Sample.dll
    echo "$deps" >d/Sample.deps.json
    LD_LIBRARY_PATH=$PWD/hidden refused 3 d --inspect-returns d/Sample.dll
    says err "d/Sample.deps.json: cannot read it as JSON" "$soname is not installed"
}

# What the host takes: a byte order mark, comments, bytes after the document. Only the entry is new, and it goes again.
test_deps_text() {
    give . Sample.dll
    { printf '\xEF\xBB\xBF// by hand: "targets"\n'; echo "$deps" | sed 's|"Sample/1.0.0": { "runtime|/* \\"first\\" */ &|
        s|"later": |"quoted": "a \\" // b", "tiny": 1e-320, &|; s|"targets"|"\\u0074argets"|'; printf 'more } " /* \0 \xFF'; } >Sample.deps.json
    cp Sample.deps.json before.json
    expect 0 --inspect-returns Sample.dll
    diff -a before.json Sample.deps.json >diff.txt
    [ "$(grep -ac '^>' diff.txt)" -eq 2 ] || die "not two lines are different: $(cat diff.txt)"
    says Sample.deps.json '{ "MyProfiler/1.0.0": { "runtime": { "MyProfiler.dll": ' '/* \"first\" */' '"tiny": 1e-320'
    [ "$(tail -c 10 Sample.deps.json | od -An -tx1)" = "$(tail -c 10 before.json | od -An -tx1)" ] || die "its end is lost"
    # changed by someone else: the entry goes, the rest stays
    sed -i 's/by hand/by two hands/' Sample.deps.json
    expect 0 restore Sample.dll
    sed 's/by hand/by two hands/' before.json | cmp - Sample.deps.json || die "not only the entry is gone"
}

# Objects with no member, with one, and none at all; the layout of one line or of several.
test_deps_layout() {
    local libraries text
    give . Sample.dll
    for libraries in '' ',"libraries":{}' ', "libraries": { /* none */ }' ',
  "libraries": {
    // the only one
    "Sample/1.0.0": {}
  }'; do
        for text in '{}' '{"Z/1.0.0":{}}' '{ // comment
    "Z/1.0.0": {} }'; do
            printf '{"runtimeTarget":"T","targets":{"T":%s}%s}' "$text" "$libraries" >Sample.deps.json
            cp Sample.deps.json before.json
            expect 0 --inspect-returns Sample.dll
            sed 's|//.*||; s|/\*[^*]*\*/||' Sample.deps.json >plain.json
            [ -z "$json_check" ] || [ "$(json plain.json targets T MyProfiler/1.0.0 runtime MyProfiler.dll fileVersion)" = 1.0.0.0 ] ||
                die "no entry: $(cat Sample.deps.json)"
            [ -z "$json_check" ] || [ "$(json plain.json libraries MyProfiler/1.0.0 type)" = reference ] || die "$(cat Sample.deps.json)"
            cp Sample.deps.json Sample.deps.json.patched
            expect 0 restore Sample.dll
            identical Sample.deps.json before.json
            # without the original
            expect 0 --inspect-returns Sample.dll
            identical Sample.deps.json Sample.deps.json.patched
            rm Sample.deps.json.orig
            expect 0 restore Sample.dll
            [ -z "$libraries" ] || identical Sample.deps.json before.json
        done
    done
}

# Another program changes the file while the assembly is patched: only our entry goes.
test_deps_changed() {
    needs_json
    give . Sample.dll
    echo "$deps" >Sample.deps.json
    expect 0 --inspect-returns Sample.dll
    sed -i 's/"Z\/1.0.0"/"Y\/2.0.0"/' Sample.deps.json
    expect 0 restore Sample.dll
    [ "$(json Sample.deps.json targets .NETCoreApp,Version=v10.0)" = '{"Y/2.0.0":{}}' ] || die "the change is lost"
    ! grep -q MyProfiler Sample.deps.json || die "the entry is still there"
}

# The application lists the inspector's assembly by itself: that entry is not ours to remove.
test_deps_own_entry() {
    give . Sample.dll good-inspector.dll
    echo "$deps" | sed 's|"Sample/1.0.0": {|"Watcher/2.1.0": { "runtime": { "Watcher.dll": {} } }, &|' >Sample.deps.json
    cp Sample.deps.json before.json
    expect 0 --inspect-returns --inspector good-inspector.dll Sample.dll
    identical Sample.deps.json before.json
    expect 0 restore Sample.dll
    identical Sample.deps.json before.json
}

# With an inspector of one's own, too, the entry goes.
test_deps_own_inspector() {
    needs_json
    give . Sample.dll good-inspector.dll
    echo "$deps" >Sample.deps.json
    cp Sample.deps.json before.json
    expect 0 --inspect-returns --inspector good-inspector.dll Sample.dll
    [ "$(json Sample.deps.json targets .NETCoreApp,Version=v10.0/x Watcher/2.1.0 runtime Watcher.dll fileVersion)" = 2.1.0.0 ] ||
        die "no entry: $(cat Sample.deps.json)"
    expect 0 restore Sample.dll
    identical Sample.deps.json before.json
}

test_deps_with_output() {
    give in Sample.dll
    echo "$deps" >in/Sample.deps.json
    mkdir out.d
    echo "$deps" >out.d/Sample.deps.json
    expect 0 --inspect-returns -o out.d in/Sample.dll
    grep -q MyProfiler out.d/Sample.deps.json || die "no entry where the output is"
    ! grep -q MyProfiler in/Sample.deps.json || die "an entry where the input is"
}

# ---- reports ----

test_report() {
    needs_json
    give . Sample.dll Hello.exe Painter.dll
    echo text >bad.dll
    expect 3 --inspect-returns --report r.json Sample.dll bad.dll missing.dll Painter.dll Hello.exe
    good_report r.json
    [ "$(json r.json modules 0 file)" = Sample.dll ] || die "not in the order of the files"
    [ "$(json r.json modules 0 summary methods)" = 14 ] || die "Sample has 14 methods"
    [ "$(json r.json modules 0 summary byref-like)" = 1 ] || die "one of them returns a span"
    [ "$(json r.json modules 0 written bytes)" = "$(stat -c %s Sample.dll)" ] || die "not the size that was written"
    [ "$(json r.json modules 0 methods 0 name)" = Sample.Values::Number ] || die "the first is Number"
    [ "$(json r.json modules 0 methods 0 sites ret)" = 1 ] || die "with one ret"
    [ "$(json r.json modules 1 error)" = NOT_PE ] || die "bad.dll is no PE file"
    [ "$(json r.json modules 2 error)" = IO ] || die "missing.dll could not be read"
    [ "$(json r.json modules 3 summary unresolved)" = 1 ] || die "Painter has an enum from elsewhere"
    [ "$(json r.json modules 3 methods 0 detail)" = "[Colors]Colors.Shade" ] || die "whose name it says"
    [ "$(json r.json modules 4 file)" = Hello.exe ] || die "five modules"
    [ "$(stat -c %a r.json)" = 644 ] || die "others cannot read it"
}

test_report_failures() {
    needs_json
    give . Sample.dll unsupported-core.dll bad-inspector-none.dll
    cp "$files/Hello.exe" MyProfiler.dll
    expect 4 --inspect-returns --report r.json Sample.dll unsupported-core.dll
    good_report r.json
    [ "$(json r.json modules 0 error)" = IO ] || die "the inspector could not be placed"
    [ "$(json r.json modules 1 error)" = CORE_LIBRARY ] || die "a core library"
    expect 3 --inspect-returns --inspector bad-inspector-none.dll --report s.json Sample.dll
    good_report s.json
    [ "$(json s.json modules)" = '[]' ] || die "no module was looked at"
}

test_report_stdout() {
    needs_linux "/dev/stdout"
    needs_json
    give . Sample.dll
    "$ilpatch" --inspect-returns -q -o x.dll --report /dev/stdout Sample.dll | cat >r.json
    good_report r.json
    expect 4 --inspect-returns -q -o x.dll --report /dev/full Sample.dll
    says err "/dev/full: cannot write: No space left on device"
    [ -c /dev/full ] || die "/dev/full is no device any more"
}

# Standard output that is a file, by a link like /dev/stdout: neither that file nor the link is replaced by another.
test_report_stdout_file() {
    needs_linux "symbolic links"
    needs_json
    [ -L /proc/self/fd/1 ] || skip_case "no /proc"
    give . Sample.dll
    for fd in 1 2 7; do ln -s /proc/self/fd/$fd fd$fd; done
    echo before >r.json
    local inode
    inode=$(stat -c %i r.json)
    "$ilpatch" --inspect-returns -n -q --report fd1 Sample.dll >>r.json || die "it fails"
    [ "$(stat -c %i r.json)" = "$inode" ] || die "standard output leads nowhere any more"
    [ "$(head -n 1 r.json)" = before ] || die "what was there is gone"
    sed -i 1d r.json
    good_report r.json
    "$ilpatch" --inspect-returns -n -q --report fd2 Sample.dll 2>s.json || die "it fails"
    good_report s.json
    "$ilpatch" --inspect-returns -n -q --report fd7 Sample.dll 7>t.json || die "it fails"
    good_report t.json
    mkdir d
    "$ilpatch" --inspect-returns -q -o fd1 Sample.dll >d/x.dll || die "it fails"
    patched d/x.dll
    there d/MyProfiler.dll
    for fd in 1 2 7; do [ -L fd$fd ] || die "fd$fd is no link any more"; done
}

# A link stays one, and what it leads to is replaced.
test_report_link() {
    needs_linux "symbolic links"
    needs_json
    give . Sample.dll
    mkdir d
    echo old >d/r.json
    ln -s d/r.json link.json
    expect 0 --inspect-returns -n --report link.json Sample.dll
    [ -L link.json ] || die "the link is a file now"
    good_report d/r.json
    refused 2 . --inspect-returns --report Sample.dll Sample.dll
    cp "$files/good-inspector.dll" .
    refused 2 . --inspect-returns --inspector good-inspector.dll --report good-inspector.dll Sample.dll
    says err "--report would replace good-inspector.dll"
}

# ---- the schema of reports ----

# A Python with jsonschema, which is an independent validator; or the test is skipped.
needs_schema() {
    for python in python3 /usr/bin/python3; do
        "$python" -W ignore -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null && return
    done
    skip_case "no Python with jsonschema (Debian: python3-jsonschema)"
}

# valid_reports FILE...: all of them are good reports, and valid by the schema.
valid_reports() {
    local file
    if [ -n "$json_check" ]; then for file; do good_report "$file"; done; fi
    "$here/../schema.py" report "$@" >wrong || die "not valid: $(head -n 3 wrong)"
}

# Reports of all kinds: what is in them is looked at by other tests.
test_schema_reports() {
    needs_schema
    give . Sample.dll Sample.pdb Hello.exe Painter.dll Colors.dll good-inspector.dll bad-inspector-none.dll \
        unsupported-core.dll
    cp "$here"/../files/*.dll "$here"/../files/*.pdb .
    chmod 644 ./*
    mkdir reports d
    ln -s good-csharp.dll link.dll
    echo text >$'text\xff"\e.dll'
    cat >rules.xml <<'XML'
<rules>
  <exclude name="text &quot;&#x9b;ä&#10;"><return type="string"/></exclude>
  <include enabled="no" name="sleeping"/>
  <include name="unmatched"><type name="Nowhere"/></include>
  <include inspector="good-inspector.dll" byref="inspect" pointers="inspect" tail-calls="strip"><method like="[!N]*"/></include>
  <include name="structs" async="skip" tail-calls="strip"><return kind="struct task"/></include>
  <include tail-calls="strip"><method name="Main"/></include>
</rules>
XML
    echo '<rules><include><signature regex="^(.|..)*[!#]$"/></include></rules>' >slow.xml
    report() { # NAME ARGUMENT...
        "$ilpatch" -q --report "reports/$1.json" "${@:2}" >out 2>err
        there "reports/$1.json"
    }
    report clean --inspect-returns -o x.dll Sample.dll
    report dry --inspect-returns -n Sample.dll
    report link --inspect-returns -o x.dll link.dll
    report several --inspect-returns -o d Sample.dll Hello.exe Painter.dll Colors.dll good-*.dll
    report already --inspect-returns -o y.dll x.dll
    report errors --inspect-returns -n ./*.dll ./*.pdb missing.dll
    report unwritable --inspect-returns -o no/x.dll Sample.dll
    report no_inspector --inspect-returns --inspector bad-inspector-none.dll Sample.dll
    report self --inspect-returns -n d/MyProfiler.dll
    report native --inspect-returns -n unsupported-native-pe.dll
    report left --inspect-returns -n Sample.dll d d/MyProfiler.dll Sample.pdb
    report rules --rules rules.xml -o d Sample.dll Hello.exe good-csharp.dll good-il.dll
    report options --rules rules.xml --affected-by x86-struct-return --where '<not><method name="x"/></not>' \
        --where '<not>
        <method name="y"/></not>' --inspect-returns -n Sample.dll
    report undecided --where '<return kind="struct"/>' -n Painter.dll
    report slow --rules slow.xml -n Sample.dll
    cp Sample.dll tail.dll
    poke tail.dll "$(code_of Sample.dll 0600000E)" 22fe1428010000062a
    report tail --inspect-returns -n tail.dll
    echo '<rules><include tail-calls="keep"/></rules>' >keep.xml
    report keep --rules keep.xml -n tail.dll
    report strip --rules rules.xml -n tail.dll
    grep -q '"stripped": 1' reports/strip.json || die "nothing was stripped: $(cat err)"
    cp Sample.dll names.dll
    poke names.dll "$(grep -obUa Nothing Sample.dll | head -n 1 | cut -d : -f 1)" ff1b0ac3eda080
    report names --inspect-returns -n names.dll
    cp Sample.dll broken.dll
    poke broken.dll "$(code_of Sample.dll 06000002)" 1a24 # an opcode that is none
    poke broken.dll "$(LC_ALL=C grep -obUaP '\x03\x00\x00\x08' Sample.dll | tail -n 1 | cut -d : -f 1)" 0300003f # a type that is none
    report broken --inspect-returns -n broken.dll
    mkdir alone
    cp Painter.dll alone
    report unresolved --inspect-returns -n alone/Painter.dll
    local n=0 key
    for key in token name answer returns size; do
        "$ilpatch" list --json --sort $key --rules rules.xml --reference-path . good-csharp.dll >reports/list-$key.json
    done
    "$ilpatch" list --json --answer inspected,void --where '<method like="?*"/>' Sample.dll >reports/list-answer.json
    "$ilpatch" list --json --affected-by x86-struct-return --target x86 Painter.dll >reports/list-affected.json
    "$ilpatch" list --json --where '<type name="No"/>' Sample.dll >reports/list-nothing.json
    for file in names.dll $'text\xff"\e.dll' missing.dll unsupported-core.dll d/MyProfiler.dll bad-row-cut.dll; do
        n=$((n + 1))
        "$ilpatch" list --json "$file" >"reports/list-$n.json" 2>err
    done
    valid_reports reports/*.json
    # the sample has what it should
    local answers
    answers=$(cat reports/*.json | grep -oE '"answer": "[a-z-]*"' | sort -u | wc -l)
    [ "$answers" -ge 16 ] || die "only $answers answers occur"
    for status in IO NOT_PE NOT_MANAGED READY_TO_RUN CORE_LIBRARY SELF_INSPECTION TRUNCATED BAD_PE BAD_METADATA; do
        grep -q "\"error\": \"$status\"" reports/*.json || die "$status does not occur"
    done
}

# It is strict: a report with anything left out, added or changed in kind is not valid.
test_schema_strict() {
    needs_schema
    give . Sample.dll
    echo text >bad.dll
    cat >rules.xml <<'XML'
<rules>
  <exclude name="text"><return type="string"/></exclude>
  <include byref="inspect"/>
</rules>
XML
    expect 3 --rules rules.xml -o y.dll --report r.json bad.dll
    expect 0 --rules rules.xml -o x.dll --report s.json Sample.dll
    "$python" -W ignore - "$here/../../data/report.schema.json" r.json s.json <<'PYTHON' || die "not strict"
import copy, json, jsonschema, sys

schema, failed, done = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:])
validator = jsonschema.Draft202012Validator(schema)
optional = {"output", "detail", "affectedBy", "rule", "bytesAdded", "written", "name", "offset", "why"}
wrong = []

def objects(value, path=()):
    if isinstance(value, dict):
        yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from objects(inner, path + (key,))

def changed(report, path, change):
    report = copy.deepcopy(report)
    at = report
    for key in path:
        at = at[key]
    change(at)
    return report

def refuse(what, report):
    if validator.is_valid(report):
        wrong.append(what)

for report in (failed, done):
    assert validator.is_valid(report)
    for path in objects(report):
        at = report
        for key in path:
            at = at[key]
        shown = "/".join(map(str, path))
        refuse(f"{shown}: a member that is not known", changed(report, path, lambda o: o.update(extra=1)))
        for key in at:
            is_rule = len(path) == 2 and path[0] == "rules"
            is_method_name = key == "name" and not is_rule
            excluded = key == "rule" and at.get("answer") == "excluded"
            if key not in optional or is_method_name or excluded:
                if not (key == "sites" and at.get("answer") not in ("inspected",) and "answer" in at):
                    refuse(f"{shown}: {key} is missing", changed(report, path, lambda o: o.pop(key)))
            other = [] if not isinstance(at[key], list) else {}
            refuse(f"{shown}: {key} is of another kind", changed(report, path, lambda o: o.update({key: other})))
            if isinstance(at[key], int) and not isinstance(at[key], bool) and key != "bytesAdded":
                refuse(f"{shown}: {key} is negative", changed(report, path, lambda o: o.update({key: -1})))

method = ("modules", 0, "methods", 0)
for what, path, members in (
        ("a word that is no answer", method, {"answer": "byreflike"}),
        ("a token of no method", method, {"token": "0x02000001"}),
        ("inspected at no site", method + ("sites",), {"inspected": 0}),
        ("a method that is void and inspected", method, {"answer": "void"}),
        ("not selected by a rule", method, {"answer": "not-selected"}),
        ("a detail of an inspected one", method, {"detail": "x"}),
        ("an error that is none", ("modules", 0), {"error": "OK", "message": "x"}),
        ("written after an error", ("modules", 0), {"error": "IO", "message": "x"}),
        ("an error without a message", ("modules", 0), {"error": "IO"}),
        ("an exclude rule that inspects", ("rules", 0), {"inspected": 1}),
        ("a rule in line 0", ("rules", 0), {"line": 0}),
        ("a rule without a name that has one", ("rules", 0), {"name": ""}),
        ("an action that is none", ("rules", 0), {"action": "skip"})):
    refuse(what, changed(done, path, lambda o: o.update(members)))
refuse("methods of a file that was not read", changed(failed, ("modules", 0), lambda o: o.update(methods=[])))
print("\n".join(wrong[:5]))
sys.exit(bool(wrong))
PYTHON
}

# A schema for each row of schemas.def, with its number, and a row in the table of COMMAND.md.
test_schemas() {
    local root=$here/../.. word version
    sed -n 's/^SCHEMA([A-Z]*, *"\([a-z]*\)", *\([0-9]*\)).*/\1 \2/p' "$root/host/schemas.def" >rows
    [ "$(wc -l <rows)" -eq "$(grep -c '^SCHEMA(' "$root/host/schemas.def")" ] || die "cannot read schemas.def"
    while read -r word version; do
        grep -q "^    \"schema\": {\"type\": \"integer\", \"const\": $version},$" "$root/data/$word.schema.json" || die "$word.schema.json: not $version"
    done <rows
    grep -o '\[[a-z]*\](\.\./data/[a-z]*\.schema\.json) [0-9]*' "$root/docs/COMMAND.md" | sed 's/^\[\([a-z]*\)\](.*) /\1 /' | cmp -s - rows ||
        die "the table of docs/COMMAND.md has other schemas"
    (cd "$root/data" && printf '%s\n' *.schema.json) | sed -n 's/^\([a-z]*\)\.schema\.json$/\1/p' | sort | cmp -s - <(cut -d ' ' -f 1 rows | sort) ||
        die "a schema in data/ that schemas.def has not, or the reverse"
}

# Of those that no other test holds outputs against.
test_schemas_of_outputs() {
    needs_schema
    cp "$here"/../files/*.dll "$here"/../files/verify/*.dll .
    "$ilpatch" verify --json ./*.dll >verify.json 2>/dev/null
    "$here/../schema.py" verify verify.json >wrong || die "verify: $(head -n 3 wrong)"
    "$ilpatch" resolve --json ./*.dll >resolve.json 2>/dev/null
    "$here/../schema.py" resolve resolve.json >wrong || die "resolve: $(head -n 3 wrong)"
    expect 0 inspect --inspector "$files/good-inspector-passes.dll" --rules "$first_version/rules/rules.xml" --id-map ids.json -o ids.dll good-csharp.dll
    "$here/../schema.py" --lines ids ids.json >wrong || die "ids: $(head -n 3 wrong)"
    ! "$here/../schema.py" --lines count ids.json >wrong || die "accepts another form"
    "$ilpatch" explain --json >all.json || die "exit code $?"
    "$here/../schema.py" explain all.json >wrong || die "explain: $(head -n 3 wrong)"
    [ "$(grep -o '"code": "[^"]*"' all.json | sort -u)" = "$("$ilpatch" explain | sed 's/.*/"code": "&"/' | sort -u)" ] || die "not all codes"
    "$ilpatch" explain --json not_pe >one.json || die "exit code $?"
    grep -q '^  {"code": "NOT_PE", "cause": ".*", "cure": "' one.json || die "$(cat one.json)"
    expect 2 explain --json not-pea
    "$ilpatch" dump --json good-csharp.dll >dump.json || die "exit code $?"
    "$here/../schema.py" dump dump.json >wrong || die "dump: $(head -n 3 wrong)"
    # The same rows and columns as in the text.
    "$ilpatch" dump --tables good-csharp.dll >dump.txt || die "exit code $?"
    [ "$(grep -c '"token": "0x' dump.json)" -eq "$(grep -cE '^  [0-9A-F]{8}  ' dump.txt)" ] || die "another number of rows"
    [ "$(grep -oE '"(table|[A-Z][A-Za-z]+)":' dump.json | grep -vc table)" -eq "$(grep -oE '  [A-Z][A-Za-z]+=' dump.txt | wc -l)" ] || die "other columns"
    expect 2 dump --json --methods good-csharp.dll
}

# The schema, the .def files and the tables of REPORT.md name the same things.
test_schema_agrees() {
    have python3 || skip_case "no python3"
    python3 - "$here/../.." <<'PYTHON' || die "they do not agree"
import json, re, sys

root = sys.argv[1]
def text(path):
    with open(f"{root}/{path}", encoding="utf-8") as file:
        return file.read()

schema = json.loads(text("data/report.schema.json"))
kinds = schema["$defs"]
reasons = re.findall(r'^ILP_REASON\(\w+,\s*\d+,\s*\w+,\s*"([^"]+)"', text("include/ilpatch/reasons.def"), re.M)
statuses = re.findall(r"^ILP_STATUS\((\w+),", text("include/ilpatch/error.def"), re.M)
statuses = ["IO" if name == "CALLBACK" else name for name in statuses if name != "OK"]
wrong = []

def same(what, left, right):
    if list(left) != list(right):
        wrong.append(f"{what}: {sorted(set(left) ^ set(right)) or 'another order'}")

assert len(reasons) > 15 and len(statuses) > 15
same("answers", kinds["answer"]["enum"], reasons)
same("statuses", kinds["status"]["enum"], statuses)
same("summary", kinds["summary"]["properties"], ["methods", "sites"] + reasons)
same("summary, required", kinds["summary"]["required"], ["methods", "sites"] + reasons)
refused = [code for kind, code in re.findall(r'^ILP_REASON\(\w+,\s*\d+,\s*(\w+),\s*"([^"]+)"', text("include/ilpatch/reasons.def"), re.M)
           if kind == "REFUSED"]
for code in kinds["method"]["dependentSchemas"]["detail"]["properties"]["answer"]["enum"]:
    if code not in refused + ["never-inspected"]:
        wrong.append(f"detail of {code}, which is not refused")

types = {"string": "string", "number": "integer", "bool": "boolean", "array": "array", "object": "object"}
def type_of(member):
    while "$ref" in member:
        member = kinds[member["$ref"].rsplit("/", 1)[1]]
    return member.get("type", "string" if "enum" in member else None)

def compare(heading, kind):
    section = re.search(rf"^##+ {heading}\n(.*?)(?=^##)", text("docs/REPORT.md"), re.M | re.S).group(1)
    rows = re.findall(r"^\| `(\w+)` \|(?: (\w+) \|)?", section, re.M)
    # a table of numbers alone has no column for the type
    if "| field | type |" not in section:
        rows = [(name, "number") for name, _ in rows]
    members = kind["properties"]
    if heading == "Summary":
        members = {key: members[key] for key in ("methods", "sites")}
    same(heading, [name for name, _ in rows], members)
    for name, word in rows:
        if name in members and types[word] != type_of(members[name]):
            wrong.append(f"{heading}: {name} is no {word}")

compare("Fields", schema)
for heading, kind in (("A process", "process"), ("A failure", "failed"), ("A module", "module"), ("A method", "method"), ("Sites", "sites"), ("Summary", "summary"),
                      ("Written", "written"), ("A rule", "rule")):
    compare(heading, kinds[kind])
print("\n".join(wrong))
sys.exit(bool(wrong))
PYTHON
}

# The same of what --explain-tail writes; tests/runtime/tail_calls has files that are valid by it.
test_tail_schema_agrees() {
    have python3 || skip_case "no python3"
    python3 - "$here/../.." <<'PYTHON' || die "they do not agree"
import json, re, sys

def text(path):
    with open(f"{sys.argv[1]}/{path}", encoding="utf-8") as file:
        return file.read()

def rows(heading):
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text("docs/TAIL.md"), re.M | re.S).group(1).split("\n\n")
    return [re.findall(r"^\| `(\w+)` \|", part, re.M) for part in section if "| `" in part]

schema = json.loads(text("data/tail.schema.json"))
call, times = schema["$defs"]["call"]["properties"], schema["$defs"]["times"]["properties"]
outcomes = re.findall(r'^    X\(\d, \w+, "(\w+)"', text("host/tail_outcome.h"), re.M)
assert len(outcomes) == 4
for what, left, right in (("outcomes", outcomes, times), ("answers", outcomes + ["mixed", "unknown"], call["answer"]["enum"]),
                          ("summary", call["answer"]["enum"], schema["properties"]["summary"]["properties"]),
                          ("table of answers", rows("Outcomes")[0], call["answer"]["enum"]),
                          ("members", rows("JSON")[0], schema["properties"]), ("members of a call", rows("JSON")[1], call)):
    if list(left) != list(right):
        sys.exit(f"{what}: {list(left)} and {list(right)}")
PYTHON
}

test_report_unwritable() {
    give . Sample.dll
    refused 4 . --inspect-returns --report no/r.json Sample.dll
    says err "no/r.json: cannot write: No such file or directory"
    mkdir folder
    refused 4 . --inspect-returns --report folder Sample.dll
    says err "folder: cannot write: Is a directory"
}

test_quiet() {
    give . Sample.dll
    expect 0 --inspect-returns -q Sample.dll
    silent out
    silent err
    expect 0 inspect --quiet Sample.dll
    silent out
}
