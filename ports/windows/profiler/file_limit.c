/* No file size limit ends a process. See file_limit.h. */
#include "profiler/file_limit.h"

void file_limit_hold(struct file_limit *limit, bool is_pipe)
{
    (void)is_pipe;
    limit->held = false;
}

void file_limit_hold_often(struct file_limit *limit, bool is_pipe)
{
    file_limit_hold(limit, is_pipe);
}

void file_limit_release(const struct file_limit *limit)
{
    (void)limit;
}
