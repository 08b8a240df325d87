/* Paths as Windows takes them. See wide_path.h. */
#include "base/wide_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* CreateDirectory() reserves room for a name of 8.3 characters. */
enum { LONG_PATH = MAX_PATH - 12, PREFIX = 8 };

wchar_t *wide_text(const char *text)
{
    int count = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = count > 0 ? malloc((size_t)count * sizeof *wide) : NULL;
    if (wide) {
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, count);
    }
    errno = count > 0 ? ENOMEM : EILSEQ;
    return wide;
}

/* \\?\C:\..., \\?\UNC\server\share\..., from the full path of `plain`. */
static wchar_t *lengthen(const wchar_t *plain)
{
    DWORD room = GetFullPathNameW(plain, 0, NULL, NULL);
    wchar_t *full = malloc((room + PREFIX) * sizeof *full);
    wchar_t *longer = malloc((room + PREFIX) * sizeof *longer);
    if (full && longer && room != 0) {
        GetFullPathNameW(plain, room, full, NULL);
        bool server = full[0] == L'\\' && full[1] == L'\\';
        wcscpy(longer, server ? L"\\\\?\\UNC\\" : L"\\\\?\\");
        wcscat(longer, full + (server ? 2 : 0));
    }
    free(full);
    return longer;
}

wchar_t *wide_path(const char *path)
{
    wchar_t *plain = wide_text(path);
    if (!plain) {
        return NULL;
    }
    for (wchar_t *at = plain; *at; at++) {
        *at = *at == L'/' ? L'\\' : *at;
    }
    bool prefixed = wcsncmp(plain, L"\\\\?\\", 4) == 0 || wcsncmp(plain, L"\\\\.\\", 4) == 0;
    if (prefixed || wcslen(plain) < LONG_PATH) {
        return plain;
    }
    wchar_t *longer = lengthen(plain);
    free(plain);
    errno = longer ? errno : ENOMEM;
    return longer;
}

char *narrow_text(const wchar_t *text, size_t count)
{
    int size = count != 0 ? WideCharToMultiByte(CP_UTF8, 0, text, (int)count, NULL, 0, NULL, NULL)
                          : 0;
    char *narrow = malloc((size_t)size + 1);
    if (!narrow) {
        errno = ENOMEM;
        return NULL;
    }
    if (size != 0) {
        WideCharToMultiByte(CP_UTF8, 0, text, (int)count, narrow, size, NULL, NULL);
    }
    narrow[size] = '\0';
    return narrow;
}

char *narrow_path(const wchar_t *path, size_t count)
{
    if (count >= 8 && wcsncmp(path, L"\\\\?\\UNC\\", 8) == 0) {
        path += 6; /* the last one is also the first of the two in \\server */
        count -= 6;
        char *rest = narrow_path(path, count);
        char *whole = rest ? malloc(strlen(rest) + 2) : NULL;
        if (whole) {
            whole[0] = '/';
            memcpy(whole + 1, rest, strlen(rest) + 1);
        }
        free(rest);
        return whole;
    }
    size_t skipped = count >= 4 && wcsncmp(path, L"\\\\?\\", 4) == 0 ? 4 : 0;
    char *narrow = narrow_text(path + skipped, count - skipped);
    for (char *at = narrow; at && *at; at++) {
        *at = *at == '\\' ? '/' : *at;
    }
    return narrow;
}

int fail_by_last_error(void)
{
    static const struct {
        DWORD system;
        int number;
    } errors[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},
        {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_BAD_PATHNAME, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_ACCESS_DENIED, EACCES},
        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_OUTOFMEMORY, ENOMEM},
        {ERROR_COMMITMENT_LIMIT, ENOMEM},
        {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
        {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_NOT_SAME_DEVICE, EXDEV},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
        {ERROR_WRITE_PROTECT, EROFS},
        {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_BROKEN_PIPE, EPIPE},
        {ERROR_NO_DATA, EPIPE},
        {ERROR_INVALID_HANDLE, EBADF},
        {ERROR_SHARING_VIOLATION, ETXTBSY},
        {ERROR_LOCK_VIOLATION, ETXTBSY},
        {ERROR_USER_MAPPED_FILE, ETXTBSY},
        {ERROR_NOT_SUPPORTED, ENOTSUP},
        {ERROR_PRIVILEGE_NOT_HELD, EPERM},
    };
    DWORD last = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (errors[i].system == last) {
            errno = errors[i].number;
        }
    }
    return -1;
}
