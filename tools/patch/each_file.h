/* The files of a command line: opened one after the other, worked on, closed. What cannot be read
 * is told. */
#ifndef EACH_FILE_H
#define EACH_FILE_H

#include "base/json.h"
#include "host/references.h"
#include "host/tool.h"

/* What is done with a file's image; the target of `references` is this file. */
typedef enum exit_code file_work(void *user, struct ilp_image *image, const char *file,
                                 struct references *references);

/* For all of them, and the worst exit code. A program means the assembly that it starts. With
 * `json` (NULL: none) one object is written: {"files": [...]}, an object for each that begins with
 * its name, to which `work` adds the rest. */
enum exit_code each_file(char **files, int count, struct references *references,
                         struct ilpi_json *json, file_work *work, void *user);

#endif
