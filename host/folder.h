/* The names in a folder, one after the other. */
#ifndef FOLDER_H
#define FOLDER_H

struct folder;

/* NULL: errno says why. */
struct folder *folder_open(const char *path);

/* The next name, but for "." and "..", in the order of the file system; borrowed until the next
 * call. NULL: that was all, errno 0, or errno says what could not be read. */
const char *folder_next(struct folder *folder);

/* For what is done with the names. */
int folder_fd(struct folder *folder);

/* NULL is allowed. */
void folder_close(struct folder *folder);

#endif
