/* A set of rules: adding files, and the index that finds rules by the literal names in them. See
 * rules.h. */
#include "rules/rules.h"

#include <string.h>

#include "base/hash.h"
#include "types/names.h"

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

/* Gives back what was compiled behind the first ones of each kind. */
static void forget_compiled(struct ilp_rules *rules, size_t regexes, size_t whens)
{
    while (rules->regexes.count > regexes) {
        ilpi_pattern_free(rules->regexes.items[--rules->regexes.count]);
    }
    while (rules->whens.count > whens) {
        ilpi_condition_close(rules->whens.items[--rules->whens.count]);
    }
}

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
    ILPI_LIST_FREE(&rules->alloc, &rules->links);
    ILPI_LIST_FREE(&rules->alloc, &rules->chains);
    ilpi_map_free(&rules->chain_numbers, &rules->alloc);
    ilpi_object_close(&rules->object, sizeof *rules);
}

/* ---- what xml.c and build.c add ---- */

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

/* A path depends on the file that names it, a library does not. */
static bool same_inspector(const struct ilpi_named *left, const struct ilpi_named *right)
{
    if (strcmp(left->name, right->name) != 0 || !left->symbol != !right->symbol) {
        return false;
    }
    return left->symbol
               ? strcmp(left->symbol, right->symbol) == 0 && left->transition == right->transition
               : strcmp(left->file, right->file) == 0;
}

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
    struct ilp_treatment *treatment = &rules->rules.items[number].head.treatment;
    treatment->arguments = true;
    treatment->self = treatment->self || self;
}

const struct ilpi_condition *ilpi_rules_when(const struct ilp_rules *rules, uint32_t number)
{
    return number < rules->rules.count ? rules->rules.items[number].when : NULL;
}

/* ---- the index ---- */

uint64_t ilpi_key_hash(enum ilpi_key key, struct ilp_bytes first, struct ilp_bytes second)
{
    uint64_t hash = XXH3_64bits_withSeed(first.data, first.size, key);
    return key == ILPI_KEY_TYPE_AND_METHOD ? XXH3_64bits_withSeed(second.data, second.size, hash)
                                           : hash;
}

/* NULL: none. Two keys of one hash share a chain, which does no harm: every rule of a chain is
 * checked in full. */
static struct ilpi_chain *find_chain(const struct ilp_rules *rules, uint64_t hash,
                                     struct ilpi_map_search *search)
{
    *search = ilpi_map_find(&rules->chain_numbers, hash);
    for (uint32_t number; (number = ilpi_map_next(search)) != 0;) {
        struct ilpi_chain *chain = &rules->chains.items[number - 1];
        if (chain->hash == hash) {
            return chain;
        }
    }
    return NULL;
}

uint32_t ilpi_rules_chain(const struct ilp_rules *rules, uint64_t hash)
{
    struct ilpi_map_search search;
    const struct ilpi_chain *chain = find_chain(rules, hash, &search);
    return chain ? chain->first : ILPI_NO_LINK;
}

/* Room for `more` keys. */
static ilp_status reserve_keys(struct ilp_rules *rules, size_t more, struct ilp_error *error)
{
    size_t chains = rules->chains.count + more;
    ILPI_TRY(ILPI_LIST_RESERVE(&rules->alloc, &rules->chains, chains, error));
    ILPI_TRY(ilpi_map_reserve(&rules->chain_numbers, &rules->alloc, chains, error));
    return ILPI_LIST_RESERVE(&rules->alloc, &rules->links, rules->links.count + more, error);
}

/* The chain of a hash, found or added: there is room for it. */
static struct ilpi_chain *make_chain(struct ilp_rules *rules, uint64_t hash)
{
    struct ilpi_map_search search;
    struct ilpi_chain *chain = find_chain(rules, hash, &search);
    if (!chain) {
        chain = &rules->chains.items[rules->chains.count++];
        *chain = (struct ilpi_chain){.hash = hash, .first = ILPI_NO_LINK};
        ilpi_map_add_found(&rules->chain_numbers, &search, (uint32_t)rules->chains.count);
    }
    return chain;
}

/* ---- keys ---- */

/* Where the keys of a rule go: into the index, or, with index false, into a count alone. */
struct key_sink {
    struct ilp_rules *rules;
    uint32_t rule;
    bool index;
    size_t count;
    const struct ilpi_rule_condition *any; /* as in struct ilpi_link */
    const struct ilpi_rule_condition *found;
};

/* There is room for it. */
static void add_key(struct key_sink *sink, enum ilpi_key key, uint64_t hash)
{
    struct ilp_rules *rules = sink->rules;
    sink->count++;
    if (!sink->index) {
        return;
    }
    struct ilpi_chain *chain = key == ILPI_KEY_NONE ? &rules->others : make_chain(rules, hash);
    rules->keys |= 1u << key;
    if (chain->first != ILPI_NO_LINK && rules->links.items[chain->last].rule == sink->rule) {
        return; /* the same name twice */
    }
    uint32_t link = (uint32_t)rules->links.count++;
    rules->links.items[link] = (struct ilpi_link){sink->rule, ILPI_NO_LINK, sink->any, sink->found};
    if (chain->first == ILPI_NO_LINK) {
        chain->first = link;
    } else {
        rules->links.items[chain->last].next = link;
    }
    chain->last = link;
}

/* The name of a method in the text of its signature: between the only "::" and the only "(" behind
 * it. Empty where that is not sure. */
static struct ilp_bytes name_in_signature(struct ilp_bytes text)
{
    struct ilp_bytes none = {NULL, 0};
    const char *start = memmem(text.data, text.size, "::", 2);
    const char *end = (const char *)text.data + text.size;
    if (!start || memmem(start + 1, (size_t)(end - start) - 1, "::", 2)) {
        return none;
    }
    start += 2;
    const char *stop = memchr(start, '(', (size_t)(end - start));
    if (!stop || memchr(stop + 1, '(', (size_t)(end - stop) - 1)) {
        return none;
    }
    return (struct ilp_bytes){(const uint8_t *)start, (size_t)(stop - start)};
}

/* The name without the number of type parameters behind it: "<2>". */
static struct ilp_bytes without_arity(struct ilp_bytes name)
{
    size_t end = name.size;
    if (end == 0 || name.data[end - 1] != '>') {
        return name;
    }
    for (end--; end != 0 && name.data[end - 1] >= '0' && name.data[end - 1] <= '9';) {
        end--;
    }
    bool arity = end != 0 && name.data[end - 1] == '<';
    return arity ? (struct ilp_bytes){name.data, end - 1} : name;
}

/* Names of signatures have chains of their own, under a hash that no key has. */
static uint64_t signature_name_hash(struct ilp_bytes name)
{
    return XXH3_64bits_withSeed(name.data, name.size, ILPI_KEY_COUNT);
}

bool ilpi_rules_know_signature(const struct ilp_rules *rules, struct ilp_bytes method)
{
    return rules->any_signature ||
           ilpi_rules_chain(rules, signature_name_hash(method)) != ILPI_NO_LINK;
}

/* "M<2>(" is M with two type parameters, or a method that is called M<2>. Long names are cut in
 * texts. */
static void add_signature_name(struct key_sink *sink, struct ilp_bytes signature)
{
    struct ilp_bytes name = name_in_signature(signature);
    if (name.size != 0 && name.size < ILPI_NAME_LIMIT) {
        struct ilp_bytes without = without_arity(name);
        add_key(sink, ILPI_KEY_SIGNATURE, signature_name_hash(name));
        add_key(sink, ILPI_KEY_SIGNATURE, signature_name_hash(without));
    } else if (sink->index) {
        sink->rules->any_signature = true;
    }
}

/* The literal names of conditions that all have to be true; `one`: of the first one alone. */
static void find_literals(const struct ilpi_rule_condition *condition, bool one,
                          const struct ilpi_rule_value **literals)
{
    for (; condition; condition = one ? NULL : condition->next) {
        if (condition->element == ILPI_ELEMENT_ALL) {
            find_literals(condition->inner, false, literals);
        }
        for (const struct ilpi_rule_value *value = condition->values; value; value = value->next) {
            literals[value->attribute] = value;
        }
    }
}

/* Adds the key that few methods share, of conditions that all have to be true; false where there is
 * none. */
static bool add_literal_key(struct key_sink *sink, const struct ilpi_rule_condition *condition,
                            bool one, bool with_namespace)
{
    const struct ilpi_rule_value *literals[ILPI_ATTRIBUTE_COUNT] = {NULL};
    find_literals(condition, one, literals);
    const struct ilpi_rule_value *signature = literals[ILPI_ATTRIBUTE_SIGNATURE_TEXT];
    const struct ilpi_rule_value *type = literals[ILPI_ATTRIBUTE_TYPE_NAME];
    const struct ilpi_rule_value *method = literals[ILPI_ATTRIBUTE_METHOD_NAME];
    const struct ilpi_rule_value *name_space = with_namespace
                                                   ? literals[ILPI_ATTRIBUTE_NAMESPACE_NAME]
                                                   : NULL;
    const struct {
        enum ilpi_key key;
        const struct ilpi_rule_value *first;
    } keys[] = {
        {ILPI_KEY_SIGNATURE, signature},  {ILPI_KEY_TYPE_AND_METHOD, method ? type : NULL},
        {ILPI_KEY_METHOD, method},        {ILPI_KEY_TYPE, type},
        {ILPI_KEY_NAMESPACE, name_space},
    };
    size_t best = 0;
    while (best < sizeof keys / sizeof keys[0] && !keys[best].first) {
        best++;
    }
    if (best == sizeof keys / sizeof keys[0]) {
        return false;
    }
    struct ilp_bytes none = {NULL, 0};
    add_key(sink, keys[best].key,
            ilpi_key_hash(keys[best].key, keys[best].first->as.pattern.text,
                          method ? method->as.pattern.text : none));
    if (signature) {
        add_signature_name(sink, signature->as.pattern.text);
    }
    return true;
}

/* The keys of an <any>, if each of its conditions has one. */
static bool add_any_keys(struct key_sink *sink, const struct ilpi_rule_condition *any)
{
    struct key_sink count = {.rules = sink->rules, .rule = sink->rule};
    for (const struct ilpi_rule_condition *at = any->inner; at; at = at->next) {
        if (!add_literal_key(&count, at, true, true)) {
            return false;
        }
    }
    sink->any = any->inner;
    for (const struct ilpi_rule_condition *at = any->inner; at; at = at->next) {
        sink->found = at;
        add_literal_key(sink, at, true, true);
    }
    sink->any = sink->found = NULL;
    return true;
}

static void add_keys(struct key_sink *sink)
{
    const struct ilpi_rule_condition *conditions = sink->rules->rules.items[sink->rule].conditions;
    if (add_literal_key(sink, conditions, false, false)) {
        return;
    }
    for (const struct ilpi_rule_condition *at = conditions; at; at = at->next) {
        if (at->element == ILPI_ELEMENT_ANY && add_any_keys(sink, at)) {
            return;
        }
    }
    if (!add_literal_key(sink, conditions, false, true)) {
        add_key(sink, ILPI_KEY_NONE, 0);
    }
}

/* Indexes the rules from `first` on, or nothing at all. */
static ilp_status index_rules(struct ilp_rules *rules, size_t first, struct ilp_error *error)
{
    struct key_sink sink = {.rules = rules};
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = first; i < rules->rules.count; i++) {
            sink.rule = (uint32_t)i;
            if (rules->rules.items[i].head.enabled) {
                add_keys(&sink);
            }
        }
        if (pass == 0) {
            ILPI_TRY(reserve_keys(rules, sink.count, error));
            sink.index = true;
        }
    }
    return ILP_OK;
}

/* ---- public ---- */

/* What a set was before a file. */
struct mark {
    size_t rules;
    size_t inspectors;
    size_t regexes;
    size_t whens;
    struct ilpi_arena_mark arena;
};

/* Begins a file of so many bytes. */
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

/* The file becomes a part of the set as a whole, or not at all. */
static ilp_status end_file(struct ilp_rules *rules, size_t size, struct mark before,
                           ilp_status read, struct ilp_error *error)
{
    ilp_status status = read == ILP_OK ? index_rules(rules, before.rules, error) : read;
    if (status == ILP_E_NO_MEMORY && rules->alloc.full) {
        status = fail_size(rules, error);
    }
    if (status != ILP_OK) {
        rules->rules.count = before.rules;
        rules->inspectors.count = before.inspectors;
        forget_compiled(rules, before.regexes, before.whens);
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
