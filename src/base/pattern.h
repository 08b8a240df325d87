/* Patterns of names and texts: exact, with wildcards, or regular expressions. The only user of
 * PCRE2, which is loaded for regular expressions alone. */
#ifndef ILPI_PATTERN_H
#define ILPI_PATTERN_H

#include "base/alloc.h"

enum ilpi_pattern_kind { ILPI_PATTERN_EXACT, ILPI_PATTERN_LIKE, ILPI_PATTERN_REGEX };

struct ilpi_pattern {
    enum ilpi_pattern_kind kind;
    bool of_starts;           /* ILPI_PATTERN_REGEX: for ilpi_pattern_match_start(), too */
    bool seldom;              /* the same: not worth to be compiled for the machine */
    struct ilp_bytes text;    /* borrowed */
    struct ilpi_regex *regex; /* ILPI_PATTERN_REGEX: compiled; owned */
};

/* What compiling needs; shared by all patterns of a rule set. ILP_E_NO_LIBRARY: there is no
 * PCRE2. */
struct ilpi_pattern_compiler;
ilp_status ilpi_pattern_compiler_open(struct ilpi_pattern_compiler **out, struct ilpi_alloc *alloc,
                                      struct ilp_error *error);
void ilpi_pattern_compiler_close(struct ilpi_pattern_compiler *compiler);

/* Compiles a regular expression (UTF-8), for the machine while the compiler's memory is not short;
 * does nothing for the other kinds. ILP_E_BAD_RULES:
 * error->column is the offset of the mistake in the text, in bytes. */
ilp_status ilpi_pattern_compile(struct ilpi_pattern *pattern,
                                struct ilpi_pattern_compiler *compiler, struct ilp_error *error);
void ilpi_pattern_free(struct ilpi_pattern *pattern);

/* What matching regular expressions needs: one for each thread. It is made for one that is
 * compiled, and good for all others. */
struct ilpi_pattern_matcher;
ilp_status ilpi_pattern_matcher_open(struct ilpi_pattern_matcher **out, struct ilpi_alloc *alloc,
                                     const struct ilpi_pattern *regex, struct ilp_error *error);

/* One that takes all its memory now and none while it matches, on a page of stack; with fewer steps
 * for each match. */
ilp_status ilpi_pattern_matcher_open_fixed(struct ilpi_pattern_matcher **out,
                                           struct ilpi_alloc *alloc,
                                           const struct ilpi_pattern *regex,
                                           struct ilp_error *error);

void ilpi_pattern_matcher_close(struct ilpi_pattern_matcher *matcher);

/* Exact and wildcards: the whole of `text`; a regular expression: anywhere in it. ILP_UNKNOWN when
 * it takes too many steps or more memory than it may. Only a regular expression needs `matcher`. */
enum ilp_truth ilpi_pattern_match(const struct ilpi_pattern *pattern,
                                  const struct ilpi_pattern_matcher *matcher,
                                  struct ilp_bytes text);

/* A regular expression and the start of a longer text: ILP_UNKNOWN, too, where what follows may
 * decide. */
enum ilp_truth ilpi_pattern_match_start(const struct ilpi_pattern *pattern,
                                        const struct ilpi_pattern_matcher *matcher,
                                        struct ilp_bytes start);

#endif
