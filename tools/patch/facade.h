/* Assemblies without code: facades, which only forward types to others (II.22.14), such as
 * netstandard.dll, and reference assemblies, whose bodies are empty, invalid, or throw: they have
 * System.Runtime.CompilerServices.ReferenceAssemblyAttribute, and runtimes refuse to load them. */
#ifndef FACADE_H
#define FACADE_H

#include "host/tool.h"

/* An assembly that types are forwarded to. */
struct facade_target {
    const char *name; /* borrowed from the image */
    uint32_t types;
};

struct facade {
    bool reference;                /* whether it is a reference assembly */
    uint32_t types;                /* 0: it is not a facade */
    struct facade_target *targets; /* by falling number of types; owned */
    size_t target_count;
};

void facade_open(struct facade *facade, const struct ilp_image *image);
void facade_close(struct facade *facade);

/* Whether the assembly has nothing to patch. */
bool facade_has_no_code(const struct facade *facade);

/* "a facade, nothing to patch: its 936 types are in System.Private.CoreLib, ..." */
void facade_print(const struct facade *facade, FILE *out);

#endif
