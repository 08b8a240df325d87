/* A native function as an inspector: notes a value's bytes in the file that MATRIX_OUT names, by
 * one write. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void probe(const void *value, uint32_t size, int64_t id);

void probe(const void *value, uint32_t size, int64_t id)
{
    char line[128];
    const char *path = getenv("MATRIX_OUT");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (file < 0 || size > 16) {
        return;
    }
    int length = snprintf(line, sizeof(line), "#%lld ", (long long)id);
    for (uint32_t i = 0; i < size; i++) {
        length += snprintf(line + length, sizeof(line) - (size_t)length, "%02x",
                           ((const unsigned char *)value)[i]);
    }
    line[length++] = '\n';
    if (write(file, line, (size_t)length) != length) {
        abort();
    }
    close(file);
}
