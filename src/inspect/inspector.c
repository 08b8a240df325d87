/* Finds the methods of an inspector assembly that can be called with a value (II.22.26, II.23.2.1).
 *
 * Each method of the inspector class that has one of the known names is checked: flags, generic
 * parameters, then the signature, which gives its form, what follows the value, and whether it has
 * a state. A method that fits no form is reported only if the inspector has nothing else to call.
 *
 *   name          signature                                  form
 *   MyInspector   void (object [, string|long|handle])       OBJECT
 *   MyInspector   void|T (T [, ...])     T a type            TYPED
 *   MyInspector,  void|T <T>(T [, ...])                      GENERIC
 *     Inspect
 *   MyArguments   object (object[] [, string])               ARGUMENTS
 *   MyException   void (object [, ...])                      EXCEPTION
 *
 * With a state an object is the last parameter of the first three and of MyException. */
#include "inspect/inspector.h"

#include "base/bytes.h"
#include "metadata/flags.h"
#include "types/names.h"

/* Typed and boxing methods are called MyInspector, generic ones MyInspector or Inspect. */
static const char method_name[] = "MyInspector";
static const char generic_name[] = "Inspect";
static const char arguments_name[] = "MyArguments";
static const char exception_name[] = "MyException";

bool ilpi_is_inspector_method(const struct ilp_image *image, uint32_t name)
{
    return ilpi_string_is(image, name, method_name) || ilpi_string_is(image, name, generic_name) ||
           ilpi_string_is(image, name, exception_name);
}

/* ---- overloads ---- */

/* GenericParamAttributes (II.23.1.7): class, struct and new(); AllowByRefLike is C# 13's `allows
 * ref struct`. */
#define GENERIC_PARAM_CONSTRAINTS 0x1Cu
#define GENERIC_PARAM_ALLOWS_REF  0x20u

/* Why a method does not qualify, as a text that continues its signature; NULL: it does. */
static const char *fault_of_flags(const struct ilp_image *image, ilp_rid type, ilp_rid method)
{
    uint32_t flags = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Flags);
    uint32_t class_flags = ilp_cell(image, ILP_TypeDef, type, ILP_TypeDef_Flags);
    if ((class_flags & ILPI_TYPE_VISIBILITY_MASK) != ILPI_TYPE_PUBLIC) {
        return "is in a class that is not public at top level";
    }
    if (ilpi_find_generic_param(image, ILP_TOKEN(ILP_TypeDef, type), 0) != 0) {
        return "is in a generic class";
    }
    if ((flags & ILPI_METHOD_ACCESS_MASK) != ILPI_METHOD_PUBLIC) {
        return "is not public";
    }
    return (flags & ILPI_METHOD_STATIC) == 0 ? "is not static" : NULL;
}

/* A value as a rewritten method has it on its stack: not a reference, not a pointer, without
 * modifiers. */
static bool is_value(const struct ilp_type *type)
{
    switch (type->element) {
    case ILP_ELEMENT_VOID:
    case ILP_ELEMENT_BYREF:
    case ILP_ELEMENT_PTR:
    case ILP_ELEMENT_FNPTR:
    case ILP_ELEMENT_TYPEDBYREF:
    case ILP_ELEMENT_CMOD_REQD:
    case ILP_ELEMENT_CMOD_OPT:
    case ILP_ELEMENT_VAR: return false;
    default: return true;
    }
}

static const char other_parameters[] =
    "takes something else than a value, or a value and a string, long or RuntimeMethodHandle";

/* The parameter after the value, an ILP_PASS_*; false: it cannot be passed. */
static bool read_second(const struct ilp_image *image, const struct ilp_type *second,
                        uint8_t *takes)
{
    const char *name_space = "";
    const char *name = "";
    if (second && second->element == ILP_ELEMENT_VALUETYPE) {
        ilpi_type_name(image, second->token, &name_space, &name);
    }
    if (!second) {
        *takes = ILP_PASS_VALUE;
    } else if (strcmp(name, "RuntimeMethodHandle") == 0 && strcmp(name_space, "System") == 0) {
        *takes = ILP_PASS_HANDLE;
    } else {
        *takes = second->element == ILP_ELEMENT_I8 ? ILP_PASS_ID : ILP_PASS_NAME;
    }
    return *takes != ILP_PASS_NAME || second->element == ILP_ELEMENT_STRING;
}

/* The parameters after the value; an object there, or after the name, is the state:
 *
 *   after the value                takes        state
 *   none                           VALUE        no
 *   object                         VALUE        yes
 *   string, long or handle         NAME, ID     no
 *   one of these, object           or HANDLE    yes */
static bool read_rest(const struct ilp_image *image, const struct ilp_type *second,
                      struct ilpi_overload *overload)
{
    const struct ilp_type *last = second && second->next ? second->next : second;
    overload->state = last && last->element == ILP_ELEMENT_OBJECT;
    return (last == second || (overload->state && !last->next)) &&
           read_second(image, overload->state && last == second ? NULL : second, &overload->takes);
}

/* Static, and with the value as first parameter: a plain type, or !!0 of a method with one type
 * parameter. Nothing else can be called for every type of value. */
static const char *fault_of_params(const struct ilp_image *image, const struct ilp_sig *sig,
                                   struct ilpi_overload *overload)
{
    bool taken = sig->params && sig->generic_count <= 1 &&
                 (sig->convention & (ILP_CALL_MASK | ILP_CALL_HASTHIS)) == ILP_CALL_DEFAULT &&
                 read_rest(image, sig->params->next, overload) && is_value(sig->params);
    bool is_parameter = taken && sig->params->element == ILP_ELEMENT_MVAR;
    return taken && is_parameter == (sig->generic_count == 1) &&
                   (!is_parameter || sig->params->number == 0)
               ? NULL
               : other_parameters;
}

/* A generic method must accept every type. */
static const char *fault_of_generic(const struct ilp_image *image, ilp_rid method, bool *allows_ref)
{
    ilp_rid param = ilpi_find_generic_param(image, ILP_TOKEN(ILP_MethodDef, method), 0);
    uint32_t flags = ilp_cell(image, ILP_GenericParam, param, ILP_GenericParam_Flags);
    bool constrained = (flags & GENERIC_PARAM_CONSTRAINTS) != 0;
    for (ilp_rid row = 1; row <= image->tables[ILP_GenericParamConstraint].count; row++) {
        constrained = constrained || ilp_cell(image, ILP_GenericParamConstraint, row,
                                              ILP_GenericParamConstraint_Owner) == param;
    }
    *allows_ref = (flags & GENERIC_PARAM_ALLOWS_REF) != 0;
    return constrained ? "has a type parameter with constraints" : NULL;
}

/* What a method of an inspector takes. It returns void, or the type of the value: then it replaces
 * the value. An object cannot replace a value. */
static const char *fault_of_sig(const struct ilp_image *image, ilp_rid method,
                                const struct ilp_sig *sig, struct ilpi_overload *overload)
{
    const struct ilp_type *type = sig->params;
    const char *fault = fault_of_params(image, sig, overload);
    if (fault) {
        return fault;
    }
    overload->type = type;
    overload->replaces = sig->ret->element != ILP_ELEMENT_VOID;
    overload->form = type->element == ILP_ELEMENT_OBJECT ? ILPI_OVERLOAD_OBJECT
                                                         : ILPI_OVERLOAD_TYPED;
    if (sig->generic_count != 0) {
        overload->form = ILPI_OVERLOAD_GENERIC;
    }
    if (overload->name == exception_name) {
        bool object = overload->form == ILPI_OVERLOAD_OBJECT && !overload->replaces;
        overload->form = ILPI_OVERLOAD_EXCEPTION;
        return object ? NULL : "takes something else than an object";
    }
    if (overload->replaces &&
        (overload->form == ILPI_OVERLOAD_OBJECT || !ilpi_bytes_equal(sig->ret->raw, type->raw))) {
        return overload->form == ILPI_OVERLOAD_OBJECT ? "returns something"
                                                      : "returns something else than it takes";
    }
    if (overload->form == ILPI_OVERLOAD_GENERIC) {
        return fault_of_generic(image, method, &overload->allows_ref);
    }
    return overload->name == generic_name ? "is not generic" : NULL;
}

/* object MyArguments(object[]), or (object[], string). */
static const char *fault_of_arguments(const struct ilp_sig *sig, struct ilpi_overload *overload)
{
    const struct ilp_type *second = sig->params ? sig->params->next : NULL;
    overload->form = ILPI_OVERLOAD_ARGUMENTS;
    overload->takes = second ? ILP_PASS_NAME : ILP_PASS_VALUE;
    bool taken = sig->convention == ILP_CALL_DEFAULT && sig->ret->element == ILP_ELEMENT_OBJECT &&
                 sig->params && sig->params->element == ILP_ELEMENT_SZARRAY &&
                 sig->params->inner->element == ILP_ELEMENT_OBJECT &&
                 (!second || (second->element == ILP_ELEMENT_STRING && !second->next));
    return taken ? NULL : "is not object (object[]) or object (object[], string)";
}

/* Reads a method with one of the names. */
static ilp_status read_overload(struct ilp_inspector *inspector, ilp_rid type, ilp_rid method,
                                struct ilpi_overload *overload, const char **fault,
                                struct ilp_error *error)
{
    const struct ilp_image *image = inspector->assembly;
    uint32_t name = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Name);
    uint32_t blob = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Signature);
    struct ilp_sig *sig;
    *overload = (struct ilpi_overload){
        .method = method,
        .name = ilpi_string_is(image, name, generic_name) ? generic_name : method_name};
    if (ilpi_string_is(image, name, arguments_name)) {
        overload->name = arguments_name;
    } else if (ilpi_string_is(image, name, exception_name)) {
        overload->name = exception_name;
    }
    *fault = fault_of_flags(image, type, method);
    if (*fault) {
        return ILP_OK;
    }
    ilp_status status = ilp_sig_read(&sig, ilp_blob(image, blob), ILP_SIG_METHOD,
                                     ilpi_blob_offset(image, blob), &inspector->arena, error);
    if (status != ILP_OK) {
        *fault = "has a signature that is not valid";
        return ilp_status_class(status) == ILP_CLASS_MEMORY ? status : ILP_OK;
    }
    *fault = overload->name == arguments_name ? fault_of_arguments(sig, overload)
                                              : fault_of_sig(image, method, sig, overload);
    return ILP_OK;
}

/* With two methods for one type, the call would be ambiguous. */
static ilp_status check_ambiguous(const struct ilp_inspector *inspector,
                                  const struct ilpi_overload *overload, struct ilp_error *error)
{
    for (size_t i = 0; i < inspector->overload_count; i++) {
        const struct ilpi_overload *other = &inspector->overloads[i];
        if (other->form == overload->form && other->takes == overload->takes &&
            other->state == overload->state &&
            (overload->form != ILPI_OVERLOAD_TYPED ||
             ilpi_bytes_equal(other->type->raw, overload->type->raw))) {
            static const char *const taken[ILPI_OVERLOAD_FORMS] = {
                "object", "one type", "any type", [ILPI_OVERLOAD_ARGUMENTS] = "arguments",
                [ILPI_OVERLOAD_EXCEPTION] = "exceptions"};
            static const char *const passed[ILP_PASS_COUNT] = {
                [ILP_PASS_NAME] = " and the method's name",
                [ILP_PASS_VALUE] = "",
                [ILP_PASS_ID] = " and the method's id",
                [ILP_PASS_HANDLE] = " and the method's handle"};
            return ilpi_fail(error, ILP_E_BAD_INSPECTOR, ILPI_NO_OFFSET, 0,
                             "%s.%s has two methods for %s%s, %s and %s: leave one out",
                             inspector->name_space, inspector->type_name, taken[overload->form],
                             passed[overload->takes], other->name, overload->name);
        }
    }
    return ILP_OK;
}

/* Whether one takes a value without a state, which not every value has. */
static bool takes_values(const struct ilpi_overload *overloads, size_t count)
{
    bool takes = false;
    for (size_t i = 0; i < count; i++) {
        takes = takes || !ilpi_overload_is_on_request(&overloads[i]);
    }
    return takes;
}

/* The overloads of one type, in the order of its methods. */
static ilp_status read_overloads(struct ilp_inspector *inspector, ilp_rid type,
                                 struct ilpi_overload **overloads, size_t *count,
                                 struct ilp_error *error)
{
    const struct ilp_image *image = inspector->assembly;
    ilp_rid first;
    ilp_rid end;
    ilpi_list(image, ILP_TypeDef, type, ILP_TypeDef_MethodList, &first, &end);
    size_t most = first < end ? end - first : 0;
    *count = 0;
    *overloads = ilpi_arena_array(&inspector->arena, most, sizeof **overloads);
    if (!*overloads) {
        return ilpi_fail_memory(error, most * sizeof **overloads);
    }
    for (; first < end; first++) {
        ilp_rid method = ilpi_list_row(image, ILP_MethodDef, first);
        const char *fault;
        uint32_t name = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Name);
        if (ilpi_is_inspector_method(image, name) || ilpi_string_is(image, name, arguments_name)) {
            ILPI_TRY(read_overload(inspector, type, method, *overloads + *count, &fault, error));
            *count += fault == NULL;
        }
    }
    *count = takes_values(*overloads, *count) ? *count : 0;
    return ILP_OK;
}

/* Records an overload. Of those for arguments, the one that takes a name is preferred. */
static void note_overload(struct ilp_inspector *inspector, const struct ilpi_overload *overload)
{
    if (overload->form == ILPI_OVERLOAD_ARGUMENTS) {
        bool named = inspector->arguments && inspector->arguments->takes == ILP_PASS_NAME;
        inspector->arguments = named ? inspector->arguments : overload;
    } else if (overload->form == ILPI_OVERLOAD_EXCEPTION) {
        inspector->exceptions[overload->state][overload->takes] = overload;
    } else {
        if (overload->form != ILPI_OVERLOAD_TYPED) {
            inspector->values[overload->state][overload->form][overload->takes] = overload;
        }
        if (overload->state) {
            inspector->stateful[overload->takes] = true;
        } else {
            inspector->forms[overload->form][overload->takes] = true;
        }
    }
}

/* Why there is nothing to call. Inspect is a common name: only a method that is likely meant is
 * reported. The first MyInspector ends the search, and replaces an Inspect found before. */
static ilp_status fail_without_overload(struct ilp_inspector *inspector, struct ilp_error *error)
{
    const struct ilp_image *image = inspector->assembly;
    ilp_rid near = 0;
    const char *near_fault = NULL;
    for (ilp_rid method = 1; method <= image->tables[ILP_MethodDef].count; method++) {
        uint32_t name = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Name);
        ilp_rid type = ilp_owner_of_method(image, method);
        struct ilpi_overload overload;
        const char *fault;
        if (ilpi_string_is(image, name, method_name) ||
            (near == 0 && ilpi_string_is(image, name, generic_name) &&
             !fault_of_flags(image, type, method))) {
            ILPI_TRY(read_overload(inspector, type, method, &overload, &fault, error));
            near = method;
            near_fault = fault;
        }
        if (near == method && ilpi_string_is(image, name, method_name)) {
            break;
        }
    }
    if (near == 0) {
        return ilpi_fail(error, ILP_E_BAD_INSPECTOR, ILPI_NO_OFFSET, 0,
                         "no public class has a method `public static void %s(object)`, "
                         "`(object, string)`, one for a type or one for any type, `<T>(T)`",
                         method_name);
    }
    struct ilpi_buf text = {.alloc = &inspector->alloc};
    ilpi_name_signature(image, &text, near);
    ilpi_buf_u8(&text, 0);
    ilp_status status =
        text.status == ILP_OK
            ? ilpi_fail(error, ILP_E_BAD_INSPECTOR, ILPI_NO_OFFSET, ILP_TOKEN(ILP_MethodDef, near),
                        "nothing in it can be called: %.140s %s", (const char *)text.data,
                        near_fault ? near_fault : other_parameters)
            : ilpi_fail_memory(error, text.size);
    ilpi_buf_free(&text);
    return status;
}

/* Exactly one class may have such methods: with two it would depend on their order which one is
 * called. */
static ilp_status find_class(struct ilp_inspector *inspector, struct ilp_error *error)
{
    const struct ilp_image *image = inspector->assembly;
    for (ilp_rid type = 1; type <= image->tables[ILP_TypeDef].count; type++) {
        struct ilpi_overload *overloads;
        size_t count;
        ILPI_TRY(read_overloads(inspector, type, &overloads, &count, error));
        if (count == 0) {
            continue;
        }
        if (inspector->overloads) {
            return ilpi_fail(error, ILP_E_BAD_INSPECTOR, ILPI_NO_OFFSET,
                             ILP_TOKEN(ILP_TypeDef, type),
                             "more than one public class has a method %s", method_name);
        }
        inspector->overloads = overloads;
        ilpi_type_name(image, ILP_TOKEN(ILP_TypeDef, type), &inspector->name_space,
                       &inspector->type_name);
        for (; inspector->overload_count < count; inspector->overload_count++) {
            const struct ilpi_overload *overload = &overloads[inspector->overload_count];
            ILPI_TRY(check_ambiguous(inspector, overload, error));
            note_overload(inspector, overload);
        }
    }
    return inspector->overloads ? ILP_OK : fail_without_overload(inspector, error);
}

/* The class is found now, and its overloads: an assembly that is no inspector is refused before any
 * module is read. */
ilp_status ilp_inspector_open(struct ilp_inspector **out, struct ilp_image *assembly,
                              const struct ilp_allocator *allocator, struct ilp_error *error)
{
    *out = NULL;
    struct ilp_assembly_name identity;
    if (!ilp_image_assembly_name(assembly, &identity)) {
        return ilpi_fail(error, ILP_E_BAD_INSPECTOR, ILPI_NO_OFFSET, 0,
                         "a module without an assembly's identity cannot be referenced");
    }
    /* An Assembly row always has a full key; the flag marks it so in the AssemblyRef. */
    identity.flags = identity.key.size != 0 ? ILPI_ASSEMBLY_PUBLIC_KEY : 0;
    struct ilp_inspector *inspector = ilpi_object_open(sizeof *inspector, allocator, error);
    if (!inspector) {
        return ILP_E_NO_MEMORY;
    }
    inspector->assembly = assembly;
    inspector->identity = identity;
    inspector->arena.alloc = &inspector->alloc;
    ilp_status status = find_class(inspector, error);
    if (status != ILP_OK) {
        ilp_inspector_close(inspector);
        return status;
    }
    *out = inspector;
    return ILP_OK;
}

void ilp_inspector_close(struct ilp_inspector *inspector)
{
    if (inspector) {
        ilpi_arena_free(&inspector->arena);
        ilpi_object_close(&inspector->alloc, sizeof *inspector);
    }
}

/* Whether a TypeRef names the inspector's class in an assembly of the inspector's name. */
static bool is_inspector_type(const struct ilp_inspector *inspector, const struct ilp_image *image,
                              ilp_token type)
{
    ilp_rid rid = ILP_TOKEN_RID(type);
    if (ILP_TOKEN_TABLE(type) != ILP_TypeRef) {
        return false;
    }
    ilp_token scope = ilp_cell(image, ILP_TypeRef, rid, ILP_TypeRef_ResolutionScope);
    return ILP_TOKEN_TABLE(scope) == ILP_AssemblyRef &&
           ilpi_string_is(image, ilp_cell(image, ILP_TypeRef, rid, ILP_TypeRef_TypeName),
                          inspector->type_name) &&
           ilpi_string_is(image, ilp_cell(image, ILP_TypeRef, rid, ILP_TypeRef_TypeNamespace),
                          inspector->name_space) &&
           ilpi_string_is(
               image, ilp_cell(image, ILP_AssemblyRef, ILP_TOKEN_RID(scope), ILP_AssemblyRef_Name),
               inspector->identity.name);
}

/* One bit for each MemberRef, computed when the module is opened: sites.c looks at every call
 * before a ret. */
ilp_status ilpi_inspector_calls(const struct ilp_inspector *inspector,
                                const struct ilp_image *image, struct ilp_arena *arena,
                                uint8_t **calls, struct ilp_error *error)
{
    uint32_t count = image->tables[ILP_MemberRef].count;
    for (ilp_rid rid = 1; rid <= count; rid++) {
        if (!ilpi_is_inspector_method(image,
                                      ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Name)) ||
            !is_inspector_type(inspector, image,
                               ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Class))) {
            continue;
        }
        if (!*calls) {
            *calls = ilpi_arena_alloc(arena, (size_t)count / 8 + 1);
            if (!*calls) {
                return ilpi_fail_memory(error, (size_t)count / 8 + 1);
            }
        }
        (*calls)[rid / 8] |= (uint8_t)(1u << rid % 8);
    }
    return ILP_OK;
}
