/* The images of a Mono process: loads patched assemblies in place of the original ones. */
#ifndef ILPI_MONO_IMAGES_H
#define ILPI_MONO_IMAGES_H

#include <stdbool.h>

struct mono_process;

/* Installs the image callbacks; `handle` is profiler_create()'s. */
void images_watch(struct mono_process *process, void *handle);

/* Images that this thread opens are left alone until it is switched off again. */
void images_leave(bool on);

#endif
