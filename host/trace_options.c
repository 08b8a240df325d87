/* See trace_options.h. */
#include "host/trace_options.h"

bool trace_option(struct trace_settings *settings, enum option_id option, const char *value)
{
    static const struct option_field items[] = {
#define FIELD(id, member) OPTION_FIELD(struct trace_settings, id, member),
        /* cppcheck-suppress nullPointer ; _Generic evaluates no operand */
        TRACE_FIELDS(FIELD)
#undef FIELD
    };
    const struct option_fields fields = {items, sizeof items / sizeof *items};
    return option_field_set(fields, settings, option, value) != OPTION_FIELD_NONE;
}
