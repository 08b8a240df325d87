/* The verifier: what its files share.
 *
 *   ilp_verify --> tables, rows, duplicates      cells, flags, order (II.22)
 *              \-> signatures                     (II.23.2)
 *              \-> body --> step_*                one method's code (III)
 *
 *   types: type.h; members: member.h; stack values: value.h
 *
 * Failures that end the work (memory, the sink) stick in `status`, so that checks need not return
 * them: loops test it. Faults of the image are findings, not failures. */
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

/* Work per image: this much per byte, plus a constant for small images. Compilers' assemblies take
 * three steps and two bytes of memory per byte. */
#define ILPI_VERIFY_WORK_TIMES   24u
#define ILPI_VERIFY_WORK         ((uint64_t)4 << 20)
#define ILPI_VERIFY_MEMORY_TIMES 2u
#define ILPI_VERIFY_MEMORY       ((uint64_t)4 << 20)

/* Memory for the code of one method, and for other short-lived data; plus half of the remaining
 * memory. */
#define ILPI_VERIFY_METHOD_MEMORY ((size_t)6 << 20)

/* The memory of the tables' entry for a type or definition. */
#define ILPI_VERIFY_ENTRY 48u

struct ilpi_types;
struct ilpi_members;

/* A run over one image. `status` ends it; findings do not. */
struct ilpi_verifier {
    struct ilpi_alloc alloc;
    struct ilp_arena arena;   /* as long as the verifier */
    struct ilp_arena scratch; /* trees of signatures that are being read */
    struct ilp_image *image;
    struct ilp_resolver resolver;         /* resolves the verified image's own name to it */
    const struct ilp_resolver *outer;     /* and all others by this one; may be NULL */
    const struct ilp_findings_sink *sink; /* borrowed; set by the owner after the opening */
    struct ilp_error *error;              /* borrowed; may be NULL */
    ilp_status status;
    ilp_token token; /* the row of the current finding */
    uint32_t offset; /* IL offset, or ILPI_NO_IL_OFFSET */
    bool quiet;      /* a first pass over code: findings are only counted */
    uint32_t hidden; /* count of those, and of changed types at joins */
    uint8_t ignored; /* a bit for each enum ilp_finding_class that is not reported */
    /* how many rows tables of an overlay may get while the verifier is open */
    uint32_t spare_rows;
    uint64_t work;                /* remaining */
    uint64_t memory;              /* remaining, for types and facts about rows */
    struct ilpi_types *types;     /* in the arena; NULL without memory, and then `status` is set */
    struct ilpi_members *members; /* the same */
};

/* Opens a verifier of the image; `resolver` may be NULL. Set `spare_rows` and `ignored` before.
 * Without memory the status says so. Close it in any case. */
void ilpi_verifier_open(struct ilpi_verifier *verifier, struct ilp_image *image,
                        const struct ilp_resolver *resolver, const struct ilp_allocator *allocator,
                        struct ilp_error *error);
void ilpi_verifier_close(struct ilpi_verifier *verifier);

/* The length of arrays indexed by the rows of a table, including spare rows and row 0. */
static inline size_t ilpi_verifier_rows(const struct ilpi_verifier *verifier, unsigned table)
{
    return (size_t)verifier->image->tables[table].count + verifier->spare_rows + 1;
}

/* Reports a finding about verifier->token and ->offset; the details are one line. */
void ilpi_report(struct ilpi_verifier *verifier, enum ilpi_finding finding, const char *format, ...)
    ILPI_PRINTF(3, 4);

/* Whether a finding would be reported now, for details that are costly to format. */
static inline bool ilpi_reports(struct ilpi_verifier *verifier)
{
    verifier->hidden += verifier->quiet;
    return !verifier->quiet;
}

/* Reports a finding about a row. */
void ilpi_report_row(struct ilpi_verifier *verifier, enum ilpi_finding finding, unsigned table,
                     ilp_rid rid, const char *format, ...) ILPI_PRINTF(5, 6);

/* Records a failed allocation; returns NULL. */
void *ilpi_verify_no_memory(struct ilpi_verifier *verifier, size_t size);

/* Zeroed memory of the verifier's arena, charged to its budget; NULL and a status without
 * memory. */
void *ilpi_verify_take(struct ilpi_verifier *verifier, size_t count, size_t size);

/* Reads a signature into `arena`, charged to the budget; NULL if it is invalid, too costly, or
 * memory ends, which sticks. */
struct ilp_sig *ilpi_verify_sig(struct ilpi_verifier *verifier, struct ilp_bytes blob,
                                enum ilp_sig_kind kind, struct ilp_arena *arena);

/* Whether the remaining memory covers this. What does not get memory is unknown. */
static inline bool ilpi_can_keep(const struct ilpi_verifier *verifier, size_t size)
{
    return size <= verifier->memory;
}

static inline void ilpi_pay_memory(struct ilpi_verifier *verifier, size_t size)
{
    verifier->memory -= size < verifier->memory ? size : verifier->memory;
}

/* Whether there is room for short-lived data before more is kept. */
static inline bool ilpi_has_room(const struct ilpi_verifier *verifier, size_t size)
{
    return size <= ILPI_VERIFY_METHOD_MEMORY + verifier->memory / 2;
}

/* False if the remaining work does not cover that much. */
static inline bool ilpi_spend_work(struct ilpi_verifier *verifier, uint64_t steps)
{
    if (verifier->work < steps) {
        verifier->work = 0;
        return false;
    }
    verifier->work -= steps;
    return true;
}

/* Equal for two findings that only differ in numbers of their messages, such as offsets. `any_row`:
 * for any row of the table. Never 0. */
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
