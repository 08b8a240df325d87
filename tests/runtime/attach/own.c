/* The same in C. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void own(const void *value, uint32_t size, int64_t id)
{
    FILE *file = fopen(getenv("OWN_VALUES"), "a");
    fprintf(file, "%" PRId64 " = %d (%u)\n", id, *(const int *)value, size);
    fclose(file);
}
