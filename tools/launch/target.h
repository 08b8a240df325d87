/* What a command line starts, as far as its files show: the program, its .NET host, its
 * settings. */
#ifndef LAUNCH_TARGET_H
#define LAUNCH_TARGET_H

#include "host/resolve/runtime_config.h"
#include "host/tool.h"

/* How a program finds its runtime. */
enum target_kind {
    TARGET_UNKNOWN,    /* does not exist, or none of the others */
    TARGET_DOTNET,     /* dotnet App.dll */
    TARGET_DOTNET_SDK, /* dotnet COMMAND */
    TARGET_HOST,       /* ./App beside App.dll */
    TARGET_BUNDLE,     /* single file with everything inside */
    TARGET_NATIVE_AOT, /* compiled ahead of time */
    TARGET_MONO,       /* mono App.exe */
    TARGET_ASSEMBLY,   /* App.dll, which the system cannot start */
    TARGET_SCRIPT,
    TARGET_NATIVE /* any other native program */
};

struct target {
    enum target_kind kind;
    char *path;                   /* the program's file, with links resolved; owned; NULL: not
                                     found */
    const char *command;          /* of TARGET_DOTNET_SDK: "test"; borrowed from the command line */
    unsigned elf_class;           /* 1: 32 bits, 2: 64 bits; 0: the program is not ELF */
    unsigned elf_machine;         /* e_machine */
    struct runtime_config config; /* all zero if there is none */
};

void target_open(struct target *target, char *const *program);
void target_close(struct target *target);

/* Whether a word of a command line is the path of an assembly. */
bool names_assembly(const char *word);

/* The file to patch in a command line, which may be NULL: "App.dll" if it names none. */
const char *started_file(char *const *arguments);

#endif
