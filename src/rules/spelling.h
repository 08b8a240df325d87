/* Spellings of types: as `ilpatch list` prints them, in ILAsm's form, and as people write them. */
#ifndef ILPI_SPELLING_H
#define ILPI_SPELLING_H

#include "base/buf.h"
#include "rules/vocabulary.h"

/* Appends a text of types in the canonical spelling of exact conditions: without `class` and
 * `valuetype`, which the name implies, without spaces after commas, and with [,] for [0...,0...],
 * which compilers write for arrays of several dimensions (II.14.2). */
void ilpi_spelling_put(struct ilpi_buf *buf, struct ilp_bytes text);

/* The same for a rule's text: C#'s keywords and the names of System become those of signatures
 * (`int` and System.Int32 are int32), unless class or valuetype precedes them. */
void ilpi_spelling_put_rule(struct ilpi_buf *buf, struct ilp_bytes text);

/* Refuses an attribute's exact value that no method can match, and proposes what was probably
 * meant. *offset is that of the mistake. */
ilp_status ilpi_spelling_check(enum ilpi_attribute attribute, struct ilp_bytes text,
                               struct ilpi_alloc *alloc, size_t *offset, struct ilp_error *error);

/* Whether an attribute's exact value is one type or several. */
bool ilpi_spelling_is_type(enum ilpi_attribute attribute);

#endif
