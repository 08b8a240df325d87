/* Verifies an image: opens the verifier, runs its checks. See verifier.h.
 *
 *   The checks, in their order:
 *   tables       cells: indexes, heaps, the order of keys. Then all rows can be read
 *   rows         Module, Assembly, constants, accessors, overrides, attributes, data
 *   types        flags, bases, circles, generic parameters, layouts
 *   members      fields, methods, parameters
 *   duplicates   rows that say the same
 *   overlaps     fields of explicit layouts
 *   signatures   blobs, and the members that references name
 *   bodies       IL, block by block (body.c) */
#include "verify/verifier.h"

#include "verify/member.h"
#include "verify/type.h"

/* Tables first: the other checks of rows use owners and keys, whose order was checked by then.
 * Selected methods (sink->wanted) are checked without the rest of the image. */
static void run(struct ilpi_verifier *verifier)
{
    static void (*const checks[])(struct ilpi_verifier *) = {
        ilpi_verify_tables,     ilpi_verify_rows,     ilpi_verify_types,      ilpi_verify_members,
        ilpi_verify_duplicates, ilpi_verify_overlaps, ilpi_verify_signatures,
    };
    if (!verifier->sink->wanted) {
        for (size_t i = 0; i < sizeof checks / sizeof checks[0] && verifier->status == ILP_OK;
             i++) {
            checks[i](verifier);
        }
    }
    if (verifier->status == ILP_OK) {
        ilpi_verify_bodies(verifier);
    }
}

/* Assemblies may refer to each other in a cycle. The verified image's name resolves to itself, not
 * to a second copy, whose types would be different ones. */
static struct ilp_image *open_assembly(void *user, const struct ilp_assembly_name *name)
{
    const struct ilpi_verifier *verifier = user;
    const struct ilp_resolver *outer = verifier->outer;
    struct ilp_assembly_name self;
    if (ilp_image_assembly_name(verifier->image, &self) && strcmp(self.name, name->name) == 0) {
        return verifier->image;
    }
    return outer && outer->open ? outer->open(outer->user, name) : NULL;
}

static struct ilp_image *open_module(void *user, const struct ilp_image *image, const char *file)
{
    const struct ilp_resolver *outer = ((const struct ilpi_verifier *)user)->outer;
    return outer && outer->open_module ? outer->open_module(outer->user, image, file) : NULL;
}

/* `ignored` and `spare_rows` are set by the caller before, and survive. The verifier must not move
 * while it is open: the resolver has its address. */
void ilpi_verifier_open(struct ilpi_verifier *verifier, struct ilp_image *image,
                        const struct ilp_resolver *resolver, const struct ilp_allocator *allocator,
                        struct ilp_error *error)
{
    *verifier = (struct ilpi_verifier){
        .image = image,
        .resolver = {.user = verifier, .open = open_assembly, .open_module = open_module},
        .outer = resolver,
        .error = error,
        .offset = ILPI_NO_IL_OFFSET,
        .ignored = verifier->ignored,
        .spare_rows = verifier->spare_rows,
        .work = ILPI_VERIFY_WORK + (uint64_t)image->pe.bytes.size * ILPI_VERIFY_WORK_TIMES,
        .memory = ILPI_VERIFY_MEMORY + (uint64_t)image->pe.bytes.size * ILPI_VERIFY_MEMORY_TIMES,
    };
    ilpi_alloc_init(&verifier->alloc, allocator);
    verifier->arena.alloc = &verifier->alloc;
    verifier->scratch.alloc = &verifier->alloc;
    ilpi_types_open(verifier);
    ilpi_members_open(verifier);
}

void ilpi_verifier_close(struct ilpi_verifier *verifier)
{
    ilpi_members_close(verifier);
    ilpi_types_close(verifier);
    ilpi_arena_free(&verifier->scratch);
    ilpi_arena_free(&verifier->arena);
}

ilp_status ilp_verify(struct ilp_image *image, const struct ilp_resolver *resolver,
                      const struct ilp_findings_sink *sink, const struct ilp_allocator *allocator,
                      struct ilp_error *error)
{
    struct ilpi_verifier verifier = {.spare_rows = 0};
    ILPI_TRY(ILPI_CHECK_RESERVED(resolver, error));
    ilpi_verifier_open(&verifier, image, resolver, allocator, error);
    verifier.sink = sink;
    if (verifier.status == ILP_OK) {
        run(&verifier);
    }
    ilpi_verifier_close(&verifier);
    return verifier.status;
}
