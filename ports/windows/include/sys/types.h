/* Types that are too small on Windows for what files have. */
#ifndef PORT_SYS_TYPES_H
#define PORT_SYS_TYPES_H

#include_next <sys/types.h>
#include <stdint.h>

#define dev_t  uint64_t
#define ino_t  uint64_t
#define mode_t unsigned

#endif
