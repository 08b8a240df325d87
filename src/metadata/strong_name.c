/* Strong names (II.6.2.1.3) of files that are written. See strong_name.h. */
#include "metadata/strong_name.h"

/* AssemblyFlags (II.23.1.2). */
#define ASSEMBLY_PUBLIC_KEY 0x0001u

ilp_status ilpi_strong_name_clear(struct ilp_edit *edit, struct ilp_error *error)
{
    uint32_t flags = ilp_edit_cell(edit, ILP_Assembly, 1, ILP_Assembly_Flags);
    if (ilp_edit_cell(edit, ILP_Assembly, 1, ILP_Assembly_PublicKey) == 0) {
        return ILP_OK;
    }
    ILPI_TRY(ilp_edit_set_cell(edit, ILP_Assembly, 1, ILP_Assembly_Flags, flags & ~ASSEMBLY_PUBLIC_KEY,
                               error));
    return ilp_edit_set_cell(edit, ILP_Assembly, 1, ILP_Assembly_PublicKey, 0, error);
}
