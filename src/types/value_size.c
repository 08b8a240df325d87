/* Computes the size of a value in CoreCLR's layout: a tree of fields, down to primitives and
 * pointers.
 *
 *   type of a signature --resolve--> TypeDef --FieldList--> types of its fields, each again
 *                                       \--ClassLayout, FieldLayout, InlineArrayAttribute-->
 *                                       field_layout.c
 *
 * Of a type argument only the layout matters, so a type parameter is looked up in the layouts of
 * the arguments. */
#include "types/value_size.h"

#include "metadata/flags.h"
#include "sig/sig.h"
#include "types/core_type.h"
#include "types/value_type.h"

/* Real types nest to a depth of 6 and cost up to 300 steps. Without a limit a chain of n generic
 * structs, each with two fields of the next, would take 2^n. */
#define MAX_DEPTH 64u
#define MAX_STEPS 4096u

static const char compiler_services[] = "System.Runtime.CompilerServices";

static const struct ilpi_sized_value unknown;

/* A definition on the path from the root, and the arguments of its type parameters. Each is on the
 * C stack of the call that reads it. */
struct scope {
    struct ilpi_type_def def;                 /* of the root: the query's image, and no row */
    const struct ilpi_sized_value *arguments; /* of VAR, by number */
    uint32_t count;
    const struct scope *outer; /* of the type with a field of this one; NULL: the root */
};

/* The layout of a definition without type arguments; all zero: free. */
struct remembered {
    struct ilpi_type_def def;
    struct ilpi_sized_value value;
};

#define REMEMBERED 64u

struct size_walk {
    struct ilp_image *image; /* of the first signature */
    const struct ilp_resolver *resolver;
    const struct ilpi_layout_source *layouts; /* a runtime's; NULL: field_layout.c */
    uint32_t pointer;                         /* 4 or 8 */
    struct ilp_arena *scratch;                /* the query's */
    struct ilp_error *error;
    unsigned depth;       /* of scopes */
    uint32_t steps;       /* left */
    uint32_t wide_vector; /* upper bound of the alignment of Vector256 and Vector512 */
    bool met_wide_vector;
    const struct ilp_image *checked; /* the image last checked for being a reference assembly */
    bool is_reference_assembly;
    struct remembered remembered[REMEMBERED]; /* layouts without arguments, by rid */
};

/* A failed payment takes what is left, so that all later ones fail as well. */
static bool spend(struct size_walk *walk, size_t steps)
{
    bool enough = steps <= walk->steps;
    walk->steps = enough ? walk->steps - (uint32_t)steps : 0;
    return enough;
}

static struct ilpi_value_layout scalar(uint32_t size)
{
    return (struct ilpi_value_layout){.size = size, .alignment = size};
}

#define POINTER ILPI_POINTER_SIZE

/* 0 for what is no primitive. Native int has the target's size, which is not that of this
 * program. */
uint32_t ilpi_primitive_size(unsigned element, uint32_t pointer)
{
    static const uint8_t sizes[] = {
        [ILP_ELEMENT_BOOLEAN] = 1, [ILP_ELEMENT_CHAR] = 2,    [ILP_ELEMENT_I1] = 1,
        [ILP_ELEMENT_U1] = 1,      [ILP_ELEMENT_I2] = 2,      [ILP_ELEMENT_U2] = 2,
        [ILP_ELEMENT_I4] = 4,      [ILP_ELEMENT_U4] = 4,      [ILP_ELEMENT_I8] = 8,
        [ILP_ELEMENT_U8] = 8,      [ILP_ELEMENT_R4] = 4,      [ILP_ELEMENT_R8] = 8,
        [ILP_ELEMENT_I] = POINTER, [ILP_ELEMENT_U] = POINTER,
    };
    uint32_t size = element < sizeof sizes ? sizes[element] : 0;
    return size == POINTER ? pointer : size;
}

/* ---- reading the definition ---- */

/* The value of a custom attribute of this type; empty when there is none. */
static struct ilp_bytes find_attribute(struct size_walk *walk, const struct ilp_image *image,
                                       ilp_token parent, const char *name)
{
    uint32_t key = ilpi_token_to_coded(ILPI_CODED_HasCustomAttribute, parent);
    uint32_t position = 0;
    ilp_rid row;
    while ((row = ilpi_next_with_key(image, ILP_CustomAttribute, key, &position)) != 0) {
        if (ilpi_type_is_named(image, ilpi_attribute_type(image, row), compiler_services, name)) {
            return ilp_blob(image,
                            ilp_cell(image, ILP_CustomAttribute, row, ILP_CustomAttribute_Value));
        }
        if (position % 16 == 0 && !spend(walk, 1)) {
            break;
        }
    }
    return (struct ilp_bytes){NULL, 0};
}

/* InlineArrayAttribute(int length) repeats the only field (.NET 8): a prolog of two bytes, then the
 * length (II.23.3). CoreCLR ignores one that is too short. */
static uint32_t read_repeat(struct size_walk *walk, struct ilpi_type_def def)
{
    struct ilp_bytes value = find_attribute(walk, def.image, ILP_TOKEN(ILP_TypeDef, def.rid),
                                            "InlineArrayAttribute");
    return value.size >= 6 ? ilpi_load_u32(value.data + 2) : 1;
}

/* A reference assembly has types without their fields. */
static bool is_reference_assembly(struct size_walk *walk, const struct ilp_image *image)
{
    if (walk->checked != image) {
        walk->checked = image;
        walk->is_reference_assembly = find_attribute(walk, image, ILP_TOKEN(ILP_Assembly, 1),
                                                     "ReferenceAssemblyAttribute")
                                          .size != 0;
    }
    return walk->is_reference_assembly;
}

/* ---- recursion ---- */

static ilp_status answer_type(struct size_walk *walk, const struct scope *scope,
                              const struct ilp_type *type, struct ilpi_sized_value *answer);

/* The cost is that of reading the signature: a type's many fields may share a long one. A field
 * that costs too much is unknown, and so is the type with it. */
static ilp_status answer_field(struct size_walk *walk, const struct scope *scope, ilp_rid field,
                               struct ilpi_sized_value *answer)
{
    struct ilp_image *image = scope->def.image;
    uint32_t offset = ilp_cell(image, ILP_Field, field, ILP_Field_Signature);
    struct ilp_bytes blob = ilp_blob(image, offset);
    struct ilp_sig *sig;
    *answer = unknown;
    if (!spend(walk, 1 + blob.size / 16)) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_sig_read_valid(&sig, blob, ILP_SIG_FIELD, walk->scratch, walk->error));
    return sig ? answer_type(walk, scope, sig->ret, answer) : ILP_OK;
}

struct fields {
    struct ilpi_field *items; /* in the scratch arena, */
    struct ilpi_member *members;
    uint32_t count;
    bool complete; /* all of them, and none unknown */
};

/* The instance fields, at most `limit`. *bad becomes the layout of an unknown one. */
static ilp_status read_fields(struct size_walk *walk, const struct scope *scope, uint32_t limit,
                              struct fields *fields, struct ilpi_sized_value *bad)
{
    const struct ilp_image *image = scope->def.image;
    ilp_rid first;
    ilp_rid end;
    ilpi_list(image, ILP_TypeDef, scope->def.rid, ILP_TypeDef_FieldList, &first, &end);
    uint32_t room = end - first < limit ? end - first : limit;
    room = room < walk->steps ? room : walk->steps;
    *fields =
        (struct fields){.items = ilpi_arena_array(walk->scratch, room, sizeof *fields->items),
                        .members = ilpi_arena_array(walk->scratch, room, sizeof *fields->members)};
    if (!fields->items || !fields->members) {
        return ilpi_fail_memory(walk->error, room * sizeof *fields->members);
    }
    *bad = unknown;
    for (ilp_rid at = first; at < end && fields->count < limit; at++) {
        ilp_rid field = ilpi_list_row(image, ILP_Field, at);
        if ((at - first) % 16 == 0 && !spend(walk, 1)) {
            return ILP_OK;
        }
        if (ilp_cell(image, ILP_Field, field, ILP_Field_Flags) & ILPI_FIELD_STATIC) {
            continue;
        }
        struct ilpi_sized_value answer;
        ILPI_TRY(answer_field(walk, scope, field, &answer));
        if (answer.layout.size == 0 || fields->count == room) {
            *bad = answer.layout.size == 0 ? answer : unknown;
            return ILP_OK;
        }
        uint32_t position = 0;
        ilp_rid row = ilpi_next_with_key(image, ILP_FieldLayout, field, &position);
        fields->members[fields->count] = (struct ilpi_member){.field = field, .value = answer};
        fields->items[fields->count++] = (struct ilpi_field){
            .layout = answer.layout,
            .offset = row != 0 ? ilp_cell(image, ILP_FieldLayout, row, ILP_FieldLayout_Offset)
                               : UINT32_MAX};
    }
    fields->complete = true;
    return ILP_OK;
}

/* An enum has the layout of its one instance field (II.14.3). */
static ilp_status answer_enum(struct size_walk *walk, const struct scope *scope,
                              struct ilpi_sized_value *answer)
{
    struct fields fields;
    ILPI_TRY(read_fields(walk, scope, 1, &fields, answer));
    if (fields.complete && fields.count == 1 && !fields.items[0].layout.is_struct) {
        answer->layout = fields.items[0].layout;
        answer->element = fields.members[0].value.element;
        answer->is_enum = true;
    }
    return ILP_OK;
}

/* An inline array repeats its one field; a runtime that does not know that reports another size. */
static void take_reported(struct size_walk *walk, const struct fields *fields,
                          struct ilpi_sized_value *answer)
{
    uint32_t size = 0;
    bool references = false;
    for (uint32_t i = 0; i < fields->count; i++) {
        references |= fields->items[i].layout.references;
    }
    bool known =
        walk->layouts->lay_out(walk->layouts->user, answer, fields->members, &size) &&
        (answer->repeat == 1 ||
         (fields->count == 1 && (uint64_t)fields->items[0].layout.size * answer->repeat == size));
    answer->layout = (struct ilpi_value_layout){
        .size = known ? size : 0, .alignment = 1, .is_struct = true, .references = references};
}

static void take_rules(struct size_walk *walk, const struct ilpi_layout_rules *rules,
                       const struct ilpi_core_type *core, const struct fields *fields,
                       struct ilpi_sized_value *answer)
{
    answer->layout = ilpi_lay_out(rules, fields->items, fields->count);
    for (uint32_t i = 0; i < fields->count; i++) {
        fields->members[i].place = (uint32_t)fields->items[i].place;
    }
    if (core) { /* Arm's ABI has a maximum of 16: see ilpi_value_size() */
        walk->met_wide_vector |= core->alignment > 16;
        answer->layout.alignment = core->alignment < walk->wide_vector ? core->alignment
                                                                       : walk->wide_vector;
    }
}

/* In this order: types that CoreCLR knows by name, what has no fields here (a reference assembly),
 * types whose size depends on the machine, all others by their fields. */
static ilp_status answer_struct(struct size_walk *walk, const struct scope *scope,
                                struct ilpi_sized_value *answer)
{
    struct ilpi_type_def def = scope->def;
    ilp_token token = ILP_TOKEN(ILP_TypeDef, def.rid);
    struct fields fields;
    const struct ilpi_core_type *core = ilpi_find_core_type(def);
    if (core && core->scalar != 0) {
        answer->layout = scalar(core->scalar == POINTER ? walk->pointer : core->scalar);
        answer->element = core->element;
        return ILP_OK;
    }
    if (is_reference_assembly(walk, def.image)) {
        answer->missing = true;
        return ILP_OK;
    }
    if (ilpi_type_is_named(def.image, token, "System.Numerics", "Vector`1") ||
        ilpi_type_is_named(def.image, token, "System", "Void")) {
        return ILP_OK;
    }
    uint32_t position = 0;
    ilp_rid row = ilpi_next_with_key(def.image, ILP_ClassLayout, def.rid, &position);
    struct ilpi_layout_rules rules = {
        .pointer = walk->pointer,
        .kind = ilp_cell(def.image, ILP_TypeDef, def.rid, ILP_TypeDef_Flags) &
                ILPI_TYPE_LAYOUT_MASK,
        .packing = ilp_cell(def.image, ILP_ClassLayout, row, ILP_ClassLayout_PackingSize),
        .class_size = ilp_cell(def.image, ILP_ClassLayout, row, ILP_ClassLayout_ClassSize),
        .repeat = read_repeat(walk, def),
    };
    ILPI_TRY(read_fields(walk, scope, UINT32_MAX, &fields, answer));
    if (fields.complete) {
        answer->def = def;
        answer->own_arguments = scope->arguments;
        answer->own_count = scope->count;
        answer->members = fields.members;
        answer->member_count = fields.count;
        answer->repeat = rules.repeat;
        if (walk->layouts) {
            take_reported(walk, &fields, answer);
        } else {
            take_rules(walk, &rules, core, &fields, answer);
        }
    }
    return ILP_OK;
}

/* Layouts of types without arguments are remembered, the last one for each slot. A type that
 * contains itself has no layout; the scopes are the path from the root, so a search there finds
 * it. */
static ilp_status answer_definition(struct size_walk *walk, const struct scope *scope,
                                    struct ilpi_sized_value *answer)
{
    struct ilpi_type_def def = scope->def;
    struct remembered *remembered = &walk->remembered[def.rid % REMEMBERED];
    if (remembered->def.image == def.image && remembered->def.rid == def.rid) {
        *answer = remembered->value;
        return ILP_OK;
    }
    for (const struct scope *at = scope->outer; at; at = at->outer) {
        if (at->def.image == def.image && at->def.rid == def.rid) {
            return ILP_OK; /* contained in itself; as an argument that may be harmless */
        }
    }
    if (ilpi_is_enum_def(def.image, def.rid)) {
        ILPI_TRY(answer_enum(walk, scope, answer));
    } else if (ilpi_is_value_type_def(def.image, def.rid)) {
        ILPI_TRY(answer_struct(walk, scope, answer));
    }
    answer->def = def;
    if (scope->count == 0 && answer->layout.size != 0) {
        *remembered = (struct remembered){def, *answer};
    }
    return ILP_OK;
}

/* VALUETYPE, or a GENERICINST of one with its arguments. An unknown argument is harmless if the
 * type has no value of it. */
static ilp_status answer_named(struct size_walk *walk, const struct scope *scope,
                               const struct ilp_type *named, uint32_t count,
                               struct ilpi_sized_value *answer)
{
    struct ilp_image *image = scope->def.image;
    struct scope inner = {.count = count, .outer = scope};
    if (walk->depth == MAX_DEPTH || !spend(walk, (size_t)count + 1)) {
        return ILP_OK;
    }
    struct ilpi_sized_value *arguments = ilpi_arena_array(walk->scratch, count, sizeof *arguments);
    if (!arguments) {
        return ilpi_fail_memory(walk->error, count * sizeof *arguments);
    }
    inner.arguments = arguments;
    walk->depth++;
    const struct ilp_type *argument = named->next;
    for (uint32_t i = 0; i < count; i++, argument = argument->next) {
        ILPI_TRY(answer_type(walk, scope, argument, &arguments[i]));
    }
    inner.def = ilpi_resolve_type(image, named->token, walk->resolver);
    if (inner.def.image) {
        ILPI_TRY(answer_definition(walk, &inner, answer));
    } else {
        answer->missing = true;
    }
    walk->depth--;
    if (answer->missing && answer->unresolved == 0 && image == walk->image) {
        answer->unresolved = named->token;
    }
    return ILP_OK;
}

/* A value type, by its kind. */
static ilp_status answer_kind(struct size_walk *walk, const struct scope *scope,
                              const struct ilp_type *type, struct ilpi_sized_value *answer)
{
    switch (type->element) {
    case ILP_ELEMENT_VALUETYPE: return answer_named(walk, scope, type, 0, answer);
    case ILP_ELEMENT_GENERICINST:
        if (type->inner->element == ILP_ELEMENT_VALUETYPE) {
            return answer_named(walk, scope, type->inner, type->number, answer);
        }
        break;
    case ILP_ELEMENT_VOID:
    case ILP_ELEMENT_VAR:
    case ILP_ELEMENT_MVAR: return ILP_OK;
    case ILP_ELEMENT_PTR:
    case ILP_ELEMENT_FNPTR:
    case ILP_ELEMENT_BYREF: answer->layout = scalar(walk->pointer); return ILP_OK;
    case ILP_ELEMENT_TYPEDBYREF:
        answer->layout = (struct ilpi_value_layout){2 * walk->pointer, walk->pointer, true, false};
        return ILP_OK;
    default: break;
    }
    uint32_t size = ilpi_primitive_size(type->element, walk->pointer);
    answer->layout = scalar(size != 0 ? size : walk->pointer);
    answer->layout.references = size == 0;
    return ILP_OK;
}

/* An argument is as it was computed for the place where it was written; only other types depend on
 * this scope. */
static ilp_status answer_type(struct size_walk *walk, const struct scope *scope,
                              const struct ilp_type *type, struct ilpi_sized_value *answer)
{
    type = ilpi_type_unmodified(type);
    if (type->element == ILP_ELEMENT_VAR && type->number < scope->count) {
        *answer = scope->arguments[type->number];
        return ILP_OK;
    }
    *answer = (struct ilpi_sized_value){.element = type->element};
    ILPI_TRY(answer_kind(walk, scope, type, answer));
    answer->image = scope->def.image;
    answer->type = type;
    answer->arguments = scope->arguments;
    answer->argument_count = scope->count;
    return ILP_OK;
}

/* What layouts depend on besides types. */
struct machine {
    uint32_t pointer;
    uint32_t wide_vector;
};

/* *met_wide_vector (may be NULL): the result depends on the machine's alignment of vectors. */
static ilp_status answer_scope(const struct ilpi_value_query *query, struct machine machine,
                               const struct scope *scope, struct ilpi_sized_value *answer,
                               bool *met_wide_vector, struct ilp_error *error)
{
    struct size_walk walk = {.image = query->image,
                             .resolver = query->resolver,
                             .layouts = query->layouts,
                             .pointer = machine.pointer,
                             .scratch = query->arena,
                             .error = error,
                             .steps = MAX_STEPS,
                             .wide_vector = machine.wide_vector};
    ILPI_TRY(answer_type(&walk, scope, query->type, answer));
    if (met_wide_vector) {
        *met_wide_vector = walk.met_wide_vector;
    }
    return ILP_OK;
}

static ilp_status answer_query(const struct ilpi_value_query *query, struct machine machine,
                               struct ilpi_sized_value *answer, bool *met_wide_vector,
                               struct ilp_error *error)
{
    struct scope scope = {.def = {query->image, 0}};
    return answer_scope(query, machine, &scope, answer, met_wide_vector, error);
}

/* Two passes only if a wide vector was met: its alignment is 32 or 64 on x64 and 16 on Arm, and the
 * size must not depend on it. */
ilp_status ilpi_value_size(const struct ilpi_value_query *query, uint32_t pointer, uint32_t *size,
                           ilp_token *unresolved, struct ilp_error *error)
{
    static const uint32_t wide_vector[] = {64, 16}; /* of x86 and x64, of Arm */
    struct ilpi_sized_value answer;
    bool met = true;
    *size = 0;
    /* where a wide vector matters, the machines must agree */
    for (unsigned i = 0; i < 2 && met; i++) {
        ILPI_TRY(
            answer_query(query, (struct machine){pointer, wide_vector[i]}, &answer, &met, error));
        *size = i == 0 || answer.layout.size == *size ? answer.layout.size : 0;
        met = met && pointer != 4;
    }
    if (unresolved) {
        *unresolved = answer.unresolved;
    }
    return ILP_OK;
}

ilp_status ilpi_value_references(const struct ilpi_value_query *query, enum ilp_tristate *holds,
                                 ilp_token *unresolved, struct ilp_error *error)
{
    struct ilpi_sized_value answer;
    ILPI_TRY(answer_query(query, (struct machine){8, 64}, &answer, NULL, error));
    *holds = answer.layout.references ? ILP_YES : ILP_NO;
    if (answer.layout.size == 0) {
        *holds = ILP_UNKNOWN;
    }
    *unresolved = answer.unresolved;
    return ILP_OK;
}

static struct machine own_machine(void)
{
#if defined __x86_64__ || defined __i386__
    enum { WIDE_VECTOR = 64 };
#else
    enum { WIDE_VECTOR = 16 };
#endif
    return (struct machine){sizeof(void *), WIDE_VECTOR};
}

ilp_status ilpi_value_tree(const struct ilpi_value_query *query, struct ilpi_sized_value *value,
                           struct ilp_error *error)
{
    return answer_query(query, own_machine(), value, NULL, error);
}

ilp_status ilpi_value_tree_closed(const struct ilpi_value_query *query,
                                  const struct ilpi_sized_value *arguments, uint32_t count,
                                  struct ilpi_sized_value *value, struct ilp_error *error)
{
    struct scope scope = {.def = {query->image, 0}, .arguments = arguments, .count = count};
    return answer_scope(query, own_machine(), &scope, value, NULL, error);
}
