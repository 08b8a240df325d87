/* The inspectors of a Mono process, which are neither beside the program nor in Mono's folders:
 * they are loaded when an assembly of their name is needed. */
#ifndef ILPI_MONO_LOADER_H
#define ILPI_MONO_LOADER_H

struct mono_process;

/* Installs the callbacks; `handle` is profiler_create()'s. */
void loader_watch(struct mono_process *process, void *handle);

#endif
