/* Buffers lines for a file: a ring, a thread that empties it after a pause, and writers that do so
 * if it is full. See line_buffer.h. `writing` is held by whoever writes to the file, so that lines
 * stay in order. */
#include "profiler/line_buffer.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <threads.h>
#include <unistd.h>

#include "host/line_output.h"
#include "host/line_ring.h"
#include "host/memory.h"
#include "host/process.h"
#include "profiler/own_thread.h"

enum {
    KEPT_MS = 40,    /* how long a line is buffered, for someone watching the file */
    STUCK_MS = 1000, /* how long to wait for a thread that has reserved a record */
    SPINS = 100      /* while it may only have lost the processor */
};

static struct line_ring *_Atomic buffer; /* NULL: none */
static unsigned number;                  /* of that ring */
static struct line_output output;        /* with the lock `writing`; owns the name of the rings */

static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER; /* held by the reader of the ring */
static char chunk[LINE_RING_LONGEST];

static pthread_t flusher;
static sem_t woken;
static atomic_bool ends;

/* Positions only grow, and may wrap: their difference is compared. */
static bool is_before(uint64_t position, uint64_t end)
{
    return (int64_t)(position - end) < 0;
}

/* With the lock. Writes lines put before `end`, up to the first record that is not done: others
 * keep putting lines. What is written is noted before, so that neither the command nor another
 * process writes it again after a kill. */
static void drain(struct line_ring *ring, uint64_t end)
{
    uint64_t position = atomic_load(&ring->taken);
    size_t size;
    if (!is_before(position, end)) {
        return;
    }
    line_output_lock(&output);
    while (is_before(position, end) &&
           (size = line_ring_read(ring, &position, chunk, sizeof chunk, LINE_RING_LIVE)) != 0) {
        line_output_note(&output, ring, number, size);
        output.write(chunk, size);
        line_ring_take(ring, position);
    }
    line_output_unlock(&output);
}

/* With the lock. Writes lines put before this call, so that a thread's lines stay in order. Waits
 * only for a while for a thread that a debugger has stopped while it copied. */
static void drain_all(struct line_ring *ring)
{
    uint64_t end = atomic_load(&ring->head);
    for (unsigned tries = 0; tries < SPINS + STUCK_MS; tries++) {
        drain(ring, end);
        if (!is_before(atomic_load(&ring->taken), end)) {
            return;
        }
        if (tries < SPINS) {
            thrd_yield();
        } else {
            process_pause(1);
        }
    }
    atomic_store(&ring->closed, 1);
}

/* Then its name is gone as well. */
static bool command_has_gone(void)
{
    return access(output.rings, F_OK) != 0;
}

/* Sleeps until a line is there, then for a moment, so that many lines are one write. */
static void *flush(void *argument)
{
    struct line_ring *ring = argument;
    while (!atomic_load(&ends)) {
        if (line_ring_wait(ring)) {
            while (sem_wait(&woken) != 0 && errno == EINTR) {
            }
        }
        if (!atomic_load(&ends)) {
            process_pause(KEPT_MS);
            pthread_mutex_lock(&writing);
            drain(ring, atomic_load(&ring->head));
            pthread_mutex_unlock(&writing);
            if (command_has_gone()) {
                atomic_store(&ring->closed, 1);
            }
        }
    }
    return NULL;
}

/* The file's device and inode are noted in the ring, so that the command can see whether the path
 * still names the file (tools/launch/left_lines.c). Turns are taken at a regular file. */
static struct line_ring *join(const char *name)
{
    struct stat info;
    int file = name && fstat(output.file, &info) == 0 ? line_rings_open(name) : -1;
    struct line_ring *ring = file >= 0 ? line_ring_join(file, &number) : NULL;
    if (ring) {
        ring->device = info.st_dev;
        ring->inode = info.st_ino;
        output.first = S_ISREG(info.st_mode) ? line_ring_map(file, 0) : NULL;
    }
    if (file >= 0) {
        close(file);
    }
    return ring;
}

static void leave(struct line_ring *ring)
{
    if (output.first) {
        line_ring_unmap(output.first);
        output.first = NULL;
    }
    line_ring_unmap(ring);
    free(output.rings);
    output.rings = NULL;
}

/* The ring is published last: from then on threads put lines into it, and the flusher must be there
 * to be woken. */
void line_buffer_open(const char *name, int file, void (*write)(const char *bytes, size_t size))
{
    output = (struct line_output){.file = file, .write = write, .room = chunk};
    struct line_ring *ring = join(name);
    if (!ring) {
        return;
    }
    output.rings = copy_text(name);
    if (!output.rings) {
        leave(ring);
        return;
    }
    atomic_store(&ends, false);
    sem_init(&woken, 0, 0);
    if (!own_thread_start(&flusher, flush, ring)) {
        leave(ring);
        return;
    }
    atomic_store(&buffer, ring);
}

/* With a full ring the caller empties it and writes its own line after that, so that lines keep
 * their order. */
bool line_buffer_put(const char *bytes, size_t size)
{
    struct line_ring *ring = atomic_load_explicit(&buffer, memory_order_acquire);
    if (!ring) {
        return false;
    }
    switch (line_ring_put(ring, bytes, size)) {
    case LINE_PUT: break;
    case LINE_PUT_WAKE: sem_post(&woken); break;
    case LINE_NO_ROOM:
        pthread_mutex_lock(&writing);
        drain_all(ring);
        line_output_lock(&output);
        output.write(bytes, size);
        line_output_unlock(&output);
        pthread_mutex_unlock(&writing);
        break;
    }
    return true;
}

/* Without `waits` a lock that another thread holds is not waited for. */
void line_buffer_end(bool waits)
{
    struct line_ring *ring = atomic_load(&buffer);
    if (!ring) {
        return;
    }
    atomic_store(&ring->closed, 1);
    if (waits) {
        pthread_mutex_lock(&writing);
        drain_all(ring);
        pthread_mutex_unlock(&writing);
    } else if (pthread_mutex_trylock(&writing) == 0) {
        drain(ring, atomic_load(&ring->head));
        pthread_mutex_unlock(&writing);
    }
}

/* Without a lock or a free(): another thread of the parent may have held either when it forked. */
void line_buffer_forget(void)
{
    atomic_store(&buffer, NULL);
}

/* The thread is joined first: after that only this one takes from the ring. */
void line_buffer_close(void)
{
    struct line_ring *ring = atomic_load(&buffer);
    if (!ring) {
        return;
    }
    atomic_store(&ends, true);
    sem_post(&woken);
    pthread_join(flusher, NULL);
    line_buffer_end(true);
    atomic_store(&buffer, NULL);
    sem_destroy(&woken);
    leave(ring);
}
