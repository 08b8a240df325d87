/* Memory straight from the system, in pages that it gives when they are first used: for what is
 * large and seldom full, and where malloc() might wait for its lock. */
#ifndef ILPI_PAGES_H
#define ILPI_PAGES_H

#include <stddef.h>

/* All zero. NULL: there is none. */
void *ilpi_pages_open(size_t size);

/* `size` as it was asked for; NULL is left as it is. */
void ilpi_pages_close(void *pages, size_t size);

#endif
