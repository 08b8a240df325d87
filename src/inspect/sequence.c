/* The instructions that show a value, and the tokens they need (III.1.8.1.1, III.4.1, III.4.16,
 * III.3.19):
 *
 *   25          dup
 *   8C <type>   box T          value types and type parameters only
 *   72 <name>   ldstr          if the inspector gets the name; or
 *   21 <id>     ldc.i8         the id; or
 *   D0 <this>   ldtoken        the handle
 *   11 N        ldloc          then, if the arguments were passed at entry: their
 *                              state (arguments.c)
 *   28 <method> call           Inspector
 *
 * A managed pointer is dereferenced, and null is shown for a null reference (III.4.13, III.3.42):
 *
 *   25          dup
 *   25          dup
 *   2D 04       brtrue.s L
 *   26 14       pop; ldnull
 *   2B nn       br.s M
 *   71 <type>   L: ldobj T     ldind.ref for objects, ldind.i for pointers
 *   8C <type>   box T
 *               M: ldstr, call
 *
 * Of a pointer the address is shown (III.3.27); T is UIntPtr:
 *
 *   E0          conv.u         before the box
 *
 * Of an iterator the field that holds the value is shown, if there is a value (III.3.17, III.4.10,
 * III.4.28):
 *
 *   25          dup            MoveNext's result
 *   2C nn       brfalse.s M
 *   02          ldarg.0        twice if the inspector replaces the value
 *   7B <field>  ldfld
 *   8C 72 28    box T, ldstr, call
 *   7D <field>  stfld          if the inspector replaces the value
 *               M:
 *
 * Tokens are requested here and nowhere else, after everything else that can fail. */
#include "inspect/sequence.h"

#include "inspect/core_token.h"
#include "inspect/embed/embed.h"
#include "inspect/guard.h"
#include "inspect/native/native_call.h"
#include "inspect/put.h"
#include "types/names.h"

/* ---- the call ---- */

/* The reference to the inspector's class is made with the first call to it: a module of which
 * nothing is inspected gets no reference. */
static ilp_status class_token(struct ilpi_method_job *job, ilp_token *token,
                              struct ilp_error *error)
{
    const struct ilp_emitter *emitter = job->module->emitter;
    struct ilpi_inspector_binding *binding = job->binding;
    const struct ilp_inspector *inspector = binding->inspector;
    if (binding->made->class_token == 0) {
        ILPI_TRY(emitter->assembly_ref(emitter->user, &inspector->identity, token, error));
        ILPI_TRY(emitter->type_ref(emitter->user, *token, inspector->name_space,
                                   inspector->type_name, &binding->made->class_token, error));
    }
    *token = binding->made->class_token;
    return ILP_OK;
}

/* MethodRefSig (II.23.2.2) of an overload. A typed one uses this module's tokens for the type:
 * runtimes resolve them to the same type, and no other token has to be made.
 *
 *   form         convention   R: void, or T if the inspector replaces the value
 *   object       DEFAULT      R (object [, passed] [, object state])
 *   typed        DEFAULT      R (T      [, passed] [, object state])
 *   generic      GENERIC 1    R (!!0    [, passed] [, object state])
 *   exception    DEFAULT      void (object [, passed] [, object state])
 *   arguments    DEFAULT      object (object[] [, string])
 *
 * `passed` is a string, an int64 or a RuntimeMethodHandle. */
static void put_signature(struct ilpi_buf *signature, const struct ilpi_overload *overload,
                          struct ilp_bytes value, ilp_token handle)
{
    static const uint8_t object[] = {ILP_ELEMENT_OBJECT};
    static const uint8_t parameter[] = {ILP_ELEMENT_MVAR, 0};
    struct ilp_bytes type = value;
    if (overload->form == ILPI_OVERLOAD_GENERIC) {
        type = (struct ilp_bytes){parameter, sizeof parameter};
    } else if (overload->form != ILPI_OVERLOAD_TYPED) {
        type = (struct ilp_bytes){object, sizeof object};
    }
    if (overload->form == ILPI_OVERLOAD_ARGUMENTS) {
        static const uint8_t arguments[] = {ILP_ELEMENT_OBJECT, ILP_ELEMENT_SZARRAY,
                                            ILP_ELEMENT_OBJECT, ILP_ELEMENT_STRING};
        bool named = overload->takes == ILP_PASS_NAME;
        ilpi_buf_u8(signature, ILP_CALL_DEFAULT);
        ilpi_buf_u8(signature, named ? 2 : 1);
        ilpi_buf_bytes_add(signature, arguments, sizeof arguments - !named);
        return;
    }
    if (overload->form == ILPI_OVERLOAD_GENERIC) {
        ilpi_buf_u8(signature, ILP_CALL_GENERIC);
        ilpi_buf_u8(signature, 1);
    } else {
        ilpi_buf_u8(signature, ILP_CALL_DEFAULT);
    }
    ilpi_buf_u8(signature, (uint8_t)(1 + (overload->takes != ILP_PASS_VALUE) + overload->state));
    if (overload->replaces) {
        ilpi_buf_bytes_add(signature, type.data, type.size);
    } else {
        ilpi_buf_u8(signature, ILP_ELEMENT_VOID);
    }
    ilpi_buf_bytes_add(signature, type.data, type.size);
    static const uint8_t second[ILP_PASS_COUNT] = {[ILP_PASS_NAME] = ILP_ELEMENT_STRING,
                                                   [ILP_PASS_ID] = ILP_ELEMENT_I8,
                                                   [ILP_PASS_HANDLE] = ILP_ELEMENT_VALUETYPE};
    if (overload->takes != ILP_PASS_VALUE) {
        ilpi_buf_u8(signature, second[overload->takes]);
    }
    if (overload->takes == ILP_PASS_HANDLE) {
        ilpi_buf_packed(signature, ilpi_token_to_coded(ILPI_CODED_TypeDefOrRef, handle));
    }
    if (overload->state) {
        ilpi_buf_u8(signature, ILP_ELEMENT_OBJECT);
    }
}

/* A MemberRef with the signature that the overload has, made by it and not copied: types in it are
 * tokens of this module. */
static ilp_status member_token(struct ilpi_method_job *job, const struct ilpi_overload *overload,
                               ilp_token *token, struct ilp_error *error)
{
    const struct ilp_emitter *emitter = job->module->emitter;
    struct ilpi_buf signature = {.alloc = job->module->alloc};
    ilp_token parent;
    ILPI_TRY(class_token(job, &parent, error));
    if (overload->takes == ILP_PASS_HANDLE) {
        ILPI_TRY(ilpi_core_token(job->module, "System", "RuntimeMethodHandle",
                                 &job->module->made->method_handle, error));
    }
    put_signature(&signature, overload, job->decision.value, job->module->made->method_handle);
    ilp_status status = signature.status == ILP_OK
                            ? emitter->member_ref(emitter->user, parent, overload->name,
                                                  ilpi_buf_bytes(&signature), token, error)
                            : ilpi_fail_memory(error, signature.size);
    ilpi_buf_free(&signature);
    return status;
}

/* MethodSpec (II.23.2.15) of a generic overload for the value's type. */
static ilp_status instance_token(const struct ilpi_method_job *job, ilp_token *token,
                                 struct ilp_error *error)
{
    const struct ilp_emitter *emitter = job->module->emitter;
    struct ilpi_buf signature = {.alloc = job->module->alloc};
    if (!emitter->method_spec) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0,
                         "the emitter makes no MethodSpec, which a method for any type needs");
    }
    /* GENERICINST of a MethodSpec: its value is not that of the element type (II.23.2.15) */
    ilpi_buf_u8(&signature, 0x0A);
    ilpi_buf_u8(&signature, 1);
    ilpi_buf_bytes_add(&signature, job->decision.value.data, job->decision.value.size);
    ilp_status status = signature.status == ILP_OK
                            ? emitter->method_spec(emitter->user, *token,
                                                   ilpi_buf_bytes(&signature), token, error)
                            : ilpi_fail_memory(error, signature.size);
    ilpi_buf_free(&signature);
    return status;
}

/* The method that is called, by how the inspector is there:
 *
 *   embedded now            MethodDef, from the embedding
 *   embedded before         MethodDef of that class, if it has this overload
 *   a typed overload        MemberRef, for each type another one
 *   others                  MemberRef, made once for the module
 *
 * A generic one needs a MethodSpec in addition. */
ilp_status ilpi_call_token(struct ilpi_method_job *job, const struct ilpi_overload *overload,
                           ilp_token *token, struct ilp_error *error)
{
    struct ilpi_inspector_binding *binding = job->binding;
    ilp_token(*calls)[ILP_PASS_COUNT] = overload->state ? binding->made->stateful_calls
                                                        : binding->made->calls;
    ilp_token *made = &calls[overload->form][overload->takes];
    if (binding->embedding) {
        ILPI_TRY(ilpi_embed_call(binding->embedding, overload->method, token, error));
    } else if (binding->embedded_methods) {
        ilp_rid method = binding->embedded_methods[overload - binding->inspector->overloads];
        if (method == 0) {
            return ilpi_fail(error, ILP_E_CANNOT_EMBED, ILPI_NO_OFFSET,
                             ILP_TOKEN(ILP_TypeDef, binding->embedded),
                             "another version of %.100s is embedded already, and has no %s like "
                             "that one",
                             binding->inspector->identity.name, overload->name);
        }
        *token = ILP_TOKEN(ILP_MethodDef, method);
    } else if (overload->form == ILPI_OVERLOAD_TYPED) {
        return member_token(job, overload, token, error);
    } else {
        if (*made == 0) {
            ILPI_TRY(member_token(job, overload, made, error));
        }
        *token = *made;
    }
    return overload->form == ILPI_OVERLOAD_GENERIC ? instance_token(job, token, error) : ILP_OK;
}

/* ---- the value ---- */

/* "Ns.Type::" is kept in the buffer while methods of one type follow each other. A failed buffer
 * holds no usable prefix, so that is made once more. */
static void put_method_name(struct ilpi_scratch *scratch, const struct ilp_image *image,
                            ilp_rid owner, ilp_rid method)
{
    struct ilpi_buf *name = &scratch->name;
    if (scratch->name_owner != owner || name->status != ILP_OK) {
        *name = (struct ilpi_buf){name->alloc, name->data, 0, name->capacity, ILP_OK};
        ilpi_name_owner(image, name, owner);
        scratch->name_owner = owner;
        scratch->name_prefix = name->size;
    }
    name->size = scratch->name_prefix;
    ilpi_name_put(name, ilp_string(image, ilpi_method_cell(image, method, ILP_MethodDef_Name)));
}

ilp_status ilpi_name_reported(struct ilpi_method_job *job, struct ilp_error *error)
{
    const struct ilp_image *image = job->module->image;
    ilp_rid owner = job->reported == job->method ? job->owner
                                                 : ilp_owner_of_method(image, job->reported);
    put_method_name(job->scratch, image, owner, job->reported);
    return job->scratch->name.status == ILP_OK ? ILP_OK
                                               : ilpi_fail_memory(error, job->scratch->name.size);
}

/* What a name or handle needs besides the instruction: a string in #US, or the type of a handle in
 * the signature. */
ilp_status ilpi_passed_token(struct ilpi_method_job *job, uint8_t takes, ilp_token *name,
                             struct ilp_error *error)
{
    const struct ilp_emitter *emitter = job->module->emitter;
    if (takes == ILP_PASS_HANDLE) {
        return ilpi_core_token(job->module, "System", "RuntimeMethodHandle",
                               &job->module->made->method_handle, error);
    }
    if (takes != ILP_PASS_NAME) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_name_reported(job, error));
    return emitter->user_string(emitter->user, ilpi_buf_bytes(&job->scratch->name), name, error);
}

/* #US may have no room for a name (III.1.9): then do without. */
static ilp_status name_token(struct ilpi_method_job *job, ilp_token *name, struct ilp_error *error)
{
    ilp_status status = ilpi_passed_token(job, ILP_PASS_NAME, name, error);
    if (status == ILP_E_TOO_LARGE && job->fallback) {
        job->overload = job->fallback;
        status = ILP_OK;
    }
    return status;
}

/* Boxes the value on the stack. */
static uint8_t *put_boxed(uint8_t *to, const struct ilpi_decision *decision, ilp_token box)
{
    to = decision->address ? ilpi_put(to, ILPI_OP_CONV_U) : to;
    return box != 0 ? ilpi_put_token(to, ILPI_OP_BOX, box) : to;
}

/* Dereferences the managed pointer on the stack, and boxes the result. */
static uint8_t *put_referent(uint8_t *to, const struct ilpi_decision *decision, ilp_token box)
{
    to = ilpi_put(to, ILPI_OP_DUP);
    to = ilpi_put(to, ILPI_OP_BRTRUE_S);
    *to++ = 4; /* over pop, ldnull, br.s */
    to = ilpi_put(to, ILPI_OP_POP);
    to = ilpi_put(to, ILPI_OP_LDNULL);
    to = ilpi_put(to, ILPI_OP_BR_S);
    uint8_t *distance = to++;
    if (decision->address) {
        to = ilpi_put(to, ILPI_OP_LDIND_I);
    } else {
        to = box != 0 ? ilpi_put_token(to, ILPI_OP_LDOBJ, box) : ilpi_put(to, ILPI_OP_LDIND_REF);
    }
    to = put_boxed(to, decision, box);
    *distance = (uint8_t)(to - distance - 1);
    return to;
}

uint8_t *ilpi_put_object(uint8_t *to, const struct ilpi_decision *decision, ilp_token box)
{
    return decision->by_reference ? put_referent(to, decision, box) : put_boxed(to, decision, box);
}

struct sequence_parts {
    const struct ilpi_method_job *job;
    const struct ilpi_decision *decision;
    ilp_token box;  /* 0: none */
    ilp_token name; /* of ILP_PASS_NAME */
    int64_t id;     /* for a native function */
    ilp_token call;
    const struct ilpi_overload *overload;
    ilp_token field;                       /* that holds the value; 0: it is on the stack */
    bool below;                            /* something is below the value or the bool */
    uint32_t state;                        /* the local that is passed to an overload with a
                                              state */
    const struct ilpi_native_call *native; /* NULL: an assembly is called */
    uint8_t *start;                        /* of what is inserted */
    struct ilpi_guard *guard;
    /* bytes of arguments inserted where an iterator has a value; 0: none */
    uint32_t arguments;
};

uint8_t *ilpi_put_passed(uint8_t *to, const struct ilpi_method_job *job, uint8_t takes,
                         ilp_token name)
{
    switch (takes) {
    case ILP_PASS_NAME: return ilpi_put_token(to, ILPI_OP_LDSTR, name);
    case ILP_PASS_ID: return ilpi_put_i8(to, (uint64_t)ilpi_method_id(job->module, job->reported));
    case ILP_PASS_HANDLE:
        return ilpi_put_token(to, ILPI_OP_LDTOKEN, ILP_TOKEN(ILP_MethodDef, job->reported));
    default: return to;
    }
}

/* From the value on the stack to the call. */
static uint8_t *put_call_on_stack(uint8_t *to, const struct sequence_parts *parts)
{
    if (parts->native) {
        return ilpi_native_put(to, parts->decision, parts->native, parts->id);
    }
    to = ilpi_put_object(to, parts->decision, parts->box);
    to = ilpi_put_passed(to, parts->job, parts->overload->takes, parts->name);
    to = parts->overload->state ? ilpi_put_local(to, ILPI_LOCAL_LOAD, parts->state) : to;
    return ilpi_put_token(to, ILPI_OP_CALL, parts->call);
}

/* The same for a field of `this`, if the bool on the stack is true. */
static uint8_t *put_call_on_field(uint8_t *to, const struct sequence_parts *parts)
{
    /* emit.c inserts the arguments before the target, which brfalse.s may not reach then */
    bool far = parts->arguments != 0;
    to = far ? ilpi_put_token(to, ILPI_OP_BRFALSE, 0) : ilpi_put(to, ILPI_OP_BRFALSE_S) + 1;
    uint8_t *value = to;
    if (far) {
        parts->guard->arguments = (uint32_t)(to - parts->start);
        to = parts->job->action.guard
                 ? ilpi_guard_put_check(parts->job, to, parts->start, parts->guard)
                 : to;
    }
    to = ilpi_put(to, ILPI_OP_LDARG_0);
    to = parts->overload->replaces ? ilpi_put(to, ILPI_OP_LDARG_0) : to;
    to = ilpi_put_token(to, ILPI_OP_LDFLD, parts->field);
    to = put_call_on_stack(to, parts);
    to = parts->overload->replaces ? ilpi_put_token(to, ILPI_OP_STFLD, parts->field) : to;
    if (far) {
        ilpi_store_u32(value - 4, (uint32_t)(to - value) + parts->arguments);
    } else {
        value[-1] = (uint8_t)(to - value);
    }
    return to;
}

static uint8_t *put_call(uint8_t *to, const struct sequence_parts *parts)
{
    return parts->field != 0 ? put_call_on_field(to, parts) : put_call_on_stack(to, parts);
}

static uint8_t *put_plain(uint8_t *to, const struct sequence_parts *parts)
{
    /* without a copy the call takes the value itself, and what it returns is in its place */
    bool takes_all = parts->overload->replaces && parts->field == 0;
    bool ends = parts->native && parts->native->end; /* there is no value to take */
    to = takes_all || ends ? to : ilpi_put(to, ILPI_OP_DUP);
    return put_call(to, parts);
}

/* See guard.c for its form. */
static uint8_t *put_guarded(uint8_t *to, const struct sequence_parts *parts,
                            struct ilpi_guard *guard)
{
    uint8_t *start = to;
    to = ilpi_guard_put_try(parts->job, to, start, guard, parts->below);
    to = put_call(to, parts);
    to = parts->overload->replaces && parts->field == 0
             ? ilpi_put_local(to, ILPI_LOCAL_STORE, guard->local)
             : to;
    return ilpi_guard_put_catch(parts->job, to, start, guard, parts->below);
}

/* The tokens for an overload of an assembly. */
static ilp_status make_tokens(struct ilpi_method_job *job, struct sequence_parts *parts,
                              struct ilp_error *error)
{
    if (job->overload->takes == ILP_PASS_NAME) { /* first, since it may not fit the heap */
        ILPI_TRY(name_token(job, &parts->name, error));
    }
    if (job->overload->form == ILPI_OVERLOAD_OBJECT) {
        ILPI_TRY(ilpi_box_token(job->module, parts->decision, &parts->box, error));
    }
    ILPI_TRY(ilpi_call_token(job, job->overload, &parts->call, error));
    return job->action.guard ? ilpi_guard_tokens(job, error) : ILP_OK;
}

/* The bytes are written to a buffer whose size is the maximum of all parts
 * (job->scratch->sequence). They begin with a ret that is only used after a tail call that is not a
 * site. */
ilp_status ilpi_sequence_build(struct ilpi_method_job *job, size_t *size, struct ilp_error *error)
{
    struct sequence_parts parts = {.job = job,
                                   .decision = &job->decision,
                                   .id = ilpi_native_id(job),
                                   .field = job->location.field,
                                   .state = job->arguments.state,
                                   .below = job->location.below.size != 0};
    struct ilpi_native_call native;
    if (job->binding->inspector->native) {
        ILPI_TRY(ilpi_native_tokens(job, &native, error));
        parts.native = &native;
    } else {
        ILPI_TRY(make_tokens(job, &parts, error));
    }
    parts.overload = job->overload;
    uint8_t *start = job->scratch->sequence;
    parts.start = start + 1;
    parts.guard = &job->guard;
    parts.arguments = parts.field != 0 && ilpi_passes_at_sites(job)
                          ? (uint32_t)job->arguments.bytes.size
                          : 0;
    uint8_t *to = ilpi_put(start, ILPI_OP_RET); /* used only if a tail call keeps its own ret */
    to = job->action.guard ? put_guarded(to, &parts, &job->guard) : put_plain(to, &parts);
    *size = (size_t)(to - start);
    return ILP_OK;
}
