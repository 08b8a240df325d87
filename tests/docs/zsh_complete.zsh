#!/usr/bin/env zsh
# What zsh completes, typed into a shell in a terminal:  zsh_complete.zsh FOLDER <LINES
#
# FOLDER has the completion function. Each line of the input is typed, and its completion is requested. The output has a
# line for each match: the number of the line, a tab, the match. Nothing here waits for a time: each answer has an end.
emulate -R zsh
zmodload zsh/zpty || exit 77
end='<end>'
zpty shell zsh -f -i
# What compadd adds is printed; its questions (-O, -A, -D) add nothing. The line stays as it is, and nothing is listed.
zpty -w shell "
PROMPT= PS2= RPROMPT=
fpath=(${(q)1:a} \$fpath)
autoload -Uz compinit && compinit -D -u
compadd() {
    local __word; local -a __matches
    for __word; do
        case \$__word in
            -|--) break ;;
            -[OAD]*) builtin compadd \"\$@\"; return ;;
        esac
    done
    builtin compadd -A __matches \"\$@\"
    (( \$#__matches )) && print -rn -- '<match>'\$^__matches'</match>'
    builtin compadd \"\$@\"
}
__answer() { _main_complete; compstate[insert]= compstate[list]=; print -rn -- '<''end>' }
zle -C answer complete-word __answer
bindkey '^X' answer
zle-line-init() { print -rn -- '<''end>' }
zle -N zle-line-init"
zpty -r shell answer "*$end*" || exit 1
typeset -i number=0
while IFS= read -r line; do
    number+=1
    zpty -n -w shell $'\C-U'"$line"$'\C-X'
    zpty -r shell answer "*$end*" || exit 1
    while [[ $answer == *'<match>'*'</match>'* ]]; do
        answer=${answer#*<match>}
        print -r -- "$number	${answer%%</match>*}"
    done
done
zpty -d shell
