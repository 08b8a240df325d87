/* Rooms for chunks as mapped pieces of the file: what a thread writes is in the file at once, even
 * if the process is killed at the next instruction. See src/trace/spool.h for the file.
 *
 *   head->end   added to by each process that takes a piece
 *   a piece     a whole chunk, or a room: its blocks are allocated before it is mapped, so that a
 *               full disk is an error here instead of a SIGBUS in a hook. A truncated file is not
 *               written any more (see cut_off.h)
 *
 * Files that are not regular, or cannot be mapped, get whole chunks, appended one by one
 * (O_APPEND). */
#include "profiler/hooks/spool_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "elt/contract.h"
#include "host/file_map.h"
#include "host/own_file.h"
#include "profiler/cut_off.h"
#include "profiler/file_limit.h"
#include "profiler/hooks/last_error.h"
#include "profiler/status.h"

struct spool_head {
    _Atomic uint64_t magic;
    _Atomic uint64_t end;
};

/* ---- pieces ---- */

/* NULL: see errno. */
static void *map(const struct spool_file *file, uint64_t offset, size_t size)
{
    void *memory = file_map_shared(file->file, offset, size);
    if (memory && !cut_off_watch(memory, size)) {
        file_unmap(memory, size);
        errno = ENOMEM;
        return NULL;
    }
    return memory;
}

static void unmap(const void *memory, size_t size)
{
    cut_off_forget(memory);
    file_unmap(memory, size);
}

/* Allocates the blocks of a piece; 0, or errno. */
static int allocate(const struct spool_file *file, uint64_t offset, size_t size)
{
    struct file_limit limit;
    int error;
    file_limit_hold(&limit, false);
    do {
        error = posix_fallocate(file->file, (off_t)offset, (off_t)size);
    } while (error == EINTR);
    file_limit_release(&limit);
    return error;
}

/* The next whole pages; false: beyond the maximum file size. */
static bool take_piece(struct spool_file *file, size_t size, uint64_t *end, uint64_t *offset)
{
    *end = atomic_load(&file->head->end);
    do {
        *offset = (*end + ILPI_HEAD_SIZE - 1) & ~(uint64_t)(ILPI_HEAD_SIZE - 1);
        if (*offset > (uint64_t)INT64_MAX - size) {
            return false;
        }
    } while (!atomic_compare_exchange_weak(&file->head->end, end, *offset + size));
    return true;
}

/* 0, or an errno. */
static int make_room(struct spool_file *file, uint8_t **room)
{
    const size_t size = ILPI_CHUNK_SIZE;
    uint64_t end, offset;
    if (!take_piece(file, size, &end, &offset)) {
        return EFBIG;
    }
    int error = cut_off_happened() ? LOST_CUT_OFF : allocate(file, offset, size);
    *room = error == 0 ? map(file, offset, size) : NULL;
    if (!*room) {
        uint64_t taken = offset + size;
        error = error != 0 ? error : errno;
        /* unless others have taken more */
        atomic_compare_exchange_strong(&file->head->end, &taken, end);
        return error;
    }
    file_map_populate(*room, size);
    return 0;
}

/* A spare room first, since that costs one exchange; else a new piece of the file, with some system
 * calls, after which errno is what the program had. */
static uint8_t *take_room(void *user, bool needed)
{
    struct spool_file *file = user;
    uint8_t *room = NULL;
    for (unsigned i = 0; i < SPARE_ROOMS; i++) {
        room = atomic_exchange(&file->spare[i], NULL);
        if (room) {
            return room;
        }
    }
    struct last_error of_program = last_error_keep();
    contract_excuse(); /* a few times in the life of a thread */
    int error = make_room(file, &room);
    if (error != 0 && needed) {
        shared_counters_lose(status_slot(), 1, error);
    }
    contract_excused();
    last_error_restore(of_program);
    return room;
}

static void leave_room(void *user, uint8_t *room)
{
    (void)user;
    struct last_error of_program = last_error_keep();
    contract_excuse();
    unmap(room, ILPI_CHUNK_SIZE);
    contract_excused();
    last_error_restore(of_program);
}

/* Kept for another thread; beyond a limit, it stays in the file without records. */
static void give_room_back(void *user, uint8_t *room)
{
    struct spool_file *file = user;
    for (unsigned i = 0; i < SPARE_ROOMS; i++) {
        uint8_t *none = NULL;
        if (atomic_compare_exchange_strong(&file->spare[i], &none, room)) {
            return;
        }
    }
    leave_room(user, room);
}

/* ---- whole chunks ---- */

/* 0, or the reason, as in shared_counters_lose(). */
static int write_at(const struct spool_file *file, const struct iovec *parts, size_t count,
                    size_t size)
{
    ssize_t written;
    if (cut_off_happened()) {
        return LOST_CUT_OFF;
    }
    off_t offset = file->head ? (off_t)atomic_fetch_add(&file->head->end, ILPI_CHUNK_PLACE(size))
                              : 0;
    do {
        written = file->head ? pwritev(file->file, parts, (int)count, offset)
                             : writev(file->file, parts, (int)count);
    } while (written < 0 && errno == EINTR);
    return written == (ssize_t)size ? 0 : written < 0 ? errno : ENOSPC;
}

/* Each call has its own offset: the end by O_APPEND, or a piece of its size. */
static ilp_status append(void *user, const struct ilp_bytes *parts, size_t count)
{
    struct spool_file *file = user;
    struct iovec vector[2 * ILPI_THREAD_ROOMS];
    struct file_limit limit;
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        vector[i] = (struct iovec){(void *)(uintptr_t)parts[i].data, parts[i].size};
        size += parts[i].size;
    }
    struct last_error of_program = last_error_keep();
    contract_excuse(); /* one call for several chunks, into the page cache */
    file_limit_hold(&limit, file->is_pipe);
    int error = write_at(file, vector, count, size);
    if (error != 0) {
        shared_counters_lose(status_slot(), 1, error);
    }
    file_limit_release(&limit);
    contract_excused();
    last_error_restore(of_program);
    return error == 0 ? ILP_OK : ILP_E_CALLBACK;
}

static ilp_status write_chunk(void *user, const void *bytes, size_t size)
{
    return append(user, &(struct ilp_bytes){bytes, size}, 1);
}

/* ---- the file ---- */

/* The head, made by the first of all processes. Without mapping there is none. */
static int open_head(struct spool_file *file)
{
    uint64_t magic = 0, end = 0, first = 0;
    if (pread(file->file, &first, sizeof first, 0) > 0 && first != 0 && first != ILPI_HEAD_MAGIC) {
        return EBADMSG; /* before anything in it is changed */
    }
    int error = allocate(file, 0, ILPI_HEAD_SIZE);
    if (error != 0 && error != EOPNOTSUPP && error != ENOSYS && error != ENODEV) {
        return error;
    }
    struct spool_head *head = error != 0 ? NULL : map(file, 0, ILPI_HEAD_SIZE);
    if (!head) {
        return fcntl(file->file, F_SETFL, O_APPEND) == 0 ? 0 : errno;
    }
    if (!atomic_compare_exchange_strong(&head->magic, &magic, ILPI_HEAD_MAGIC) &&
        magic != ILPI_HEAD_MAGIC) {
        unmap(head, ILPI_HEAD_SIZE);
        return EBADMSG;
    }
    atomic_compare_exchange_strong(&head->end, &end, ILPI_HEAD_SIZE);
    file->head = head;
    return 0;
}

/* A pipe opened for reading and writing need not wait for a reader. */
static int open_named(const char *path, int make)
{
    struct stat info;
    bool special = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    int how = (special ? O_WRONLY | O_APPEND : O_RDWR) | make | O_CLOEXEC;
    return own_file_above_standard(open(path, how, 0600));
}

static bool is_regular(int file)
{
    struct stat info;
    return fstat(file, &info) == 0 && S_ISREG(info.st_mode);
}

int spool_file_open(struct spool_file *file, const char *path, enum spool_origin origin)
{
    cut_off_begin();
    *file = (struct spool_file){.file = origin == SPOOL_OWN
                                            ? own_file_open(path)
                                            : open_named(path, origin == SPOOL_NAMED ? O_CREAT : 0),
                                .rooms = {file, take_room, give_room_back, leave_room, append}};
    if (file->file < 0) {
        return errno;
    }
    file->is_pipe = !is_regular(file->file);
    int error = file->is_pipe ? 0 : open_head(file);
    if (error != 0) {
        close(file->file);
        file->file = -1;
    }
    return error;
}

void spool_file_report(const char *path, int error)
{
    status_line("unwritable", "%s: cannot write: %s", path,
                error == EBADMSG ? "there is something else in it than a spool of this version"
                                 : strerror(error));
}

const struct ilpi_spool_rooms *spool_file_rooms(const struct spool_file *file)
{
    return file->head ? &file->rooms : NULL;
}

struct ilp_sink spool_file_sink(struct spool_file *file)
{
    return (struct ilp_sink){file, write_chunk};
}

void spool_file_forget(struct spool_file *file)
{
    close(file->file);
    file->file = -1;
}

void spool_file_close(struct spool_file *file)
{
    for (unsigned i = 0; i < SPARE_ROOMS; i++) {
        uint8_t *room = atomic_exchange(&file->spare[i], NULL);
        if (room) {
            leave_room(file, room);
        }
    }
    if (file->head) {
        unmap(file->head, ILPI_HEAD_SIZE);
        file->head = NULL;
    }
    if (file->file >= 0) {
        spool_file_forget(file);
    }
}
