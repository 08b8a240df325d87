/* Files that were opened as images, each once for as long as a command runs. */
#ifndef IMAGE_CACHE_H
#define IMAGE_CACHE_H

#include "host/file_io.h"

struct image_cache;

struct image_cache *image_cache_open(void);
void image_cache_close(struct image_cache *cache);

/* The image of a file, whatever path leads to it; its name is the path that did so first. NULL: no
 * file, or none that is an image; *there (NULL is allowed) becomes whether anything is there. */
struct ilp_image *image_cache_get(struct image_cache *cache, const char *path, bool *there);

/* The file will not be read for a while, or never (file_view_rest()). */
void image_cache_rest(struct image_cache *cache, const char *path);

#endif
