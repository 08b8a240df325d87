/* Finds the type that a rule means by a misspelled name. See hint.h.
 *
 * For rules that matched no method: one walk over the TypeDefs, which compares folded names.
 * Metadata's "Shop.Order/Line`1" is then equal to "Shop.Order.Line" and to "Shop.Order+Line`1". */
#include "rules/hint.h"

#include <string.h>

#include "types/names.h"

/* The first literal name of a type outside of <not>, where it would name what is not meant. */
static const struct ilpi_rule_value *named_type(const struct ilpi_rule_condition *condition)
{
    const struct ilpi_rule_value *found = NULL;
    for (; condition && !found; condition = condition->next) {
        if (condition->element == ILPI_ELEMENT_ALL || condition->element == ILPI_ELEMENT_ANY) {
            found = named_type(condition->inner);
        }
        for (const struct ilpi_rule_value *value = condition->values; value && !found;
             value = value->next) {
            found = value->attribute == ILPI_ATTRIBUTE_TYPE_NAME ? value : NULL;
        }
    }
    return found;
}

/* The next character of a folded name: every separator of nested types becomes a dot, and "`1" is
 * skipped. 0 at the end. */
static char next_folded(const char **at)
{
    if (**at == '`' && (*at)[1] >= '0' && (*at)[1] <= '9') {
        ++*at;
        while (**at >= '0' && **at <= '9') {
            ++*at;
        }
        return next_folded(at);
    }
    char c = **at;
    *at += c != '\0';
    return c == '/' || c == '+' ? '.' : c;
}

static bool same_folded(const char *left, const char *right)
{
    char c;
    do {
        c = next_folded(&left);
        if (c != next_folded(&right)) {
            return false;
        }
    } while (c != '\0');
    return true;
}

/* "Line" is "Shop.Line" without its namespace, "Order.Line" the same of "Shop.Order/Line". Compared
 * with the whole name, and with what is after each separator. */
static bool is_like(const char *name, const char *wanted)
{
    for (const char *tail = name; tail; tail = strpbrk(tail, "./")) {
        tail += tail != name;
        if (same_folded(tail, wanted)) {
            return true;
        }
    }
    return false;
}

/* Row 1 is <Module> (II.22.37), which no rule names. */
enum ilpi_hint ilpi_rule_hint(const struct ilp_rules *rules, uint32_t number,
                              const struct ilp_image *image, struct ilpi_buf *name)
{
    const struct ilpi_rule_value *wanted = named_type(rules->rules.items[number].conditions);
    struct ilpi_buf own = {.alloc = name->alloc};
    enum ilpi_hint hint = wanted ? ILPI_HINT_NONE : ILPI_HINT_THERE;
    for (ilp_rid rid = 2;
         wanted && rid <= image->tables[ILP_TypeDef].count && hint != ILPI_HINT_THERE; rid++) {
        own.size = 0;
        ilpi_name_type(image, &own, ILP_TOKEN(ILP_TypeDef, rid));
        ilpi_buf_u8(&own, 0);
        if (own.status != ILP_OK) {
            break;
        }
        const char *text = (const char *)own.data;
        if (strcmp(text, wanted->text) == 0) {
            hint = ILPI_HINT_THERE;
        } else if (hint == ILPI_HINT_NONE && is_like(text, wanted->text)) {
            hint = ILPI_HINT_TYPE;
            name->size = 0;
            ilpi_buf_text(name, text);
            ilpi_buf_u8(name, 0);
        }
    }
    ilpi_buf_free(&own);
    return hint == ILPI_HINT_TYPE && name->status != ILP_OK ? ILPI_HINT_NONE : hint;
}
