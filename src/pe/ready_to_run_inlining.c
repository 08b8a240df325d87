/* Which methods have native code that inlined which others (readytorun-format.md): from section
 * INLINING_INFO2, or, since version 6.2 of the format, CROSS_MODULE_INLINE_INFO, which encodes the
 * same in other numbers.
 *
 * Each is a hash table in the format's NativeFormat. It is read from bucket to bucket, without
 * look-ups:
 *
 *   header    bits 0-1 size of a bucket's offset, bits 2-7 logarithm of the number of buckets
 *   offsets   of the buckets, and the end of the last one, from the end of the header
 *   buckets   entries of a byte of the hash and the entry's offset, relative to this number
 *   entry     count of the numbers that follow; the inlined method; its inliners, each as the
 *             difference to the previous one
 *
 * Methods are MethodDef rows, shifted left by flags. In those of other modules, the module's number
 * follows. */
#include "pe/ready_to_run.h"

#define LARGEST_OFFSETS 2u

/* Flags of an inlined method in CROSS_MODULE_INLINE_INFO. */
enum {
    /* by IL of another module: it is an index into a table of imports */
    INLINED_IS_IMPORTED = 1,
    INLINERS_OF_OTHERS = 2 /* inliners of other modules precede, with a count */
};

/* The outcome, grouped by inliner: inlined[starts[i + 1]] to inlined[starts[i + 2]] are the methods
 * that the code of MethodDef i has inlined. The file is grouped by the inlined method, so all pairs
 * are read twice: to count, and to store. */
struct ilp_inlining {
    struct ilpi_alloc alloc;
    struct ilp_arena arena;
    ilp_rid rows;     /* MethodDef rows */
    uint32_t *starts; /* per row: where its part of `inlined` begins; one more for the end */
    ilp_rid *inlined;
};

/* The action for each pair: the first pass counts, the second stores. */
struct pairs {
    struct ilp_inlining *inlining;
    enum ilpi_r2r_section type;
    bool modules; /* methods carry a flag for this or another module */
    /* each takes at least one byte of the section; more pairs than that mean overlapping entries */
    size_t left;
    bool keep;
};

/* A number: the count of trailing 1 bits gives the number of further bytes; signed ones are
 * sign-extended.
 *
 *   xxxxxxx0                                7 bits
 *   xxxxxx01 xxxxxxxx                      14 bits
 *   xxxxx011 xxxxxxxx xxxxxxxx             21 bits
 *   xxxx0111 and three bytes               28 bits
 *   xxxx1111 and four bytes                32 bits, those of the four bytes */
static uint32_t read_number(struct ilpi_cursor *at, bool is_signed)
{
    uint32_t first = ilpi_read_u8(at);
    unsigned more = 0;
    while (more < 4 && (first >> more & 1) != 0) {
        more++;
    }
    if (more == 4) {
        return ilpi_read_u32(at);
    }
    uint32_t value = first;
    for (unsigned i = 1; i <= more; i++) {
        value |= (uint32_t)ilpi_read_u8(at) << 8 * i;
    }
    unsigned unused = 32 - 8 * (more + 1);
    value <<= unused;
    unsigned shift = unused + more + 1;
    bool negative = is_signed && (value & 0x80000000u) != 0;
    return value >> shift | (negative ? ~(UINT32_MAX >> shift) : 0);
}

/* `left` is common to all entries of a pass: an entry can be reached from many buckets, and without
 * the limit overlapping entries could give quadratically many pairs. */
static ilp_status take_pair(struct pairs *pairs, ilp_rid inliner, ilp_rid inlined,
                            struct ilpi_cursor *at)
{
    struct ilp_inlining *inlining = pairs->inlining;
    if (pairs->left-- == 0) {
        return ilpi_cursor_fail(at, ILP_E_BAD_PE, "its entries overlap");
    }
    if (inliner == 0 || inliner > inlining->rows || inlined > inlining->rows) {
        return ilpi_cursor_fail(at, ILP_E_BAD_PE, "it refers to a method that does not exist");
    }
    if (pairs->keep) {
        inlining->inlined[--inlining->starts[inliner + 1]] = inlined;
    } else {
        inlining->starts[inliner + 1]++;
    }
    return ILP_OK;
}

/* The next number of an entry; `left` counts those that remain. */
static uint32_t next(struct ilpi_cursor *at, uint32_t *left)
{
    if (*left == 0) {
        ilpi_cursor_fail(at, ILP_E_BAD_PE, "an entry ends too early");
        return 0;
    }
    *left -= 1;
    return read_number(at, false);
}

/* The inlined method, or 0 for one of another module. */
static ilp_rid read_inlined(const struct pairs *pairs, struct ilpi_cursor *at, uint32_t *left)
{
    uint32_t number = next(at, left);
    if (pairs->type == ILPI_R2R_INLINING_INFO2) {
        if ((number & 1) == 0) {
            return number >> 1;
        }
        next(at, left);
        return 0;
    }
    uint32_t module = pairs->modules && (number & INLINED_IS_IMPORTED) == 0 ? next(at, left) : 0;
    if ((number & INLINERS_OF_OTHERS) != 0) {
        for (uint32_t others = next(at, left); others != 0 && at->status == ILP_OK; others--) {
            next(at, left);
        }
    }
    return module != 0 || (number & INLINED_IS_IMPORTED) != 0 ? 0 : number >> 2;
}

/* Inliners are differences that add up; with the flag of another module its index follows. A wrong
 * sum is found by take_pair(). */
static ilp_status read_entry(struct pairs *pairs, struct ilpi_cursor *at)
{
    uint32_t left = read_number(at, false);
    ilp_rid inlined = left != 0 ? read_inlined(pairs, at, &left) : 0;
    ilp_rid inliner = 0;
    while (left != 0 && at->status == ILP_OK) {
        uint32_t distance = next(at, &left);
        bool foreign = pairs->modules && (distance & 1) != 0;
        inliner += pairs->modules ? distance >> 1 : distance;
        uint32_t module = foreign ? next(at, &left) : 0;
        if (at->status == ILP_OK && inlined != 0 && module == 0) {
            ILPI_TRY(take_pair(pairs, inliner, inlined, at));
        }
    }
    return at->status;
}

static uint32_t read_offset(struct ilpi_cursor *at, unsigned size)
{
    switch (size) {
    case 0: return ilpi_read_u8(at);
    case 1: return ilpi_read_u16(at);
    default: return ilpi_read_u32(at);
    }
}

/* A cursor at an offset of the section. */
static struct ilpi_cursor cursor_at(const struct ilpi_cursor *section, size_t place)
{
    struct ilpi_cursor at = *section;
    at.at = at.start;
    ilpi_skip(&at, place);
    return at;
}

/* The offset is relative to itself and may be negative: the sum wraps in 32 bits, and cursor_at()
 * refuses one that is outside of the section. */
static ilp_status read_bucket(struct pairs *pairs, const struct ilpi_cursor *section, size_t start,
                              size_t end)
{
    struct ilpi_cursor at = cursor_at(section, start);
    while (at.status == ILP_OK && (size_t)(at.at - at.start) < end) {
        ilpi_read_u8(&at); /* of the hash */
        size_t here = (size_t)(at.at - at.start);
        struct ilpi_cursor entry = cursor_at(section,
                                             (size_t)(uint32_t)(here + read_number(&at, true)));
        ILPI_TRY(at.status);
        ILPI_TRY(read_entry(pairs, &entry));
    }
    return at.status;
}

/* Buckets are read in their order: each begins where the last one ends, so each offset is read
 * once. */
static ilp_status read_table(struct pairs *pairs, const struct ilpi_cursor *section)
{
    struct ilpi_cursor at = *section;
    unsigned header = ilpi_read_u8(&at);
    unsigned size = header & 3;
    uint32_t buckets = header >> 2 < 32 ? 1u << (header >> 2) : 0;
    if (at.status == ILP_OK &&
        (size > LARGEST_OFFSETS || buckets == 0 || buckets > ilpi_cursor_left(&at))) {
        return ilpi_cursor_fail(&at, ILP_E_BAD_PE, "it has no room for its buckets");
    }
    uint32_t start = read_offset(&at, size);
    for (; buckets != 0 && at.status == ILP_OK; buckets--) {
        uint32_t end = read_offset(&at, size);
        ILPI_TRY(at.status);
        ILPI_TRY(read_bucket(pairs, section, (size_t)start + 1, (size_t)end + 1));
        start = end;
    }
    return at.status;
}

/* Counts, then turns the counts into ends of parts; the second pass moves each end down to the
 * start of its part.
 *
 *   starts[rid + 1]   pass 1: number of methods that rid inlined
 *                     sums:   end of rid's part
 *                     pass 2: decreased before each store; at last the start, so that the end
 *                             of the part is the next one's start */
static ilp_status read_pairs(struct ilp_inlining *inlining, struct pairs pairs,
                             const struct ilpi_cursor *section, struct ilp_error *error)
{
    uint32_t count = 0;
    struct pairs again = pairs;
    ILPI_TRY(read_table(&pairs, section));
    for (ilp_rid rid = 0; rid <= inlining->rows; rid++) {
        count += inlining->starts[rid + 1];
        inlining->starts[rid + 1] = count;
    }
    inlining->starts[inlining->rows + 2] = count;
    inlining->inlined = ilpi_arena_array(&inlining->arena, (size_t)count + 1,
                                         sizeof *inlining->inlined);
    if (!inlining->inlined) {
        return ilpi_fail_memory(error, count * sizeof *inlining->inlined);
    }
    again.keep = true;
    return read_table(&again, section);
}

/* The newer section first: a file with both has the same pairs in it. */
static ilp_status read_section(struct ilp_inlining *inlining, const struct ilpi_pe *pe,
                               struct ilp_error *error)
{
    static const enum ilpi_r2r_section types[] = {ILPI_R2R_CROSS_MODULE_INLINE_INFO,
                                                  ILPI_R2R_INLINING_INFO2};
    struct ilp_ready_to_run r2r;
    size_t room = (size_t)inlining->rows + 3;
    inlining->starts = ilpi_arena_array(&inlining->arena, room, sizeof *inlining->starts);
    if (!inlining->starts) {
        return ilpi_fail_memory(error, room * sizeof *inlining->starts);
    }
    if (pe->managed_native_header.rva == 0) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_r2r_read(pe, &r2r, error));
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        uint64_t offset = 0;
        struct ilp_bytes bytes = ilpi_r2r_section_bytes(pe, types[i], &offset);
        struct ilpi_cursor section = ilpi_cursor_over(bytes, offset, "table of inlined methods",
                                                      error);
        struct pairs pairs = {.inlining = inlining,
                              .type = types[i],
                              .modules = types[i] == ILPI_R2R_INLINING_INFO2 ||
                                         (r2r.flags & ILPI_R2R_MULTIMODULE_VERSION_BUBBLE) != 0,
                              .left = bytes.size};
        if (bytes.size != 0) {
            return read_pairs(inlining, pairs, &section, error);
        }
    }
    return ILP_OK;
}

/* `methods` bounds the rids that the section may have. */
ilp_status ilpi_inlining_open(struct ilp_inlining **out, const struct ilpi_pe *pe, ilp_rid methods,
                              const struct ilp_allocator *allocator, struct ilp_error *error)
{
    *out = NULL;
    struct ilp_inlining *inlining = ilpi_object_open(sizeof *inlining, allocator, error);
    if (!inlining) {
        return ILP_E_NO_MEMORY;
    }
    inlining->arena.alloc = &inlining->alloc;
    inlining->rows = methods;
    ilp_status status = read_section(inlining, pe, error);
    if (status != ILP_OK) {
        ilp_inlining_close(inlining);
        return status;
    }
    *out = inlining;
    return ILP_OK;
}

void ilp_inlining_close(struct ilp_inlining *inlining)
{
    if (!inlining) {
        return;
    }
    ilpi_arena_free(&inlining->arena);
    ilpi_object_close(&inlining->alloc, sizeof *inlining);
}

const ilp_rid *ilp_inlined(const struct ilp_inlining *inlining, ilp_rid inliner, size_t *count)
{
    bool known = inliner != 0 && inliner <= inlining->rows && inlining->inlined;
    uint32_t start = known ? inlining->starts[inliner + 1] : 0;
    uint32_t end = known ? inlining->starts[inliner + 2] : 0;
    *count = end - start;
    return known ? inlining->inlined + start : NULL;
}
