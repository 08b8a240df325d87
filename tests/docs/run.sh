#!/bin/bash
# Do the texts say what is so?
#
#   options, answers, statuses, exit codes, variables, targets, limits, files   compared with the source
#   the tables of RULES.md   compared with rules.def
#   ERRORS.md                has a cause and a cure for each status and each reason of a method that is left as it is
#   ```console blocks        typed where a reader types them; what they show must come out: consoles.sh, for all texts at a time.
#                            Commands stand in such blocks, or with a reason in not_run.txt
#   examples of ilpatch.h    compiled, run, what they print compared: examples.sh
#   ```c in LIBRARY.md       compiled, and run by the console block after it
#   ```xml blocks            rule files and rules, accepted by `ilpatch rules check` and the schema
#   README.md                has at most 200 lines; try.sh prints what it begins with, and docs/terminal.svg shows it
#   --help                   of each command names its exit codes
#   ```json in REPORT.md     compared with a report that is written now
#   links                    lead to files and headings that exist
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
root=$PWD

need_ilpatch docs
scratch docs

# same_lines TEST: $tmp/a (the source) and $tmp/b (the text) have the same lines.
same_lines() {
    if [ ! -s "$tmp/a" ]; then
        fail "$1" "nothing was found to compare with"
    elif diff "$tmp/a" "$tmp/b" >"$tmp/diff"; then
        ok "$1"
    else
        fail "$1" "$(sed -n 's/^< /missing: /p; s/^> /too much: /p' "$tmp/diff" | head -n 4 | tr '\n' ';')"
    fi
}
# block FILE LANGUAGE N: the Nth fenced block of that language.
block() {
    awk -v start="\`\`\`$2" -v wanted="$3" '
        $0 == "```" { on = 0 }
        on && n == wanted
        $0 == start { n++; on = 1 }' "$1"
}

texts() { find . -name '*.md' -not -path './build/*' -not -path './.git/*' | sort; }

# Texts are typed while the rest is compared, as many at a time as there are processors.
mkdir "$tmp/consoles"
export ILPATCH=$ilpatch BUILD=${BUILD:-build}
texts | xargs grep -lx '```console' | sed 's,^\./,,' |
    xargs -P "$(nproc)" -I '{}' sh -c 'name=$(echo "$1" | tr / -)
        tests/docs/consoles.sh "$1" "$2/$name" >"$2/$name.log" 2>&1' sh '{}' "$tmp/consoles" &
consoles=$!

# The picture of the README is drawn from its first console block, which is typed like the others.
if have python3; then passes picture site/picture.py --check; fi

# ---- facts that stand in the source --------------------------------------------------------------------------

# Long and short options in a text, one a line; --help is everywhere and is left out.
options_in() { grep -oE -- '(^|[^a-zA-Z0-9-])(--?[a-z][a-z-]*|-[A-Z]\b)' | sed 's/^[^-]*//' | grep -vx -e -h -e --help | grep -E -- '^(--|-.$)' | sort -u; }

commands='inspect list dump diff restore resolve rules run attach ps trace report tail verify bundle'
for command in $commands; do
    "$ilpatch" $command --help | options_in >"$tmp/help-$command"
done
sed -i '/^--inspect-returns$/d' "$tmp/help-rules" # it is named, but not taken
sed -i '/^--spool$/d' "$tmp/help-report" # the same
sed -i '/^-- *$/d' "$tmp/help-run" "$tmp/help-trace"
{ cat "$tmp"/help-*; "$ilpatch" --help | options_in; } | sort -u >"$tmp/a"
# In the page's source a long option is `.Fl -name`, a short one `.Fl n`.
grep -oE 'Fl (-?[a-z][a-z-]*|[A-Z]\b)' man/ilpatch.1 | sed 's/^Fl -/--/; s/^Fl /-/' | grep -vx -e -h -e --help | sort -u >"$tmp/b"
same_lines man-options
cat docs/{COMMAND,INSPECTORS}.md | grep -v '^\$' | options_in >"$tmp/c"
sort -u "$tmp"/help-{inspect,list,dump,rules} >"$tmp/a"
comm -12 "$tmp/a" "$tmp/c" >"$tmp/b"
same_lines command-options
"$ilpatch" --help | sed '/^A first try/,$d' | grep -E '^ *ilpatch .*  ' | sed 's/^ *//' >"$tmp/a"
sed -n '/^## Commands/,/^FILE is/p' docs/COMMAND.md | grep '^ *ilpatch ' | sed 's/^ *//' >"$tmp/b"
same_lines command-forms

# What the bash completion offers for a line that ends in "-".
complete_bash() {
    bash -c '. "$0"/completions/ilpatch.bash
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ilpatch; printf "%s\n" "${COMPREPLY[@]}"' "$root" "$@"
}
for command in $commands; do
    cp "$tmp/help-$command" "$tmp/a"
    echo --help >>"$tmp/a"
    complete_bash ilpatch $command - | grep -vx -e -h >"$tmp/b"
    sort -o "$tmp/a" "$tmp/a"
    sort -o "$tmp/b" "$tmp/b"
    same_lines "bash-completion-$command"
done
mkdir "$tmp/complete"
(cd "$tmp/complete" && touch App.dll App.dll.orig Old.EXE App.deps.json.orig notes.txt && mkdir folder)
printf '%s\n' App.dll Old.EXE folder >"$tmp/a"
(cd "$tmp/complete" && complete_bash ilpatch --inspect-returns '' | sort) >"$tmp/b"
same_lines bash-completion-files
printf '%s\n' App.dll folder >"$tmp/a"
(cd "$tmp/complete" && complete_bash ilpatch restore '' | sort) >"$tmp/b"
same_lines bash-completion-originals

# What is written from the table of options is what the table says.
completions/generate.py --check >"$tmp/log" 2>&1 && ok options-written || fail options-written "$(tr '\n' ' ' <"$tmp/log"): run make options"

# Words after an option: those of rules.def, reasons.def and the help text. words LIST: of rules.def.
words() { sed -n "/^ILP_WORDS($1)/,/^ILP_ENDW/s/^ILP_WORD([^\"]*\"\([^\"]*\)\".*/\1/p" include/ilpatch/rules.def; }
for option in affected-by=BUG target=TARGET answer= sort=; do
    list=${option#*=} option=--${option%%=*}
    case $option in
        --answer) sed -n 's/^ILP_REASON([A-Z_]*, *[0-9]*, *[A-Z_]*, *"\([^"]*\)".*/\1/p' include/ilpatch/reasons.def ;;
        --sort) "$ilpatch" list --sort '' x 2>&1 | sed -n 's/.*--sort .*; expected //p' | sed 's/ or /, /; s/, /\n/g' ;;
        *) words "$list" ;;
    esac | sort >"$tmp/a"
    complete_bash ilpatch list $option '' | sort >"$tmp/b"
    same_lines "bash-completion-words$option"
done
printf '%s\n' byref,tail-call byref,task >"$tmp/a"
complete_bash ilpatch list --answer byref,ta | sort >"$tmp/b"
same_lines bash-completion-word-list
(cd "$tmp/complete" && touch a.xml b.XML)
printf '%s\n' a.xml b.XML folder >"$tmp/a"
(cd "$tmp/complete" && complete_bash ilpatch --rules '' | sort) >"$tmp/b"
same_lines bash-completion-rules
(cd "$tmp/complete" && complete_bash ilpatch rules check '' | sort) >"$tmp/b"
same_lines bash-completion-rules-check
rm "$tmp/complete"/*.[xX]*

# as_in_bash SHELL: for each of $tmp/lines, what is after its number in $tmp/matches is what bash offers. Bash has options among commands and
# files, too; zsh has `-`, which its own commands may begin with.
as_in_bash() {
    local number=0 line none typed
    while IFS= read -r line; do
        number=$((number + 1))
        read -ra typed <<<"$line"
        case $line in
            *-) none=- ;;
            *) none='-.*' typed+=('') ;;
        esac
        (cd "$tmp/complete" && complete_bash "${typed[@]}") | grep -vx -e "$none" | sort -u >"$tmp/a"
        sed -n "s/^$number\t//p" "$tmp/matches" | grep -vx -e "$none" | sort -u >"$tmp/b"
        same_lines "$1-completion:${line// /_}"
    done <"$tmp/lines"
}

# zsh offers the same: what is typed into one, and which completion is requested.
typed_lines() {
    for command in $commands; do echo "ilpatch $command -" | sed 's/rules/& explain/; s/tail/& list/'; done
    for option in affected-by target answer sort; do echo "ilpatch list --$option "; done
    printf '%s\n' 'ilpatch ' 'ilpatch help ' 'ilpatch --inspect-returns ' 'ilpatch restore ' 'ilpatch rules ' 'ilpatch tail '
}
if have zsh; then
    typed_lines >"$tmp/lines"
    (cd "$tmp/complete" && zsh -f "$root/tests/docs/zsh_complete.zsh" "$root/completions" <"$tmp/lines") >"$tmp/matches"
    as_in_bash zsh
else
    skip zsh-completion "no zsh"
fi

# fish offers the same options and words, with "-o" and "--output" of one option among them.
if have fish; then
    for command in $commands; do
        complete_bash ilpatch $command - | sort -u >"$tmp/a"
        (cd "$tmp/complete" && fish --no-config -c 'source $argv[1]/completions/ilpatch.fish
            complete -C "ilpatch $argv[2] -"; complete -C "ilpatch $argv[2] --"' "$root" $command) | cut -f1 | sort -u >"$tmp/b"
        same_lines "fish-completion-$command"
    done
    for option in affected-by target answer sort; do
        complete_bash ilpatch list --$option '' | sort >"$tmp/a"
        fish --no-config -c 'source $argv[1]/completions/ilpatch.fish
            complete -C "ilpatch list --$argv[2] "' "$root" $option | cut -f1 | sort >"$tmp/b"
        same_lines "fish-completion-words-$option"
    done
else
    skip fish-completion "no fish"
fi

# PowerShell does, too, but for files, which it completes by itself.
if find_sdk && tests/runtime/real/tool.sh tests/docs/powershell "$cache/tools/powershell" >"$tmp/log" 2>&1; then
    typed_lines | grep -v -e 'inspect-returns $' -e 'restore $' >"$tmp/lines"
    dotnet "$cache/tools/powershell/bin/PowerShell.dll" completions/ilpatch.ps1 <"$tmp/lines" >"$tmp/matches" 2>"$tmp/err" ||
        fail powershell-completion "$(head -n 1 "$tmp/err")"
    as_in_bash powershell
else
    skip powershell-completion "no SDK of .NET 10, or no package of PowerShell's engine: $(grep -m1 error "$tmp/log" 2>/dev/null)"
fi

# Answers: the whole row in INSPECTION.md.
sed -n 's/LEFT_OUT/LEFT OUT/; s/^ILP_REASON([A-Z_]*, *[0-9]*, *\([A-Z ]*\), *"\([^"]*\)", *"\(.*\)")$/| `\2` | \L\1\E | \3 |/p' include/ilpatch/reasons.def |
    sort >"$tmp/a"
sed -n '/^## All outcomes/,$p' docs/INSPECTION.md | grep '^| `' | sort >"$tmp/b"
same_lines answers-inspection

# How much of a value is shown.
sed -n 's/^LIMIT(\([A-Z]*\), [a-z]*, \([0-9]*\), \([0-9]*\), \([0-9]*\))$/\1 \2 \3 \4/p' src/values/limits.def >"$tmp/a"
sed -n 's/^|[^|]*| \([0-9]*\) .*| `ILPATCH_\([A-Z]*\)=N` | \([0-9]*\), \([0-9]*\) |$/\2 \3 \1 \4/p' docs/VALUES.md >"$tmp/b"
same_lines limits
sed -n 's/.* int [A-Z][a-z]* = Limit("ILPATCH_\([A-Z]*\)", \([0-9]*\), \([0-9]*\), \([0-9]*\));/\1 \2 \3 \4/p' data/inspector/Settings.cs >"$tmp/b"
same_lines limits-of-the-inspector

# Names whose values are hidden.
sed -n 's/^SECRET("\(.*\)")$/\1/p' src/values/secrets.def >"$tmp/a"
block docs/VALUES.md secrets 1 | tr ' ' '\n' >"$tmp/b"
same_lines secrets

# The tables of RULES.md are those of rules.def: elements, attributes, and the words of each list, each with its rows in the
# same order. A table of words says in its head what they are the words of.
rules_def_rows() {
    awk 'function quoted(n) { split($0, parts, "\""); return parts[2 * n] }
        function argument(n) { split($0, cells, /[(,]/); gsub(/ /, "", cells[n + 1]); return cells[n + 1] }
        BEGIN {
            place["TOP"] = "root"; place["RULE"] = "rule"; place["GROUP"] = "group"; place["CONDITION"] = "condition"
            value["EXACT"] = value["TEXT"] = "text"; value["LIKE"] = "wildcards"; value["REGEX"] = "regular expression"
            value["YESNO"] = "yes or no"; value["NUMBER"] = "number"; value["VERSIONS"] = "versions"
            value["KEY_TOKEN"] = "public key token"; value["WHEN"] = "condition"; value["SECRETS"] = "names"
            value["ONE"] = "a word"; value["SOME"] = "words"
        }
        /^ILP_WORDS\(/ { list = tolower(argument(1)); sub(/\).*/, "", list); gsub(/_/, "-", list) }
        /^ILP_WORD\(/ { print list " | `" quoted(1) "` | " quoted(2) " |" }
        /^ILP_RULE_ELEMENT\(/ {
            word[argument(1)] = quoted(1)
            print "element | `<" quoted(1) ">` | " place[argument(3)] " | " quoted(2) " |"
        }
        /^ILP_RULE_ATTRIBUTE\(/ {
            print "attribute | `<" word[argument(1)] ">` | `" quoted(1) "` | " value[argument(4)] " | " quoted(2) " |"
        }' include/ilpatch/rules.def
}
rules_md_rows() {
    awk '/^## / { inside = $0 == "## The words" }
        !inside || !/^\|/ { table = ""; next }
        table == "" {
            table = $0 ~ /^\| element \| attribute/ ? "attribute" : $0 ~ /^\| element/ ? "element" : $0
            sub(/^\| `(--)?/, "", table)
            sub(/=?`.*/, "", table)
            next
        }
        /^\|---/ { next }
        { print table " " $0 }' docs/RULES.md
}
for table in element attribute $(sed -n 's/^ILP_WORDS(\(.*\))$/\L\1/p' include/ilpatch/rules.def | tr _ -); do
    rules_def_rows | grep "^$table " >"$tmp/a"
    rules_md_rows | grep "^$table " >"$tmp/b"
    same_lines "rules-$table"
done
# Findings of verify: the whole row, in the order of findings.def; and the command's words for the kinds.
sed -n 's/^FINDING([A-Z_0-9]*, *\([A-Z]*\), *"\([^"]*\)", *"\([^"]*\)", *"\(.*\)")$/| `\2` | \L\1\E | \3 | \4 |/p' \
    src/verify/findings.def >"$tmp/a"
sed -n '/^## All findings/,$p' docs/VERIFY.md | grep '^| `' >"$tmp/b"
same_lines findings
grep -oE '^    ILP_FINDING_[A-Z]+' include/ilpatch.h | sed 's/.*_//' | tr 'A-Z' 'a-z' | sort -u >"$tmp/a"
sed -n '/^| kind | meaning/,/^$/s/^| \([a-z]*\) |.*/\1/p' docs/VERIFY.md | grep -vx kind | sort >"$tmp/b"
same_lines finding-kinds

# Statuses: name, class, and the text as the beginning of the last column.
sed -n 's/^ILP_STATUS(\([A-Z_]*\), *[0-9]*, *\([A-Z]*\), *"\(.*\)")$/\1 \2 \3/p' include/ilpatch/error.def | grep -v '^OK ' >"$tmp/a"
sed -n '/^## Statuses/,$s/^| `\([A-Z_]*\)` | \([A-Z]*\) | [0-9]* *| \([^;]*\)\(; .*\)* |$/\1 \2 \3/p' docs/REPORT.md >"$tmp/b"
same_lines statuses

# Causes and cures: ERRORS.md has both for each status, for IO, which the command reports, and for each reason that leaves a method as it is.
{
    echo IO
    sed -n 's/^ILP_STATUS(\([A-Z_]*\),.*/\1/p' include/ilpatch/error.def | grep -vx OK
    sed -nE 's/^ILP_REASON\([A-Z_]*, *[0-9]*, *(SKIPPED|REFUSED), *"([^"]*)".*/\2/p' include/ilpatch/reasons.def
} | sort >"$tmp/a"
sed -nE '/^## Statuses/,/^## Findings/s/^\| `([A-Za-z_-]+)` \| [^|]{9,} \| [^|]{5,} \|$/\1/p' docs/ERRORS.md | sort >"$tmp/b"
same_lines errors-page

sed -n 's/^ *EXIT_[A-Z_]* = \([0-9]*\).*/\1/p' host/tool.h >"$tmp/a"
sed -n '/^## Exit codes/,$s/^| \([0-9]*\) |.*/\1/p' docs/COMMAND.md >"$tmp/b"
same_lines exit-codes-command
sed -n '/^.Sh EXIT STATUS/,/^.Sh EX/s/^\.It \([0-9]*\)$/\1/p' man/ilpatch.1 >"$tmp/b"
same_lines exit-codes-man
"$ilpatch" --help | tr '\n' ' ' | grep -o 'Exit codes:.*' | grep -oE '[0-9]+' >"$tmp/b"
same_lines exit-codes-help
# Each command's help names its own: those of host/tool.h, or that they are the program's.
sed -n 's/^ *EXIT_[A-Z_]* = \([0-9]*\).*/\1/p' host/tool.h >"$tmp/c"
for command in $(grep -oE '\{"[a-z]+", cmd_' tools/ilpatch.c | sed 's/{"//; s/".*//'); do
    "$ilpatch" "$command" --help | tr '\n' ' ' | grep -oE '(Exit codes:|The exit code is that of PROGRAM).*' >"$tmp/codes"
    grep -oE '(: | or |, |; |[a-z] )[0-9]+ [a-z]' "$tmp/codes" | grep -oE '[0-9]+' | grep -vxF -f "$tmp/c" | grep -vx 128 >"$tmp/diff"
    if [ ! -s "$tmp/codes" ]; then fail "exit-codes-of-$command" "its help has none"
    elif [ -s "$tmp/diff" ]; then fail "exit-codes-of-$command" "host/tool.h has no $(head -n 1 "$tmp/diff")"
    else ok "exit-codes-of-$command"; fi
done

# The start-up hook's variable is the profiler's.
ls data/inspector/*.cs | grep -v StartupHook | xargs grep -ohE '"ILPATCH_[A-Z]+(_[A-Z]+)*"' | tr -d '"' | sort -u >"$tmp/a"
grep -oE 'ILPATCH_[A-Z]+(_[A-Z]+)*' data/inspector/README.md | sort -u >"$tmp/b"
same_lines variables-data/inspector/README.md
cp "$tmp/a" "$tmp/inspector"
grep -ohE 'getenv\("ILPATCH_[A-Z_]+' tools/*.c | sed 's/.*"//' | sort -um - "$tmp/inspector" >"$tmp/a"
for text in docs/COMMAND.md man/ilpatch.1; do
    grep -oE 'ILPATCH_[A-Z]+(_[A-Z]+)*' "$text" | sort -u >"$tmp/b"
    same_lines "variables-$text"
done
mv "$tmp/inspector" "$tmp/a"
"$ilpatch" inspect --help | grep -oE 'ILPATCH_[A-Z]+(_[A-Z]+)*' | sort -u >"$tmp/b"
same_lines variables-help

sed -n 's/^#define ENV_[A-Z_]* *"\([A-Z_]*\)".*/\1/p' host/profiler_environment.h | sort >"$tmp/a"
grep -oE '^\| `ILPATCH_[A-Z]+(_[A-Z]+)*`' docs/PROFILER.md | tr -d '|` ' | sort >"$tmp/b"
same_lines variables-profiler

# Targets: what `make help` prints, and what BUILDING.md names.
sed -n 's/^\([a-z-]*\):.*## .*/\1/p' Makefile | grep -vx all | sort >"$tmp/a"
cat docs/BUILDING.md | grep -oE '`make [a-z-]+`' | tr -d '`' | cut -d ' ' -f 2 | sort -u >"$tmp/b"
same_lines make-targets

# limit FILE DEFINE TEXT: the source has the one, SECURITY.md the other.
limits=yes
limit() {
    if ! grep -qE "^#define $(echo "$2" | sed 's/ / +/g')\$" "$1"; then fail limits "$1: no longer #define $2"; limits=no; fi
    if ! grep -qF "$3" SECURITY.md; then fail limits "SECURITY.md does not say: $3"; limits=no; fi
}
limit src/sig/sig.h 'ILPI_SIG_MAX_DEPTH 100u' '| types nested in a signature | 100 |'
limit src/sig/sig_read.c 'MAX_TYPES 0x20000u' '| types in a signature, all together | 131,072 |'
limit src/metadata/find.c 'MAX_TYPE_NAME 1023u' '| 1,023 bytes | it is not found'
limit src/sig/sig_read.c 'MAX_RANK 32u' '| rank of an array | 32, '
limit src/metadata/resolve.c 'MAX_STEPS 32u' '| forwards and enclosing types followed for one reference | 32 |'
limit src/inspect/core_scope.c 'MAX_BASES 32u' '| base types followed to find the core library | 64 chains of 32 |'
limit src/inspect/core_scope.c 'MAX_CHAINS 64u' '| base types followed to find the core library | 64 chains of 32 |'
limit src/types/names.c 'MAX_NESTING 32u' '| nested types in a name | 32 |'
limit src/pe/pe.h 'ILPI_MAX_SECTIONS 96u' '| PE sections | 96 |'
limit src/metadata/root_read.c 'MAX_STREAM_NAME 31u' '| 31 |'
limit src/pe/pe_plan.c 'MAX_FILE_ALIGNMENT 0x10000u' '| FileAlignment | 64 KB |'
limit src/base/budget.h 'ILPI_BUDGET_TIMES 4u' '| 4 times the file and 4 MB |'
limit src/base/budget.h 'ILPI_BUDGET_BYTES \(\(uint64_t\)4 << 20\)' '| 4 times the file and 4 MB |'
limit src/base/budget.h 'ILPI_METHOD_MEMORY \(\(size_t\)10 << 20\)' '| memory for one method, rewriting | the file and 10 MB |'
limit src/verify/verifier.h 'ILPI_VERIFY_METHOD_MEMORY \(\(size_t\)6 << 20\)' '| memory for one method, verifying | 6 MB, '
limit src/rules/select.c 'STEPS_TIMES 64u' '| rules tried one by one, all methods together | 64 for each byte of the assembly, and 2^22 |'
limit src/types/names.h 'ILPI_NAME_LIMIT 1023u' '| 1,023 bytes |'
limit src/sig/sig.h 'ILPI_TEXT_LIMIT 16384u' '| a signature as text | 16 KB'
limit host/references.c 'MAX_REFERENCES 4096u' '| 4,096 |'
limit src/inspect/inspector_target.c 'MAX_CLOSURE 512u' '| assemblies looked through between the inspector and the target | 512 |'
limit src/metadata/schema.h 'ILPI_MAX_RID 0xFFFFFFu' '| rows of a table | 2^24 - 1 |'
limit src/metadata/edit.c 'MAX_USER_STRINGS \(\(size_t\)0xFFFFFF\)' '| `#US` | 2^24 - 1 bytes |'
limit src/metadata/edit.c 'MAX_HEAP \(\(size_t\)0x7FFFFFFF\)' '| 2^31 - 1 bytes each |'
limit src/il/code.h 'ILPI_MAX_CODE \(\(uint32_t\)INT32_MAX\)' '| code of a method | 2^31 - 1 bytes |'
limit src/il/stack.c 'MAX_DEPTH 0xFFFFu .*' '| stack depth | 65,535 |'
limit src/trace/calls.h 'ILPI_MAX_CALL_DEPTH \(\(size_t\)1 << 18\)' '| calls within each other, in a trace; paths in its tree | 262,144; 1,000,000 |'
limit src/trace/call_tree.h 'ILPI_MAX_NODES 1000000u' '| calls within each other, in a trace; paths in its tree | 262,144; 1,000,000 |'
limit src/trace/values.h 'ILPI_KEPT_VALUES 64u' '| different values of a method, in a trace | 64 |'
limit src/trace/spool.h 'ILPI_SPOOL_TEXT 4096u .*' '| arguments, a value or a name in a trace | 4,096 bytes |'
limit src/rules/xml_text.c 'MAX_RULE_FILE \(\(size_t\)64 << 20\)' '| a rule file | 64 MB |'
limit src/rules/xml_text.c 'MAX_ATTRIBUTES 256u' '| attributes of one element of a rule file | 256 |'
limit src/rules/xml.c 'MAX_ATTRIBUTES 64u' '| attributes of an element that are looked at | 64 |'
limit src/rules/supertypes.c 'MAX_SUPERTYPES 1024u' '| types that a type derives from and implements | 1,024 |'
limit src/symbols/documents.c 'MAX_DOCUMENTS 256u' '| source files of a method | 256 |'
limit src/rules/build.h 'ILPI_MAX_GROUPS 30u' '| groups nested in a rule | 30 |'
limit src/base/pattern.c 'MAX_REGEX 32768u' '| a regular expression | 32,768 bytes |'
limit src/base/pattern.c 'MATCH_LIMIT 100000u' '| steps of one match | 100,000 |'
limit src/base/pattern.c 'DEPTH_LIMIT 1000u' '| depth of one match | 1,000, '
limit src/base/pattern.c 'HEAP_LIMIT_KIB 4096u' 'and 4 MB |'
limit src/base/pattern.c 'MAX_COMPARISONS 1000000u' '| comparisons of one match with wildcards | 1,000,000 |'
limit src/types/value_size.c 'MAX_DEPTH 64u' '| structs nested in a struct that is measured | 64 |'
limit src/types/value_size.c 'MAX_STEPS 4096u' '| steps for measuring one struct | 4,096 |'
limit src/types/field_layout.c 'MAX_SIZE \(1u << 27\)' '| size of a struct | 2^27 bytes |'
limit src/bundle/bundle_read.c 'MAX_ENTRIES 0x10000u' '| files in a single-file program; how far one unpacks | 65,536; 1,032 times |'
limit src/base/inflate.h 'ILPI_INFLATE_MAX_RATIO 1032u' '| files in a single-file program; how far one unpacks | 65,536; 1,032 times |'
limit src/verify/type.h 'ILPI_TYPE_MAX_DEPTH 60u' '| parts and depth of a type that is verified | 1,000, 60 |'
limit src/verify/verifier.h 'ILPI_VERIFY_WORK_TIMES   24u' '| steps, verifying | 24 for each byte of the file, and 2^22 |'
limit src/verify/verifier.h 'ILPI_VERIFY_MEMORY_TIMES 2u' '| memory for types, verifying | twice the file and 4 MB |'
[ $limits = no ] || ok limits

# ARCHITECTURE.md has a row for each folder and names files that exist; each source has a head, for `make map`.
if tests/map.py --check >"$tmp/log"; then ok source-map; else fail source-map "$(head -n 4 "$tmp/log" | tr '\n' ';')"; fi

# libilpatch.so exports the functions of ilpatch.h, and its lists are those of the tables beside it.
python3 tests/docs/header.py "$build" >"$tmp/log" 2>&1
if [ -s "$tmp/log" ]; then fail header "$(head -n 4 "$tmp/log" | tr '\n' ';')"; else ok header; fi

# The examples of ilpatch.h do what they say they do.
tests/docs/examples.sh "$tmp/examples" >"$tmp/log" 2>&1
sed '$d' "$tmp/log"
count_results "$tmp/log"

# A wrong one is found: of output that differs, memory that is not released, a warning of the compiler, and none.
sed 's/^ \*     not a PE file, class 1$/ *     not a PE file, class 2/; /^ \*     .*ilp_arena_close(/d; /---- tables, rows/,/^ \*\//s/ilp_rid rid = 1/int rid = 1/
    /---- change an image/,/^ \*\//s/^ \* Example:.*/ * It ends here./' include/ilpatch.h >"$tmp/wrong.h"
ILPATCH_H="$tmp/wrong.h" tests/docs/examples.sh "$tmp/wrong-examples" ilp_error ilp_sig ilp_tables ilp_edit 2>&1 | grep -o '^[a-zA-Z]* example-[a-z_]*' >"$tmp/b"
printf 'FAIL example-ilp_%s\n' edit error sig tables >"$tmp/a"
same_lines examples-compared

# Each function has a manual page, which the build writes.
pages=$build/man
make -s BUILD="${BUILD:-build}" man >"$tmp/log" 2>&1
nm -D --defined-only "$build/libilpatch.so" | sed 's/.* T //; s/@.*//' | grep '^ilp_' | sort >"$tmp/a"
for page in "$pages"/*; do [ -L "$page" ] || sed -n 's/^\.Fo //p' "$page"; done | sort >"$tmp/b"
same_lines pages-of-functions
for name in $(cat "$tmp/a"); do [ -e "$pages/$name.3" ] || echo "$name"; done >"$tmp/c"
if [ -s "$tmp/c" ]; then fail pages-by-name "none of $(tr '\n' ' ' <"$tmp/c")"; else ok pages-by-name; fi

# ilpatch-rules(5) has each word of rules.def, ilpatch-trace(1) each option of the help; both are what the build wrote.
sed -nE 's/^ILP_(WORD|RULE_ELEMENT|RULE_ATTRIBUTE)\(([A-Z_]+, )?[A-Z_0-9]+, "([^"]*)".*/\3/p' include/ilpatch/rules.def | sort -u >"$tmp/a"
sed -nE 's/^\.It Li <?([^ >]*)>?( Ns = .*)?$/\1/p' "$pages/ilpatch-rules.5" | sort -u >"$tmp/b"
comm -23 "$tmp/a" "$tmp/b" >"$tmp/c"
if [ -s "$tmp/c" ] || [ ! -s "$tmp/a" ]; then fail page-of-rules "without $(tr '\n' ' ' <"$tmp/c")"; else ok page-of-rules; fi
sort -u "$tmp/help-trace" >"$tmp/a"
sed -n '/^\.Sh OPTIONS/,/^\.Sh FORMATS/p' "$pages/ilpatch-trace.1" | grep -oE 'Fl (-?[a-z][a-z-]*)' | sed 's/^Fl -/--/; s/^Fl /-/' | grep -vx -e -h -e --help | sort -u >"$tmp/b"
same_lines page-of-trace

for page in man/*.1 "$pages"/*; do
    [ ! -L "$page" ] || continue
    if have mandoc; then mandoc -Tlint -Wwarning "$page" >"$tmp/log" 2>&1
    elif have groff; then groff -ww -mandoc -Tutf8 -z "$page" >"$tmp/log" 2>&1
    else skip "$page" "neither mandoc nor groff"; continue; fi
    if [ -s "$tmp/log" ]; then fail "${page##*/}" "$(head -n 1 "$tmp/log")"; else ok "${page##*/}"; fi
done

# ---- links ---------------------------------------------------------------------------------------------------

# The anchors of a Markdown file, as they are made from its headings.
anchors() {
    sed -n 's/^##* //p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'
}
links=yes
while IFS= read -r file; do
    folder=$(dirname "$file")
    while IFS= read -r link; do
        case $link in http:* | https:*) continue ;; esac
        path=${link%%#*}
        anchor=
        case $link in *'#'*) anchor=${link#*#} ;; esac
        target=$file
        [ -z "$path" ] || target=$folder/$path
        if [ ! -e "$target" ]; then
            fail links "$file: $link does not exist"
            links=no
        elif [ -n "$anchor" ] && ! anchors "$target" | grep -qxF -e "$anchor"; then
            fail links "$file: $link has no such heading"
            links=no
        fi
    done < <(awk '/^```/ { on = !on } !on' "$file" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//')
done < <(texts)
[ $links = no ] || ok links

# ---- what the texts show, done -------------------------------------------------------------------------------

# xml_blocks FILE: they have to be rule files, or rules.
xml_blocks() {
    local n=1
    while block "$1" xml $n >"$tmp/block.xml" && [ -s "$tmp/block.xml" ]; do
        grep -q '<rules' "$tmp/block.xml" || sed -i '1s/^/<rules>/; $s/$/<\/rules>/' "$tmp/block.xml"
        if ! "$ilpatch" rules check "$tmp/block.xml" >"$tmp/log" 2>&1; then
            fail "$1-xml-$n" "$(head -n 1 "$tmp/log")"
        elif have xmllint && ! xmllint --noout --schema data/rules.xsd "$tmp/block.xml" 2>"$tmp/log"; then
            fail "$1-xml-$n" "$(head -n 1 "$tmp/log")"
        else
            ok "$1-xml-$n"
        fi
        n=$((n + 1))
    done
}

if ! have xmllint; then
    skip examples-schema "no xmllint"
elif xmllint --noout --schema data/rules.xsd data/examples/*.xml 2>"$tmp/log"; then
    ok examples-schema
else
    fail examples-schema "$(grep -v ' validates$' "$tmp/log" | head -n 1)"
fi

for text in README.md docs/*.md; do xml_blocks "$text"; done

# Commands stand in console blocks, or in not_run.txt: no block of them is passed over silently.
texts | xargs awk '
    function end_block() {
        if (first != "") print file "\t" first
        first = ""
    }
    FNR == 1 { end_block(); on = 0; file = FILENAME; sub(/^\.\//, "", file) }
    /^```/ { end_block(); on = !on; console = on && $0 == "```console"; next }
    !on && !/^    / { end_block(); next }
    console && first == "" && !/^\$ ./ { next }
    {
        line = $0
        sub(/^ +/, "", line)
        command = line
        sub(/^\$ /, "", command)
        while (match(command, /^[A-Z_]+=[^ ]+ /)) command = substr(command, RLENGTH + 1)
        is_command = command ~ /^(ilpatch|cc|c\+\+|gcc|clang|make|mcs|ilasm|dotnet|mono|eval|kill|sudo) / ||
            command ~ /^(tests|bench|build|\.)\/[^ ]/
        if (first == "" && is_command && !console) first = line
    }
    END { end_block() }' | sort >"$tmp/a"
sed '/^#/d' tests/docs/not_run.txt | cut -f 1,2 | grep -vP '\t\$ ' | sort >"$tmp/b"
same_lines commands-in-console-blocks
sed '/^#/d' tests/docs/not_run.txt | grep -P '\t\$ ' | while IFS=$'\t' read -r text line _; do
    grep -qxF -e "$line" "$text" || echo "$text: $line"
done >"$tmp/a"
if [ -s "$tmp/a" ]; then fail not-run "not there any more: $(head -n 1 "$tmp/a")"; else ok not-run; fi

# Of a text with one wrong line, one is found to be wrong.
cat >"$tmp/wrong.md" <<'END'
Commands are typed in the scratch folder.
```console
$ echo one; echo two; echo three
one
...
$ printf 'in %s\n' "$PWD"
in …/build/try
$ cat <<'EOF'
> a line
> EOF
a line
$ echo '> b'
> b
$ false
$ echo $?
1
```
```console
$ echo right
wrong
$ echo right
right
```
END
tests/docs/consoles.sh "$tmp/wrong.md" "$tmp/wrong" | grep -v '^  | ' >"$tmp/a"
printf '%s\n' "ok $tmp/wrong.md-console-1" "FAIL $tmp/wrong.md-console-2: echo right" '1 passed, 1 failed, 0 skipped' >"$tmp/b"
same_lines consoles-compared

wait $consoles
for log in "$tmp"/consoles/*.log; do
    sed '$d' "$log"
    if tail -n 1 "$log" | grep -qx '[0-9]* passed, [0-9]* failed, [0-9]* skipped'; then
        count_results "$log"
    else
        fail "$(basename "$log" .log)" "did not come to its end: $(tail -n 1 "$log")"
    fi
done

if [ "$(wc -l <README.md)" -le 200 ]; then ok readme-length; else fail readme-length "$(wc -l <README.md) lines"; fi

# What the README begins with is what ./try.sh prints; `./try.sh shell` is where commands are typed.
if have dotnet || have mono; then
    block README.md console 1 | awk '/^\$ ilpatch restore/ { exit } { print }' >"$tmp/a"
    env -u MAKEFLAGS -u MAKELEVEL ./try.sh 2>&1 </dev/null | sed '/^\$ mono Shop.exe$/s/mono/dotnet exec/' >"$tmp/b"
    same_lines try
else
    skip try "neither .NET nor Mono"
fi
printf '%s\n' "$build/try" "$build/ilpatch" Sample.dll Sample.pdb Shop.exe Shop.runtimeconfig.json >"$tmp/a"
echo 'pwd; command -v ilpatch; ls' | env -u MAKEFLAGS -u MAKELEVEL SHELL=/bin/sh ./try.sh shell 2>&1 | sed 1d >"$tmp/b"
same_lines try-shell

if ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Iinclude -fsyntax-only \
    "$tmp/consoles/docs-LIBRARY.md/build/try/show.c" 2>"$tmp/log"; then ok library-example-warnings
else fail library-example-warnings "$(grep -m1 error "$tmp/log")"; fi

# What is installed serves a program that is built against it, wherever that is, and goes again.
if make -s BUILD="${BUILD:-build}" DESTDIR="$tmp/root" PREFIX=/opt/ilpatch install >"$tmp/log" 2>&1 &&
    make -s DESTDIR="$tmp/root" PREFIX=/opt/ilpatch installcheck >"$tmp/log" 2>&1; then ok installed
else fail installed "$(tail -n 1 "$tmp/log")"; fi
make -s DESTDIR="$tmp/root" PREFIX=/opt/ilpatch uninstall
if [ -z "$(find "$tmp/root" ! -type d)" ]; then ok uninstalled
else fail uninstalled "$(find "$tmp/root" ! -type d | head -n 1)"; fi

# The console block of REPORT.md has left its report.
block docs/REPORT.md json 1 >"$tmp/b"
cp "$tmp/consoles/docs-REPORT.md/build/try/report.json" "$tmp/a"
same_lines report-example
grep -oE '"[A-Za-z-]+":' "$tmp/a" | tr -d '":' | sort -u >"$tmp/keys"
sed -n 's/^ILP_REASON([A-Z_]*, *[0-9]*, *[A-Z_]*, *"\([^"]*\)".*/\1/p' include/ilpatch/reasons.def | sort >"$tmp/words"
comm -23 "$tmp/keys" "$tmp/words" | grep -v '^detail$' >"$tmp/a"
sed -n '/^## Fields/,/^## Statuses/s/^| `\([A-Za-z]*\)` |.*/\1/p' docs/REPORT.md | sort -u | grep -vE '^(error|message|offset|facade|referenceAssembly|replaced|smallInspector|detail|affectedBy|tailCalls|decision|id|nameless|arguments|withheld|withoutArguments|exceptions|withoutExceptions|boundTo|layoutKept|reason|of|dropped|verified|findings|unlisted|why|process|program|runtime|complete|failed|left|nativeRefused|switchedOff)$' >"$tmp/b"
printf 'inspected\n' >>"$tmp/a" # an answer and a kind of site
sort -u -o "$tmp/a" "$tmp/a"
same_lines report-fields

# ---- the sample ----------------------------------------------------------------------------------------------

version=$(sed -n 's/.*compiler \([0-9][0-9.]*[0-9]\) (.*/\1/p' samples/README.md)
if ! have mcs; then
    skip sample-bytes "no mcs"
elif [ "$(mcs --version | sed 's/.* //')" != "$version" ]; then
    skip sample-bytes "mcs is not $version"
else
    cp samples/Shop.cs "$tmp"
    if (cd "$tmp" && sh -c "$(sed -n 's/^    \(mcs .*\)/\1/p' "$root/samples/README.md")") >"$tmp/log" 2>&1 &&
        cmp -s "$tmp/Shop.exe" samples/Shop.exe; then ok sample-bytes
    else fail sample-bytes "Shop.cs gives another Shop.exe $(head -n 1 "$tmp/log")"; fi
fi
if [ "$(wc -c <samples/Shop.exe)" -lt 10240 ]; then ok sample-size; else fail sample-size "10 KB or more"; fi

finish
