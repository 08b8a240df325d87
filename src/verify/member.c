/* Resolves tokens of methods and fields (II.22.25, II.22.26, II.22.29). A MemberRef names a type, a
 * name and a signature; its definition is the one in that type, or the nearest base, that has both.
 *
 *   MethodDef   --> from_definition                      KNOWN_ALL
 *   MemberRef   --> from_reference --> find_method       _SIGNATURE, _MISSING or _ALL
 *   MethodSpec  --> from_spec --> one of these, with the method's arguments
 *   StandAloneSig (calli)                                _SIGNATURE
 *
 * Each row is resolved once and remembered, also if it is not valid. None of the functions returns
 * NULL: without memory or a valid row they give no_method and no_field, which have KNOWN_NOT. */
#include "verify/member.h"

#include "verify/type_table.h"

#define MAX_BASES 64u

struct ilpi_members {
    const struct ilpi_method **methods; /* per row: MethodDef, MemberRef, MethodSpec */
    const struct ilpi_method **refs;
    const struct ilpi_method **specs;
    const struct ilpi_vfield **fields;
    uint32_t *field_refs; /* per MemberRef: 1 + index of ref_fields, since few of them are fields */
    ILPI_LIST(const struct ilpi_vfield *) ref_fields;
    struct ilpi_method no_method;
    struct ilpi_vfield no_field;
};

/* A method or field is described once for each row; most rows are used by many instructions. Arrays
 * of pointers by row are the memory; what is not found is described as well, by the two shared
 * `no_` members. */
void ilpi_members_open(struct ilpi_verifier *verifier)
{
    struct ilpi_members *members = ilpi_verify_take(verifier, 1, sizeof *members);
    verifier->members = members;
    if (members && verifier->types) {
        members->methods = ilpi_verify_take(verifier, ilpi_verifier_rows(verifier, ILP_MethodDef),
                                            sizeof(void *));
        members->refs = ilpi_verify_take(verifier, ilpi_verifier_rows(verifier, ILP_MemberRef),
                                         sizeof(void *));
        members->specs = ilpi_verify_take(verifier, ilpi_verifier_rows(verifier, ILP_MethodSpec),
                                          sizeof(void *));
        members->fields = ilpi_verify_take(verifier, ilpi_verifier_rows(verifier, ILP_Field),
                                           sizeof(void *));
        members->field_refs = ilpi_verify_take(
            verifier, ilpi_verifier_rows(verifier, ILP_MemberRef), sizeof *members->field_refs);
        members->no_method = (struct ilpi_method){.name = "", .ret = verifier->types->unknown};
        members->no_field = (struct ilpi_vfield){.name = "", .type = verifier->types->unknown};
    }
}

void ilpi_members_close(struct ilpi_verifier *verifier)
{
    if (verifier->members) { /* everything else is in the arena */
        ILPI_LIST_FREE(&verifier->alloc, &verifier->members->ref_fields);
    }
}

/* ---- signatures ---- */

/* Fills in the signature, with `args` substituted. False when it is invalid. The signature's tree
 * is temporary; parameters become types in the verifier's arena, charged to its budget first. */
static bool read_method(struct ilpi_verifier *verifier, struct ilp_image *image, uint32_t blob,
                        const struct ilpi_args *args, struct ilpi_method *method)
{
    struct ilp_arena arena = {.alloc = &verifier->alloc};
    struct ilp_bytes bytes = ilp_blob(image, blob);
    const struct ilp_sig *sig = ilpi_can_keep(verifier, bytes.size * sizeof(void *))
                                    ? ilpi_verify_sig(verifier, bytes, ILP_SIG_METHOD, &arena)
                                    : NULL;
    if (sig) {
        const struct ilpi_vtype **params = ilpi_verify_take(verifier, sig->param_count,
                                                            sizeof *params);
        uint32_t i = 0;
        for (const struct ilp_type *param = sig->params; params && param; param = param->next) {
            params[i++] = ilpi_type_substituted(verifier, ilpi_type_load(verifier, image, param),
                                                args);
        }
        method->convention = sig->convention;
        method->param_count = params ? sig->param_count : 0;
        method->required_count = sig->required_count;
        method->generic_count = sig->generic_count;
        method->params = params;
        method->ret = ilpi_type_substituted(verifier, ilpi_type_load(verifier, image, sig->ret),
                                            args);
    }
    bool read = sig != NULL;
    ilpi_arena_free(&arena);
    return read;
}

/* An arena of its own: `scratch` may hold a tree in use. */
static bool read_field(struct ilpi_verifier *verifier, struct ilp_image *image, uint32_t blob,
                       const struct ilpi_args *args, struct ilpi_vfield *field)
{
    struct ilp_arena arena = {.alloc = &verifier->alloc};
    struct ilp_bytes bytes = ilp_blob(image, blob);
    const struct ilp_sig *sig = ilpi_verify_sig(verifier, bytes, ILP_SIG_FIELD, &arena);
    bool read = sig != NULL;
    if (read) {
        field->type = ilpi_type_substituted(verifier, ilpi_type_load(verifier, image, sig->ret),
                                            args);
    }
    ilpi_arena_free(&arena);
    return read;
}

/* ---- finding definitions ---- */

/* A MemberRef names a member of a class, of an instance or of an array (II.22.25, II.14.2). .NET 10
 * refuses one of a type parameter, "parent with no members"; Mono 6.8 accepts constructors and
 * fields of the parameter's argument, but no other methods. */
static bool has_no_members(const struct ilpi_vtype *type)
{
    return type->kind == ILP_ELEMENT_VAR || type->kind == ILP_ELEMENT_MVAR ||
           type->kind == ILP_ELEMENT_PTR || type->kind == ILP_ELEMENT_BYREF ||
           type->kind == ILP_ELEMENT_FNPTR;
}

/* Three outcomes: one different type decides NO; a type that is not found makes it UNKNOWN unless a
 * later one decides. Of the calling conventions only `this` is compared here. */
static enum ilp_tristate same_signature(struct ilpi_verifier *verifier,
                                        const struct ilpi_method *left,
                                        const struct ilpi_method *right)
{
    if (left->param_count != right->param_count || left->generic_count != right->generic_count ||
        ((left->convention ^ right->convention) & ILP_CALL_HASTHIS) != 0) {
        return ILP_NO;
    }
    enum ilp_tristate all = ilpi_type_is_same(verifier, left->ret, right->ret);
    for (uint32_t i = 0; all != ILP_NO && i < left->param_count; i++) {
        enum ilp_tristate one = ilpi_type_is_same(verifier, left->params[i], right->params[i]);
        all = one == ILP_YES ? all : one;
    }
    return all;
}

/* A method of one definition by name and signature; `wanted` NULL: the first with the name. NO:
 * there is none. MAYBE: there may be several, since types of their signatures are not found. */
static enum ilp_tristate find_in_def(struct ilpi_verifier *verifier, const struct ilpi_def *def,
                                     const struct ilpi_args *args, const char *name,
                                     const struct ilpi_method *wanted, ilp_rid *found)
{
    struct ilp_image *image = def->image;
    uint32_t candidates = 0;
    ilp_rid first;
    ilp_rid end;
    ilpi_list(image, ILP_TypeDef, ILP_TOKEN_RID(def->token), ILP_TypeDef_MethodList, &first, &end);
    for (ilp_rid position = first; position < end && ilpi_spend_work(verifier, 1); position++) {
        ilp_rid rid = ilpi_list_row(image, ILP_MethodDef, position);
        uint32_t blob = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Signature);
        struct ilpi_sig_call call;
        if (!ilpi_string_is(image, ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Name), name)) {
            continue;
        }
        if (!wanted) {
            *found = rid;
            return ILP_YES;
        }
        struct ilpi_method candidate = {.known = ILPI_KNOWN_NOT};
        if (ilpi_sig_call_shape(ilp_blob(image, blob), 0, &call, NULL) == ILP_OK &&
            (call.params == wanted->param_count || call.params == wanted->required_count) &&
            read_method(verifier, image, blob, args, &candidate)) {
            struct ilpi_method shortened = *wanted;
            shortened.param_count = call.params; /* a vararg call has more parameters than the
                                                    definition */
            enum ilp_tristate same = same_signature(verifier, &candidate, &shortened);
            candidates += same != ILP_NO;
            *found = same != ILP_NO ? rid : *found;
            if (same == ILP_YES) {
                return ILP_YES;
            }
        }
    }
    if (candidates > 1) {
        return ILP_UNKNOWN;
    }
    return candidates == 1 ? ILP_YES : ILP_NO;
}

/* The definition in `type` or the nearest base; `raw` is the signature in terms of the owner's
 * parameters. Fills image, rid, declarer and known.
 *
 * Signatures are compared before the arguments of the owner are substituted: in C<int32>, M(!0) and
 * M(int32) are two methods, and would look the same afterwards. So `at` climbs from the definition
 * seen from inside, and `declarer` beside it with the real arguments. */
static void find_method(struct ilpi_verifier *verifier, struct ilpi_method *method,
                        const struct ilpi_method *raw)
{
    struct ilpi_def *def = ilpi_def_of_type(verifier, method->owner);
    const struct ilpi_vtype *at = ilpi_type_self(verifier, def);
    const struct ilpi_vtype *declarer = method->owner;
    method->known = ILPI_KNOWN_MISSING;
    if (has_no_members(method->owner)) {
        return;
    }
    for (unsigned i = 0; at && i < MAX_BASES; i++) {
        def = ilpi_def_of_type(verifier, at);
        if (!def || def->what == ILPI_WHAT_UNRESOLVED) {
            method->known = ILPI_KNOWN_SIGNATURE;
            return;
        }
        struct ilpi_args args = ilpi_args_of(at);
        ilp_rid rid = 0;
        enum ilp_tristate found = find_in_def(verifier, def, &args, method->name, raw, &rid);
        if (found == ILP_UNKNOWN) {
            method->known = ILPI_KNOWN_SIGNATURE;
            return;
        }
        if (found == ILP_YES) {
            method->known = ILPI_KNOWN_ALL;
            method->image = def->image;
            method->rid = rid;
            method->declarer = declarer;
            method->flags = (uint16_t)ilp_cell(def->image, ILP_MethodDef, rid, ILP_MethodDef_Flags);
            method->impl_flags = (uint16_t)ilp_cell(def->image, ILP_MethodDef, rid,
                                                    ILP_MethodDef_ImplFlags);
            return;
        }
        at = ilpi_type_base(verifier, at);
        declarer = at ? ilpi_type_base(verifier, declarer) : NULL;
        if (!declarer) {
            break;
        }
    }
}

/* A field of a MemberRef, by name and type, in its owner and then in the bases, as runtimes do
 * (II.22.25). A type argument of the owner is substituted before types are compared. If a base is
 * not found, the field may be there: only its signature is known then. */
static void find_field(struct ilpi_verifier *verifier, struct ilpi_vfield *field)
{
    const struct ilpi_vtype *at = field->owner;
    field->known = ILPI_KNOWN_MISSING;
    if (has_no_members(field->owner)) {
        return;
    }
    for (unsigned i = 0; at && i < MAX_BASES; i++) {
        const struct ilpi_def *def = ilpi_def_of_type(verifier, at);
        if (!def || def->what == ILPI_WHAT_UNRESOLVED) {
            field->known = ILPI_KNOWN_SIGNATURE;
            return;
        }
        ilp_rid first;
        ilp_rid end;
        ilpi_list(def->image, ILP_TypeDef, ILP_TOKEN_RID(def->token), ILP_TypeDef_FieldList, &first,
                  &end);
        for (ilp_rid position = first; position < end && ilpi_spend_work(verifier, 1); position++) {
            ilp_rid rid = ilpi_list_row(def->image, ILP_Field, position);
            struct ilpi_vfield candidate = {.name = ""};
            struct ilpi_args args = ilpi_args_of(at);
            if (ilpi_string_is(def->image, ilp_cell(def->image, ILP_Field, rid, ILP_Field_Name),
                               field->name) &&
                read_field(verifier, def->image,
                           ilp_cell(def->image, ILP_Field, rid, ILP_Field_Signature), &args,
                           &candidate) &&
                ilpi_type_is_same(verifier, candidate.type, field->type) != ILP_NO) {
                field->known = ILPI_KNOWN_ALL;
                field->image = def->image;
                field->rid = rid;
                field->flags = (uint16_t)ilp_cell(def->image, ILP_Field, rid, ILP_Field_Flags);
                return;
            }
        }
        at = ilpi_type_base(verifier, at);
    }
}

/* ---- methods ---- */

/* The methods of <Module>, which is always row 1 (II.22.37), are global and have no owner. */
static void from_definition(struct ilpi_verifier *verifier, ilp_rid rid, struct ilpi_method *method,
                            const struct ilpi_args *args)
{
    struct ilp_image *image = verifier->image;
    ilp_rid owner = ilp_owner_of_method(image, rid);
    struct ilpi_def *def = owner != 0
                               ? ilpi_def_intern(verifier, image, ILP_TOKEN(ILP_TypeDef, owner))
                               : NULL;
    method->name = ilp_string(image, ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Name));
    method->owner = owner > 1 || owner == 0 ? ilpi_type_self(verifier, def) : NULL;
    method->declarer = method->owner;
    method->image = image;
    method->rid = rid;
    method->flags = (uint16_t)ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Flags);
    method->impl_flags = (uint16_t)ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_ImplFlags);
    if (read_method(verifier, image, ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Signature),
                    args, method)) {
        method->known = ILPI_KNOWN_ALL;
    }
}

/* `method` gets the signature with all arguments substituted, for its callers; `raw` the one of the
 * blob, for the search. */
static void from_reference(struct ilpi_verifier *verifier, ilp_rid rid, struct ilpi_method *method,
                           const struct ilpi_vtype *const *generic, uint32_t generic_count)
{
    struct ilp_image *image = verifier->image;
    ilp_token parent = ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Class);
    uint32_t blob = ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Signature);
    struct ilpi_method raw = {.known = ILPI_KNOWN_NOT};
    struct ilpi_args none = {NULL, 0, NULL, 0};
    method->name = ilp_string(image, ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Name));
    if (ILP_TOKEN_TABLE(parent) == ILP_MethodDef) {
        /* a vararg call has its arguments in its signature (II.22.25) */
        struct ilpi_method of_parent = {.known = ILPI_KNOWN_NOT};
        from_definition(verifier, ILP_TOKEN_RID(parent), &of_parent, &none);
        *method = of_parent;
        method->known = read_method(verifier, image, blob, &none, method) ? ILPI_KNOWN_ALL
                                                                          : ILPI_KNOWN_NOT;
        return;
    }
    method->owner = ILP_TOKEN_TABLE(parent) == ILP_ModuleRef
                        ? NULL
                        : ilpi_type_of_token(verifier, image, parent);
    /* the methods of an array type use the caller's own parameters (II.14.2) */
    bool array = method->owner && (method->owner->kind == ILP_ELEMENT_SZARRAY ||
                                   method->owner->kind == ILP_ELEMENT_ARRAY);
    struct ilpi_args args = method->owner && !array ? ilpi_args_of(method->owner) : none;
    args.methods = generic;
    args.method_count = generic_count;
    if (!read_method(verifier, image, blob, &args, method) ||
        !read_method(verifier, image, blob, &none, &raw)) {
        return;
    }
    method->known = ILPI_KNOWN_SIGNATURE;
    if (!method->owner) {
        return;
    }
    if (array) {
        method->of_array = true;
        method->declarer = method->owner;
        return;
    }
    raw.name = method->name;
    find_method(verifier, method, &raw);
}

/* Filled with "no method", so that a part that is not set is unknown and not wrong. */
static struct ilpi_method *new_method(struct ilpi_verifier *verifier)
{
    struct ilpi_method *method = ilpi_can_keep(verifier, sizeof *method)
                                     ? ilpi_verify_take(verifier, 1, sizeof *method)
                                     : NULL;
    if (method) {
        *method = verifier->members->no_method;
    }
    return method;
}

/* Also remembers a method that is not valid: the next call would find the same. */
static const struct ilpi_method *keep(struct ilpi_verifier *verifier,
                                      const struct ilpi_method **memory, struct ilpi_method *method)
{
    if (!method) {
        return &verifier->members->no_method;
    }
    method->is_ctor = strcmp(method->name, ".ctor") == 0;
    if (method->owner && !method->declarer) {
        method->declarer = method->owner;
    }
    *memory = method;
    return method;
}

#define MAX_ARGS 256u

/* An instance of a generic method (II.22.29). Its arguments replace MVAR in the signature; those of
 * its type replace VAR. */
static struct ilpi_method *from_spec(struct ilpi_verifier *verifier, ilp_rid rid)
{
    struct ilp_image *image = verifier->image;
    ilp_token of = ilp_cell(image, ILP_MethodSpec, rid, ILP_MethodSpec_Method);
    struct ilp_bytes blob =
        ilp_blob(image, ilp_cell(image, ILP_MethodSpec, rid, ILP_MethodSpec_Instantiation));
    struct ilp_arena arena = {.alloc = &verifier->alloc};
    struct ilpi_method *method = new_method(verifier);
    const struct ilpi_vtype *args[MAX_ARGS];
    uint32_t count = 0;
    const struct ilp_sig *sig = method
                                    ? ilpi_verify_sig(verifier, blob, ILP_SIG_METHOD_SPEC, &arena)
                                    : NULL;
    if (sig && sig->param_count <= MAX_ARGS) {
        for (const struct ilp_type *arg = sig->params; arg; arg = arg->next) {
            args[count++] = ilpi_type_load(verifier, image, arg);
        }
        if (ILP_TOKEN_TABLE(of) == ILP_MethodDef &&
            ILP_TOKEN_RID(of) - 1 < image->tables[ILP_MethodDef].count) {
            struct ilpi_args all = {NULL, 0, args, count};
            from_definition(verifier, ILP_TOKEN_RID(of), method, &all);
        } else if (ILP_TOKEN_TABLE(of) == ILP_MemberRef) {
            from_reference(verifier, ILP_TOKEN_RID(of), method, args, count);
        }
    }
    ilpi_arena_free(&arena);
    return method;
}

static const struct ilpi_method **memory_of_methods(const struct ilpi_members *members,
                                                    unsigned table)
{
    switch (table) {
    case ILP_MethodDef: return members->methods;
    case ILP_MemberRef: return members->refs;
    case ILP_MethodSpec: return members->specs;
    default: return NULL;
    }
}

/* Never NULL: an invalid token gives the member with known == ILPI_KNOWN_NOT. */
const struct ilpi_method *ilpi_method_of_token(struct ilpi_verifier *verifier, ilp_token token)
{
    struct ilpi_members *members = verifier->members;
    struct ilpi_args none = {NULL, 0, NULL, 0};
    ilp_rid rid = ILP_TOKEN_RID(token);
    unsigned table = ILP_TOKEN_TABLE(token);
    const struct ilpi_method **memory = memory_of_methods(members, table);
    if (!memory || rid - 1 >= verifier->image->tables[table].count) {
        return &members->no_method;
    }
    if (memory[rid]) {
        return memory[rid];
    }
    if (table == ILP_MethodSpec) {
        return keep(verifier, &memory[rid], from_spec(verifier, rid));
    }
    struct ilpi_method *method = new_method(verifier);
    if (method && table == ILP_MethodDef) {
        from_definition(verifier, rid, method, &none);
    } else if (method) {
        from_reference(verifier, rid, method, NULL, 0);
    }
    return keep(verifier, &memory[rid], method);
}

/* Not remembered by row: calli is rare. */
const struct ilpi_method *ilpi_method_of_sig(struct ilpi_verifier *verifier, ilp_token token)
{
    struct ilp_image *image = verifier->image;
    struct ilpi_args none = {NULL, 0, NULL, 0};
    const struct ilpi_method *ignored;
    struct ilpi_method *method = new_method(verifier);
    if (method && ILP_TOKEN_TABLE(token) == ILP_StandAloneSig &&
        read_method(
            verifier, image,
            ilp_cell(image, ILP_StandAloneSig, ILP_TOKEN_RID(token), ILP_StandAloneSig_Signature),
            &none, method)) {
        method->known = ILPI_KNOWN_SIGNATURE;
    }
    return keep(verifier, &ignored, method);
}

/* The method of that name in a type's definition, whatever its signature: for Invoke of delegates,
 * of which there is only one (II.14.6). */
const struct ilpi_method *ilpi_method_named(struct ilpi_verifier *verifier,
                                            const struct ilpi_vtype *type, const char *name)
{
    const struct ilpi_method *ignored;
    struct ilpi_def *def = ilpi_def_of_type(verifier, type);
    if (!def || def->what == ILPI_WHAT_UNRESOLVED) {
        return &verifier->members->no_method;
    }
    struct ilpi_args args = ilpi_args_of(type);
    ilp_rid rid = 0;
    find_in_def(verifier, def, &args, name, NULL, &rid);
    struct ilpi_method *method = rid != 0 ? new_method(verifier) : NULL;
    if (method) {
        method->name = name;
        method->owner = type;
        method->image = def->image;
        method->rid = rid;
        method->flags = (uint16_t)ilp_cell(def->image, ILP_MethodDef, rid, ILP_MethodDef_Flags);
        if (read_method(verifier, def->image,
                        ilp_cell(def->image, ILP_MethodDef, rid, ILP_MethodDef_Signature), &args,
                        method)) {
            method->known = ILPI_KNOWN_ALL;
        }
    }
    return keep(verifier, &ignored, method);
}

/* By name and signature, without its bases: whether the type itself has a method that replaces this
 * one. */
enum ilp_tristate ilpi_type_overrides(struct ilpi_verifier *verifier, const struct ilpi_vtype *type,
                                      const struct ilpi_method *method)
{
    const struct ilpi_def *def = ilpi_def_of_type(verifier, type);
    struct ilpi_args args = ilpi_args_of(type);
    if (!def || def->what == ILPI_WHAT_UNRESOLVED) {
        return ILP_UNKNOWN;
    }
    ilp_rid rid = 0;
    return find_in_def(verifier, def, &args, method->name, method, &rid);
}

/* ---- fields ---- */

/* A Field row describes itself; a MemberRef has name and signature, and the field must be found in
 * its parent for its flags. */
static void fill_field(struct ilpi_verifier *verifier, unsigned table, ilp_rid rid,
                       struct ilpi_vfield *field)
{
    struct ilp_image *image = verifier->image;
    struct ilpi_args args = {NULL, 0, NULL, 0};
    if (table == ILP_Field) {
        ilp_rid owner = ilp_owner_of_field(image, rid);
        field->name = ilp_string(image, ilp_cell(image, ILP_Field, rid, ILP_Field_Name));
        field->owner = owner > 1 ? ilpi_type_self(verifier,
                                                  ilpi_def_intern(verifier, image,
                                                                  ILP_TOKEN(ILP_TypeDef, owner)))
                                 : NULL;
        field->image = image;
        field->rid = rid;
        field->flags = (uint16_t)ilp_cell(image, ILP_Field, rid, ILP_Field_Flags);
        if (read_field(verifier, image, ilp_cell(image, ILP_Field, rid, ILP_Field_Signature), &args,
                       field)) {
            field->known = ILPI_KNOWN_ALL;
        }
        return;
    }
    ilp_token parent = ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Class);
    field->name = ilp_string(image, ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Name));
    field->owner = ILP_TOKEN_TABLE(parent) == ILP_ModuleRef ||
                           ILP_TOKEN_TABLE(parent) == ILP_MethodDef
                       ? NULL
                       : ilpi_type_of_token(verifier, image, parent);
    if (field->owner) {
        args = ilpi_args_of(field->owner);
    }
    if (read_field(verifier, image, ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Signature),
                   &args, field)) {
        field->known = ILPI_KNOWN_SIGNATURE;
        if (field->owner) {
            find_field(verifier, field);
        }
    }
}

/* NULL: not described yet. */
static const struct ilpi_vfield *known_field(const struct ilpi_members *members, unsigned table,
                                             ilp_rid rid)
{
    if (table == ILP_Field) {
        return members->fields[rid];
    }
    uint32_t place = members->field_refs[rid];
    return place != 0 ? members->ref_fields.items[place - 1] : NULL;
}

/* A Field row has its place; a MemberRef has the number of an entry in a list, since most of them
 * are methods. */
static void keep_field(struct ilpi_verifier *verifier, unsigned table, ilp_rid rid,
                       const struct ilpi_vfield *field)
{
    struct ilpi_members *members = verifier->members;
    if (table == ILP_Field) {
        members->fields[rid] = field;
    } else if (ILPI_LIST_ADD(&verifier->alloc, &members->ref_fields, field, NULL) == ILP_OK) {
        members->field_refs[rid] = (uint32_t)members->ref_fields.count;
    } else {
        ilpi_verify_no_memory(verifier, sizeof *members->ref_fields.items);
    }
}

/* The field's memory is counted before it is taken (ilpi_can_keep()): a module with millions of
 * references would otherwise exceed the limit of the verifier by its descriptions alone. */
const struct ilpi_vfield *ilpi_field_of_token(struct ilpi_verifier *verifier, ilp_token token)
{
    struct ilpi_members *members = verifier->members;
    ilp_rid rid = ILP_TOKEN_RID(token);
    unsigned table = ILP_TOKEN_TABLE(token);
    if ((table != ILP_Field && table != ILP_MemberRef) ||
        rid - 1 >= verifier->image->tables[table].count) {
        return &members->no_field;
    }
    const struct ilpi_vfield *known = known_field(members, table, rid);
    if (known) {
        return known;
    }
    struct ilpi_vfield *field = ilpi_can_keep(verifier, sizeof *field + 2 * sizeof(void *))
                                    ? ilpi_verify_take(verifier, 1, sizeof *field)
                                    : NULL;
    if (!field) {
        return &members->no_field;
    }
    ilpi_pay_memory(verifier, 2 * sizeof(void *)); /* the list of them */
    *field = members->no_field;
    fill_field(verifier, table, rid, field);
    keep_field(verifier, table, rid, field);
    return field;
}
