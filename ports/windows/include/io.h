/* io.h has a function tell() for descriptors, which is not used and is a name of ours, and
 * reads and writes at most 2 GB. */
#ifndef PORT_IO_H
#define PORT_IO_H

#define tell  port_tell
#define read  port_short_read
#define write port_short_write
#include_next <io.h>
#undef tell
#undef read
#undef write

#endif
