/* Makes a precompiled image IL-only: otherwise the runtime would run its native code instead of
 * changed IL.
 *
 * What CoreCLR requires of an IL-only image (PEDecoder::CheckILOnly) is what compilers write in
 * PE32+: no imports, no relocations, no native entry point, none of the directories that only
 * native code needs. The native code stays in the file as dead bytes. */
#include "pe/ready_to_run.h"

#include "pe/pe_format.h"

/* Set in a CLI header if ManagedNativeHeader is to be used. */
#define CLI_IL_LIBRARY     0x4u
#define CLI_32BIT_REQUIRED 0x2u

#define MACHINE_I386 0x014Cu

/* Native code can only be dropped if the IL is in the same file. */
ilp_status ilpi_r2r_can_drop(const struct ilpi_pe *pe, struct ilp_error *error)
{
    struct ilp_ready_to_run r2r;
    ILPI_TRY(ilpi_r2r_read(pe, &r2r, error));
    if (r2r.composite) {
        return ilpi_fail(error, ILP_E_READY_TO_RUN,
                         pe->cli_offset + ILPI_CLI_AT_MANAGED_NATIVE_HEADER, 0,
                         "a composite image: it holds the native code of other assemblies and no "
                         "IL; patch those "
                         "assemblies themselves");
    }
    if (r2r.machine == 0) {
        return ilpi_fail(error, ILP_E_READY_TO_RUN, pe->coff_offset, 0,
                         "a ReadyToRun image for an unknown machine (0x%04X): use the IL-only "
                         "build of the assembly",
                         pe->machine);
    }
    return ILP_OK;
}

/* An i386 image of IL alone runs anywhere, unless 32BITREQUIRED is set (II.25.3.3.1). */
const char *ilpi_r2r_bound_to(const struct ilpi_pe *pe)
{
    struct ilpi_machine machine = ilpi_machine_of(pe->machine);
    bool any = machine.value == MACHINE_I386 && !pe->pe32_plus &&
               (pe->cli_flags & CLI_32BIT_REQUIRED) == 0;
    return any ? NULL : machine.text;
}

/* Kept are the directories that an IL-only image may have. The rest of the headers is that of the
 * precompiled image: sections of native code stay, without a use. */
void ilpi_r2r_drop_headers(const struct ilpi_pe *pe, uint8_t *headers)
{
    static const uint8_t kept[ILPI_DIR_COUNT] = {
        [ILPI_DIR_RESOURCE] = 1, [ILPI_DIR_SECURITY] = 1, [ILPI_DIR_DEBUG] = 1, [ILPI_DIR_CLI] = 1};
    ilpi_store_u16(headers + pe->coff_offset, ilpi_machine_of(pe->machine).value);
    ilpi_store_u32(headers + pe->optional_offset + ILPI_OPTIONAL_ENTRY_POINT, 0);
    for (unsigned i = 0; i < ILPI_DIR_COUNT; i++) {
        if (!kept[i]) {
            ilpi_pe_put_directory(pe, headers, (enum ilpi_directory)i, 0, 0);
        }
    }
}

void ilpi_r2r_drop_cli(uint8_t *cli_header)
{
    uint32_t flags = ilpi_load_u32(cli_header + ILPI_CLI_AT_FLAGS);
    ilpi_store_u32(cli_header + ILPI_CLI_AT_FLAGS, (flags | ILPI_CLI_ILONLY) & ~CLI_IL_LIBRARY);
    memset(cli_header + ILPI_CLI_AT_MANAGED_NATIVE_HEADER, 0, 8);
}
