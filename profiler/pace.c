/* Limits the rate per method. See pace.h. */
#include "profiler/pace.h"

#define TICK_NS (PACE_TICK_MS * (uint64_t)1000000)

struct pace_limits pace_limits;

void pace_open(uint32_t values, uint64_t period)
{
    uint64_t of_tick = period != 0 ? values * TICK_NS / period : 0;
    pace_limits.values = values == 0 ? 0 : of_tick == 0 ? 1 : (uint32_t)of_tick;
    pace_tick(); /* earlier values are of another tick */
}

void pace_tick(void)
{
    atomic_fetch_add(&pace_limits.tick, 1);
}
