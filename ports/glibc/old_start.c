/* The entry of a program that is to run with an older glibc, too: for programs only, not for
 * libraries. See old_symbols.h.
 *
 * crt1.o calls __libc_start_main(). That of glibc 2.34 runs the program's initializers itself; an
 * older one calls the functions that it is given. */
#include "ports/glibc/old_symbols.h"

typedef int (*main_function)(int, char **, char **);
int old_start_main(main_function main, int argc, char **argv, main_function init,
                   void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
__asm__(".symver old_start_main,__libc_start_main@GLIBC_" FIRST_GLIBC);

extern const main_function __init_array_start[] __attribute__((visibility("hidden")));
extern const main_function __init_array_end[] __attribute__((visibility("hidden")));
extern void _init(void);

static int initialise(int argc, char **argv, char **environment)
{
    _init();
    for (const main_function *init = __init_array_start; init < __init_array_end; init++) {
        (*init)(argc, argv, environment);
    }
    return 0;
}

__attribute__((visibility("hidden"), weak)) int
__libc_start_main(main_function main, int argc, char **argv, main_function init, void (*fini)(void),
                  void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_function main, int argc, char **argv, main_function init,
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    return old_start_main(main, argc, argv, init ? init : initialise, fini, rtld_fini, stack_end);
}
