/* No file of which a part is mapped can be made shorter. See cut_off.h. */
#include "profiler/cut_off.h"

bool cut_off_watch(void *memory, size_t size)
{
    (void)memory;
    (void)size;
    return true;
}

void cut_off_forget(const void *memory)
{
    (void)memory;
}

bool cut_off_happened(void)
{
    return false;
}
