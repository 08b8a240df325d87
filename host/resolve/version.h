/* Two kinds of versions: those of frameworks, 10.0.0-preview.1, in the order of Semantic Versioning
 * 2.0, and those of assemblies and files, four numbers. */
#ifndef VERSION_H
#define VERSION_H

#include <stdbool.h>
#include <stdint.h>

struct version {
    uint32_t part[3];  /* major, minor, patch */
    char preview[100]; /* the text after '-'; "" for a release */
};

/* False for other texts; a build after '+' is ignored. */
bool version_parse(struct version *version, const char *text);
int version_compare(const struct version *left, const struct version *right);
bool version_is_preview(const struct version *version);

/* Missing numbers are 0. */
struct version4 {
    uint32_t part[4];
};

struct version4 version4_parse(const char *text);
int version4_compare(const struct version4 *left, const struct version4 *right);

#endif
