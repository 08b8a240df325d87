/* Preserves GetLastError(), which the program may read after one of its calls, across a hook's own
 * calls: those that succeed set it, too. */
#ifndef ILPI_HOOKS_LAST_ERROR_H
#define ILPI_HOOKS_LAST_ERROR_H

/* Declared as in <windows.h>, whose other names clash with the profiler's. */
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
