/* What is known of files: as sys/stat.h has it elsewhere, with numbers of files by which they
 * can be distinguished. */
#ifndef PORT_SYS_STAT_H
#define PORT_SYS_STAT_H

#include_next <sys/stat.h>
#include <stdint.h>
#include <time.h>

struct port_stat {
    uint64_t st_dev;
    uint64_t st_ino;
    unsigned st_mode;
    unsigned st_nlink;
    unsigned st_uid;
    unsigned st_gid;
    int64_t st_size;
    struct timespec st_atim;
    struct timespec st_mtim;
    struct timespec st_ctim;
};

int port_stat(const char *path, struct port_stat *info);
int port_lstat(const char *path, struct port_stat *info);
int port_fstat(int file, struct port_stat *info);
int port_mkdir(const char *path, unsigned mode);
int fchmod(int file, unsigned mode);
int futimens(int file, const struct timespec times[2]);

#undef stat
#undef lstat
#undef fstat
#define stat              port_stat
#define lstat             port_lstat
#define fstat             port_fstat
#define mkdir(path, mode) port_mkdir((path), (mode))

#ifndef S_IFLNK
#define S_IFLNK 0120000
#endif
#undef S_ISLNK
#define S_ISLNK(mode) (((mode)&0170000) == S_IFLNK)
#ifndef S_IRWXU
#define S_IRWXU 0700
#endif

#endif
