/* hold FILE MS: has a file open for so long, and shares it with no other process. */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

int wmain(int count, wchar_t **arguments)
{
    HANDLE file = count == 3
                      ? CreateFileW(arguments[1], GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL)
                      : INVALID_HANDLE_VALUE;
    printf(file != INVALID_HANDLE_VALUE ? "held\n" : "error\n");
    fflush(stdout);
    if (file != INVALID_HANDLE_VALUE) {
        Sleep((DWORD)_wtoi(arguments[2]));
    }
    return file != INVALID_HANDLE_VALUE ? 0 : 1;
}
