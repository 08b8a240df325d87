/* The inspectors of a Mono process, which are found neither beside the program nor in Mono's
 * folders: where an assembly of their name is wanted they are loaded. */
#ifndef ILPI_MONO_LOADER_H
#define ILPI_MONO_LOADER_H

struct mono_process;

/* Puts in what Mono reports of itself; `handle` is that of profiler_create(). */
void loader_watch(struct mono_process *process, void *handle);

#endif
