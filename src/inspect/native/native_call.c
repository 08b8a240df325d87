/* Calls a native function with the address of a copy of the value, its size and the method's id:
 *
 *   25             dup
 *   13 N           stloc N         a new local of the value's type
 *   12 N           ldloca N
 *   E0             conv.u
 *   FE 1C <type>   sizeof T        ldc.i4 where the size is known (III.4.25)
 *   21 <id>        ldc.i8
 *   28 <method>    call            a P/Invoke method in the module (II.15.5.2); or
 *   21 <address> D3 29 <sig>       ldc.i8; conv.i; calli (III.3.20), and once more for `then`;
 *                                  before it ldtoken <type> for `typed`
 *
 * A managed pointer is dereferenced and the referent copied; for a null reference the address is
 * null:
 *
 *   25             dup
 *   25             dup
 *   2D 05          brtrue.s L
 *   26 16 E0       pop; ldc.i4.0; conv.u
 *   2B nn          br.s M
 *   71 <type>      L: ldobj T      ldind.ref for objects, ldind.i for pointers
 *   13 N 12 N E0   stloc N; ldloca N; conv.u
 *                  M: sizeof, ldc.i8, call
 *
 * An object reference, bool, char or integer is passed by value if the function takes it so:
 *
 *   25             dup
 *   6E             conv.u8         an integer of less than 8 bytes, whose low bytes are the value
 *                                  sizeof, ldc.i8, call
 *
 * The runtime compares the signature of a method's locals with all that the module has, and each
 * new local costs the JIT work: so one is added only if the value needs an address.
 *
 * If arguments are passed and nothing is returned, the function gets the call's end; the address of
 * the local, a native integer, identifies the call:
 *
 *   12 N E0        ldloca N; conv.u
 *   16             ldc.i4.0
 *   21 <id>        ldc.i8
 *   21 <leave> D3 29 <sig>         as above
 *
 * A function that requests the thread (struct ilp_native_context) gets it after any of these;
 * `then` is called after that, within the branch:
 *
 *   21 <wants> D3 29 <sig>         as above: int32 ()
 *   2C nn          brfalse.s L
 *   28 <method>    call            System.Threading.Thread::get_CurrentThread()
 *   21 <thread> D3 29 <sig>        as above: void (object)
 *                                  `then`
 *                  L:
 *
 * In a filter, or before SetException (exceptions.c), the exception is on the stack and is passed
 * by value:
 *
 *   12 N E0        ldloca N; conv.u      ldc.i4.0; conv.u where no arguments are passed
 *   21 <id>        ldc.i8
 *   21 <exception> D3 29 <sig>     as above */
#include "inspect/native/native_call.h"

#include "inspect/core_token.h"
#include "inspect/put.h"
#include "types/value_size.h"

static const char interop_services[] = "System.Runtime.InteropServices";
static const char compiler_services[] = "System.Runtime.CompilerServices";
static const char suppress_attribute[] = "SuppressGCTransitionAttribute";

/* ---- tokens ---- */

/* A size that is the same on all platforms, 0 for others. */
static uint32_t known_size(const struct ilpi_decision *decision)
{
    return decision->box == ILPI_BOX_PRIMITIVE ? ilpi_primitive_size(decision->element, 0) : 0;
}

/* Whether the function gets the value's type: if the signature is not specific enough. */
static bool takes_type(const struct ilp_native *native, const struct ilpi_decision *decision)
{
    return native->call == ILP_NATIVE_CALLI_MANAGED && native->typed != 0 &&
           decision->box == ILPI_BOX_SPEC && !decision->address;
}

/* How the value is passed: by the address of its copy, or by value:
 *
 *   AS_OBJECT     an object reference, to native->object
 *   AS_INTEGER    bool, char or an integer, to native->integer
 *   BY_ADDRESS    all others; also where the copy's address identifies the call */
enum carrier { BY_ADDRESS, AS_OBJECT, AS_INTEGER };

static bool takes_thread(const struct ilp_native *native)
{
    return native->call == ILP_NATIVE_CALLI_MANAGED && native->context.wants != 0 &&
           native->context.thread != 0;
}

/* bool, char and native integers included. A float is another kind of stack value (III.1.1), which
 * conv.u8 would convert instead of copying its bits. */
static bool is_integer(uint8_t element)
{
    return element != ILP_ELEMENT_R4 && element != ILP_ELEMENT_R8;
}

/* With arguments, the copy's address identifies a call among others of the same method: recursive
 * calls have other frames, and so other addresses. */
static enum carrier carrier_of(const struct ilpi_method_job *job)
{
    const struct ilp_native *native = job->binding->inspector->native;
    const struct ilpi_decision *decision = &job->decision;
    /* the signature of the other conventions has only the address */
    if (native->call != ILP_NATIVE_CALLI_MANAGED || job->passes_state || job->ends ||
        decision->by_reference) {
        return BY_ADDRESS;
    }
    if (decision->box == ILPI_BOX_NONE && native->object != 0) {
        return AS_OBJECT;
    }
    bool integer = decision->box == ILPI_BOX_PRIMITIVE && is_integer(decision->element);
    return integer && native->integer != 0 ? AS_INTEGER : BY_ADDRESS;
}

bool ilpi_native_needs_core(const struct ilp_inspector *inspector,
                            const struct ilpi_decision *decision)
{
    bool by_core_type = decision->box == ILPI_BOX_NONE || decision->box == ILPI_BOX_PRIMITIVE;
    return !ilpi_native_is_by_address(inspector->native) ||
           inspector->native->call == ILP_NATIVE_CALLI_NO_TRANSITION ||
           takes_type(inspector->native, decision) ||
           (by_core_type && (known_size(decision) == 0 || decision->by_reference));
}

/* The function's signature: void (const void *, uint32_t, int64_t), with its calling convention
 * (II.23.2.3). */
static uint8_t calling_convention(enum ilp_native_call call)
{
    switch (call) {
    case ILP_NATIVE_CALLI_MANAGED: return ILP_CALL_DEFAULT;
    case ILP_NATIVE_CALLI: return ILP_CALL_C;
    default: return ILP_CALL_UNMANAGED;
    }
}

ilp_status ilpi_native_signature_token(const struct ilpi_method_job *job,
                                       struct ilpi_buf *signature, ilp_token *token,
                                       struct ilp_error *error)
{
    const struct ilp_emitter *emitter = job->module->emitter;
    ilp_status status = signature->status == ILP_OK
                            ? emitter->standalone_sig(emitter->user, ilpi_buf_bytes(signature),
                                                      token, error)
                            : ilpi_fail_memory(error, signature->size);
    ilpi_buf_free(signature);
    return status;
}

/* An unmanaged calling convention in the signature (II.23.2.3), as modifiers of the return type for
 * the one that leaves out the transition (CallConvSuppressGCTransition, .NET 5). */
static ilp_status calli_token(struct ilpi_method_job *job, ilp_token *token,
                              struct ilp_error *error)
{
    static const uint8_t plain[] = ILPI_NATIVE_SIGNATURE;
    static const char *const modifiers[] = {"CallConvSuppressGCTransition", "CallConvCdecl"};
    struct ilpi_buf signature = {.alloc = job->module->alloc};
    enum ilp_native_call call = job->binding->inspector->native->call;
    ilpi_buf_u8(&signature, calling_convention(call));
    ilpi_buf_u8(&signature, plain[1]);
    ilp_status status = ILP_OK;
    for (unsigned i = 0; i < 2 && call == ILP_NATIVE_CALLI_NO_TRANSITION && status == ILP_OK; i++) {
        ilp_token modifier = 0;
        status = ilpi_core_token(job->module, compiler_services, modifiers[i], &modifier, error);
        ilpi_buf_u8(&signature, ILP_ELEMENT_CMOD_OPT);
        ilpi_buf_packed(&signature, ilpi_token_to_coded(ILPI_CODED_TypeDefOrRef, modifier));
    }
    ilpi_buf_bytes_add(&signature, plain + 2, sizeof plain - 2);
    if (status != ILP_OK) {
        ilpi_buf_free(&signature);
        return status;
    }
    return ilpi_native_signature_token(job, &signature, token, error);
}

/* The same with the type: its handle holds one object, and is passed as that. */
static ilp_status typed_token(struct ilpi_method_job *job, ilp_token *token,
                              struct ilp_error *error)
{
    static const uint8_t plain[] = {
        ILP_CALL_DEFAULT,     4, ILP_ELEMENT_VOID, ILP_ELEMENT_I, ILP_ELEMENT_U4, ILP_ELEMENT_I8,
        ILP_ELEMENT_VALUETYPE};
    struct ilpi_buf signature = {.alloc = job->module->alloc};
    ilp_token *handle = &job->binding->made->type_handle;
    ILPI_TRY(ilpi_core_token(job->module, "System", "RuntimeTypeHandle", handle, error));
    ilpi_buf_bytes_add(&signature, plain, sizeof plain);
    ilpi_buf_packed(&signature, ilpi_token_to_coded(ILPI_CODED_TypeDefOrRef, *handle));
    return ilpi_native_signature_token(job, &signature, token, error);
}

/* void (object or int64, uint32, int64). */
static ilp_status itself_token(struct ilpi_method_job *job, uint8_t element, ilp_token *token,
                               struct ilp_error *error)
{
    const uint8_t plain[] = {ILP_CALL_DEFAULT, 3, ILP_ELEMENT_VOID, element, ILP_ELEMENT_U4,
                             ILP_ELEMENT_I8};
    struct ilpi_buf signature = {.alloc = job->module->alloc};
    ilpi_buf_bytes_add(&signature, plain, sizeof plain);
    return ilpi_native_signature_token(job, &signature, token, error);
}

/* A signature that names no type. */
static ilp_status plain_token(struct ilpi_method_job *job, struct ilp_bytes signature,
                              ilp_token *token, struct ilp_error *error)
{
    const struct ilp_emitter *emitter = job->module->emitter;
    return *token != 0 ? ILP_OK : emitter->standalone_sig(emitter->user, signature, token, error);
}

/* If the core library of a module is unknown, or has no such method, the thread is not passed. Nor
 * is it in get_CurrentThread() itself: CoreCLR's JIT expands an intrinsic that calls itself, and
 * makes it throw PlatformNotSupportedException (.NET 10). */
static ilp_status find_context(struct ilpi_method_job *job, struct ilpi_native_after *after,
                               struct ilp_error *error)
{
    static const uint8_t wants[] = {ILP_CALL_DEFAULT, 0, ILP_ELEMENT_I4};
    static const uint8_t thread[] = {ILP_CALL_DEFAULT, 1, ILP_ELEMENT_VOID, ILP_ELEMENT_OBJECT};
    struct ilpi_inspector_binding *binding = job->binding;
    ILPI_TRY(ilpi_current_thread_token(job->module, &after->current_thread, error));
    job->result->thread = after->current_thread != 0;
    if (after->current_thread == ILP_TOKEN(ILP_MethodDef, job->method)) {
        after->current_thread = 0;
    }
    if (after->current_thread == 0) {
        return ILP_OK;
    }
    ILPI_TRY(
        plain_token(job, (struct ilp_bytes){wants, sizeof wants}, &binding->made->wants, error));
    ILPI_TRY(
        plain_token(job, (struct ilp_bytes){thread, sizeof thread}, &binding->made->thread, error));
    after->wants = binding->made->wants;
    after->thread = binding->made->thread;
    return ILP_OK;
}

/* The tokens of what is called after the function. `then` is unmanaged, so it has a GC
 * transition. */
static ilp_status find_after(struct ilpi_method_job *job, struct ilpi_native_after *after,
                             struct ilp_error *error)
{
    static const uint8_t then[] = {ILP_CALL_C, 0, ILP_ELEMENT_VOID};
    struct ilpi_inspector_binding *binding = job->binding;
    const struct ilp_native *native = binding->inspector->native;
    *after = (struct ilpi_native_after){.native = native};
    if (native->then != 0) {
        ILPI_TRY(
            plain_token(job, (struct ilp_bytes){then, sizeof then}, &binding->made->then, error));
        after->then = binding->made->then;
    }
    return takes_thread(native) ? find_context(job, after, error) : ILP_OK;
}

/* void (object, native uint, int64). */
static ilp_status exception_token(struct ilpi_method_job *job, ilp_token *token,
                                  struct ilp_error *error)
{
    static const uint8_t plain[] = {
        ILP_CALL_DEFAULT, 3, ILP_ELEMENT_VOID, ILP_ELEMENT_OBJECT, ILP_ELEMENT_U, ILP_ELEMENT_I8};
    struct ilpi_buf signature = {.alloc = job->module->alloc};
    ilpi_buf_bytes_add(&signature, plain, sizeof plain);
    return ilpi_native_signature_token(job, &signature, token, error);
}

/* The class and the method are added to the module by the emitter; the attribute's constructor and
 * the core library's Object are tokens that it needs for that. */
static ilp_status pinvoke_token(struct ilpi_method_job *job, ilp_token *token,
                                struct ilp_error *error)
{
    static const uint8_t signature[] = ILPI_NATIVE_SIGNATURE;
    static const uint8_t constructor[] = {ILP_CALL_HASTHIS, 0, ILP_ELEMENT_VOID};
    const struct ilp_emitter *emitter = job->module->emitter;
    const struct ilp_inspector *inspector = job->binding->inspector;
    struct ilp_pinvoke pinvoke = {.name_space = inspector->name_space,
                                  .type_name = inspector->type_name,
                                  .library = inspector->native->library,
                                  .symbol = inspector->native->symbol,
                                  .signature = {signature, sizeof signature}};
    if (ilpi_native_stays_cooperative(inspector->native)) {
        ilp_token attribute = 0;
        ILPI_TRY(
            ilpi_core_token(job->module, interop_services, suppress_attribute, &attribute, error));
        ILPI_TRY(emitter->member_ref(emitter->user, attribute, ".ctor",
                                     (struct ilp_bytes){constructor, sizeof constructor},
                                     &pinvoke.attribute, error));
    }
    ILPI_TRY(ilpi_object_token(job->module, &pinvoke.object, error));
    return emitter->pinvoke(emitter->user, &pinvoke, token, error);
}

/* For an object the size of a reference: the function gets its address. */
ilp_status ilpi_native_size(struct ilpi_method_job *job, const struct ilpi_decision *decision,
                            struct ilpi_native_size *size, struct ilp_error *error)
{
    struct ilpi_decision sized = *decision;
    if (sized.box == ILPI_BOX_NONE) { /* an object is as large as a native integer */
        sized.box = ILPI_BOX_PRIMITIVE;
        sized.element = ILP_ELEMENT_U;
    }
    *size = (struct ilpi_native_size){.size = known_size(&sized)};
    if (size->size == 0 || decision->by_reference) {
        ILPI_TRY(ilpi_box_token(job->module, &sized, &size->type, error));
    }
    /* in the core library itself: it makes the handle's object, perhaps by this very method */
    size->typed = takes_type(job->binding->inspector->native, decision) &&
                  !ilpi_is_core_library(job->module);
    return ILP_OK;
}

ilp_status ilpi_native_object_token(struct ilpi_method_job *job, ilp_token *token,
                                    struct ilp_error *error)
{
    ilp_token *made = &job->binding->made->object;
    if (*made == 0) {
        ILPI_TRY(itself_token(job, ILP_ELEMENT_OBJECT, made, error));
    }
    *token = *made;
    return ILP_OK;
}

/* Where the function is, and the token for calling it. */
static ilp_status find_function(struct ilpi_method_job *job, struct ilpi_native_call *call,
                                struct ilp_error *error)
{
    struct ilpi_inspector_binding *binding = job->binding;
    const struct ilp_native *native = binding->inspector->native;
    ilp_token *made;
    ilp_status status = ILP_OK;
    if (call->carrier == AS_OBJECT) {
        call->address = native->object;
        return ilpi_native_object_token(job, &call->call, error);
    }
    if (call->carrier == AS_INTEGER) {
        call->address = native->integer;
        made = &binding->made->integer;
        status = *made == 0 ? itself_token(job, ILP_ELEMENT_I8, made, error) : ILP_OK;
    } else if (call->size.typed) {
        call->address = native->typed;
        made = &binding->made->typed;
        status = *made == 0 ? typed_token(job, made, error) : ILP_OK;
    } else {
        call->address = call->end ? native->arguments.leave : native->address;
        made = &binding->made->calls[ILPI_OVERLOAD_NATIVE][ILP_PASS_ID];
        if (*made == 0) {
            status = ilpi_native_is_by_address(native) ? calli_token(job, made, error)
                                                       : pinvoke_token(job, made, error);
        }
    }
    call->call = *made;
    return status;
}

ilp_status ilpi_native_tokens(struct ilpi_method_job *job, struct ilpi_native_call *call,
                              struct ilp_error *error)
{
    struct ilpi_inspector_binding *binding = job->binding;
    *call = (struct ilpi_native_call){.function = binding->inspector->native,
                                      .carrier = carrier_of(job),
                                      .copy = job->copy,
                                      .end = job->ends};
    if (!job->ends) {
        ILPI_TRY(ilpi_native_size(job, &job->decision, &call->size, error));
    }
    ILPI_TRY(find_function(job, call, error));
    return find_after(job, &call->after, error);
}

/* ---- requirements ---- */

ilp_status ilpi_native_check(const struct ilpi_method_job *job, struct ilp_error *error)
{
    const struct ilp_emitter *emitter = job->module->emitter;
    if (emitter && !emitter->pinvoke &&
        !ilpi_native_is_by_address(job->binding->inspector->native)) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0,
                         "the emitter makes no P/Invoke method");
    }
    return ILP_OK;
}

int64_t ilpi_native_id(const struct ilpi_method_job *job)
{
    const struct ilp_native *native = job->binding->inspector->native;
    bool own = native && native->arguments.enter != 0;
    return ilpi_method_id(job->module, own ? job->method : job->reported);
}

struct ilp_bytes ilpi_native_copied(const struct ilpi_method_job *job)
{
    static const uint8_t native_uint[] = {ILP_ELEMENT_U};
    if (!job->overload || job->ends) {
        return (struct ilp_bytes){native_uint, job->passes_state ? sizeof native_uint : 0};
    }
    return carrier_of(job) == BY_ADDRESS ? job->decision.value : (struct ilp_bytes){NULL, 0};
}

/* ---- instructions ---- */

uint32_t ilpi_native_height(const struct ilp_inspector *inspector)
{
    /* the value or its address, the size, the id; then the function, and the handle for `typed` */
    return 3u + ilpi_native_is_by_address(inspector->native) + (inspector->native->typed != 0);
}

static uint8_t *put_address(uint8_t *to, uint32_t local)
{
    to = ilpi_put_local(to, ILPI_LOCAL_ADDRESS, local);
    return ilpi_put(to, ILPI_OP_CONV_U);
}

/* From the value on the stack to the address of its copy. */
static uint8_t *put_copy(uint8_t *to, const struct ilpi_decision *decision, uint32_t local)
{
    to = decision->address ? ilpi_put(to, ILPI_OP_CONV_U) : to;
    to = ilpi_put_local(to, ILPI_LOCAL_STORE, local);
    return put_address(to, local);
}

/* The value is the one referred to, or 0 for a null reference: `dup brtrue pop 0 br` around the
 * load. Branches are short, so the second distance is filled in afterwards. */
static uint8_t *put_referent(uint8_t *to, const struct ilpi_decision *decision, ilp_token type,
                             uint32_t local)
{
    to = ilpi_put(to, ILPI_OP_DUP);
    to = ilpi_put(to, ILPI_OP_BRTRUE_S);
    *to++ = 5; /* over pop, ldc.i4.0, conv.u, br.s */
    to = ilpi_put(to, ILPI_OP_POP);
    to = ilpi_put(to, ILPI_OP_LDC_I4_0);
    to = ilpi_put(to, ILPI_OP_CONV_U);
    to = ilpi_put(to, ILPI_OP_BR_S);
    uint8_t *distance = to++;
    if (decision->address) {
        to = ilpi_put(to, ILPI_OP_LDIND_I);
    } else if (decision->box != ILPI_BOX_NONE) {
        to = ilpi_put_token(to, ILPI_OP_LDOBJ, type);
    } else {
        to = ilpi_put(to, ILPI_OP_LDIND_REF);
    }
    to = put_copy(to, decision, local);
    *distance = (uint8_t)(to - distance - 1);
    return to;
}

uint8_t *ilpi_native_put_calli(uint8_t *to, uint64_t address, ilp_token signature)
{
    to = ilpi_put_i8(to, address);
    to = ilpi_put(to, ILPI_OP_CONV_I);
    return ilpi_put_token(to, ILPI_OP_CALLI, signature);
}

uint8_t *ilpi_native_put_size(uint8_t *to, const struct ilpi_native_size *size)
{
    if (size->size == 0) {
        return ilpi_put_token(to, ILPI_OP_SIZEOF, size->type);
    }
    to = ilpi_put(to, ILPI_OP_LDC_I4_S);
    *to++ = (uint8_t)size->size;
    return to;
}

/* Pushes the address of the value's copy, or the value itself if the function takes it so. */
static uint8_t *put_value(uint8_t *to, const struct ilpi_decision *decision,
                          const struct ilpi_native_call *call)
{
    if (call->carrier == AS_INTEGER) {
        /* a value of 8 bytes is an int64 on the stack already; native integers have no known size
         * here */
        return call->size.size == sizeof(int64_t) ? to : ilpi_put(to, ILPI_OP_CONV_U8);
    }
    if (call->carrier == AS_OBJECT) {
        return to;
    }
    return decision->by_reference ? put_referent(to, decision, call->size.type, call->copy)
                                  : put_copy(to, decision, call->copy);
}

/* The distance of brfalse.s is filled in when the end is known. It skips a call (5 bytes) and up to
 * two calli (15 bytes each), far below its 127. */
static uint8_t *put_after(uint8_t *to, const struct ilpi_native_after *after)
{
    const struct ilp_native *native = after->native;
    uint8_t *distance = NULL;
    if (after->current_thread != 0) {
        to = ilpi_native_put_calli(to, native->context.wants, after->wants);
        to = ilpi_put(to, ILPI_OP_BRFALSE_S);
        distance = to++;
        to = ilpi_put_token(to, ILPI_OP_CALL, after->current_thread);
        to = ilpi_native_put_calli(to, native->context.thread, after->thread);
    }
    to = native->then != 0 ? ilpi_native_put_calli(to, native->then, after->then) : to;
    if (distance) {
        *distance = (uint8_t)(to - distance - 1);
    }
    return to;
}

static uint8_t *put_end(uint8_t *to, const struct ilpi_native_call *call, int64_t id)
{
    to = put_address(to, call->copy);
    to = ilpi_put(to, ILPI_OP_LDC_I4_0);
    to = ilpi_put_i8(to, (uint64_t)id);
    to = ilpi_native_put_calli(to, call->address, call->call);
    return put_after(to, &call->after);
}

uint8_t *ilpi_native_put(uint8_t *to, const struct ilpi_decision *decision,
                         const struct ilpi_native_call *call, int64_t id)
{
    if (call->end) {
        return put_end(to, call, id);
    }
    to = put_value(to, decision, call);
    to = ilpi_native_put_size(to, &call->size);
    to = ilpi_put_i8(to, (uint64_t)id);
    if (!ilpi_native_is_by_address(call->function)) {
        return ilpi_put_token(to, ILPI_OP_CALL, call->call);
    }
    if (call->size.typed) {
        to = ilpi_put_token(to, ILPI_OP_LDTOKEN, call->size.type);
    }
    to = ilpi_native_put_calli(to, call->address, call->call);
    return put_after(to, &call->after);
}

ilp_status ilpi_native_put_exception(struct ilpi_method_job *job, uint8_t **to,
                                     struct ilp_error *error)
{
    const struct ilp_native *native = job->binding->inspector->native;
    ilp_token *call = &job->binding->made->exception;
    struct ilpi_native_after after;
    if (*call == 0) {
        ILPI_TRY(exception_token(job, call, error));
    }
    ILPI_TRY(find_after(job, &after, error));
    *to = job->passes_state ? ilpi_put_local(*to, ILPI_LOCAL_ADDRESS, job->copy)
                            : ilpi_put(*to, ILPI_OP_LDC_I4_0);
    *to = ilpi_put(*to, ILPI_OP_CONV_U);
    *to = ilpi_put_i8(*to, (uint64_t)ilpi_native_id(job));
    *to = ilpi_native_put_calli(*to, native->exception, *call);
    *to = put_after(*to, &after);
    return ILP_OK;
}

/* By the constant address before the call: an earlier patch of the same process has inserted it. If
 * there is `then`, it is the last call of each sequence, so it is the one that precedes a site. */
bool ilpi_native_is_call(const struct ilp_inspector *inspector, const struct ilpi_code *code,
                         uint32_t i)
{
    const struct ilpi_insn *insns = code->insns;
    if (!inspector->native || !ilpi_native_is_by_address(inspector->native) || i < 2 ||
        insns[i].op != ILPI_OP_CALLI || insns[i - 1].op != ILPI_OP_CONV_I ||
        insns[i - 2].op != ILPI_OP_LDC_I8) {
        return false;
    }
    const struct ilp_native *native = inspector->native;
    const uint8_t *operand = code->bytes.data + insns[i - 2].offset + 1;
    uint64_t address = (uint64_t)ilpi_load_u32(operand + 4) << 32 | ilpi_load_u32(operand);
    if (native->then != 0) {
        return address == native->then;
    }
    return address != 0 &&
           (address == native->address || address == native->typed || address == native->object ||
            address == native->integer || address == native->exception ||
            address == native->arguments.leave || address == native->context.thread);
}
