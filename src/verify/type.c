/* The table of types: each exists once, so that types are compared by pointer; and substitution.
 * See type.h.
 *
 * A type's size as a tree and its depth are computed when it is made, so the cost of a walk is
 * known, although types share their parts.
 *
 *   key on the stack --measure--> too large: UNKNOWN
 *                    --hash, look up--> found: the existing one
 *                    --copy to the arena--> added; `place` is its index in `all`
 *
 * Parts exist once before the whole is made, so hash and comparison look at addresses only. */
#include "verify/type.h"

#include <stdio.h>

#include "base/hash.h"
#include "verify/type_table.h"

static const struct ilpi_vtype unknown_type = {.kind = ILPI_KIND_UNKNOWN, .size = 1, .depth = 1};

static uint64_t hash_type(const struct ilpi_vtype *type)
{
    uintptr_t parts[4] = {(uintptr_t)type->kind << 24 ^ type->number, (uintptr_t)type->def,
                          (uintptr_t)type->inner, type->arg_count};
    uint64_t hash = XXH3_64bits(parts, sizeof parts);
    return type->arg_count == 0 ? hash
                                : XXH3_64bits_withSeed((const void *)type->args,
                                                       type->arg_count * sizeof(void *), hash);
}

/* Only what the kind uses is set in a key, so the rest is zero in both. */
static bool equal_types(const struct ilpi_vtype *left, const struct ilpi_vtype *right)
{
    return left->kind == right->kind && left->number == right->number && left->def == right->def &&
           left->inner == right->inner && left->arg_count == right->arg_count &&
           (left->arg_count == 0 || memcmp((const void *)left->args, (const void *)right->args,
                                           left->arg_count * sizeof(void *)) == 0);
}

/* Adds to the list and to the map, or reports the missing memory. Both are charged to the memory
 * that the verifier may keep, which limits how many types a file can have it make. */
static bool add(struct ilpi_verifier *verifier, const struct ilpi_vtype *type, uint64_t hash)
{
    struct ilpi_types *types = verifier->types;
    ilpi_pay_memory(verifier, ILPI_VERIFY_ENTRY);
    if (ILPI_LIST_ADD(&verifier->alloc, &types->all, type, NULL) != ILP_OK ||
        ilpi_map_add(&types->places, &verifier->alloc, hash, (uint32_t)types->all.count, NULL) !=
            ILP_OK) {
        ilpi_verify_no_memory(verifier, types->all.count * sizeof *types->all.items);
        return false;
    }
    return true;
}

/* Computes size, depth and openness from the parts. False: too large. */
static bool measure(struct ilpi_vtype *type)
{
    uint32_t size = 1;
    uint32_t depth = 0;
    type->open = type->kind == ILP_ELEMENT_VAR || type->kind == ILP_ELEMENT_MVAR;
    for (uint32_t i = 0; i <= type->arg_count; i++) {
        const struct ilpi_vtype *part = i < type->arg_count ? type->args[i] : type->inner;
        if (part) {
            size += part->size;
            depth = part->depth > depth ? part->depth : depth;
            type->open = type->open || part->open;
            /* two types with an unknown part need not be the same, so none is stored */
            if (part->kind == ILPI_KIND_UNKNOWN || size > ILPI_TYPE_MAX_SIZE) {
                return false;
            }
        }
    }
    type->size = (uint16_t)size;
    type->depth = (uint8_t)(depth + 1);
    return depth < ILPI_TYPE_MAX_DEPTH;
}

/* `key` and its arguments are copied if the type is new. */
static const struct ilpi_vtype *intern(struct ilpi_verifier *verifier, struct ilpi_vtype *key)
{
    struct ilpi_types *types = verifier->types;
    if (!measure(key)) {
        return &unknown_type;
    }
    uint64_t hash = hash_type(key);
    struct ilpi_map_search search = ilpi_map_find(&types->places, hash);
    for (uint32_t place; (place = ilpi_map_next(&search)) != 0;) {
        if (equal_types(types->all.items[place - 1], key)) {
            return types->all.items[place - 1];
        }
    }
    if (!ilpi_can_keep(verifier,
                       sizeof *key + key->arg_count * sizeof(void *) + ILPI_VERIFY_ENTRY)) {
        return &unknown_type;
    }
    struct ilpi_vtype *type = ilpi_verify_take(verifier, 1, sizeof *type);
    const struct ilpi_vtype **args = key->arg_count != 0
                                         ? ilpi_verify_take(verifier, key->arg_count, sizeof *args)
                                         : NULL;
    if (!type || (key->arg_count != 0 && !args)) {
        return &unknown_type;
    }
    *type = *key;
    if (args) {
        memcpy((void *)args, (const void *)key->args, key->arg_count * sizeof *args);
    }
    type->args = args;
    type->place = (uint32_t)types->all.count;
    return add(verifier, type, hash) ? type : &unknown_type;
}

void ilpi_types_open(struct ilpi_verifier *verifier)
{
    struct ilpi_types *types = ilpi_verify_take(verifier, 1, sizeof *types);
    verifier->types = types;
    if (types) {
        types->unknown = &unknown_type;
        types->own_specs = ilpi_verify_take(verifier, ilpi_verifier_rows(verifier, ILP_TypeSpec),
                                            sizeof *types->own_specs);
        types->own_refs = ilpi_verify_take(verifier, ilpi_verifier_rows(verifier, ILP_TypeRef),
                                           sizeof *types->own_refs);
    }
}

void ilpi_types_close(struct ilpi_verifier *verifier)
{
    struct ilpi_types *types = verifier->types;
    if (types) {
        ilpi_map_free(&types->places, &verifier->alloc);
        ilpi_map_free(&types->def_places, &verifier->alloc);
        ILPI_LIST_FREE(&verifier->alloc, &types->all);
        ILPI_LIST_FREE(&verifier->alloc, &types->defs);
    }
}

/* ---- making types ---- */

const struct ilpi_vtype *ilpi_type_of_element(struct ilpi_verifier *verifier, uint8_t element)
{
    struct ilpi_vtype key = {.kind = element};
    return element == 0 ? &unknown_type : intern(verifier, &key);
}

const struct ilpi_vtype *ilpi_type_wrapped(struct ilpi_verifier *verifier, uint8_t kind,
                                           const struct ilpi_vtype *inner, uint32_t rank)
{
    struct ilpi_vtype key = {.kind = kind, .inner = inner, .number = rank};
    return intern(verifier, &key);
}

const struct ilpi_vtype *ilpi_type_var(struct ilpi_verifier *verifier, uint8_t kind,
                                       uint32_t number)
{
    struct ilpi_vtype key = {.kind = kind, .number = number};
    return intern(verifier, &key);
}

/* CLASS or VALUETYPE: the kind of the definition if it was found, else that of the signature. */
static uint8_t kind_of_def(const struct ilpi_def *def, uint8_t said)
{
    if (def->what == ILPI_WHAT_UNRESOLVED) {
        return said;
    }
    return ilpi_def_is_value_type(def) ? ILP_ELEMENT_VALUETYPE : ILP_ELEMENT_CLASS;
}

const struct ilpi_vtype *ilpi_type_instance(struct ilpi_verifier *verifier, struct ilpi_def *def,
                                            uint8_t kind, const struct ilpi_vtype *const *args,
                                            uint32_t count)
{
    if (!def) {
        return &unknown_type;
    }
    struct ilpi_vtype key = {.kind = ILP_ELEMENT_GENERICINST,
                             .number = kind_of_def(def, kind),
                             .def = def,
                             .args = args,
                             .arg_count = count};
    return intern(verifier, &key);
}

const struct ilpi_vtype *ilpi_type_of_def(struct ilpi_verifier *verifier, struct ilpi_def *def,
                                          uint8_t kind)
{
    if (!def) {
        return &unknown_type;
    }
    if (def->element != 0) {
        return ilpi_type_of_element(verifier, def->element);
    }
    struct ilpi_vtype key = {.kind = kind_of_def(def, kind), .def = def};
    return intern(verifier, &key);
}

#define MAX_OWN_ARGS 256u

/* A type as its own code sees it: List<!0>, whose arguments are its own parameters. */
const struct ilpi_vtype *ilpi_type_self(struct ilpi_verifier *verifier, struct ilpi_def *def)
{
    if (!def || def->generic_count == 0) {
        return ilpi_type_of_def(verifier, def, ILPI_KIND_VAGUE);
    }
    const struct ilpi_vtype *args[MAX_OWN_ARGS];
    if (def->generic_count > MAX_OWN_ARGS) {
        return &unknown_type;
    }
    for (uint32_t i = 0; i < def->generic_count; i++) {
        args[i] = ilpi_type_var(verifier, ILP_ELEMENT_VAR, i);
    }
    return ilpi_type_instance(verifier, def, ILP_ELEMENT_CLASS, args, def->generic_count);
}

/* ---- substitution ---- */

/* The argument of a type parameter. */
static const struct ilpi_vtype *argument_of(const struct ilpi_vtype *parameter,
                                            const struct ilpi_args *args)
{
    bool of_type = parameter->kind == ILP_ELEMENT_VAR;
    const struct ilpi_vtype *const *list = of_type ? args->types : args->methods;
    uint32_t count = of_type ? args->type_count : args->method_count;
    if (!list) {
        return parameter;
    }
    return parameter->number < count ? list[parameter->number] : &unknown_type;
}

/* Bounded by the size of types, which is limited. A substituted type may be larger than its parts:
 * intern() refuses it then. */
const struct ilpi_vtype *ilpi_type_substituted(struct ilpi_verifier *verifier,
                                               const struct ilpi_vtype *type,
                                               const struct ilpi_args *args)
{
    if (!type->open || !ilpi_spend_work(verifier, 2)) {
        return type->open ? &unknown_type : type;
    }
    switch (type->kind) {
    case ILP_ELEMENT_VAR:
    case ILP_ELEMENT_MVAR: return argument_of(type, args);
    case ILP_ELEMENT_GENERICINST: {
        const struct ilpi_vtype *append[MAX_OWN_ARGS];
        if (type->arg_count > MAX_OWN_ARGS) {
            return &unknown_type;
        }
        for (uint32_t i = 0; i < type->arg_count; i++) {
            append[i] = ilpi_type_substituted(verifier, type->args[i], args);
        }
        return ilpi_type_instance(verifier, type->def, (uint8_t)type->number, append,
                                  type->arg_count);
    }
    default:
        return ilpi_type_wrapped(verifier, type->kind,
                                 ilpi_type_substituted(verifier, type->inner, args), type->number);
    }
}

/* A type without arguments gives an empty list, not NULL: a VAR in its members is then out of
 * range, and unknown. */
struct ilpi_args ilpi_args_of(const struct ilpi_vtype *type)
{
    static const struct ilpi_vtype *const none[1] = {NULL};
    return type->kind == ILP_ELEMENT_GENERICINST
               ? (struct ilpi_args){type->args, type->arg_count, NULL, 0}
               : (struct ilpi_args){none, 0, NULL, 0};
}

/* ---- names ---- */

static void append(struct ilpi_type_name *name, const char *text)
{
    size_t used = strlen(name->text);
    size_t room = sizeof name->text - 1 - used;
    size_t size = strlen(text);
    memcpy(name->text + used, text, size < room ? size : room);
}

static const char *unknown_text(const struct ilpi_vtype *type)
{
    switch (type->number) {
    case ILP_ELEMENT_CLASS: return "an unknown reference type";
    case ILP_ELEMENT_BYREF: return "a reference to an unknown type";
    case ILP_ELEMENT_PTR: return "a pointer to an unknown type";
    default: return "an unknown type";
    }
}

/* The name for messages, shortened to the size of its buffer: List<!0>[]. Deeper parts of a type
 * are "...". */
static void put_type(struct ilpi_type_name *name, const struct ilpi_vtype *type, unsigned depth)
{
    static const char *const ends[] = {[ILP_ELEMENT_PTR] = "*",
                                       [ILP_ELEMENT_BYREF] = "&",
                                       [ILP_ELEMENT_SZARRAY] = "[]",
                                       [ILP_ELEMENT_ARRAY] = "[,]"};
    const char *end = type->kind < sizeof ends / sizeof ends[0] ? ends[type->kind] : NULL;
    if (depth > 8 || strlen(name->text) == sizeof name->text - 1) {
        append(name, "...");
    } else if (end) {
        put_type(name, type->inner, depth + 1);
        append(name, end);
    } else if (type->kind == ILP_ELEMENT_VAR || type->kind == ILP_ELEMENT_MVAR) {
        char digits[16];
        snprintf(digits, sizeof digits, "%s%u", type->kind == ILP_ELEMENT_VAR ? "!" : "!!",
                 type->number);
        append(name, digits);
    } else if (type->def) {
        const char *name_space;
        const char *own;
        ilpi_type_name(type->def->image, type->def->token, &name_space, &own);
        append(name, name_space);
        append(name, name_space[0] != '\0' ? "." : "");
        append(name, own);
        for (uint32_t i = 0; i < type->arg_count; i++) {
            append(name, i == 0 ? "<" : ",");
            put_type(name, type->args[i], depth + 1);
        }
        append(name, type->arg_count != 0 ? ">" : "");
    } else if (type->kind == ILP_ELEMENT_FNPTR) {
        append(name, "a function pointer");
    } else {
        append(name, type->kind == ILPI_KIND_UNKNOWN ? unknown_text(type)
                                                     : ilpi_element_text(type->kind));
    }
}

struct ilpi_type_name ilpi_type_name_of(const struct ilpi_vtype *type)
{
    struct ilpi_type_name name = {""};
    put_type(&name, type, 0);
    return name;
}
