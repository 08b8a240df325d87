/* The digest of an assembly's file, which its origin mark will have. */
#ifndef INPUT_DIGEST_H
#define INPUT_DIGEST_H

#include "base/thread.h"
#include "host/file_view.h"

struct input_digest {
    struct ilp_image *image;
    const struct file_view *view;
    struct ilpi_thread thread;
    bool started; /* the thread, which has not ended yet */
};

/* Makes it where a thread can do that while others work on the image, which is borrowed with the
 * view until input_digest_end(). `threads`: that may work on the file. */
void input_digest_begin(struct input_digest *digest, struct ilp_image *image,
                        const struct file_view *view, unsigned threads);

/* The image has the digest, or makes it when it is written. A second call does nothing. */
void input_digest_end(struct input_digest *digest);

#endif
