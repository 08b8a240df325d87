/* Compares a new body with the old one. Usually it can be proved that the new one is the old one
 * with sequences inserted (same_code.h) that are correct in their places (sequences.h): then it has
 * no finding if the old one has none. Otherwise both are verified as in compare.c: findings of the
 * new body, mostly none, minus those of the old one are new.
 *
 *   is_proved ------------------------------------------------> right
 *     \ no
 *      verify new: put_in  --> no finding --------------------> right
 *        \ some
 *         verify old: take_out --> all taken out -------------> right
 *           \ some are left
 *            verify new again: keep_first --> wrong, with the first finding that is new
 *
 * An old body that returns a wrong type is the one case in which the two methods may differ, since
 * finding that needs all of the code. See body_check.h. */
#include "verify/body_check.h"

#include "verify/frame.h"
#include "verify/sequences.h"
#include "verify/type.h"

/* Bodies with more different findings are not compared: the new one is rejected. */
#define MAX_FINDINGS 64u

/* How many rows an overlay may get before cached facts about its members are dropped. Few are
 * added: types that methods return, calls of inspectors. */
#define SPARE_ROWS 1024u

/* Below this the verifier is opened again, and what it knows of types and members is lost. */
#define LEAST_MEMORY ((uint64_t)1 << 20)

/* The memory kept for the next body. */
#define MOST_KEPT ((size_t)1 << 20)

struct ilpi_body_check {
    struct ilpi_alloc alloc; /* memory of this object */
    struct ilpi_overlay *overlay;
    const struct ilp_resolver *resolver;
    bool is_open; /* whether the next two are open */
    struct ilpi_verifier verifier;
    struct ilpi_frame frame;
    uint32_t rows[ILP_TABLE_COUNT]; /* arrays by row have room for that many */
    struct ilp_arena arena;         /* bodies that are read */
    struct ilpi_same_code same;
    struct ilpi_sequences sequences;
    uint64_t whole; /* bodies that were not proved */

    /* of the current method: */
    bool surely;
    uint64_t hashes[MAX_FINDINGS]; /* different findings of the new body, less those of the old */
    size_t count;
    bool too_many;                    /* findings beyond MAX_FINDINGS; of a part: any finding */
    struct ilp_verify_finding *first; /* the first new one, if any */
};

/* ---- findings ---- */

/* A type that was not found is no evidence against a body, unless the caller wants it `surely`. */
static bool counts(const struct ilpi_body_check *check, const struct ilp_verify_finding *finding)
{
    return check->surely || finding->kind != ILP_FINDING_UNKNOWN ||
           strcmp(finding->code, "unresolved-type") != 0;
}

/* Linear: there are at most MAX_FINDINGS. */
static size_t place_of(const struct ilpi_body_check *check, uint64_t hash)
{
    size_t place = 0;
    while (place < check->count && check->hashes[place] != hash) {
        place++;
    }
    return place;
}

/* Findings are compared by hash: their offsets differ between the bodies, and the hash leaves out
 * numbers. */
static ilp_status put_in(void *user, const struct ilp_verify_finding *finding,
                         struct ilp_error *error)
{
    struct ilpi_body_check *check = user;
    uint64_t hash = ilpi_finding_hash(finding, false);
    (void)error;
    if (!counts(check, finding) || place_of(check, hash) < check->count) {
        return ILP_OK;
    }
    if (check->count == 0) {
        *check->first = *finding;
    }
    check->too_many = check->count == MAX_FINDINGS;
    if (!check->too_many) {
        check->hashes[check->count++] = hash;
    }
    return ILP_OK;
}

/* Each old finding takes one equal new one out. The last entry fills the gap: the order is of no
 * use. */
static ilp_status take_out(void *user, const struct ilp_verify_finding *finding,
                           struct ilp_error *error)
{
    struct ilpi_body_check *check = user;
    size_t place = place_of(check, ilpi_finding_hash(finding, false));
    (void)error;
    if (place < check->count) {
        check->hashes[place] = check->hashes[--check->count];
    }
    return ILP_OK;
}

/* The first of those that are left is what the message has; the others are not needed. */
static ilp_status keep_first(void *user, const struct ilp_verify_finding *finding,
                             struct ilp_error *error)
{
    struct ilpi_body_check *check = user;
    size_t place = place_of(check, ilpi_finding_hash(finding, false));
    (void)error;
    if (place < check->count) {
        *check->first = *finding;
        check->count = 0;
    }
    return ILP_OK;
}

/* ---- verifying ---- */

static void close_verifier(struct ilpi_body_check *check)
{
    if (check->is_open) {
        ilpi_frame_close(&check->frame);
        ilpi_verifier_close(&check->verifier);
        check->is_open = false;
    }
}

/* Arrays by row were made for that many rows (ilpi_verifier_rows()), and the overlay has grown
 * since then. A low budget would make types unknown, so the verifier starts again with a full
 * one. */
static bool has_room(const struct ilpi_body_check *check)
{
    bool room = check->verifier.memory >= LEAST_MEMORY;
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        room = room && check->overlay->view.tables[table].count <= check->rows[table];
    }
    return room;
}

/* Opens the verifier on the overlay's view with spare rows, so that facts about rows that
 * inspectors add later can be cached too. `rows` has how many fit; has_room() compares it with the
 * view. */
static void open_verifier(struct ilpi_body_check *check, struct ilp_error *error)
{
    struct ilp_image *view = &check->overlay->view;
    check->verifier.spare_rows = SPARE_ROWS;
    check->verifier.ignored = 1u << ILP_FINDING_UNVERIFIABLE;
    ilpi_verifier_open(&check->verifier, view, check->resolver, NULL, error);
    ilpi_frame_open(&check->frame, &check->verifier);
    check->is_open = true;
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        check->rows[table] = view->tables[table].count + SPARE_ROWS;
    }
}

/* The sink and the error belong to this call; the verifier and its types stay open for the next
 * one. The work is per body here. */
static void begin(struct ilpi_body_check *check, const struct ilp_findings_sink *sink,
                  struct ilp_error *error)
{
    struct ilpi_verifier *verifier = &check->verifier;
    if (check->is_open && !has_room(check)) {
        close_verifier(check);
    }
    if (!check->is_open) {
        open_verifier(check, error);
    }
    verifier->error = error;
    verifier->sink = sink;
    verifier->work = ILPI_VERIFY_WORK;
}

/* A failed verifier may have types that are only half made, so it is not used again. */
static ilp_status end(struct ilpi_body_check *check)
{
    ilp_status status = check->verifier.status;
    if (status != ILP_OK) {
        close_verifier(check);
    }
    return status;
}

static ilp_status verify(struct ilpi_body_check *check, ilp_token method, struct ilp_bytes body,
                         ilp_status (*finding)(void *, const struct ilp_verify_finding *,
                                               struct ilp_error *),
                         struct ilp_error *error)
{
    const struct ilp_findings_sink sink = {check, NULL, finding};
    begin(check, &sink, error);
    if (check->verifier.status == ILP_OK) {
        ilpi_verify_method(&check->frame, ILP_TOKEN_RID(method), body, 0);
    }
    return end(check);
}

/* ---- proving ---- */

/* Unknown findings count here: after the sequence the verifier may know more about the value than
 * its return type. */
static ilp_status put_any(void *user, const struct ilp_verify_finding *finding,
                          struct ilp_error *error)
{
    struct ilpi_body_check *check = user;
    (void)finding;
    (void)error;
    check->too_many = true;
    return ILP_OK;
}

/* Any finding is enough to say no: the sink only counts. */
static bool is_part_right(void *user, ilp_token method, struct ilp_bytes body, bool at_ret)
{
    struct ilpi_body_check *check = user;
    const struct ilp_findings_sink sink = {check, NULL, put_any};
    begin(check, &sink, NULL);
    check->too_many = false;
    if (check->verifier.status == ILP_OK) {
        ilpi_verify_part(&check->frame, ILP_TOKEN_RID(method), body, at_ret);
    }
    return end(check) == ILP_OK && !check->too_many;
}

/* Frees what one very large body took. */
static void limit_memory(struct ilpi_body_check *check)
{
    ilpi_arena_reset(&check->arena);
    if (check->alloc.used > MOST_KEPT) {
        ilpi_arena_free(&check->arena);
        ilpi_same_code_free(&check->same);
        ilpi_sequences_free(&check->sequences);
    }
}

/* Cheap conditions first. `surely` needs types that were not found to count as findings, which a
 * proof by comparison cannot find. An error while reading is no finding here: the caller verifies
 * the body then, which reports it. */
static bool is_proved(struct ilpi_body_check *check, const struct ilpi_body_pair *pair)
{
    struct ilp_body old, new;
    const struct ilpi_changed_body changed = {&check->overlay->view, pair->method, &old, &new,
                                              &check->same};
    const struct ilpi_part_verifier verifier = {check, is_part_right};
    limit_memory(check);
    return pair->insertions && !pair->surely &&
           ilp_body_read(&old, pair->old, 0, &check->arena, NULL) == ILP_OK &&
           ilp_body_read(&new, pair->new, 0, &check->arena, NULL) == ILP_OK &&
           ilpi_same_code(&check->same, &old, &new, pair->insertions, pair->insertion_count) &&
           ilpi_sequences_are_right(&check->sequences, &changed, &verifier);
}

/* ---- */

/* The order of the checks, from cheap to expensive:
 *
 *   new body proved (same_code.c, sequences)     right, without a verification
 *   else verify the new body:                    findings, put into the list
 *        verify the old body:                    those that it has, too, are taken out
 *        anything left was made by the change:   the new body once more, for the first of them
 *
 * The old body is only verified if the new one has findings, and the third time only if some but
 * not all of them are old. */
ilp_status ilpi_body_check(struct ilpi_body_check *check, const struct ilpi_body_pair *pair,
                           bool *is_right, struct ilp_verify_finding *finding,
                           struct ilp_error *error)
{
    check->surely = pair->surely;
    *is_right = is_proved(check, pair);
    if (*is_right) {
        return ILP_OK;
    }
    check->whole++;
    check->count = 0;
    check->too_many = false;
    check->first = finding;
    ILPI_TRY(verify(check, pair->method, pair->new, put_in, error));
    if (check->count != 0 && !check->surely && !check->too_many) {
        size_t found = check->count;
        ILPI_TRY(verify(check, pair->method, pair->old, take_out, error));
        *is_right = check->count == 0;
        return check->count != 0 && check->count != found
                   ? verify(check, pair->method, pair->new, keep_first, error)
                   : ILP_OK;
    }
    *is_right = check->count == 0;
    return ILP_OK;
}

uint64_t ilpi_body_check_whole(const struct ilpi_body_check *check)
{
    return check->whole;
}

ilp_status ilpi_body_check_open(struct ilpi_body_check **out, struct ilpi_overlay *overlay,
                                const struct ilp_resolver *resolver, struct ilp_error *error)
{
    *out = ilpi_object_open(sizeof **out, NULL, error);
    if (!*out) {
        return ILP_E_NO_MEMORY;
    }
    (*out)->overlay = overlay;
    (*out)->resolver = resolver;
    (*out)->arena.alloc = (*out)->same.alloc = (*out)->sequences.alloc = &(*out)->alloc;
    return ILP_OK;
}

void ilpi_body_check_close(struct ilpi_body_check *check)
{
    if (check) {
        close_verifier(check);
        ilpi_arena_free(&check->arena);
        ilpi_same_code_free(&check->same);
        ilpi_sequences_free(&check->sequences);
        ilpi_object_close(&check->alloc, sizeof *check);
    }
}
