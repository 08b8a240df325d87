/* Mono in the process: its functions, by functions.def. */
#ifndef ILPI_MONO_FUNCTIONS_H
#define ILPI_MONO_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct mono_image mono_image;
typedef struct mono_assembly mono_assembly;
typedef struct mono_assembly_name mono_assembly_name;
typedef struct mono_class mono_class;
typedef struct mono_method mono_method;
typedef struct mono_domain mono_domain;

typedef void (*mono_event)(void *user);
typedef void (*mono_domain_event)(void *user, mono_domain *domain);
typedef void (*mono_image_event)(void *user, mono_image *image);
/* The assembly of this name; NULL: Mono searches for it. */
typedef mono_assembly *(*mono_preload)(mono_assembly_name *name, char **paths, void *user);

struct mono_functions {
#define MONO(result, name, parameters) result(*name) parameters;
#include "profiler/mono/functions.def"
};

/* False: one of them is missing, which happens with no known Mono. */
bool mono_functions_find(struct mono_functions *functions);

#endif
