/* Functions of the public header that need only the container of an image: each calls src/pe. */
#include "metadata/image.h"

#include "pe/debug.h"
#include "pe/pe_plan.h"
#include "pe/ready_to_run.h"

struct ilp_bytes ilp_image_rva(const struct ilp_image *image, uint32_t rva, uint64_t *offset)
{
    return ilpi_pe_rva(&image->pe, rva, offset);
}

void ilp_image_symbols(const struct ilp_image *image, struct ilp_symbols_info *info)
{
    ilpi_debug_symbols(&image->pe, info);
}

ilp_status ilp_image_can_be_written(const struct ilp_image *image, struct ilp_error *error)
{
    return ilpi_pe_can_be_written(&image->pe, error);
}

ilp_status ilp_image_ready_to_run(const struct ilp_image *image, struct ilp_ready_to_run *r2r,
                                  struct ilp_error *error)
{
    return ilpi_r2r_read(&image->pe, r2r, error);
}

struct ilp_bytes ilp_image_recorded_mvids(const struct ilp_image *image)
{
    return ilpi_r2r_recorded_mvids(&image->pe);
}

ilp_status ilp_inlining_open(struct ilp_inlining **out, const struct ilp_image *image,
                             const struct ilp_allocator *allocator, struct ilp_error *error)
{
    return ilpi_inlining_open(out, &image->pe, ilp_row_count(image, ILP_MethodDef), allocator,
                              error);
}
