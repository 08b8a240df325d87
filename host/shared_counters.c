/* See board.h. */
#include "host/shared_counters.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = "ilpboard";

/* For lines that are written when the disk is full. */
enum { ROOM_FOR_LINES = 1 << 16 };

bool board_make(const char *path)
{
    struct board board = {.size = sizeof board};
    memcpy(board.magic, magic, sizeof magic);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    int error = file < 0 ? errno : posix_fallocate(file, 0, sizeof board);
    if (error == 0 && pwrite(file, &board, sizeof board, 0) != sizeof board) {
        error = errno;
    }
    if (error == 0) { /* not every file system can */
        (void)!fallocate(file, FALLOC_FL_KEEP_SIZE, 0, sizeof board + ROOM_FOR_LINES);
    }
    if (file >= 0) {
        close(file);
    }
    errno = error;
    return error == 0;
}

static bool is_board(const struct board *board)
{
    return memcmp(board->magic, magic, sizeof magic) == 0 && board->size == sizeof *board;
}

static struct board *map(const char *path)
{
    struct stat status;
    int file = open(path, O_RDWR | O_CLOEXEC);
    void *memory = MAP_FAILED;
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && (size_t)status.st_size >= sizeof(struct board)) {
        memory = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    if (file >= 0) {
        close(file);
    }
    return memory == MAP_FAILED ? NULL : memory;
}

struct board_slot *board_join(const char *path)
{
    struct board *board = map(path);
    for (unsigned i = 0; board && is_board(board) && i < BOARD_SLOTS; i++) {
        uint32_t nobody = 0;
        if (atomic_compare_exchange_strong(&board->slots[i].process, &nobody, (uint32_t)getpid())) {
            return &board->slots[i];
        }
    }
    if (board) {
        munmap(board, sizeof *board);
    }
    return NULL;
}

void board_leave(struct board_slot *slot)
{
    uintptr_t inside = (uintptr_t)slot % (uintptr_t)sysconf(_SC_PAGESIZE);
    _Static_assert(sizeof(struct board) <= 4096, "the head is within the first page, where mmap() put it");
    munmap((char *)slot - inside, sizeof(struct board));
}

void board_read(FILE *file, struct board *board)
{
    if (fread(board, sizeof *board, 1, file) != 1 || !is_board(board)) {
        memset(board, 0, sizeof *board);
        rewind(file);
    }
}

void board_lose(struct board_slot *slot, int error)
{
    atomic_store_explicit(&slot->lost_error, (uint32_t)error, memory_order_relaxed);
    atomic_fetch_add_explicit(&slot->lost, 1, memory_order_relaxed);
}
