/* Whether an unwinder gets from a stub to the code that called the hook, and on. */
#ifndef TESTS_ELT_WALK_H
#define TESTS_ELT_WALK_H

#include <stdbool.h>
#include <stdint.h>

/* From here through the hook in use and elt_test_call to `caller` and one further; from inside a
 * signal handler, too. */
bool walk_finds(void *caller);

#if defined __x86_64__ || defined __i386__
/* Lets the next call run a step at a time, unwinding at each instruction of `stub`. */
struct steps {
    unsigned count, failed;
    uintptr_t first_failed; /* an offset in the stub */
};
extern struct steps steps;
void step_through(void (*stub)(void), unsigned red_zone, void *caller);
#endif

#endif
