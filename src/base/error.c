/* The texts and classes of error.def, and ilpi_fail(), which records a failure. Messages contain
 * bytes of the input, so they are made printable here, once. */
#include "base/error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* A row of error.def. */
struct status {
    ilp_status status;
    const char *name; /* without ILP_E_ */
    const char *text;
    enum ilp_class class;
};

static const struct status statuses[] = {
#define ILP_STATUS(name, number, class, text) {ILP_E_##name, #name, text, ILP_CLASS_##class},
#include "ilpatch/error.def"
};

/* ilpatch.h has the numbers of the table, and the hundreds of a number are its class. */
#define ILP_STATUS(name, number, class, text) \
    static_assert(ILP_E_##name == (number) && (number) / 100 == (int)ILP_CLASS_##class, #name);
#include "ilpatch/error.def"

/* A value that is not in the table is the caller's mistake (BUG). */
static struct status find(ilp_status status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        if (statuses[i].status == status) {
            return statuses[i];
        }
    }
    return (struct status){status, "UNKNOWN", "unknown status", ILP_CLASS_BUG};
}

const char *ilp_status_name(ilp_status status)
{
    return find(status).name;
}

const char *ilp_status_text(ilp_status status)
{
    return find(status).text;
}

enum ilp_class ilp_status_class(ilp_status status)
{
    return find(status).class;
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

/* Every error is made here, so that its fields are set in one place. `error` may be NULL: many
 * callers need the status only. Names from files may hold control characters, which a message must
 * not (make_printable()). */
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
        memset(error->reserved, 0, sizeof error->reserved);
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        make_printable(error->message);
    }
    return status;
}

ilp_status ilpi_fail_reserved(struct ilp_error *error)
{
    return ilpi_fail(error, ILP_E_MISUSE, ILPI_NO_OFFSET, 0,
                     "a reserved member is not zero: zero the struct before it is filled, or use a "
                     "later library than " ILP_VERSION);
}

void ilpi_note_memory(struct ilp_error *error, size_t size)
{
    ilpi_fail(error, ILP_E_NO_MEMORY, ILPI_NO_OFFSET, 0,
              "out of memory (%zu more bytes were needed)", size);
}
