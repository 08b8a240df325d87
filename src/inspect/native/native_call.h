/* The call of a native function: its tokens, locals and instructions. */
#ifndef ILPI_NATIVE_CALL_H
#define ILPI_NATIVE_CALL_H

#include "il/code.h"
#include "inspect/method_job.h"

/* By its address, not by a P/Invoke method of the module. */
static inline bool ilpi_native_is_by_address(const struct ilp_native *native)
{
    return native->call >= ILP_NATIVE_CALLI;
}

/* Whether no garbage collection can happen during the call. */
static inline bool ilpi_native_stays_cooperative(const struct ilp_native *native)
{
    return native->call == ILP_NATIVE_PINVOKE_NO_TRANSITION ||
           native->call == ILP_NATIVE_CALLI_NO_TRANSITION ||
           native->call == ILP_NATIVE_CALLI_MANAGED;
}

/* Whether the call needs a type of the core library. */
bool ilpi_native_needs_core(const struct ilp_inspector *inspector,
                            const struct ilpi_decision *decision);

/* Whether the emitter can make what the call needs. */
ilp_status ilpi_native_check(const struct ilpi_method_job *job, struct ilp_error *error);

/* The type of the local for the value's copy, whose address may identify a call; empty: none is
 * needed. */
struct ilp_bytes ilpi_native_copied(const struct ilpi_method_job *job);

/* The id that the function gets: if it takes arguments, that of the method itself. It gets the
 * kickoff method's task with that id, and then the result, of another type: one id would not do for
 * both. */
int64_t ilpi_native_id(const struct ilpi_method_job *job);

/* The size of a value, and whether the function gets its type. */
struct ilpi_native_size {
    uint32_t size;  /* 0: computed by sizeof */
    ilp_token type; /* 0 where it is not needed */
    bool typed;
};
ilp_status ilpi_native_size(struct ilpi_method_job *job, const struct ilpi_decision *decision,
                            struct ilpi_native_size *size, struct ilp_error *error);
uint8_t *ilpi_native_put_size(uint8_t *to, const struct ilpi_native_size *size);

/* What is called after the function: tokens, 0 for none. */
struct ilpi_native_after {
    const struct ilp_native *native;
    ilp_token current_thread;      /* a method; 0: the thread is not passed */
    ilp_token wants, thread, then; /* signatures for calli; the addresses are in `native` */
};

/* The inputs of the instructions. */
struct ilpi_native_call {
    const struct ilp_native *function;
    unsigned carrier; /* by the address of a copy, or by value (native_call.c) */
    uint64_t address; /* of the one of its functions that is called */
    uint32_t copy;    /* the local */
    bool end;         /* there is no value: the call's end is passed */
    struct ilpi_native_size size;
    ilp_token call; /* a method, or a signature for calli */
    struct ilpi_native_after after;
};
ilp_status ilpi_native_tokens(struct ilpi_method_job *job, struct ilpi_native_call *call,
                              struct ilp_error *error);

/* The signature of void (object, uint32, int64), made once for a module. */
ilp_status ilpi_native_object_token(struct ilpi_method_job *job, ilp_token *token,
                                    struct ilp_error *error);

/* Makes the token of a signature for calli, and frees it. */
ilp_status ilpi_native_signature_token(const struct ilpi_method_job *job,
                                       struct ilpi_buf *signature, ilp_token *token,
                                       struct ilp_error *error);

/* ldc.i8, conv.i, calli. */
uint8_t *ilpi_native_put_calli(uint8_t *to, uint64_t address, ilp_token signature);

/* From the value on the stack to the call. */
uint8_t *ilpi_native_put(uint8_t *to, const struct ilpi_decision *decision,
                         const struct ilpi_native_call *call, int64_t id);

/* From the exception on the stack to the call; at most ILPI_MAX_FILTER bytes with what follows. */
ilp_status ilpi_native_put_exception(struct ilpi_method_job *job, uint8_t **to,
                                     struct ilp_error *error);

/* The exception, the local, the id, the function. */
#define ILPI_NATIVE_EXCEPTION_HEIGHT 4u

/* The stack depth that the function and its call need. */
uint32_t ilpi_native_height(const struct ilp_inspector *inspector);

/* Whether instruction `i` calls the function at its address, as these sequences do. */
bool ilpi_native_is_call(const struct ilp_inspector *inspector, const struct ilpi_code *code,
                         uint32_t i);

#endif
