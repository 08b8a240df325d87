/* The commands that are about processes that run already, which there are on Linux alone so far. */
#include "tools/launch/attach.h"
#include "tools/tool.h"

static enum exit_code refuse(const char *command)
{
    tell("%s: not possible on Windows yet: start the program by ilpatch run instead", command);
    return EXIT_USAGE;
}

#define NOT_HERE(command)                               \
    enum exit_code cmd_##command(int argc, char **argv) \
    {                                                   \
        (void)argc;                                     \
        (void)argv;                                     \
        return refuse(#command);                        \
    }

NOT_HERE(attach)
NOT_HERE(detach)
NOT_HERE(ps)
NOT_HERE(doctor)

enum exit_code attach_change(struct launch *launch, process_id process, const char *options)
{
    (void)launch;
    (void)process;
    (void)options;
    return refuse("rules set");
}

bool process_number(const char *text, process_id *process)
{
    (void)text;
    *process = 0;
    return true;
}
