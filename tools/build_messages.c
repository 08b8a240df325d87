/* Rewrites held messages for MSBuild, line by line. See build_messages.h.
 *
 *   messages --> descriptor 2 --> a temporary file --> at the end, rewritten --> standard error
 *
 * They are held in a file instead of a pipe, since a pipe without a reader would block once it is
 * full. The severity depends on the exit code, which is known only at the end: an error for a
 * command that failed, else a warning.
 *
 * MSBuild's canonical form is ORIGIN: CATEGORY CODE: TEXT, where the origin is a file with a
 * position in parentheses, or any text. */
#include "tools/build_messages.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "ilpatch: "

static FILE *held;              /* NULL: nothing is held */
static int standard_error = -1; /* a copy of the real one while messages are held; else -1 */

/* If anything fails, messages stay as they are: they are better in the wrong form than lost. */
void build_messages_begin(void)
{
    const char *form = getenv("ILPATCH_MESSAGES");
    if (!form || strcmp(form, "msbuild") != 0) {
        return;
    }
    held = tmpfile();
    standard_error = held ? dup(STDERR_FILENO) : -1;
    if (standard_error >= 0 && dup2(fileno(held), STDERR_FILENO) < 0) {
        close(standard_error);
        standard_error = -1;
    }
}

/* The size of the text before the message proper, if that names a file: up to the colon. */
static size_t origin_size(const char *text)
{
    const char *colon = text;
    while ((colon = strstr(colon, ": ")) != NULL) {
        char *path = strndup(text, (size_t)(colon - text));
        bool is_file = path && access(path, F_OK) == 0;
        free(path);
        if (is_file) {
            return (size_t)(colon - text);
        }
        colon++;
    }
    return 0;
}

/* Takes a number and the colon before it from the end of the first *size bytes; 0: none. */
static unsigned long take_number(const char *text, size_t *size)
{
    size_t start = *size;
    while (start > 0 && text[start - 1] >= '0' && text[start - 1] <= '9') {
        start--;
    }
    if (start == *size || start < 2 || text[start - 1] != ':') {
        return 0;
    }
    *size = start - 1;
    return strtoul(text + start, NULL, 10);
}

/* "rules.xml:2:10: ..." and "rules.xml:2: ..." have a position before ": "; any other origin has to
 * be a file that exists. */
static void print_line(FILE *out, const char *text, enum exit_code code)
{
    const char *category = code >= EXIT_USAGE ? "error" : "warning";
    const char *colon = strstr(text, ": ");
    size_t size = colon ? (size_t)(colon - text) : 0;
    /* where the message proper begins, after ": " */
    size_t rest = size + 2;
    unsigned long last = take_number(text, &size);
    unsigned long before = last != 0 ? take_number(text, &size) : 0;
    if (before != 0) {
        fprintf(out, "%.*s(%lu,%lu): ", (int)size, text, before, last);
    } else if (last != 0) {
        fprintf(out, "%.*s(%lu): ", (int)size, text, last);
    } else if ((size = origin_size(text)) != 0) {
        fprintf(out, "%.*s : ", (int)size, text);
        rest = size + 2;
    } else {
        fputs("ilpatch : ", out);
        rest = 0;
    }
    fprintf(out, "%s ILP%04d: %s", category, (int)code, text + rest);
}

/* Standard error is the real one again from here on, so later messages are printed at once. Lines
 * without the prefix are passed on as they are. */
void build_messages_end(enum exit_code code)
{
    char *line = NULL;
    size_t room = 0;
    if (standard_error < 0) {
        return;
    }
    fflush(stderr);
    dup2(standard_error, STDERR_FILENO);
    close(standard_error);
    standard_error = -1;
    rewind(held);
    while (getline(&line, &room, held) > 0) {
        if (strncmp(line, PREFIX, sizeof PREFIX - 1) == 0) {
            print_line(stderr, line + sizeof PREFIX - 1, code);
        } else {
            fputs(line, stderr);
        }
    }
    free(line);
    fclose(held);
}
