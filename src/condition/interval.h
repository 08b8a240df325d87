/* The integers that a comparison with numbers is true for. */
#ifndef ILPI_CONDITION_INTERVAL_H
#define ILPI_CONDITION_INTERVAL_H

#include "condition/program.h"

/* Sets the intervals of a test whose operands are numbers. */
void ilpi_intervals_set(struct ilpi_condition_test *test);

#endif
