/* What the files of host/ share with the programs: exit codes, and errors of command lines. */
#ifndef TOOL_H
#define TOOL_H

#include <stdio.h>

#include "host/memory.h"
#include "host/message.h"
#include "ilpatch.h"

/* Documented in ilpatch(1) and docs/; scripts rely on them. For several files the worst one is
 * used. */
enum exit_code {
    EXIT_DONE = 0,        /* everything requested was done */
    EXIT_INCOMPLETE = 1,  /* finished, but a requested change was not possible: see the report */
    EXIT_USAGE = 2,       /* the command line is invalid */
    EXIT_BAD_INPUT = 3,   /* an input is broken or of a kind that cannot be patched */
    EXIT_CANNOT_WRITE = 4 /* an output could not be written; nothing was replaced */
};

/* The worse of two codes. */
static inline enum exit_code worse(enum exit_code code, enum exit_code other)
{
    return other > code ? other : code;
}

/* Reports an error of the command line, and where help is; returns EXIT_USAGE. */
enum exit_code usage_error(const char *command, const char *format, ...) ILPI_PRINTF(2, 3);

/* The same for a word that is not one of `count` words: suggests the nearest one, and lists all.
 * `what` it should be, as in "action" or "value of --sort". An empty word is missing. */
enum exit_code unknown_word(const char *command, const char *what, const char *word,
                            const char *const *words, size_t count);

/* The index of `word` among `count` words; `count` if it is none of them. */
size_t find_word(const char *word, const char *const *words, size_t count);

/* "list, add or strip". Owned by the caller; NULL without memory. */
char *choice_text(const char *const *words, size_t count);

/* The one of `count` words that `word` is probably a misspelling of, or NULL. */
const char *nearest_word(const char *word, const char *const *words, size_t count);

/* With which a caller ends its list, if words are names of methods: an assembly may have any number
 * of them. */
enum { MOST_NAMES = 1 << 16 };

/* The exit code for an error of the library. */
enum exit_code exit_code_of(const struct ilp_error *error);

/* The plural ending for a count: printf("%u method%s", n, plural(n)). */
static inline const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* The stock inspector's two editions: the small one needs less of the core library
 * (docs/INSPECTION.md). */
enum edition { EDITION_FULL, EDITION_SMALL };
struct ilp_bytes stock_inspector_bytes(enum edition edition);

#endif
