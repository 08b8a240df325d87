/* The texts and classes of error.def, and ilpi_fail(), which records a failure. Messages contain
 * bytes of the input, so they are made printable here, once. */
#include "base/error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

static const struct {
    const char *name;
    const char *text;
    enum ilp_class class;
} statuses[] = {
#define ILP_STATUS(name, class, text) [ILP_E_##name] = {#name, text, ILP_CLASS_##class},
#include "ilpatch/error.def"
};

#define STATUS_COUNT (sizeof statuses / sizeof statuses[0])

/* ilpatch.h lists the statuses in the order of the table. */
enum {
#define ILP_STATUS(name, class, text) STATUS_POSITION_##name,
#include "ilpatch/error.def"
};
#define ILP_STATUS(name, class, text) \
    static_assert((int)ILP_E_##name == (int)STATUS_POSITION_##name, #name);
#include "ilpatch/error.def"

const char *ilp_status_name(ilp_status status)
{
    return (size_t)status < STATUS_COUNT ? statuses[status].name : "UNKNOWN";
}

const char *ilp_status_text(ilp_status status)
{
    return (size_t)status < STATUS_COUNT ? statuses[status].text : "unknown status";
}

enum ilp_class ilp_status_class(ilp_status status)
{
    return (size_t)status < STATUS_COUNT ? statuses[status].class : ILP_CLASS_BUG;
}

/* Messages hold names from the input: bytes that are not UTF-8, or that control a terminal, become
 * question marks. */
static void make_printable(char *message)
{
    uint8_t *at = (uint8_t *)message;
    size_t left = strlen(message);
    while (left != 0) {
        uint32_t code;
        unsigned length = ilpi_utf8_read(at, left, &code);
        if (length == 0 || ilpi_utf8_is_control(code) || ilpi_utf8_is_surrogate(code)) {
            *at = '?';
            length = 1;
        }
        at += length;
        left -= length;
    }
}

ilp_status ilpi_fail(struct ilp_error *error, ilp_status status, uint64_t offset, ilp_token token,
                     const char *format, ...)
{
    if (error) {
        va_list arguments;
        error->status = status;
        error->offset = offset;
        error->token = token;
        error->line = 0;
        error->column = 0;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        make_printable(error->message);
    }
    return status;
}

void ilpi_note_memory(struct ilp_error *error, size_t size)
{
    ilpi_fail(error, ILP_E_NO_MEMORY, ILPI_NO_OFFSET, 0,
              "out of memory (%zu more bytes were needed)", size);
}
