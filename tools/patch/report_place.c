/* Where --report goes.
 *
 *   no --report              no stream
 *   -                        standard output, which messages then leave alone
 *   a pipe, a terminal       written as it is: it cannot be replaced
 *   standard output's file   written as it is: a new file in its place would cut it off
 *   any other path           like every output, the file appears only when it is complete */
#include "tools/patch/report_place.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/standard_streams.h"
#include "tools/tool.h"

static enum exit_code fail(const char *name, int error)
{
    report_message("%s: cannot write: %s", name, strerror(error));
    return EXIT_CANNOT_WRITE;
}

/* ---- begin ---- */

/* For what is not replaced. NULL with *error 0: it is an ordinary file, or there is none yet. */
static FILE *open_directly(const char *path, int *error)
{
    struct stat info;
    *error = 0;
    if (stat(path, &info) != 0 || S_ISDIR(info.st_mode)) {
        return NULL;
    }
    FILE *file = NULL;
    int stream = standard_stream_at(path);
    if (stream >= 0) {
        int fd = dup(stream);
        file = fd >= 0 ? fdopen(fd, "w") : NULL;
    } else if (!S_ISREG(info.st_mode)) {
        file = fopen(path, "we");
    } else {
        return NULL;
    }
    *error = file ? 0 : errno;
    return file;
}

static enum exit_code begin_standard(struct report_place *place, const char *command)
{
    int fd;
    enum exit_code code = standard_output_take(command, "--report", true, &fd);
    place->name = "standard output";
    place->stream = code == EXIT_DONE ? need(fdopen(fd, "w")) : NULL;
    return code;
}

/* fclose() must not close the output's descriptor: output_commit() does, after the rename. */
static enum exit_code begin_file(struct report_place *place)
{
    if (!output_begin(&place->output, place->name, NULL)) {
        int error = place->output.error;
        output_abandon(&place->output);
        return fail(place->name, error);
    }
    place->appears_whole = true;
    place->stream = need(fdopen(dup(place->output.fd), "w"));
    return EXIT_DONE;
}

enum exit_code report_place_begin(struct report_place *place, const char *command, const char *path)
{
    int error;
    *place = (struct report_place){.name = path};
    if (!path) {
        return EXIT_DONE;
    }
    if (is_standard(path)) {
        return begin_standard(place, command);
    }
    place->stream = open_directly(path, &error);
    if (error != 0) {
        return fail(path, error);
    }
    return place->stream ? EXIT_DONE : begin_file(place);
}

/* ---- end ---- */

/* 0, or errno if not all of it was written. */
static int close_stream(FILE *stream)
{
    int error = stream_error(stream);
    return fclose(stream) != 0 && error == 0 ? errno : error;
}

enum exit_code report_place_end(struct report_place *place, enum exit_code code)
{
    if (!place->stream) {
        return code;
    }
    int error = close_stream(place->stream);
    if (place->appears_whole) {
        place->output.error = error != 0 ? error : place->output.error;
        error = output_commit(&place->output) ? 0 : place->output.error;
    }
    return error != 0 ? fail(place->name, error) : code;
}
