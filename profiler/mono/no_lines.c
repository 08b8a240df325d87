/* Writes empty symbols. See no_lines.h. The format is that of mono/metadata/mono-debug.h:
 * MonoSymbolFile, and MonoSymbolFileOffsetTable of twenty numbers. */
#include "profiler/mono/no_lines.h"

void no_lines_write(struct ilpi_buf *out, const uint8_t mvid[16])
{
    enum { MAJOR = 50, MINOR = 0, NUMBERS = 20 };
    ilpi_buf_u64(out, 0x45E82623FD7FA614u);
    ilpi_buf_u32(out, MAJOR);
    ilpi_buf_u32(out, MINOR);
    ilpi_buf_bytes_add(out, mvid, 16);
    ilpi_buf_u32(out, 8 + 4 + 4 + 16 + NUMBERS * 4); /* the size of the file */
    ilpi_buf_zeros(out, (NUMBERS - 1) * 4);
}
