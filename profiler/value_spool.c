/* Records values in a spool. See value_spool.h. Values arrive while every garbage collection waits,
 * so nothing here waits for one; a thread's first record, and each that needs a new piece of the
 * file, makes some system calls.
 *
 *   value_spool_open() -> threads record -> value_spool_close() -> value_spool_release()
 *          ^--------- opened again, by the next command that attaches ---------/
 *
 * Closing only stops new records: a thread may be in the middle of one, in a mapped piece of the
 * file. Unmapping waits for release(), and if not even that is safe, for the next opening. */
#include "profiler/value_spool.h"

#include <inttypes.h>

#include "base/pages.h"
#include "host/deadline.h"
#include "host/process.h"
#include "profiler/clr/runtime.h"
#include "profiler/hooks/clock.h"
#include "profiler/hooks/spool_file.h"
#include "profiler/hooks/spool_method.h"
#include "profiler/status.h"
#include "profiler/thread_list.h"

static struct {
    atomic_bool open;
    struct spool_file file;
    struct ilpi_spool spool;
    const char *path;      /* borrowed */
    uint32_t opened;       /* number of openings, in a process that is attached to repeatedly */
    uint64_t method_count; /* under the profiler's lock */
    atomic_uint_least32_t thread_count;
} recorded = {.file = SPOOL_FILE_NONE}; /* released by a watch that never opened it, too */

/* Owned by its thread. One from before the last opening is freed, but no longer counted. */
struct recording_thread {
    struct listed_thread listed;
    uint32_t opened;        /* recorded.opened when it began */
    _Atomic uint64_t count; /* of values, written only by the thread */
    struct ilpi_spool_thread records;
};

static struct thread_list threads = THREAD_LIST_EMPTY;
static uint64_t value_count; /* of summed threads */
static atomic_uint ending;   /* threads that may write their last records */

static void add_up(struct listed_thread *thread)
{
    value_count += counted_so_far(&((const struct recording_thread *)thread)->count);
}

static void leave_rooms(struct listed_thread *thread)
{
    ilpi_spool_thread_leave(&((struct recording_thread *)thread)->records);
}

/* For threads that began with an earlier file: their values are not of this one. */
static void leave_as_it_is(struct listed_thread *thread)
{
    (void)thread;
}

bool value_spool_open(const char *path, bool made, const struct runtime *runtime)
{
    char command[ILPI_SPOOL_TEXT];
    if (recorded.opened++ != 0) {
        thread_list_sum(&threads, leave_as_it_is); /* those left by value_spool_release() */
        spool_file_close(&recorded.file);
        recorded.method_count = value_count = 0;
        atomic_store(&recorded.thread_count, 0);
    }
    int error = spool_file_open(&recorded.file, path, made ? SPOOL_MADE : SPOOL_NAMED);
    if (error == 0 && !spool_file_rooms(&recorded.file)) {
        /* each thread would have its own chunk, which nothing writes when the process ends */
        spool_file_forget(&recorded.file);
        status_line("unwritable",
                    "%s: cannot write: values are recorded in a file that can be mapped", path);
        return false;
    }
    if (error != 0) {
        spool_file_report(path, error);
        return false;
    }
    ilpi_spool_init(&recorded.spool, spool_file_sink(&recorded.file),
                    spool_file_rooms(&recorded.file), (uint32_t)process_own());
    hooks_clock_begin();
    process_command_line(command, sizeof command);
    ilpi_spool_head(&recorded.spool, hooks_now(), hooks_clock_wall(), command,
                    runtime->version_text);
    ilpi_spool_path(&recorded.spool, hooks_now(), ILPI_PATH_OF_VALUES,
                    "inspected code records them");
    recorded.path = path;
    atomic_store(&recorded.open, true);
    return true;
}

bool value_spool_is_open(void)
{
    return atomic_load_explicit(&recorded.open, memory_order_relaxed);
}

/* Threads that are still recording are counted up to now, and stay in the list. */
void value_spool_close(void)
{
    if (atomic_exchange(&recorded.open, false)) {
        uint64_t lost = atomic_load(&recorded.spool.lost);
        thread_list_visit(&threads, add_up);
        status_line("recorded", "%" PRIu64, value_count > lost ? value_count - lost : 0);
        if (lost != 0) {
            status_line("values", "%" PRIu64 " values could not be written to %s", lost,
                        recorded.path);
        }
        ilpi_spool_end(&recorded.spool, hooks_now());
    }
}

static bool has_none_ending(void)
{
    return atomic_load(&ending) == 0;
}

/* A thread that ends is not the runtime's any more, and may be writing, for a limited time. */
void value_spool_release(bool quiet)
{
    enum { ENDING_PATIENCE = 1000 /* ms */ };
    if (quiet && !value_spool_is_open() && deadline_await(has_none_ending, ENDING_PATIENCE)) {
        thread_list_sum(&threads, leave_rooms);
        spool_file_close(&recorded.file);
    }
}

void value_spool_forget(void)
{
    if (atomic_exchange(&recorded.open, false)) {
        spool_file_forget(&recorded.file);
    }
}

uint64_t value_spool_method(struct ilp_image *image, const char *path, ilp_token method)
{
    uint64_t id = recorded.method_count + 1;
    if (!value_spool_is_open() || !spool_put_method(&recorded.spool, id, image, path, method)) {
        return 0;
    }
    recorded.method_count = id;
    return id;
}

struct recording_thread *value_spool_begin_thread(void)
{
    struct recording_thread *thread = value_spool_is_open() ? ilpi_pages_open(sizeof *thread)
                                                            : NULL;
    if (thread) {
        uint32_t number = atomic_fetch_add(&recorded.thread_count, 1) + 1;
        thread->opened = recorded.opened;
        thread_list_add(&threads, &thread->listed);
        ilpi_spool_thread_begin(&thread->records, &recorded.spool, number, hooks_now(),
                                (uint64_t)process_own_thread());
    }
    return thread;
}

void value_spool_end_thread(struct recording_thread *thread)
{
    if (!thread) {
        return;
    }
    bool is_old = thread->opened != recorded.opened;
    atomic_fetch_add(&ending, 1);
    if (!is_old && value_spool_is_open()) {
        ilpi_spool_thread_end(&thread->records, hooks_now());
    }
    atomic_fetch_sub(&ending, 1);
    thread_list_end(&threads, &thread->listed, is_old ? leave_as_it_is : add_up);
    ilpi_spool_thread_leave(&thread->records); /* those with nothing more to record */
    ilpi_pages_close(thread, sizeof *thread);
}

/* Counted here and not at the end, since the end cannot fail; values that did not fit are in
 * `lost`, and subtracted when the spool is closed. */
uint8_t *value_spool_begin(struct recording_thread *thread, uint64_t method, bool thrown,
                           struct ilp_bytes arguments)
{
    if (!value_spool_is_open()) {
        return NULL;
    }
    uint64_t now = hooks_now();
    hooks_clock_keep(now);
    count_own(&thread->count);
    return ilpi_spool_begin_value(&thread->records, now, method, thrown, arguments);
}

void value_spool_end(struct recording_thread *thread, uint8_t *text, size_t size)
{
    ilpi_spool_end_value(&thread->records, text, size);
}
