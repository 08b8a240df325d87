/* Shared counters of processes. See shared_counters.h. A slot belongs to the process whose number
 * is in it, from one compare-and-swap on.
 *
 *   struct shared_counters: magic, size, slots | lines of all processes, appended ...
 *     mapped: counters, right after a kill      | written with O_APPEND, read by the command
 *
 * The command makes the file in memory and passes its name (/proc/PID/fd/N); processes open it by
 * that name, which means nothing once the command has ended. */
#include "host/shared_counters.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/file_map.h"
#include "host/memory.h"
#include "host/own_file.h"
#include "host/process.h"

static const char magic[8] = "ilpboard";

static int give_up(int file)
{
    int error = errno;
    close(file);
    errno = error;
    return -1;
}

/* The last step seals it, so that from then on no process can make it shorter. */
int shared_counters_make(void)
{
    struct shared_counters counters = {.size = sizeof counters};
    memcpy(counters.magic, magic, sizeof magic);
    int file = file_in_memory("ilpatch-status");
    if (file < 0) {
        return -1;
    }
    bool made = fchmod(file, S_IRUSR | S_IWUSR) == 0 &&
                pwrite(file, &counters, sizeof counters, 0) == sizeof counters &&
                fcntl(file, F_SETFL, O_APPEND) == 0 && file_in_memory_keeps_size(file);
    return made ? file : give_up(file);
}

char *shared_counters_name(int file)
{
    return process_shared_file(file);
}

bool shared_counters_is_name(const char *name)
{
    return process_is_shared_file(name);
}

static bool is_shared_counters(const struct shared_counters *counters)
{
    return memcmp(counters->magic, magic, sizeof magic) == 0 && counters->size == sizeof *counters;
}

/* A file of this user or of root, of the right size and kind: the name comes from an
 * environment. */
bool shared_counters_is_file(int file)
{
    struct shared_counters head;
    return own_file_is(file) && file_in_memory_has_kept_size(file) &&
           pread(file, &head, sizeof head, 0) == sizeof head && is_shared_counters(&head);
}

/* The command's number, and that of its descriptor, may have been reused. */
int shared_counters_open(const char *name)
{
    int file = open(name, O_RDWR | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file >= 0 && !shared_counters_is_file(file)) {
        errno = EPERM;
        return give_up(file);
    }
    return file;
}

/* A slot belongs to the process whose number is in it; with 0 it is free. */
struct shared_counters_slot *shared_counters_join(int file)
{
    struct shared_counters *counters = shared_counters_is_file(file)
                                           ? file_map_shared(file, 0, sizeof *counters)
                                           : NULL;
    for (unsigned i = 0; counters && i < SHARED_COUNTERS_SLOTS; i++) {
        uint32_t unused = 0;
        if (atomic_compare_exchange_strong(&counters->slots[i].process, &unused,
                                           (uint32_t)getpid())) {
            return &counters->slots[i];
        }
    }
    if (counters) {
        file_unmap(counters, sizeof *counters);
    }
    return NULL;
}

void shared_counters_leave(struct shared_counters_slot *slot)
{
    uintptr_t inside = (uintptr_t)slot % file_map_page();
    _Static_assert(sizeof(struct shared_counters) <= 4096,
                   "the head is within the first page, where it was mapped");
    file_unmap((char *)slot - inside, sizeof(struct shared_counters));
}

/* Zero for another file, and then its lines begin at the start. */
void shared_counters_read(FILE *file, struct shared_counters *counters)
{
    if (fread(counters, sizeof *counters, 1, file) != 1 || !is_shared_counters(counters)) {
        memset(counters, 0, sizeof *counters);
        rewind(file);
    }
}

/* The reason of the last loss is kept. Both are atomic, so a signal handler may call it. */
void shared_counters_lose(struct shared_counters_slot *slot, uint32_t count, int error)
{
    atomic_store_explicit(&slot->lost_error, (uint32_t)error, memory_order_relaxed);
    atomic_fetch_add_explicit(&slot->lost, count, memory_order_relaxed);
}
