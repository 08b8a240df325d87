/* Prints elt/registers.def as the tables of docs/HOOKS.md. */
#include <stdio.h>
#include <string.h>

#include "table.h"

static const char *const architecture_names[ARCHITECTURES] = {
    [X86_64] = "x86-64 System V", [X86_64_WINDOWS] = "x86-64 Windows", [I386] = "32-bit x86",
    [AARCH64] = "64-bit Arm",     [IA64] = "IA64 (history)",
};
static const char *const keeper_names[] = {
    [STUB] = "the stub", [CALLEE] = "any function", [NONE] = "none"};
static const char *const compiled_names[] = {[LIVE] = "has values there",
                                             [CLAIMED] = "takes them for untouched",
                                             [LOST] = "counts them lost"};

static void print_set(int set, const char *const names[3], const char *all)
{
    if (set == 7) {
        printf("%s", all);
        return;
    }
    const char *between = "";
    for (int i = 0; i < 3; i++) {
        if (set & 1 << i) {
            printf("%s%s", between, names[i]);
            between = ", ";
        }
    }
}

static void print_generations(int generations)
{
    static const char *const names[] = {"1", "2", "3"};
    print_set(generations, names, "1, 2, 3");
}

static void print_hooks(int hooks)
{
    static const char *const names[] = {"Enter", "Leave", "Tailcall"};
    print_set(hooks, names, "all");
}

static void print_passes(enum architecture architecture)
{
    puts("\n| generation | hook | where | what |\n|---|---|---|---|");
    for (size_t i = 0; i < pass_count; i++) {
        if (passes[i].architecture == architecture) {
            printf("| ");
            print_generations(passes[i].generations);
            printf(" | ");
            print_hooks(passes[i].hooks);
            printf(" | %s | %s |\n", passes[i].where, passes[i].what);
        }
    }
}

static void print_keeps(enum architecture architecture)
{
    puts("\n| generation | hook | registers | kept by | compiled code | "
         "|\n|---|---|---|---|---|---|");
    for (size_t i = 0; i < keep_count; i++) {
        const struct keep *row = &keeps[i];
        if (row->architecture == architecture) {
            printf("| ");
            print_generations(row->generations);
            printf(" | ");
            print_hooks(row->hooks);
            printf(" | %s | %s | %s | %s |\n", row->registers, keeper_names[row->by],
                   compiled_names[row->compiled_code], row->why);
        }
    }
}

int main(void)
{
    for (int architecture = 0; architecture < ARCHITECTURES; architecture++) {
        printf("### %s\n", architecture_names[architecture]);
        print_passes((enum architecture)architecture);
        print_keeps((enum architecture)architecture);
        puts("");
    }
    puts("### Where the documentation is wrong\n\n| it says | it is so | how that is known "
         "|\n|---|---|---|");
    for (size_t i = 0; i < wrong_count; i++) {
        printf("| %s | %s | %s |\n", wrongs[i].said, wrongs[i].holds, wrongs[i].known);
    }
    return 0;
}
