/* Writes status lines, each with one write in append mode, so that lines of several threads and
 * processes do not mix. See status.h.
 *
 *   status_open() or status_take()   the command's file, with shared counters if it has any
 *   status_line() ...                WORD <tab> TEXT <newline>
 *   status_leave()                   the number refers to /dev/null from here on
 *   status_take()                    the next command's file, with the same number
 *
 * A thread may have read the number just before status_leave(): by keeping it reserved such a line
 * is written to /dev/null, or to the next command's file, and never to a file of the program that
 * was opened with the same number. In the same way a slot of counters is only left at the second
 * leave. */
#include "profiler/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "host/process.h"
#include "profiler/file_limit.h"
#include "inspect/reasons.h"

static atomic_int status_file = -1;
static int reserved = -1; /* the number of the last one, whatever it refers to; -1: none was left */
static _Thread_local int diverted = -1;
static atomic_bool is_lost; /* a line could not be written: no more are */
static struct shared_counters_slot own_slot;
static struct shared_counters_slot *_Atomic slot = &own_slot;
static struct shared_counters_slot *left_slot; /* in which some thread may still count */

/* ---- errors of single methods ---- */

/* Reasons that have been reported: lack of memory, a runtime that refuses. Lock-free. */
enum { MOST_REASONS = 16 };
static struct {
    _Atomic uint64_t known[MOST_REASONS]; /* 0: free */
    atomic_uint repeated;
} reasons;

static void forget_reasons(void)
{
    for (size_t i = 0; i < MOST_REASONS; i++) {
        atomic_store(&reasons.known[i], 0);
    }
    atomic_store(&reasons.repeated, 0);
}

/* Messages about memory contain its size, but count as the same. */
static uint64_t reason_of(const struct ilp_error *error)
{
    bool is_memory = error->status == ILP_E_NO_MEMORY;
    uint64_t hash = is_memory ? 0 : XXH3_64bits(error->message, strlen(error->message));
    return hash | 1;
}

static bool is_new_reason(uint64_t reason)
{
    for (size_t i = 0; i < MOST_REASONS; i++) {
        uint64_t other = 0;
        if (atomic_compare_exchange_strong(&reasons.known[i], &other, reason)) {
            return true;
        }
        if (other == reason) {
            return false;
        }
    }
    return false; /* too many */
}

void status_method_repeated(void)
{
    unsigned count = atomic_exchange(&reasons.repeated, 0);
    if (count != 0) {
        status_line("message",
                    "%u more method%s left as before, for reasons that were reported; --report "
                    "lists them",
                    count, count == 1 ? " is" : "s are");
    }
}

/* Only if the command cannot see them in shared memory. */
void status_counts(const uint32_t by_reason[])
{
    for (unsigned reason = 0; reason < ILPI_REASON_COUNT && !status_has_shared_counters();
         reason++) {
        if (by_reason[reason] != 0) {
            status_line("count", "%s %u", ilp_reason_code(reason), by_reason[reason]);
        }
    }
}

/* What is lost after this is known from shared memory alone. */
void status_end(void)
{
    const struct shared_counters_slot *own = status_slot();
    if (!status_has_shared_counters() && own->lost != 0) {
        status_line("lost", "%u %u", (unsigned)own->lost, (unsigned)own->lost_error);
    }
    status_line("ended", "%ld", (long)process_own());
    atomic_store(&status_slot()->ended, 1);
}

/* ---- the file ---- */

/* dup3() replaces the number at once, so it never refers to nothing in between. */
void status_take(int file)
{
    struct shared_counters_slot *shared = shared_counters_join(file);
    slot = shared ? shared : &own_slot;
    if (file >= 0 && reserved >= 0) {
        dup3(file, reserved, O_CLOEXEC);
        close(file);
        file = reserved;
    }
    status_file = file;
    atomic_store(&is_lost, false);
    atomic_store(&own_slot.lost, 0);
    forget_reasons();
}

void status_open(const char *path)
{
    if (path && shared_counters_is_name(path)) {
        status_take(shared_counters_open(path));
    } else if (path && path[0] != '\0') {
        status_take(open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
    }
}

static void leave_slot(struct shared_counters_slot *left)
{
    if (left && left != &own_slot) {
        shared_counters_leave(left);
    }
}

void status_leave(void)
{
    int nothing = status_file >= 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    if (nothing >= 0) {
        dup3(nothing, status_file, O_CLOEXEC);
        close(nothing);
    }
    reserved = status_file >= 0 ? status_file : reserved;
    status_file = -1;
    leave_slot(left_slot);
    left_slot = atomic_exchange(&slot, &own_slot);
}

void status_close(void)
{
    status_leave();
    leave_slot(left_slot);
    left_slot = NULL;
    if (reserved >= 0) {
        close(reserved);
        reserved = -1;
    }
}

int status_descriptor(void)
{
    return status_file;
}

int status_duplicate(void)
{
    return status_file >= 0 ? fcntl(status_file, F_DUPFD_CLOEXEC, 0) : -1;
}

void status_divert(int file)
{
    diverted = file;
}

bool status_is_open(void)
{
    return status_file >= 0 && !atomic_load_explicit(&is_lost, memory_order_relaxed);
}

struct shared_counters_slot *status_slot(void)
{
    return slot;
}

bool status_has_shared_counters(void)
{
    return slot != &own_slot;
}

/* Names and paths may contain anything, including line ends. */
static void stay_in_line(char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        text[i] = text[i] == '\n' || text[i] == '\r' || text[i] == '\0' ? '?' : text[i];
    }
}

/* A full disk, a limit or a pipe without a reader must not affect the application. */
static bool put(const char *line, size_t size)
{
    struct file_limit limit;
    ssize_t written;
    int other = diverted;
    file_limit_hold(&limit, true);
    do {
        written = write(other >= 0 ? other : status_file, line, size);
    } while (written < 0 && errno == EINTR);
    file_limit_release(&limit);
    return written == (ssize_t)size;
}

/* Cut at STATUS_LINE_SIZE; the newline is always there. */
void status_line(const char *word, const char *format, ...)
{
    char line[STATUS_LINE_SIZE];
    va_list arguments;
    int size = snprintf(line, sizeof line, "%s\t", word);
    va_start(arguments, format);
    size += vsnprintf(line + size, sizeof line - (size_t)size - 1, format, arguments);
    va_end(arguments);
    if (size > (int)sizeof line - 2) {
        size = (int)sizeof line - 2;
    }
    stay_in_line(line, (size_t)size);
    line[size++] = '\n';
    if (status_is_open() && !put(line, (size_t)size)) {
        atomic_store(&is_lost, true);
    }
}

void status_module(const char *path, const struct ilp_error *error)
{
    status_line("module", "%d %s: %s", (int)error->status, path, error->message);
}

void status_method(const char *path, ilp_token method, const struct ilp_error *error)
{
    if (!is_new_reason(reason_of(error))) {
        atomic_fetch_add(&reasons.repeated, 1);
        return;
    }
    status_line("method", "%08X %s: %s", method, path, error->message);
}
