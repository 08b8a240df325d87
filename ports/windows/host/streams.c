/* Streams, and the environment, in UTF-8. See include/stdio.h and include/stdlib.h. */
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base/thread.h"
#include "base/wide_path.h"

#undef fopen
#undef fdopen
#undef fclose
#undef fflush

/* The mode of the C library: without `e`, which it does not know, and binary. */
static void make_mode(char made[8], const char *mode)
{
    size_t size = 0;
    for (; *mode && size < 6; mode++) {
        if (*mode != 'e' && *mode != 'b') {
            made[size++] = *mode;
        }
    }
    made[size++] = 'b';
    made[size] = '\0';
}

static int flags_of(const char *mode)
{
    bool both = strchr(mode, '+') != NULL;
    switch (mode[0]) {
    case 'r': return both ? O_RDWR : O_RDONLY;
    case 'w': return (both ? O_RDWR : O_WRONLY) | O_CREAT | O_TRUNC;
    default: return (both ? O_RDWR : O_WRONLY) | O_CREAT | O_APPEND;
    }
}

FILE *port_fdopen(int file, const char *mode)
{
    char made[8];
    make_mode(made, mode);
    return fdopen(file, made);
}

FILE *port_fopen(const char *path, const char *mode)
{
    int file = open(path, flags_of(mode), 0666);
    FILE *stream = file >= 0 ? port_fdopen(file, mode) : NULL;
    if (file >= 0 && !stream) {
        close(file);
    }
    return stream;
}

/* ---- streams in memory: the C library only has streams over files, so they use a temporary file
 * without a name. Closed ones are reused. ---- */

struct memory_stream {
    struct memory_stream *next;
    FILE *file;
    char **text; /* NULL: it is free */
    size_t *size;
};

static struct memory_stream *streams;
static SRWLOCK streams_lock = SRWLOCK_INIT;

static FILE *open_unnamed(void)
{
    wchar_t folder[MAX_PATH + 1], name[MAX_PATH + 1];
    if (GetTempPathW(MAX_PATH + 1, folder) == 0 || GetTempFileNameW(folder, L"ilp", 0, name) == 0) {
        fail_by_last_error();
        return NULL;
    }
    HANDLE handle = CreateFileW(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_ALWAYS,
                                FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    int file = handle != INVALID_HANDLE_VALUE
                   ? _open_osfhandle((intptr_t)handle, O_RDWR | O_BINARY | O_NOINHERIT)
                   : -1;
    return file >= 0 ? fdopen(file, "w+b") : NULL;
}

static struct memory_stream *find(const FILE *file)
{
    struct memory_stream *stream = streams;
    while (stream && !(file ? stream->file == file && stream->text : !stream->text)) {
        stream = stream->next;
    }
    return stream;
}

/* A free one, now in use; NULL: all are in use. */
static struct memory_stream *take_free(char **text, size_t *size)
{
    AcquireSRWLockExclusive(&streams_lock);
    struct memory_stream *stream = find(NULL);
    if (stream) {
        stream->text = text;
        stream->size = size;
    }
    ReleaseSRWLockExclusive(&streams_lock);
    return stream;
}

static struct memory_stream *make(char **text, size_t *size)
{
    struct memory_stream *stream = malloc(sizeof *stream);
    FILE *file = stream ? open_unnamed() : NULL;
    if (!file) {
        free(stream);
        return NULL;
    }
    *stream = (struct memory_stream){.file = file, .text = text, .size = size};
    AcquireSRWLockExclusive(&streams_lock);
    stream->next = streams;
    streams = stream;
    ReleaseSRWLockExclusive(&streams_lock);
    return stream;
}

FILE *open_memstream(char **text, size_t *size)
{
    struct memory_stream *stream = take_free(text, size);
    if (!stream) {
        stream = make(text, size);
    }
    *text = NULL;
    *size = 0;
    return stream ? stream->file : NULL;
}

/* Reads the text back; false: it failed. */
static bool give_text(const struct memory_stream *stream)
{
    long end = fflush(stream->file) == 0 ? ftell(stream->file) : -1;
    char *text = end >= 0 ? malloc((size_t)end + 1) : NULL;
    if (!text) {
        return false;
    }
    rewind(stream->file);
    *stream->size = fread(text, 1, (size_t)end, stream->file);
    text[*stream->size] = '\0';
    free(*stream->text);
    *stream->text = text;
    fseek(stream->file, end, SEEK_SET);
    return *stream->size == (size_t)end;
}

static struct memory_stream *find_locked(const FILE *file)
{
    AcquireSRWLockShared(&streams_lock);
    struct memory_stream *stream = find(file);
    ReleaseSRWLockShared(&streams_lock);
    return stream;
}

int port_fflush(FILE *file)
{
    struct memory_stream *stream = file ? find_locked(file) : NULL;
    return stream ? give_text(stream) ? 0 : EOF : fflush(file);
}

int port_fclose(FILE *file)
{
    struct memory_stream *stream = find_locked(file);
    if (!stream) {
        return fclose(file);
    }
    bool given = give_text(stream);
    rewind(file);
    clearerr(file);
    given = _chsize(_fileno(file), 0) == 0 && given;
    AcquireSRWLockExclusive(&streams_lock);
    stream->text = NULL;
    ReleaseSRWLockExclusive(&streams_lock);
    return given ? 0 : EOF;
}

/* ---- lines ---- */

ssize_t getline(char **line, size_t *room, FILE *file)
{
    size_t size = 0;
    int c = 0;
    while (c != '\n' && (c = getc(file)) != EOF) {
        if (size + 2 > *room) {
            size_t more = *room != 0 ? 2 * *room : 128;
            char *text = realloc(*line, more);
            if (!text) {
                return -1;
            }
            *line = text;
            *room = more;
        }
        (*line)[size++] = (char)c;
    }
    if (size == 0) {
        return -1;
    }
    (*line)[size] = '\0';
    return (ssize_t)size;
}

/* ---- the environment ---- */

/* Returned values stay valid, as those of POSIX do. */
struct variable {
    struct variable *next;
    char *value;
    char name[];
};

static struct variable *variables;
static SRWLOCK variables_lock = SRWLOCK_INIT;

static char *read_variable(const char *name)
{
    wchar_t *wide = wide_text(name);
    DWORD count = wide ? GetEnvironmentVariableW(wide, NULL, 0) : 0;
    wchar_t *value = count != 0 ? malloc(count * sizeof *value) : NULL;
    char *narrow = NULL;
    if (value) {
        count = GetEnvironmentVariableW(wide, value, count);
        narrow = narrow_text(value, count);
    }
    free(value);
    free(wide);
    return narrow;
}

static char *keep(const char *name, char *value)
{
    struct variable *variable = variables;
    while (variable && (strcmp(variable->name, name) != 0 || strcmp(variable->value, value) != 0)) {
        variable = variable->next;
    }
    if (variable) {
        free(value);
        return variable->value;
    }
    variable = malloc(sizeof *variable + strlen(name) + 1);
    if (variable) {
        variable->value = value;
        strcpy(variable->name, name);
        variable->next = variables;
        variables = variable;
    }
    return value;
}

char *port_getenv(const char *name)
{
    char *value = read_variable(name);
    if (value) {
        AcquireSRWLockExclusive(&variables_lock);
        value = keep(name, value);
        ReleaseSRWLockExclusive(&variables_lock);
    }
    return value;
}

int unsetenv(const char *name)
{
    wchar_t *wide = wide_text(name);
    int result = !wide ? -1 : SetEnvironmentVariableW(wide, NULL) ? 0 : fail_by_last_error();
    free(wide);
    return result;
}

int setenv(const char *name, const char *value, int replace)
{
    wchar_t *wide = wide_text(name), *wide_value = wide ? wide_text(value) : NULL;
    (void)replace;
    int result = !wide_value                                 ? -1
                 : SetEnvironmentVariableW(wide, wide_value) ? 0
                                                             : fail_by_last_error();
    free(wide);
    free(wide_value);
    return result;
}
