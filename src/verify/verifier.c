/* The base of all checks: findings, memory, signatures. See verifier.h.
 *
 * Three budgets bound a verification of any file, each proportional to the file's size: `work`
 * (steps), `memory` (what is kept), and the limit of one method's frame. Types and members that get
 * no memory are unknown, which gives no finding; code that gets no work is reported as
 * TOO_COMPLEX. */
#include "verify/verifier.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *code;
    const char *text;
    uint8_t class;
} findings[ILPI_FIND_COUNT] = {
#define FINDING(name, class, code, clause, text) \
    [ILPI_FIND_##                                \
        name] = {code, clause[0] != '\0' ? text " (" clause ")" : text, ILP_FINDING_##class},
#include "verify/findings.def"
#undef FINDING
};

void *ilpi_verify_no_memory(struct ilpi_verifier *verifier, size_t size)
{
    verifier->status = ilpi_fail_memory(verifier->error, size);
    return NULL;
}

void *ilpi_verify_take(struct ilpi_verifier *verifier, size_t count, size_t size)
{
    void *memory = ilpi_arena_array(&verifier->arena, count, size);
    ilpi_pay_memory(verifier, count * size);
    return memory ? memory : ilpi_verify_no_memory(verifier, count * size);
}

/* A tree has at most as many nodes as the blob has bytes, so its memory is compared with the room
 * before it is read. The work is charged for invalid blobs, too. */
struct ilp_sig *ilpi_verify_sig(struct ilpi_verifier *verifier, struct ilp_bytes blob,
                                enum ilp_sig_kind kind, struct ilp_arena *arena)
{
    struct ilp_sig *sig;
    if (verifier->status != ILP_OK || !ilpi_spend_work(verifier, 1 + blob.size) ||
        !ilpi_has_room(verifier, blob.size * sizeof(struct ilp_type))) {
        return NULL;
    }
    ilp_status status = ilp_sig_read(&sig, blob, kind, 0, arena, NULL);
    if (ilp_status_class(status) == ILP_CLASS_MEMORY) {
        ilpi_verify_no_memory(verifier, blob.size);
    }
    return status == ILP_OK ? sig : NULL;
}

/* The sink may stop the verification: its status becomes that of the verifier. */
static void report(struct ilpi_verifier *verifier, enum ilpi_finding finding, ilp_token token,
                   uint32_t offset, const char *format, va_list arguments)
{
    struct ilp_verify_finding out = {
        .code = findings[finding].code,
        .text = findings[finding].text,
        .kind = (enum ilp_finding_class)findings[finding].class,
        .token = token,
        .offset = offset,
    };
    if (verifier->status != ILP_OK || (verifier->ignored >> findings[finding].class & 1) != 0) {
        return;
    }
    if (!ilpi_reports(verifier)) {
        return;
    }
    vsnprintf(out.message, sizeof out.message, format, arguments);
    verifier->status = verifier->sink->finding(verifier->sink->user, &out, verifier->error);
}

void ilpi_report(struct ilpi_verifier *verifier, enum ilpi_finding finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(verifier, finding, verifier->token, verifier->offset, format, arguments);
    va_end(arguments);
}

void ilpi_report_row(struct ilpi_verifier *verifier, enum ilpi_finding finding, unsigned table,
                     ilp_rid rid, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(verifier, finding, ILP_TOKEN(table, rid), ILPI_NO_IL_OFFSET, format, arguments);
    va_end(arguments);
}
