/* Calls as bars of a timeline. See call_bars.h.
 *
 *   enter   a bar is added; `note` of the open call is its index
 *   leave   its length is known; shorter than `least`: it and its callees become part of a run
 *   full    make_room(): `least` is raised, and short bars are merged into runs
 *
 * Bars are in the order of their starts, so the callees of a bar are those that follow it with a
 * greater depth. The memory is fixed by `limit`, however many calls there are. */
#include "trace/call_bars.h"

#include <stdlib.h>

#define NO_BAR UINT32_MAX /* the note of a call without a bar */

/* The state while a thread's calls are visited. */
struct thread_bars {
    struct ilpi_call_bars *bars;
    const struct ilpi_thread_story *story;
    uint32_t thread;
};

/* ---- runs ---- */

/* Merges a call or a run into the run before it. Both have the same caller: between two bars of one
 * depth with different callers there is always one of a lower depth. */
static void add_to_run(struct ilpi_call_bars *bars, size_t *count, const struct ilpi_call_bar *bar)
{
    struct ilpi_call_bar *items = bars->bars.items;
    struct ilpi_call_bar *last = *count != 0 ? &items[*count - 1] : NULL;
    if (last && last->method == ILPI_RUN && last->thread == bar->thread &&
        last->depth == bar->depth) {
        last->length = bar->start + bar->length - last->start;
        last->busy += bar->busy;
        last->calls += bar->calls;
    } else {
        struct ilpi_call_bar run = *bar;
        run.method = ILPI_RUN;
        items[(*count)++] = run;
    }
}

static bool is_short(const struct ilpi_call_bars *bars, const struct ilpi_call_bar *bar)
{
    return !bar->open && bar->method != ILPI_RUN && bar->length < bars->least;
}

static int longest_first(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return (a < b) - (a > b);
}

/* Raises `least` to the greatest duration for which a quarter of the limit is enough. It never
 * falls, so everything merged earlier was shorter. */
static void choose_least(struct ilpi_call_bars *bars)
{
    size_t count = 0;
    for (size_t i = 0; i < bars->bars.count; i++) {
        const struct ilpi_call_bar *bar = &bars->bars.items[i];
        if (!bar->open && bar->method != ILPI_RUN) {
            bars->lengths[count++] = bar->length;
        }
    }
    qsort(bars->lengths, count, sizeof *bars->lengths, longest_first);
    if (count > bars->limit / 4 && bars->lengths[bars->limit / 4] >= bars->least) {
        bars->least = bars->lengths[bars->limit / 4] + 1;
    }
}

/* Merges short calls into runs. `calls` are the open ones; their bars move, so their notes are
 * changed as well. An open bar is never merged: its length is not known. */
static void make_room(struct ilpi_call_bars *bars, struct ilpi_call *calls)
{
    struct ilpi_call_bar *items = bars->bars.items;
    size_t kept = 0;
    size_t next;
    choose_least(bars);
    for (size_t at = 0; at < bars->bars.count; at = next) {
        struct ilpi_call_bar bar = items[at];
        next = at + 1;
        if (is_short(bars, &bar)) {
            while (next < bars->bars.count && items[next].thread == bar.thread &&
                   items[next].depth > bar.depth) {
                next++;
            }
            bar.busy = bar.length;
            add_to_run(bars, &kept, &bar);
        } else if (bar.method == ILPI_RUN) {
            add_to_run(bars, &kept, &bar);
        } else {
            if (bar.open) {
                calls[bar.depth].note = (uint32_t)kept;
            }
            items[kept++] = bar;
        }
    }
    bars->bars.count = kept;
}

/* ---- calls ---- */

/* A call whose caller has no bar gets none either, so that every bar is inside that of its
 * caller. */
static ilp_status enter(void *user, struct ilpi_call *calls, size_t depth, struct ilp_error *error)
{
    const struct thread_bars *reading = user;
    struct ilpi_call_bars *bars = reading->bars;
    struct ilpi_call *call = &calls[depth - 1];
    (void)error;
    call->note = NO_BAR;
    if (depth > ILPI_MAX_BAR_DEPTH) {
        bars->deeper++;
        return ILP_OK;
    }
    if (bars->bars.count == bars->limit) {
        make_room(bars, calls);
    }
    if (bars->bars.count == bars->limit || (depth > 1 && calls[depth - 2].note == NO_BAR)) {
        bars->left_out++;
        return ILP_OK;
    }
    call->note = (uint32_t)bars->bars.count;
    bars->bars.items[bars->bars.count++] =
        (struct ilpi_call_bar){.start = call->start,
                               .calls = reading->story->calls - 1,
                               .method = call->method,
                               .thread = reading->thread,
                               .depth = (uint16_t)(depth - 1),
                               .open = true};
    return ILP_OK;
}

/* The bar is known completely now. If it is short, it and its callees, which are the bars after it,
 * become part of a run: so the number of bars depends on the width of the drawing and not on the
 * calls. */
static ilp_status leave(void *user, const struct ilpi_call *calls, size_t depth,
                        const struct ilpi_call_ending *ending, struct ilp_error *error)
{
    const struct thread_bars *reading = user;
    struct ilpi_call_bars *bars = reading->bars;
    (void)error;
    if (depth > ILPI_MAX_BAR_DEPTH || calls[depth - 1].note == NO_BAR) {
        return ILP_OK;
    }
    size_t at = calls[depth - 1].note;
    struct ilpi_call_bar *bar = &bars->bars.items[at];
    bar->length = bar->busy = ending->time - bar->start;
    bar->calls = reading->story->calls - bar->calls;
    bar->how = ending->how;
    bar->open = false;
    if (is_short(bars, bar)) { /* and so are its callees, which follow it */
        struct ilpi_call_bar ended = *bar;
        bars->bars.count = at;
        add_to_run(bars, &bars->bars.count, &ended);
    }
    return ILP_OK;
}

static ilp_status read_threads(struct ilpi_call_bars *bars, struct ilpi_traced_process *process,
                               bool subtract, struct ilp_error *error)
{
    for (size_t i = 0; i < process->threads.count; i++) {
        struct ilpi_thread_story story;
        struct thread_bars reading = {bars, &story, (uint32_t)i};
        const struct ilpi_call_visitor visitor = {.user = &reading, .enter = enter, .leave = leave};
        ILPI_TRY(ilpi_visit_calls(bars->file, process, &process->threads.items[i], subtract,
                                  &visitor, &story, error));
    }
    for (size_t i = 0; i < bars->bars.count; i++) {
        const struct ilpi_call_bar *bar = &bars->bars.items[i];
        bars->in_runs += bar->method == ILPI_RUN ? bar->calls : 0;
    }
    return ILP_OK;
}

/* A quarter of the report's room is for bars, each with its length beside it: the shortest become
 * runs when there are too many. */
ilp_status ilpi_call_bars_open(struct ilpi_call_bars *bars, struct ilpi_spool_file *file,
                               struct ilpi_traced_process *process, bool subtract, size_t limit,
                               struct ilp_error *error)
{
    *bars = (struct ilpi_call_bars){.file = file, .process = process};
    size_t room = ilpi_report_room(file) / 4 / (sizeof *bars->bars.items + sizeof *bars->lengths);
    limit = limit < room ? limit : room;
    bars->limit = limit > ILPI_LEAST_BARS ? limit : ILPI_LEAST_BARS;
    ILPI_TRY(ILPI_LIST_RESERVE(&file->alloc, &bars->bars, bars->limit, error));
    bars->lengths = ilpi_resize(&file->alloc, NULL, 0, bars->limit * sizeof *bars->lengths);
    if (!bars->lengths) {
        return ilpi_fail_memory(error, bars->limit * sizeof *bars->lengths);
    }
    return read_threads(bars, process, subtract, error);
}

void ilpi_call_bars_close(struct ilpi_call_bars *bars)
{
    struct ilpi_alloc *alloc = &bars->file->alloc;
    ilpi_resize(alloc, bars->lengths, bars->limit * sizeof *bars->lengths, 0);
    ILPI_LIST_FREE(alloc, &bars->bars);
    bars->lengths = NULL;
}
