/* Stacks are not checked: the walk would have to begin at a CONTEXT of Windows. See check.h. */
#include "profiler/hooks/check.h"

void hooks_check_nth(struct hooks_thread *thread)
{
    (void)thread;
}
