/* Patterns of names and texts: exact, with wildcards, or regular expressions. The only user of
 * PCRE2, which is loaded for regular expressions alone. */
#ifndef ILPI_PATTERN_H
#define ILPI_PATTERN_H

#include "base/alloc.h"

enum ilpi_pattern_kind { ILPI_PATTERN_EXACT, ILPI_PATTERN_LIKE, ILPI_PATTERN_REGEX };

/* A pattern of a rule: a text, one with `*` and `?`, or a regular expression, which is compiled
 * separately (ilpi_pattern_compile()). */
struct ilpi_pattern {
    enum ilpi_pattern_kind kind;
    bool of_starts;           /* ILPI_PATTERN_REGEX: also for ilpi_pattern_match_start() */
    bool seldom;              /* the same: matched too seldom to compile to machine code */
    struct ilp_bytes text;    /* borrowed */
    struct ilpi_regex *regex; /* ILPI_PATTERN_REGEX: compiled; owned */
};

/* What compiling needs; shared by all patterns of a rule set. ILP_E_NO_LIBRARY: PCRE2 is not
 * installed. */
struct ilpi_pattern_compiler;
ilp_status ilpi_pattern_compiler_open(struct ilpi_pattern_compiler **out, struct ilpi_alloc *alloc,
                                      struct ilp_error *error);
void ilpi_pattern_compiler_close(struct ilpi_pattern_compiler *compiler);

/* Compiles a regular expression (UTF-8), to machine code while the compiler's memory is not short;
 * does nothing for the other kinds. ILP_E_BAD_RULES: error->column is the byte offset of the
 * mistake in the text. */
ilp_status ilpi_pattern_compile(struct ilpi_pattern *pattern,
                                struct ilpi_pattern_compiler *compiler, struct ilp_error *error);
void ilpi_pattern_free(struct ilpi_pattern *pattern);

/* What matching regular expressions needs: one for each thread. It is opened for one compiled
 * expression, and works for all others. */
struct ilpi_pattern_matcher;
ilp_status ilpi_pattern_matcher_open(struct ilpi_pattern_matcher **out, struct ilpi_alloc *alloc,
                                     const struct ilpi_pattern *regex, struct ilp_error *error);

/* A matcher that allocates all its memory now and none while it matches, on one page of stack, with
 * a lower step limit. */
ilp_status ilpi_pattern_matcher_open_fixed(struct ilpi_pattern_matcher **out,
                                           struct ilpi_alloc *alloc,
                                           const struct ilpi_pattern *regex,
                                           struct ilp_error *error);

void ilpi_pattern_matcher_close(struct ilpi_pattern_matcher *matcher);

/* Exact and wildcards match the whole of `text`, a regular expression anywhere in it. ILP_UNKNOWN
 * when it exceeds its step or memory limit. Only a regular expression needs `matcher`. */
enum ilp_tristate ilpi_pattern_match(const struct ilpi_pattern *pattern,
                                     const struct ilpi_pattern_matcher *matcher,
                                     struct ilp_bytes text);

/* A regular expression and the start of a longer text: also ILP_UNKNOWN if the rest may decide. */
enum ilp_tristate ilpi_pattern_match_start(const struct ilpi_pattern *pattern,
                                           const struct ilpi_pattern_matcher *matcher,
                                           struct ilp_bytes start);

#endif
