/* Begins documents of JSON with the number of their form (schemas.def), so that a reader knows
 * which schema of data/ describes them. */
#ifndef SCHEMAS_H
#define SCHEMAS_H

#include "base/json.h"

enum schema {
#define SCHEMA(name, word, version) SCHEMA_##name,
#include "host/schemas.def"
};

static inline unsigned schema_version(enum schema schema)
{
    static const unsigned char versions[] = {
#define SCHEMA(name, word, version) version,
#include "host/schemas.def"
    };
    return versions[schema];
}

/* The outermost object, up to the member "schema"; the caller ends it. */
static inline void schema_object(struct ilpi_json *json, enum schema schema,
                                 enum ilpi_json_layout layout)
{
    ilpi_json_object(json, NULL, layout);
    ilpi_json_unsigned(json, "schema", schema_version(schema));
}

#endif
