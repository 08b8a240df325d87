/* Loads libcrypto. See libcrypto.h. */
#include "base/libcrypto.h"

const char ilpi_libcrypto_name[] = LIBCRYPTO_SONAME;

bool ilpi_libcrypto_load(struct ilpi_libcrypto *crypto)
{
    static const char *const names[] = {LIBCRYPTO_FUNCTIONS(ILPI_LIBRARY_NAME)};
    return ilpi_library_load(LIBCRYPTO_SONAME, names, sizeof names / sizeof names[0], crypto,
                             sizeof *crypto);
}

const EVP_MD *ilpi_libcrypto_hash(const struct ilpi_libcrypto *crypto, enum ilpi_hash hash)
{
    switch (hash) {
#define HASH(name, number, function)                                                               \
    case ILPI_HASH_##name:                                                                         \
        return crypto->function();
#include "base/digest.def"
#undef HASH
    case ILPI_HASH_NONE:
        break;
    }
    return NULL;
}
