/* Findings that a changed image has and its original has not.
 *
 * Two findings are the same if they have the same code, are about the same row, and say the same,
 * but for numbers: offsets, RVAs and counts of locals are what a change moves. Rows keep their
 * tokens, unless their table is sorted (II.22); one that was added, but for a method's, is compared
 * with all of its table: a locals signature with one more local has the faults of the one that it
 * is made from. A finding that comes twice in one method is the same one: what is inserted works on
 * values that were there.
 *
 *   the changed image's findings  ->  a set      empty, as mostly: nothing is new
 *   the original's                ->  out of it  empty: nothing is new
 *   the changed image's, again    ->  told, if they are in it */
#include <string.h>

#include "base/hash.h"
#include "metadata/schema.h"
#include "verify/verifier.h"

/* Hashes of findings, by open addressing. */
struct finding_set {
    struct ilpi_alloc *alloc;
    const struct ilp_image *original;
    uint64_t *slots; /* 0: free */
    size_t capacity; /* a power of two, or 0 */
    size_t used;     /* slots, those of findings that were taken out as well */
    size_t count;    /* findings */
};

/* A finding that was taken out keeps its slot, so that others are found behind it. */
#define TAKEN_OUT 1u

/* ---- the same finding ---- */

static bool is_sorted(unsigned table)
{
    return table < ILP_TABLE_COUNT && ilpi_tables[table].key >= 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_of_a_name(char c)
{
    return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           strchr("_`!.$@/<>+", c) != NULL;
}

/* How many characters at `text` are a number: 12, 0x1A0, IL_001f; 0: none. */
static size_t number_length(const char *text)
{
    bool hexadecimal = strncmp(text, "0x", 2) == 0;
    bool label = strncmp(text, "IL_", 3) == 0;
    size_t at = hexadecimal ? 2 : 0;
    at = label ? 3 : at;
    const char *digits = at != 0 ? "0123456789abcdefABCDEF" : "0123456789";
    size_t length = strspn(text + at, digits);
    return length != 0 && (text[at + length] == '\0' || !is_of_a_name(text[at + length]))
               ? at + length
               : 0;
}

/* The message without its numbers; `to` has room for it. */
static size_t steady_text(const char *text, char *to)
{
    size_t size = 0;
    bool in_name = false;
    while (*text) {
        size_t number = in_name ? 0 : number_length(text);
        to[size++] = number != 0 ? '#' : *text;
        text += number != 0 ? number : 1;
        in_name = is_of_a_name(text[-1]);
    }
    return size;
}

/* `any_row`: whatever row of the table it is about. */
static uint64_t hash_with(const struct ilp_verify_finding *finding, bool any_row)
{
    char text[sizeof finding->message];
    uint64_t row = any_row ? ILP_TOKEN(ILP_TOKEN_TABLE(finding->token), 0) : finding->token;
    uint64_t hash = XXH3_64bits_withSeed(finding->code, strlen(finding->code), row);
    hash = XXH3_64bits_withSeed(text, steady_text(finding->message, text), hash);
    return hash > TAKEN_OUT ? hash : hash + TAKEN_OUT + 1;
}

static uint64_t hash_of(const struct finding_set *set, const struct ilp_verify_finding *finding)
{
    unsigned table = ILP_TOKEN_TABLE(finding->token);
    bool added = table != ILP_MethodDef &&
                 ILP_TOKEN_RID(finding->token) > ilp_row_count(set->original, table);
    return hash_with(finding, added || is_sorted(table));
}

/* ---- the set ---- */

/* The slot with this hash, or the free one where it would be. */
static uint64_t *slot_of(const struct finding_set *set, uint64_t hash)
{
    size_t at = (size_t)hash & (set->capacity - 1);
    while (set->slots[at] != hash && set->slots[at] != 0) {
        at = (at + 1) & (set->capacity - 1);
    }
    return &set->slots[at];
}

static ilp_status grow(struct finding_set *set, struct ilp_error *error)
{
    struct finding_set larger = {.alloc = set->alloc,
                                 .original = set->original,
                                 .capacity = set->capacity != 0 ? 2 * set->capacity : 64};
    larger.slots = ilpi_resize(set->alloc, NULL, 0, larger.capacity * sizeof *larger.slots);
    if (!larger.slots) {
        return ilpi_fail_memory(error, larger.capacity * sizeof *larger.slots);
    }
    memset(larger.slots, 0, larger.capacity * sizeof *larger.slots);
    for (size_t i = 0; i < set->capacity; i++) {
        if (set->slots[i] > TAKEN_OUT) {
            *slot_of(&larger, set->slots[i]) = set->slots[i];
        }
    }
    larger.used = set->count;
    larger.count = set->count;
    ilpi_resize(set->alloc, set->slots, set->capacity * sizeof *set->slots, 0);
    *set = larger;
    return ILP_OK;
}

static ilp_status put_in(void *user, const struct ilp_verify_finding *finding,
                         struct ilp_error *error)
{
    struct finding_set *set = user;
    uint64_t hash = hash_of(set, finding);
    if (4 * (set->used + 1) > 3 * set->capacity) {
        ILPI_TRY(grow(set, error));
    }
    uint64_t *slot = slot_of(set, hash);
    set->used += *slot == 0;
    set->count += *slot == 0;
    *slot = hash;
    return ILP_OK;
}

static bool is_in(const struct finding_set *set, uint64_t hash)
{
    return set->count != 0 && *slot_of(set, hash) == hash;
}

static ilp_status take_out(void *user, const struct ilp_verify_finding *finding,
                           struct ilp_error *error)
{
    struct finding_set *set = user;
    uint64_t hashes[] = {hash_with(finding, false), hash_with(finding, true)};
    (void)error;
    for (size_t i = 0; i < 2; i++) {
        if (is_in(set, hashes[i])) {
            *slot_of(set, hashes[i]) = TAKEN_OUT;
            set->count--;
        }
    }
    return ILP_OK;
}

struct telling {
    const struct finding_set *set;
    const struct ilp_findings_sink *sink;
};

static ilp_status tell_if_in(void *user, const struct ilp_verify_finding *finding,
                             struct ilp_error *error)
{
    const struct telling *telling = user;
    return is_in(telling->set, hash_of(telling->set, finding))
               ? telling->sink->finding(telling->sink->user, finding, error)
               : ILP_OK;
}

/* ---- both images ---- */

static ilp_status compare(struct finding_set *set, struct ilp_image *original,
                          struct ilp_image *changed, const struct ilp_resolver *resolver,
                          const struct ilp_findings_sink *sink,
                          const struct ilp_allocator *allocator, struct ilp_error *error)
{
    struct telling telling = {set, sink};
    struct ilp_findings_sink in = {set, NULL, put_in};
    struct ilp_findings_sink out = {set, NULL, take_out};
    struct ilp_findings_sink rest = {&telling, NULL, tell_if_in};
    ILPI_TRY(ilp_verify(changed, resolver, &in, allocator, error));
    if (set->count != 0) {
        ILPI_TRY(ilp_verify(original, resolver, &out, allocator, error));
    }
    return set->count != 0 ? ilp_verify(changed, resolver, &rest, allocator, error) : ILP_OK;
}

ilp_status ilp_verify_change(struct ilp_image *original, struct ilp_image *changed,
                             const struct ilp_resolver *resolver,
                             const struct ilp_findings_sink *sink,
                             const struct ilp_allocator *allocator, struct ilp_error *error)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, allocator);
    struct finding_set set = {.alloc = &alloc, .original = original};
    ilp_status status = compare(&set, original, changed, resolver, sink, allocator, error);
    ilpi_resize(&alloc, set.slots, set.capacity * sizeof *set.slots, 0);
    return status;
}
