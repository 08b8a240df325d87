/* See shared_counters.h. */
#include "host/shared_counters.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/file_map.h"

static const char magic[8] = "ilpboard";

/* For lines that are written when the disk is full. */
enum { ROOM_FOR_LINES = 1 << 16 };

bool shared_counters_make(const char *path)
{
    struct shared_counters counters = {.size = sizeof counters};
    memcpy(counters.magic, magic, sizeof magic);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    int error = file < 0 ? errno : posix_fallocate(file, 0, sizeof counters);
    if (error == 0 && pwrite(file, &counters, sizeof counters, 0) != sizeof counters) {
        error = errno;
    }
    if (error == 0) { /* not every file system can */
        (void)!fallocate(file, FALLOC_FL_KEEP_SIZE, 0, sizeof counters + ROOM_FOR_LINES);
    }
    if (file >= 0) {
        close(file);
    }
    errno = error;
    return error == 0;
}

static bool is_shared_counters(const struct shared_counters *counters)
{
    return memcmp(counters->magic, magic, sizeof magic) == 0 && counters->size == sizeof *counters;
}

static struct shared_counters *map(const char *path)
{
    struct stat status;
    int file = open(path, O_RDWR | O_CLOEXEC);
    void *memory = NULL;
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
        (size_t)status.st_size >= sizeof(struct shared_counters)) {
        memory = file_map_shared(file, 0, sizeof(struct shared_counters));
    }
    if (file >= 0) {
        close(file);
    }
    return memory;
}

struct shared_counters_slot *shared_counters_join(const char *path)
{
    struct shared_counters *counters = map(path);
    for (unsigned i = 0; counters && is_shared_counters(counters) && i < SHARED_COUNTERS_SLOTS;
         i++) {
        uint32_t nobody = 0;
        if (atomic_compare_exchange_strong(&counters->slots[i].process, &nobody,
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

void shared_counters_read(FILE *file, struct shared_counters *counters)
{
    if (fread(counters, sizeof *counters, 1, file) != 1 || !is_shared_counters(counters)) {
        memset(counters, 0, sizeof *counters);
        rewind(file);
    }
}

void shared_counters_lose(struct shared_counters_slot *slot, int error)
{
    atomic_store_explicit(&slot->lost_error, (uint32_t)error, memory_order_relaxed);
    atomic_fetch_add_explicit(&slot->lost, 1, memory_order_relaxed);
}
