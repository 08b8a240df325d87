# shellcheck shell=bash disable=SC2154
# What list, dump and help print, and what is said about a wrong command line. Sourced by run.sh.

# ---- list and dump ----

test_list() {
    give . Sample.dll
    expect 0 list Sample.dll
    [ "$(wc -l <out)" -eq 14 ] || die "not one line for each method"
    says out "06000001  inspected          int32 Sample.Values::Number()  + dup; box; ldstr; call" \
        "byref-like         valuetype System.Span\`1<int32> Sample.Values::Numbers()" \
        "  - returns a reference (T&)" "no-return" "pointer" "void"
    identical Sample.dll "$files/Sample.dll"
    give painter Painter.dll
    expect 0 list painter/Painter.dll
    says out "unresolved" "([Colors]Colors.Shade)"
    expect 0 list --reference-path "$files" painter/Painter.dll
    ! grep -q unresolved out || die "Colors was not found"
}

test_dump() {
    give . Sample.dll Sample.pdb
    expect 0 dump Sample.dll
    says out "PE 32, machine" "stream #Strings" "table 0x02 TypeDef" "Name=Number" \
        "method 06000001 int32 Sample.Values::Number()" "ldc.i4.s   42" "max stack"
    expect 0 dump --headers Sample.dll
    ! grep -q "^table\|^method" out || die "more than headers"
    expect 0 dump --tables Sample.dll
    ! grep -q "^PE\|^method" out || die "more than tables"
    expect 0 dump --methods Sample.dll
    [ "$(grep -c ^method out)" -eq 14 ] || die "not every method"
    ! grep -q "^PE\|^table" out || die "more than methods"
    expect 0 dump --method 0x06000002 Sample.dll
    [ "$(grep -c ^method out)" -eq 1 ] || die "not one method"
    says out 'ldstr      "text"'
    expect 0 dump --method 06000002 Sample.dll
    expect 1 dump --method 0x06000063 Sample.dll
    expect 2 dump --method 0x02000001 Sample.dll
    expect 0 dump --method Number Sample.dll
    says out "method 06000001 int32"
    expect 2 dump --method "" Sample.dll
    expect 0 dump Sample.pdb
    says out "#Pdb" "SequencePoints=" "table 0x30 Document"
    expect 3 --inspect-returns -o x.dll Sample.pdb
    gone x.dll
}

# What is broken in the middle is shown as far as it goes.
test_dump_broken() {
    give . Sample.dll
    local code
    code=$("$ilpatch" dump --method 06000001 Sample.dll | sed -n 's/.* at \(0x[0-9A-F]*\) (rva.*/\1/p')
    poke Sample.dll "$code" FF
    expect 0 dump --methods Sample.dll
    says out "<bad body>" "method 06000002"
    expect 0 list Sample.dll
    says out "06000001  bad-body"
    expect 1 --inspect-returns -o x.dll Sample.dll
    says out "1 bad-body"
}

# ---- output that goes nowhere ----

test_stdout_full() {
    needs_linux "/dev/full"
    needs_json
    give . Sample.dll
    for arguments in "list Sample.dll" "dump Sample.dll" "--help" "--version" "dump --help" \
        "--inspect-returns -o x.dll Sample.dll"; do
        # shellcheck disable=SC2086
        "$ilpatch" $arguments >/dev/full 2>err
        [ $? -eq 4 ] || die "$arguments > /dev/full: not exit code 4"
        says err "cannot write to standard output: No space left on device"
        # shellcheck disable=SC2086
        "$ilpatch" $arguments >&- 2>err
        [ $? -eq 4 ] || die "$arguments >&-: not exit code 4"
        says err "cannot write to standard output: "
    done
    patched x.dll # what was requested was done
    "$ilpatch" --inspect-returns -o y.dll --report r.json Sample.dll >&- 2>&- <&-
    [ $? -eq 4 ] || die "all streams closed: not exit code 4"
    good_report r.json # a report must not get the number of standard output, and the summary
    patched y.dll
}

# As any filter, list and dump end with the reader; patching goes on.
test_stdout_pipe() {
    give . Sample.dll Hello.exe
    { "$ilpatch" dump Sample.dll 2>err; echo $? >code; } | head -n 1 >first
    says first "PE 32"
    silent err
    [ "$(cat code)" -eq 141 ] || [ "$(cat code)" -eq 0 ] || die "exit code $(cat code)"
    local unread
    exec {unread}> >(exec true)
    wait $! # who would read has gone
    "$ilpatch" --inspect-returns Sample.dll Hello.exe 1>&"$unread" 2>err
    echo $? >code
    exec {unread}>&-
    [ "$(cat code)" -eq 4 ] || die "exit code $(cat code)"
    says err "cannot write to standard output: Broken pipe"
    patched Sample.dll
    patched Hello.exe
}

# The reader of a report goes away while most of it is not written yet.
test_report_pipe() {
    needs_linux "/dev/stdout"
    local unread copy
    give . Sample.dll
    for copy in a b c d e f g h; do
        cp Sample.dll $copy.dll
    done
    exec {unread}> >(exec true)
    wait $!
    "$ilpatch" --inspect-returns -n --report - ./*.dll 1>&"$unread" 2>err
    echo $? >code
    exec {unread}>&-
    [ "$(cat code)" -eq 4 ] || die "exit code $(cat code)"
    says err "standard output: cannot write: Broken pipe"
    if [ -e /dev/full ]; then
        expect 4 --inspect-returns -n --report /dev/full ./*.dll
        says err "/dev/full: cannot write: No space left on device"
    fi
}

# ---- usage ----

test_usage() {
    give . Sample.dll
    refused 2 .
    says err "ilpatch shows the values"
    while IFS='|' read -r arguments text; do
        # shellcheck disable=SC2086
        refused 2 . $arguments
        says err "ilpatch: $text"
        says err "Try 'ilpatch"
        silent out
    done <<'TABLE'
Sample.dll|unknown command 'Sample.dll'; to patch a file, pass --inspect-returns Sample.dll
nonsense|unknown command 'nonsense'
lst Sample.dll|unknown command 'lst'; did you mean 'list'?
resotre Sample.dll|unknown command 'resotre'; did you mean 'restore'?
help vreify|unknown command 'vreify'; did you mean 'verify'?
--inspect-returns|no file is named
inspect|no file is named
-o x.dll Sample.dll|nothing to do: pass --inspect-returns
--inspect-returns -o x.dll --in-place Sample.dll|-o and --in-place exclude each other
--inspect-returns --nonsense Sample.dll|unknown option --nonsense
--inspect-returns -z Sample.dll|unknown option -z
--inspect-returns -zq Sample.dll|unknown option -z
--inspect-returns -qz Sample.dll|unknown option -z
--inspect-returns --quiet=1 Sample.dll|--quiet takes no value
--inspect-returns --qui=1 Sample.dll|--quiet takes no value
--inspect-returns --in-place=1 Sample.dll|--in-place takes no value
--inspect-returns --in Sample.dll|option --in may be any of --inspect-returns, --include, --in-place, --inspector
--inspect-returns --reprot x.json Sample.dll|unknown option --reprot; did you mean --report?
--inspect-returns --reprot=x.json Sample.dll|unknown option --reprot=x.json; did you mean --report?
--inspect-returns --outptu=x.dll Sample.dll|unknown option --outptu=x.dll; did you mean --output?
--inspect-returns Sample.dll -o|-o needs a value
--inspect-returns Sample.dll --output|--output needs a value
--inspect-returns Sample.dll --inspector|--inspector needs a value
--inspect-returns Sample.dll --report|--report needs a value
--inspect-returns Sample.dll --reference-path|--reference-path needs a value
list|one file has to be named
list Sample.dll Sample.dll|one file has to be named
list --nonsense Sample.dll|unknown option --nonsense
list --inspector|--inspector needs a value
dump|one file has to be named
dump --nonsense Sample.dll|unknown option --nonsense
dump --method|--method needs a value
dump --method 0x02000001 Sample.dll|0x02000001 is not the token of a method
verify --method 0x06000000 Sample.dll|0x06000000 is not the token of a method
restore|no file is named
restore --nonsense Sample.dll|unknown option --nonsense
restore Sample.dll --hlep|unknown option --hlep; did you mean --help?
list --jsno Sample.dll|unknown option --jsno; did you mean --json?
list --answer inspcted Sample.dll|unknown reason code 'inspcted'; did you mean 'inspected'?
list --sort nme Sample.dll|unknown value of --sort 'nme'; did you mean 'name'?
dump --header=1 Sample.dll|--headers takes no value
dump --metods Sample.dll|unknown option --metods; did you mean --methods?
diff --colour always Sample.dll Sample.dll|unknown option --colour; did you mean --color?
verify --josn Sample.dll|unknown option --josn; did you mean --json?
resolve --verbsoe Sample.dll|unknown option --verbsoe; did you mean --verbose?
tail lst Sample.dll|unknown action 'lst'; did you mean 'list'? Expected list, add or strip
tail list --quite Sample.dll|unknown option --quite; did you mean --quiet?
bundle extarct Sample.dll|unknown action 'extarct'; did you mean 'extract'? Expected list or extract
bundle list --ouput x Sample.dll|unknown option --ouput; did you mean --output?
rules chekc x.xml|unknown action 'chekc'; did you mean 'check'? Expected check, explain, set or schema
rules|the action is missing; expected check, explain, set or schema
rules check --hepl x.xml|unknown option --hepl; did you mean --help?
rules explain --wehre x Sample.dll Main|unknown option --wehre; did you mean --where?
rules schema --hepl|unknown option --hepl; did you mean --help?
run --wehre x -- true|unknown option --wehre; did you mean --where?
attach --wehre x 1|unknown option --wehre; did you mean --where?
trace --ouput x -- true|unknown option --ouput; did you mean --output?
report --fromat html x|unknown option --fromat; did you mean --format?
TABLE
}

test_help() {
    for command in "" inspect list dump restore; do
        for option in --help -h; do
            # shellcheck disable=SC2086
            expect 0 $command $option
            says out ilpatch
            silent err
        done
    done
    expect 0 help
    expect 0 --inspect-returns --help
    says out "--inspector X.dll"
    expect 0 --version
    [ "$(cat out)" = "ilpatch $(sed -n 's/^#define ILP_VERSION "\(.*\)"/\1/p' "$here/../../include/ilpatch.h")" ] ||
        die "--version says $(cat out)"
}

test_exit_codes() {
    give . Sample.dll Painter.dll
    expect 0 --inspect-returns -o x.dll Sample.dll
    expect 1 --inspect-returns -o y.dll Painter.dll
    expect 2 --inspect-returns
    expect 3 --inspect-returns missing.dll
    expect 4 --inspect-returns -o no/x.dll Sample.dll
    mkdir out.d # of several files the worst counts
    expect 3 --inspect-returns -o out.d Sample.dll Painter.dll missing.dll
    expect 1 --inspect-returns -o out.d Sample.dll Painter.dll
}

# The form of MSBuild: file, position, category by the exit code.
test_text_for_builds() {
    give . Sample.dll
    export ILPATCH_MESSAGES=msbuild
    printf '<rules>\n<include><method nme="x"/></rules>' >rules.xml
    expect 2 --rules rules.xml -o out.dll Sample.dll
    says err "rules.xml(2,18): error ILP0002: <method> has no attribute 'nme'"
    echo '<rules><include><method name="Nowhere"/></include></rules>' >rules.xml
    expect 1 --rules rules.xml -o out.dll Sample.dll
    says err "rules.xml(1): warning ILP0001: "
    echo text >text.dll
    expect 3 --inspect-returns -o out.dll text.dll
    says err "text.dll : error ILP0003: not a PE file"
    expect 2 --inspect-retuns Sample.dll
    says err "ilpatch : error ILP0002: unknown option --inspect-retuns" "Try 'ilpatch"
    expect 0 list Sample.dll
    silent err
    if [ "$system" = Linux ]; then # a message after the command's end
        "$ilpatch" list Sample.dll >/dev/full 2>err
        says err "cannot write to standard output"
    fi
    export ILPATCH_MESSAGES=other
    expect 2 --inspect-retuns Sample.dll
    says err "ilpatch: unknown option --inspect-retuns"
}

# Each code of the tables is explained, by the pages themselves.
test_explain() {
    expect 0 explain
    silent err
    sed -n 's/^ILP_REASON([A-Z_]*, *[0-9]*, *[A-Z_]*, *"\([^"]*\)".*/\1/p' "$here/../../include/ilpatch/reasons.def" >codes
    sed -n 's/^ILP_STATUS(\([A-Z_0-9]*\),.*/\1/p' "$here/../../include/ilpatch/error.def" | grep -vx 'OK\|CALLBACK' >>codes
    sed -n '/^## All findings/,$s/^| `\([a-z-]*\)` |.*/\1/p' "$here/../../docs/VERIFY.md" >>codes
    [ "$(wc -l <codes)" -gt 100 ] || die "cannot read the tables"
    [ "$(sort out | uniq -d)" = "" ] || die "listed twice: $(sort out | uniq -d)"
    sort out >listed
    [ "$(sort -u codes | comm -23 - listed)" = "" ] || die "not listed: $(sort -u codes | comm -23 - listed | tr '\n' ' ')"
    expect 0 explain byref not_pe stack-underflow
    [ "$(grep -c '^[^ ]' out)" -eq 3 ] || die "$(grep '^[^ ]' out)"
    says out "  cause   The method returns 'ref T'." "  clause  III.1.7.5" NOT_PE
    ! grep -q '[][`]' out || die "Markdown: $(grep '[][`]' out)"
    expect 2 explain byreff
    says err "unknown code 'byreff'; did you mean 'byref'?"
    expect 2 explain xyzzyxyzzy
    says err "'ilpatch explain' lists all"
    expect 0 explain --help
    says out "ilpatch explain [options] [CODE...]"
}
