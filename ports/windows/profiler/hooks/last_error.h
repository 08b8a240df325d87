/* The number of the last error, which the program may read after a call of its own: what hooks call
 * between the two leaves it. Calls that succeed set it, too. */
#ifndef ILPI_HOOKS_LAST_ERROR_H
#define ILPI_HOOKS_LAST_ERROR_H

/* As <windows.h> has them, whose other names are the profiler's, too. */
__declspec(dllimport) unsigned long __attribute__((stdcall)) GetLastError(void);
__declspec(dllimport) void __attribute__((stdcall)) SetLastError(unsigned long error);

struct last_error {
    unsigned long number;
};

static inline struct last_error last_error_keep(void)
{
    return (struct last_error){GetLastError()};
}

static inline void last_error_restore(struct last_error error)
{
    SetLastError(error.number);
}

#endif
