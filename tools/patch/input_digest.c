/* Computes the digest in a thread. See input_digest.h. The digest of the input is written into the
 * patched file (its origin), and is needed only then. Only for precompiled files is there a thread:
 * their native code is read for nothing else. */
#include "tools/patch/input_digest.h"

#include "metadata/image.h"

static void rest_part(const void *view, struct ilp_bytes part)
{
    file_view_release_part(view, part);
}

static void make(void *user)
{
    const struct input_digest *digest = user;
    ilpi_image_keep_digest(digest->image, rest_part, digest->view);
}

/* Native code is read only for the digest: first, and piece by piece, before everything else is in
 * memory. */
void input_digest_begin(struct input_digest *digest, struct ilp_image *image,
                        const struct file_view *view, unsigned threads)
{
    struct ilp_image_info info;
    *digest = (struct input_digest){.image = image, .view = view};
    ilp_image_info(image, &info);
    if (!info.ready_to_run) {
        return;
    }
    digest->started = threads > 1 && ilpi_thread_start(&digest->thread, make, digest);
    if (!digest->started) {
        make(digest);
    }
}

void input_digest_end(struct input_digest *digest)
{
    if (digest->started) {
        ilpi_thread_join(&digest->thread);
        digest->started = false;
    }
}
