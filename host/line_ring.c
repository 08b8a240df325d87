/* Rings of lines in shared memory. See line_ring.h for the protocol. */
#include "host/line_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/file_map.h"
#include "host/own_file.h"

/* The offset of each ring allows pages of up to 64 KB. */
enum { PAGES = 1 << 16, STRIDE = LINE_RING_ROOM + PAGES };
_Static_assert(sizeof(struct line_ring) <= STRIDE, "a ring ends before the next one");
_Static_assert((LINE_RING_ROOM & (LINE_RING_ROOM - 1)) == 0, "positions are cut to offsets");
_Static_assert(LINE_RING_LONGEST + sizeof(uint64_t) <= LINE_RING_ROOM, "every line has room");

static const char magic[8] = "ilplines";

/* ---- the file ---- */

static int give_up(int file, int error)
{
    close(file);
    errno = error;
    return -1;
}

/* Sealed against shrinking after its size is set, so that no side can make an access of the other
 * end in SIGBUS. */
int line_rings_make(unsigned count)
{
    int file = file_in_memory("ilpatch-lines");
    if (file < 0) {
        return -1;
    }
    bool made = fchmod(file, S_IRUSR | S_IWUSR) == 0 &&
                ftruncate(file, (off_t)count * STRIDE) == 0 &&
                pwrite(file, magic, sizeof magic, 0) == sizeof magic;
    return made && file_in_memory_keeps_size(file) ? file : give_up(file, errno);
}

/* 0 if anything is not as line_rings_make() makes it: the descriptor came from another process. */
unsigned line_rings_count(int file)
{
    struct stat info;
    char begin[sizeof magic];
    bool is_ours = own_file_is(file) && file_in_memory_has_kept_size(file) &&
                   fstat(file, &info) == 0 && info.st_size % STRIDE == 0 &&
                   info.st_size / STRIDE <= LINE_RINGS &&
                   pread(file, begin, sizeof begin, 0) == sizeof begin &&
                   memcmp(begin, magic, sizeof magic) == 0;
    return is_ours ? (unsigned)(info.st_size / STRIDE) : 0;
}

int line_rings_open(const char *name)
{
    int file = open(name, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    return file >= 0 && line_rings_count(file) == 0 ? give_up(file, EPERM) : file;
}

struct line_ring *line_ring_map(int file, unsigned index)
{
    if (index >= line_rings_count(file)) {
        errno = EINVAL;
        return NULL;
    }
    return file_map_shared(file, (uint64_t)index * STRIDE, sizeof(struct line_ring));
}

void line_ring_unmap(struct line_ring *ring)
{
    file_unmap(ring, sizeof *ring);
}

/* ---- owners ---- */

/* Process numbers are reused, but not with the same start time (proc(5): 22 bits at most). */
enum { NUMBER_BITS = 22 };

static uint64_t process_key(process_id process)
{
    user_id owner;
    unsigned long long started;
    return process_find(process, &owner, &started)
               ? (uint64_t)started << NUMBER_BITS | (uint64_t)process
               : 0;
}

process_id line_ring_process(const struct line_ring *ring)
{
    return (process_id)(atomic_load(&ring->owner) & (((uint64_t)1 << NUMBER_BITS) - 1));
}

bool line_ring_is_used(const struct line_ring *ring)
{
    uint64_t owner = atomic_load(&ring->owner);
    return owner != 0 && process_runs(line_ring_process(ring), owner >> NUMBER_BITS);
}

/* The first ring that is empty and whose owner has ended. The owner is a process with its start
 * time, since numbers of processes are used again. */
struct line_ring *line_ring_join(int file, unsigned *number)
{
    uint64_t own = process_key(process_own());
    unsigned count = own == 0 ? 0 : line_rings_count(file);
    for (unsigned i = 0; i < count; i++) {
        struct line_ring *ring = line_ring_map(file, i);
        if (!ring) { /* none is skipped, so a reader finds the last one */
            return NULL;
        }
        uint64_t owner = atomic_load(&ring->owner);
        if (line_ring_is_empty(ring) && (owner == 0 || !line_ring_is_used(ring)) &&
            atomic_compare_exchange_strong(&ring->owner, &owner, own)) {
            atomic_store(&ring->written, LINE_RING_UNWRITTEN);
            atomic_store(&ring->waits, 0);
            atomic_store(&ring->closed, 0);
            if (number) {
                *number = i;
            }
            return ring;
        }
        line_ring_unmap(ring);
    }
    return NULL;
}

/* ---- records ---- */

/* The first word of a record: its state, and the size of the line. */
enum { RECORD_RESERVED = 1, RECORD_DONE = 2 };

static _Atomic uint64_t *word_at(const struct line_ring *ring, uint64_t position)
{
    size_t offset = (size_t)(position % LINE_RING_ROOM) & ~(sizeof(uint64_t) - 1);
    return (_Atomic uint64_t *)(uintptr_t)(ring->bytes + offset);
}

static uint64_t record_size(uint64_t line)
{
    return sizeof(uint64_t) + ((line + 7) & ~(uint64_t)7);
}

/* The bytes from a position to the end of the memory, after which they wrap around. */
static size_t straight(uint64_t position, size_t size)
{
    size_t left = LINE_RING_ROOM - (size_t)(position % LINE_RING_ROOM);
    return size < left ? size : left;
}

/* False: no room. */
static bool reserve(struct line_ring *ring, uint64_t size, uint64_t *position)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    for (;;) {
        uint64_t used = head - atomic_load_explicit(&ring->freed, memory_order_acquire);
        if (used > LINE_RING_ROOM || size > LINE_RING_ROOM - used) {
            uint64_t seen = head; /* other threads and the reader may have moved it since */
            head = atomic_load_explicit(&ring->head, memory_order_relaxed);
            if (head == seen) {
                return false;
            }
        } else if (atomic_compare_exchange_weak(&ring->head, &head, head + size)) {
            *position = head;
            return true;
        }
    }
}

/*   reserve (add to head) -> size and RESERVED -> bytes -> DONE
 *
 * If the process is killed after any of these steps, a reader knows which: a word of 0 was not
 * started, RESERVED has its size, and DONE is complete. */
enum line_put line_ring_put(struct line_ring *ring, const char *bytes, size_t size)
{
    uint64_t position;
    if (size > LINE_RING_LONGEST || atomic_load_explicit(&ring->closed, memory_order_relaxed) ||
        !reserve(ring, record_size(size), &position)) {
        return LINE_NO_ROOM;
    }
    _Atomic uint64_t *word = word_at(ring, position);
    uint64_t begin = position + sizeof *word;
    size_t first = straight(begin, size);
    atomic_store_explicit(word, (uint64_t)RECORD_RESERVED << 32 | size, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* before any byte, even if the process is killed
                                                  right now */
    memcpy(ring->bytes + begin % LINE_RING_ROOM, bytes, first);
    memcpy(ring->bytes, bytes + first, size - first);
    atomic_store_explicit(word, (uint64_t)RECORD_DONE << 32 | size, memory_order_release);
    /* Either this sees that the reader waits, or line_ring_wait() sees the reservation. */
    return atomic_load(&ring->waits) != 0 && atomic_exchange(&ring->waits, 0) != 0 ? LINE_PUT_WAKE
                                                                                   : LINE_PUT;
}

/* Advances by a word in a record without a size, */
static uint64_t step(uint64_t word, uint64_t left)
{
    uint64_t size = word == 0 ? sizeof word : record_size((uint32_t)word);
    return size <= left ? size : left; /* or to the end if the size is invalid */
}

/* Stops at a record that is not done while its process lives; afterwards such a record is skipped.
 * What does not make sense (sizes beyond the head) is skipped by words: the other side may write
 * anything. */
size_t line_ring_read(const struct line_ring *ring, uint64_t *position, char *to, size_t room,
                      enum line_ring_state state)
{
    size_t copied = 0;
    uint64_t head = atomic_load(&ring->head);
    if (head - *position > LINE_RING_ROOM) {
        *position = head;
    }
    while (*position != head) {
        uint64_t word = atomic_load_explicit(word_at(ring, *position), memory_order_acquire);
        uint64_t begin = *position + sizeof word, left = head - *position;
        size_t size = (uint32_t)word;
        bool done = word >> 32 == RECORD_DONE && size <= LINE_RING_LONGEST &&
                    record_size(size) <= left;
        if ((!done && state == LINE_RING_LIVE) || (done && size > room - copied)) {
            break;
        }
        if (done) {
            size_t first = straight(begin, size);
            memcpy(to + copied, ring->bytes + begin % LINE_RING_ROOM, first);
            memcpy(to + copied + first, ring->bytes, size - first);
            copied += size;
        }
        *position += step(word, left);
    }
    return copied;
}

/* A kill may come at any point: bytes are marked as taken before they are overwritten. */
void line_ring_take(struct line_ring *ring, uint64_t position)
{
    uint64_t from = atomic_load(&ring->freed);
    uint64_t size = position - from <= LINE_RING_ROOM ? position - from : LINE_RING_ROOM;
    size_t first = straight(from, (size_t)size);
    atomic_store(&ring->taken, position);
    atomic_signal_fence(memory_order_seq_cst);
    memset(ring->bytes + from % LINE_RING_ROOM, 0, first);
    memset(ring->bytes, 0, (size_t)size - first);
    atomic_store_explicit(&ring->freed, position, memory_order_release);
}

bool line_ring_is_empty(const struct line_ring *ring)
{
    uint64_t head = atomic_load(&ring->head);
    return head == atomic_load(&ring->taken) && head == atomic_load(&ring->freed);
}

bool line_ring_wait(struct line_ring *ring)
{
    atomic_store(&ring->waits, 1);
    bool empty = line_ring_is_empty(ring);
    if (!empty) {
        atomic_store(&ring->waits, 0);
    }
    return empty;
}
