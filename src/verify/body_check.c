/* One body beside another, in the way of compare.c: the new body's findings, mostly none; if there
 * are any, the old one's are taken out, and what is left is new. See body_check.h. */
#include "verify/body_check.h"

#include "verify/frame.h"
#include "verify/type.h"

/* Bodies with more different findings are not compared: the new one is not right. */
#define MAX_FINDINGS 64u

/* Rows that an overlay may get before what is known of its members is thrown away. Few are added:
 * types that methods return, calls of inspectors. */
#define SPARE_ROWS 1024u

/* Below it the verifier begins again. */
#define LEAST_MEMORY ((uint64_t)1 << 20)

struct ilpi_body_check {
    struct ilpi_alloc alloc; /* of this */
    struct ilpi_overlay *overlay;
    const struct ilp_resolver *resolver;
    bool is_open; /* the next two are */
    struct ilpi_verifier verifier;
    struct ilpi_frame frame;
    uint32_t rows[ILP_TABLE_COUNT]; /* that there is room for */

    /* of the method in work: */
    bool surely;
    uint64_t hashes[MAX_FINDINGS];
    size_t count;
    bool too_many;
    struct ilp_verify_finding *first; /* that is among `hashes` */
};

/* ---- findings ---- */

static bool counts(const struct ilpi_body_check *check, const struct ilp_verify_finding *finding)
{
    return check->surely || finding->kind != ILP_FINDING_UNKNOWN ||
           strcmp(finding->code, "unresolved-type") != 0;
}

static size_t place_of(const struct ilpi_body_check *check, uint64_t hash)
{
    size_t place = 0;
    while (place < check->count && check->hashes[place] != hash) {
        place++;
    }
    return place;
}

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

static bool has_room(const struct ilpi_body_check *check)
{
    bool room = check->verifier.memory >= LEAST_MEMORY;
    for (unsigned table = 0; table < ILP_TABLE_COUNT; table++) {
        room = room && check->overlay->view.tables[table].count <= check->rows[table];
    }
    return room;
}

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

static ilp_status verify(struct ilpi_body_check *check, ilp_token method, struct ilp_bytes body,
                         ilp_status (*finding)(void *, const struct ilp_verify_finding *,
                                               struct ilp_error *),
                         struct ilp_error *error)
{
    struct ilpi_verifier *verifier = &check->verifier;
    const struct ilp_findings_sink sink = {check, NULL, finding};
    if (check->is_open && !has_room(check)) {
        close_verifier(check);
    }
    if (!check->is_open) {
        open_verifier(check, error);
    }
    verifier->error = error;
    verifier->sink = &sink;
    verifier->work = ILPI_VERIFY_WORK;
    if (verifier->status == ILP_OK) {
        ilpi_verify_method(&check->frame, ILP_TOKEN_RID(method), body, 0);
    }
    ilp_status status = verifier->status;
    if (status != ILP_OK) {
        close_verifier(check);
    }
    return status;
}

ilp_status ilpi_body_check(struct ilpi_body_check *check, const struct ilpi_body_pair *pair,
                           bool *is_right, struct ilp_verify_finding *finding,
                           struct ilp_error *error)
{
    check->surely = pair->surely;
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

/* ---- */

ilp_status ilpi_body_check_open(struct ilpi_body_check **out, struct ilpi_overlay *overlay,
                                const struct ilp_resolver *resolver, struct ilp_error *error)
{
    *out = ilpi_object_open(sizeof **out, NULL, error);
    if (!*out) {
        return ILP_E_NO_MEMORY;
    }
    (*out)->overlay = overlay;
    (*out)->resolver = resolver;
    return ILP_OK;
}

void ilpi_body_check_close(struct ilpi_body_check *check)
{
    if (check) {
        close_verifier(check);
        ilpi_object_close(&check->alloc, sizeof *check);
    }
}
