/* Whether a module can be updated while it runs (Edit and Continue, hot reload). See updates.h.
 * Such an update comes with metadata for the rows that the compiler knows; rows that we had added
 * would have their numbers. */
#include "profiler/clr/updates.h"

#include <stdlib.h>
#include <strings.h>

#include "base/cursor.h"
#include "metadata/image.h"

/* Additional conditions of the runtime: unoptimised code. */
static const struct {
    const char *name;
    const char *value;
} switches[] = {
    {"DOTNET_MODIFIABLE_ASSEMBLIES", "debug"},
    {"COMPlus_MODIFIABLE_ASSEMBLIES", "debug"},
    {"DOTNET_ForceEnc", "1"},
    {"COMPlus_ForceEnc", "1"},
};

enum {
    PROLOG = 2, /* of a custom attribute's value (II.23.3) */
    NAMED_COUNT = 2,
    DEBUGGING_DISABLE_OPTIMIZATIONS = 0x100 /* DebuggableAttribute.DebuggingModes */
};

/* DebuggableAttribute(DebuggingModes), or (bool isJITTrackingEnabled, bool
 * isJITOptimizerDisabled). */
static bool is_unoptimised(const struct ilp_image *image)
{
    ilp_rid row = ilpi_find_attribute(image, ILP_TOKEN(ILP_Assembly, 1), "System.Diagnostics",
                                      "DebuggableAttribute");
    struct ilp_bytes value =
        ilp_blob(image, ilp_cell(image, ILP_CustomAttribute, row, ILP_CustomAttribute_Value));
    if (value.size >= PROLOG + sizeof(uint32_t) + NAMED_COUNT) {
        return (ilpi_load_u32(value.data + PROLOG) & DEBUGGING_DISABLE_OPTIMIZATIONS) != 0;
    }
    return value.size == PROLOG + 2 + NAMED_COUNT && value.data[PROLOG + 1] != 0;
}

/* The first variable that is set decides; the module must be unoptimised as well. */
const char *updates_allowed_by(const struct ilp_image *image)
{
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        const char *value = getenv(switches[i].name);
        if (value && strcasecmp(value, switches[i].value) == 0) {
            return is_unoptimised(image) ? switches[i].name : NULL;
        }
    }
    return NULL;
}
