/* Functions of POSIX that the C library of Windows lacks, with paths in UTF-8. See include/. */
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <windows.h>

#include "base/wide_path.h"

enum { SHARED = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

static HANDLE open_handle(const char *path, DWORD access, DWORD disposition, DWORD flags)
{
    wchar_t *wide = wide_path(path);
    HANDLE file = wide ? CreateFileW(wide, access, SHARED, NULL, disposition, flags, NULL)
                       : INVALID_HANDLE_VALUE;
    if (file == INVALID_HANDLE_VALUE && wide) {
        fail_by_last_error();
    }
    free(wide);
    return file;
}

/* ---- open ---- */

static DWORD disposition_of(int flags)
{
    if ((flags & O_CREAT) != 0) {
        return (flags & O_EXCL) != 0    ? CREATE_NEW
               : (flags & O_TRUNC) != 0 ? CREATE_ALWAYS
                                        : OPEN_ALWAYS;
    }
    return (flags & O_TRUNC) != 0 ? TRUNCATE_EXISTING : OPEN_EXISTING;
}

static DWORD access_of(int flags)
{
    int way = flags & (O_RDONLY | O_WRONLY | O_RDWR);
    DWORD read = way == O_WRONLY ? 0 : GENERIC_READ;
    /* DELETE: a temporary file is renamed by its handle */
    return read | (way == O_RDONLY ? 0 : GENERIC_WRITE | DELETE);
}

/* Windows reports ERROR_PATH_NOT_FOUND for "App.dll/x"; POSIX ENOTDIR, if a component is a file. */
static void distinguish_not_folder(const char *path)
{
    char *above = errno == ENOENT ? strdup(path) : NULL;
    char *slash = above ? strpbrk(above, "/\\") : NULL;
    int error = errno;
    for (char *next; slash; slash = next) {
        struct stat info;
        next = strpbrk(slash + 1, "/\\");
        char kept = *slash;
        *slash = '\0';
        if (slash != above && slash[-1] != ':' && next != slash + 1 &&
            port_stat(above, &info) == 0 && !S_ISDIR(info.st_mode)) {
            error = ENOTDIR;
            next = NULL;
        }
        *slash = kept;
    }
    free(above);
    errno = error;
}

/* A folder can be opened, but not read: fstat() reports it. */
int port_open(const char *path, int flags, ...)
{
    if (strcmp(path, "/dev/null") == 0) {
        path = "NUL";
    }
    HANDLE file = open_handle(path, access_of(flags), disposition_of(flags),
                              FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS);
    if (file == INVALID_HANDLE_VALUE && errno == EACCES && access_of(flags) != GENERIC_READ) {
        struct stat info;
        errno = stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? EISDIR : EACCES;
    }
    if (file == INVALID_HANDLE_VALUE) {
        distinguish_not_folder(path);
        return -1;
    }
    int number = _open_osfhandle((intptr_t)file,
                                 (flags & (O_WRONLY | O_RDWR | O_APPEND)) | O_BINARY | O_NOINHERIT);
    if (number < 0) {
        CloseHandle(file);
    }
    return number;
}

/* The C library's descriptors are inherited by default. */
static int not_inherited(int file)
{
    if (file >= 0) {
        SetHandleInformation((HANDLE)_get_osfhandle(file), HANDLE_FLAG_INHERIT, 0);
    }
    return file;
}

/* Only F_DUPFD_CLOEXEC, and F_GETFD as a test for an open file. What a handle allows is not shown,
 * so F_GETFL supposes everything. */
int fcntl(int file, int command, ...)
{
    if (command == F_DUPFD_CLOEXEC) {
        return not_inherited(_dup(file));
    }
    int state = command == F_GETFL ? O_RDWR : 0;
    return _get_osfhandle(file) != -1 ? state : -1;
}

/* ---- read and write ---- */

static unsigned piece(size_t size)
{
    return size < 1u << 30 ? (unsigned)size : 1u << 30;
}

ssize_t read(int file, void *bytes, size_t size)
{
    return _read(file, bytes, piece(size));
}

ssize_t write(int file, const void *bytes, size_t size)
{
    return _write(file, bytes, piece(size));
}

ssize_t pread(int file, void *bytes, size_t size, int64_t offset)
{
    OVERLAPPED at = {.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
    DWORD got = 0;
    if (!ReadFile((HANDLE)_get_osfhandle(file), bytes, piece(size), &got, &at) &&
        GetLastError() != ERROR_HANDLE_EOF) {
        return fail_by_last_error();
    }
    return (ssize_t)got;
}

ssize_t pwrite(int file, const void *bytes, size_t size, int64_t offset)
{
    OVERLAPPED at = {.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
    DWORD written = 0;
    return WriteFile((HANDLE)_get_osfhandle(file), bytes, piece(size), &written, &at)
               ? (ssize_t)written
               : fail_by_last_error();
}

/* A folder's names are as lasting as the file system makes them. */
int fsync(int file)
{
    struct stat info;
    if (FlushFileBuffers((HANDLE)_get_osfhandle(file)) ||
        (fstat(file, &info) == 0 && S_ISDIR(info.st_mode))) {
        return 0;
    }
    return fail_by_last_error();
}

/* mingw's own looks among the volumes for the one of the file, to see whether there is room: in
 * containers, and in wine without its mount manager, it finds none and fails with EFBIG. */
int port_ftruncate(int file, int64_t size)
{
    FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = size};
    return SetFileInformationByHandle((HANDLE)_get_osfhandle(file), FileEndOfFileInfo, &end,
                                      sizeof end)
               ? 0
               : fail_by_last_error();
}

/* ---- stat ---- */

static struct timespec time_of(FILETIME file)
{
    uint64_t ticks = (uint64_t)file.dwHighDateTime << 32 | file.dwLowDateTime;
    const uint64_t unix_begin = 11644473600u * 10000000ull; /* from 1601 to 1970 */
    ticks = ticks > unix_begin ? ticks - unix_begin : 0;
    return (struct timespec){.tv_sec = (time_t)(ticks / 10000000),
                             .tv_nsec = (long)(ticks % 10000000 * 100)};
}

/* Who else may write is in the access list, which is not read: by the owner alone a file is trusted
 * (owner_of()). */
static unsigned mode_of(DWORD attributes, bool link)
{
    unsigned write = (attributes & FILE_ATTRIBUTE_READONLY) != 0 ? 0 : 0200;
    if (link) {
        return S_IFLNK | 0777;
    }
    return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? S_IFDIR | 0755u : S_IFREG | 0555u | write;
}

/* There is one user, number 0 (geteuid()): whoever runs the program. Administrators and the system
 * can do as they like, so their files are trusted, too, as those of the superuser elsewhere. */
enum { OWN_USER = 0, OTHER_USER = 1 };

static bool is_own_sid(PSID sid)
{
    union {
        TOKEN_USER user;
        BYTE room[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    } about;
    HANDLE token;
    DWORD size;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) {
        return false;
    }
    bool own = GetTokenInformation(token, TokenUser, &about, sizeof about, &size) &&
               EqualSid(sid, about.user.User.Sid);
    CloseHandle(token);
    return own;
}

/* A file whose owner is not known is another user's. */
static uid_t owner_of(HANDLE file)
{
    union {
        SECURITY_DESCRIPTOR descriptor;
        BYTE room[sizeof(SECURITY_DESCRIPTOR) + SECURITY_MAX_SID_SIZE];
    } about;
    PSID owner = NULL;
    BOOL by_default;
    DWORD size;
    bool own = GetKernelObjectSecurity(file, OWNER_SECURITY_INFORMATION, &about, sizeof about,
                                       &size) &&
               GetSecurityDescriptorOwner(&about.descriptor, &owner, &by_default) && owner &&
               (IsWellKnownSid(owner, WinBuiltinAdministratorsSid) ||
                IsWellKnownSid(owner, WinLocalSystemSid) || is_own_sid(owner));
    return own ? OWN_USER : OTHER_USER;
}

static int stat_handle(HANDLE file, struct stat *info, bool is_link)
{
    BY_HANDLE_FILE_INFORMATION about;
    *info = (struct stat){.st_nlink = 1};
    if (GetFileType(file) != FILE_TYPE_DISK) { /* nothing identifies it */
        info->st_mode = GetFileType(file) == FILE_TYPE_PIPE ? S_IFIFO : S_IFCHR;
        return 0;
    }
    if (!GetFileInformationByHandle(file, &about)) {
        return fail_by_last_error();
    }
    *info = (struct stat){
        .st_dev = about.dwVolumeSerialNumber,
        .st_ino = (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow,
        .st_mode = mode_of(about.dwFileAttributes, is_link),
        .st_nlink = about.nNumberOfLinks,
        .st_size = (int64_t)((uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow),
        .st_atim = time_of(about.ftLastAccessTime),
        .st_mtim = time_of(about.ftLastWriteTime),
        .st_ctim = time_of(about.ftCreationTime),
    };
    return 0;
}

int port_fstat(int file, struct stat *info)
{
    HANDLE handle = (HANDLE)_get_osfhandle(file);
    if (handle == INVALID_HANDLE_VALUE) {
        errno = EBADF;
        return -1;
    }
    int failed = stat_handle(handle, info, false);
    info->st_uid = GetFileType(handle) == FILE_TYPE_DISK ? owner_of(handle) : OWN_USER;
    return failed;
}

/* Of a path the owner is not looked for: whoever depends on it opens the file. */
static int stat_path(const char *path, struct stat *info, bool follow)
{
    HANDLE file = open_handle(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS |
                                  (follow ? 0 : FILE_FLAG_OPEN_REPARSE_POINT));
    if (file == INVALID_HANDLE_VALUE) {
        return -1;
    }
    FILE_ATTRIBUTE_TAG_INFO tag = {.ReparseTag = 0};
    bool link = !follow &&
                GetFileInformationByHandleEx(file, FileAttributeTagInfo, &tag, sizeof tag) &&
                (tag.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
                tag.ReparseTag == IO_REPARSE_TAG_SYMLINK;
    int result = stat_handle(file, info, link);
    CloseHandle(file);
    return result;
}

int port_stat(const char *path, struct stat *info)
{
    int result = stat_path(path, info, true);
    if (result != 0) {
        distinguish_not_folder(path);
    }
    return result;
}

int port_lstat(const char *path, struct stat *info)
{
    int result = stat_path(path, info, false);
    if (result != 0) {
        distinguish_not_folder(path);
    }
    return result;
}

/* Permissions come from the folder, or from the file that is replaced. */
int fchmod(int file, unsigned mode)
{
    (void)file;
    (void)mode;
    return 0;
}

int port_access(const char *path, int mode)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return -1;
    }
    bool refused = (mode & W_OK) != 0 && S_ISREG(info.st_mode) && (info.st_mode & 0222) == 0;
    errno = EACCES;
    return refused ? -1 : 0;
}

static FILETIME file_time(struct timespec time)
{
    uint64_t ticks = ((uint64_t)time.tv_sec + 11644473600u) * 10000000u +
                     (uint64_t)time.tv_nsec / 100;
    return (FILETIME){(DWORD)ticks, (DWORD)(ticks >> 32)};
}

int futimens(int file, const struct timespec times[2])
{
    FILETIME accessed = file_time(times[0]), written = file_time(times[1]);
    return SetFileTime((HANDLE)_get_osfhandle(file), NULL, &accessed, &written)
               ? 0
               : fail_by_last_error();
}

/* ---- names ---- */

/* Both paths as the system takes them; false with errno set. */
static bool both_wide(const char *path, const char *other, wchar_t *wide[2])
{
    wide[0] = wide_path(path);
    wide[1] = wide[0] ? wide_path(other) : NULL;
    if (!wide[1]) {
        free(wide[0]);
    }
    return wide[1] != NULL;
}

static int freed(wchar_t *wide[2], bool done)
{
    int result = done ? 0 : fail_by_last_error();
    free(wide[0]);
    free(wide[1]);
    return result;
}

/* ReplaceFile() keeps the access list of the replaced file; some file systems do not support it. */
int port_rename(const char *from, const char *to)
{
    wchar_t *wide[2];
    if (!both_wide(from, to, wide)) {
        return -1;
    }
    bool done =
        (GetFileAttributesW(wide[1]) != INVALID_FILE_ATTRIBUTES &&
         ReplaceFileW(wide[1], wide[0], NULL, REPLACEFILE_IGNORE_MERGE_ERRORS, NULL, NULL)) ||
        MoveFileExW(wide[0], wide[1], MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
    return freed(wide, done);
}

int link(const char *path, const char *other)
{
    wchar_t *wide[2];
    return both_wide(path, other, wide) ? freed(wide, CreateHardLinkW(wide[1], wide[0], NULL)) : -1;
}

int symlink(const char *target, const char *path)
{
    wchar_t *wide[2];
    return both_wide(target, path, wide)
               ? freed(wide, CreateSymbolicLinkW(wide[1], wide[0], 2)) /* without privilege */
               : -1;
}

static int by_path(const char *path, BOOL(WINAPI *function)(LPCWSTR))
{
    wchar_t *wide = wide_path(path);
    int result = !wide ? -1 : function(wide) ? 0 : fail_by_last_error();
    free(wide);
    return result;
}

int port_unlink(const char *path)
{
    return by_path(path, DeleteFileW);
}

int port_rmdir(const char *path)
{
    return by_path(path, RemoveDirectoryW);
}

static BOOL WINAPI create_directory(LPCWSTR path)
{
    return CreateDirectoryW(path, NULL);
}

int port_mkdir(const char *path, unsigned mode)
{
    (void)mode;
    return by_path(path, create_directory);
}

char *port_getcwd(char *room, size_t size)
{
    (void)room;
    (void)size;
    DWORD count = GetCurrentDirectoryW(0, NULL);
    wchar_t *wide = malloc(count * sizeof *wide);
    char *folder = wide ? narrow_path(wide, GetCurrentDirectoryW(count, wide)) : NULL;
    free(wide);
    return folder;
}

/* The whole path of an existing file through all links, as NTFS spells it. */
char *realpath(const char *path, char *room)
{
    (void)room;
    HANDLE file = open_handle(path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    if (file == INVALID_HANDLE_VALUE) {
        distinguish_not_folder(path);
        return NULL;
    }
    DWORD count = GetFinalPathNameByHandleW(file, NULL, 0, 0);
    wchar_t *wide = malloc(((size_t)count + 1) * sizeof *wide);
    char *real = NULL;
    if (wide && count != 0) {
        count = GetFinalPathNameByHandleW(file, wide, count + 1, 0);
        real = narrow_path(wide, count);
    } else {
        fail_by_last_error();
    }
    free(wide);
    CloseHandle(file);
    return real;
}

/* Callers want the final target of all links. */
ssize_t readlink(const char *path, char *target, size_t size)
{
    struct stat info;
    if (lstat(path, &info) != 0) {
        return -1;
    }
    char *real = S_ISLNK(info.st_mode) ? realpath(path, NULL) : NULL;
    size_t length = real ? strlen(real) : 0;
    errno = EINVAL;
    memcpy(target, real ? real : "", length < size ? length : size);
    free(real);
    return length != 0 ? (ssize_t)(length < size ? length : size) : -1;
}

/* ---- waiting ---- */

/* Whether a read would return data or the end. A listening instance, and a connection without data,
 * have neither. */
static bool can_be_read(HANDLE pipe)
{
    DWORD size = 0;
    return PeekNamedPipe(pipe, NULL, 0, NULL, &size, NULL)
               ? size != 0
               : GetLastError() != ERROR_BAD_PIPE && GetLastError() != ERROR_PIPE_LISTENING;
}

/* The number of ready files: pipes with data or end; others are always ready. */
static int look(struct pollfd *files, unsigned long count)
{
    int ready = 0;
    for (unsigned long i = 0; i < count; i++) {
        HANDLE handle = files[i].fd >= 0 ? (HANDLE)_get_osfhandle(files[i].fd)
                                         : INVALID_HANDLE_VALUE;
        bool is_pipe = handle != INVALID_HANDLE_VALUE && GetFileType(handle) == FILE_TYPE_PIPE;
        bool is_read = (files[i].events & POLLIN) != 0 &&
                       (handle == INVALID_HANDLE_VALUE || !is_pipe || can_be_read(handle));
        short kept = (short)(files[i].events & ~(is_read ? 0 : POLLIN));
        files[i].revents = files[i].fd >= 0 ? kept : 0;
        ready += files[i].revents != 0;
    }
    return ready;
}

/* Pipes have no event for data: polls, less often while they are idle. */
int poll(struct pollfd *files, unsigned long count, int milliseconds)
{
    enum { LONGEST_PAUSE = 16 };
    const ULONGLONG begin = GetTickCount64();
    DWORD pause = 1;
    int ready = look(files, count);
    for (ULONGLONG gone = 0; ready == 0 && (milliseconds < 0 || gone < (ULONGLONG)milliseconds);
         gone = GetTickCount64() - begin) {
        ULONGLONG left = milliseconds < 0 ? LONGEST_PAUSE : (ULONGLONG)milliseconds - gone;
        Sleep(count == 0 || left < pause ? (DWORD)left : pause);
        pause = pause < LONGEST_PAUSE ? 2 * pause : pause;
        ready = look(files, count);
    }
    return ready;
}

/* A pipe to wake a process. */
int pipe2(int ends[2], int flags)
{
    enum { ROOM = 4096 };
    return _pipe(ends, ROOM, flags | O_BINARY | O_NOINHERIT);
}

/* The C library takes NUL for a terminal, too. */
int port_isatty(int file)
{
    DWORD mode;
    return GetConsoleMode((HANDLE)_get_osfhandle(file), &mode);
}

int ioctl(int file, int request, struct winsize *size)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (request != TIOCGWINSZ || !GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(file), &info)) {
        return -1;
    }
    *size = (struct winsize){(unsigned short)(info.srWindow.Bottom - info.srWindow.Top + 1),
                             (unsigned short)(info.srWindow.Right - info.srWindow.Left + 1)};
    return 0;
}

/* ---- pieces ---- */

static size_t size_of(const struct iovec *parts, int count)
{
    size_t size = 0;
    for (int i = 0; i < count; i++) {
        size += parts[i].iov_len;
    }
    return size;
}

static char *gather(const struct iovec *parts, int count)
{
    char *whole = malloc(size_of(parts, count) + 1), *at = whole;
    for (int i = 0; i < count && whole; i++) {
        memcpy(at, parts[i].iov_base, parts[i].iov_len);
        at += parts[i].iov_len;
    }
    errno = ENOMEM;
    return whole;
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
    char *whole = gather(parts, count);
    ssize_t written = whole ? write(file, whole, size_of(parts, count)) : -1;
    free(whole);
    return written;
}

ssize_t pwritev(int file, const struct iovec *parts, int count, int64_t offset)
{
    char *whole = gather(parts, count);
    ssize_t written = whole ? pwrite(file, whole, size_of(parts, count), offset) : -1;
    free(whole);
    return written;
}

ssize_t process_vm_readv(int process, const struct iovec *to, unsigned long to_count,
                         const struct iovec *from, unsigned long from_count, unsigned long flags)
{
    SIZE_T size = 0;
    (void)process, (void)to_count, (void)from_count, (void)flags;
    return ReadProcessMemory(GetCurrentProcess(), from->iov_base, to->iov_base, from->iov_len,
                             &size)
               ? (ssize_t)size
               : fail_by_last_error();
}

/* Extends a file; the file system allocates its blocks. Writes the last byte: setting the end would
 * truncate a file that others have extended meanwhile. */
int posix_fallocate(int file, int64_t offset, int64_t size)
{
    struct stat info;
    if (fstat(file, &info) != 0) {
        return errno;
    }
    return info.st_size >= offset + size || pwrite(file, "", 1, offset + size - 1) == 1 ? 0 : errno;
}

int dup3(int file, int other, int flags)
{
    (void)flags;
    return _dup2(file, other) == 0 ? not_inherited(other) : -1;
}
