/* Files opened as images, each once while a command runs. */
#ifndef IMAGE_CACHE_H
#define IMAGE_CACHE_H

#include "host/file_io.h"

struct image_cache;

struct image_cache *image_cache_open(void);
void image_cache_close(struct image_cache *cache);

/* The image of a file, by any of its paths; its name is the first path used. NULL: no file, or not
 * an image; *there (NULL is allowed) is whether the file exists. */
struct ilp_image *image_cache_get(struct image_cache *cache, const char *path, bool *there);

/* The file will not be read for a while, or never again (file_view_release_pages()). */
void image_cache_release_pages(struct image_cache *cache, const char *path);

#endif
