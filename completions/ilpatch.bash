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

_ilpatch() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=inspect file word
    local commands='inspect list dump restore'

    # --output=FILE comes as three words.
    if [ "$cur" = = ]; then
        cur=
    elif [ "$prev" = = ]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [ "$COMP_CWORD" -gt 1 ]; then
        case " $commands " in *" ${COMP_WORDS[1]} "*) command=${COMP_WORDS[1]} ;; esac
    fi

    case $prev in
        -o | --output) _ilpatch_files '*.[dD][lL][lL]' '*.[eE][xX][eE]'; return ;;
        --inspector) _ilpatch_files '*.[dD][lL][lL]'; return ;;
        --reference-path) _ilpatch_files ''; return ;;
        --report) _ilpatch_files '*.json'; return ;;
        --method) COMPREPLY=(); return ;;
    esac

    case $command,$cur in
        inspect,-*)
            word='--inspect-returns -o --output --in-place --inspector --reference-path --report -q --quiet -h --help'
            [ "$COMP_CWORD" -gt 1 ] || word="$word --version"
            _ilpatch_words "$word"
            ;;
        list,-*) _ilpatch_words --reference-path --inspector --help ;;
        dump,-*) _ilpatch_words --headers --tables --methods --method --help ;;
        restore,-*) _ilpatch_words --help ;;
        restore,*) _ilpatch_patched ;;
        dump,*) _ilpatch_files '*.[dD][lL][lL]' '*.[eE][xX][eE]' '*.pdb' '*.netmodule' '*.orig' ;;
        *)
            if [ "$COMP_CWORD" -eq 1 ]; then
                _ilpatch_words "$commands" --inspect-returns --help --version
            else
                _ilpatch_files '*.[dD][lL][lL]' '*.[eE][xX][eE]'
            fi
            ;;
    esac
}

complete -F _ilpatch ilpatch
