/* Memory straight from the system, in pages that it allocates on first use: for large, mostly empty
 * tables, and where malloc() might wait for its lock. */
#ifndef ILPI_PAGES_H
#define ILPI_PAGES_H

#include <stddef.h>

/* All zero. NULL: out of memory. */
void *ilpi_pages_open(size_t size);

/* `size` as it was requested; NULL is ignored. */
void ilpi_pages_close(void *pages, size_t size);

#endif
