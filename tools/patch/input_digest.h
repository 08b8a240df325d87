/* The digest of an assembly's file, for its origin mark. */
#ifndef INPUT_DIGEST_H
#define INPUT_DIGEST_H

#include "base/thread.h"
#include "host/file_view.h"

struct input_digest {
    struct ilp_image *image;
    const struct file_view *view;
    struct ilpi_thread thread;
    bool started; /* the thread has been started and not joined */
};

/* Starts a thread for it while others work on the image, which is borrowed with the view until
 * input_digest_end(). `threads`: how many may work on the file. */
void input_digest_begin(struct input_digest *digest, struct ilp_image *image,
                        const struct file_view *view, unsigned threads);

/* Then the image has the digest, or computes it when it is written. A second call does nothing. */
void input_digest_end(struct input_digest *digest);

#endif
