/* Reads proc(5) of other processes. See other_process.h. Its files are texts that the kernel makes
 * while they are read, so they are read in one go where they must be consistent. */
#include "host/other_process.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/folder.h"
#include "host/memory.h"
#include "host/path.h"

static FILE *open_in_proc(process_id process, const char *name)
{
    char *path = process_entry(process, name);
    FILE *file = path ? fopen(path, "re") : NULL;
    free(path);
    return file;
}

/* ---- state ---- */

/* NSpid: the process's number in each namespace, the innermost last: that is the one it knows
 * itself by. */
static void read_state_line(struct process_state *state, const char *line)
{
    unsigned long ids[4];
    if (sscanf(line, "State: %c", &state->state) == 1) {
        return;
    }
    if (sscanf(line, "Uid: %lu %lu", &ids[0], &ids[1]) == 2) {
        state->user = (user_id)ids[1];
    } else if (sscanf(line, "Gid: %lu %lu", &ids[0], &ids[1]) == 2) {
        state->group = (user_id)ids[1];
    } else if (strncmp(line, "NSpid:", 6) == 0) {
        char *end = NULL;
        for (const char *at = line + 6;; at = end) {
            long number = strtol(at, &end, 10);
            if (end == at) {
                return;
            }
            state->own_number = (process_id)number;
            state->namespaces++;
        }
    }
}

/* state '\0': there is no such process, or it ended while it was read. */
bool process_state_read(process_id process, struct process_state *state)
{
    char line[512];
    FILE *file = open_in_proc(process, "status");
    *state = (struct process_state){.own_number = process};
    while (file && fgets(line, sizeof line, file)) {
        read_state_line(state, line);
    }
    if (file) {
        fclose(file);
    }
    return state->state != '\0';
}

bool process_is_stopped(const struct process_state *state)
{
    return state->state == 'T' || state->state == 't';
}

/* Uses only /etc/passwd: other name services may be remote and slow. */
char *process_user_name(process_id process, user_id user)
{
    FILE *file = fopen("/etc/passwd", "re");
    const struct passwd *entry;
    char *name = NULL;
    (void)process;
    while (file && !name && (entry = fgetpwent(file)) != NULL) {
        name = entry->pw_uid == user ? copy_text(entry->pw_name) : NULL;
    }
    if (file) {
        fclose(file);
    }
    return name ? name : format_text("%lu", (unsigned long)user);
}

/* ---- list of processes ---- */

struct processes *processes_open(void)
{
    return (struct processes *)folder_open("/proc");
}

process_id processes_next(struct processes *processes)
{
    const char *name;
    while ((name = folder_next((struct folder *)processes)) != NULL) {
        if (name[0] >= '1' && name[0] <= '9' && name[strspn(name, "0123456789")] == '\0') {
            return (process_id)strtol(name, NULL, 10);
        }
    }
    return 0;
}

void processes_close(struct processes *processes)
{
    folder_close((struct folder *)processes);
}

/* ---- texts ---- */

/* Files in /proc have no size, and may be longer at the next read: read until less comes than was
 * wanted, up to `most`. */
static bool read_texts(process_id process, const char *name, size_t most,
                       struct process_texts *texts)
{
    enum { STEP = 4096 };
    FILE *file = open_in_proc(process, name);
    size_t got = file ? STEP : 0;
    bool has_room = true, is_open = file != NULL;
    *texts = (struct process_texts){.bytes = NULL};
    while (got == STEP && texts->size < most && has_room) {
        char *longer = grow_items(texts->bytes, texts->size + STEP + 1, 1);
        has_room = longer != NULL;
        texts->bytes = has_room ? longer : texts->bytes;
        got = has_room ? fread(texts->bytes + texts->size, 1, STEP, file) : 0;
        texts->size += got;
    }
    if (file) {
        fclose(file);
    }
    if (texts->bytes) {
        texts->bytes[texts->size] = '\0';
    }
    return is_open;
}

bool process_environment(process_id process, struct process_texts *texts)
{
    return read_texts(process, "environ", PROCESS_ENVIRONMENT_MOST, texts);
}

bool process_arguments(process_id process, struct process_texts *texts)
{
    return read_texts(process, "cmdline", PROCESS_COMMAND_LINE_MOST, texts);
}

/* The first one of a name, as getenv() has it. */
const char *process_texts_variable(const struct process_texts *texts, const char *name)
{
    size_t size = strlen(name);
    for (const char *at = NULL; (at = process_texts_next(texts, at)) != NULL;) {
        if (strncmp(at, name, size) == 0 && at[size] == '=') {
            return at + size + 1;
        }
    }
    return NULL;
}

/* ---- maps ---- */

struct process_maps {
    FILE *file;
    char *line;
    size_t room;
    char *latest; /* the previous path */
    char *root;   /* process_root() */
};

struct process_maps *process_maps_open(process_id process)
{
    struct process_maps *maps = new_items(1, sizeof *maps);
    if (maps) {
        maps->file = open_in_proc(process, "maps");
        maps->root = process_root(process);
    }
    if (maps && !maps->file) {
        free(maps->root);
        free(maps);
        maps = NULL;
    }
    return maps;
}

/* "7f00-7f01 r-xp 00000000 08:01 1234 /usr/lib/libc.so.6": a file's path begins with '/'. */
static char *path_of_line(char *line)
{
    static const char gone[] = " (deleted)";
    char *path = strchr(line, '/');
    if (!path) {
        return NULL;
    }
    size_t size = strcspn(path, "\n");
    path[size] = '\0';
    if (size >= sizeof gone && strcmp(path + size - (sizeof gone - 1), gone) == 0) {
        path[size - (sizeof gone - 1)] = '\0';
    }
    return path;
}

/* A file has several mappings in a row, of which one is reported. Paths are those in the process's
 * root. */
const char *process_maps_next(struct process_maps *maps)
{
    while (getline(&maps->line, &maps->room, maps->file) > 0) {
        const char *path = path_of_line(maps->line);
        if (path && (!maps->latest || strcmp(path, maps->latest) != 0)) {
            free(maps->latest);
            maps->latest = copy_text(path);
            return path_below(maps->root, path);
        }
    }
    return NULL;
}

void process_maps_close(struct process_maps *maps)
{
    if (maps) {
        fclose(maps->file);
        free(maps->line);
        free(maps->latest);
        free(maps->root);
        free(maps);
    }
}
