/* What a method returns, in the form of conditions: kind and size of the type, and the bugs that
 * depend on them. See method_facts.h. */
#include <stdio.h>

#include "types/names.h"
#include "rules/method_facts.h"
#include "types/task_type.h"
#include "types/value_size.h"

#define BIT(kind) (1u << ILP_KIND_##kind)

static void report_unresolved(struct ilpi_method_facts *facts, ilp_token type, const char *question)
{
    struct ilpi_buf name = {.alloc = facts->alloc};
    ilpi_name_type(facts->image, &name, type);
    ilpi_buf_u8(&name, 0);
    snprintf(facts->why, sizeof facts->why, "%s %.120s could not be found", question,
             name.status == ILP_OK ? (const char *)name.data : "a type");
    ilpi_buf_free(&name);
}

/* A value type that is not found is an enum or a struct. */
static uint32_t value_type_kinds(struct ilpi_method_facts *facts, ilp_token type, bool *known)
{
    enum ilpi_value_type kind = ilpi_value_type_of(&facts->value_types, type);
    *known = kind != ILPI_VALUE_UNRESOLVED;
    if (!*known) {
        report_unresolved(facts, type, "it may return an enum or a struct:");
        return BIT(ENUM) | BIT(STRUCT);
    }
    return kind == ILPI_VALUE_ENUM ? BIT(ENUM) : BIT(STRUCT);
}

/* By the signature alone; a VALUETYPE or an instance of one is decided elsewhere, with its
 * definition. */
static uint32_t plain_kind(const struct ilp_type *type)
{
    switch (type->element) {
    case ILP_ELEMENT_VOID: return BIT(VOID);
    case ILP_ELEMENT_BYREF: return BIT(BYREF);
    case ILP_ELEMENT_PTR:
    case ILP_ELEMENT_FNPTR: return BIT(POINTER);
    case ILP_ELEMENT_TYPEDBYREF: return BIT(STRUCT);
    case ILP_ELEMENT_VAR:
    case ILP_ELEMENT_MVAR: return BIT(GENERIC);
    default: return ilpi_element_is_primitive_value(type->element) ? BIT(PRIMITIVE) : BIT(CLASS);
    }
}

/* The returned type without modifiers; NULL if the signature is invalid. */
static ilp_status returned_type(struct ilpi_method_facts *facts, const struct ilp_type **type,
                                struct ilp_error *error)
{
    bool known;
    ILPI_TRY(ilpi_facts_signature_read(facts, &known, error));
    *type = known ? ilpi_type_unmodified(facts->sig->ret) : NULL;
    return ILP_OK;
}

/* `wanted` are the kinds that the caller compares: whether a type is a task requires resolving
 * references, so it is only found out if needed. An unknown fact has the bits of all kinds that are
 * possible (match_words()). */
ilp_status ilpi_facts_kinds(struct ilpi_method_facts *facts, uint32_t wanted, uint32_t *kinds,
                            bool *known, struct ilp_error *error)
{
    const struct ilp_type *type;
    ILPI_TRY(returned_type(facts, &type, error));
    *known = type != NULL;
    *kinds = UINT32_MAX;
    if (!type) {
        return ILP_OK;
    }
    const struct ilp_type *named = type->element == ILP_ELEMENT_GENERICINST ? type->inner : type;
    if (named->element == ILP_ELEMENT_VALUETYPE) {
        *kinds = value_type_kinds(facts, named->token, known);
    } else {
        *kinds = plain_kind(type);
    }
    if ((wanted & BIT(TASK)) != 0) {
        ilp_token unresolved;
        enum ilp_tristate task = ilpi_is_task(facts->image, type, facts->resolver, &unresolved);
        *kinds |= task != ILP_NO ? BIT(TASK) : 0;
        if (task == ILP_UNKNOWN) {
            *known = false;
            report_unresolved(facts, unresolved, "it may return a task:");
        }
    }
    return ILP_OK;
}

/* The maximum cost of measuring a struct, in the budget's bytes. */
#define MEASURING 4096u

/* 32-bit Arm lays structs out by other rules than x86, which are not implemented here. Any CPU is
 * measured with 8 bytes, as --target says (rules.def). A budget that is spent is no error: the size
 * is unknown. */
static ilp_status measure(struct ilpi_method_facts *facts, const struct ilp_type *type,
                          uint32_t *size, ilp_token *unresolved, struct ilp_error *error)
{
    struct ilp_error too_much;
    uint32_t pointer = facts->target == ILP_TARGET_X86 ? 4 : 8;
    *size = 0;
    *unresolved = 0;
    if (facts->target == ILP_TARGET_ARM ||
        ilpi_spend(&facts->budget, MEASURING, &too_much) != ILP_OK) {
        return ILP_OK;
    }
    struct ilpi_value_query query = {facts->image, type, facts->resolver, &facts->scratch, NULL};
    return ilpi_value_size(&query, pointer, size, unresolved, error);
}

/* Methods with one signature return one type: its size is cached by the signature's blob. A small
 * direct-mapped table: a slot is replaced by the next signature that falls on it. */
static ilp_status remembered_size(struct ilpi_method_facts *facts, const struct ilp_type *type,
                                  uint32_t *size, ilp_token *unresolved, struct ilp_error *error)
{
    uint32_t blob = ilp_cell(facts->image, ILP_MethodDef, facts->method, ILP_MethodDef_Signature);
    struct ilpi_remembered_size *remembered = &facts->sizes[blob % ILPI_REMEMBERED_SIZES];
    if (blob == 0 || remembered->blob != blob) {
        ILPI_TRY(measure(facts, type, size, unresolved, error));
        *remembered = (struct ilpi_remembered_size){blob, *size, *unresolved};
    }
    *size = remembered->size;
    *unresolved = remembered->unresolved;
    return ILP_OK;
}

/* 0 for what is no struct; unknown if the size is not the same on all machines, or if the
 * definition is not found (types/value_size.h). */
ilp_status ilpi_facts_size(struct ilpi_method_facts *facts, uint32_t *size, bool *known,
                           struct ilp_error *error)
{
    uint32_t kinds;
    const struct ilp_type *type;
    *size = 0;
    ILPI_TRY(ilpi_facts_kinds(facts, 0, &kinds, known, error));
    if (!*known || (kinds & BIT(STRUCT)) == 0) {
        return ILP_OK;
    }
    ilp_token unresolved;
    ILPI_TRY(returned_type(facts, &type, error));
    ILPI_TRY(remembered_size(facts, type, size, &unresolved, error));
    *known = *size != 0;
    if (!*known && unresolved != 0) {
        report_unresolved(facts, unresolved, "the size of the returned struct is not known:");
    } else if (!*known) {
        snprintf(facts->why, sizeof facts->why, "the size of the returned struct is not known");
    }
    return ILP_OK;
}

/* Of the bug's three conditions the first is looked up, the second is the target, and the third,
 * how the JIT sets up the frame, is not in metadata: it is assumed (docs/BUGS.md). */
ilp_status ilpi_facts_affected(struct ilpi_method_facts *facts, unsigned bug,
                               enum ilp_tristate *outcome, struct ilp_error *error)
{
    uint32_t kinds;
    bool known;
    *outcome = ILP_NO;
    if (bug != ILP_BUG_X86_STRUCT_RETURN ||
        (facts->target != ILP_TARGET_X86 && facts->target != ILP_TARGET_ANYCPU)) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_facts_kinds(facts, 0, &kinds, &known, error));
    if ((kinds & BIT(STRUCT)) != 0) {
        *outcome = known ? ILP_YES : ILP_UNKNOWN;
    }
    return ILP_OK;
}
