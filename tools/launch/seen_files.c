/* Provides files to a process. See seen_files.h.
 *
 *   the process sees PATH as we do       PATH itself
 *   it has other files (a container)     a copy in a folder in its TMPDIR
 *
 * The folder of copies is made once, in the folder that dotnet_process.c opened, and removed with
 * everything in it. */
#include "tools/launch/seen_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/file_io.h"
#include "host/own_file.h"
#include "host/path.h"
#include "host/process_files.h"
#include "tools/tool.h"

/* A library has to be readable and executable to be mapped as code. */
enum { FOR_ITS_USER = 0500 };

void seen_files_begin(struct seen_files *files, const struct dotnet_process *process, bool verbose)
{
    *files = (struct seen_files){.process = process, .copies = {.lock = -1}, .verbose = verbose};
}

void seen_files_end(struct seen_files *files)
{
    temporary_folder_remove(&files->copies);
}

/* The process learns the folder only when the file is complete. Files are made by own_file_make(),
 * which follows no link that was put there. errno is that of the first failure. */
static bool write_copy(const char *path, const char *copy)
{
    struct ilp_bytes bytes;
    if (!file_map_open(&bytes, path)) {
        return false;
    }
    int file = own_file_make(copy, FOR_ITS_USER);
    bool written = file >= 0 && write_all(file, bytes);
    int error = errno;
    if (file >= 0 && close(file) != 0 && written) {
        written = false;
        error = errno;
    }
    file_map_close(&bytes);
    errno = error;
    return written;
}

/* Once for all copies. The parent by the descriptor that dotnet_process.c opened: here the path
 * that the process knows leads elsewhere. */
static bool make_folder(struct seen_files *files)
{
    char *parent = need(process_file_path(files->process->folder));
    bool made = files->copies.path || temporary_folder_make_in(&files->copies, parent);
    free(parent);
    return made;
}

/* Not in a container every path is the same, and no check is needed. */
char *seen_file(struct seen_files *files, const char *path)
{
    const struct dotnet_process *process = files->process;
    if (!process->is_contained || process_sees_file(process->process, path)) {
        return need(strdup(path));
    }
    bool made = make_folder(files);
    char *copy = made ? path_join(files->copies.path, path_name(path)) : NULL;
    if (!made || !write_copy(path, copy)) {
        report_message("process %ld does not see %s, and no copy can be made in %s: %s",
                       (long)process->process, path, process->temporary, strerror(errno));
        free(copy);
        return NULL;
    }
    free(copy);
    char *seen = format_text("%s/%s/%s", process->temporary, path_name(files->copies.path),
                             path_name(path));
    if (files->verbose) {
        report_message("process %ld does not see %s: it loads a copy, %s, which is removed then",
                       (long)process->process, path, seen);
    }
    return seen;
}

bool seen_file_is_there(const struct dotnet_process *process, const char *path)
{
    bool sees = !process->is_contained || process_sees_file(process->process, path);
    if (!sees) {
        report_message(
            "%s: process %ld has files of its own, and does not see this one; put it there under "
            "the same path",
            path, (long)process->process);
    }
    return sees;
}

bool seen_folder_is_there(const struct dotnet_process *process, const char *path)
{
    char *folder = path_directory(path);
    bool sees = !process->is_contained || process_sees_folder(process->process, folder);
    if (!sees) {
        report_message(
            "%s: process %ld has files of its own, and would write this one there; name a folder "
            "that both see",
            path, (long)process->process);
    }
    free(folder);
    return sees;
}
