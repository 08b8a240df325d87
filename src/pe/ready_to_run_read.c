/* Reads the ReadyToRun header: "RTR", version, flags, and a table of sections.
 *
 *   CLI header --ManagedNativeHeader--> "RTR\0" major minor flags count | type rva size | type rva
 *   size | ... */
#include "pe/ready_to_run.h"

#define R2R_SIGNATURE     0x00525452u /* "RTR\0" */
#define R2R_HEADER_BYTES  16u
#define R2R_SECTION_BYTES 12u

#define MVID_BYTES 16u

/* There are about twenty kinds of sections. */
#define MAX_R2R_SECTIONS 256u

/* XOR with each system's mask gives the processor, if the outcome is one that is known. */
struct ilpi_machine ilpi_machine_of(uint16_t coff_machine)
{
    static const struct ilpi_machine machines[] = {
#define MACHINE(value, text) {value, text, NULL},
#include "pe/ready_to_run.def"
    };
    static const struct {
        uint16_t mask;
        const char *text;
    } systems[] = {
#define SYSTEM(mask, text) {mask, text},
#include "pe/ready_to_run.def"
    };
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        for (size_t j = 0; j < sizeof machines / sizeof machines[0]; j++) {
            if ((machines[j].value ^ systems[i].mask) == coff_machine) {
                return (struct ilpi_machine){machines[j].value, machines[j].text, systems[i].text};
            }
        }
    }
    return (struct ilpi_machine){0, "unknown", "unknown"};
}

/* A cursor over the bytes that ManagedNativeHeader refers to. Read again for each request: a header
 * has about twenty sections, and the image keeps nothing of it. */
static struct ilpi_cursor header_cursor(const struct ilpi_pe *pe, struct ilp_error *error)
{
    struct ilpi_directory_entry entry = pe->managed_native_header;
    uint64_t offset = pe->cli_offset;
    struct ilp_bytes bytes = ilpi_pe_rva(pe, entry.rva, &offset);
    bytes.size = bytes.size < entry.size ? bytes.size : entry.size;
    return ilpi_cursor_over(bytes, offset, "ReadyToRun header", error);
}

/* Without an error of its own: a section that is missing or truncated is empty, which callers take
 * as "not recorded". */
struct ilp_bytes ilpi_r2r_section_bytes(const struct ilpi_pe *pe, enum ilpi_r2r_section type,
                                        uint64_t *offset)
{
    struct ilpi_cursor at = header_cursor(pe, NULL);
    ilpi_skip(&at, 12);
    for (uint32_t left = ilpi_read_u32(&at); left != 0 && at.status == ILP_OK; left--) {
        uint32_t number = ilpi_read_u32(&at);
        uint32_t rva = ilpi_read_u32(&at);
        uint32_t size = ilpi_read_u32(&at);
        if (number == (uint32_t)type && at.status == ILP_OK) {
            struct ilp_bytes bytes = ilpi_pe_rva(pe, rva, offset);
            return (struct ilp_bytes){bytes.data, bytes.size < size ? 0 : size};
        }
    }
    return (struct ilp_bytes){NULL, 0};
}

struct ilp_bytes ilpi_r2r_recorded_mvids(const struct ilpi_pe *pe)
{
    struct ilp_ready_to_run r2r;
    struct ilp_bytes mvids = {NULL, 0};
    if (pe->managed_native_header.rva != 0 && ilpi_r2r_read(pe, &r2r, NULL) == ILP_OK) {
        mvids = ilpi_r2r_section_bytes(pe, ILPI_R2R_MANIFEST_ASSEMBLY_MVIDS, NULL);
    }
    mvids.size -= mvids.size % MVID_BYTES;
    return mvids;
}

/* The name of a component's composite file: a string that ends with NUL. */
static const char *owner_of(const struct ilpi_pe *pe)
{
    struct ilp_bytes name = ilpi_r2r_section_bytes(pe, ILPI_R2R_OWNER_COMPOSITE_EXECUTABLE, NULL);
    return name.size != 0 && name.data[name.size - 1] == '\0' ? (const char *)name.data : "";
}

/* The ReadyToRun header:
 *
 *   "RTR\0"  u16 major  u16 minor  u32 flags  u32 count  count times: u32 type, RVA, size
 *
 * CoreCLR's readytorun.h. NGEN images have another signature at the same place. */
ilp_status ilpi_r2r_read(const struct ilpi_pe *pe, struct ilp_ready_to_run *r2r,
                         struct ilp_error *error)
{
    if (pe->managed_native_header.rva == 0) {
        return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0, "the image is not ReadyToRun");
    }
    struct ilpi_cursor at = header_cursor(pe, error);
    uint32_t signature = ilpi_read_u32(&at);
    if (at.status == ILP_OK && signature != R2R_SIGNATURE) {
        at.at = at.start;
        return ilpi_cursor_fail(
            &at, ILP_E_READY_TO_RUN,
            "native code of another kind (made by NGEN?): use the assembly that it was made from");
    }
    struct ilpi_machine machine = ilpi_machine_of(pe->machine);
    *r2r = (struct ilp_ready_to_run){.major_version = ilpi_read_u16(&at),
                                     .machine = machine.value,
                                     .machine_text = machine.text,
                                     .system_text = machine.system};
    r2r->minor_version = ilpi_read_u16(&at);
    r2r->flags = ilpi_read_u32(&at);
    r2r->section_count = ilpi_read_u32(&at);
    if (at.status == ILP_OK && (r2r->section_count > MAX_R2R_SECTIONS ||
                                r2r->section_count > ilpi_cursor_left(&at) / R2R_SECTION_BYTES)) {
        return ilpi_cursor_fail(&at, ILP_E_TRUNCATED, "more sections than it has room for");
    }
    ILPI_TRY(at.status);
    r2r->component = (r2r->flags & ILPI_R2R_COMPONENT) != 0;
    r2r->composite = ilpi_r2r_section_bytes(pe, ILPI_R2R_COMPONENT_ASSEMBLIES, NULL).size != 0;
    r2r->owner = owner_of(pe);
    return ILP_OK;
}
