/* Reports messages of host/: as status lines if there is a command, otherwise on the output, with
 * control characters replaced. See messages.h. A line is cut at STATUS_LINE_SIZE, and made without
 * allocating: lack of memory is one of the messages. */
#include "profiler/messages.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "host/memory.h"
#include "host/message.h"
#include "profiler/output.h"
#include "profiler/status.h"

static void report(void *user, const char *text)
{
    char line[STATUS_LINE_SIZE];
    (void)user;
    if (status_is_open()) {
        status_line("message", "%s", text);
        return;
    }
    int size = snprintf(line, sizeof line, "ilpatch: %s", text);
    size = size < (int)sizeof line - 1 ? size : (int)sizeof line - 2;
    for (int i = 0; i < size; i++) {
        line[i] = (unsigned char)line[i] < ' ' || line[i] == 0x7F ? '?' : line[i];
    }
    line[size++] = '\n';
    output_line(line, (size_t)size);
}

static atomic_bool is_reported;

/* Once: methods affected by it are reported individually. */
static void report_no_memory(void)
{
    if (!atomic_exchange(&is_reported, true)) {
        report(NULL,
               "out of memory: the program goes on, and what could not be inspected is left alone");
    }
}

void messages_open(void)
{
    static const struct reporter reporter = {.message = report};
    atomic_store(&is_reported, false);
    reporter_set(&reporter);
    memory_on_failure(report_no_memory);
}
