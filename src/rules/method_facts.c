/* Names, signature and body of a method, in the form of conditions. See method_facts.h; returns.c
 * handles the returned type.
 *
 * Each fact is read when a condition needs it, and kept as long as it is true:
 *
 *   of the assembly   attributes                         until the selector is closed
 *   of the type       name, namespace, attributes, bases until a method of another type
 *   of the method     signature, body, attributes ...    until the next method
 *
 * Three outcomes: a fact, "not known" with a reason in facts->why (invalid bytes, a type that is
 * not found, the budget), or an error for lack of memory. A budget proportional to the file bounds
 * the cost of all facts, since rows may share one large signature or name. */
#include "rules/method_facts.h"

#include <assert.h>
#include <stdio.h>

#include "metadata/flags.h"
#include "types/names.h"

enum { SEMANTICS_EVENT = ILPI_SEMANTICS_ADD_ON | ILPI_SEMANTICS_REMOVE_ON | ILPI_SEMANTICS_FIRE };

/* Compilers' nesting is less deep. */
#define MAX_NESTING 32u

/* One list of all buffers, for opening and closing alike. */
static void set_names(struct ilpi_method_facts *facts, struct ilpi_alloc *alloc)
{
    struct ilpi_buf *const names[] = {&facts->assembly_attributes.names,
                                      &facts->type_attributes.names,
                                      &facts->method_attributes.names,
                                      &facts->type,
                                      &facts->name_space,
                                      &facts->signature,
                                      &facts->supertypes.bases.names,
                                      &facts->supertypes.interfaces.names,
                                      &facts->parameters.names,
                                      &facts->parameter_types,
                                      &facts->sources.names,
                                      &facts->spelled,
                                      &facts->returns};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (alloc) {
            names[i]->alloc = alloc;
        } else {
            ilpi_buf_free(names[i]);
        }
    }
}

/* Facts of one image. What belongs to a method or a type is forgotten when the next one begins;
 * budget and arena are for the whole image. */
ilp_status ilpi_facts_open(struct ilpi_method_facts *facts, struct ilpi_alloc *alloc,
                           struct ilp_image *image, const struct ilp_resolver *resolver,
                           unsigned target, struct ilp_error *error)
{
    *facts = (struct ilpi_method_facts){.alloc = alloc,
                                        .image = image,
                                        .resolver = resolver,
                                        .target = target,
                                        .arena = {.alloc = alloc},
                                        .supertypes = {.arena = {.alloc = alloc}},
                                        .scratch = {.alloc = alloc},
                                        .code = {.alloc = alloc},
                                        .budget = ilpi_budget_of(image->pe.bytes.size)};
    set_names(facts, alloc);
    return ilpi_value_types_init(&facts->value_types, image, resolver, &facts->arena, error);
}

void ilpi_facts_close(struct ilpi_method_facts *facts)
{
    set_names(facts, NULL);
    ilpi_code_free(&facts->code);
    ilpi_arena_free(&facts->scratch);
    ilpi_arena_free(&facts->supertypes.arena);
    ilpi_arena_free(&facts->arena);
}

/* Empties the buffer, keeps its memory, and clears a failure: memory may be available again. */
void ilpi_facts_empty(struct ilpi_buf *buf)
{
    buf->size = 0;
    buf->status = ILP_OK;
}

void ilpi_facts_forget(struct ilpi_name_list *list)
{
    list->known = list->open = false;
    ilpi_facts_empty(&list->names);
}

/* A buffer that failed for lack of memory is emptied, so that the fact is made again. */
void ilpi_facts_set(struct ilpi_method_facts *facts, ilp_rid method)
{
    ilp_rid owner = ilp_owner_of_method(facts->image, method);
    if (facts->assembly_attributes.names.status != ILP_OK) {
        ilpi_facts_forget(&facts->assembly_attributes);
    }
    if (owner != facts->owner || facts->type.status != ILP_OK ||
        facts->name_space.status != ILP_OK || facts->type_attributes.names.status != ILP_OK) {
        facts->owner = owner;
        ilpi_facts_empty(&facts->type);
        ilpi_facts_empty(&facts->name_space);
        ilpi_facts_forget(&facts->type_attributes);
        ilpi_supertypes_forget(&facts->supertypes);
    }
    facts->method = method;
    facts->sig = NULL;
    ilpi_facts_empty(&facts->signature);
    ilpi_facts_empty(&facts->returns);
    ilpi_facts_forget(&facts->method_attributes);
    ilpi_facts_forget(&facts->parameters);
    ilpi_facts_forget(&facts->sources);
    ilpi_facts_empty(&facts->parameter_types);
    ilpi_facts_empty(&facts->spelled);
    facts->body.known = false;
    facts->why[0] = '\0';
}

/* ---- names ---- */

struct ilp_bytes ilpi_facts_text_of(const struct ilpi_buf *buf)
{
    return buf->size != 0 ? (struct ilp_bytes){buf->data, buf->size - 1}
                          : (struct ilp_bytes){(const uint8_t *)"", 0};
}

struct ilp_bytes ilpi_facts_method(struct ilpi_method_facts *facts)
{
    const char *name = ilp_string(
        facts->image, ilp_cell(facts->image, ILP_MethodDef, facts->method, ILP_MethodDef_Name));
    return (struct ilp_bytes){(const uint8_t *)name, strnlen(name, ILPI_NAME_LIMIT)};
}

/* An empty buffer means that the text was not made yet; texts end with a NUL, so they are never
 * empty. */
struct ilp_bytes ilpi_facts_type(struct ilpi_method_facts *facts)
{
    if (facts->type.size == 0) {
        ilpi_name_type(facts->image, &facts->type, ILP_TOKEN(ILP_TypeDef, facts->owner));
        ilpi_buf_u8(&facts->type, 0);
    }
    return ilpi_facts_text_of(&facts->type);
}

/* The namespace of a nested type is that of its outermost type (II.22.37: a nested type's own is
 * empty). Nesting is bounded, since rows may form a circle. */
struct ilp_bytes ilpi_facts_namespace(struct ilpi_method_facts *facts)
{
    if (facts->name_space.size == 0) {
        ilp_rid type = facts->owner;
        ilp_rid outer = type;
        for (unsigned i = 0; i < MAX_NESTING && outer != 0; i++) {
            type = outer;
            outer = ilp_enclosing_type(facts->image, type);
        }
        const char *name_space;
        const char *name;
        ilpi_type_name(facts->image, ILP_TOKEN(ILP_TypeDef, type), &name_space, &name);
        ilpi_buf_bytes_add(&facts->name_space, name_space, strnlen(name_space, ILPI_NAME_LIMIT));
        ilpi_buf_u8(&facts->name_space, 0);
    }
    return ilpi_facts_text_of(&facts->name_space);
}

ilp_status ilpi_facts_status(const struct ilpi_method_facts *facts, struct ilp_error *error)
{
    /* These two give a text without a status of their own. */
    bool whole = facts->type.status == ILP_OK && facts->name_space.status == ILP_OK;
    return whole ? ILP_OK : ilpi_fail_memory(error, facts->type.size);
}

/* ---- the signature ---- */

void ilpi_facts_set_why(struct ilpi_method_facts *facts, const char *what,
                        const struct ilp_error *error)
{
    snprintf(facts->why, sizeof facts->why, "%s: %.200s", what, error->message);
}

/* A signature that is invalid, or beyond the budget, is not an error here: facts that need it are
 * unknown. */
ilp_status ilpi_facts_signature_read(struct ilpi_method_facts *facts, bool *known,
                                     struct ilp_error *error)
{
    struct ilp_image *image = facts->image;
    struct ilp_error problem;
    struct ilp_sig *sig = NULL;
    *known = facts->sig != NULL;
    if (*known) {
        return ILP_OK;
    }
    uint32_t blob = ilp_cell(image, ILP_MethodDef, facts->method, ILP_MethodDef_Signature);
    ilpi_arena_reset(&facts->scratch);
    ilp_status status = ilpi_spend(&facts->budget, ilp_blob(image, blob).size, &problem);
    if (status == ILP_OK) {
        status = ilp_sig_read(&sig, ilp_blob(image, blob), ILP_SIG_METHOD,
                              ilpi_blob_offset(image, blob), &facts->scratch, &problem);
    }
    if (ilp_status_class(status) == ILP_CLASS_MEMORY) {
        return ilpi_fail(error, status, problem.offset, problem.token, "%s", problem.message);
    }
    if (status != ILP_OK) {
        ilpi_facts_set_why(facts, "its signature is not valid", &problem);
        return ILP_OK;
    }
    facts->sig = sig;
    *known = true;
    return ILP_OK;
}

/* The cost of a text is known only after it is made; the next one is then refused. */
static ilp_status finish_text(struct ilpi_method_facts *facts, struct ilpi_buf *buf,
                              struct ilp_bytes *text, bool *known, struct ilp_error *error)
{
    struct ilp_error problem;
    ilpi_buf_u8(buf, 0);
    if (buf->status != ILP_OK) {
        return ilpi_fail_memory(error, buf->size);
    }
    *text = ilpi_facts_text_of(buf);
    *known = ilpi_spend(&facts->budget, buf->size, &problem) == ILP_OK;
    if (!*known) {
        facts->budget.left = 0;
        ilpi_facts_empty(buf);
        ilpi_facts_set_why(facts, "its signature is too long", &problem);
    }
    return ILP_OK;
}

/* The text is made once for a method and kept; size 0 means that it was not made yet. The budget is
 * for the whole image: with nothing left the fact is unknown, so that rules which need it neither
 * hold nor fail. */
ilp_status ilpi_facts_signature(struct ilpi_method_facts *facts, struct ilp_bytes *text,
                                bool *known, struct ilp_error *error)
{
    struct ilp_error problem;
    *text = ilpi_facts_text_of(&facts->signature);
    *known = facts->signature.size != 0;
    if (*known) {
        return ILP_OK;
    }
    if (ilpi_spend(&facts->budget, 1, &problem) != ILP_OK) {
        ilpi_facts_set_why(facts, "its signature is too long", &problem);
        return ILP_OK;
    }
    ilpi_name_signature(facts->image, &facts->signature, facts->method);
    return finish_text(facts, &facts->signature, text, known, error);
}

ilp_status ilpi_facts_returns(struct ilpi_method_facts *facts, struct ilp_bytes *text, bool *known,
                              struct ilp_error *error)
{
    *text = ilpi_facts_text_of(&facts->returns);
    ILPI_TRY(ilpi_facts_signature_read(facts, known, error));
    if (!*known || facts->returns.size != 0) {
        return ILP_OK;
    }
    ilpi_facts_put_type(facts, &facts->returns, facts->sig->ret);
    return finish_text(facts, &facts->returns, text, known, error);
}

/* ---- flags ---- */

bool ilpi_facts_flag(const struct ilpi_method_facts *facts, uint32_t flag)
{
    return (ilp_cell(facts->image, ILP_MethodDef, facts->method, ILP_MethodDef_Flags) & flag) != 0;
}

/* The table is sorted by Association, and needed by Method. So one pass makes an array by method;
 * rows of one method are joined. */
static ilp_status read_semantics(struct ilpi_method_facts *facts, struct ilp_error *error)
{
    const struct ilp_image *image = facts->image;
    uint32_t methods = image->tables[ILP_MethodDef].count;
    facts->semantics = ilpi_arena_alloc(&facts->arena, (size_t)methods + 1);
    if (!facts->semantics) {
        return ilpi_fail_memory(error, (size_t)methods + 1);
    }
    for (ilp_rid row = 1; row <= image->tables[ILP_MethodSemantics].count; row++) {
        ilp_rid method = ilp_cell(image, ILP_MethodSemantics, row, ILP_MethodSemantics_Method);
        uint32_t flags = ilp_cell(image, ILP_MethodSemantics, row, ILP_MethodSemantics_Semantics);
        if (method <= methods) {
            facts->semantics[method] |= (uint8_t)flags;
        }
    }
    return ILP_OK;
}

/* From MethodSemantics (II.22.28) for properties and events, and by name for the others, as the CLI
 * does: operators are special names that begin with op_ (I.10.3), constructors .ctor and .cctor
 * (II.10.5). */
ilp_status ilpi_facts_roles(struct ilpi_method_facts *facts, uint32_t *roles,
                            struct ilp_error *error)
{
    if (!facts->semantics) {
        ILPI_TRY(read_semantics(facts, error));
    }
    uint8_t semantics = facts->semantics[facts->method];
    uint32_t flags = ilp_cell(facts->image, ILP_MethodDef, facts->method, ILP_MethodDef_Flags);
    struct ilp_bytes name = ilpi_facts_method(facts);
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

/* The access bits of a method equal the enumerators; those of a type also show whether it is
 * nested. */
unsigned ilpi_facts_visibility(const struct ilpi_method_facts *facts, unsigned table)
{
    /* TypeAttributes (II.23.1.15): not public, public, and six values of nested types. */
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
        return of_types[ilp_cell(facts->image, ILP_TypeDef, facts->owner, ILP_TypeDef_Flags) &
                        ILPI_TYPE_VISIBILITY_MASK];
    }
    return ilp_cell(facts->image, ILP_MethodDef, facts->method, ILP_MethodDef_Flags) &
           ILPI_METHOD_ACCESS_MASK;
}

uint32_t ilpi_facts_arity(const struct ilpi_method_facts *facts, ilp_token owner)
{
    uint32_t key = ilpi_token_to_coded(ILPI_CODED_TypeOrMethodDef, owner);
    uint32_t position = 0;
    uint32_t count = 0;
    while (ilpi_next_with_key(facts->image, ILP_GenericParam, key, &position) != 0) {
        count++;
    }
    return count;
}

/* ---- attributes ---- */

/* The attribute on the method, or on a type around it: closures and state machines have it only on
 * the outermost type that the compiler made. */
bool ilpi_facts_is_generated(const struct ilpi_method_facts *facts)
{
    ilp_token token = ILP_TOKEN(ILP_MethodDef, facts->method);
    ilp_rid type = facts->owner;
    for (unsigned i = 0; i <= MAX_NESTING; i++) {
        if (ilpi_has_attribute(facts->image, token, "System.Runtime.CompilerServices",
                               "CompilerGeneratedAttribute")) {
            return true;
        }
        if (type == 0) {
            break;
        }
        token = ILP_TOKEN(ILP_TypeDef, type);
        type = ilp_enclosing_type(facts->image, type);
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

/* By name, since the attribute's type need not be found. "Attribute" at the end is left out by C#
 * and kept in metadata; so it is in the list. */
static void list_attributes(const struct ilpi_method_facts *facts, ilp_token parent,
                            struct ilpi_name_list *list)
{
    const struct ilp_image *image = facts->image;
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

/* Attributes of the assembly are listed once, those of a type once for all its methods: they are
 * read in the order of the rows. */
ilp_status ilpi_facts_attributes(struct ilpi_method_facts *facts, unsigned on,
                                 const struct ilpi_name_list **list, struct ilp_error *error)
{
    struct ilpi_name_list *wanted = &facts->assembly_attributes;
    ilp_token parent = ILP_TOKEN(ILP_Assembly, 1);
    if (on == ILP_ON_METHOD) {
        wanted = &facts->method_attributes;
        parent = ILP_TOKEN(ILP_MethodDef, facts->method);
    } else if (on == ILP_ON_TYPE) {
        wanted = &facts->type_attributes;
        parent = ILP_TOKEN(ILP_TypeDef, facts->owner);
    }
    if (!wanted->known) {
        list_attributes(facts, parent, wanted);
    }
    *list = wanted;
    return wanted->names.status == ILP_OK ? ILP_OK : ilpi_fail_memory(error, wanted->names.size);
}

/* ---- the body ---- */

/* The budget is charged after reading, by the body's real size: a header may claim any. */
static ilp_status read_body(struct ilpi_method_facts *facts, struct ilp_body *body,
                            struct ilp_error *problem)
{
    const struct ilp_image *image = facts->image;
    uint64_t offset;
    uint32_t rva = ilp_cell(image, ILP_MethodDef, facts->method, ILP_MethodDef_RVA);
    struct ilp_bytes bytes = ilp_image_rva(image, rva, &offset);
    if (bytes.size == 0) {
        return ilpi_fail(problem, ILP_E_BAD_BODY, ILPI_NO_OFFSET, 0,
                         "RVA 0x%X leads outside of the file", rva);
    }
    ILPI_TRY(ilp_body_read(body, bytes, offset, &facts->scratch, problem));
    return ilpi_spend(&facts->budget, body->size, problem);
}

/* Decoding is needed for tail calls alone, so it is left out for other conditions on bodies. */
static ilp_status find_tails(struct ilpi_method_facts *facts, const struct ilp_body *body,
                             struct ilp_error *problem)
{
    ILPI_TRY(ilpi_code_decode(&facts->code, body, problem));
    facts->body.tails = false;
    for (size_t i = 0; i < facts->code.count && !facts->body.tails; i++) {
        facts->body.tails = facts->code.insns[i].op == ILPI_OP_TAIL;
    }
    facts->body.tails_known = true;
    return ILP_OK;
}

/* Only what a rule needs: the size and the presence of clauses come from the header, tail calls
 * need all instructions to be decoded. */
ilp_status ilpi_facts_body(struct ilpi_method_facts *facts, bool tails,
                           const struct ilpi_facts_body **body, bool *known,
                           struct ilp_error *error)
{
    const struct ilp_image *image = facts->image;
    struct ilpi_facts_body *result = &facts->body;
    struct ilp_body read = {.size = 0};
    struct ilp_error problem;
    *body = result;
    *known = true;
    if (result->known && (!tails || result->tails_known || !result->present)) {
        return ILP_OK;
    }
    uint32_t flags = ilp_cell(image, ILP_MethodDef, facts->method, ILP_MethodDef_ImplFlags);
    *result = (struct ilpi_facts_body){.known = true};
    /* Code of IL (II.23.1.11), and an RVA, which abstract methods and P/Invokes have not
     * (II.22.26). */
    result->present = (flags & ILPI_METHOD_IMPL_CODE_TYPE_MASK) == 0 &&
                      ilp_cell(image, ILP_MethodDef, facts->method, ILP_MethodDef_RVA) != 0;
    if (!result->present) {
        return ILP_OK;
    }
    ilp_status status = read_body(facts, &read, &problem);
    if (status == ILP_OK) {
        result->size = (uint32_t)read.code.size;
        result->handlers = read.clause_count != 0;
        status = tails ? find_tails(facts, &read, &problem) : ILP_OK;
    }
    if (ilp_status_class(status) == ILP_CLASS_MEMORY) {
        return ilpi_fail(error, status, problem.offset, problem.token, "%s", problem.message);
    }
    if (status != ILP_OK) {
        *known = false;
        result->known = false;
        ilpi_facts_set_why(facts, "its body is not valid", &problem);
    }
    return ILP_OK;
}
