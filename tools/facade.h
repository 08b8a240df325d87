/* Facades: assemblies that have no code, only forward types to others (II.22.14), such as netstandard.dll. */
#ifndef FACADE_H
#define FACADE_H

#include "tool.h"

/* An assembly that types are forwarded to. */
struct facade_target {
    const char *name; /* borrowed from the image */
    uint32_t types;
};

struct facade {
    uint32_t types; /* 0: it is no facade */
    struct facade_target *targets; /* those with most types first; owned */
    size_t target_count;
};

void facade_open(struct facade *facade, const struct ilp_image *image);
void facade_close(struct facade *facade);

/* "a facade: its 936 types are in System.Private.CoreLib, ...; nothing to patch" */
void facade_tell(const struct facade *facade, FILE *out);

#endif
