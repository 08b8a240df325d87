/* The words of elt/registers.def, bare as they stand there, and the table as C has it. */
#ifndef TESTS_ELT_TABLE_H
#define TESTS_ELT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum architecture { X86_64, X86_64_WINDOWS, I386, AARCH64, IA64, ARCHITECTURES };
enum generation { G1 = 1, G2 = 2, G3 = 4, ALL = 7 };
enum hook { ENTER = 1, LEAVE = 2, TAILCALL = 4, ALL_HOOKS = 7 };
enum keeper { STUB, CALLEE, NONE };
enum compiled_code { LIVE, CLAIMED, LOST };

struct pass {
    enum architecture architecture;
    int generations, hooks;
    const char *where, *what;
};

struct keep {
    enum architecture architecture;
    int generations, hooks;
    const char *registers;
    enum keeper by;
    enum compiled_code compiled_code;
    const char *why;
};

struct wrong {
    const char *said, *holds, *known;
};

extern const struct pass passes[];
extern const struct keep keeps[];
extern const struct wrong wrongs[];
extern const size_t pass_count, keep_count, wrong_count;

/* Whether a register is among those of a row: "r8" in "rax r8-11". */
bool row_has(const char *registers, const char *name);

#endif
