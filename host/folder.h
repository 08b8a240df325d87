/* The names in a folder, one by one. */
#ifndef FOLDER_H
#define FOLDER_H

struct folder;

/* NULL: see errno. */
struct folder *folder_open(const char *path);

/* The next name, except "." and "..", in the order of the file system; borrowed until the next
 * call. NULL: with errno 0 the end, else an error. */
const char *folder_next(struct folder *folder);

/* For operations on the names. */
int folder_fd(struct folder *folder);

/* NULL is allowed. */
void folder_close(struct folder *folder);

#endif
