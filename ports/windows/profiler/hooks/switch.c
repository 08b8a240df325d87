/* No signals turn a trace on and off here: it is always on. See switch.h. */
#include "profiler/hooks/switch.h"

#include "profiler/hooks/state.h"

void hooks_switch_open(bool on, bool once)
{
    (void)once;
    if (!on) {
        ilpi_spool_switch(&hooks.spool, hooks_now(), false);
    }
    hooks_listen(on);
}

void hooks_switch_close(void)
{
}
