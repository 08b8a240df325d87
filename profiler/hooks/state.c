/* State shared by the hooks. See state.h. */
#include "profiler/hooks/state.h"

struct hooks hooks = {.file = SPOOL_FILE_NONE, .closed = true};

atomic_uint_least32_t hooks_listening = EPOCH_OFF;

void hooks_listen(bool on)
{
    uint32_t epoch = on ? atomic_fetch_add(&hooks.epoch, 1) + 1 : EPOCH_OFF;
    atomic_store_explicit(&hooks_listening, epoch, memory_order_release);
    elt_switch(on);
}
