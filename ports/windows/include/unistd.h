/* What unistd.h lacks on Windows; paths are UTF-8. */
#ifndef PORT_UNISTD_H
#define PORT_UNISTD_H

#include_next <unistd.h>
#include <stdint.h>

typedef uint32_t uid_t;
typedef uint32_t gid_t;

/* Not macros: members of structs have these names. */
#define PORT_TEXT(text)   #text
#define PORT_PREFIX(text) PORT_TEXT(text)
ssize_t read(int file, void *bytes,
             size_t size) __asm__(PORT_PREFIX(__USER_LABEL_PREFIX__) "port_read");
ssize_t write(int file, const void *bytes,
              size_t size) __asm__(PORT_PREFIX(__USER_LABEL_PREFIX__) "port_write");
ssize_t pread(int file, void *bytes, size_t size, int64_t offset);
ssize_t pwrite(int file, const void *bytes, size_t size, int64_t offset);
int port_unlink(const char *path);
int port_rmdir(const char *path);
int port_access(const char *path, int mode);
int port_isatty(int file);
char *port_getcwd(char *room, size_t size);
ssize_t readlink(const char *path, char *target, size_t size);
int symlink(const char *target, const char *path);
int link(const char *path, const char *other);
int fsync(int file);
int port_ftruncate(int file, int64_t size);
int dup3(int file, int other, int flags);
int pipe2(int ends[2], int flags);

/* Nothing has an owner that could be given here. */
static inline int fchown(int file, uid_t user, gid_t group)
{
    (void)file;
    (void)user;
    (void)group;
    return 0;
}

static inline uid_t geteuid(void)
{
    return 0;
}

#undef ftruncate /* mingw's name for a size of 64 bits */
#define ftruncate(file, size) port_ftruncate((file), (size))
#define unlink(path)          port_unlink(path)
#define rmdir(path)           port_rmdir(path)
#define access(path, mode)    port_access((path), (mode))
#define isatty(file)          port_isatty(file)
#define getcwd(room, size)    port_getcwd((room), (size))

#endif
