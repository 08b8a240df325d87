/* Which methods a command line means. See method_name.h. */
#include "method_name.h"

#include <stdlib.h>
#include <string.h>

enum exit_code method_name_parse(const char *command, const char *text, ilp_token *token)
{
    bool marked = text && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = marked ? text + 2 : text;
    *token = 0;
    if (!text || (!marked && strlen(text) != 8) ||
        strspn(digits, "0123456789abcdefABCDEF") != strlen(digits)) {
        return text && text[0] == '\0' ? usage_error(command, "METHOD is empty") : EXIT_DONE;
    }
    unsigned long number = strtoul(digits, NULL, 16);
    bool of_method = number <= UINT32_MAX && ILP_TOKEN_TABLE(number) == ILP_MethodDef &&
                     ILP_TOKEN_RID(number) != 0;
    if (marked && !of_method) {
        return usage_error(command, "%s is no token of a method, which would be 0x06000001 or more",
                           text);
    }
    *token = of_method ? (ilp_token)number : 0;
    return EXIT_DONE;
}

bool method_is_called(const struct ilp_image *image, ilp_rid rid, const char *wanted,
                      struct ilp_arena *arena)
{
    const char *full = NULL;
    uint32_t name = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_Name);
    if (strcmp(ilp_string(image, name), wanted) == 0) {
        return true;
    }
    if (!strstr(wanted, "::")) {
        return false;
    }
    ilp_arena_reset(arena);
    ilp_status status =
        ilp_method_name_text(image, ILP_TOKEN(ILP_MethodDef, rid), arena, &full, NULL);
    need(status == ILP_OK ? arena : NULL);
    return strcmp(full, wanted) == 0;
}
