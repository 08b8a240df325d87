/* Finds what a rule that matches no method probably meant. */
#ifndef ILPI_HINT_H
#define ILPI_HINT_H

#include "base/buf.h"
#include "metadata/image.h"
#include "rules/rules.h"

/* What an idle rule's author may have meant. */
enum ilpi_hint {
    ILPI_HINT_NONE, /* no type of the image is similar */
    /* the rule names no type, or an existing one: it is idle for another reason */
    ILPI_HINT_THERE,
    ILPI_HINT_TYPE /* a type that is spelled otherwise: its name in `name`, ended by a NUL */
};

/* Compares the type that a rule names with those of an image: people often write nested types with
 * a dot, generic ones without their arity, and all without their namespace. */
enum ilpi_hint ilpi_rule_hint(const struct ilp_rules *rules, uint32_t number,
                              const struct ilp_image *image, struct ilpi_buf *name);

#endif
