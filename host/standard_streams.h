/* "-" on a command line: standard input as a file, standard output as an option's file. */
#ifndef STANDARD_STREAMS_H
#define STANDARD_STREAMS_H

#include "host/temporary.h"
#include "host/tool.h"

/* Whether a path is standard input or output. */
bool is_standard(const char *path);

/* The descriptor of standard output or error, if that is the file of this path; -1: neither is.
 * Such a file is added to: to empty or replace it would cut off what others have written there. One
 * that is open for reading alone does not count. */
int standard_stream_at(const char *path);

/* All of standard input, which is read once: later calls return the same. False with errno set.
 * Never freed. */
bool standard_input(struct ilp_bytes *bytes);

/* Refuses standard input as both what `option` and `other` name; NULL: nothing. */
enum exit_code standard_input_once(const char *command, const char *option, const char *path,
                                   const char *other, const char *other_path);

/* The same of `option` and each of the files. */
enum exit_code standard_input_check(const char *command, const char *option, const char *path,
                                    int count, char *const *files);

/* Reserves standard output for what `option` names: messages go to standard error from then on. *fd
 * is the descriptor to write to. Binary output to a terminal is refused. */
enum exit_code standard_output_take(const char *command, const char *option, bool is_text, int *fd);

/* A file that is made like others, in a folder of its own, and then written to standard output. */
struct standard_output {
    int fd;
    struct temporary_folder folder;
    char *path; /* of the file */
};

/* Begins such a file, which is named like `file`. standard_output_end() follows in any case. */
enum exit_code standard_output_begin(struct standard_output *output, const char *command,
                                     const char *option, const char *file);

/* Checks the files and -o (NULL: not given) of a command that replaces files. */
enum exit_code standard_check(const char *command, const char *output, int count,
                              char *const *files);

/* Writes the file, if `code` says that it was made, and removes the folder. The worse of `code` and
 * its own. */
enum exit_code standard_output_end(struct standard_output *output, enum exit_code code);

#endif
