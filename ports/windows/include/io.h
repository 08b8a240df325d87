/* io.h has functions read() and write() for descriptors, which read and write at most 2 GB: the
 * port has its own. */
#ifndef PORT_IO_H
#define PORT_IO_H

#define read  port_short_read
#define write port_short_write
#include_next <io.h>
#undef read
#undef write

#endif
