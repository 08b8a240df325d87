/* No pager on Windows: its own, more, neither passes colours on nor scrolls back. See
 * tools/pager.h. */
#include "tools/pager.h"

bool pager_begin(void)
{
    return false;
}

bool pager_end(void)
{
    return true;
}
