/* A set of rules: adding files. See rules.h.
 *
 *   begin_file: mark the counts, raise the limit
 *     --> rules are read after the set's last one (rules.count + pending)
 *     --> rules.count grows; the new ones are indexed
 *   end_file: success, or back to the mark: the set is as before
 *
 * The memory limit grows with each file's size, so that a small file with much nesting cannot take
 * more than a constant. */
#include "rules/rules.h"

#include <string.h>

ilp_status ilp_rules_open(struct ilp_rules **out, const struct ilp_allocator *allocator,
                          struct ilp_error *error)
{
    struct ilp_rules *rules = ilpi_object_open(sizeof *rules, allocator, error);
    *out = rules;
    if (!rules) {
        return ILP_E_NO_MEMORY;
    }
    ilpi_alloc_init_within(&rules->alloc, &rules->object, ILPI_RULES_BYTES);
    rules->others.first = ILPI_NO_LINK;
    rules->arena.alloc = &rules->alloc;
    return ILP_OK;
}

/* Frees the patterns and conditions compiled after the given numbers. */
static void forget_compiled(struct ilp_rules *rules, size_t regexes, size_t whens)
{
    while (rules->regexes.count > regexes) {
        ilpi_pattern_free(rules->regexes.items[--rules->regexes.count]);
    }
    while (rules->whens.count > whens) {
        ilpi_condition_close(rules->whens.items[--rules->whens.count]);
    }
}

static void free_index(struct ilpi_index *index, struct ilpi_alloc *alloc)
{
    ILPI_LIST_FREE(alloc, &index->links);
    ILPI_LIST_FREE(alloc, &index->chains);
    ilpi_map_free(&index->chain_numbers, alloc);
}

/* The reverse order of opening: patterns and conditions have memory of their own, which the arena
 * does not know. */
void ilp_rules_close(struct ilp_rules *rules)
{
    if (!rules) {
        return;
    }
    forget_compiled(rules, 0, 0);
    ilpi_pattern_compiler_close(rules->compiler);
    ilpi_arena_free(&rules->arena);
    ILPI_LIST_FREE(&rules->alloc, &rules->regexes);
    ILPI_LIST_FREE(&rules->alloc, &rules->whens);
    ILPI_LIST_FREE(&rules->alloc, &rules->rules);
    ILPI_LIST_FREE(&rules->alloc, &rules->inspectors);
    free_index(&rules->index, &rules->alloc);
    free_index(&rules->group_index, &rules->alloc);
    ILPI_LIST_FREE(&rules->alloc, &rules->groups);
    ilpi_object_close(&rules->object, sizeof *rules);
}

/* ---- called by xml.c and build.c ---- */

/* After the pending rules, which are not counted yet: a file's rules become valid together, at its
 * end. */
struct ilpi_rule *ilpi_rules_new(struct ilp_rules *rules, size_t pending, struct ilp_error *error)
{
    size_t count = rules->rules.count + pending;
    if (ILPI_LIST_RESERVE(&rules->alloc, &rules->rules, count + 1, error) != ILP_OK) {
        return NULL;
    }
    struct ilpi_rule *rule = &rules->rules.items[count];
    *rule = (struct ilpi_rule){.head = {.name = "", .enabled = true}};
    return rule;
}

/* A path is relative to the file that names it, a library name is not. */
static bool same_inspector(const struct ilpi_named *left, const struct ilpi_named *right)
{
    if (strcmp(left->name, right->name) != 0 || !left->symbol != !right->symbol) {
        return false;
    }
    return left->symbol
               ? strcmp(left->symbol, right->symbol) == 0 && left->transition == right->transition
               : strcmp(left->file, right->file) == 0;
}

/* Inspectors are numbered from 1, and rules with the same one share its number. The search is
 * linear: rule files name few. */
ilp_status ilpi_rules_inspector_number(struct ilp_rules *rules, struct ilpi_named inspector,
                                       uint32_t *number, struct ilp_error *error)
{
    for (size_t i = 0; i < rules->inspectors.count; i++) {
        if (same_inspector(&rules->inspectors.items[i], &inspector)) {
            *number = (uint32_t)i + 1;
            return ILP_OK;
        }
    }
    ILPI_TRY(ILPI_LIST_ADD(&rules->alloc, &rules->inspectors, inspector, error));
    *number = (uint32_t)rules->inspectors.count;
    return ILP_OK;
}

/* Room in the list is made first: a compiled pattern that could not be recorded would never be
 * freed. */
ilp_status ilpi_rules_compile(struct ilp_rules *rules, struct ilpi_pattern *pattern,
                              struct ilp_error *error)
{
    if (pattern->kind != ILPI_PATTERN_REGEX) {
        return ILP_OK;
    }
    if (!rules->compiler) {
        ILPI_TRY(ilpi_pattern_compiler_open(&rules->compiler, &rules->alloc, error));
    }
    ILPI_TRY(ILPI_LIST_RESERVE(&rules->alloc, &rules->regexes, rules->regexes.count + 1, error));
    ILPI_TRY(ilpi_pattern_compile(pattern, rules->compiler, error));
    return ILPI_LIST_ADD(&rules->alloc, &rules->regexes, pattern, error);
}

/* The condition's own allocator is within the set's, so that its memory counts for that limit. Room
 * for it in the list is reserved before, since a condition that is not listed would not be
 * closed. */
ilp_status ilpi_rules_compile_when(struct ilp_rules *rules, struct ilp_bytes text,
                                   const struct ilpi_condition **when, struct ilp_error *error)
{
    struct ilpi_condition *condition;
    struct ilpi_alloc counted;
    ilpi_alloc_init_within(&counted, &rules->alloc, 0);
    ILPI_TRY(ILPI_LIST_RESERVE(&rules->alloc, &rules->whens, rules->whens.count + 1, error));
    ILPI_TRY(ilpi_condition_open(&condition, text, &counted.hook, error));
    *when = condition;
    return ILPI_LIST_ADD(&rules->alloc, &rules->whens, condition, error);
}

void ilpi_rules_pass_arguments(struct ilp_rules *rules, uint32_t number, bool self)
{
    struct ilp_rule_action *action = &rules->rules.items[number].head.action;
    action->arguments = true;
    action->self = action->self || self;
}

const struct ilpi_condition *ilpi_rules_when(const struct ilp_rules *rules, uint32_t number)
{
    return number < rules->rules.count ? rules->rules.items[number].when : NULL;
}

/* ---- public ---- */

/* The state of a set before a file. The indexes are not in it: they change last, when nothing can
 * fail any more (index.c). */
struct mark {
    size_t rules;
    size_t inspectors;
    size_t regexes;
    size_t whens;
    struct ilpi_arena_mark arena;
};

/* Begins a file of `size` bytes. */
static struct mark begin_file(struct ilp_rules *rules, size_t size)
{
    rules->alloc.full = false;
    rules->alloc.hook.limit += ILPI_BYTES_OF_RULES(size);
    return (struct mark){rules->rules.count, rules->inspectors.count, rules->regexes.count,
                         rules->whens.count, ilpi_arena_mark(&rules->arena)};
}

static ilp_status fail_size(const struct ilp_rules *rules, struct ilp_error *error)
{
    return ilpi_fail(error, ILP_E_TOO_LARGE, ILPI_NO_OFFSET, 0,
                     "rules may take 1.75 times the size of their files and %zu MB of memory, and "
                     "these need more than %zu MB. Name more methods by one rule: 'like', 'regex' "
                     "or <any>",
                     ILPI_RULES_BYTES >> 20, rules->alloc.hook.limit >> 20);
}

/* Adds the file to the set as a whole, or not at all. */
static ilp_status end_file(struct ilp_rules *rules, size_t size, struct mark before,
                           ilp_status read, struct ilp_error *error)
{
    ilp_status status = read == ILP_OK ? ilpi_rules_index(rules, before.rules, error) : read;
    if (status == ILP_E_NO_MEMORY && rules->alloc.full) {
        status = fail_size(rules, error);
    }
    if (status != ILP_OK) {
        rules->rules.count = before.rules;
        rules->inspectors.count = before.inspectors;
        forget_compiled(rules, before.regexes, before.whens);
        /* Its items count for the limit, which falls back below. */
        ILPI_LIST_TRIM(&rules->alloc, &rules->rules);
        ilpi_arena_release(&rules->arena, before.arena);
        rules->alloc.hook.limit -= ILPI_BYTES_OF_RULES(size);
    }
    return status;
}

ilp_status ilpi_rules_add_xml(struct ilp_rules *rules, struct ilp_bytes xml, const char *file,
                              struct ilpi_buf *parsed, struct ilp_error *error)
{
    struct mark before = begin_file(rules, xml.size);
    ilp_status status = ilpi_rules_read(rules, xml, file, parsed, error);
    return end_file(rules, xml.size, before, status, error);
}

ilp_status ilpi_rules_add_parsed(struct ilp_rules *rules, struct ilp_bytes parsed, const char *file,
                                 struct ilp_error *error)
{
    struct mark before = begin_file(rules, parsed.size);
    ilp_status status = ilpi_rules_replay(rules, parsed, file, error);
    return end_file(rules, parsed.size, before, status, error);
}

ilp_status ilp_rules_add(struct ilp_rules *rules, struct ilp_bytes xml, const char *file,
                         struct ilp_error *error)
{
    return ilpi_rules_add_xml(rules, xml, file, NULL, error);
}

uint32_t ilp_rules_count(const struct ilp_rules *rules)
{
    return (uint32_t)rules->rules.count;
}

void ilp_rules_get(const struct ilp_rules *rules, uint32_t number, struct ilp_rule *rule)
{
    *rule = number < rules->rules.count ? rules->rules.items[number].head
                                        : (struct ilp_rule){.file = "", .name = ""};
}

const char *ilp_rules_inspector(const struct ilp_rules *rules, uint32_t index, const char **file)
{
    if (index >= rules->inspectors.count) {
        return NULL;
    }
    *file = rules->inspectors.items[index].file;
    return rules->inspectors.items[index].name;
}

bool ilp_rules_native(const struct ilp_rules *rules, uint32_t index, struct ilp_native *native)
{
    const struct ilpi_named *named = index < rules->inspectors.count
                                         ? &rules->inspectors.items[index]
                                         : NULL;
    if (!named || !named->symbol) {
        return false;
    }
    *native = (struct ilp_native){.call = named->transition ? ILP_NATIVE_PINVOKE
                                                            : ILP_NATIVE_PINVOKE_NO_TRANSITION,
                                  .library = named->name,
                                  .symbol = named->symbol};
    return true;
}
