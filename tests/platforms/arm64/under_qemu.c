/* Starts PROGRAM of an Arm processor under qemu, for a kernel that does not do so itself. Linked
 * statically: what LD_PRELOAD and LD_LIBRARY_PATH name is for that program alone. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char *const qemu[] = {"qemu-aarch64-static", "-L", SYSTEM, PROGRAM};
    enum { BEFORE = sizeof qemu / sizeof qemu[0] };
    char **arguments = calloc((size_t)argc + BEFORE, sizeof *arguments);
    if (!arguments) {
        return 127;
    }
    memcpy(arguments, qemu, sizeof qemu);
    for (int i = 1; i < argc; i++) {
        arguments[BEFORE - 1 + i] = argv[i];
    }
    execvp(arguments[0], arguments);
    return 127;
}
