/* Which of several named files, or of those in a folder, are plainly not meant: files beside
 * assemblies, and assemblies of a program that are not its own. A file that is named alone is
 * always meant. */
#ifndef LEFT_ALONE_H
#define LEFT_ALONE_H

#include "host/request.h"
#include "tools/patch/named_files.h"

struct runtime_files;

/* name in a report what is printed before the names */
#define LEFT_KINDS(LEFT)                                       \
    LEFT(LINK, "link", "links to folders, or to nothing")      \
    LEFT(DESELECTED, "deselected", "--include, --exclude")     \
    LEFT(ORIGINAL, "original", "kept as originals")            \
    LEFT(OTHER, "no-assembly", "not assemblies")               \
    LEFT(SAME_FILE, "same-file", "other names of named files") \
    LEFT(INSPECTOR, "inspector", "inspectors")                 \
    LEFT(SATELLITE, "satellite", "resources without code")     \
    LEFT(COMPOSITE, "composite", "native code alone")          \
    LEFT(FRAMEWORK, "framework", "the runtime's own: --framework patches them")

enum left {
    LEFT_NOT, /* it is meant */
#define LEFT(name, code, text) LEFT_##name,
    LEFT_KINDS(LEFT)
#undef LEFT
        LEFT_COUNT
};

/* For an assembly, by its path ("PROGRAM/Lib.dll" in a single-file program), among others of a
 * program. `runtime` is that of its folder or program. *module (may be NULL) is set if it is meant:
 * whether it is a module of a multi-file assembly. */
enum left left_among_others(const struct request *what, const struct runtime_files *runtime,
                            const char *path, bool *module);

/* The files of a command line. If none of them is meant by these rules, those of the runtime are,
 * or else all that are named themselves. */
struct left_alone {
    const struct named_files *files; /* borrowed */
    enum left *why;                  /* of each */
    size_t left;                     /* number of files left alone */
};

/* Call it before any file is patched, since new files appear then; classifies `jobs` files at the
 * same time. With `separate`, files are written elsewhere than read. */
void left_alone_open(struct left_alone *left, const struct request *what, bool separate,
                     const struct named_files *files, unsigned jobs);
void left_alone_close(struct left_alone *left);

/* Its word in a report; NULL: the file is meant. */
const char *left_alone_code(const struct left_alone *left, size_t number);

/* A line for each kind. NULL: only about assemblies that might have been meant, as a message. */
void left_alone_print(const struct left_alone *left, FILE *out);

#endif
