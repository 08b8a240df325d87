/* The strong-name signature of a written file (II.6.2.1.3): RSASSA-PKCS1-v1_5, least significant
 * byte first, over
 *
 *   DOS header to section table | contents of the sections in their order
 *
 * without the signature itself, and with zeros for checksum and Certificate Table, which are filled
 * in later. Slack after the section table and data after the last section are not signed. */
#include "pe/pe_plan.h"

/* The optional header with all its directories (II.25.2.3). With another size, signers and
 * verifiers disagree on what is between it and the section table. */
#define OPTIONAL_BYTES_PE32      224u
#define OPTIONAL_BYTES_PE32_PLUS 240u

struct file_span {
    uint64_t from;
    uint64_t end;
};

/* Headers, sections, and one more because the signature splits a section in two. */
struct spans {
    struct file_span span[ILPI_MAX_SECTIONS + 2];
    size_t count;
};

/* ---- what is signed ---- */

static void add_span(struct spans *spans, uint64_t from, uint64_t end)
{
    if (from < end) {
        spans->span[spans->count++] = (struct file_span){from, end};
    }
}

static void add_around(struct spans *spans, struct file_span all, struct file_span hole)
{
    if (hole.from < all.from || hole.end > all.end) {
        add_span(spans, all.from, all.end);
    } else {
        add_span(spans, all.from, hole.from);
        add_span(spans, hole.end, all.end);
    }
}

/* The signature is in one section or in none. Sections must be in the file in the order of their
 * headers, since signers hash them in the order of headers, and this one sees the bytes once, in
 * the order of the file. */
static ilp_status find_spans(struct spans *spans, const struct ilpi_pe_plan *plan,
                             struct file_span signature, struct ilp_error *error)
{
    const struct ilpi_pe *pe = plan->pe;
    unsigned sections = ilpi_load_u16(plan->headers + pe->coff_offset + ILPI_COFF_SECTION_COUNT);
    uint64_t end = pe->section_table_offset + (uint64_t)sections * ILPI_SECTION_HEADER_BYTES;
    spans->count = 0;
    if (ilpi_load_u16(plan->headers + pe->coff_offset + ILPI_COFF_OPTIONAL_SIZE) !=
        (pe->pe32_plus ? OPTIONAL_BYTES_PE32_PLUS : OPTIONAL_BYTES_PE32)) {
        return ilpi_fail(error, ILP_E_CANNOT_SIGN, pe->coff_offset + ILPI_COFF_OPTIONAL_SIZE, 0,
                         "a file whose optional header has an odd size cannot be signed");
    }
    add_span(spans, 0, end);
    for (unsigned i = 0; i < sections; i++) {
        const uint8_t *header = plan->headers + pe->section_table_offset +
                                (size_t)i * ILPI_SECTION_HEADER_BYTES;
        uint64_t from = ilpi_load_u32(header + ILPI_SECTION_RAW_OFFSET);
        uint32_t size = ilpi_load_u32(header + ILPI_SECTION_RAW_SIZE);
        if (size != 0 && from < end) {
            return ilpi_fail(
                error, ILP_E_CANNOT_SIGN, (uint64_t)(header - plan->headers), 0,
                "a file whose sections are not in the order of their contents cannot be signed");
        }
        if (size != 0) {
            end = from + size;
            add_around(spans, (struct file_span){from, end}, signature);
        }
    }
    return ILP_OK;
}

/* ---- the sink that hashes ---- */

struct hashing {
    struct ilpi_rsa_signer *signer;
    const struct file_span *span;
    const struct file_span *spans_end;
    uint64_t offset;
    struct ilp_error *error;
};

/* The sink gets the file in pieces of any size. `span` is the first one that does not end before
 * `start`; spans rise, so it only moves forward and each byte is compared once. */
static ilp_status hash(void *user, const void *bytes, size_t size)
{
    struct hashing *hashing = user;
    uint64_t start = hashing->offset;
    uint64_t end = start + size;
    hashing->offset = end;
    while (hashing->span < hashing->spans_end && hashing->span->from < end) {
        const struct file_span *span = hashing->span;
        uint64_t from = span->from > start ? span->from : start;
        uint64_t to = span->end < end ? span->end : end;
        ILPI_TRY(ilpi_rsa_signer_add(hashing->signer, (const uint8_t *)bytes + (from - start),
                                     (size_t)(to - from), hashing->error));
        if (span->end > end) {
            break;
        }
        hashing->span++;
    }
    return ILP_OK;
}

/* ---- the signature ---- */

static void reverse(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size / 2; i++) {
        uint8_t last = bytes[size - 1 - i];
        bytes[size - 1 - i] = bytes[i];
        bytes[i] = last;
    }
}

/* The signature is a number with its least significant byte first, unlike the result of the signer
 * (PKCS #1: most significant first). */
static ilp_status sign(struct ilpi_pe_plan *plan, const struct ilpi_strong_name *strong_name,
                       const struct ilpi_emission *emission, struct ilpi_rsa_signer *signer,
                       struct ilp_error *error)
{
    struct spans spans;
    uint64_t from = plan->signature_offset;
    ILPI_TRY(find_spans(&spans, plan, (struct file_span){from, from + strong_name->size}, error));
    struct hashing hashing = {.signer = signer,
                              .span = spans.span,
                              .spans_end = spans.span + spans.count,
                              .error = error};
    struct ilp_sink sink = {&hashing, hash};
    ILPI_TRY(emission->emit(emission->user, &sink, error));
    ILPI_TRY(ilpi_rsa_signer_sign(signer, plan->signature, error));
    reverse(plan->signature, strong_name->size);
    return ILP_OK;
}

ilp_status ilpi_pe_sign(struct ilpi_pe_plan *plan, const struct ilpi_strong_name *strong_name,
                        const struct ilpi_emission *emission, struct ilpi_alloc *alloc,
                        struct ilp_error *error)
{
    struct ilpi_rsa_signer *signer;
    ILPI_TRY(ilpi_rsa_signer_open(&signer, alloc, &strong_name->key.rsa, strong_name->hash, error));
    ilp_status status = sign(plan, strong_name, emission, signer, error);
    ilpi_rsa_signer_close(signer);
    return status;
}
