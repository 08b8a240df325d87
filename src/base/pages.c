/* Pages of the system. See pages.h. */
#include "base/pages.h"

#include <sys/mman.h>

void *ilpi_pages_open(size_t size)
{
    /* MAP_NORESERVE: most of it is never written, so no swap space is reserved for it */
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void ilpi_pages_close(void *pages, size_t size)
{
    if (pages) {
        munmap(pages, size);
    }
}
