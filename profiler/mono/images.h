/* The images of a Mono process: patched assemblies in the place of those that it loads. */
#ifndef ILPI_MONO_IMAGES_H
#define ILPI_MONO_IMAGES_H

#include <stdbool.h>

struct mono_process;

/* Puts in what Mono reports of images; `handle` is that of profiler_create(). */
void images_watch(struct mono_process *process, void *handle);

/* Images that this thread opens are left as they are until it is switched off again. */
void images_leave(bool on);

#endif
