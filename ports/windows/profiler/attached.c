/* No command attaches to a process yet. See attached.h. */
#include "profiler/attached.h"

#include <stddef.h>

struct attached *attached_listen(struct profiler *profiler, const char *path)
{
    (void)profiler;
    (void)path;
    return NULL;
}

void attached_serve(struct attached *attached)
{
    (void)attached;
}

void attached_wait(struct attached *attached)
{
    (void)attached;
}

void attached_unlink(struct attached *attached)
{
    (void)attached;
}

void attached_forget(struct attached *attached)
{
    (void)attached;
}

void attached_close(struct attached *attached)
{
    (void)attached;
}
