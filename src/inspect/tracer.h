/* Calls shown by where they begin and end: native functions that a method's new body passes these
 * to. It is done beside inspection, in the same rewriter: what is shown is the call, and no
 * value. */
#ifndef ILPI_TRACER_H
#define ILPI_TRACER_H

#include "inspect/method_job.h"

/* Functions of this process, void f(void *method), called without a GC transition: they have to
 * return at once, without waiting, locking or calling back. `enter` is called with a stack pointer
 * below that of all calls that have not ended. An exception that leaves a call passes none. */
struct ilpi_tracer {
    uint64_t enter;
    uint64_t leave;
    uint64_t tailcall; /* before a call with the prefix `tail.` (III.2.4), or jmp, ends it */
    /* as `enter`, in place of all of them in a method that does next to nothing (ilpi_is_brief());
     * 0: there is no such function */
    uint64_t brief;
    /* What they get for a MethodDef, requested when nothing else can fail; 0: no memory. */
    uint64_t (*method)(void *user, ilp_token method);
    void *user;
};

/* Whether the body only reads or writes a field of `this`, or returns an argument or a constant:
 * nothing is called in it, and it returns. One that does nothing at all is none: the JIT would make
 * a jump of the call in it, whose place on the stack is the caller's then. */
bool ilpi_is_brief(const struct ilpi_code *code, uint8_t convention);

/* Plans and makes the new body of a method that is eligible. A method that cannot be traced is no
 * error: the result says why. One that can is ILP_REASON_INSPECTED. */
ilp_status ilpi_trace_method(struct ilpi_method_job *job, struct ilp_error *error);

#endif
