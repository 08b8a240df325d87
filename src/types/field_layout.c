/* Computes CoreCLR's layout of a struct's fields (II.10.1.2, II.10.7, II.22.8, II.22.16).
 *
 * ECMA-335 leaves automatic layout to the runtime. This file implements .NET 7 and later;
 * tests/facts compares it with the runtime. Earlier ones, .NET Framework among them, align a struct
 * in an automatic type to the pointer size, so such a type may be larger there.
 *
 *   { byte a; object o; long l; Pair s; int i; }     Pair: two int
 *
 *   automatic    0 o   8 l   16 i   20 a   24 s   32     from large to small, references first,
 *                                                        then structs
 *   { byte a; long l; Pair s; int i; }
 *   sequential   0 a   8 l   16 s   24 i   32            each at its alignment, at most `packing`
 *                (with references it is automatic instead)
 *   explicit     each at its FieldLayout offset; fields may overlap
 *
 * With 4 byte pointers it is the layout on Windows: 8 byte primitives are aligned to 8. On Linux
 * x86, for which no runtime is shipped, they would be aligned to 4. */
#include "types/field_layout.h"

#include "metadata/flags.h"

/* About where CoreCLR refuses a type. Fields are counted in 32 bits, so their sum stays below
 * 2^64. */
#define MAX_SIZE (1u << 27)

#define MAX_PACKING 128u /* II.22.8 */

/* The whole, while fields are placed: `size` is the end of the last one. */
struct placed {
    uint64_t size;
    uint32_t alignment;
};

/* The next multiple of a power of two. */
static uint64_t up(uint64_t position, uint32_t alignment)
{
    return (position + alignment - 1) & ~(uint64_t)(alignment - 1);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Scalars of one size, as declared; object references come before others of their size. */
static uint64_t place_scalars(struct ilpi_field *fields, uint32_t count, uint32_t size,
                              bool references, uint64_t position)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ilpi_value_layout *field = &fields[i].layout;
        if (!field->is_struct && field->size == size && field->references == references) {
            fields[i].place = up(position, size);
            position = fields[i].place + size;
        }
    }
    return position;
}

/* Scalars from large to small, then structs as declared. */
static struct placed place_auto(struct ilpi_field *fields, uint32_t count, uint32_t pointer)
{
    struct placed placed = {0, 1};
    bool references = false;
    for (uint32_t size = 8; size != 0; size /= 2) {
        placed.size = place_scalars(fields, count, size, true, placed.size);
        placed.size = place_scalars(fields, count, size, false, placed.size);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct ilpi_value_layout *field = &fields[i].layout;
        uint32_t alignment = pointer; /* the alignment of the whole for any scalar, even a byte */
        if (field->is_struct) {
            alignment = field->references ? pointer : field->alignment;
            fields[i].place = up(placed.size, alignment);
            placed.size = fields[i].place + field->size;
        }
        placed.alignment = larger(placed.alignment, alignment);
        references |= field->references;
    }
    if (references) {
        placed.alignment = pointer; /* even if a field needs more */
    }
    placed.size = placed.size != 0 ? placed.size : 1;
    if (placed.size <= pointer) {
        for (placed.alignment = 1; placed.alignment < placed.size;) {
            placed.alignment *= 2;
        }
    }
    placed.size = up(placed.size, placed.alignment);
    return placed;
}

/* Sequential and explicit layout differ in the offset of a field. A ClassSize above the end of the
 * fields is used unchanged, a smaller one drops the padding after them. */
static struct placed place_declared(const struct ilpi_layout_rules *rules,
                                    struct ilpi_field *fields, uint32_t count)
{
    struct placed placed = {0, 1};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t alignment = fields[i].layout.alignment;
        if (rules->packing != 0) {
            alignment = smaller(alignment, rules->packing);
        }
        fields[i].place = rules->kind == ILPI_TYPE_EXPLICIT ? fields[i].offset
                                                            : up(placed.size, alignment);
        uint64_t end = fields[i].place + fields[i].layout.size;
        placed.size = end > placed.size ? end : placed.size;
        placed.alignment = larger(placed.alignment, alignment);
    }
    if (rules->class_size == 0) {
        placed.size = up(placed.size, placed.alignment);
    } else if (rules->class_size > placed.size) {
        placed.size = rules->class_size;
    }
    placed.size = placed.size != 0 ? placed.size : 1;
    return placed;
}

/* Layouts that no runtime loads. */
static bool is_refused(const struct ilpi_layout_rules *rules, const struct ilpi_field *fields,
                       uint32_t count)
{
    bool bad = rules->repeat == 0;
    if (rules->repeat != 1) {
        bad |= count != 1 || rules->class_size != 0 || rules->kind == ILPI_TYPE_EXPLICIT;
    }
    if (rules->kind != 0) {
        bad |= rules->kind == ILPI_TYPE_LAYOUT_MASK || rules->packing > MAX_PACKING ||
               (rules->packing & (rules->packing - 1)) != 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t alignment = fields[i].layout.alignment;
        bad |= fields[i].layout.size == 0 || (alignment & (alignment - 1)) != 0 ||
               (rules->kind == ILPI_TYPE_EXPLICIT && fields[i].offset > INT32_MAX);
    }
    return bad;
}

/* How a struct is laid out:
 *
 *   is_refused() -> size 0
 *   automatic, or sequential with references -> place_auto(), else place_declared()
 *   references -> whole pointers; times the elements of an inline array */
struct ilpi_value_layout ilpi_lay_out(const struct ilpi_layout_rules *rules,
                                      struct ilpi_field *fields, uint32_t count)
{
    struct ilpi_value_layout layout = {.is_struct = true};
    if (is_refused(rules, fields, count)) {
        return layout;
    }
    for (uint32_t i = 0; i < count; i++) {
        layout.references |= fields[i].layout.references;
    }
    /* Object references turn sequential layout, with its packing and ClassSize, into automatic
     * layout. */
    bool automatic = rules->kind == 0 || (rules->kind == ILPI_TYPE_SEQUENTIAL && layout.references);
    struct placed placed = automatic ? place_auto(fields, count, rules->pointer)
                                     : place_declared(rules, fields, count);
    if (layout.references) { /* the GC works in units of pointers */
        placed.size = up(placed.size, rules->pointer);
        placed.alignment = rules->pointer;
    }
    if (placed.size > MAX_SIZE / rules->repeat) {
        return layout;
    }
    /* CoreCLR keeps the alignment of an automatic type only if it does not follow from the size,
     * which is later that of the whole array. */
    bool kept = !automatic || placed.alignment != smaller((uint32_t)placed.size, rules->pointer);
    layout.size = (uint32_t)placed.size * rules->repeat;
    layout.alignment = kept || layout.references ? placed.alignment
                                                 : smaller(layout.size, rules->pointer);
    return layout;
}
