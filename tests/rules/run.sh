#!/bin/bash
# Rule files: those of tests/files/rules and data/examples, by the command and by the schema, and hostile ones.
#
# Environment: ILPATCH (the command, build/ilpatch), ILPATCH_TEST_TMP (parent of the scratch folder).
# Uses xmllint, strace and ilasm where they are there.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
root=$PWD

need_ilpatch rules
scratch rules

# ---- the schema ----------------------------------------------------------------------------------------------

if "$ilpatch" rules schema >"$tmp/rules.xsd" 2>"$tmp/err" && cmp -s "$tmp/rules.xsd" data/rules.xsd; then
    ok schema-is-current
else
    fail schema-is-current "data/rules.xsd is not what ilpatch rules schema writes"
fi

# valid FILE: the schema accepts it. The time is for entity bombs, which xmllint expands.
valid() { timeout 300 xmllint --noout --nonet --schema data/rules.xsd "$1" >"$tmp/xmllint" 2>&1; }

# ---- golden files --------------------------------------------------------------------------------------------

check_good() {
    local name=${1##*/}
    "$ilpatch" rules check "$1" >"$tmp/out" 2>"$tmp/err"
    local code=$?
    # check's code 1 reports rules that are never reached, which is not a mistake in the file
    if [ $code -gt 1 ] || { [ $code -eq 1 ] && ! grep -q 'never reached' "$tmp/err"; }; then
        fail "$name" "exit code $code: $(head -n 1 "$tmp/err")"
    elif have xmllint && ! valid "$1"; then
        fail "$name" "the schema refuses it: $(head -n 1 "$tmp/xmllint")"
    else
        ok "$name"
    fi
}

# The files that the schema accepts though they are bad: the last table of the README.
accepted=$(sed -n '/though the schema accepts it/,$p' tests/files/rules/README.md | grep -o '^| bad-[^|]*' | grep -o 'bad-[a-z0-9-]*')

check_bad() {
    local name=${1##*/} expected code message
    expected=$(cat "${1%.xml}.txt" 2>/dev/null || LC_ALL=C grep -a -o -- '<!-- [0-9]*:[0-9]*: .* -->' "$1" | head -n 1 | sed 's/^<!-- //; s/ -->$//')
    if [ -z "$expected" ]; then
        fail "$name" "it says no line:column: message"
        return
    fi
    "$ilpatch" rules check "$1" >"$tmp/out" 2>"$tmp/err"
    code=$?
    message=$(sed "s|^ilpatch: $1:||" "$tmp/err")
    case $expected in
        *...) case $message in "${expected%...}"*) message=$expected ;; esac ;;
    esac
    if [ $code -ne 2 ]; then
        fail "$name" "exit code $code"
    elif [ "$message" != "$expected" ]; then
        fail "$name" "says '$message', not '$expected'"
    elif [ -s "$tmp/out" ]; then
        fail "$name" "prints '$(head -n 1 "$tmp/out")'"
    else
        check_bad_by_schema "$1" "$name"
    fi
}

check_bad_by_schema() {
    local stem=${2%.xml}
    # what a validator makes of a bomb is its own affair
    if have xmllint && [ "$stem" != bad-parameter-entity-bomb ] && [ "$stem" != bad-entity-bomb ]; then
        if echo "$accepted" | grep -qx -e "$stem"; then
            if ! valid "$1"; then
                fail "$2" "README.md says that the schema accepts it: $(head -n 1 "$tmp/xmllint")"
                return
            fi
        elif valid "$1"; then
            fail "$2" "the schema accepts it, of which README.md does not know"
            return
        fi
    fi
    ok "$2"
}

for file in tests/files/rules/good-*.xml data/examples/*.xml; do
    check_good "$file"
done
for file in tests/files/rules/bad-*.xml; do
    check_bad "$file"
done
have xmllint || skip schema "xmllint is not there (libxml2-utils): no file was put to the schema"

# Every file is reported, and nothing else is.
(cd tests/files/rules && ls ./*.xml | sed 's|^\./||; s|\.xml$||') | sort >"$tmp/a"
grep '^| \(good\|bad\)-' tests/files/rules/README.md | cut -d '|' -f 2 | grep -o '\(good\|bad\)-[a-z0-9-]*' | sort >"$tmp/b"
if cmp -s "$tmp/a" "$tmp/b"; then
    ok readme-names-all
else
    fail readme-names-all "$(diff "$tmp/a" "$tmp/b" | grep '^[<>]' | head -n 3 | tr '\n' ' ')"
fi

# ---- several files -------------------------------------------------------------------------------------------

# A bad file among good ones stops everything before an assembly is opened.
cp tests/files/good-csharp.dll "$tmp/a.dll"
"$ilpatch" --rules tests/files/rules/good-order.xml --rules tests/files/rules/bad-word-near.xml "$tmp/a.dll" >"$tmp/out" 2>"$tmp/err"
code=$?
if [ $code -eq 2 ] && cmp -s tests/files/good-csharp.dll "$tmp/a.dll" && grep -q 'bad-word-near.xml:4:25: ' "$tmp/err"; then
    ok bad-file-stops-all
else
    fail bad-file-stops-all "exit code $code: $(head -n 1 "$tmp/err")"
fi

# ---- nothing is opened ---------------------------------------------------------------------------------------

if ! have strace || ! strace -o "$tmp/trace" true 2>/dev/null; then
    skip nothing-is-opened "strace is not there, or may not trace"
else
    for name in entity-local entity-http subset-local subset-http entity-bomb xinclude; do
        (cd tests/files/rules &&
            ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=open,openat,openat2,connect,socket -o "$tmp/trace" "$ilpatch" rules check "bad-$name.xml" >/dev/null 2>&1)
        found=$(grep -E 'README\.md|good-everything|socket\(|connect\(' "$tmp/trace" | head -n 1)
        if ! grep -q "bad-$name.xml" "$tmp/trace"; then
            fail "opens-nothing-$name" "the trace does not even show the rule file"
        elif [ -n "$found" ]; then
            fail "opens-nothing-$name" "$found"
        else
            ok "opens-nothing-$name"
        fi
    done
fi

# ---- too much of everything ----------------------------------------------------------------------------------

# Sanitizers take address space by the terabyte.
memory=200000
if ldd "$ilpatch" 2>/dev/null | grep -q 'libasan\|libubsan' || grep -aq '__asan_init' "$ilpatch"; then
    memory=unlimited
fi

# within NAME CODE TEXT COMMAND...: ends, in 200 MB, with that code, having said TEXT.
within() {
    local name=$1 expected=$2 text=$3 code
    shift 3
    (ulimit -v $memory && exec timeout 300 "$@") >"$tmp/out" 2>&1
    code=$?
    if [ $code -ne "$expected" ]; then
        fail "$name" "exit code $code: $(head -c 300 "$tmp/out" | head -n 1)"
    elif ! grep -qF -- "$text" "$tmp/out"; then
        fail "$name" "says '$(head -c 300 "$tmp/out" | head -n 1)', not '$text'"
    else
        ok "$name"
    fi
}

# repeat N TEXT
repeat() { awk -v n="$1" -v text="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", text }'; }

file=$tmp/r.xml
{ printf '<rules><!--'; repeat 6000000 'xxxxxxxxxx'; printf -- '--></rules>'; } >"$file"
within 60-mb-comment 0 'r.xml: 0 rules' "$ilpatch" rules check "$file"
{ printf '<rules><include name="'; repeat 6000000 'xxxxxxxxxx'; printf '"/></rules>'; } >"$file"
within 60-mb-attribute 2 'r.xml:1:10000024: not well-formed XML: ' "$ilpatch" rules check "$file"
{ printf '<rules>'; repeat 6000000 '          '; printf '</rules>'; } >"$file"
within 60-mb-of-spaces 0 'r.xml: 0 rules' "$ilpatch" rules check "$file"
{ printf '<rules>'; repeat 6800000 '          '; printf '</rules>'; } >"$file"
within 68-mb 2 'a rule file has at most 64 MB' "$ilpatch" rules check "$file"
# many COUNT CONDITIONS: so many rules, %d in their conditions is their number
many() { printf '<rules>'; awk -v count="$1" -v conditions="$2" 'BEGIN { for (i = 0; i < count; i++) { rule = conditions; gsub(/%d/, i, rule); print "<include>" rule "</include>" } }'; printf '</rules>'; }
many 10000 '<type name="N.T%d"/><method name="M%d"/>' >"$file"
within 10000-rules 0 'r.xml: 10000 rules' "$ilpatch" rules check "$file"
within 10000-rules-tested 1 'not-selected' "$ilpatch" --rules "$file" --dry-run "$tmp/a.dll"
many 100000 '<type name="N.T%d"/><method name="M%d"/>' >"$file"
within 100000-rules 3 'rules may take 1.75 times the size of their files and 8 MB of memory, and these need more than 1' "$ilpatch" rules check "$file"
many 10000 '<type like="N.T%d*"/>' >"$file"
within 10000-wildcards-tested 1 'not-selected' "$ilpatch" --rules "$file" --dry-run "$tmp/a.dll"
{ printf '<rules><include>'; repeat 1000000 '<all>'; repeat 1000000 '</all>'; printf '</include></rules>'; } >"$file"
within 1000000-deep 2 'r.xml:1:167: groups nest deeper than 30' "$ilpatch" rules check "$file"
{ repeat 1000000 '<rules>'; } >"$file"
within 1000000-roots 2 "r.xml:1:8: the element is not allowed here 'rules'" "$ilpatch" rules check "$file"
within entity-bomb 2 'a document type declaration is not accepted' "$ilpatch" rules check tests/files/rules/bad-entity-bomb.xml
within parameter-entity-bomb 2 'a document type declaration is not accepted' "$ilpatch" rules check tests/files/rules/bad-parameter-entity-bomb.xml

# Patterns that back up for ever: on whole signatures, and on a name of 1,000 characters.
{ printf '<rules>'; repeat 20 '<exclude><signature regex="^(.+)+!$"/></exclude>'; printf '<include><method regex="(a+)+$"/></include></rules>'; } >"$file"
within endless-pattern-signatures 1 'undecided' "$ilpatch" --rules "$file" --dry-run "$tmp/a.dll"
if have ilasm; then
    long=$(repeat 1000 a)
    cat >"$tmp/long.il" <<IL
.assembly extern mscorlib { }
.assembly Long { }
.class public N.C extends [mscorlib]System.Object
{
  .method public static int32 '$long!'() cil managed { ldc.i4.1 ret }
  .method public static int32 '$long'() cil managed { ldc.i4.1 ret }
}
IL
    if ilasm /dll /output:"$tmp/long.dll" "$tmp/long.il" >"$tmp/out" 2>&1; then
        printf '<rules><include><method regex="(a+)+$"/></include></rules>' >"$file"
        within endless-pattern-name 1 '1 undecided' "$ilpatch" --rules "$file" --dry-run "$tmp/long.dll"
    else
        fail endless-pattern-name "ilasm: $(tail -n 1 "$tmp/out")"
    fi
else
    skip endless-pattern-name "ilasm is not there (mono-devel)"
fi

# ---- without PCRE2 -------------------------------------------------------------------------------------------

# Rules without a regular expression do not look for it.
if ! hide_library libpcre2-8 "$tmp/none"; then
    fail without-pcre2 "no library in its place: $(head -n 1 "$tmp/none/err")"
else
    without() { env LD_LIBRARY_PATH="$tmp/none" "$ilpatch" "$@"; }
    printf '<rules><include><method like="*a*"/></include></rules>' >"$file"
    "$ilpatch" list --rules "$file" tests/files/good-csharp.dll >"$tmp/expected" 2>&1
    without list --rules "$file" tests/files/good-csharp.dll >"$tmp/out" 2>&1
    code=$?
    if [ $code -eq 0 ] && cmp -s "$tmp/expected" "$tmp/out" && grep -q inspected "$tmp/out"; then
        ok without-pcre2-wildcards
    else
        fail without-pcre2-wildcards "exit code $code: $(diff "$tmp/expected" "$tmp/out" | head -n 2)"
    fi
    printf '<rules><include><method regex="a"/></include></rules>' >"$file"
    within without-pcre2-rule 3 "$soname is not installed" env LD_LIBRARY_PATH="$tmp/none" "$ilpatch" list --rules "$file" tests/files/good-csharp.dll
    within without-pcre2-condition 3 "$soname is not installed" env LD_LIBRARY_PATH="$tmp/none" "$ilpatch" run --when 'value =~ "a"' -- true
fi

cd "$root" || exit 1
finish
