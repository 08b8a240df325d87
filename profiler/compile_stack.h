/* The methods that a thread is compiling, nested, since compiling one may run code, which is
 * compiled first. The JIT's events only have names; which method they are about follows from the
 * callbacks before and after them on the same thread. */
#ifndef ILPI_COMPILE_STACK_H
#define ILPI_COMPILE_STACK_H

#include "profiler/clr/corprof.h"

struct compiled_method {
    FunctionID function;
    ModuleID module;
    ilp_token token; /* 0: dynamic method */
    bool is_rejit;   /* by ReJIT */
    bool is_noted;   /* for a listener to events */
};

/* Compilations that threads have begun until now are ignored from here on. */
void compile_stack_reset(void);

/* The JIT begins with a method, and ends it. A failed compilation has no end: it is removed
 * together with the enclosing one. */
void compile_stack_push(const struct compiled_method *method);
void compile_stack_pop(FunctionID function);

/* The method that this thread compiles; NULL: none, or nested too deeply. */
struct compiled_method *compile_stack_top(void);

#endif
