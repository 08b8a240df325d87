/* A thread's record for hooks: begun at its first hook, or when the thread is reported; ended with
 * the system's thread. Its memory is never freed, but reused by a later thread: at the end of the
 * process records are read while other threads run. */
#include "profiler/hooks/threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "host/process.h"
#include "profiler/hooks/frames.h"
#include "profiler/hooks/last_error.h"
#include "profiler/clr/wide.h"

static pthread_key_t key; /* for its destructor, which runs when a thread ends */

/* Held while a thread records something outside of managed code, where the runtime cannot suspend
 * it, and while the destination is being closed. */
static pthread_mutex_t outside_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- starting and ending ---- */

/* Of all threads that look, one gets it. */
static struct hooks_thread *take_free(void)
{
    struct hooks_thread *thread = atomic_load_explicit(&hooks.threads, memory_order_acquire);
    for (; thread; thread = thread->next) {
        bool in_use = false;
        if (atomic_compare_exchange_strong(&thread->in_use, &in_use, true)) {
            return thread;
        }
    }
    return NULL;
}

/* In a hook, where malloc() might wait for its lock. */
static struct hooks_thread *make(void)
{
    struct hooks_thread *thread = ilpi_pages_open(sizeof *thread);
    if (!thread) {
        return NULL;
    }
    shadow_stack_open(&thread->stack, SHADOW_STACK_LIMIT);
    atomic_init(&thread->in_use, true);
    thread->next = atomic_load(&hooks.threads);
    while (!atomic_compare_exchange_weak(&hooks.threads, &thread->next, thread)) {
    }
    return thread;
}

/* Resets all earlier state. */
static void begin(struct hooks_thread *thread)
{
    thread->watch = hooks.watch;
    thread->stack.depth = 0;
    thread->exceptions = (struct exceptions){0};
    thread->epoch = atomic_load(&hooks.epoch);
    if (hooks_only_count()) {
        hooks_paths_begin(thread);
    }
    ilpi_spool_thread_begin(&thread->spool, &hooks.spool,
                            atomic_fetch_add(&hooks.thread_count, 1) + 1, hooks_now(),
                            (uint64_t)process_own_thread());
    atomic_store(&thread->recorded, true);
}

/* Memory of a thread that ended is used again. `closed` is looked at after the memory is taken:
 * closing marks it first and then looks at all that is in use. */
static struct hooks_thread *begin_here(void)
{
    struct hooks_thread *thread = take_free();
    thread = thread ? thread : make();
    if (!thread) {
        return NULL;
    }
    if (atomic_load(&hooks.closed)) {
        /* records that another thread left in this memory may be being written */
        atomic_store(&thread->in_use, false);
        return NULL;
    }
    begin(thread);
    hooks_current = thread;
    pthread_setspecific(key, thread);
    return thread;
}

struct hooks_thread *hooks_begin(void)
{
    struct last_error error = last_error_keep();
    struct hooks_thread *thread = begin_here();
    last_error_restore(error);
    return thread;
}

/* Not if the process is closing: then the records are written by hooks_threads_close(). */
static void end_records(struct hooks_thread *thread)
{
    pthread_mutex_lock(&outside_lock);
    if (!atomic_load(&hooks.closed) && thread->watch == hooks.watch) {
        if (hooks_only_count()) {
            hooks_paths_write(thread, &thread->spool);
        }
        ilpi_spool_thread_end(&thread->spool, hooks_now());
        atomic_store(&thread->recorded, false);
    }
    pthread_mutex_unlock(&outside_lock);
}

/* Called by the system's library for each thread that has a record, when it ends. */
static void end(void *of_key)
{
    struct hooks_thread *thread = of_key;
    hooks_current = NULL;
    if (!atomic_load(&hooks.closed)) { /* else perhaps in a forked copy */
        end_records(thread);
    }
    atomic_store(&thread->in_use, false);
}

/* Hooks are active again: calls entered before may have ended meanwhile. Or there was a callback
 * for a thread whose youngest method was about to end. */
struct hooks_thread *hooks_resume(struct hooks_thread *thread)
{
    if (thread->watch != hooks.watch) {
        bool closed = atomic_load(&hooks.closed);
        if (!closed) {
            begin(thread);
        }
        return closed ? NULL : thread;
    }
    if (thread->epoch == EPOCH_ENDING) {
        hooks_end_in_native(thread);
        return hooks_here();
    }
    hooks_count(&thread->counts.cut, thread->stack.depth);
    thread->stack.depth = 0;
    thread->exceptions = (struct exceptions){0};
    thread->epoch = atomic_load(&hooks.epoch);
    if (hooks_only_count()) {
        hooks_paths_cut(thread);
    }
    ilpi_spool_gap(&thread->spool, hooks_now());
    return thread;
}

/* ---- names, which may be set before a thread runs, and by another one ---- */

#define NAME_SIZE 128u

struct named {
    struct named *next;
    ThreadID thread;
    char name[NAME_SIZE];
};

static struct named *names;
static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;

/* The link at which it is, or at which it would be added. Under names_lock. */
static struct named **find_name(ThreadID thread)
{
    struct named **link = &names;
    while (*link && (*link)->thread != thread) {
        link = &(*link)->next;
    }
    return link;
}

/* An attached process may rename threads while nothing is traced. */
static bool is_this_thread(ThreadID thread)
{
    ThreadID current;
    return hooks.info &&
           CALL(ICorProfilerInfo, GetCurrentThreadID, hooks.info)(hooks.info, &current) >= 0 &&
           current == thread;
}

/* False: it is not being recorded (any more). */
static bool record_name(const char *name)
{
    pthread_mutex_lock(&outside_lock);
    bool recorded = !atomic_load(&hooks.closed) && hooks_here();
    if (recorded) {
        ilpi_spool_thread_name(&hooks_current->spool, hooks_now(), name);
    }
    pthread_mutex_unlock(&outside_lock);
    return recorded;
}

static void keep_name(ThreadID thread, const char *text)
{
    pthread_mutex_lock(&names_lock);
    struct named **link = find_name(thread);
    if (!*link && (*link = new_items(1, sizeof **link)) != NULL) {
        (*link)->thread = thread;
    }
    if (*link) {
        strncpy((*link)->name, text, NAME_SIZE - 1);
    }
    pthread_mutex_unlock(&names_lock);
}

/* The name is recorded at once by the thread itself, and kept for its first record if another
 * thread has set it. */
static HRESULT STDCALL thread_name_changed(void *self, ThreadID thread, ULONG length,
                                           const WCHAR *name)
{
    WCHAR text[NAME_SIZE] = {0};
    (void)self;
    if (length != 0) { /* a removed name is NULL */
        memcpy(text, name, (length < NAME_SIZE ? length : NAME_SIZE - 1) * sizeof *text);
    }
    char *narrow = narrow_of(text);
    if (!narrow) {
        memory_failed();
    } else if (hooks.info && (!is_this_thread(thread) || !record_name(narrow))) {
        keep_name(thread, narrow);
    }
    free(narrow);
    return S_OK;
}

/* Called in the thread itself, which begins only when there is something to record: most of a
 * program's threads never call a traced method. */
static HRESULT STDCALL thread_assigned(void *self, ThreadID thread, ULONG system_id)
{
    (void)self, (void)system_id;
    if (!is_this_thread(thread)) {
        return S_OK;
    }
    pthread_mutex_lock(&names_lock);
    struct named *named = *find_name(thread);
    if (named) {
        record_name(named->name);
    }
    pthread_mutex_unlock(&names_lock);
    return S_OK;
}

/* ThreadIDs are used again, for threads of other names. */
static HRESULT STDCALL thread_destroyed(void *self, ThreadID thread)
{
    (void)self;
    pthread_mutex_lock(&names_lock);
    struct named **link = find_name(thread);
    struct named *named = *link;
    if (named) {
        *link = named->next;
    }
    pthread_mutex_unlock(&names_lock);
    free(named);
    return S_OK;
}

/* ---- all of them ---- */

void hooks_threads_answer(struct callback_table *table)
{
    table->ThreadAssignedToOSThread = thread_assigned;
    table->ThreadDestroyed = thread_destroyed;
    table->ThreadNameChanged = thread_name_changed;
}

static void forget_names(void)
{
    pthread_mutex_lock(&names_lock);
    while (names) {
        struct named *named = names;
        names = named->next;
        free(named);
    }
    pthread_mutex_unlock(&names_lock);
}

/* The key is created once: it stays for later watches. */
void hooks_threads_open(void)
{
    if (hooks.watch == 1) {
        pthread_key_create(&key, end);
    }
    forget_names();
    atomic_store(&hooks.thread_count, 0);
    for (struct hooks_thread *thread = atomic_load(&hooks.threads); thread; thread = thread->next) {
#define COUNT(name) atomic_store(&thread->counts.name, 0);
        HOOK_COUNTS(COUNT)
#undef COUNT
    }
}

static struct ilpi_spool_thread heir; /* of threads that have not ended */

/* The counts of another thread. */
static void write_paths(struct hooks_thread *thread)
{
    ilpi_spool_thread_continue(&heir, &thread->spool);
    hooks_paths_write(thread, &heir);
    ilpi_spool_flush(&heir);
}

/* Exchanged, so that a thread which ends at this moment and this function do not both close its
 * records. */
struct hook_counts hooks_threads_close(void)
{
    struct hook_counts sum = {0};
    for (struct hooks_thread *thread = atomic_load(&hooks.threads); thread; thread = thread->next) {
        if (atomic_exchange(&thread->recorded, false)) {
            ilpi_spool_thread_close(&thread->spool);
            if (hooks_only_count()) {
                write_paths(thread);
            }
        }
#define COUNT(name) sum.name += hooks_counted(&thread->counts.name);
        HOOK_COUNTS(COUNT)
#undef COUNT
    }
    return sum;
}

/* Records stay, without rooms: a thread that still runs begins again in the next watch
 * (hooks_resume()). */
void hooks_threads_release(void)
{
    pthread_mutex_lock(&outside_lock);
    for (struct hooks_thread *thread = atomic_load(&hooks.threads); thread; thread = thread->next) {
        atomic_store(&thread->recorded, false);
        ilpi_spool_thread_leave(&thread->spool);
    }
    ilpi_spool_thread_leave(&heir);
    pthread_mutex_unlock(&outside_lock);
}
