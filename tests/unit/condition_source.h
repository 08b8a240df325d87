/* A call that conditions can be tested on without a runtime: things with members. */
#ifndef CONDITION_SOURCE_H
#define CONDITION_SOURCE_H

#include <string.h>

#include "condition/condition.h"

/* One value of the call. */
struct thing {
    const char *name; /* as a member; NULL: an element, which is found by its position */
    struct ilpi_scalar scalar;
    const struct thing *members;
    size_t count;
    const char *type, *base; /* of an object */
};

struct thing_enum_member {
    const char *name;
    uint64_t number;
};

/* What struct ilpi_scalar has as the type of an enum: the members end with one without a name. */
struct thing_enum {
    struct thing_enum_member members[8];
};

struct thing_call {
    struct ilpi_condition_source source;
    const struct thing *self, *exception, *elapsed; /* NULL: none */
    const struct thing *arguments;
    size_t argument_count;
    unsigned reads; /* of values */
};

static inline struct ilpi_condition_value thing_value(const struct thing *thing)
{
    return (struct ilpi_condition_value){thing, thing};
}

static inline enum ilpi_reach thing_find(const struct thing *things, size_t count,
                                         const struct ilpi_condition_name *name,
                                         struct ilpi_condition_value *out)
{
    for (size_t i = 0; i < count; i++) {
        if (name->text ? things[i].name && strcmp(things[i].name, name->text) == 0
                       : i == name->number) {
            *out = thing_value(&things[i]);
            return ILPI_REACH_FOUND;
        }
    }
    return ILPI_REACH_NO_MEMBER;
}

static inline enum ilpi_reach thing_root(const struct ilpi_condition_source *source,
                                         enum ilpi_condition_root root,
                                         const struct ilpi_condition_name *argument,
                                         struct ilpi_condition_value *out)
{
    const struct thing_call *call = (const struct thing_call *)source;
    const struct thing *found = root == ILPI_ROOT_THIS ? call->self : call->elapsed;
    if (root == ILPI_ROOT_ARGUMENT) {
        return thing_find(call->arguments, call->argument_count, argument, out);
    }
    if (root == ILPI_ROOT_EXCEPTION) {
        found = call->exception;
        if (!found) {
            return ILPI_REACH_NULL;
        }
    }
    *out = thing_value(found);
    return found ? ILPI_REACH_FOUND : ILPI_REACH_NO_VALUE;
}

static inline enum ilpi_reach thing_member(const struct ilpi_condition_source *source,
                                           const struct ilpi_condition_value *of,
                                           const struct ilpi_condition_name *name,
                                           struct ilpi_condition_value *out)
{
    const struct thing *thing = of->data;
    (void)source;
    if (thing->scalar.kind == ILPI_SCALAR_NULL) {
        return ILPI_REACH_NULL;
    }
    return thing->scalar.kind == ILPI_SCALAR_UNREADABLE
               ? ILPI_REACH_UNREADABLE
               : thing_find(thing->members, thing->count, name, out);
}

static inline void thing_read(const struct ilpi_condition_source *source,
                              const struct ilpi_condition_value *value, struct ilpi_scalar *out)
{
    struct thing_call *call = (struct thing_call *)(uintptr_t)source;
    call->reads++;
    *out = ((const struct thing *)value->data)->scalar;
}

static inline bool thing_enum_number(const struct ilpi_condition_source *source, const void *type,
                                     const struct ilpi_condition_name *name, uint64_t *number)
{
    const struct thing_enum *of = type;
    (void)source;
    for (const struct thing_enum_member *at = of->members; at->name; at++) {
        if (strcmp(at->name, name->text) == 0) {
            *number = at->number;
            return true;
        }
    }
    return false;
}

static inline enum ilp_tristate thing_is_type(const struct ilpi_condition_source *source,
                                              const struct ilpi_condition_value *value,
                                              const struct ilpi_condition_name *name)
{
    const struct thing *thing = value->data;
    (void)source;
    if (!thing->type) {
        return ILP_UNKNOWN;
    }
    return strcmp(thing->type, name->text) == 0 ||
                   (thing->base && strcmp(thing->base, name->text) == 0)
               ? ILP_YES
               : ILP_NO;
}

static const struct ilpi_condition_reader thing_reader = {
    .root = thing_root,
    .member = thing_member,
    .read = thing_read,
    .enum_number = thing_enum_number,
    .is_type = thing_is_type,
};

/* A call that returned a value; NULL: none. */
static inline struct thing_call thing_call(const struct thing *value)
{
    return (struct thing_call){
        .source = {.reader = &thing_reader, .value = thing_value(value), .has_value = value}};
}

/* ---- a call in two parts: at its entry there are arguments alone, later all but these ---- */

static inline enum ilpi_reach thing_no_root(const struct ilpi_condition_source *source,
                                            enum ilpi_condition_root root,
                                            const struct ilpi_condition_name *argument,
                                            struct ilpi_condition_value *out)
{
    (void)source, (void)root, (void)argument, (void)out;
    return ILPI_REACH_NO_VALUE;
}

struct thing_parts {
    struct ilpi_condition_result entry, all;
};

/* Of a condition that mixes nothing. */
static inline struct thing_parts thing_test_parts(const struct ilpi_condition *condition,
                                                  const struct thing_call *call,
                                                  struct ilpi_condition_scratch *scratch)
{
    static struct ilpi_condition_result outcomes[4096]; /* a condition has so many bytes */
    struct ilpi_condition_reader reader = thing_reader;
    struct thing_call entry = *call, later = *call;
    struct thing_parts parts;
    for (uint32_t i = 0; i < ilpi_condition_argument_tests(condition); i++) {
        outcomes[i] = ilpi_condition_test_argument(condition, i, &call->source, scratch);
    }
    reader.root = thing_no_root;
    entry.source.reader = &reader;
    entry.source.has_value = false;
    entry.source.arguments = later.source.arguments = outcomes;
    later.self = NULL;
    later.arguments = NULL;
    later.argument_count = 0;
    parts.entry = ilpi_condition_test(condition, &entry.source, scratch);
    parts.all = ilpi_condition_test(condition, &later.source, scratch);
    return parts;
}

/* ---- one call with values of all kinds ---- */

#define THING_STRING(name, text)                       \
    {                                                  \
        (name),                                        \
            {.kind = ILPI_SCALAR_STRING,               \
             .length = sizeof(u"" text) / 2 - 1,       \
             .as.bytes = (const uint8_t *)(u"" text)}, \
            NULL, 0, NULL, NULL                        \
    }
#define THING_OBJECT(name, type, base, members)                                                \
    {                                                                                          \
        (name), {.kind = ILPI_SCALAR_OBJECT}, (members), sizeof(members) / sizeof(members)[0], \
            (type), (base)                                                                     \
    }
#define THING_INT(name, value)                                                           \
    {                                                                                    \
        (name), {.kind = ILPI_SCALAR_SIGNED, .as.integer = (value)}, NULL, 0, NULL, NULL \
    }
#define THING_KIND(name, of_kind, ...)                                            \
    {                                                                             \
        (name), {.kind = ILPI_SCALAR_##of_kind, __VA_ARGS__}, NULL, 0, NULL, NULL \
    }

static const struct thing_enum thing_state = {
    {{"New", 0}, {"Open", 1}, {"Held", 2}, {"Lost", UINT64_MAX}}};
static const struct thing_enum thing_access = {{{"Read", 1}, {"Write", 2}, {"Both", 3}}};

static const struct thing thing_lines[] = {THING_INT(NULL, 10), THING_INT(NULL, 20),
                                           THING_INT("Count", 3)};

/* 2026-01-31T10:00:00.5, and the GUID 00112233-4455-6677-8899-aabbccddeeff */
#define THING_TICKS 639054504005000000u
static const uint8_t thing_guid[] = {0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66,
                                     0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF};

static const struct thing thing_order[] = {
    THING_KIND("Total", DECIMAL, .scale = 2, .as.words = {1250, 0, 0}),
    THING_INT("Count", 3),
    THING_STRING("Name", "alpha"),
    THING_KIND("Customer", NULL, .length = 0),
    THING_OBJECT("Lines", "List", NULL, thing_lines),
    THING_KIND("State", SIGNED, .as.integer = 1, .type = &thing_state),
    THING_KIND("Lost", SIGNED, .as.integer = -1, .type = &thing_state),
    THING_KIND("Access", UNSIGNED, .as.natural = 3, .type = &thing_access),
    THING_KIND("Created", DATE, .as.natural = THING_TICKS),
    THING_KIND("Id", GUID, .as.bytes = thing_guid),
    THING_KIND("Wait", DURATION, .scale = 7, .as.words = {50000, 0, 0}),
    THING_KIND("Ratio", DOUBLE, .as.real = 0.1),
    THING_KIND("Small", SINGLE, .as.real = (double)0.1f),
    THING_KIND("IsOpen", BOOL, .as.natural = 1),
    THING_KIND("IsShut", BOOL, .as.natural = 0),
    THING_KIND("Letter", UNSIGNED, .as.natural = 'x'),
    THING_KIND("Big", UNSIGNED, .as.natural = UINT64_MAX),
    THING_KIND("Secret", UNREADABLE, .length = 0),
    THING_KIND("NaN", DOUBLE, .as.real = (double)__builtin_nanf("")),
    THING_STRING("Empty", ""),
};

static const struct thing thing_arguments[] = {
    THING_STRING("currency", "EUR"), THING_INT("limit", 12), THING_INT("low", -5),
    THING_KIND("none", NULL, .length = 0), THING_STRING("other", "alpha")};

static const struct thing thing_message[] = {THING_STRING("Message", "file not found")};
static const struct thing thing_exception = THING_OBJECT(NULL, "System.IO.IOException",
                                                         "System.Exception", thing_message);
static const struct thing thing_elapsed = THING_KIND(NULL, DURATION, .scale = 9,
                                                     .as.words = {5000001, 0, 0});
static const struct thing thing_value_order = THING_OBJECT(NULL, "Shop.Order", "Order",
                                                           thing_order);

/* It returned an order. */
static inline struct thing_call thing_order_call(void)
{
    struct thing_call call = thing_call(&thing_value_order);
    call.elapsed = &thing_elapsed;
    call.self = &thing_value_order;
    call.arguments = thing_arguments;
    call.argument_count = sizeof thing_arguments / sizeof thing_arguments[0];
    return call;
}

#endif
