/* A native inspector that counts, and reports it at 1, 2, 4, 8 ... values. */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

void count(const void *value, uint32_t size, int64_t id)
{
    static long values;
    long n = __atomic_add_fetch(&values, 1, __ATOMIC_RELAXED);
    (void)value, (void)size, (void)id;
    if ((n & (n - 1)) == 0) {
        char line[40];
        int length = snprintf(line, sizeof line, "values -> %ld\n", n);
        if (write(2, line, (size_t)length) < 0) {
            return;
        }
    }
}
