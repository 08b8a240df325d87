/* Windows has one view of files for all processes of a session. See process_files.h. */
#include "host/process_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int process_open_file(process_id process, const char *path)
{
    struct stat info;
    (void)process;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0 && (fstat(file, &info) != 0 || !S_ISREG(info.st_mode))) {
        close(file);
        errno = EINVAL;
        return -1;
    }
    return file;
}

int process_open_folder(process_id process, const char *path)
{
    (void)process;
    return open(path, O_RDONLY | O_CLOEXEC);
}

char *process_program_file(process_id process)
{
    return process_program(process);
}

bool process_has_our_files(process_id process)
{
    (void)process;
    return true;
}

bool process_sees_file(process_id process, const char *path)
{
    (void)process;
    (void)path;
    return true;
}

bool process_sees_folder(process_id process, const char *path)
{
    (void)process;
    (void)path;
    return true;
}

struct folder_traits folder_traits(int folder)
{
    (void)folder;
    return (struct folder_traits){false, false};
}

/* Processes do not change their user here. */
bool process_act_as(user_id user, user_id group)
{
    (void)user;
    (void)group;
    return true;
}

void process_act_as_self(void)
{
}

bool process_give_file(const char *path, user_id user)
{
    (void)path;
    (void)user;
    return true;
}
