/* What tests of many inputs begin with: numbers that are the same in every run, and files. */
#ifndef TEST_INPUTS_H
#define TEST_INPUTS_H

#include <glob.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/unit/metadata_test.h"

/* xorshift; each test has a state of its own, which is never 0. */
static inline uint32_t xorshift_below(uint32_t *state, uint32_t limit)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state % limit;
}

/* The assemblies of tests/ that can be patched; false: none is found, since this is not the
 * project's root. globfree() in any case. */
static inline bool good_assemblies(glob_t *found)
{
    return glob(ILP_TEST_FILES "/good-*.dll", 0, NULL, found) == 0 &&
           glob("tests/command/files/[A-Z]*.dll", GLOB_APPEND, NULL, found) == 0;
}

#endif
