/* Lines for whoever started the process. See status.h. */
#include "profiler/status.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static int status_file = -1;
static struct shared_counters_slot own_slot;
static struct shared_counters_slot *slot = &own_slot;

void status_take(int file)
{
    struct shared_counters_slot *shared = shared_counters_join(file);
    slot = shared ? shared : &own_slot;
    status_file = file;
}

void status_open(const char *path)
{
    if (path && shared_counters_is_name(path)) {
        status_take(shared_counters_open(path));
    } else if (path && path[0] != '\0') {
        status_take(open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
    }
}

void status_close(void)
{
    if (status_file >= 0) {
        close(status_file);
        status_file = -1;
    }
    if (slot != &own_slot) {
        shared_counters_leave(slot);
        slot = &own_slot;
    }
}

bool status_is_open(void)
{
    return status_file >= 0;
}

struct shared_counters_slot *status_slot(void)
{
    return slot;
}

bool status_has_shared_counters(void)
{
    return slot != &own_slot;
}

/* Names and paths may hold anything, a line's end too. */
static void stay_in_line(char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        text[i] = text[i] == '\n' || text[i] == '\r' || text[i] == '\0' ? '?' : text[i];
    }
}

void status_line(const char *word, const char *format, ...)
{
    char line[STATUS_LINE_SIZE];
    va_list arguments;
    int size = snprintf(line, sizeof line, "%s\t", word);
    va_start(arguments, format);
    size += vsnprintf(line + size, sizeof line - (size_t)size - 1, format, arguments);
    va_end(arguments);
    if (size > (int)sizeof line - 2) {
        size = (int)sizeof line - 2;
    }
    stay_in_line(line, (size_t)size);
    line[size++] = '\n';
    if (status_file >= 0 && write(status_file, line, (size_t)size) < 0) {
        close(status_file);
        status_file = -1;
    }
}

void status_module(const char *path, const struct ilp_error *error)
{
    status_line("module", "%d %s: %s", (int)error->status, path, error->message);
}

void status_method(const char *path, ilp_token method, const struct ilp_error *error)
{
    status_line("method", "%08X %s: %s", method, path, error->message);
}
