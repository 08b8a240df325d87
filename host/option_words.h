/* The words of options, each list once: for parsing, for messages and, by their names in
 * host/options.def, for completions. X(NAME, "word"), in the order of the help text. */
#ifndef OPTION_WORDS_H
#define OPTION_WORDS_H

#define STRONG_NAME_WORDS(X) X(KEEP, "keep") X(CLEAR, "clear") X(SIGN, "sign")
#define LAYOUT_WORDS(X)      X(AUTO, "auto") X(KEEP, "keep") X(COMPACT, "compact")
#define SYMBOLS_WORDS(X)     X(UPDATE, "update") X(DROP, "drop") X(KEEP, "keep")
#define COLOR_WORDS(X)       X(AUTO, "auto") X(ALWAYS, "always") X(NEVER, "never")
#define BY_WORDS(X)          X(HOOKS, "hooks") X(IL, "il")
#define SORT_WORDS(X) \
    X(TOKEN, "token") X(NAME, "name") X(ANSWER, "answer") X(RETURNS, "returns") X(SIZE, "size")

#endif
