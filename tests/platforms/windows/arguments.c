/* Prints its arguments in UTF-8, each on a line in brackets. */
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <windows.h>

int _CRT_glob = 0; /* patterns are not replaced by names of files */

int wmain(int count, wchar_t **arguments)
{
    _setmode(1, _O_BINARY);
    for (int i = 1; i < count; i++) {
        char text[1024];
        WideCharToMultiByte(CP_UTF8, 0, arguments[i], -1, text, sizeof text, NULL, NULL);
        printf("[%s]\n", text);
    }
    return 7;
}
