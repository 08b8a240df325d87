/* Named pipes, looked at and planted:
 *
 *   pipes who NAME      who may connect: the access list, in the system's words (SDDL)
 *   pipes take NAME MS  another process has it for so long */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include <aclapi.h>
#include <sddl.h>

static int print_who(const wchar_t *name)
{
    PSECURITY_DESCRIPTOR about;
    wchar_t *text = NULL;
    HANDLE pipe = CreateFileW(name, READ_CONTROL, 0, NULL, OPEN_EXISTING, 0, NULL);
    bool known = pipe != INVALID_HANDLE_VALUE &&
                 GetSecurityInfo(pipe, SE_KERNEL_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL,
                                 NULL, NULL, &about) == ERROR_SUCCESS &&
                 ConvertSecurityDescriptorToStringSecurityDescriptorW(
                     about, SDDL_REVISION_1, DACL_SECURITY_INFORMATION, &text, NULL);
    if (known) {
        printf("%ls\n", text);
    } else {
        printf("error %lu\n", GetLastError());
    }
    return known ? 0 : 1;
}

static int take(const wchar_t *name, DWORD milliseconds)
{
    HANDLE pipe = CreateNamedPipeW(name, PIPE_ACCESS_DUPLEX, PIPE_TYPE_BYTE, 2, 4096, 4096, 0,
                                   NULL);
    printf(pipe != INVALID_HANDLE_VALUE ? "taken\n" : "error\n");
    fflush(stdout);
    Sleep(milliseconds);
    return pipe != INVALID_HANDLE_VALUE ? 0 : 1;
}

int wmain(int count, wchar_t **arguments)
{
    if (count == 3 && wcscmp(arguments[1], L"who") == 0) {
        return print_who(arguments[2]);
    }
    return count == 4 ? take(arguments[2], (DWORD)_wtoi(arguments[3])) : 2;
}
