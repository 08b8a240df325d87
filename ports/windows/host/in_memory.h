/* The suffix of names of files in memory, by which other processes recognise them (file_map.c,
 * process.c). */
#ifndef PORT_IN_MEMORY_H
#define PORT_IN_MEMORY_H

#define IN_MEMORY ".in-memory"

#endif
