/* How values are written, and what is hidden: the same for `ilpatch run`, `attach` and `trace` and,
 * through ILPATCH_OPTIONS, for the profiler. The stock inspector gets the same in variables
 * (docs/VALUES.md). */
#ifndef VALUE_OPTIONS_H
#define VALUE_OPTIONS_H

#include "host/option_fields.h"
#include "host/tool.h"
#include "values/limits.h"
#include "values/redaction.h"

/* VALUE_FIELDS(FIELD): FIELD(ID, FIELD), with an ID of host/options.def. */
#define VALUE_FIELDS(FIELD)          \
    FIELD(REDACT, redact)            \
    FIELD(NO_REDACT, no_redact)      \
    FIELD(DEPTH, limits.depth)       \
    FIELD(ELEMENTS, limits.elements) \
    FIELD(TEXT, limits.text)         \
    FIELD(WIDTH, limits.width)

/* As given, zeroed before the first. All texts are borrowed. */
struct value_options {
    struct option_list redact;
    bool no_redact;             /* hide only names of --redact */
    struct value_limits limits; /* 0: not given */
    enum option_id wrong_limit; /* the last invalid limit */
    const char *wrong_number;   /* and its text; NULL: all are valid */
};

/* Takes one of these options; false for any other. */
bool value_option(struct value_options *options, enum option_id option, const char *value);

/* The same, parsed. */
struct value_settings {
    struct redaction *redaction; /* owned */
    struct value_limits limits;
};

/* `redact` are additional names, from the environment (ENV_REDACT); NULL: none. Errors are reported
 * for `command`; NULL: in a process. Close it in any case. */
enum exit_code value_settings_read(struct value_settings *settings,
                                   const struct value_options *options, const char *redact,
                                   const char *command);
void value_settings_close(struct value_settings *settings);

/* A number from `least` to `most`, digits only; 0: invalid. */
uint32_t value_limit_read(const char *text, uint32_t least, uint32_t most);

/* Whether they are valid. */
enum exit_code value_options_check(const struct value_options *options, const char *command);

/* The value of ENV_REDACT, for an inspector without options. Owned by the caller; NULL: no
 * memory. */
char *value_options_redact(const struct value_options *options, const char *redact);

#endif
