/* Standard input as a file, standard output as an output among others. See standard_streams.h.
 * Standard output becomes standard error while bytes are written to it, so that no message gets
 * between them. */
#include "host/standard_streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/file_io.h"
#include "host/path.h"
#include "host/temporary.h"

/* No assembly is larger: offsets of PE files have 32 bits. */
#define MAX_INPUT ((size_t)UINT32_MAX)

bool is_standard(const char *path)
{
    return strcmp(path, "-") == 0;
}

int standard_stream_at(const char *path)
{
    static const int streams[] = {STDOUT_FILENO, STDERR_FILENO};
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        if (file_is_at(streams[i], path) && file_can_be_written(streams[i])) {
            return streams[i];
        }
    }
    return -1;
}

/* ---- input ---- */

/* Doubles its room; more than MAX_INPUT cannot be an assembly. */
static bool read_all(uint8_t **bytes, size_t *size)
{
    size_t room = 0;
    for (;;) {
        if (*size == room) {
            room = room != 0 ? 2 * room : (size_t)1 << 16;
            uint8_t *more = grow_items(*bytes, room, 1);
            if (!more) {
                errno = ENOMEM;
                return false;
            }
            *bytes = more;
        }
        ssize_t got = read(STDIN_FILENO, *bytes + *size, room - *size);
        if (got == 0) {
            return true;
        }
        if ((got < 0 && errno != EINTR) || *size > MAX_INPUT) {
            errno = got < 0 ? errno : EFBIG;
            return false;
        }
        *size += got > 0 ? (size_t)got : 0;
    }
}

/* Read once, at the first use, and kept to the end: "-" may be named by several options. */
bool standard_input(struct ilp_bytes *bytes)
{
    static uint8_t *data;
    static size_t size;
    static int failure = -1; /* not read yet */
    if (failure < 0) {
        failure = read_all(&data, &size) ? 0 : errno;
    }
    errno = failure;
    *bytes = (struct ilp_bytes){data, size};
    return failure == 0;
}

/* It has one text, which is either the one or the other. */
enum exit_code standard_input_once(const char *command, const char *option, const char *path,
                                   const char *other, const char *other_path)
{
    if (!path || !other_path || !is_standard(path) || !is_standard(other_path)) {
        return EXIT_DONE;
    }
    return usage_error(command,
                       "standard input cannot be both %s and %s: name a file instead of one of "
                       "them",
                       option, other);
}

/* @- is a list of names. */
enum exit_code standard_input_check(const char *command, const char *option, const char *path,
                                    int count, char *const *files)
{
    enum exit_code code = EXIT_DONE;
    for (int i = 0; i < count && code == EXIT_DONE; i++) {
        const char *file = strcmp(files[i], "@-") == 0 ? "-" : files[i];
        code = standard_input_once(command, option, path, "FILE", file);
    }
    return code;
}

/* ---- output ---- */

/* What would go to standard output as a message goes to standard error from here on, so that only
 * the file's bytes are left for it. */
enum exit_code standard_output_take(const char *command, const char *option, bool is_text, int *fd)
{
    *fd = -1;
    if (!is_text && isatty(STDOUT_FILENO)) {
        return usage_error(
            command, "%s - writes binary data, and standard output is a terminal: redirect it",
            option);
    }
    *fd = dup(STDOUT_FILENO);
    if (*fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        report_message("cannot write to standard output: %s", strerror(errno));
        return EXIT_CANNOT_WRITE;
    }
    return EXIT_DONE;
}

/* In place there is nothing to replace, and in a folder there is no name to give. */
enum exit_code standard_check(const char *command, const char *output, int count,
                              char *const *files)
{
    for (int i = 0; i < count; i++) {
        if (is_standard(files[i]) && !output) {
            return usage_error(command, "- is standard input, which cannot be replaced: pass -o "
                                        "with the path of the new file");
        }
        if (is_standard(files[i]) && path_is_directory(output)) {
            return usage_error(
                command, "standard input has no name: -o has to name a file, and %s is a folder",
                output);
        }
    }
    return EXIT_DONE;
}

/* The file is made in a temporary folder, as any other output, and copied to standard output at the
 * end: if the command fails, nothing is written. */
enum exit_code standard_output_begin(struct standard_output *output, const char *command,
                                     const char *option, const char *file)
{
    *output = (struct standard_output){.fd = -1};
    enum exit_code code = standard_output_take(command, option, false, &output->fd);
    if (code != EXIT_DONE) {
        return code;
    }
    if (!temporary_folder_make(&output->folder)) {
        return EXIT_CANNOT_WRITE;
    }
    output->path = path_join(output->folder.path,
                             is_standard(file) ? "standard-input" : path_name(file));
    return output->path ? EXIT_DONE : EXIT_CANNOT_WRITE;
}

/* The temporary folder is removed after every outcome. */
enum exit_code standard_output_end(struct standard_output *output, enum exit_code code)
{
    struct ilp_bytes bytes = {NULL, 0};
    bool made = output->path && code <= EXIT_INCOMPLETE && file_exists(output->path);
    if (made && (!file_map_open(&bytes, output->path) || !write_all(output->fd, bytes))) {
        report_message("cannot write to standard output: %s", strerror(errno));
        code = EXIT_CANNOT_WRITE;
    }
    file_map_close(&bytes);
    temporary_folder_remove(&output->folder);
    if (output->fd >= 0) {
        close(output->fd);
    }
    free(output->path);
    *output = (struct standard_output){.fd = -1};
    return code;
}
