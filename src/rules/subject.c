/* Names, signature and body of a method, in the form of conditions. See subject.h; returns.c
 * handles the returned type. */
#include "rules/subject.h"

#include <assert.h>
#include <stdio.h>

#include "metadata/flags.h"
#include "types/names.h"

enum { SEMANTICS_EVENT = ILPI_SEMANTICS_ADD_ON | ILPI_SEMANTICS_REMOVE_ON | ILPI_SEMANTICS_FIRE };

/* Compilers' nesting is less deep. */
#define MAX_NESTING 32u

static void set_names(struct ilpi_subject *subject, struct ilpi_alloc *alloc)
{
    struct ilpi_buf *const names[] = {&subject->assembly_attributes.names,
                                      &subject->type_attributes.names,
                                      &subject->method_attributes.names,
                                      &subject->type,
                                      &subject->name_space,
                                      &subject->signature,
                                      &subject->supertypes.bases.names,
                                      &subject->supertypes.interfaces.names,
                                      &subject->parameters.names,
                                      &subject->parameter_types,
                                      &subject->sources.names,
                                      &subject->spelled,
                                      &subject->returns};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (alloc) {
            names[i]->alloc = alloc;
        } else {
            ilpi_buf_free(names[i]);
        }
    }
}

ilp_status ilpi_subject_open(struct ilpi_subject *subject, struct ilpi_alloc *alloc,
                             struct ilp_image *image, const struct ilp_resolver *resolver,
                             unsigned target, struct ilp_error *error)
{
    *subject = (struct ilpi_subject){.alloc = alloc,
                                     .image = image,
                                     .resolver = resolver,
                                     .target = target,
                                     .arena = {.alloc = alloc},
                                     .supertypes = {.arena = {.alloc = alloc}},
                                     .scratch = {.alloc = alloc},
                                     .code = {.alloc = alloc},
                                     .budget = ilpi_budget_of(image->pe.bytes.size)};
    set_names(subject, alloc);
    return ilpi_value_types_init(&subject->value_types, image, resolver, &subject->arena, error);
}

void ilpi_subject_close(struct ilpi_subject *subject)
{
    set_names(subject, NULL);
    ilpi_code_free(&subject->code);
    ilpi_arena_free(&subject->scratch);
    ilpi_arena_free(&subject->supertypes.arena);
    ilpi_arena_free(&subject->arena);
}

/* Empties the buffer, keeps its memory, and clears a failure: memory may be available again. */
void ilpi_subject_empty(struct ilpi_buf *buf)
{
    buf->size = 0;
    buf->status = ILP_OK;
}

void ilpi_subject_forget(struct ilpi_name_list *list)
{
    list->known = list->open = false;
    ilpi_subject_empty(&list->names);
}

void ilpi_subject_set(struct ilpi_subject *subject, ilp_rid method)
{
    ilp_rid owner = ilp_owner_of_method(subject->image, method);
    if (subject->assembly_attributes.names.status != ILP_OK) {
        ilpi_subject_forget(&subject->assembly_attributes);
    }
    if (owner != subject->owner || subject->type.status != ILP_OK ||
        subject->name_space.status != ILP_OK || subject->type_attributes.names.status != ILP_OK) {
        subject->owner = owner;
        ilpi_subject_empty(&subject->type);
        ilpi_subject_empty(&subject->name_space);
        ilpi_subject_forget(&subject->type_attributes);
        ilpi_supertypes_forget(&subject->supertypes);
    }
    subject->method = method;
    subject->sig = NULL;
    ilpi_subject_empty(&subject->signature);
    ilpi_subject_empty(&subject->returns);
    ilpi_subject_forget(&subject->method_attributes);
    ilpi_subject_forget(&subject->parameters);
    ilpi_subject_forget(&subject->sources);
    ilpi_subject_empty(&subject->parameter_types);
    ilpi_subject_empty(&subject->spelled);
    subject->body.known = false;
    subject->why[0] = '\0';
}

/* ---- names ---- */

struct ilp_bytes ilpi_subject_text_of(const struct ilpi_buf *buf)
{
    return buf->size != 0 ? (struct ilp_bytes){buf->data, buf->size - 1}
                          : (struct ilp_bytes){(const uint8_t *)"", 0};
}

struct ilp_bytes ilpi_subject_method(struct ilpi_subject *subject)
{
    const char *name = ilp_string(subject->image, ilp_cell(subject->image, ILP_MethodDef,
                                                           subject->method, ILP_MethodDef_Name));
    return (struct ilp_bytes){(const uint8_t *)name, strnlen(name, ILPI_NAME_LIMIT)};
}

struct ilp_bytes ilpi_subject_type(struct ilpi_subject *subject)
{
    if (subject->type.size == 0) {
        ilpi_name_type(subject->image, &subject->type, ILP_TOKEN(ILP_TypeDef, subject->owner));
        ilpi_buf_u8(&subject->type, 0);
    }
    return ilpi_subject_text_of(&subject->type);
}

struct ilp_bytes ilpi_subject_namespace(struct ilpi_subject *subject)
{
    if (subject->name_space.size == 0) {
        ilp_rid type = subject->owner;
        ilp_rid outer = type;
        for (unsigned i = 0; i < MAX_NESTING && outer != 0; i++) {
            type = outer;
            outer = ilp_enclosing_type(subject->image, type);
        }
        const char *name_space;
        const char *name;
        ilpi_type_name(subject->image, ILP_TOKEN(ILP_TypeDef, type), &name_space, &name);
        ilpi_buf_bytes_add(&subject->name_space, name_space, strnlen(name_space, ILPI_NAME_LIMIT));
        ilpi_buf_u8(&subject->name_space, 0);
    }
    return ilpi_subject_text_of(&subject->name_space);
}

ilp_status ilpi_subject_status(const struct ilpi_subject *subject, struct ilp_error *error)
{
    bool whole = subject->type.status == ILP_OK && subject->name_space.status == ILP_OK;
    return whole ? ILP_OK : ilpi_fail_memory(error, subject->type.size);
}

/* ---- the signature ---- */

void ilpi_subject_tell_why(struct ilpi_subject *subject, const char *what,
                           const struct ilp_error *error)
{
    snprintf(subject->why, sizeof subject->why, "%s: %.200s", what, error->message);
}

/* A signature that is invalid, or beyond the budget, is not an error here: facts that need it are
 * unknown. */
ilp_status ilpi_subject_signature_read(struct ilpi_subject *subject, bool *known,
                                       struct ilp_error *error)
{
    struct ilp_image *image = subject->image;
    struct ilp_error problem;
    struct ilp_sig *sig = NULL;
    *known = subject->sig != NULL;
    if (*known) {
        return ILP_OK;
    }
    uint32_t blob = ilp_cell(image, ILP_MethodDef, subject->method, ILP_MethodDef_Signature);
    ilpi_arena_reset(&subject->scratch);
    ilp_status status = ilpi_spend(&subject->budget, ilp_blob(image, blob).size, &problem);
    if (status == ILP_OK) {
        status = ilp_sig_read(&sig, ilp_blob(image, blob), ILP_SIG_METHOD,
                              ilpi_blob_offset(image, blob), &subject->scratch, &problem);
    }
    if (ilp_status_class(status) == ILP_CLASS_MEMORY) {
        return ilpi_fail(error, status, problem.offset, problem.token, "%s", problem.message);
    }
    if (status != ILP_OK) {
        ilpi_subject_tell_why(subject, "its signature is not valid", &problem);
        return ILP_OK;
    }
    subject->sig = sig;
    *known = true;
    return ILP_OK;
}

/* The cost of a text is known only after it is made; the next one is then refused. */
static ilp_status finish_text(struct ilpi_subject *subject, struct ilpi_buf *buf,
                              struct ilp_bytes *text, bool *known, struct ilp_error *error)
{
    struct ilp_error problem;
    ilpi_buf_u8(buf, 0);
    if (buf->status != ILP_OK) {
        return ilpi_fail_memory(error, buf->size);
    }
    *text = ilpi_subject_text_of(buf);
    *known = ilpi_spend(&subject->budget, buf->size, &problem) == ILP_OK;
    if (!*known) {
        subject->budget.left = 0;
        ilpi_subject_empty(buf);
        ilpi_subject_tell_why(subject, "its signature is too long", &problem);
    }
    return ILP_OK;
}

ilp_status ilpi_subject_signature(struct ilpi_subject *subject, struct ilp_bytes *text, bool *known,
                                  struct ilp_error *error)
{
    struct ilp_error problem;
    *text = ilpi_subject_text_of(&subject->signature);
    *known = subject->signature.size != 0;
    if (*known) {
        return ILP_OK;
    }
    if (ilpi_spend(&subject->budget, 1, &problem) != ILP_OK) {
        ilpi_subject_tell_why(subject, "its signature is too long", &problem);
        return ILP_OK;
    }
    ilpi_name_signature(subject->image, &subject->signature, subject->method);
    return finish_text(subject, &subject->signature, text, known, error);
}

ilp_status ilpi_subject_returns(struct ilpi_subject *subject, struct ilp_bytes *text, bool *known,
                                struct ilp_error *error)
{
    *text = ilpi_subject_text_of(&subject->returns);
    ILPI_TRY(ilpi_subject_signature_read(subject, known, error));
    if (!*known || subject->returns.size != 0) {
        return ILP_OK;
    }
    ilpi_subject_put_type(subject, &subject->returns, subject->sig->ret);
    return finish_text(subject, &subject->returns, text, known, error);
}

/* ---- flags ---- */

bool ilpi_subject_flag(const struct ilpi_subject *subject, uint32_t flag)
{
    return (ilp_cell(subject->image, ILP_MethodDef, subject->method, ILP_MethodDef_Flags) & flag) !=
           0;
}

/* The table is sorted by Association, and needed by Method. */
static ilp_status read_semantics(struct ilpi_subject *subject, struct ilp_error *error)
{
    const struct ilp_image *image = subject->image;
    uint32_t methods = image->tables[ILP_MethodDef].count;
    subject->semantics = ilpi_arena_alloc(&subject->arena, (size_t)methods + 1);
    if (!subject->semantics) {
        return ilpi_fail_memory(error, (size_t)methods + 1);
    }
    for (ilp_rid row = 1; row <= image->tables[ILP_MethodSemantics].count; row++) {
        ilp_rid method = ilp_cell(image, ILP_MethodSemantics, row, ILP_MethodSemantics_Method);
        uint32_t flags = ilp_cell(image, ILP_MethodSemantics, row, ILP_MethodSemantics_Semantics);
        if (method <= methods) {
            subject->semantics[method] |= (uint8_t)flags;
        }
    }
    return ILP_OK;
}

ilp_status ilpi_subject_roles(struct ilpi_subject *subject, uint32_t *roles,
                              struct ilp_error *error)
{
    if (!subject->semantics) {
        ILPI_TRY(read_semantics(subject, error));
    }
    uint8_t semantics = subject->semantics[subject->method];
    uint32_t flags = ilp_cell(subject->image, ILP_MethodDef, subject->method, ILP_MethodDef_Flags);
    struct ilp_bytes name = ilpi_subject_method(subject);
    *roles = (semantics & ILPI_SEMANTICS_GETTER ? 1u << ILP_ROLE_GETTER : 0) |
             (semantics & ILPI_SEMANTICS_SETTER ? 1u << ILP_ROLE_SETTER : 0) |
             (semantics & SEMANTICS_EVENT ? 1u << ILP_ROLE_EVENT : 0) |
             (semantics != 0 ? 1u << ILP_ROLE_ACCESSOR : 0);
    if ((flags & ILPI_METHOD_SPECIAL_NAME) != 0 && name.size > 3 &&
        memcmp(name.data, "op_", 3) == 0) {
        *roles |= 1u << ILP_ROLE_OPERATOR;
    }
    if ((name.size == 5 && memcmp(name.data, ".ctor", 5) == 0) ||
        (name.size == 6 && memcmp(name.data, ".cctor", 6) == 0)) {
        *roles |= 1u << ILP_ROLE_CONSTRUCTOR;
    }
    *roles = *roles != 0 ? *roles : 1u << ILP_ROLE_ORDINARY;
    return ILP_OK;
}

/* The access bits of a method equal the enumerators; those of a type also tell whether it is
 * nested. */
unsigned ilpi_subject_visibility(const struct ilpi_subject *subject, unsigned table)
{
    static const uint8_t of_types[] = {ILP_VISIBILITY_ASSEMBLY,    ILP_VISIBILITY_PUBLIC,
                                       ILP_VISIBILITY_PUBLIC,      ILP_VISIBILITY_PRIVATE,
                                       ILP_VISIBILITY_FAMILY,      ILP_VISIBILITY_ASSEMBLY,
                                       ILP_VISIBILITY_FAMANDASSEM, ILP_VISIBILITY_FAMORASSEM};
    static_assert(ILP_VISIBILITY_PRIVATESCOPE == 0 && ILP_VISIBILITY_PRIVATE == 1 &&
                      ILP_VISIBILITY_FAMANDASSEM == 2 && ILP_VISIBILITY_ASSEMBLY == 3 &&
                      ILP_VISIBILITY_FAMILY == 4 && ILP_VISIBILITY_FAMORASSEM == 5 &&
                      ILP_VISIBILITY_PUBLIC == 6,
                  "the order of rules.def is that of II.23.1.10");
    if (table == ILP_TypeDef) {
        return of_types[ilp_cell(subject->image, ILP_TypeDef, subject->owner, ILP_TypeDef_Flags) &
                        ILPI_TYPE_VISIBILITY_MASK];
    }
    return ilp_cell(subject->image, ILP_MethodDef, subject->method, ILP_MethodDef_Flags) &
           ILPI_METHOD_ACCESS_MASK;
}

uint32_t ilpi_subject_arity(const struct ilpi_subject *subject, ilp_token owner)
{
    uint32_t key = ilpi_token_to_coded(ILPI_CODED_TypeOrMethodDef, owner);
    uint32_t position = 0;
    uint32_t count = 0;
    while (ilpi_next_with_key(subject->image, ILP_GenericParam, key, &position) != 0) {
        count++;
    }
    return count;
}

/* ---- attributes ---- */

bool ilpi_subject_is_generated(const struct ilpi_subject *subject)
{
    ilp_token token = ILP_TOKEN(ILP_MethodDef, subject->method);
    ilp_rid type = subject->owner;
    for (unsigned i = 0; i <= MAX_NESTING; i++) {
        if (ilpi_has_attribute(subject->image, token, "System.Runtime.CompilerServices",
                               "CompilerGeneratedAttribute")) {
            return true;
        }
        if (type == 0) {
            break;
        }
        token = ILP_TOKEN(ILP_TypeDef, type);
        type = ilp_enclosing_type(subject->image, type);
    }
    return false;
}

/* A generic attribute's type is a TypeSpec, whose text begins with a keyword that conditions
 * omit. */
static void strip_class(struct ilpi_buf *names, size_t start)
{
    static const char keyword[] = "class ";
    size_t size = sizeof keyword - 1;
    if (names->status == ILP_OK && names->size - start > size &&
        memcmp(names->data + start, keyword, size) == 0) {
        memmove(names->data + start, names->data + start + size, names->size - start - size);
        names->size -= size;
    }
}

static void list_attributes(const struct ilpi_subject *subject, ilp_token parent,
                            struct ilpi_name_list *list)
{
    const struct ilp_image *image = subject->image;
    uint32_t key = ilpi_token_to_coded(ILPI_CODED_HasCustomAttribute, parent);
    uint32_t position = 0;
    ilp_rid row;
    while ((row = ilpi_next_with_key(image, ILP_CustomAttribute, key, &position)) != 0) {
        size_t start = list->names.size;
        ilpi_name_type(image, &list->names, ilpi_attribute_type(image, row));
        strip_class(&list->names, start);
        ilpi_buf_u8(&list->names, 0);
    }
    list->known = true;
}

ilp_status ilpi_subject_attributes(struct ilpi_subject *subject, unsigned on,
                                   const struct ilpi_name_list **list, struct ilp_error *error)
{
    struct ilpi_name_list *wanted = &subject->assembly_attributes;
    ilp_token parent = ILP_TOKEN(ILP_Assembly, 1);
    if (on == ILP_ON_METHOD) {
        wanted = &subject->method_attributes;
        parent = ILP_TOKEN(ILP_MethodDef, subject->method);
    } else if (on == ILP_ON_TYPE) {
        wanted = &subject->type_attributes;
        parent = ILP_TOKEN(ILP_TypeDef, subject->owner);
    }
    if (!wanted->known) {
        list_attributes(subject, parent, wanted);
    }
    *list = wanted;
    return wanted->names.status == ILP_OK ? ILP_OK : ilpi_fail_memory(error, wanted->names.size);
}

/* ---- the body ---- */

static ilp_status read_body(struct ilpi_subject *subject, struct ilp_body *body,
                            struct ilp_error *problem)
{
    const struct ilp_image *image = subject->image;
    uint64_t offset;
    uint32_t rva = ilp_cell(image, ILP_MethodDef, subject->method, ILP_MethodDef_RVA);
    struct ilp_bytes bytes = ilp_image_rva(image, rva, &offset);
    if (bytes.size == 0) {
        return ilpi_fail(problem, ILP_E_BAD_BODY, ILPI_NO_OFFSET, 0,
                         "RVA 0x%X leads outside of the file", rva);
    }
    ILPI_TRY(ilp_body_read(body, bytes, offset, &subject->scratch, problem));
    return ilpi_spend(&subject->budget, body->size, problem);
}

static ilp_status find_tails(struct ilpi_subject *subject, const struct ilp_body *body,
                             struct ilp_error *problem)
{
    ILPI_TRY(ilpi_code_decode(&subject->code, body, problem));
    subject->body.tails = false;
    for (size_t i = 0; i < subject->code.count && !subject->body.tails; i++) {
        subject->body.tails = subject->code.insns[i].op == ILPI_OP_TAIL;
    }
    subject->body.tails_known = true;
    return ILP_OK;
}

ilp_status ilpi_subject_body(struct ilpi_subject *subject, bool tails,
                             const struct ilpi_subject_body **body, bool *known,
                             struct ilp_error *error)
{
    const struct ilp_image *image = subject->image;
    struct ilpi_subject_body *result = &subject->body;
    struct ilp_body read = {.size = 0};
    struct ilp_error problem;
    *body = result;
    *known = true;
    if (result->known && (!tails || result->tails_known || !result->present)) {
        return ILP_OK;
    }
    uint32_t flags = ilp_cell(image, ILP_MethodDef, subject->method, ILP_MethodDef_ImplFlags);
    *result = (struct ilpi_subject_body){.known = true};
    result->present = (flags & ILPI_METHOD_IMPL_CODE_TYPE_MASK) == 0 &&
                      ilp_cell(image, ILP_MethodDef, subject->method, ILP_MethodDef_RVA) != 0;
    if (!result->present) {
        return ILP_OK;
    }
    ilp_status status = read_body(subject, &read, &problem);
    if (status == ILP_OK) {
        result->size = (uint32_t)read.code.size;
        result->handlers = read.clause_count != 0;
        status = tails ? find_tails(subject, &read, &problem) : ILP_OK;
    }
    if (ilp_status_class(status) == ILP_CLASS_MEMORY) {
        return ilpi_fail(error, status, problem.offset, problem.token, "%s", problem.message);
    }
    if (status != ILP_OK) {
        *known = false;
        result->known = false;
        ilpi_subject_tell_why(subject, "its body is not valid", &problem);
    }
    return ILP_OK;
}
