/* Traces calls by their start and end: native functions that a method's new body calls there. It
 * uses the same rewriter as inspection; the call is shown, and no value. */
#ifndef ILPI_TRACER_H
#define ILPI_TRACER_H

#include "inspect/method_job.h"

/* Functions of this process, void f(void *method), called without a GC transition: they must return
 * at once, without waiting, locking or calling back. `enter` is called with a stack pointer below
 * that of all calls that have not ended. A call that ends by an exception calls none. */
struct ilpi_tracer {
    uint64_t enter;
    uint64_t leave;
    uint64_t tailcall; /* before a call with the prefix `tail.` (III.2.4), or jmp, ends the call */
    /* called once instead of all of them in a method that does almost nothing (ilpi_is_brief()); 0:
     * there is no such function */
    uint64_t brief;
    /* The value passed for a MethodDef, requested when nothing else can fail; 0: out of memory. */
    uint64_t (*method)(void *user, ilp_token method);
    void *user;
};

/* Whether the body only reads or writes a field of `this`, or returns an argument or a constant: it
 * calls nothing, and returns. An empty body does not count: the JIT would turn the inserted call
 * into a jump, which would run on the caller's stack position. */
bool ilpi_is_brief(const struct ilpi_code *code, uint8_t convention);

/* Plans and makes the new body of an eligible method. A method that cannot be traced is not an
 * error: the result has the reason. ILP_REASON_INSPECTED: it is traced. */
ilp_status ilpi_trace_method(struct ilpi_method_job *job, struct ilp_error *error);

#endif
