/* xxHash, compiled in: for hash tables over bytes, and for the MVID of a changed module, which must
 * differ but need not resist attacks. Use crypto.h where it must. */
#ifndef ILPI_HASH_H
#define ILPI_HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Depends on the byte order of the machine: not for what is written to files. */
static inline uint64_t ilpi_hash_number(uint64_t number)
{
    return XXH3_64bits(&number, sizeof number);
}

#endif
