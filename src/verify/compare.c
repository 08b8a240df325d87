/* Findings that a changed image has and its original does not.
 *
 * Two findings are the same if they have the same code, row and message, except for numbers: a
 * change moves offsets, RVAs and counts of locals. Rows keep their tokens, unless their table is
 * sorted (II.22); an added row, except a method's, is compared with all of its table: a locals
 * signature with one more local has the faults of the one that it is made from. Repeated findings
 * in one method count once: inserted code works on existing values.
 *
 * If a method returns an object as another type, the inserted code boxes it as that type. If only a
 * class can be that type, box has no effect (III.4.1), and the finding is the same.
 *
 *   the changed image's findings  ->  a set      mostly empty: nothing is new
 *   the original's                ->  removed      empty: nothing is new
 *   the changed image's, again    ->  reported if in the set */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"
#include "base/map.h"
#include "metadata/flags.h"
#include "metadata/schema.h"
#include "sig/sig.h"
#include "verify/frame.h"

struct finding_set {
    struct ilpi_alloc *alloc;
    const struct ilp_image *original;
    ILPI_LIST(uint64_t) hashes; /* of findings; TAKEN_OUT: removed */
    struct ilpi_map places;     /* 1 + index of `hashes`, by these */
    size_t count;               /* findings left */
};

#define TAKEN_OUT 0u

/* ---- the same finding ---- */

/* A row that is added to such a table moves others, so findings about it are compared without the
 * row. */
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

/* The length of the number at `text`: 12, 0x1A0, IL_001f; 0: none. */
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

/* The message without its numbers; `to` has room for it: each number becomes one '#', so the text
 * gets no longer. Digits inside names are kept: List`1 and List`2 are two types. */
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

uint64_t ilpi_finding_hash(const struct ilp_verify_finding *finding, bool any_row)
{
    char text[sizeof finding->message];
    uint64_t row = any_row ? ILP_TOKEN(ILP_TOKEN_TABLE(finding->token), 0) : finding->token;
    uint64_t hash = XXH3_64bits_withSeed(finding->code, strlen(finding->code), row);
    hash = XXH3_64bits_withSeed(text, steady_text(finding->message, text), hash);
    return hash != TAKEN_OUT ? hash : hash + 1;
}

/* Of a finding of the changed image: added rows and rows of sorted tables count as any row. */
static uint64_t hash_of(const struct finding_set *set, const struct ilp_verify_finding *finding)
{
    unsigned table = ILP_TOKEN_TABLE(finding->token);
    bool added = table != ILP_MethodDef &&
                 ILP_TOKEN_RID(finding->token) > ilp_row_count(set->original, table);
    return ilpi_finding_hash(finding, added || is_sorted(table));
}

/* ---- the set ---- */

/* Hashes stay in the list when they are taken out, as TAKEN_OUT: the map stores their indexes and
 * never frees a slot. ilpi_finding_hash() does not return that value. NULL: not in the set. */
static uint64_t *find(const struct finding_set *set, uint64_t hash)
{
    struct ilpi_map_search search = ilpi_map_find(&set->places, hash);
    for (uint32_t place; (place = ilpi_map_next(&search)) != 0;) {
        if (set->hashes.items[place - 1] == hash) {
            return &set->hashes.items[place - 1];
        }
    }
    return NULL;
}

/* A set: equal findings are in it once. */
static ilp_status put_in(void *user, const struct ilp_verify_finding *finding,
                         struct ilp_error *error)
{
    struct finding_set *set = user;
    uint64_t hash = hash_of(set, finding);
    if (find(set, hash)) {
        return ILP_OK;
    }
    ILPI_TRY(ILPI_LIST_ADD(set->alloc, &set->hashes, hash, error));
    set->count++;
    return ilpi_map_add(&set->places, set->alloc, hash, (uint32_t)set->hashes.count, error);
}

/* Whether a method returns a generic parameter that is constrained to be a class (II.23.1.7). */
static ilp_status returns_class_parameter(const struct finding_set *set, ilp_token method,
                                          bool *answer, struct ilp_error *error)
{
    const struct ilp_image *image = set->original;
    ilp_rid rid = ILP_TOKEN_RID(method);
    struct ilp_arena arena = {.alloc = set->alloc};
    struct ilp_bytes blob = ilp_blob(image,
                                     ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Signature));
    struct ilp_sig *sig;
    ilp_status status = ilpi_sig_read_valid(&sig, blob, ILP_SIG_METHOD, &arena, error);
    *answer = false;
    if (status == ILP_OK && sig) {
        const struct ilp_type *type = ilpi_type_unmodified(sig->ret);
        ilp_token owner = type->element == ILP_ELEMENT_MVAR
                              ? method
                              : ILP_TOKEN(ILP_TypeDef, ilp_owner_of_method(image, rid));
        ilp_rid parameter = type->element == ILP_ELEMENT_MVAR || type->element == ILP_ELEMENT_VAR
                                ? ilpi_find_generic_param(image, owner, type->number)
                                : 0;
        *answer = parameter != 0 &&
                  (ilp_cell(image, ILP_GenericParam, parameter, ILP_GenericParam_Flags) &
                   ILPI_GENERIC_PARAM_REFERENCE_TYPE) != 0;
    }
    ilpi_arena_free(&arena);
    return status;
}

/* Converts the finding of a returned object to that of its box; *boxed is `finding` if there is
 * none. */
static ilp_status finding_of_box(const struct finding_set *set,
                                 const struct ilp_verify_finding *finding,
                                 struct ilp_verify_finding *boxed, struct ilp_error *error)
{
    static const char object[] = ILPI_WHAT_IS_RETURNED ": object where ";
    size_t size = strlen(ILPI_WHAT_IS_RETURNED);
    bool changes_nothing = false;
    *boxed = *finding;
    if (strcmp(finding->code, "type-mismatch") == 0 &&
        strncmp(finding->message, object, sizeof object - 1) == 0) {
        ILPI_TRY(returns_class_parameter(set, finding->token, &changes_nothing, error));
    }
    if (changes_nothing) {
        snprintf(boxed->message, sizeof boxed->message, "%s%s", ILPI_WHAT_IS_BOXED,
                 finding->message + size);
    }
    return ILP_OK;
}

/* Three forms, since put_in() chose the form by what it knew about the changed image's row. */
static ilp_status take_out(void *user, const struct ilp_verify_finding *finding,
                           struct ilp_error *error)
{
    struct finding_set *set = user;
    struct ilp_verify_finding boxed;
    ILPI_TRY(finding_of_box(set, finding, &boxed, error));
    uint64_t hashes[] = {ilpi_finding_hash(finding, false), ilpi_finding_hash(finding, true),
                         ilpi_finding_hash(&boxed, false)};
    for (size_t i = 0; i < sizeof hashes / sizeof hashes[0]; i++) {
        uint64_t *found = find(set, hashes[i]);
        if (found) {
            *found = TAKEN_OUT;
            set->count--;
        }
    }
    return ILP_OK;
}

/* A sink that passes on what is in a set. */
struct subset {
    const struct finding_set *set;
    const struct ilp_findings_sink *sink;
};

static ilp_status report_if_in(void *user, const struct ilp_verify_finding *finding,
                               struct ilp_error *error)
{
    const struct subset *subset = user;
    return find(subset->set, hash_of(subset->set, finding))
               ? subset->sink->finding(subset->sink->user, finding, error)
               : ILP_OK;
}

/* ---- both images ---- */

/* The changed image is verified first: mostly its findings are none, and one pass is enough. */
static ilp_status compare(struct finding_set *set, struct ilp_image *original,
                          struct ilp_image *changed, const struct ilp_resolver *resolver,
                          const struct ilp_findings_sink *sink,
                          const struct ilp_allocator *allocator, struct ilp_error *error)
{
    struct subset subset = {set, sink};
    struct ilp_findings_sink in = {set, NULL, put_in};
    struct ilp_findings_sink out = {set, NULL, take_out};
    struct ilp_findings_sink rest = {&subset, NULL, report_if_in};
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
    ILPI_TRY(ILPI_CHECK_RESERVED(resolver, error));
    ilpi_alloc_init(&alloc, allocator);
    struct finding_set set = {.alloc = &alloc, .original = original};
    ilp_status status = compare(&set, original, changed, resolver, sink, allocator, error);
    ilpi_map_free(&set.places, &alloc);
    ILPI_LIST_FREE(&alloc, &set.hashes);
    return status;
}
