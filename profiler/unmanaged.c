/* Called by compiled code. See unmanaged.h.
 *
 *   enter() pass()...                         at entry, if arguments or times are wanted
 *   show() | leave() | show_exception()       at an end: a value, void, an exception
 *   wants_thread() get_CurrentThread() take_thread()     lines in JSON: the ids of the activity
 *   write_out()                               the line, if writing it may wait */
#include "profiler/unmanaged.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/objects.h"
#include "profiler/output.h"
#include "profiler/clr/runtime.h"
#include "profiler/status.h"
#include "profiler/unmanaged_methods.h"
#include "profiler/value_counts.h"
#include "profiler/value_spool.h"
#include "trace/spool.h"
#include "values/read.h"
#include "host/tool.h"

/* ---- threads ---- */

/* A thread's line, between the two calls. */
struct pending {
    size_t size;
    struct choice_thread choice;
    struct calls calls;
    struct value_counts counts;
    struct recording_thread *spool; /* NULL: it has recorded nothing */
    uintptr_t
        requested_at; /* its stack pointer when it requested its thread object; 0: it has not */
    uint32_t watch;   /* the watch it belongs to */
    char bytes[];     /* shown_line_room() */
};

/* Accessed by one instruction, since each value needs them. */
#define OWN _Thread_local __attribute__((tls_model("initial-exec")))

/* Allocated with the thread's first line, which is safe: no holder of malloc's lock waits for us.
 * As a pointer it needs little of the thread-local space of a library that is loaded late. */
static OWN struct pending *pending;
static pthread_key_t at_thread_end;

/* State of threads from an earlier watch is not used, and what it refers to is gone. */
static _Atomic uint32_t current_watch;

void unmanaged_begin_watch(void)
{
    atomic_fetch_add(&current_watch, 1);
}

static inline uint32_t watch_now(void)
{
    return atomic_load_explicit(&current_watch, memory_order_relaxed);
}

/* In the first watch, the only one of `run`, ids are those in files of ids. */
uint32_t unmanaged_number_in_watch(uint32_t number)
{
    return number | (watch_now() - 1) * MAX_MODULES;
}

static void free_pending(struct pending *ended)
{
    choice_thread_close(&ended->choice);
    calls_close(&ended->calls);
    value_counts_end_thread(&ended->counts);
    value_spool_end_thread(ended->spool);
    free(ended);
}

/* Not inlined, and without memory for it nothing is shown in this thread: the caller has no way to
 * report that. */
static __attribute__((noinline)) struct pending *begin_thread(void)
{
    if (pending) {
        free_pending(pending);
        pthread_setspecific(at_thread_end, NULL); /* there may be no memory for another one */
    }
    struct pending *begun = malloc(sizeof *begun + shown_line_room());
    if (begun) {
        *begun = (struct pending){.watch = watch_now()};
    }
    if (begun && pthread_setspecific(at_thread_end, begun) != 0) {
        free(begun);
        begun = NULL;
    }
    pending = begun;
    return begun;
}

/* The thread's state; NULL: none yet. */
static inline struct pending *own_pending(void)
{
    return pending && pending->watch == watch_now() ? pending : NULL;
}

/* NULL: no memory, and the next call tries again. */
static inline struct pending *pending_line(void)
{
    struct pending *own = own_pending();
    return own ? own : begin_thread();
}

/* For a value, which is otherwise lost. */
static inline struct pending *line_of_value(void)
{
    struct pending *line = pending_line();
    if (!line) {
        shared_counters_lose(status_slot(), 1, ENOMEM);
    }
    return line;
}

/* Nothing is shown any more when a thread's data is freed. */
static void end_thread(void *data)
{
    pending = NULL;
    free_pending(data);
}

/* Set while the stock inspector works on this thread, or get_CurrentThread() runs for us. */
static OWN int quiet;

/* The end of the calling method's frame: its stack pointer (DWARF 5, 6.4). It is that of the caller
 * of the function that uses this, so functions in between must be inlined. */
#define CALLERS_FRAME ((uintptr_t)__builtin_dwarf_cfa())
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Frames below belong to get_CurrentThread(). A call from the same address or above means that it
 * never returned, because of an exception: its line is lost, and the thread is no longer quiet. */
static __attribute__((noinline)) bool is_quiet(uintptr_t frame)
{
    if (pending && pending->requested_at != 0 && frame >= pending->requested_at) {
        pending->requested_at = 0;
        pending->size = 0;
        quiet--;
        shared_counters_lose(status_slot(), 1, ECANCELED);
    }
    return quiet != 0;
}

static ALWAYS_INLINE bool keeps_quiet(void)
{
    return quiet != 0 && is_quiet(CALLERS_FRAME);
}

/* Whether its line is needed. */
static int be_quiet(int on)
{
    quiet += on ? 1 : -1;
    return !output_is_over();
}

/* From the stock inspector, which has formatted it. */
static void take_line(const char *bytes, size_t size)
{
    output_line(bytes, size);
}

static bool only_counts;
static _Atomic uint64_t value_count; /* of both inspectors */

void unmanaged_set_only_counts(bool on)
{
    only_counts = on;
}

/* The line for one more value, only for powers of two; the same as data/inspector/Output.cs. 0:
 * none. */
static size_t count_value(char *line, size_t room)
{
    uint64_t count = atomic_fetch_add(&value_count, 1) + 1;
    return (count & (count - 1)) == 0
               ? (size_t)snprintf(line, room, "ilpatch: %" PRIu64 " values\n", count)
               : 0;
}

static void take_count(void)
{
    char line[64];
    size_t size = count_value(line, sizeof line);
    if (size != 0) {
        output_line(line, size);
    }
}

static void take_message(const char *bytes, size_t size)
{
    report_message("%.*s", (int)size, bytes);
}

static struct shaped_value shaped_as(const struct kept_shape *kept, enum secrecy secrecy,
                                     const void *value, uint32_t size)
{
    return (struct shaped_value){.shape = atomic_load(&kept->now),
                                 .types = kept->types,
                                 .value = value,
                                 .size = size,
                                 .redaction = unmanaged_chosen.settings->redaction,
                                 .secrecy = secrecy,
                                 .limits = &unmanaged_chosen.settings->limits};
}

/* ---- arguments ---- */

/* Below all stack addresses of the thread's methods. */
#define OWN_STACK ((uintptr_t)__builtin_frame_address(0))

/* Neither lines nor records, which would contain arguments. */
static bool makes_no_text(void)
{
    return only_counts || value_counts_are_open();
}

static void enter(const void *local, uint32_t size, int64_t id)
{
    (void)size;
    const struct shown *shown = keeps_quiet() || output_is_over() ? NULL : unmanaged_find(id);
    struct pending *to = shown && entry_is_needed(&shown->entry, makes_no_text()) ? pending_line()
                                                                                  : NULL;
    if (to && !choice_is_over(&to->choice, &shown->choice)) {
        entry_begin(&to->calls, &shown->entry, (uintptr_t)local, id, CALLERS_FRAME);
    }
}

/* The next argument of the last begun call. */
static ALWAYS_INLINE void pass_typed(const void *value, uint32_t size, int64_t id, const void *type)
{
    struct pending *own = own_pending();
    const struct shown *shown = keeps_quiet() || output_is_over() || !own ? NULL
                                                                          : unmanaged_find(id);
    struct call *call = shown && shown->entry.arguments ? calls_last(&own->calls, id, OWN_STACK)
                                                        : NULL;
    if (!call) {
        return;
    }
    const struct entry_argument *argument = entry_waits_for(call, &shown->entry);
    struct shaped_value shaped;
    bool readable = false;
    if (argument) {
        shaped = shaped_as(argument->kept, argument->secrecy, value, size);
        shape_set_type(&shaped, type);
        readable = !value || ((uintptr_t)value >= FIRST_PAGES &&
                              (!argument->doubtful || !shape_has_references(shaped.shape)));
    }
    entry_pass(&own->calls, call, &shown->entry, &own->choice, readable ? &shaped : NULL);
}

static void pass(const void *value, uint32_t size, int64_t id)
{
    pass_typed(value, size, id, NULL);
}

static void pass_object(const void *object, uint32_t size, int64_t id)
{
    pass_typed(&object, size, id, NULL);
}

/* ---- values ---- */

/* The end of a call that is about to be shown. */
struct ended {
    enum call_end end;
    const void *local; /* the call's: the address of the value, except for a null reference */
    int64_t id;
    const struct kept_shape *kept; /* NULL: no value */
    enum secrecy secrecy;
    const void *value;
    uint32_t size;
    const void *type; /* an object; NULL: the signature is sufficient */
};

/* The thread's part of the spool; NULL: no memory. */
static inline struct recording_thread *recording(struct pending *to)
{
    to->spool = to->spool ? to->spool : value_spool_begin_thread();
    return to->spool;
}

/* The text of a call's end: a value without its type, which the method's signature has. */
static void record_text(struct recording_thread *spool, uint8_t *text, enum call_end end,
                        const struct shaped_value *value)
{
    struct line line;
    line_begin(&line, (char *)text, ILPI_SPOOL_TEXT);
    if (end == END_VOID) {
        line_part(&line, ILPI_SPOOL_TEXT);
        line_put(&line, "void");
    } else {
        shape_put(&line, value);
    }
    if (end == END_THREW) {
        shape_put_type(&line, value);
    }
    value_spool_end(spool, text, line.size);
}

/* The arguments without parentheses. */
static void record(struct pending *to, const struct shown *shown, const struct shown_call *call,
                   enum call_end end, const struct shaped_value *value)
{
    struct ilp_bytes arguments = {NULL, 0};
    struct recording_thread *spool = recording(to);
    if (!spool || shown->recorded == 0) {
        return;
    }
    if (call && call->arguments) {
        arguments = (struct ilp_bytes){(const uint8_t *)call->arguments + 1,
                                       call->arguments_size - 2};
    }
    uint8_t *text = value_spool_begin(spool, shown->recorded, end == END_THREW, arguments);
    if (text) {
        record_text(spool, text, end, value);
    }
}

/* The same for a value without other requirements. */
static void record_at_once(struct pending *to, const struct shown *shown, const void *value,
                           uint32_t size, const void *type)
{
    struct recording_thread *spool = recording(to);
    uint8_t *text = spool ? value_spool_begin(spool, shown->recorded, false,
                                              (struct ilp_bytes){NULL, 0})
                          : NULL;
    if (text) {
        struct shaped_value shaped = shaped_as(shown->kept, shown->secrecy, value, size);
        if (type) {
            shape_set_type(&shaped, type);
        }
        record_text(spool, text, END_RETURNED, &shaped);
    }
}

/* Once: the size is 0 then, and write_out() after it finds nothing. */
static void put_out(struct pending *line)
{
    if (line->size != 0) {
        output_line(line->bytes, line->size);
        line->size = 0;
    }
}

/* Not inlined below, so that counted values take few instructions. */
static __attribute__((noinline)) void show_end(struct pending *to, const struct shown *shown,
                                               const struct ended *ended)
{
    struct left_call left = {.shows = false};
    if (entry_is_needed(&shown->entry, makes_no_text())) {
        left = entry_leave(&to->calls, &shown->entry, ended->local, ended->id, OWN_STACK,
                           ended->end == END_THREW);
        if (shown->choice.is_paced_at_once && !left.choice.outcomes) {
            choice_leave_paced(&to->choice); /* as its entry was */
            return;
        }
    }
    const struct shown_call *call = left.shows ? &left.call : NULL;
    struct shaped_value shaped = {.value = NULL};
    if (ended->kept) {
        shaped = shaped_as(ended->kept, ended->secrecy, ended->value, ended->size);
        shape_set_type(&shaped, ended->type);
    }
    if (!choice_takes(&to->choice, &shown->choice, &left.choice, ended->end, &shaped)) {
        return;
    }
    bool counts = ended->end == END_RETURNED;
    if (value_counts_are_open()) {
        if (counts) {
            value_counts_add(&to->counts, shown->counted);
        }
    } else if (only_counts) {
        to->size = counts ? count_value(to->bytes, shown_line_room()) : 0;
    } else if (value_spool_is_open()) {
        record(to, shown, call, ended->end, &shaped);
    } else {
        to->size = shown_line(to->bytes, &shown->method, call, ended->end, &shaped);
    }
    if (output_never_waits() && !unmanaged_chosen.has_context) {
        put_out(to);
    }
}

/* NULL also while the thread is quiet, for ids of an earlier watch, and when outputs have ended. */
static ALWAYS_INLINE const struct shown *find_shown(int64_t id)
{
    return keeps_quiet() || output_is_over() ? NULL : unmanaged_find(id);
}

static void end_call(const struct shown *shown, const struct ended *ended)
{
    struct pending *to = shown ? line_of_value() : NULL;
    if (to) {
        show_end(to, shown, ended);
    }
}

/* `type` is an object, or NULL if the signature is sufficient. */
static ALWAYS_INLINE void show_typed(const void *value, uint32_t size, int64_t id, const void *type)
{
    const struct shown *shown = find_shown(id);
    struct pending *to = shown && shown->kept ? line_of_value() : NULL;
    if (!to) {
        return;
    }
    if (shown->all_counted) {
        value_counts_add(&to->counts, shown->counted);
        choice_count_call(&to->choice, &shown->choice);
    } else if (shown->all_recorded) {
        record_at_once(to, shown, value, size, type);
    } else if (!choice_is_over(&to->choice, &shown->choice) &&
               (!value || !choice_leaves(&to->choice, &shown->choice, value, size))) {
        show_end(to, shown,
                 &(struct ended){.end = END_RETURNED,
                                 .local = value,
                                 .id = id,
                                 .kept = shown->kept,
                                 .secrecy = shown->secrecy,
                                 .value = value,
                                 .size = size,
                                 .type = type});
    }
}

static void show(const void *value, uint32_t size, int64_t id)
{
    show_typed(value, size, id, NULL);
}

static void show_object(const void *object, uint32_t size, int64_t id)
{
    show_typed(&object, size, id, NULL);
}

/* In little-endian order its low bytes come first. */
static void show_integer(int64_t value, uint32_t size, int64_t id)
{
    show_typed(&value, size, id, NULL);
}

/* The call's end without a value; `size` is there because all of these functions have one
 * signature. */
static void leave(const void *local, uint32_t size, int64_t id)
{
    (void)size;
    end_call(find_shown(id), &(struct ended){.end = END_VOID, .local = local, .id = id});
}

static void show_exception(const void *object, const void *local, int64_t id)
{
    const struct shown *shown = find_shown(id);
    if (shown && shown->exception) {
        end_call(shown, &(struct ended){.end = END_THREW,
                                        .local = local,
                                        .id = id,
                                        .kept = shown->exception,
                                        .value = &object,
                                        .size = sizeof object});
    }
}

/* ---- activities ---- */

static const struct activity_source *activities;
static const char *_Atomic unknown_activity; /* the first reason */

void unmanaged_set_activities(const struct activity_source *source)
{
    activities = source;
}

/* Whether there is a line that needs the thread's activity. It is pending until take_thread(). */
static int32_t wants_thread(void)
{
    if (!own_pending() || pending->size == 0 || output_is_over() || keeps_quiet()) {
        return 0;
    }
    pending->requested_at = CALLERS_FRAME;
    quiet++;
    return 1;
}

/* Called between show() and write_out(), with the line that show() has made. */
static void take_thread(const void *thread)
{
    if (!pending || pending->requested_at == 0) {
        return;
    }
    pending->requested_at = 0;
    quiet--;
    if (!activities || only_counts || pending->size == 0 || output_is_over() || !own_pending()) {
        return;
    }
    struct activity activity = activity_of(activities, thread);
    if (activity.unknown) {
        atomic_store(&unknown_activity, activity.unknown);
    } else {
        pending->size = shown_line_add_activity(pending->bytes, pending->size, &activity);
    }
}

void unmanaged_report_end(void)
{
    const char *why = atomic_exchange(&unknown_activity, NULL); /* a later watch has its own */
    if (why) {
        status_line("values", "lines lack the ids of their activity: %s", why);
    }
}

/* ---- addresses for compiled code ---- */

/* get_CurrentThread() itself calls this without wants_thread(): the line is then its caller's, and
 * incomplete. */
static void write_out(void)
{
    if (own_pending() && pending->requested_at == 0) {
        put_out(pending);
    }
}

/* What compiled code may call, with and without a GC transition (src/inspect/native/native_call.c
 * has the signatures). */
struct ilp_native unmanaged_native(bool writes, bool json)
{
    unmanaged_chosen.has_context = writes && json;
    return (struct ilp_native){
        .call = ILP_NATIVE_CALLI_MANAGED,
        .library = "unmanaged",
        .symbol = "show",
        .address = (uintptr_t)show,
        .then = writes ? (uintptr_t)write_out : 0,
        .typed = (uintptr_t)show_typed,
        .object = (uintptr_t)show_object,
        .integer = (uintptr_t)show_integer,
        .arguments = {.enter = (uintptr_t)enter,
                      .object = (uintptr_t)pass_object,
                      .reference = (uintptr_t)pass,
                      .typed = (uintptr_t)pass_typed,
                      .leave = (uintptr_t)leave},
        .exception = (uintptr_t)show_exception,
        .context = {.wants = unmanaged_chosen.has_context ? (uintptr_t)wants_thread : 0,
                    .thread = unmanaged_chosen.has_context ? (uintptr_t)take_thread : 0}};
}

/* Separated by spaces, in hexadecimal, in the order that unmanaged.h gives. */
char *unmanaged_addresses(void)
{
    return format_text("%" PRIxPTR " %" PRIxPTR " %" PRIxPTR " %" PRIxPTR, (uintptr_t)be_quiet,
                       (uintptr_t)take_line, (uintptr_t)take_count, (uintptr_t)take_message);
}

/* Once, even if a process is attached to repeatedly. */
static bool have_thread_ends(void)
{
    static bool have; /* under the profiler's lock, or before there are other threads */
    have = have || pthread_key_create(&at_thread_end, end_thread) == 0;
    return have;
}

bool unmanaged_is_possible(void *info, const struct runtime *runtime, bool alone)
{
    bool known = objects_are_known(info);
    if (!known) {
        status_line(
            alone ? "failed" : "values",
            "the layout of strings in this runtime, %s, is not known, so the profiler cannot "
            "read values. Pass --inspector full",
            runtime->version_text);
    }
    return known && have_thread_ends();
}
