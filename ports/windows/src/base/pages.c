/* Pages of the system, by VirtualAlloc. See pages.h. */
#include "base/pages.h"

#include <windows.h>

/* Committed pages get memory at their first use, as mapped ones do, but all of them count against
 * the commit limit. */
void *ilpi_pages_open(size_t size)
{
    return VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void ilpi_pages_close(void *pages, size_t size)
{
    (void)size;
    if (pages) {
        VirtualFree(pages, 0, MEM_RELEASE);
    }
}
