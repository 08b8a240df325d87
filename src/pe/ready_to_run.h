/* ReadyToRun: images that hold native code beside their IL. The code is reached through one header, which the CLI
 * header's ManagedNativeHeader leads to; without it and with ILONLY set, the same file is one of IL alone.
 *
 * ready_to_run_read.c reads the header, ready_to_run_write.c makes an image IL-only.
 */
#ifndef ILPI_READY_TO_RUN_H
#define ILPI_READY_TO_RUN_H

#include "pe/pe_plan.h"

enum ilpi_r2r_flag {
#define FLAG(bit, name, text) ILPI_R2R_##name = (bit),
#include "pe/ready_to_run.def"
};
enum ilpi_r2r_section {
#define SECTION(number, name) ILPI_R2R_##name = (number),
#include "pe/ready_to_run.def"
};

/* What COFF Machine means, with or without a system's mask. */
struct ilpi_machine {
    uint16_t value;     /* without the mask; 0: it is of no system known here */
    const char *text;   /* "x64"; static storage */
    const char *system; /* "Linux"; static storage */
};
struct ilpi_machine ilpi_machine_of(uint16_t coff_machine);

/* The bytes of a section, empty when the header has no such one; *offset (may be NULL) is their place in the file.
 * For images whose header ilp_image_ready_to_run() has read. */
struct ilp_bytes ilpi_r2r_section_bytes(const struct ilp_image *image, enum ilpi_r2r_section type,
                                        uint64_t *offset);

/* Whether the native code can be taken away and an image of IL remains. */
ilp_status ilpi_r2r_can_drop(const struct ilp_image *image, struct ilp_error *error);

/* The processor that an image is for when its native code is gone, NULL for any. */
const char *ilpi_r2r_bound_to(const struct ilpi_pe *pe);

/* Puts into the plan's headers, and into a copy of the CLI header, what makes the image IL-only. */
void ilpi_r2r_drop_headers(struct ilpi_pe_plan *plan);
void ilpi_r2r_drop_cli(uint8_t *cli_header);

#endif
