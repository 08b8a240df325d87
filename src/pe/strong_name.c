/* The strong name in the CLI header (II.25.3.3), and the kinds of key files. See strong_name.h. */
#include "pe/strong_name.h"

#include "pe/pe.h"
#include "pe/pe_format.h"

ilp_status ilp_strong_name_key(struct ilp_bytes key, bool *is_private, struct ilp_error *error)
{
    struct ilpi_snk read;
    ILPI_TRY(ilpi_snk_read(&read, key, "key file", ILPI_NO_OFFSET, error));
    *is_private = read.is_private;
    return ILP_OK;
}

/* Only the flag and the directory; the signature itself is made when the file is complete. */
void ilpi_strong_name_put(const struct ilpi_strong_name *strong_name, uint8_t *cli_header)
{
    uint32_t flags = ilpi_load_u32(cli_header + ILPI_CLI_AT_FLAGS);
    if (strong_name->state == ILP_STRONG_NAME_CLEARED) {
        ilpi_store_u32(cli_header + ILPI_CLI_AT_FLAGS, flags & ~ILPI_CLI_STRONG_NAME_SIGNED);
        memset(cli_header + ILPI_CLI_AT_STRONG_NAME_SIGNATURE, 0, 8);
    } else if (strong_name->size != 0) {
        ilpi_store_u32(cli_header + ILPI_CLI_AT_FLAGS, flags | ILPI_CLI_STRONG_NAME_SIGNED);
    }
}
