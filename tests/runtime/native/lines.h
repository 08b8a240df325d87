/* What a native inspector or a hook has to report, as lines. They are kept in memory, as who writes
 * them may not wait, and are written to $PROBE_OUTPUT at the end. For one file of a library. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINES_ROOM (8u << 20)

static char lines[LINES_ROOM];
static uint32_t lines_used;

/* Where `size` characters go; they are dropped when there is no room. */
static char *take(uint32_t size)
{
    static char nowhere[4096];
    uint32_t at = __atomic_fetch_add(&lines_used, size, __ATOMIC_RELAXED);
    return size <= sizeof nowhere && at <= LINES_ROOM - size ? lines + at : nowhere;
}

static void put(const char *line)
{
    uint32_t size = (uint32_t)strlen(line);
    memcpy(take(size), line, size);
}

/* "id size bytes", or "id size null" */
static void put_value(int64_t id, const void *value, uint32_t size)
{
    char line[1200];
    int at = snprintf(line, sizeof line, "%lld %u ", (long long)id, size);
    for (uint32_t i = 0; i < size && value && i < 512; i++) {
        at += snprintf(line + at, sizeof line - (size_t)at, "%02x", ((const uint8_t *)value)[i]);
    }
    snprintf(line + at, sizeof line - (size_t)at, "%s\n", value ? "" : "null");
    put(line);
}

static void write_lines(void)
{
    const char *path = getenv("PROBE_OUTPUT");
    int fd = path && lines_used != 0 ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (fd >= 0) {
        uint32_t size = lines_used < LINES_ROOM ? lines_used : LINES_ROOM;
        if (write(fd, lines, size) != (ssize_t)size) {
            abort();
        }
        close(fd);
    }
}
