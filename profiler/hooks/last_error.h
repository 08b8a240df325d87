/* errno (or the system's last error), which the program may read after its own call: hooks called
 * in between preserve it. */
#ifndef ILPI_HOOKS_LAST_ERROR_H
#define ILPI_HOOKS_LAST_ERROR_H

#include <errno.h>

struct last_error {
    int number;
};

static inline struct last_error last_error_keep(void)
{
    return (struct last_error){errno};
}

static inline void last_error_restore(struct last_error error)
{
    errno = error.number;
}

#endif
