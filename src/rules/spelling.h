/* How types are spelled: as `ilpatch list` prints them, in ILAsm's form, and as people write
 * them. */
#ifndef ILPI_SPELLING_H
#define ILPI_SPELLING_H

#include "base/buf.h"
#include "rules/vocabulary.h"

/* Appends a text of types in the one spelling that exact conditions are compared in: without
 * `class` and `valuetype`, which say nothing that the name does not, without spaces behind commas,
 * and with [,] for [0...,0...], which is how compilers write arrays of several dimensions
 * (II.14.2). */
void ilpi_spelling_put(struct ilpi_buf *buf, struct ilp_bytes text);

/* The same for what a rule says: C#'s keywords and the names of System become what signatures have
 * (`int` and System.Int32 are int32), unless class or valuetype stands before them. */
void ilpi_spelling_put_rule(struct ilpi_buf *buf, struct ilp_bytes text);

/* Refuses the exact value of an attribute that no method can meet, with the text that was probably
 * meant. *offset is the place of the mistake. */
ilp_status ilpi_spelling_check(enum ilpi_attribute attribute, struct ilp_bytes text,
                               struct ilpi_alloc *alloc, size_t *offset, struct ilp_error *error);

/* Whether an attribute's exact value is one type or several. */
bool ilpi_spelling_is_type(enum ilpi_attribute attribute);

#endif
