/* What there is of registers on the processor that the test runs on, by the names of
 * elt/registers.def. */
#ifndef TESTS_ELT_SLOTS_H
#define TESTS_ELT_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#include "state.h"

struct slot {
    char name[16];
    size_t offset, bytes; /* in a state */
};

extern struct slot slots[160];
extern size_t slot_count;
extern uint8_t elt_test_before[STATE_BYTES], elt_test_after[STATE_BYTES];

void make_slots(void);
const struct slot *find_slot(const char *name);
/* Writes a pattern into every register: of nothing that was there or that the tests' functions
 * leave. */
void fill_before(unsigned seed, uintptr_t stack_pointer);
/* What of a state is compared but is no whole register: single bits, what the x87 state means. */
void derive(uint8_t *state);
uintptr_t get_word(const uint8_t *state, const char *slot);
void set_word(uint8_t *state, const char *slot, uintptr_t value);

#if defined __x86_64__
#define STACK_POINTER "rsp"
#elif defined __i386__
#define STACK_POINTER "esp"
#else
#define STACK_POINTER "sp"
#endif

#endif
