/* How names of files in memory end, by which another process knows them (file_map.c, process.c). */
#ifndef PORT_IN_MEMORY_H
#define PORT_IN_MEMORY_H

#define IN_MEMORY ".in-memory"

#endif
