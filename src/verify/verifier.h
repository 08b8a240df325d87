/* The verifier: what its files share.
 *
 *   ilp_verify --> tables, rows, duplicates      cells, flags, order (II.22)
 *              \-> signatures                     (II.23.2)
 *              \-> body --> step_*                one method's code (III)
 *
 *   what types are: type.h; what tokens mean: member.h; what lies on the stack: value.h
 *
 * Failures that end the work (memory, the sink) stick in `status`, so that checks need not pass
 * them on: whoever loops asks for it. What is wrong with the image is no failure, but a finding. */
#ifndef ILPI_VERIFIER_H
#define ILPI_VERIFIER_H

#include "metadata/resolve.h"

enum ilpi_finding {
#define FINDING(name, class, code, clause, text) ILPI_FIND_##name,
#include "verify/findings.def"
#undef FINDING
    ILPI_FIND_COUNT
};

#define ILPI_NO_IL_OFFSET UINT32_MAX

/* What is spent on an image: so much for each of its bytes, and something for small ones.
 * Compilers' assemblies take three steps and two bytes of memory for each. */
#define ILPI_VERIFY_WORK_TIMES   24u
#define ILPI_VERIFY_WORK         ((uint64_t)4 << 20)
#define ILPI_VERIFY_MEMORY_TIMES 2u
#define ILPI_VERIFY_MEMORY       ((uint64_t)4 << 20)

/* For the code of one method, and for whatever else is given back soon; and half of what is left of
 * the other. */
#define ILPI_VERIFY_METHOD_MEMORY ((size_t)6 << 20)

/* What the tables take for a type or a definition that is in them. */
#define ILPI_VERIFY_ENTRY 48u

struct ilpi_types;
struct ilpi_members;

struct ilpi_verifier {
    struct ilpi_alloc alloc;
    struct ilp_arena arena;   /* as long as the verifier */
    struct ilp_arena scratch; /* trees of signatures that are being read */
    struct ilp_image *image;
    struct ilp_resolver resolver;     /* finds the image in work under its own name, */
    const struct ilp_resolver *outer; /* and all others by this one; may be NULL */
    const struct ilp_findings_sink *sink;
    struct ilp_error *error;
    ilp_status status;
    ilp_token token; /* the row that findings are about */
    uint32_t offset; /* in its code, or ILPI_NO_IL_OFFSET */
    bool quiet;      /* a first pass over code: what is found is found again, */
    uint32_t hidden; /* if it is anything: so much was found, or has changed types at a join */
    uint8_t ignored; /* a bit for each enum ilp_finding_class that is not reported */
    /* tables of an overlay may get so many rows more while the verifier is open */
    uint32_t spare_rows;
    uint64_t work;   /* left */
    uint64_t memory; /* left for types and for what is known of rows */
    struct ilpi_types *types;
    struct ilpi_members *members;
};

/* Of the image; `resolver` may be NULL. Fields that the caller sets before are `spare_rows` and
 * `ignored`. Without memory the status says so. To be closed in any case. */
void ilpi_verifier_open(struct ilpi_verifier *verifier, struct ilp_image *image,
                        const struct ilp_resolver *resolver, const struct ilp_allocator *allocator,
                        struct ilp_error *error);
void ilpi_verifier_close(struct ilpi_verifier *verifier);

/* The rows of a table that there is room for, and one more: of arrays by row. */
static inline size_t ilpi_verifier_rows(const struct ilpi_verifier *verifier, unsigned table)
{
    return (size_t)verifier->image->tables[table].count + verifier->spare_rows + 1;
}

/* Tells of a finding about verifier->token and ->offset; the details are one line. */
void ilpi_report(struct ilpi_verifier *verifier, enum ilpi_finding finding, const char *format, ...)
    ILPI_PRINTF(3, 4);

/* Whether a finding would be reported now, for those whose details cost something to say. */
static inline bool ilpi_reports(struct ilpi_verifier *verifier)
{
    verifier->hidden += verifier->quiet;
    return !verifier->quiet;
}

/* The same about a row. */
void ilpi_report_row(struct ilpi_verifier *verifier, enum ilpi_finding finding, unsigned table,
                     ilp_rid rid, const char *format, ...) ILPI_PRINTF(5, 6);

/* Records a failed allocation; returns NULL. */
void *ilpi_verify_no_memory(struct ilpi_verifier *verifier, size_t size);

/* Zeroed memory of the verifier's arena, paid for; NULL and a status when there is none. */
void *ilpi_verify_take(struct ilpi_verifier *verifier, size_t count, size_t size);

/* Reads a signature into `arena` and pays for it; NULL when it is not valid, costs too much, or
 * memory ends, which sticks. */
struct ilp_sig *ilpi_verify_sig(struct ilpi_verifier *verifier, struct ilp_bytes blob,
                                enum ilp_sig_kind kind, struct ilp_arena *arena);

/* Whether what is left covers memory to be kept. What does not get it is unknown. */
static inline bool ilpi_can_keep(const struct ilpi_verifier *verifier, size_t size)
{
    return size <= verifier->memory;
}

static inline void ilpi_pay_memory(struct ilpi_verifier *verifier, size_t size)
{
    verifier->memory -= size < verifier->memory ? size : verifier->memory;
}

/* Whether there is room for what is given back before anything else is kept. */
static inline bool ilpi_has_room(const struct ilpi_verifier *verifier, size_t size)
{
    return size <= ILPI_VERIFY_METHOD_MEMORY + verifier->memory / 2;
}

/* False when the work that is left does not cover so much more. */
static inline bool ilpi_spend_work(struct ilpi_verifier *verifier, uint64_t steps)
{
    if (verifier->work < steps) {
        verifier->work = 0;
        return false;
    }
    verifier->work -= steps;
    return true;
}

/* Equal for two findings that are the same but for numbers in their messages, such as offsets.
 * `any_row`: whatever row of the table they are about. Never 0. */
uint64_t ilpi_finding_hash(const struct ilp_verify_finding *finding, bool any_row);

void ilpi_verify_tables(struct ilpi_verifier *verifier);
void ilpi_verify_rows(struct ilpi_verifier *verifier);
void ilpi_verify_types(struct ilpi_verifier *verifier);
void ilpi_verify_members(struct ilpi_verifier *verifier);
void ilpi_verify_duplicates(struct ilpi_verifier *verifier);
void ilpi_verify_overlaps(struct ilpi_verifier *verifier);
void ilpi_verify_signatures(struct ilpi_verifier *verifier);
void ilpi_verify_bodies(struct ilpi_verifier *verifier);

#endif
