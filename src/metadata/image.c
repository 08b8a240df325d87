/* Opens and closes an image: pe_read, root_read, row_read and order, in this order. */
#include "metadata/image.h"

const char *ilp_version(void)
{
    return ILP_VERSION;
}

uint32_t ilp_version_number(void)
{
    return ILP_VERSION_NUMBER;
}

/* In this order, because each reads where the one before found: PE headers, metadata root, tables,
 * orders. */
static ilp_status read_all(struct ilp_image *image, struct ilp_error *error)
{
    struct ilpi_pe *pe = &image->pe;
    if (pe->layout == ILP_LAYOUT_METADATA) {
        image->root = pe->bytes;
    } else {
        ILPI_TRY(ilpi_pe_read(pe, &image->arena, error));
        image->root = ilpi_pe_rva(pe, pe->metadata.rva, &image->root_offset);
        image->root.size = pe->metadata.size;
    }
    ILPI_TRY(ilpi_root_read(image, error));
    ILPI_TRY(ilpi_tables_read(image, error));
    return ilpi_orders_build(image, error);
}

/* Metadata without a PE file around it (a Portable PDB, for example) is recognised by the signature
 * of its root (II.24.2.1), whatever layout the caller passed: no PE file begins with it. Layouts
 * differ in where an RVA is found: at its section's file offset, or, in a mapped module, at the RVA
 * itself. */
ilp_status ilp_image_open(struct ilp_image **out, struct ilp_bytes bytes, enum ilp_layout layout,
                          const char *name, const struct ilp_allocator *allocator,
                          struct ilp_error *error)
{
    *out = NULL;
    struct ilp_image *image = ilpi_object_open(sizeof *image, allocator, error);
    if (!image) {
        return ILP_E_NO_MEMORY;
    }
    /* From here on ilp_image_close() frees what exists: all members are zero, or point into the
     * arena. */
    image->pe.bytes = bytes;
    image->pe.layout = layout;
    image->arena.alloc = &image->alloc;
    if (bytes.size >= 4 && memcmp(bytes.data, "BSJB", 4) == 0) {
        image->pe.layout = ILP_LAYOUT_METADATA;
    }
    const char *shown = name ? name : "";
    image->name = ilpi_arena_copy(&image->arena, shown, strlen(shown) + 1);
    ilp_status status = image->name ? read_all(image, error)
                                    : ilpi_fail_memory(error, strlen(shown) + 1);
    if (status != ILP_OK) {
        ilp_image_close(image);
        return status;
    }
    *out = image;
    return ILP_OK;
}

void ilp_image_close(struct ilp_image *image)
{
    if (image) {
        ilpi_type_index_free(image);
        ilpi_arena_free(&image->arena);
        ilpi_object_close(&image->alloc, sizeof *image);
    }
}

const char *ilp_image_name(const struct ilp_image *image)
{
    return image->name;
}

void ilp_image_info(const struct ilp_image *image, struct ilp_image_info *info)
{
    *info = (struct ilp_image_info){
        .machine = image->pe.machine,
        .pe32_plus = image->pe.pe32_plus,
        .ready_to_run = image->pe.managed_native_header.rva != 0,
        .cli_flags = image->pe.cli_flags,
        .entry_point = image->pe.entry_point,
        .runtime_version = image->version,
    };
}
