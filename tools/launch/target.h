/* What a command line starts, as far as its files tell: which program, on which host of .NET, with
 * which settings. */
#ifndef LAUNCH_TARGET_H
#define LAUNCH_TARGET_H

#include "host/resolve/runtime_config.h"
#include "host/tool.h"

/* How a program gets to its runtime. */
enum target_kind {
    TARGET_UNKNOWN,    /* not there, or none of the others */
    TARGET_DOTNET,     /* dotnet App.dll */
    TARGET_DOTNET_SDK, /* dotnet COMMAND */
    TARGET_HOST,       /* ./App beside App.dll */
    TARGET_BUNDLE,     /* a single file with all in it */
    TARGET_NATIVE_AOT, /* compiled ahead of time */
    TARGET_MONO,       /* mono App.exe */
    TARGET_ASSEMBLY,   /* App.dll, which the system alone does not start */
    TARGET_SCRIPT,
    TARGET_NATIVE /* any other native program */
};

struct target {
    enum target_kind kind;
    char *path;                   /* the program's file, links followed; owned; NULL: not found */
    const char *command;          /* of TARGET_DOTNET_SDK: "test"; borrowed from the command line */
    unsigned elf_class;           /* 1: 32 bits, 2: 64 bits; 0: the program is not ELF */
    unsigned elf_machine;         /* e_machine */
    struct runtime_config config; /* all zero where there is none */
};

void target_open(struct target *target, char *const *program);
void target_close(struct target *target);

/* Whether a word of a command line is the path of an assembly. */
bool names_assembly(const char *word);

/* Of a command line, which may be NULL, the file to patch: "App.dll" where it names none. */
const char *started_file(char *const *arguments);

#endif
