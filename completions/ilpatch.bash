# bash completion for ilpatch: subcommands, options, assemblies. Source this file, or install it as
# ilpatch in a folder of bash-completion.

# Files in whose names the pattern is found, and folders.
_ilpatch_files() {
    local pattern
    COMPREPLY=()
    for pattern in "$@"; do
        while IFS= read -r file; do
            COMPREPLY+=("$file")
        done < <(compgen -f -X "!$pattern" -- "$cur")
    done
    while IFS= read -r file; do
        COMPREPLY+=("$file")
    done < <(compgen -d -- "$cur")
    compopt -o filenames 2>/dev/null
}

# Assemblies whose original is kept beside them.
_ilpatch_patched() {
    local i
    _ilpatch_files '*.orig'
    for i in "${!COMPREPLY[@]}"; do
        case ${COMPREPLY[i]} in
            *.deps.json.orig) unset "COMPREPLY[i]" ;;
            *.orig) COMPREPLY[i]=${COMPREPLY[i]%.orig} ;;
        esac
    done
}

_ilpatch_words() {
    COMPREPLY=()
    while IFS= read -r word; do
        COMPREPLY+=("$word")
    done < <(compgen -W "$*" -- "$cur")
}

# Words of a list with commas between: what follows the last comma is completed.
_ilpatch_word_list() {
    local before= word
    case $cur in *,*) before=${cur%,*}, ;; esac
    COMPREPLY=()
    while IFS= read -r word; do
        COMPREPLY+=("$before$word")
    done < <(compgen -W "$*" -- "${cur##*,}")
    compopt -o nospace 2>/dev/null
}

# begin of host/options.def (completions/generate.py)
_ilpatch_options() {
    case $1 in
        inspect) echo --inspect-returns --args --exceptions --framework -o --output --include --exclude --in-place --rules --where --affected-by --target --inspector --embed --strong-name --key --layout --compact --with-callers --verify --symbols --method --reference-path --report --id-map --cache -j --jobs -n --dry-run -q --quiet --progress -v --verbose -h --help ;;
        list) echo --args --exceptions --rules --where --affected-by --target --answer --sort --inspector --method --color --no-pager --reference-path --json -h --help ;;
        dump) echo --headers --tables --methods --method --json -h --help ;;
        diff) echo -U --context -y --side-by-side --width --color --json -h --help ;;
        restore) echo --include --exclude -h --help ;;
        rules) echo --rules --where --affected-by --target --inspector --method --reference-path --json -h --help ;;
        run) echo --inspect-returns --args --exceptions --framework -o --output --rules --where --affected-by --target --inspector --method --width --color --reference-path --when --sample --rate --limit --for --time --thread --count --redact --no-redact --depth --elements --text --report --id-map --explain-tail --children --replace-profiler --spool --print-env --json -q --quiet -v --verbose -h --help ;;
        attach) echo --inspect-returns --args --exceptions --framework -o --output --target-stderr --format --rules --where --affected-by --target --inspector --method --width --color --subtract-cost --raw-names --no-times --check-stacks --reference-path --when --sample --rate --method-rate --max-cost --limit --for --time --thread --count --redact --no-redact --depth --elements --text --report --id-map --spool --trace --json -q --quiet -v --verbose -h --help ;;
        detach) echo -h --help ;;
        ps) echo --color --json -h --help ;;
        doctor) echo --inspect-returns --args --exceptions --framework --rules --where --reference-path --json -h --help ;;
        trace) echo --framework -o --output --format --rules --where --affected-by --target --method --width --values --subtract-cost --raw-names --disable-optimizations --slow --paused --by --no-times --check-stacks --reference-path --redact --no-redact --depth --elements --text --explain-tail --children --replace-profiler --spool --print-env -q --quiet -v --verbose -h --help ;;
        report) echo -o --output --format --method --subtract-cost --raw-names --grep --from --until --limit -h --help ;;
        tail) echo -o --output --in-place --auto --strong-name --key --layout --compact --with-callers --verify --symbols --reference-path --json -n --dry-run -q --quiet -h --help ;;
        verify) echo --method --unverifiable --unknown --reference-path --json -h --help ;;
        resolve) echo --reference-path --json -v --verbose -h --help ;;
        explain) echo --json -h --help ;;
        bundle) echo -o --output --json -h --help ;;
    esac
}

# Completes what follows an option; fails if that is not a value.
_ilpatch_value() {
    case $1 in
        -o | --output) _ilpatch_files '*' ;;
        --include) COMPREPLY=() ;;
        --exclude) COMPREPLY=() ;;
        --rules) _ilpatch_files '*.[xX][mM][lL]' ;;
        --where) COMPREPLY=() ;;
        --affected-by) _ilpatch_words x86-struct-return ;;
        --target) _ilpatch_words auto anycpu x86 x64 arm arm64 ;;
        --inspector) _ilpatch_files '*.[dD][lL][lL]' ;;
        --strong-name) _ilpatch_words keep clear sign ;;
        --key) _ilpatch_files '*.[sS][nN][kK]' ;;
        --layout) _ilpatch_words auto keep compact ;;
        --symbols) _ilpatch_words update drop keep ;;
        --method) COMPREPLY=() ;;
        --reference-path) _ilpatch_files '' ;;
        --report) _ilpatch_files '*.[jJ][sS][oO][nN]' ;;
        --id-map) _ilpatch_files '*' ;;
        --cache) _ilpatch_files '*' ;;
        -j | --jobs) COMPREPLY=() ;;
        --answer) _ilpatch_word_list inspected async-result sets-result iterator yields exceptions-only not-selected excluded undecided void no-body native already-inspected inspector-method iterator-part no-return unknown-iterator byref pointer task byref-like allows-ref-struct managed-reference never-inspected no-overload unresolved tail-call no-core-library bad-signature bad-body limit not-verified ;;
        --sort) _ilpatch_words token name answer returns size ;;
        --color) _ilpatch_words auto always never ;;
        -U | --context) COMPREPLY=() ;;
        --width) COMPREPLY=() ;;
        --when) COMPREPLY=() ;;
        --sample) COMPREPLY=() ;;
        --rate) COMPREPLY=() ;;
        --limit) COMPREPLY=() ;;
        --for) COMPREPLY=() ;;
        --redact) COMPREPLY=() ;;
        --depth) COMPREPLY=() ;;
        --elements) COMPREPLY=() ;;
        --text) COMPREPLY=() ;;
        --spool) _ilpatch_files '*' ;;
        --format) _ilpatch_words text html values values-json values-html lines chrome speedscope folded otlp ;;
        --check-stacks) COMPREPLY=() ;;
        --method-rate) COMPREPLY=() ;;
        --max-cost) COMPREPLY=() ;;
        --by) _ilpatch_words hooks il ;;
        --grep) COMPREPLY=() ;;
        --from) COMPREPLY=() ;;
        --until) COMPREPLY=() ;;
        *) return 1 ;;
    esac
    return 0
}
# end of host/options.def

_ilpatch() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=inspect file word
    local commands='inspect list dump diff restore resolve rules run attach detach ps doctor trace report tail verify explain bundle'

    # --output=FILE comes as three words.
    if [ "$cur" = = ]; then
        cur=
    elif [ "$prev" = = ]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [ "$COMP_CWORD" -gt 1 ]; then
        case " $commands help " in *" ${COMP_WORDS[1]} "*) command=${COMP_WORDS[1]} ;; esac
    fi
    if _ilpatch_value "$prev"; then
        return
    fi

    case $command,$cur in
        *,-*)
            word=$(_ilpatch_options "$command")
            [ "$COMP_CWORD" -gt 1 ] || word="$word --version"
            _ilpatch_words "$word"
            ;;
        rules,*)
            if [ "$COMP_CWORD" -eq 2 ]; then
                _ilpatch_words check explain set schema
            elif [ "${COMP_WORDS[2]}" = check ]; then
                _ilpatch_files '*.[xX][mM][lL]'
            else
                _ilpatch_files '*.[dD][lL][lL]' '*.[eE][xX][eE]'
            fi
            ;;
        attach,* | detach,* | ps,* | doctor,*) COMPREPLY=($(compgen -W "$(ls /proc | grep '^[0-9]')" -- "$cur")) ;;
        report,*) _ilpatch_files '*' ;;
        explain,*) COMPREPLY=($(compgen -W "$(ilpatch explain 2>/dev/null)" -- "$cur")) ;;
        run,* | trace,*) COMPREPLY=($(compgen -c -- "$cur")) ;;
        tail,*)
            if [ "$COMP_CWORD" -eq 2 ]; then
                _ilpatch_words list add strip
            else
                _ilpatch_files '*.[dD][lL][lL]' '*.[eE][xX][eE]'
            fi
            ;;
        bundle,*)
            if [ "$COMP_CWORD" -eq 2 ]; then
                _ilpatch_words list extract
            else
                _ilpatch_files '*'
            fi
            ;;
        help,*) _ilpatch_words "$commands" help ;;
        restore,*) _ilpatch_patched ;;
        dump,* | diff,* | verify,* | resolve,*) _ilpatch_files '*.[dD][lL][lL]' '*.[eE][xX][eE]' '*.pdb' '*.netmodule' '*.orig' ;;
        *)
            if [ "$COMP_CWORD" -eq 1 ]; then
                _ilpatch_words "$commands" help --inspect-returns --rules --help --version
            else
                _ilpatch_files '*.[dD][lL][lL]' '*.[eE][xX][eE]'
            fi
            ;;
    esac
}

complete -F _ilpatch ilpatch
