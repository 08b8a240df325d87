/* A set of rules, as it is read.
 *
 *   XML --xml, build--> rules: conditions, trees of them --rules--> index by names and parts
 *                                                                      |
 *   method --facts--> its facts ---------------match, group--------select--> the deciding rule */
#ifndef ILPI_RULES_H
#define ILPI_RULES_H

#include "base/buf.h"
#include "base/list.h"
#include "base/map.h"
#include "base/pattern.h"
#include "condition/condition.h"
#include "rules/vocabulary.h"

/* An interval of assembly versions (II.22.2); each end is inclusive or exclusive. */
struct ilpi_versions {
    uint16_t low[4];
    uint16_t high[4];
    bool low_open;
    bool high_open;
    bool bounded; /* `high` is used */
};

/* A public key token (II.6.2.1.3), in the order of its text form. */
#define ILPI_KEY_TOKEN_BYTES 8u
struct ilpi_key_token {
    bool none; /* the assembly must have no key */
    uint8_t bytes[ILPI_KEY_TOKEN_BYTES];
};

/* An attribute of a condition. All memory is in the arena of the rules. */
struct ilpi_rule_value {
    struct ilpi_rule_value *next;
    enum ilpi_attribute attribute;
    const char *text;                      /* as in the file */
    union {                                /* by the attribute's form */
        struct ilpi_pattern pattern;       /* EXACT, LIKE, REGEX */
        const struct ilpi_condition *when; /* WHEN; owned by the set's `whens` */
        struct ilpi_versions versions;     /* VERSIONS */
        struct ilpi_key_token key_token;   /* KEY_TOKEN */
        uint32_t number;                   /* NUMBER; ONE: the enumerator */
        uint32_t words;                    /* SOME: a bit for each enumerator */
        bool yes;                          /* YESNO */
    } as;
};

/* A condition of a rule file. Inner ones exist for groups only; `values` has one entry per
 * attribute. */
struct ilpi_rule_condition {
    enum ilpi_element element;
    uint32_t line;                     /* of its start tag, from 1 */
    struct ilpi_rule_condition *next;  /* in the same rule or group, in the order of the file */
    struct ilpi_rule_condition *inner; /* of a group */
    struct ilpi_rule_value *values;
    uint32_t group; /* of the first of many: the number of their group's index; 0: none */
};

/* A rule. Rules are compared in their order, and the first that holds decides. */
struct ilpi_rule {
    struct ilp_rule head;
    const struct ilpi_condition *when;      /* head.when, compiled; NULL: there is none */
    struct ilpi_rule_condition *conditions; /* all of them have to be true */
};

/* The key of a rule: a literal name outside of <any> and <not>; or, without one, those of an <any>
 * in which each condition has one. Patterns have a part of a name instead: a few characters that
 * every matching name contains. */
enum ilpi_key {
    /* full names, from the one that the fewest methods share */
    ILPI_KEY_SIGNATURE,
    ILPI_KEY_TYPE_AND_METHOD, /* two conditions of one rule, hashed together */
    ILPI_KEY_METHOD,
    ILPI_KEY_TYPE,
    ILPI_KEY_NAMESPACE,
    ILPI_KEY_ATTRIBUTE,
    ILPI_KEY_ASSEMBLY, /* in groups only: rules that the assembly cannot meet are dropped */
    ILPI_KEY_NONE,     /* one chain of rules that are tried for every method */
    /* parts: code relies on these being above ILPI_KEY_NONE */
    ILPI_KEY_METHOD_PART,
    ILPI_KEY_TYPE_PART,
    ILPI_KEY_NAMESPACE_PART,
    ILPI_KEY_ATTRIBUTE_PART,
    ILPI_KEY_ASSEMBLY_PART,
    ILPI_KEY_COUNT
};

/* The sizes of parts, in bytes: a pattern uses the largest that its literals allow. Each size in
 * use costs one more walk over each name. */
#define ILPI_LEAST_PART 2u
#define ILPI_MOST_PART  8u

/* A chain of rules, by rising numbers; a rule may be in several. Of two links, the one with the
 * lower number never belongs to the later rule. In the index of groups, a chain of conditions. */
struct ilpi_link {
    uint32_t of;                                 /* a rule, or a group */
    uint32_t next;                               /* ILPI_NO_LINK after the last */
    const struct ilpi_rule_condition *condition; /* of the group; NULL: `of` is a rule */
    uint64_t pairs; /* for a part: ilpi_pair_bit() of all pairs in the pattern, all of which the
                       name must have */
};
#define ILPI_NO_LINK UINT32_MAX

/* The rules that share a key, in their order, as a list through `links`. */
struct ilpi_chain {
    uint64_t hash;  /* of kind and names */
    uint32_t first; /* ILPI_NO_LINK: none */
    uint32_t last;
};

/* From hashes of names to chains of rules. Different names with one hash share a chain: rules are
 * always tried. */
struct ilpi_index {
    ILPI_LIST(struct ilpi_link) links;
    ILPI_LIST(struct ilpi_chain) chains;
    struct ilpi_map chain_numbers; /* the indexes of chains, plus one, by their hashes */
};

/* The keys that are in use. */
struct ilpi_key_set {
    uint32_t kinds;                      /* a bit for each enum ilpi_key */
    uint32_t places;                     /* of attributes: a bit for each ILP_ON_* */
    uint32_t part_sizes[ILPI_KEY_COUNT]; /* of kinds of parts: the sum of the sizes in use */
    uint64_t part_bits[ILPI_KEY_COUNT];  /* ilpi_part_bit() of the hashes: most other hashes miss
                                            these */
};

/* A group with many conditions: one with a key cannot change the group's outcome unless the key is
 * found. In <any> it is then false; in all other groups it is true, and only <not>s have keys. */
struct ilpi_group {
    struct ilpi_key_set keys;
    bool of_type; /* it has the same outcome for all methods of a type */
};
#define ILPI_LEAST_INDEXED 8u

/* An inspector, and the file that named it. */
struct ilpi_named {
    const char *name;   /* its path, or the library */
    const char *symbol; /* the native function; NULL: an assembly */
    bool transition;    /* of that */
    const char *file;
};

/* The memory of a set besides what its files allow, which is 1.75 times their bytes. */
#define ILPI_RULES_BYTES               ((size_t)8 << 20)
#define ILPI_BYTES_OF_RULES(file_size) ((file_size) + (file_size) / 4 * 3)

/* A set of rules from any number of files. Immutable between additions, and so shared by
 * selectors. */
struct ilp_rules {
    struct ilpi_alloc object; /* of the struct itself, without a limit of the set */
    struct ilpi_alloc alloc;  /* of all members below; its limit grows with each file */
    struct ilp_arena arena;
    struct ilpi_pattern_compiler *compiler;   /* made at the first regular expression */
    ILPI_LIST(struct ilpi_pattern *) regexes; /* to be freed, as are */
    ILPI_LIST(struct ilpi_condition *) whens;
    /* rules from rules.count on belong to a file that is being read */
    ILPI_LIST(struct ilpi_rule) rules;
    ILPI_LIST(struct ilpi_named) inspectors;
    struct ilpi_index index;
    struct ilpi_chain others; /* ILPI_KEY_NONE */
    struct ilpi_key_set keys;
    struct ilpi_index group_index;
    ILPI_LIST(struct ilpi_group) groups; /* by their numbers, less one */
    /* the method's name cannot be read from some literal signature */
    bool any_signature;
};

/* index.c: indexes the rules from `first` on, or, without memory, none. Groups get no index if the
 * set's limit has no room for it. */
ilp_status ilpi_rules_index(struct ilp_rules *rules, size_t first, struct ilp_error *error);

/* The hash of a key; for ILPI_KEY_TYPE_AND_METHOD `second` is the method. */
uint64_t ilpi_key_hash(enum ilpi_key key, struct ilp_bytes first, struct ilp_bytes second);

/* The last `size` bytes of a number into which bytes are shifted from its lower end. */
static inline uint64_t ilpi_part_of(uint64_t bytes, unsigned size)
{
    return bytes & UINT64_MAX >> (64 - 8 * size);
}

/* The hash of a part: cheaper than others, since it is computed at every offset of every name. The
 * low bits of a product depend on low bytes alone, the high ones on all: the last step folds them
 * into the low 32 bits, which are all that the map looks at. */
static inline uint64_t ilpi_part_hash(enum ilpi_key key, unsigned size, uint64_t part)
{
    uint64_t hash = (part + (key * 16 + size) * 0xD6E8FEB86659FD93u) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
}

/* One of 64 bits, by the highest six of a hash: the map takes the lowest ones. */
static inline uint64_t ilpi_part_bit(uint64_t hash)
{
    return (uint64_t)1 << (hash >> 58);
}

/* One of 64 bits for two consecutive bytes: few names have all bits of another one. */
static inline uint64_t ilpi_pair_bit(uint64_t bytes)
{
    return (uint64_t)1 << (ilpi_part_of(bytes, 2) * 0x9E3779B97F4A7C15u >> 58);
}

/* The same hash within the index of groups. */
static inline uint64_t ilpi_group_hash(uint32_t group, uint64_t hash)
{
    return hash + group * 0x9E3779B97F4A7C15u;
}

/* The chain of a hash; NULL: none. Keys with equal hashes share a chain, which is harmless: every
 * link of a chain is checked in full. */
static inline struct ilpi_chain *ilpi_find_chain(const struct ilpi_index *index, uint64_t hash,
                                                 struct ilpi_map_search *search)
{
    *search = ilpi_map_find(&index->chain_numbers, hash);
    for (uint32_t number; (number = ilpi_map_next(search)) != 0;) {
        struct ilpi_chain *chain = &index->chains.items[number - 1];
        if (chain->hash == hash) {
            return chain;
        }
    }
    return NULL;
}

/* The first link of a chain, ILPI_NO_LINK when there is none. */
static inline uint32_t ilpi_chain_of(const struct ilpi_index *index, uint64_t hash)
{
    struct ilpi_map_search search;
    const struct ilpi_chain *chain = ilpi_find_chain(index, hash, &search);
    return chain ? chain->first : ILPI_NO_LINK;
}

/* Whether an attribute's pattern is tried only on texts that contain a part of it. */
bool ilpi_is_found_by_part(enum ilpi_attribute attribute, const struct ilpi_pattern *pattern);

/* Whether a literal signature may belong to a method of this name. Formatting the signature of
 * every method would cost more than everything else. */
bool ilpi_rules_know_signature(const struct ilp_rules *rules, struct ilp_bytes method);

/* As ilp_rules_add(), and appends the parsed form (parsed.h) to `parsed`, which may be NULL. */
ilp_status ilpi_rules_add_xml(struct ilp_rules *rules, struct ilp_bytes xml, const char *file,
                              struct ilpi_buf *parsed, struct ilp_error *error);

/* As ilp_rules_add(), for a parsed file. An error has a line and no column. */
ilp_status ilpi_rules_add_parsed(struct ilp_rules *rules, struct ilp_bytes parsed, const char *file,
                                 struct ilp_error *error);

/* xml.c, parsed.c: read a file in one of its forms, and call these for its elements. The first also
 * appends the parsed form, unless `parsed` is NULL. */
ilp_status ilpi_rules_read(struct ilp_rules *rules, struct ilp_bytes xml, const char *file,
                           struct ilpi_buf *parsed, struct ilp_error *error);
ilp_status ilpi_rules_replay(struct ilp_rules *rules, struct ilp_bytes parsed, const char *file,
                             struct ilp_error *error);

/* A new rule after all others; it joins the set once its file is accepted. */
struct ilpi_rule *ilpi_rules_new(struct ilp_rules *rules, size_t pending, struct ilp_error *error);

/* The number of an inspector for a rule action. */
ilp_status ilpi_rules_inspector_number(struct ilp_rules *rules, struct ilpi_named inspector,
                                       uint32_t *number, struct ilp_error *error);

/* Compiles a pattern of a rule if needed. */
ilp_status ilpi_rules_compile(struct ilp_rules *rules, struct ilpi_pattern *pattern,
                              struct ilp_error *error);

/* Compiles a condition on values; it is freed with the rules. */
ilp_status ilpi_rules_compile_when(struct ilp_rules *rules, struct ilp_bytes text,
                                   const struct ilpi_condition **when, struct ilp_error *error);

/* The methods of a rule pass their arguments, and `this` if `self`, even if they are not shown. */
void ilpi_rules_pass_arguments(struct ilp_rules *rules, uint32_t number, bool self);

/* The condition of a rule by its number; NULL: it has none, or there is no such rule. */
const struct ilpi_condition *ilpi_rules_when(const struct ilp_rules *rules, uint32_t number);

#endif
