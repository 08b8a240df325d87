/* Turns records into nested calls. See calls.h.
 *
 * One pass over a thread's records with a stack of open calls. A record that ends a call pops until
 * its method is found; what was above it ended unseen. `open` counts the entries of each method on
 * the stack, so that an end without a call costs no search.
 *
 *   record     stack            reported
 *   ENTER A    A                enter A
 *   ENTER B    A B              enter B
 *   ENTER C    A B C            enter C
 *   LEAVE A                     leave C, B (unseen), A (returned)
 *   LEAVE D                     nothing: unmatched
 *   GAP                         all that are open end unseen */
#include "trace/calls.h"

struct nesting {
    struct ilpi_spool_file *file;
    const struct ilpi_traced_process *process;
    const struct ilpi_call_visitor *visitor;
    struct ilpi_thread_story *story;
    struct ilp_error *error;
    ILPI_LIST(struct ilpi_call) calls; /* open calls */
    uint64_t too_deep;                 /* open calls beyond the limit */
    uint32_t *open;                    /* of the process: how many of `calls` are of each method */
    bool subtract;
    uint64_t removed; /* nanoseconds of hooks subtracted until now */
    uint64_t now;     /* the time reported to the visitor */
};

/* ---- the clock ---- */

/* The reported time never falls: what was subtracted too much is taken back from `removed`. */
static uint64_t time_now(struct nesting *nesting, uint64_t time)
{
    if (nesting->process->untimed) {
        return nesting->now;
    }
    uint64_t left = time - nesting->removed; /* at most `time`: see below */
    if (left < nesting->now) {
        nesting->removed -= nesting->removed < nesting->now - left ? nesting->removed
                                                                   : nesting->now - left;
        left = nesting->now;
    }
    nesting->now = left;
    return left;
}

static void remove_cost(struct nesting *nesting, uint64_t time, uint64_t cost)
{
    if (nesting->subtract && !nesting->process->untimed) {
        uint64_t most = time - nesting->removed;
        nesting->removed += cost < most ? cost : most;
    }
}

/* ---- calls ---- */

/* Beyond the depth limit calls are only counted, and as many ends belong to them. */
static ilp_status enter(struct nesting *nesting, uint32_t method, uint64_t time,
                        struct ilp_bytes arguments)
{
    nesting->story->calls++;
    if (nesting->too_deep != 0 || nesting->calls.count == ILPI_MAX_CALL_DEPTH) {
        nesting->too_deep++;
        nesting->story->past_limit++;
        return ILP_OK;
    }
    struct ilpi_call call = {.method = method, .start = time, .arguments = arguments};
    ILPI_TRY(ILPI_LIST_ADD(&nesting->file->alloc, &nesting->calls, call, nesting->error));
    nesting->open[method]++;
    if (nesting->calls.count > nesting->story->deepest) {
        nesting->story->deepest = nesting->calls.count;
    }
    const struct ilpi_call_visitor *visitor = nesting->visitor;
    return visitor->enter ? visitor->enter(visitor->user, nesting->calls.items,
                                           nesting->calls.count, nesting->error)
                          : ILP_OK;
}

static const struct ilp_bytes no_value = {NULL, 0};

/* The call is still on the stack while the visitor sees it, and removed after: `open` is how often
 * each method is on it. */
static ilp_status leave(struct nesting *nesting, const struct ilpi_call_ending *ending)
{
    const struct ilpi_call_visitor *visitor = nesting->visitor;
    ilp_status status = ILP_OK;
    if (visitor->leave) {
        status = visitor->leave(visitor->user, nesting->calls.items, nesting->calls.count, ending,
                                nesting->error);
    }
    nesting->calls.count--;
    nesting->open[nesting->calls.items[nesting->calls.count].method]--;
    nesting->story->unseen += ending->how == CALL_UNSEEN ? 1 : 0;
    nesting->story->running += ending->how == CALL_RUNNING ? 1 : 0;
    return status;
}

static ilp_status leave_all(struct nesting *nesting, enum ilpi_call_end how)
{
    const struct ilpi_call_ending ending = {.how = how, .time = nesting->now};
    nesting->too_deep = 0;
    while (nesting->calls.count != 0) {
        ILPI_TRY(leave(nesting, &ending));
    }
    return ILP_OK;
}

/* An end without a beginning is counted and skipped (`unmatched`). One whose beginning is further
 * down ends the calls above it, whose own ends were not seen. With `open`, both are decided without
 * a search. */
static ilp_status end_call(struct nesting *nesting, uint32_t method,
                           const struct ilpi_call_ending *ending)
{
    const struct ilpi_call_ending unseen = {.how = CALL_UNSEEN, .time = ending->time};
    if (nesting->too_deep != 0) {
        nesting->too_deep--;
        return ILP_OK;
    }
    if (nesting->calls.count == 0 || nesting->open[method] == 0) {
        nesting->story->unmatched++;
        return ILP_OK;
    }
    while (nesting->calls.items[nesting->calls.count - 1].method != method) {
        ILPI_TRY(leave(nesting, &unseen));
    }
    return leave(nesting, ending);
}

/* ---- records ---- */

/* The hooks' own time is subtracted in two parts: what is inside of the measured call, and the
 * rest, which its caller sees. */
static ilp_status take_end(struct nesting *nesting, const struct ilpi_spool_record *record,
                           enum ilpi_call_end how, struct ilp_bytes value)
{
    uint32_t method = ilpi_traced_method_index(nesting->process, record->numbers[FIELD_METHOD]);
    remove_cost(nesting, record->time, nesting->process->inside);
    const struct ilpi_call_ending ending = {how, time_now(nesting, record->time), value};
    ILPI_TRY(end_call(nesting, method, &ending));
    uint64_t pair = nesting->process->pair;
    remove_cost(nesting, record->time,
                pair > nesting->process->inside ? pair - nesting->process->inside : 0);
    return ILP_OK;
}

static ilp_status take_enter(struct nesting *nesting, const struct ilpi_spool_record *record,
                             struct ilp_bytes arguments)
{
    uint32_t method = ilpi_traced_method_index(nesting->process, record->numbers[FIELD_METHOD]);
    return enter(nesting, method, time_now(nesting, record->time), arguments);
}

/* The duration of the call is unknown. */
static ilp_status take_ended(struct nesting *nesting, const struct ilpi_spool_record *record,
                             struct ilp_bytes arguments, enum ilpi_call_end how)
{
    ILPI_TRY(take_enter(nesting, record, arguments));
    return take_end(nesting, record, how, record->texts[FIELD_TEXT]);
}

/* Subtract its hooks' time after everything else. */
static ilp_status take_brief(struct nesting *nesting, const struct ilpi_spool_record *record)
{
    uint32_t method = ilpi_traced_method_index(nesting->process, record->numbers[FIELD_METHOD]);
    remove_cost(nesting, record->time, nesting->process->brief);
    const struct ilpi_call_ending ending = {CALL_RETURNED, time_now(nesting, record->time),
                                            no_value};
    ILPI_TRY(enter(nesting, method, ending.time, no_value));
    return end_call(nesting, method, &ending);
}

static uint64_t add_limited(uint64_t a, uint64_t b)
{
    return a < UINT64_MAX - b ? a + b : UINT64_MAX;
}

/* One record for many calls, as sampled or counted calls are written: the first is entered as any,
 * the others only counted. */
static ilp_status take_calls(struct nesting *nesting, const struct ilpi_spool_record *record)
{
    const struct ilpi_call_visitor *visitor = nesting->visitor;
    const struct ilpi_counted_calls counted = {
        record->numbers[FIELD_CALLS], record->numbers[FIELD_TAILCALLS],
        record->numbers[FIELD_UNWOUND], record->numbers[FIELD_OPEN]};
    uint64_t more = counted.calls != 0 ? counted.calls - 1 : 0;
    ILPI_TRY(take_enter(nesting, record, no_value));
    nesting->story->calls = add_limited(nesting->story->calls, more);
    nesting->now = add_limited(nesting->now, nesting->process->untimed ? counted.calls : 0);
    if (nesting->too_deep != 0) {
        nesting->story->past_limit = add_limited(nesting->story->past_limit, more);
    } else if (visitor->count) {
        visitor->count(visitor->user, &nesting->calls.items[nesting->calls.count - 1], &counted);
    }
    return ILP_OK;
}

static ilp_status take(struct nesting *nesting, const struct ilpi_spool_record *record)
{
    switch (record->kind) {
    case SPOOL_ENTER: return take_enter(nesting, record, no_value);
    case SPOOL_ENTER_WITH: return take_enter(nesting, record, record->texts[FIELD_TEXT]);
    case SPOOL_BRIEF: return take_brief(nesting, record);
    case SPOOL_CALLS: return take_calls(nesting, record);
    case SPOOL_LEAVE: return take_end(nesting, record, CALL_RETURNED, no_value);
    case SPOOL_LEAVE_WITH:
        return take_end(nesting, record, CALL_RETURNED, record->texts[FIELD_TEXT]);
    case SPOOL_TAILCALL: return take_end(nesting, record, CALL_TAILCALLED, no_value);
    case SPOOL_UNWIND: return take_end(nesting, record, CALL_UNWOUND, no_value);
    case SPOOL_VALUE: return take_ended(nesting, record, no_value, CALL_RETURNED);
    case SPOOL_VALUE_WITH:
        return take_ended(nesting, record, record->texts[FIELD_ARGUMENTS], CALL_RETURNED);
    case SPOOL_THROWN: return take_ended(nesting, record, no_value, CALL_UNWOUND);
    case SPOOL_THROWN_WITH:
        return take_ended(nesting, record, record->texts[FIELD_ARGUMENTS], CALL_UNWOUND);
    default: break;
    }
    time_now(nesting, record->time);
    switch (record->kind) {
    case SPOOL_THREAD: nesting->story->system_id = record->numbers[FIELD_SYSTEM_ID]; break;
    case SPOOL_THREAD_NAME: nesting->story->name = record->texts[FIELD_TEXT]; break;
    case SPOOL_THREAD_END: nesting->story->ended = true; break;
    case SPOOL_LOST: nesting->story->lost = record->numbers[FIELD_COUNT]; break;
    case SPOOL_GAP: nesting->story->gaps++; return leave_all(nesting, CALL_UNSEEN);
    default: break;
    }
    return ILP_OK;
}

/* At the end of a thread's records its open calls are still running. */
static ilp_status visit(struct nesting *nesting, const struct ilpi_traced_thread *thread)
{
    struct ilpi_spool_walk walk;
    struct ilpi_spool_record record;
    bool first = true;
    ilpi_spool_walk_begin(&walk, nesting->file, thread);
    while (ilpi_spool_walk_next(&walk, &record)) {
        ILPI_TRY(take(nesting, &record));
        nesting->story->first = first ? nesting->now : nesting->story->first;
        nesting->story->last = nesting->now;
        first = false;
    }
    return leave_all(nesting, CALL_RUNNING);
}

size_t ilpi_report_room(const struct ilpi_spool_file *file)
{
    size_t most = ILPI_REPORT_BYTES + file->bytes.size + file->bytes.size / 4 * 3;
    return most > file->alloc.used ? most - file->alloc.used : 0;
}

/* One array for all threads of a process: each thread leaves it zeroed. */
static ilp_status make_counts(struct ilpi_spool_file *file, struct ilpi_traced_process *process,
                              struct ilp_error *error)
{
    size_t size = (process->methods.count + 1) * sizeof *process->open;
    if (!process->open) {
        process->open = ilpi_resize(&file->alloc, NULL, 0, size);
        if (!process->open) {
            return ilpi_fail_memory(error, size);
        }
        memset(process->open, 0, size);
    }
    return ILP_OK;
}

/* `open` belongs to the process and must be all zero again, also after a failure. */
ilp_status ilpi_visit_calls(struct ilpi_spool_file *file, struct ilpi_traced_process *process,
                            const struct ilpi_traced_thread *thread, bool subtract,
                            const struct ilpi_call_visitor *visitor,
                            struct ilpi_thread_story *story, struct ilp_error *error)
{
    *story = (struct ilpi_thread_story){.name = no_value};
    ILPI_TRY(make_counts(file, process, error));
    struct nesting nesting = {.file = file,
                              .process = process,
                              .visitor = visitor,
                              .story = story,
                              .error = error,
                              .open = process->open,
                              .subtract = subtract};
    ilp_status status = visit(&nesting, thread);
    while (nesting.calls.count != 0) { /* after a failure */
        nesting.open[nesting.calls.items[--nesting.calls.count].method] = 0;
    }
    ILPI_LIST_FREE(&file->alloc, &nesting.calls);
    return status;
}
