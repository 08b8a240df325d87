/* See trace_options.h. */
#include "host/trace_options.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/memory.h"

static uint32_t number(const char *text)
{
    unsigned long value = strspn(text, "0123456789") == strlen(text) ? strtoul(text, NULL, 10) : 0;
    return value <= UINT32_MAX ? (uint32_t)value : 0;
}

bool trace_option(struct trace_settings *settings, enum option_id option, const char *value)
{
    switch (option) {
#define SWITCH(field, id) \
    case OPTION_##id: settings->field = true; return true;
        TRACE_SWITCHES(SWITCH)
#undef SWITCH
    case OPTION_CHECK_STACKS: settings->check_stacks = number(value); return true;
    default: return false;
    }
}

static void add_option(struct arguments *line, bool given, enum option_id option)
{
    if (given) {
        char *name = format_text("--%s", option_name(option));
        if (name) {
            arguments_add(line, name);
        }
        free(name);
    }
}

void trace_options_add(const struct trace_settings *settings, struct arguments *line)
{
#define SWITCH(field, id) add_option(line, settings->field, OPTION_##id);
    TRACE_SWITCHES(SWITCH)
#undef SWITCH
    if (settings->check_stacks != 0) {
        char text[16];
        snprintf(text, sizeof text, "%" PRIu32, settings->check_stacks);
        add_option(line, true, OPTION_CHECK_STACKS);
        arguments_add(line, text);
    }
}
