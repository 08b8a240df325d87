/* Look-up of hash algorithms by name and number. See digest.h. */
#include "base/digest.h"

#include <string.h>

static const struct {
    const char *name;
    uint32_t number;
} hashes[] = {
#define HASH(name, number, function) [ILPI_HASH_##name] = {#name, number},
#include "base/digest.def"
#undef HASH
};

/* Both walk the enumerators in their order, and end at NONE, which the table does not have. */
enum ilpi_hash ilpi_hash_by_name(const char *name)
{
    enum ilpi_hash hash = 0;
    while (hash < ILPI_HASH_NONE && strcmp(hashes[hash].name, name) != 0) {
        hash++;
    }
    return hash;
}

enum ilpi_hash ilpi_hash_by_number(uint32_t number)
{
    enum ilpi_hash hash = 0;
    while (hash < ILPI_HASH_NONE && hashes[hash].number != number) {
        hash++;
    }
    return hash;
}
