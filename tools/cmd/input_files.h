/* The files of a command that reads several and changes none: its options, and each file opened,
 * processed and closed. Unreadable files are reported. */
#ifndef INPUT_FILES_H
#define INPUT_FILES_H

#include "base/json.h"
#include "host/options.h"
#include "host/references.h"
#include "host/schemas.h"
#include "host/tool.h"

/* As named on the command line, borrowed from it. */
struct input_files {
    char **files;
    int file_count;
    const char **reference_paths; /* the array is owned */
    size_t reference_count;
    bool as_json;
    enum schema schema; /* of the JSON */
};

/* With room for everything that `argc` arguments can name. */
void input_files_begin(struct input_files *files, int argc, enum schema schema);
void input_files_end(struct input_files *files);

/* Takes --reference-path or --json; false for any other option. */
bool input_files_option(struct input_files *files, enum option_id option, const char *value);

/* Takes the operands, at least one. `command` is for the message. */
enum exit_code input_files_operands(struct input_files *files, const struct option_reader *reader,
                                    const char *command);

/* A file while it is open. */
struct opened_file {
    const char *path; /* of the program's assembly instead of the program */
    struct ilp_image *image;
    struct references *references; /* its target is this file */
    struct ilpi_json *json;        /* NULL: text on standard output */
};

typedef enum exit_code file_work(void *user, const struct opened_file *file);

/* Processes one file. */
enum exit_code with_file(const char *path, struct references *references, file_work *work,
                         void *user);

/* Processes all of them; the worst exit code. As JSON one object is printed: {"schema": N, "files":
 * [...]}, with an object for each file that begins with its name, to which `work` adds members. */
enum exit_code each_file(const struct input_files *files, file_work *work, void *user);

#endif
