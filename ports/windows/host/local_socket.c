/* Named pipes of Windows. See local_socket.h. A descriptor is the C library's; its handle is opened
 * for overlapped transfers, so that each has a time limit.
 *
 * Handles are passed by DuplicateHandle() in the process that connected, since it may have more
 * rights than the one that listens. To send, it duplicates handles into the other process; to
 * receive, it copies the other process's handles, and confirms that. */
#include "host/local_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <windows.h>

#include "base/wide_path.h"
#include "host/memory.h"

enum {
    LONGEST = 256,    /* characters of a pipe's name */
    BUFFER = 1 << 16, /* bytes, for each direction */
    PAUSE = 10        /* ms, between tries to connect */
};

static HANDLE handle_of(int file)
{
    return (HANDLE)_get_osfhandle(file);
}

/* Takes over the handle. */
static int descriptor_of(HANDLE handle)
{
    int how = GetFileType(handle) == FILE_TYPE_DISK ? O_APPEND : 0; /* as files of ours are */
    int file = _open_osfhandle((intptr_t)handle, how | O_BINARY | O_NOINHERIT);
    if (file < 0) {
        CloseHandle(handle);
    }
    return file;
}

/* The pipe replaces the descriptor's file. */
static bool set_pipe(int file, HANDLE pipe)
{
    int opened = pipe != INVALID_HANDLE_VALUE ? descriptor_of(pipe) : fail_by_last_error();
    bool set = opened >= 0 && dup3(opened, file, O_CLOEXEC) >= 0;
    if (opened >= 0) {
        close(opened);
    }
    return set;
}

/* ---- names ---- */

bool local_socket_can_have(const char *path)
{
    return strlen(path) < LONGEST;
}

/* It is found, without a connection. */
bool local_socket_owner(const char *path, user_id *owner)
{
    wchar_t *name = wide_path(path);
    bool found = name && (WaitNamedPipeW(name, 1) || GetLastError() == ERROR_SEM_TIMEOUT);
    free(name);
    *owner = 0;
    return found;
}

/* A pipe disappears with the process that listens. */
bool local_socket_is_abandoned(const char *path)
{
    (void)path;
    return false;
}

void local_socket_remove(const char *path)
{
    (void)path;
}

void local_socket_sweep(const char *folder, const char *begin, const char *end, user_id owner)
{
    (void)folder;
    (void)begin;
    (void)end;
    (void)owner;
}

/* ---- listening ---- */

/* Security attributes: only this process's user may connect. */
struct access_of_user {
    union {
        TOKEN_USER user;
        BYTE room[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    } token;
    union {
        ACL list;
        BYTE room[sizeof(ACL) + sizeof(ACCESS_ALLOWED_ACE) + SECURITY_MAX_SID_SIZE];
    } allowed;
    SECURITY_DESCRIPTOR descriptor;
    SECURITY_ATTRIBUTES attributes;
};

static bool set_access(struct access_of_user *access)
{
    HANDLE token;
    DWORD size;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) {
        return false;
    }
    bool set = GetTokenInformation(token, TokenUser, &access->token, sizeof access->token, &size) &&
               InitializeAcl(&access->allowed.list, sizeof access->allowed, ACL_REVISION) &&
               AddAccessAllowedAce(&access->allowed.list, ACL_REVISION, GENERIC_ALL,
                                   access->token.user.User.Sid) &&
               InitializeSecurityDescriptor(&access->descriptor, SECURITY_DESCRIPTOR_REVISION) &&
               SetSecurityDescriptorDacl(&access->descriptor, TRUE, &access->allowed.list, FALSE);
    CloseHandle(token);
    access->attributes = (SECURITY_ATTRIBUTES){.nLength = sizeof access->attributes,
                                               .lpSecurityDescriptor = &access->descriptor};
    return set;
}

/* An instance that waits for a client. With FILE_FLAG_FIRST_PIPE_INSTANCE it fails if another
 * process has one. */
static HANDLE make_instance(const wchar_t *name, DWORD first)
{
    struct access_of_user access;
    return set_access(&access)
               ? CreateNamedPipeW(name, PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | first,
                                  PIPE_TYPE_BYTE | PIPE_REJECT_REMOTE_CLIENTS,
                                  PIPE_UNLIMITED_INSTANCES, BUFFER, BUFFER, 0, &access.attributes)
               : INVALID_HANDLE_VALUE;
}

int local_socket_open(void)
{
    return open("/dev/null", O_RDWR | O_CLOEXEC);
}

bool local_socket_listen(int file, const char *path)
{
    wchar_t *name = wide_path(path);
    bool listens = name && set_pipe(file, make_instance(name, FILE_FLAG_FIRST_PIPE_INSTANCE));
    free(name);
    return listens;
}

/* The name of an open pipe. */
static bool read_name(HANDLE pipe, wchar_t name[2 * LONGEST])
{
    static const wchar_t begin[] = L"\\\\.\\pipe";
    union {
        FILE_NAME_INFO info;
        BYTE room[sizeof(FILE_NAME_INFO) + LONGEST * sizeof(wchar_t)];
    } about;
    bool known = GetFileInformationByHandleEx(pipe, FileNameInfo, &about, sizeof about);
    size_t size = known ? about.info.FileNameLength : 0; /* bytes */
    memcpy(name, begin, sizeof begin);
    memcpy(name + sizeof begin / sizeof *begin - 1, about.info.FileName, size);
    name[sizeof begin / sizeof *begin - 1 + size / sizeof *name] = L'\0';
    return known;
}

/* The connected instance becomes the connection, and a new one listens. If none can be created, the
 * client waits. */
int local_socket_accept(int listening)
{
    wchar_t name[2 * LONGEST];
    HANDLE self = GetCurrentProcess(), connected;
    HANDLE next = read_name(handle_of(listening), name) ? make_instance(name, 0)
                                                        : INVALID_HANDLE_VALUE;
    if (next == INVALID_HANDLE_VALUE ||
        !DuplicateHandle(self, handle_of(listening), self, &connected, 0, FALSE,
                         DUPLICATE_SAME_ACCESS)) {
        fail_by_last_error();
        if (next != INVALID_HANDLE_VALUE) {
            CloseHandle(next);
        }
        return -1;
    }
    return set_pipe(listening, next) ? descriptor_of(connected) : -1;
}

static bool is_listener(HANDLE pipe)
{
    DWORD flags = 0;
    return GetNamedPipeInfo(pipe, &flags, NULL, NULL, NULL) && (flags & PIPE_SERVER_END) != 0;
}

/* The pipe rejects other users, so the peer is this user. */
bool local_socket_peer(int file, struct local_socket_peer *peer)
{
    ULONG process = 0;
    HANDLE pipe = handle_of(file);
    bool known = is_listener(pipe) ? GetNamedPipeClientProcessId(pipe, &process)
                                   : GetNamedPipeServerProcessId(pipe, &process);
    *peer = (struct local_socket_peer){.process = (process_id)process};
    return known;
}

/* ---- transfers with a time limit ---- */

/* The server may identify us, but not impersonate. */
static HANDLE connect_to(const wchar_t *name)
{
    return CreateFileW(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING,
                       FILE_FLAG_OVERLAPPED | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION,
                       NULL);
}

bool local_socket_connect(int file, const char *path, struct deadline until)
{
    wchar_t *name = wide_path(path);
    HANDLE pipe = name ? connect_to(name) : INVALID_HANDLE_VALUE;
    while (name && pipe == INVALID_HANDLE_VALUE && GetLastError() == ERROR_PIPE_BUSY &&
           deadline_left(until) != 0) {
        process_pause(PAUSE);
        pipe = connect_to(name);
    }
    bool connected = name && set_pipe(file, pipe);
    free(name);
    return connected;
}

/* One transfer: the number of bytes; 0: failed, with errno. */
static size_t transfer(int file, bool sends, void *bytes, size_t size, struct deadline until)
{
    OVERLAPPED how = {.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL)};
    HANDLE pipe = handle_of(file);
    DWORD moved = 0, most = size < BUFFER ? (DWORD)size : BUFFER;
    bool begun = how.hEvent && ((sends ? WriteFile(pipe, bytes, most, NULL, &how)
                                       : ReadFile(pipe, bytes, most, NULL, &how)) ||
                                GetLastError() == ERROR_IO_PENDING);
    int left = deadline_left(until);
    if (begun && WaitForSingleObject(how.hEvent, left < 0 ? INFINITE : (DWORD)left) != 0) {
        CancelIoEx(pipe, &how);
    }
    bool done = begun && GetOverlappedResult(pipe, &how, &moved, TRUE) && moved != 0;
    if (!done) {
        fail_by_last_error();
        errno = GetLastError() == ERROR_OPERATION_ABORTED ? ETIMEDOUT : errno;
        errno = errno == EPIPE && !sends ? ECONNRESET : errno;
    }
    if (how.hEvent) {
        CloseHandle(how.hEvent);
    }
    return done ? moved : 0;
}

static bool transfer_all(int file, bool sends, void *bytes, size_t size, struct deadline until)
{
    size_t moved = 1;
    for (uint8_t *at = bytes; size != 0 && moved != 0; at += moved, size -= moved) {
        moved = transfer(file, sends, at, size, until);
    }
    return size == 0;
}

bool local_socket_send(int file, const void *bytes, size_t size, struct deadline until)
{
    return transfer_all(file, true, (void *)(uintptr_t)bytes, size, until);
}

bool local_socket_receive(int file, void *bytes, size_t size, struct deadline until)
{
    return transfer_all(file, false, bytes, size, until);
}

/* Pipes cannot be shut down in one direction: the other side takes any byte for the end where it
 * expects none. */
void local_socket_end_sending(int file)
{
    local_socket_send(file, "", 1, deadline_after(0));
}

/* ---- descriptors ---- */

/* Precedes the message; 0: not sent. */
struct sent_handles {
    uint64_t handles[LOCAL_SOCKET_DESCRIPTORS];
};

/* The process that listens, to copy handles; NULL: access denied. */
static HANDLE open_listener(int file)
{
    ULONG process = 0;
    return GetNamedPipeServerProcessId(handle_of(file), &process)
               ? OpenProcess(PROCESS_DUP_HANDLE, FALSE, process)
               : NULL;
}

static uint64_t copy_handle(HANDLE from, uint64_t handle, HANDLE to, DWORD how)
{
    HANDLE copy = NULL;
    DuplicateHandle(from, (HANDLE)(uintptr_t)handle, to, &copy, 0, FALSE,
                    DUPLICATE_SAME_ACCESS | how);
    return (uintptr_t)copy;
}

/* Copies all handles or none. */
static bool copy_all(HANDLE from, HANDLE to, struct sent_handles *sent)
{
    bool copied = from && to;
    for (size_t i = 0; i < LOCAL_SOCKET_DESCRIPTORS; i++) {
        bool is_wanted = copied && sent->handles[i] != 0;
        sent->handles[i] = is_wanted ? copy_handle(from, sent->handles[i], to, 0) : 0;
        copied = copied && (!is_wanted || sent->handles[i] != 0);
    }
    if (!copied) {
        errno = EPERM;
    }
    return copied;
}

/* Closes those that did not arrive. */
static void close_all_of(HANDLE process, const struct sent_handles *sent)
{
    for (size_t i = 0; i < LOCAL_SOCKET_DESCRIPTORS; i++) {
        if (sent->handles[i] != 0) {
            DuplicateHandle(process, (HANDLE)(uintptr_t)sent->handles[i], NULL, NULL, 0, FALSE,
                            DUPLICATE_CLOSE_SOURCE);
        }
    }
}

static bool has_any(const struct sent_handles *sent)
{
    return sent->handles[0] != 0;
}

bool local_socket_send_files(int file, const void *bytes, size_t size,
                             const int descriptors[LOCAL_SOCKET_DESCRIPTORS], struct deadline until)
{
    struct sent_handles sent = {.handles = {0}};
    char taken;
    for (size_t i = 0; i < LOCAL_SOCKET_DESCRIPTORS && descriptors[i] >= 0; i++) {
        sent.handles[i] = (uint64_t)_get_osfhandle(descriptors[i]);
    }
    bool connected = !is_listener(handle_of(file));
    HANDLE listener = connected && has_any(&sent) ? open_listener(file) : NULL;
    bool done = (!connected || !has_any(&sent) || copy_all(GetCurrentProcess(), listener, &sent)) &&
                local_socket_send(file, &sent, sizeof sent, until) &&
                local_socket_send(file, bytes, size, until) &&
                (connected || !has_any(&sent) ||
                 local_socket_receive(file, &taken, sizeof taken, until));
    int error = errno;
    if (listener) {
        if (!done) {
            close_all_of(listener, &sent);
        }
        CloseHandle(listener);
    }
    errno = error;
    return done;
}

bool local_socket_receive_files(int file, void *bytes, size_t size,
                                int descriptors[LOCAL_SOCKET_DESCRIPTORS], struct deadline until)
{
    struct sent_handles sent = {.handles = {0}};
    bool connected = !is_listener(handle_of(file));
    bool done = local_socket_receive(file, &sent, sizeof sent, until) &&
                local_socket_receive(file, bytes, size, until);
    if (done && connected && has_any(&sent)) {
        HANDLE listener = open_listener(file);
        done = copy_all(listener, GetCurrentProcess(), &sent) &&
               local_socket_send(file, "", 1, until);
        if (listener) {
            CloseHandle(listener);
        }
        if (!done) {
            close_all_of(GetCurrentProcess(), &sent);
        }
    }
    for (size_t i = 0; i < LOCAL_SOCKET_DESCRIPTORS; i++) {
        bool came = done && sent.handles[i] != 0;
        descriptors[i] = came ? descriptor_of((HANDLE)(uintptr_t)sent.handles[i]) : -1;
    }
    return done;
}
