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

# Words of a list with commas between: what stands behind the last comma is completed.
_ilpatch_word_list() {
    local before= word
    case $cur in *,*) before=${cur%,*}, ;; esac
    COMPREPLY=()
    while IFS= read -r word; do
        COMPREPLY+=("$before$word")
    done < <(compgen -W "$*" -- "${cur##*,}")
    compopt -o nospace 2>/dev/null
}

_ilpatch() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=inspect file word
    local commands='inspect list dump diff restore resolve rules run attach trace report tail verify bundle'
    local writing='--strong-name --key --compact --with-callers --verify --symbols'
    local selecting='--rules --where --affected-by --target --inspector --reference-path'

    # --output=FILE comes as three words.
    if [ "$cur" = = ]; then
        cur=
    elif [ "$prev" = = ]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [ "$COMP_CWORD" -gt 1 ]; then
        case " $commands help " in *" ${COMP_WORDS[1]} "*) command=${COMP_WORDS[1]} ;; esac
    fi

    case $command,$prev in
        trace,-o | trace,--output | report,-o | report,--output) _ilpatch_files '*'; return ;;
    esac
    case $prev in
        -o | --output) _ilpatch_files '*.[dD][lL][lL]' '*.[eE][xX][eE]'; return ;;
        --key) _ilpatch_files '*.[sS][nN][kK]'; return ;;
        --inspector) _ilpatch_files '*.[dD][lL][lL]'; return ;;
        --reference-path) _ilpatch_files ''; return ;;
        --report) _ilpatch_files '*.json'; return ;;
        --id-map) _ilpatch_files '*'; return ;;
        --rules) _ilpatch_files '*.[xX][mM][lL]'; return ;;
        --affected-by) _ilpatch_words x86-struct-return; return ;;
        --target) _ilpatch_words auto anycpu x86 x64 arm arm64; return ;;
        --strong-name) _ilpatch_words keep clear sign; return ;;
        --symbols) _ilpatch_words update drop keep; return ;;
        --spool) _ilpatch_files '*'; return ;;
        --format) _ilpatch_words text html chrome speedscope folded otlp; return ;;
        --sort) _ilpatch_words token name answer returns size; return ;;
        --answer)
            _ilpatch_word_list inspected async-result sets-result iterator yields not-selected excluded undecided void no-body native \
                already-inspected inspector-method iterator-part no-return unknown-iterator byref pointer task byref-like allows-ref-struct managed-reference never-inspected no-overload unresolved \
                tail-call no-core-library bad-signature bad-body limit
            return
            ;;
        --where | --check-stacks | --method | --context | -U | --width) COMPREPLY=(); return ;;
        --color) _ilpatch_words auto always never; return ;;
    esac

    case $command,$cur in
        inspect,-*)
            word="--inspect-returns $selecting -o --output --in-place --embed $writing --report --id-map -n --dry-run -q --quiet -h --help"
            [ "$COMP_CWORD" -gt 1 ] || word="$word --version"
            _ilpatch_words "$word"
            ;;
        list,-*) _ilpatch_words "$selecting" --answer --sort --json --help ;;
        rules,-*) _ilpatch_words "$selecting" --help ;;
        rules,*)
            if [ "$COMP_CWORD" -eq 2 ]; then
                _ilpatch_words check explain schema
            elif [ "${COMP_WORDS[2]}" = check ]; then
                _ilpatch_files '*.[xX][mM][lL]'
            else
                _ilpatch_files '*.[dD][lL][lL]' '*.[eE][xX][eE]'
            fi
            ;;
        run,-*)
            _ilpatch_words --inspect-returns $selecting --framework -o --output --report --id-map --children --replace-profiler --explain-tail --print-env -q --quiet -v --verbose -h --help
            ;;
        attach,-*) _ilpatch_words --inspect-returns $selecting --framework -o --output --target-stderr --report --id-map -q --quiet -v --verbose -h --help ;;
        attach,*) COMPREPLY=($(compgen -W "$(ls /proc | grep '^[0-9]')" -- "$cur")) ;;
        trace,-*)
            _ilpatch_words ${selecting/ --inspector/} --framework --values --subtract-cost --disable-optimizations --slow --paused --check-stacks \
                --children --replace-profiler --explain-tail --spool --format --print-env -o --output -q --quiet -v --verbose -h --help
            ;;
        report,-*) _ilpatch_words --format --subtract-cost -o --output -h --help ;;
        report,*) _ilpatch_files '*' ;;
        run,* | trace,*) COMPREPLY=($(compgen -c -- "$cur")) ;;
        tail,-*)
            _ilpatch_words --auto -o --output --in-place $writing --reference-path -n --dry-run -q --quiet -h --help
            ;;
        tail,*)
            if [ "$COMP_CWORD" -eq 2 ]; then
                _ilpatch_words list add strip
            else
                _ilpatch_files '*.[dD][lL][lL]' '*.[eE][xX][eE]'
            fi
            ;;
        bundle,-*) _ilpatch_words -o --output --help ;;
        bundle,*)
            if [ "$COMP_CWORD" -eq 2 ]; then
                _ilpatch_words list extract
            else
                _ilpatch_files '*'
            fi
            ;;
        dump,-*) _ilpatch_words --headers --tables --methods --method --help ;;
        diff,-*) _ilpatch_words -y --side-by-side -U --context --width --color --help ;;
        restore,-*) _ilpatch_words --help ;;
        verify,-*) _ilpatch_words --method --unverifiable --unknown --json --reference-path --help ;;
        resolve,-*) _ilpatch_words --reference-path -v --verbose --json -h --help ;;
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
