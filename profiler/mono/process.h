/* The profiler's state in a Mono process. There is one, which callbacks get as their user. */
#ifndef ILPI_MONO_PROCESS_H
#define ILPI_MONO_PROCESS_H

#include <stdatomic.h>

#include "base/thread.h"
#include "profiler/mono/functions.h"
#include "profiler/mono/image_bytes.h"
#include "profiler/mono/patch.h"

struct replaced_image;
struct known_domain;

struct mono_process {
    struct mono_functions mono;
    char version[64];  /* "Mono 6.8.0.105" */
    char *inspector;   /* the file of the stock inspector, */
    mono_image *stock; /* and its image; NULL: not loaded, or not called */
    atomic_bool works; /* else images are left alone */
    atomic_bool ended; /* the results have been reported */

    struct ilpi_mutex lock; /* around all below, and never while Mono is called */
    struct patching patching;
    struct image_bytes_place place;
    struct replaced_image *replaced;
    struct known_domain *domains; /* in which the stock inspector was started */
    char *program;                /* the file of the main assembly; NULL: not loaded yet */
    char *assemblies;             /* the folder of Mono's own ones, with its slash; NULL: unknown */
};

#endif
