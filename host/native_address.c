/* Finds native inspectors. See native_address.h. */
#include "host/native_address.h"

#include <stdlib.h>
#include <string.h>

#include "base/library.h"

/* "probe" may also be libprobe.so or probe.so. *why is the failure of the first name; owned by the
 * caller. */
static void *load(const char *library, char **why)
{
    struct ilpi_library_error error;
    static const char *const forms[] = {"%s", "lib%s.so", "%s.so", "lib%s"};
    void *handle = NULL;
    bool is_path = strchr(library, '/') != NULL;
    *why = NULL;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0] && !handle && (i == 0 || !is_path); i++) {
        const char *mark = strchr(forms[i], '%');
        char *name = format_text("%.*s%s%s", (int)(mark - forms[i]), forms[i], library, mark + 2);
        handle = name ? ilpi_library_open(name, &error) : NULL;
        if (name && !handle && !*why) {
            *why = copy_text(error.text);
        }
        free(name);
    }
    return handle;
}

/* In the process that is to call it. A P/Invoke becomes a calli by address, so the runtime does not
 * have to find the library again, by rules of its own. */
enum exit_code native_address_find(struct ilp_native *native)
{
    char *why;
    void *handle = load(native->library, &why);
    void *function = handle ? ilpi_library_find(handle, native->symbol) : NULL;
    if (!handle) {
        report_message(
            "%s: cannot load it, so %s cannot be called: %s; name its path, or set LD_LIBRARY_PATH",
            native->library, native->symbol, why ? why : "out of memory");
    } else if (!function) {
        report_message("%s has no function %s that others can see", native->library,
                       native->symbol);
    }
    free(why);
    native->call = native->call == ILP_NATIVE_PINVOKE ? ILP_NATIVE_CALLI
                                                      : ILP_NATIVE_CALLI_NO_TRANSITION;
    native->address = (uintptr_t)function;
    return function ? EXIT_DONE : EXIT_BAD_INPUT;
}
