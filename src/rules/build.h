/* Builds rules from the elements of a rule file. Knows the vocabulary, not XML. */
#ifndef ILPI_RULES_BUILD_H
#define ILPI_RULES_BUILD_H

#include "base/buf.h"
#include "rules/rules.h"

/* The limit of nested groups. */
#define ILPI_MAX_GROUPS 30u

/* An attribute as it was read; borrowed. */
struct ilpi_attribute_text {
    const char *name;
    size_t name_size;
    const char *value; /* UTF-8, references resolved */
    size_t value_size;
};

/* Zero-initialise, set rules and file. */
struct ilpi_builder {
    struct ilp_rules *rules; /* borrowed: everything that is built is in its arena */
    const char *file;        /* in that arena, since rules keep it */
    size_t pending;          /* rules read so far: they are after rules->rules.count */
    unsigned depth;          /* open elements */
    /* The root, a rule, the groups, and a condition in the innermost one. */
    struct {
        enum ilpi_element element;
        struct ilpi_rule_condition **tail; /* where its next condition goes */
        bool empty;
    } open[ILPI_MAX_GROUPS + 3];

    /* Location of an error: an attribute's number, or -1 for the element's name; in its name, or
     * this many bytes after the start of its value. */
    int wrong_attribute;
    bool wrong_value;
    size_t wrong_offset;
};

/* Starts an element at `line`; ILP_E_BAD_RULES with a message and the location of the error. */
ilp_status ilpi_build_start(struct ilpi_builder *builder, const char *name, size_t name_size,
                            const struct ilpi_attribute_text *attributes, unsigned count,
                            uint32_t line, struct ilp_error *error);

/* Ends the current element. */
ilp_status ilpi_build_end(struct ilpi_builder *builder, struct ilp_error *error);

/* What is allowed at this point, for messages: "<include> or <exclude>". */
void ilpi_build_expected(const struct ilpi_builder *builder, struct ilpi_buf *text);

#endif
