/* Passes arguments to native functions, without boxes (III.3.20):
 *
 *   12 N            ldloca N       the local for the value's copy: its address identifies the call
 *   16              ldc.i4.0
 *   21 <id>         ldc.i8
 *   21 <enter> D3 29 <sig>         ldc.i8; conv.i; calli
 *                                  then for each argument that is passed
 *   0F a            ldarga a       ldarg of an object, and of what is a reference already;
 *                                  ldarg.0 and ldflda or ldfld of what a state machine holds
 *   FE 1C <type>    sizeof T       ldc.i4 where the size is known
 *   21 <id>         ldc.i8
 *   D0 <type>       ldtoken T      where the signature does not say all of it
 *   21 <address> D3 29 <sig>       ldc.i8; conv.i; calli
 *
 * The signatures have `object` and `uint8&`: the garbage collector tracks what is passed until the
 * call, and does not run during it. */
#include "inspect/native/native_arguments.h"

#include "inspect/argument_load.h"
#include "inspect/core_token.h"
#include "inspect/native/native_call.h"
#include "inspect/put.h"
#include "inspect/sequence.h"

/* By which function of struct ilp_native_arguments a value is passed; the first two are indexes of
 * `arguments` in struct ilpi_binding_tokens. */
enum way { REFERENCE, TYPED, OBJECT };

/* void (uint8&, uint32, int64), and perhaps the type. */
static ilp_status make_signature(struct ilpi_method_job *job, enum way way, ilp_token *token,
                                 struct ilp_error *error)
{
    static const uint8_t reference[] = {ILP_ELEMENT_BYREF, ILP_ELEMENT_U1, ILP_ELEMENT_U4,
                                        ILP_ELEMENT_I8};
    struct ilpi_buf signature = {.alloc = job->module->alloc};
    ilp_token *handle = &job->binding->made->type_handle;
    if (way == TYPED) {
        ILPI_TRY(ilpi_core_token(job->module, "System", "RuntimeTypeHandle", handle, error));
    }
    ilpi_buf_u8(&signature, ILP_CALL_DEFAULT);
    ilpi_buf_u8(&signature, way == TYPED ? 4 : 3);
    ilpi_buf_u8(&signature, ILP_ELEMENT_VOID);
    ilpi_buf_bytes_add(&signature, reference, sizeof reference);
    if (way == TYPED) {
        ilpi_buf_u8(&signature, ILP_ELEMENT_VALUETYPE);
        ilpi_buf_packed(&signature, ilpi_token_to_coded(ILPI_CODED_TypeDefOrRef, *handle));
    }
    return ilpi_native_signature_token(job, &signature, token, error);
}

/* From three or four values on the stack to the call. */
static ilp_status put_call(struct ilpi_method_job *job, uint8_t **to, enum way way,
                           uint64_t address, struct ilp_error *error)
{
    ilp_token signature;
    if (way == OBJECT) {
        ILPI_TRY(ilpi_native_object_token(job, &signature, error));
    } else {
        ilp_token *made = &job->binding->made->arguments[way];
        if (*made == 0) {
            ILPI_TRY(make_signature(job, way, made, error));
        }
        signature = *made;
    }
    *to = ilpi_native_put_calli(*to, address, signature);
    return ILP_OK;
}

static uint64_t function_of(const struct ilp_native *native, enum way way)
{
    switch (way) {
    case OBJECT: return native->arguments.object;
    case REFERENCE: return native->arguments.reference;
    default: return native->arguments.typed;
    }
}

/* The forms of an argument:
 *
 *   object            ldarg; size of a pointer; id; void (object, uint32, int64)
 *   T& already        ldarg; size; id; void (uint8&, ...)
 *   value             ldarga; size; id; the same, and with the type if it is an instance */
static ilp_status put_argument(struct ilpi_method_job *job, uint8_t **to,
                               const struct ilpi_argument *argument, struct ilp_error *error)
{
    const struct ilpi_decision *decision = &argument->decision;
    const struct ilp_native *native = job->binding->inspector->native;
    struct ilpi_native_size size;
    ILPI_TRY(ilpi_native_size(job, decision, &size, error));
    enum way way = size.typed ? TYPED : REFERENCE;
    bool object = !decision->by_reference && decision->box == ILPI_BOX_NONE;
    way = object ? OBJECT : way;
    *to = object || decision->by_reference ? ilpi_put_argument_value(*to, argument)
                                           : ilpi_put_argument_reference(*to, argument);
    *to = ilpi_native_put_size(*to, &size);
    *to = ilpi_put_i8(*to, (uint64_t)ilpi_native_id(job));
    *to = way == TYPED ? ilpi_put_token(*to, ILPI_OP_LDTOKEN, size.type) : *to;
    return put_call(job, to, way, function_of(native, way), error);
}

/* The type of what is passed. */
static struct ilp_bytes type_of(const struct ilpi_decision *decision)
{
    static const uint8_t native_uint[] = {ILP_ELEMENT_U};
    return decision->address ? (struct ilp_bytes){native_uint, sizeof native_uint}
                             : decision->value;
}

/* What is passed, for the report and for the receiver: names and types, borrowed by the result
 * until the next method. */
static ilp_status report(struct ilpi_method_job *job, struct ilp_error *error)
{
    const struct ilpi_arguments *arguments = &job->arguments;
    struct ilp_passed_argument *passed = ilpi_arena_array(&job->scratch->arena, arguments->count,
                                                          sizeof *passed);
    if (!passed) {
        return ilpi_fail_memory(error, arguments->count * sizeof *passed);
    }
    for (uint32_t i = 0; i < arguments->count; i++) {
        const struct ilpi_argument *argument = &arguments->items[i];
        passed[i] = (struct ilp_passed_argument){.name = argument->name,
                                                 .withheld = argument->withheld,
                                                 .unknown = argument->unknown,
                                                 .reference = argument->decision.by_reference,
                                                 .self = argument->self};
        if (!argument->withheld) {
            passed[i].type = type_of(&argument->decision);
        }
    }
    job->result->passed = passed;
    job->result->passed_count = arguments->count;
    return ILP_OK;
}

ilp_status ilpi_native_arguments_build(struct ilpi_method_job *job, struct ilp_error *error)
{
    struct ilpi_arguments *arguments = &job->arguments;
    const struct ilp_native *native = job->binding->inspector->native;
    uint8_t *start = ilpi_arena_alloc(&job->scratch->arena, arguments->room);
    if (!start) {
        return ilpi_fail_memory(error, arguments->room);
    }
    ILPI_TRY(report(job, error));
    uint8_t *to = ilpi_put_local(start, ILPI_LOCAL_ADDRESS, job->copy);
    to = ilpi_put(to, ILPI_OP_LDC_I4_0);
    to = ilpi_put_i8(to, (uint64_t)ilpi_native_id(job));
    ILPI_TRY(put_call(job, &to, REFERENCE, native->arguments.enter, error));
    for (uint32_t i = 0; i < arguments->count; i++) {
        if (!arguments->items[i].withheld) {
            ILPI_TRY(put_argument(job, &to, &arguments->items[i], error));
        }
    }
    arguments->bytes = (struct ilp_bytes){start, (size_t)(to - start)};
    return ILP_OK;
}
