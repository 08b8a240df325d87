/* Records methods. See spool_method.h. */
#include "profiler/hooks/spool_method.h"

#include "metadata/image.h"
#include "profiler/hooks/clock.h"

/* A name that cannot be made, for a reason other than memory, is empty. */
static bool has_text(ilp_status status)
{
    return ilp_status_class(status) != ILP_CLASS_MEMORY;
}

bool spool_put_method(struct ilpi_spool *spool, uint64_t id, struct ilp_image *image,
                      const char *path, ilp_token method)
{
    struct ilp_arena *arena = NULL;
    const char *type = "", *signature = "";
    ilp_rid rid = ILP_TOKEN_RID(method);
    ilp_rid owner = ilp_owner_of_method(image, rid);
    const char *name = ilp_string(image, ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Name));
    bool known =
        ilp_arena_open(&arena, NULL, NULL) == ILP_OK &&
        has_text(ilp_type_text(image, ILP_TOKEN(ILP_TypeDef, owner), arena, &type, NULL)) &&
        has_text(ilp_method_text(image, method, arena, &signature, NULL));
    if (known) {
        ilpi_spool_method(spool, hooks_now(), id, path, type, name, signature);
    }
    ilp_arena_close(arena);
    return known;
}
