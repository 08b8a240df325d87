/* Process facts on Linux: proc(5). See process.h. A number of a process may be used again after its
 * end; with its start time it is unique (process_key()). */
#include "host/process.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "host/memory.h"
#include "host/path.h"

#define OWN_PROGRAM "/proc/self/exe"

void process_pause(unsigned milliseconds)
{
    struct timespec time = {.tv_sec = (time_t)(milliseconds / 1000),
                            .tv_nsec = (long)(milliseconds % 1000) * 1000000};
    nanosleep(&time, NULL);
}

process_id process_own(void)
{
    return getpid();
}

/* Not gettid(), which glibc only has since 2.30. */
process_id process_own_thread(void)
{
    return (process_id)syscall(SYS_gettid);
}

user_id process_user(void)
{
    return geteuid();
}

bool process_acts_for(user_id user)
{
    return process_user() == 0 || process_user() == user;
}

char *process_entry(process_id process, const char *name)
{
    return format_text("/proc/%ld/%s", (long)process, name);
}

static char *link_of(process_id process, const char *name)
{
    char place[PATH_MAX];
    char *link = process_entry(process, name);
    ssize_t size = link ? readlink(link, place, sizeof place - 1) : -1;
    free(link);
    return size > 0 ? copy_part(place, (size_t)size) : NULL;
}

/* "" for the root that this process has, so that it can be a prefix. */
char *process_root(process_id process)
{
    char *root = link_of(process, "root");
    if (root && strcmp(root, "/") == 0) {
        root[0] = '\0';
    }
    return root;
}

/* As the process sees it: without its root. */
char *process_working_folder(process_id process)
{
    char *root = process_root(process);
    char *folder = link_of(process, "cwd");
    char *seen = folder ? copy_text(path_below(root, folder)) : NULL;
    free(folder);
    free(root);
    return seen;
}

/* In our view; the path may not exist for us. */
char *process_program(process_id process)
{
    char *link = process_entry(process, "exe");
    char *program = path_full(link);
    free(link);
    return program;
}

unsigned process_processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (unsigned)count : 1;
}

char *process_own_program(void)
{
    return path_full(OWN_PROGRAM);
}

/* Through links, so that a link to the command in another folder finds what is installed beside
 * it. */
char *process_own_folder(void)
{
    char self[PATH_MAX];
    ssize_t size = readlink(OWN_PROGRAM, self, sizeof self - 1);
    self[size > 0 ? size : 0] = '\0';
    return path_directory(self);
}

/* A path to an open file or folder, whatever its name is now. */
char *process_file_path(int file)
{
    return format_text("/proc/self/fd/%d", file);
}

#define SHARED_BEGINS "/proc/"
#define SHARED_PART   "/fd/"

/* The name by which other processes open a descriptor of this one, as long as it is open here. */
char *process_shared_file(int file)
{
    return format_text(SHARED_BEGINS "%ld" SHARED_PART "%d", (long)process_own(), file);
}

bool process_is_shared_file(const char *path)
{
    return strncmp(path, SHARED_BEGINS, sizeof SHARED_BEGINS - 1) == 0 && strstr(path, SHARED_PART);
}

/* Arguments are separated by NULs there. */
void process_command_line(char *text, size_t size)
{
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? 0 : read(file, text, size - 1);
    got = got < 0 ? 0 : got;
    for (ssize_t i = 0; i + 1 < got; i++) {
        text[i] = text[i] == '\0' ? ' ' : text[i];
    }
    text[got] = '\0';
    if (file >= 0) {
        close(file);
    }
}

/* Reads words 3 and 22 of /proc/PID/stat: they are counted after the program's name, which may
 * contain anything. */
static bool read_stat(process_id process, char *state, unsigned long long *time)
{
    char text[1024];
    char *path = process_entry(process, "stat");
    FILE *file = path ? fopen(path, "re") : NULL;
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    free(path);
    if (file) {
        fclose(file);
    }
    text[size] = '\0';
    char *at = strrchr(text, ')');
    *state = at && at[1] == ' ' ? at[2] : '\0';
    for (unsigned word = 0; word < 20 && at; word++) {
        at = strchr(at + 1, ' ');
    }
    *time = at ? strtoull(at, NULL, 10) : 0;
    return at != NULL;
}

/* /proc/PID belongs to the effective user of the process. */
bool process_find(process_id process, user_id *owner, unsigned long long *started)
{
    struct stat about = {.st_uid = 0};
    char state;
    char *path = format_text("/proc/%ld", (long)process);
    bool found = path && stat(path, &about) == 0 && read_stat(process, &state, started);
    free(path);
    *owner = about.st_uid;
    return found;
}

/* A zombie has ended, even if it was not waited for. */
bool process_runs(process_id process, unsigned long long started)
{
    char state;
    unsigned long long time;
    return read_stat(process, &state, &time) && time == started && !strchr("ZXx", state);
}

/* Compares the ends of lines: a path may have any beginning, another root for example. */
bool process_has_library(process_id process, const char *name)
{
    char *path = process_entry(process, "maps");
    char *end_of_line = format_text("/%s\n", name);
    FILE *maps = path && end_of_line ? fopen(path, "re") : NULL;
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    while (maps && !found && getline(&line, &room, maps) > 0) {
        found = strstr(line, end_of_line) != NULL;
    }
    free(line);
    if (maps) {
        fclose(maps);
    }
    free(end_of_line);
    free(path);
    return found;
}
