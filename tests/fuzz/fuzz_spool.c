/* Any bytes as a spool: opened, walked, made a tree and bars of, its values summed up, within
 * bounded memory. Checks are put right first, so that the search gets past them; a tree's own times
 * have to add up, and so do the parts of a summary; a bar is within that of its caller. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "trace/call_bars.h"
#include "trace/call_tree.h"
#include "trace/histogram.h"
#include "trace/value_summary.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/memory.h"

#define SPOOL_MEMORY ((size_t)256 << 20)

static void spool_mend(uint8_t *data, size_t size)
{
    for (size_t at = 0; at < size && size - at >= ILPI_CHUNK_HEAD;) {
        uint32_t records = ilpi_load_u32(data + at + CHUNK_SIZE);
        bool whole = ilpi_load_u32(data + at + CHUNK_MAGIC) == ILPI_SPOOL_MAGIC &&
                     records <= size - at - ILPI_CHUNK_HEAD &&
                     records <= ILPI_CHUNK_SIZE - ILPI_CHUNK_HEAD;
        if (whole) {
            ilpi_store_u32(data + at + CHUNK_CHECK,
                           ilpi_chunk_check(data + at, records + ILPI_CHUNK_HEAD));
        }
        at += whole ? records + ILPI_CHUNK_HEAD : 1;
    }
}

static void spool_tree(struct ilpi_spool_file *file, struct ilpi_traced_process *process,
                       size_t limit)
{
    struct ilpi_call_tree tree;
    struct ilp_error error;
    ilp_status status = ilpi_call_tree_open(&tree, file, process, true, limit, &error);
    FUZZ_CHECK(status == ILP_OK || status == ILP_E_NO_MEMORY);
    if (status == ILP_OK) {
        uint64_t own = 0;
        for (size_t i = 0; i < tree.nodes.count; i++) {
            own += tree.nodes.items[i].exclusive;
        }
        FUZZ_CHECK(own == tree.nodes.items[0].inclusive);
    }
    ilpi_call_tree_close(&tree);
}

static void check_bars(const struct ilpi_call_bars *bars)
{
    const struct ilpi_call_bar *callers[ILPI_MAX_BAR_DEPTH] = {NULL};
    FUZZ_CHECK(bars->bars.count <= bars->limit);
    for (size_t i = 0; i < bars->bars.count; i++) {
        const struct ilpi_call_bar *bar = &bars->bars.items[i];
        FUZZ_CHECK(!bar->open && bar->depth < ILPI_MAX_BAR_DEPTH && bar->calls != 0);
        FUZZ_CHECK(bar->busy <= bar->length);
        callers[bar->depth] = bar;
        if (bar->depth != 0 && bars->left_out == 0) {
            const struct ilpi_call_bar *caller = callers[bar->depth - 1];
            FUZZ_CHECK(caller && caller->thread == bar->thread && caller->method != ILPI_RUN);
            FUZZ_CHECK(bar->start >= caller->start && bar->length <= caller->length &&
                       bar->start - caller->start <= caller->length - bar->length);
        }
    }
}

static void spool_bars(struct ilpi_spool_file *file, struct ilpi_traced_process *process)
{
    struct ilpi_call_bars bars;
    struct ilp_error error;
    ilp_status status = ilpi_call_bars_open(&bars, file, process, true, 0, &error);
    FUZZ_CHECK(status == ILP_OK || status == ILP_E_NO_MEMORY);
    if (status == ILP_OK) {
        check_bars(&bars);
    }
    ilpi_call_bars_close(&bars);
}

/* All values of the process as those of one method. */
struct summing {
    struct ilpi_value_summary summary;
    struct ilpi_alloc *alloc;
};

static ilp_status add_value(void *user, const struct ilpi_call *calls, size_t depth,
                            const struct ilpi_call_ending *ending, struct ilp_error *error)
{
    struct summing *summing = user;
    (void)calls;
    (void)depth;
    return ending->value.data
               ? ilpi_value_summary_add(&summing->summary, summing->alloc, ending->value,
                                        (uint32_t)(ending->time % ILPI_TIME_SLOTS), error)
               : ILP_OK;
}

static void check_summary(const struct ilpi_value_summary *summary)
{
    uint64_t kinds = 0;
    uint64_t returns = 0;
    uint64_t numbers = 0;
    uint64_t rows = 0;
    bool exact;
    for (size_t i = 0; i < VALUE_KIND_COUNT; i++) {
        kinds += summary->kinds[i];
    }
    for (size_t i = 0; i < summary->slots.count; i++) {
        returns += summary->slots.items[i].returns;
        numbers += summary->slots.items[i].numbers.count;
    }
    FUZZ_CHECK(kinds == summary->values.total && returns == kinds);
    FUZZ_CHECK(numbers == summary->numbers.count);
    FUZZ_CHECK(ilpi_value_summary_distinct(summary, &exact) <= summary->values.total);
    if (summary->numbers.count != 0) {
        struct ilpi_histogram histogram;
        double median = ilpi_distribution_quantile(&summary->numbers, 0.5);
        double place;
        ilpi_histogram_make(&histogram, &summary->numbers);
        place = ilpi_histogram_place(&histogram, median);
        FUZZ_CHECK(place >= 0 && place <= 1);
        FUZZ_CHECK(median >= ilpi_distribution_least(&summary->numbers) &&
                   median <= ilpi_distribution_greatest(&summary->numbers));
        for (size_t i = 0; i < histogram.count; i++) {
            rows += histogram.rows[i].count;
        }
        FUZZ_CHECK(rows == summary->numbers.count);
    }
}

static void spool_values(struct ilpi_spool_file *file, struct ilpi_traced_process *process)
{
    struct summing summing = {.alloc = &file->alloc};
    const struct ilpi_call_visitor visitor = {.user = &summing, .leave = add_value};
    ilp_status status = ILP_OK;
    FUZZ_CHECK(ilpi_traced_end(file, process) >= process->start);
    for (size_t i = 0; i < process->threads.count && status == ILP_OK; i++) {
        struct ilpi_thread_story story;
        struct ilp_error error;
        status = ilpi_visit_calls(file, process, &process->threads.items[i], false, &visitor,
                                  &story, &error);
    }
    if (status == ILP_OK) {
        check_summary(&summing.summary);
    }
    ilpi_value_summary_free(&summing.summary, &file->alloc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_memory memory = {0};
    const struct ilp_allocator limited = {
        .resize = fuzz_resize, .user = &memory, .limit = SPOOL_MEMORY};
    struct ilpi_spool_file file;
    struct ilp_error error;
    uint8_t *copy = malloc(size != 0 ? size : 1);
    FUZZ_CHECK(copy != NULL);
    memcpy(copy, data, size);
    spool_mend(copy, size);
    ilp_status status = ilpi_spool_open(&file, (struct ilp_bytes){copy, size}, &limited, &error);
    FUZZ_CHECK(status == ILP_OK || status == ILP_E_BAD_SPOOL || status == ILP_E_NO_MEMORY);
    for (size_t i = 0; status == ILP_OK && i < file.processes.count && i < 8; i++) {
        spool_tree(&file, &file.processes.items[i], 0);
        spool_tree(&file, &file.processes.items[i], 5);
        spool_bars(&file, &file.processes.items[i]);
        spool_values(&file, &file.processes.items[i]);
    }
    ilpi_spool_close(&file);
    free(copy);
    return 0;
}
