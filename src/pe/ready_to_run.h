/* ReadyToRun: images that hold native code beside their IL. The code is reached through one header,
 * which ManagedNativeHeader of the CLI header refers to. Without it and with ILONLY set, the same
 * file is IL-only.
 *
 * ready_to_run_read.c reads the header, ready_to_run_write.c makes an image IL-only. */
#ifndef ILPI_READY_TO_RUN_H
#define ILPI_READY_TO_RUN_H

#include "pe/pe.h"

enum ilpi_r2r_flag {
#define FLAG(bit, name, text) ILPI_R2R_##name = (bit),
#include "pe/ready_to_run.def"
};
enum ilpi_r2r_section {
#define SECTION(number, name) ILPI_R2R_##name = (number),
#include "pe/ready_to_run.def"
};

/* The meaning of COFF Machine, with or without a system's mask. */
struct ilpi_machine {
    uint16_t value;     /* without the mask; 0: no known system */
    const char *text;   /* "x64"; static storage */
    const char *system; /* "Linux"; static storage */
};
struct ilpi_machine ilpi_machine_of(uint16_t coff_machine);

/* The header; see ilp_image_ready_to_run(). */
ilp_status ilpi_r2r_read(const struct ilpi_pe *pe, struct ilp_ready_to_run *r2r,
                         struct ilp_error *error);

/* The bytes of a section, empty when the header has none of that kind; *offset (may be NULL) is
 * their file offset. ilpi_r2r_read() must have succeeded. */
struct ilp_bytes ilpi_r2r_section_bytes(const struct ilpi_pe *pe, enum ilpi_r2r_section type,
                                        uint64_t *offset);

/* The MVIDs of the modules that the code was compiled against; see ilp_image_recorded_mvids(). */
struct ilp_bytes ilpi_r2r_recorded_mvids(const struct ilpi_pe *pe);

/* Opens the table of inlined methods of an image with `methods` MethodDef rows; see
 * ilp_inlining_open(). */
ilp_status ilpi_inlining_open(struct ilp_inlining **out, const struct ilpi_pe *pe, ilp_rid methods,
                              const struct ilp_allocator *allocator, struct ilp_error *error);

/* Whether the native code can be dropped so that an IL-only image remains. */
ilp_status ilpi_r2r_can_drop(const struct ilpi_pe *pe, struct ilp_error *error);

/* The processor that an image still needs without its native code, NULL for any. */
const char *ilpi_r2r_bound_to(const struct ilpi_pe *pe);

/* Changes copies of the headers and of the CLI header so that the image is IL-only. */
void ilpi_r2r_drop_headers(const struct ilpi_pe *pe, uint8_t *headers);
void ilpi_r2r_drop_cli(uint8_t *cli_header);

#endif
