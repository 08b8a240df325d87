/* The arguments of a call, passed at the entry of the method (III.4.20, III.4.27), or before a call
 * of the builder of an async method (async/kept_arguments.c):
 *
 *   1F n        ldc.i4
 *   8D <Object> newarr
 *     25          dup            for each argument that can be an object:
 *     1F i        ldc.i4
 *     0E a        ldarg          ldarg.0; ldfld of what a state machine holds
 *     8C <type>   box T          as of a returned value (sequence.c)
 *     A2          stelem.ref
 *   72 <name>   ldstr          "Ns.Type::Method(count, total=out)"
 *   28 <method> call           object MyArguments(object[], string)
 *   13 N        stloc          the state, a new local, also passed with the value
 *
 * In a guard the call is in a try block, whose handler makes the state null.
 *
 * The name lists all parameters, in the order of the array. A parameter that cannot be an object is
 * null in the array, and its name is followed by `=` and a word:
 *
 *   out       has no value before the method sets it
 *   pointer   a pointer, unless the rule action shows addresses
 *   {...}     byref-like, or perhaps: its type was not found
 *   unknown   the state machine does not hold it, or may have changed it
 *
 * If the arguments are passed when the call ends, " ended" follows them.
 *
 * `ref` and `in` parameters are dereferenced at entry. */
#include "inspect/arguments.h"

#include "inspect/argument_load.h"
#include "inspect/core_token.h"
#include "inspect/guard.h"
#include "inspect/native/native_arguments.h"
#include "inspect/put.h"
#include "inspect/sequence.h"
#include "metadata/flags.h"
#include "types/names.h"

/* Maximum bytes of one argument: dup, ldc.i4, load, box, stelem.ref; and of what is inserted once,
 * with a guard. */
#define MAX_ARGUMENT (1u + 5u + ILPI_MAX_LOAD + ILPI_MAX_OBJECT + 1u)
#define MAX_REST     40u

/* ---- the plan ---- */

/* A name with one of these characters would be misread. */
static bool is_plain_name(const char *name)
{
    for (; *name != '\0'; name++) {
        if ((unsigned char)*name <= ' ' || strchr("(),=", *name)) {
            return false;
        }
    }
    return true;
}

/* Names and flags from Param rows, which may be missing; `first` is the first parameter. */
static void read_names(const struct ilpi_method_job *job, struct ilpi_argument *first,
                       uint32_t count)
{
    const struct ilp_image *image = job->module->image;
    ilp_rid row;
    ilp_rid end;
    for (uint32_t i = 0; i < count; i++) {
        first[i].name = "";
    }
    ilpi_list(image, ILP_MethodDef, job->reported, ILP_MethodDef_ParamList, &row, &end);
    for (; row < end; row++) {
        ilp_rid param = ilpi_list_row(image, ILP_Param, row);
        uint32_t sequence = ilp_cell(image, ILP_Param, param, ILP_Param_Sequence);
        uint32_t flags = ilp_cell(image, ILP_Param, param, ILP_Param_Flags);
        const char *name = ilp_string(image, ilp_cell(image, ILP_Param, param, ILP_Param_Name));
        if (sequence == 0 || sequence > count) { /* 0 is the return value (II.22.33) */
            continue;
        }
        first[sequence - 1].name = is_plain_name(name) ? name : "";
        first[sequence - 1].out = (flags & (ILPI_PARAM_IN | ILPI_PARAM_OUT)) == ILPI_PARAM_OUT;
    }
}

/* Applies a decision made by type alone. A `ref` or `in` argument is passed as the value that it
 * refers to; an `out` one has none yet. */
static void decide(const struct ilpi_method_job *job, struct ilpi_argument *argument)
{
    struct ilpi_decision *decision = &argument->decision;
    if (decision->reason == ILP_REASON_BYREF) {
        decision->by_reference = true;
        decision->reason = argument->out ? ILP_REASON_BYREF : decision->pointee;
    }
    decision->address = decision->reason == ILP_REASON_POINTER &&
                        job->action.pointers == ILP_POINTERS_INSPECT;
    if (decision->address) {
        decision->reason = ILP_REASON_INSPECTED;
    }
    switch (decision->reason) {
    case ILP_REASON_INSPECTED: argument->withheld = NULL; break;
    case ILP_REASON_BYREF: argument->withheld = "out"; break;
    case ILP_REASON_POINTER: argument->withheld = "pointer"; break;
    default: argument->withheld = "{...}"; break;
    }
}

/* Rows of GenericParam have the numbers 0, 1, ... without gaps (II.22.20). A nested type repeats
 * the parameters of those around it. */
static uint32_t type_parameter_count(const struct ilpi_method_job *job)
{
    uint32_t count = 0;
    while (ilpi_find_generic_param(job->module->image, ILP_TOKEN(ILP_TypeDef, job->owner), count) !=
           0) {
        count++;
    }
    return count;
}

/* The owner of the method as a type, with its own type parameters: C<!0, !1> inside of C
 * (II.23.2.12). */
static ilp_status own_type(const struct ilpi_method_job *job, uint32_t parameters,
                           struct ilp_bytes *type, struct ilp_error *error)
{
    struct ilpi_buf signature = {.alloc = job->module->alloc};
    ilp_token owner = ILP_TOKEN(ILP_TypeDef, job->owner);
    if (parameters != 0) {
        ilpi_buf_u8(&signature, ILP_ELEMENT_GENERICINST);
    }
    ilpi_buf_u8(&signature, ilpi_is_value_type_def(job->module->image, job->owner)
                                ? ILP_ELEMENT_VALUETYPE
                                : ILP_ELEMENT_CLASS);
    ilpi_buf_packed(&signature, ilpi_token_to_coded(ILPI_CODED_TypeDefOrRef, owner));
    if (parameters != 0) {
        ilpi_buf_packed(&signature, parameters);
    }
    for (uint32_t i = 0; i < parameters; i++) {
        ilpi_buf_u8(&signature, ILP_ELEMENT_VAR);
        ilpi_buf_packed(&signature, i);
    }
    void *copy = signature.status == ILP_OK
                     ? ilpi_arena_copy(&job->scratch->arena, signature.data, signature.size)
                     : NULL;
    *type = (struct ilp_bytes){copy, signature.size};
    ilpi_buf_free(&signature);
    return copy ? ILP_OK : ilpi_fail_memory(error, type->size);
}

/* `this` of a value type is a managed pointer, else an object (I.8.6.1.5). No signature has its
 * type. */
static ilp_status decide_self(const struct ilpi_method_job *job, struct ilpi_argument *self,
                              struct ilp_error *error)
{
    static const uint8_t object[] = {ILP_ELEMENT_OBJECT};
    struct ilp_image *image = job->module->image;
    struct ilpi_decision *decision = &self->decision;
    ilp_token owner = ILP_TOKEN(ILP_TypeDef, job->owner);
    *decision = (struct ilpi_decision){.reason = ILP_REASON_INSPECTED,
                                       .value = {object, sizeof object}};
    if (!ilpi_is_value_type_def(image, job->owner)) {
        return ILP_OK;
    }
    enum ilpi_value_type kind = ilpi_value_type_of(&job->module->policy.value_types, owner);
    bool boxable = kind == ILPI_VALUE_STRUCT || kind == ILPI_VALUE_ENUM;
    uint32_t parameters = type_parameter_count(job);
    decision->by_reference = true;
    decision->reason = boxable ? ILP_REASON_INSPECTED : ILP_REASON_BYREF_LIKE;
    decision->box = parameters == 0 ? ILPI_BOX_NAMED : ILPI_BOX_SPEC;
    decision->type = owner;
    self->withheld = boxable ? NULL : "{...}";
    ILPI_TRY(own_type(job, parameters, &decision->value, error));
    decision->spec = parameters == 0 ? decision->spec : decision->value;
    return ILP_OK;
}

/* An argument of an async method, by the field that holds it: a copy if it is the `this` of a
 * struct. */
static ilp_status decide_kept(const struct ilpi_method_job *job, struct ilpi_argument *argument,
                              struct ilp_error *error)
{
    const struct ilpi_kept_arguments *kept = &job->arguments.kept;
    const struct ilp_type *type = NULL;
    ilp_rid field = kept->fields[argument->number];
    if (field != 0) {
        ILPI_TRY(ilpi_field_type(job->module->image, field, &job->scratch->arena, &type, error));
    }
    if (!type) {
        argument->withheld = "unknown";
        argument->unknown = true;
        return ILP_OK;
    }
    ILPI_TRY(ilpi_policy_decide_type(&job->module->policy, job->owner, type->raw,
                                     &argument->decision, error));
    decide(job, argument);
    return ILP_OK;
}

/* The room that the instructions need, and the height of the stack. Both are upper bounds, computed
 * before any token is requested, so that a method can still be refused. */
static void measure(struct ilpi_method_job *job)
{
    struct ilpi_arguments *arguments = &job->arguments;
    bool native = job->binding->inspector->native;
    arguments->room = MAX_REST + ILPI_MAX_GUARD_OFF +
                      arguments->count * (native ? ILPI_MAX_NATIVE_ARGUMENT : MAX_ARGUMENT);
    arguments->height = native ? ILPI_NATIVE_ARGUMENT_HEIGHT : 2;
    for (uint32_t i = 0; i < arguments->count; i++) {
        const struct ilpi_argument *argument = &arguments->items[i];
        /* the array twice, the index, the argument, and a reference twice */
        uint32_t height = 4u + argument->decision.by_reference;
        job->result->withheld += argument->withheld != NULL;
        arguments->height = !argument->withheld && height > arguments->height ? height
                                                                              : arguments->height;
    }
    job->result->arguments = true;
}

/* `reported` is the method whose arguments these are: for a MoveNext it is the kickoff method,
 * whose arguments are in fields then (at_sites). */
ilp_status ilpi_arguments_plan(struct ilpi_method_job *job, struct ilp_error *error)
{
    struct ilp_image *image = job->module->image;
    struct ilpi_arguments *arguments = &job->arguments;
    uint32_t blob = ilp_cell(image, ILP_MethodDef, job->reported, ILP_MethodDef_Signature);
    bool at_sites = ilpi_passes_at_sites(job);
    struct ilp_sig *sig;
    ILPI_TRY(ilp_sig_read(&sig, ilp_blob(image, blob), ILP_SIG_METHOD,
                          ilpi_blob_offset(image, blob), &job->scratch->arena, error));
    bool has_this = (sig->convention & (ILP_CALL_HASTHIS | ILP_CALL_EXPLICITTHIS)) ==
                    ILP_CALL_HASTHIS;
    bool self = has_this && job->action.self && !ilpi_is_constructor(job);
    if (sig->param_count > UINT16_MAX - (uint32_t)has_this) {
        return ilpi_fail(error, ILP_E_TOO_MANY, ILPI_NO_OFFSET, 0, "more than %u parameters",
                         UINT16_MAX);
    }
    arguments->count = sig->param_count + self;
    arguments->items = ilpi_arena_array(&job->scratch->arena, arguments->count,
                                        sizeof *arguments->items);
    if (!arguments->items) {
        return ilpi_fail_memory(error, arguments->count * sizeof *arguments->items);
    }
    if (self) {
        *arguments->items = (struct ilpi_argument){.name = "this", .self = true};
        ILPI_TRY(at_sites ? decide_kept(job, arguments->items, error)
                          : decide_self(job, arguments->items, error));
    }
    struct ilpi_argument *argument = arguments->items + self;
    read_names(job, argument, sig->param_count);
    uint32_t number = has_this; /* for ldarg `this` is 0 */
    for (const struct ilp_type *type = sig->params; type; type = type->next, argument++) {
        argument->number = number++;
        if (at_sites) {
            ILPI_TRY(decide_kept(job, argument, error));
            continue;
        }
        ilpi_policy_decide_parameter(&job->module->policy, job->owner, job->method, type,
                                     &argument->decision);
        decide(job, argument);
    }
    measure(job);
    return ILP_OK;
}

/* ---- the instructions ---- */

/* "Ns.Type::Method(a, b=out)": a parameter without a name gets its position. */
static ilp_status name_token(struct ilpi_method_job *job, ilp_token *token, struct ilp_error *error)
{
    const struct ilp_emitter *emitter = job->module->emitter;
    struct ilpi_buf *name = &job->scratch->name;
    ILPI_TRY(ilpi_name_reported(job, error));
    for (uint32_t i = 0; i < job->arguments.count; i++) {
        const struct ilpi_argument *argument = &job->arguments.items[i];
        ilpi_buf_text(name, i == 0 ? "(" : ", ");
        if (argument->name[0] != '\0') {
            ilpi_name_put(name, argument->name);
        } else {
            ilpi_buf_format(name, "#%u", i + 1);
        }
        if (argument->withheld) {
            ilpi_buf_format(name, "=%s", argument->withheld);
        }
    }
    ilpi_buf_text(name, job->arguments.count == 0 ? "()" : ")");
    ilpi_buf_text(name, ilpi_passes_at_sites(job) ? " ended" : "");
    return name->status == ILP_OK
               ? emitter->user_string(emitter->user, ilpi_buf_bytes(name), token, error)
               : ilpi_fail_memory(error, name->size);
}

/* The tokens of the fields that hold the arguments. Those of a generic type are MemberRefs of its
 * instance (II.22.25). */
static ilp_status make_field_tokens(struct ilpi_method_job *job, struct ilp_error *error)
{
    const struct ilp_emitter *emitter = job->module->emitter;
    const struct ilp_image *image = job->module->image;
    uint32_t parameters = type_parameter_count(job);
    ilp_token instance = 0;
    if (parameters != 0) {
        struct ilp_bytes type;
        ILPI_TRY(own_type(job, parameters, &type, error));
        ILPI_TRY(emitter->type_spec(emitter->user, type, &instance, error));
    }
    for (uint32_t i = 0; i < job->arguments.count; i++) {
        struct ilpi_argument *argument = &job->arguments.items[i];
        ilp_rid field = job->arguments.kept.fields[argument->number];
        argument->field = ILP_TOKEN(ILP_Field, field);
        if (instance != 0 && !argument->withheld) {
            const char *name = ilp_string(image, ilp_cell(image, ILP_Field, field, ILP_Field_Name));
            struct ilp_bytes type =
                ilp_blob(image, ilp_cell(image, ILP_Field, field, ILP_Field_Signature));
            ILPI_TRY(
                emitter->member_ref(emitter->user, instance, name, type, &argument->field, error));
        }
    }
    return ILP_OK;
}

/* Creates and fills the array on the stack. newarr has set all elements to null, and those of
 * withheld arguments stay so. */
static ilp_status put_array(struct ilpi_method_job *job, ilp_token object, uint8_t **to,
                            struct ilp_error *error)
{
    *to = ilpi_put_i4(*to, job->arguments.count);
    *to = ilpi_put_token(*to, ILPI_OP_NEWARR, object);
    for (uint32_t i = 0; i < job->arguments.count; i++) {
        const struct ilpi_argument *argument = &job->arguments.items[i];
        ilp_token box;
        if (argument->withheld) {
            continue;
        }
        ILPI_TRY(ilpi_box_token(job->module, &argument->decision, &box, error));
        *to = ilpi_put(*to, ILPI_OP_DUP);
        *to = ilpi_put_i4(*to, i);
        *to = ilpi_put_argument_value(*to, argument);
        *to = ilpi_put_object(*to, &argument->decision, box);
        *to = ilpi_put(*to, ILPI_OP_STELEM_REF);
    }
    return ILP_OK;
}

/* What follows the call, inside a guard. */
static uint8_t *put_handler(const struct ilpi_method_job *job, uint8_t *to, uint8_t *start,
                            struct ilpi_arguments *arguments)
{
    uint8_t none[8];
    uint8_t *end = ilpi_put_local(ilpi_put(none, ILPI_OP_LDNULL), ILPI_LOCAL_STORE,
                                  arguments->state);
    to = ilpi_guard_put_leave(job, to, start, &arguments->guard, (uint8_t)(end - none));
    to = ilpi_guard_put_caught(job, to);
    memcpy(to, none, (size_t)(end - none));
    to += end - none;
    to = ilpi_put(to, ILPI_OP_LEAVE_S);
    *to++ = 0;
    arguments->guard.end = (uint32_t)(to - start);
    return to;
}

/* Instructions are written into room of the planned size; every ilpi_put_*() has a maximum in
 * ILPI_MAX_*. */
ilp_status ilpi_arguments_build(struct ilpi_method_job *job, struct ilp_error *error)
{
    struct ilpi_arguments *arguments = &job->arguments;
    if (ilpi_passes_at_sites(job)) {
        ILPI_TRY(make_field_tokens(job, error));
    }
    if (job->binding->inspector->native) {
        return ilpi_native_arguments_build(job, error);
    }
    const struct ilpi_overload *overload = job->binding->inspector->arguments;
    bool named = overload->takes == ILP_PASS_NAME;
    ilp_token name;
    ilp_token object;
    ilp_token call;
    uint8_t *start = ilpi_arena_alloc(&job->scratch->arena, arguments->room);
    if (!start) {
        return ilpi_fail_memory(error, arguments->room);
    }
    if (named) {
        ILPI_TRY(name_token(job, &name, error));
    }
    ILPI_TRY(ilpi_object_token(job->module, &object, error));
    if (job->action.guard) {
        ILPI_TRY(ilpi_guard_tokens(job, error));
    }
    ILPI_TRY(ilpi_call_token(job, overload, &call, error));
    uint8_t *to = job->action.guard ? ilpi_guard_put_check(job, start, start, &arguments->guard)
                                    : start;
    ILPI_TRY(put_array(job, object, &to, error));
    to = named ? ilpi_put_token(to, ILPI_OP_LDSTR, name) : to;
    to = ilpi_put_token(to, ILPI_OP_CALL, call);
    to = ilpi_put_local(to, ILPI_LOCAL_STORE, arguments->state);
    to = job->action.guard ? put_handler(job, to, start, arguments) : to;
    arguments->bytes = (struct ilp_bytes){start, (size_t)(to - start)};
    return ILP_OK;
}
