/* The files that a command line names: a file itself, a folder for all that is below it, @LIST for
 * those whose names are the lines of a file.
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
    bool below;      /* it is below a folder that is named */
    bool link;       /* it leads to a folder, or to nothing */
    bool deselected; /* by --include or --exclude */
    bool looked_at;  /* then what follows is known: named_file_look() */
    int error;       /* why not, an errno; 0: it is known */
    struct found_kind kind;
    uint64_t size; /* in bytes, when work on those that are meant begins */
    char *started; /* owned: the assembly that it is the host of; NULL: it is none, or of none */
};

/* Zero-initialise. */
struct named_files {
    struct named_file *items;
    size_t count;
    struct named_file **by_path;
    struct path_list folders; /* the named ones, and those below them */
    struct path_list made;    /* with -o, what they become; one for each of `folders` */
    bool incomplete;          /* a folder could not be read */
};

/* Which of them are meant, as --include and --exclude say. */
struct name_filter {
    struct option_list include; /* empty: all */
    struct option_list exclude;
};

/* What is taken of operands. */
struct operand_options {
    const char *command; /* for messages */
    const char *output;  /* -o, or NULL */
    /* what interrupted runs have left in folders is finished or removed before it is looked at */
    bool finish;
    struct name_filter filter;
};

/* Takes operands. What is wrong has been reported; named_files_close() in any case. */
enum exit_code named_files_open(struct named_files *files, const struct operand_options *options,
                                char **operands, int count);
void named_files_close(struct named_files *files);

/* Finds out what a file is, once. */
void named_file_look(struct named_file *file);

/* What is patched where the file is named: itself, or what it is the host of. Borrowed. */
const char *named_file_assembly(struct named_file *file);

/* Where the patched form of a file goes. Owned by the caller. */
char *named_file_output(struct named_file *file, const char *output);

/* One of this path; NULL: there is none. */
const struct named_file *named_files_find(const struct named_files *files, const char *path);

#endif
