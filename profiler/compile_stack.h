/* What a thread compiles: methods within each other, since compiling one may run code, which is
 * compiled before. An event of the JIT has names only; which method it is about follows from the
 * callbacks before and after it, which come on the same thread. */
#ifndef ILPI_COMPILE_STACK_H
#define ILPI_COMPILE_STACK_H

#include "profiler/clr/corprof.h"

struct compiled_method {
    FunctionID function;
    ModuleID module;
    ilp_token token; /* 0: it was made at run time */
    bool is_rejit;   /* by ReJIT */
    bool is_noted;   /* for who listens to events */
};

/* What threads have begun before has no end any more. */
void compile_stack_reset(void);

/* The JIT begins with a method, and is done with it. A compilation that fails has no end: it goes
 * with what is around it. */
void compile_stack_push(const struct compiled_method *method);
void compile_stack_pop(FunctionID function);

/* The method that this thread compiles; NULL: none, or they are nested too deep. */
struct compiled_method *compile_stack_top(void);

#endif
