/* Reports what is wrong with a condition, and at which column. */
#ifndef ILPI_CONDITION_MESSAGE_H
#define ILPI_CONDITION_MESSAGE_H

#include "base/error.h"

/* The column of an offset: characters before it, and 1. */
uint32_t ilpi_condition_column(struct ilp_bytes text, size_t offset);

/* "column 7: ...", with that column in the error: ILP_E_BAD_RULES. */
ilp_status ilpi_condition_fail(struct ilp_error *error, struct ilp_bytes text, size_t offset,
                               const char *format, ...) ILPI_PRINTF(4, 5);

#endif
