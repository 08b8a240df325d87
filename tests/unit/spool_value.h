/* A value into a spool, whose text is there already. */
#ifndef SPOOL_VALUE_H
#define SPOOL_VALUE_H

#include <string.h>

#include "trace/spool_write.h"

static inline void put_value(struct ilpi_spool_thread *thread, uint64_t time, uint64_t method,
                             bool thrown, struct ilp_bytes arguments, struct ilp_bytes value)
{
    uint8_t *text = ilpi_spool_begin_value(thread, time, method, thrown, arguments);
    size_t size = value.size < ILPI_SPOOL_TEXT ? value.size : ILPI_SPOOL_TEXT;
    if (text) {
        memcpy(text, value.data, size);
        ilpi_spool_end_value(thread, text, size);
    }
}

#endif
