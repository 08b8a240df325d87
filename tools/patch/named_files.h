/* The files named on a command line: a file itself, a folder for everything below it, @LIST for
 * files whose names are the lines of a file.
 *
 *   inspect -o OUT App/            App/de/Lib.dll -> OUT/de/Lib.dll
 *   inspect -o OUT App/ Lib.dll    App/de/Lib.dll -> OUT/App/de/Lib.dll, Lib.dll -> OUT/Lib.dll */
#ifndef NAMED_FILES_H
#define NAMED_FILES_H

#include "host/found_kind.h"
#include "host/option_fields.h"
#include "host/resolve/path_list.h"

struct named_file {
    char *path;      /* owned */
    char *output;    /* owned; NULL: by -o and its own name, or it is replaced */
    bool below;      /* it is below a named folder */
    bool link;       /* a link to a folder, or to nothing */
    bool deselected; /* by --include or --exclude */
    bool unseen;     /* named, and the system does not show what it is, a folder perhaps: error */
    bool looked_at;  /* the members below are set: named_file_look() */
    int error;       /* why it could not be looked at, an errno; 0: it could */
    struct found_kind kind;
    bool module;   /* of a multi-file assembly: it has no Assembly row (II.22.2) */
    uint64_t size; /* in bytes, when work begins */
    char *started; /* owned: the assembly of which it is the host; NULL: none */
};

/* Zero-initialise. */
struct named_files {
    struct named_file *items;
    size_t count;
    struct named_file **by_path; /* into `items`, sorted by path; for searches */
    struct path_list folders;    /* the named ones, and those below them */
    struct path_list made;       /* with -o, their outputs; one for each of `folders` */
    bool incomplete;             /* a folder could not be read */
};

/* --include and --exclude. */
struct name_filter {
    struct option_list include; /* empty: all */
    struct option_list exclude;
};

/* How operands are read. */
struct operand_options {
    const char *command; /* for messages */
    const char *output;  /* -o, or NULL */
    /* complete or undo interrupted runs in folders before reading them */
    bool finish;
    struct name_filter filter;
};

/* Reads operands. Errors are reported; named_files_close() in any case. */
enum exit_code named_files_open(struct named_files *files, const struct operand_options *options,
                                char **operands, int count);
void named_files_close(struct named_files *files);

/* Determines the kind of a file, once. */
void named_file_look(struct named_file *file);

/* The file that is patched: itself, or the assembly it is the host of. Borrowed. */
const char *named_file_assembly(struct named_file *file);

/* The output path of a file. Owned by the caller. */
char *named_file_output(struct named_file *file, const char *output);

/* The file with this path; NULL: there is none. */
const struct named_file *named_files_find(const struct named_files *files, const char *path);

#endif
