/* See trace_options.h. */
#include "host/trace_options.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t number(const char *text)
{
    unsigned long value = strspn(text, "0123456789") == strlen(text) ? strtoul(text, NULL, 10) : 0;
    return value <= UINT32_MAX ? (uint32_t)value : 0;
}

bool trace_option(struct trace_settings *settings, int option, const char *value)
{
    switch (option) {
#define SWITCH(field, name) \
    case OPTION_TRACE_##field: settings->field = true; return true;
    TRACE_SWITCHES(SWITCH)
#undef SWITCH
    case OPTION_CHECK_STACKS: settings->check_stacks = number(value); return true;
    default: return false;
    }
}

void trace_options_add(const struct trace_settings *settings, struct arguments *line)
{
#define SWITCH(field, name)                  \
    if (settings->field) {                   \
        arguments_add(line, "--" name);      \
    }
    TRACE_SWITCHES(SWITCH)
#undef SWITCH
    if (settings->check_stacks != 0) {
        char text[16];
        snprintf(text, sizeof text, "%" PRIu32, settings->check_stacks);
        arguments_add(line, "--check-stacks");
        arguments_add(line, text);
    }
}
