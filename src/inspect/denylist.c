/* Methods of a core library that are never inspected, and why: data/never_inspected.def. */
#include "inspect/denylist.h"

/* Compilers' nesting is less deep. */
#define MAX_NESTING 64u

enum why {
#define WHY(key, text) WHY_##key,
#define NEVER(name_space, type, method, key)
#include "data/never_inspected.def"
#undef WHY
#undef NEVER
};

static const char *const texts[] = {
#define WHY(key, text) [WHY_##key] = text,
#define NEVER(name_space, type, method, key)
#include "data/never_inspected.def"
#undef WHY
#undef NEVER
};

/* One row of the table. "*" as a type or method means all of them. */
struct denied_method {
    const char *name_space;
    const char *type;
    const char *method;
    enum why why;
};

static const struct denied_method denylist[] = {
#define WHY(key, text)
#define NEVER(name_space, type, method, key) {name_space, type, method, WHY_##key},
#include "data/never_inspected.def"
#undef WHY
#undef NEVER
};

#define ENTRIES (sizeof denylist / sizeof denylist[0])

static bool fits(const char *pattern, const char *name)
{
    return strcmp(pattern, "*") == 0 || strcmp(pattern, name) == 0;
}

static ilp_rid outermost(const struct ilp_image *image, ilp_rid type)
{
    ilp_rid outer;
    for (unsigned i = 0; i < MAX_NESTING && (outer = ilp_enclosing_type(image, type)) != 0; i++) {
        type = outer;
    }
    return type;
}

/* By the outermost type: nested ones, as of lambdas, belong to it. Without a method the question is
 * whether any method of the type may be listed, which is answered once per type. */
const char *ilpi_denylist_reason(const struct ilp_image *image, ilp_rid type, const char *method)
{
    const char *name_space;
    const char *name;
    ilpi_type_name(image, ILP_TOKEN(ILP_TypeDef, outermost(image, type)), &name_space, &name);
    for (size_t i = 0; i < ENTRIES; i++) {
        const struct denied_method *entry = &denylist[i];
        if (strcmp(entry->name_space, name_space) == 0 && fits(entry->type, name) &&
            (!method || fits(entry->method, method))) {
            return texts[entry->why];
        }
    }
    return NULL;
}
