/* Limits the cost of calls, by counts of calls between two looks. See cost_limit.h.
 *
 *   each COST_LOOK_MS: calls * CALL_COST + lines * LINE_COST of each method, since the last look
 *     costliest first: above the share of one, or all together above that of all -> switched off
 *     -> method_leave() under the lock -> rejit_take_back() without it
 *
 * Time is estimated from counts: reading a clock in each call would cost about as much as the call
 * itself (hooks/clock.h). */
#include "profiler/cost_limit.h"

#include <stdlib.h>

#include "base/error.h"
#include "profiler/hooks/clock.h"
#include "profiler/profiler.h"
#include "profiler/status.h"
#include "profiler/unmanaged_methods.h"

/* ns; docs/COST.md has the measurements. */
enum { CALL_COST = 10, LINE_COST = 500, COST_LOOK_MS = 200 };

#define MS_NS 1000000u

/* A watched method, and the cost of its calls since the last check. */
struct costly {
    struct module *module;
    ilp_token method;
    uint64_t cost;
};

static struct {
    uint32_t percent;
    uint64_t looked; /* the time of that; 0: none yet */
    unsigned switched_off;
} limit;

void cost_limit_open(uint32_t percent)
{
    limit.percent = percent;
    limit.looked = 0;
    limit.switched_off = 0;
}

/* Counts begin again with each look. */
static uint64_t take_cost(struct pace *pace)
{
    uint64_t calls = atomic_exchange_explicit(&pace->calls, 0, memory_order_relaxed);
    uint64_t lines = atomic_exchange_explicit(&pace->taken, 0, memory_order_relaxed);
    return calls * CALL_COST + lines * LINE_COST;
}

static int more_first(const void *a, const void *b)
{
    uint64_t first = ((const struct costly *)a)->cost, second = ((const struct costly *)b)->cost;
    return first < second ? 1 : first > second ? -1 : 0;
}

/* The cost of its calls; calls in progress when it was switched off do not count. */
static uint64_t cost_of(const struct module *module, ilp_rid rid)
{
    const struct shown *shown = atomic_load(&module->unmanaged->methods[rid]);
    const struct method *method = module->methods ? module->methods[rid] : NULL;
    return shown && !(method && method->is_given_up) ? take_cost(shown->choice.pace) : 0;
}

/* Methods with any cost, the costliest first; their number. Owned by the caller. */
static size_t collect(const struct profiler *profiler, struct costly **out, uint64_t *all)
{
    size_t count = 0, room = 0;
    struct costly *items = NULL;
    *all = 0;
    for (struct module *module = profiler->modules; module; module = module->next) {
        const struct unmanaged *shown = module->is_recompiled ? module->unmanaged : NULL;
        for (ilp_rid rid = 1; shown && rid <= shown->method_count; rid++) {
            uint64_t cost = cost_of(module, rid);
            if (cost != 0 && count == room) {
                struct costly *grown = grow_items(items, 2 * room + 64, sizeof *items);
                room = grown ? 2 * room + 64 : room;
                items = grown ? grown : items;
            }
            if (cost != 0 && count < room) {
                items[count++] = (struct costly){module, ILP_TOKEN(ILP_MethodDef, rid), cost};
                *all += cost;
            }
        }
    }
    if (count != 0) {
        qsort(items, count, sizeof *items, more_first);
    }
    *out = items;
    return count;
}

static double percent_of(uint64_t cost, uint64_t elapsed)
{
    return 100.0 * (double)cost / (double)elapsed;
}

/* `all`: the cost of the calls of all methods. The first ones are named at once;
 * cost_limit_report() has the number of all. */
static void switch_off(struct profiler *profiler, const struct costly *costly, uint64_t all,
                       uint64_t elapsed)
{
    struct ilp_error error;
    enum { REPORTED_AT_ONCE = 3 };
    struct ilp_arena *arena = NULL;
    const char *name;
    if (limit.switched_off++ < REPORTED_AT_ONCE && ilp_arena_open(&arena, NULL, NULL) == ILP_OK &&
        ilp_method_name_text(costly->module->image, costly->method, arena, &name, NULL) == ILP_OK) {
        status_line("message",
                    "%s is switched off: its calls took %.1f %% of a processor, those of all "
                    "methods %.0f %% (--max-cost)",
                    name, percent_of(costly->cost, elapsed), percent_of(all, elapsed));
    }
    ilp_arena_close(arena);
    ilpi_fail(&error, ILP_E_TOO_MANY, ILPI_NO_OFFSET, costly->method,
              "its calls took %.1f %% of a processor since it was watched (--max-cost): it has its "
              "old code again",
              percent_of(costly->cost, elapsed));
    method_leave(profiler, costly->module, costly->method, &error);
}

/* Modules with ReJIT are not collectible, so they still exist. */
static void take_back(struct profiler *profiler, const struct costly *items, size_t count)
{
    ModuleID *modules = new_items(count + 1, sizeof *modules);
    ilp_token *methods = new_items(count + 1, sizeof *methods);
    for (size_t i = 0; i < count && modules && methods; i++) {
        modules[i] = items[i].module->id;
        methods[i] = items[i].method;
    }
    if (count != 0 && modules && methods) {
        rejit_take_back(profiler, (ULONG)count, modules, methods);
    }
    free(modules);
    free(methods);
}

/* The first look only begins the counts. Costliest first, until what remains is below the limits:
 * so few methods are given up. */
void cost_limit_look(struct profiler *profiler)
{
    uint64_t now = hooks_clock_query();
    uint64_t elapsed = now - limit.looked, all;
    struct costly *items = NULL;
    if (limit.percent == 0 || elapsed < COST_LOOK_MS * (uint64_t)MS_NS) {
        return;
    }
    bool first = limit.looked == 0;
    limit.looked = now;
    pthread_mutex_lock(&profiler->lock);
    size_t count = profiler->is_idle ? 0 : collect(profiler, &items, &all);
    uint64_t each = elapsed / 100 * limit.percent;
    size_t off = 0;
    while (!first && off < count && (items[off].cost > each || all > ALL_METHODS * each)) {
        switch_off(profiler, &items[off], all, elapsed);
        all -= items[off++].cost;
    }
    pthread_mutex_unlock(&profiler->lock);
    take_back(profiler, items, off);
    free(items);
}

void cost_limit_report(void)
{
    if (limit.switched_off != 0) {
        status_line("chosen",
                    "%u method%s switched off: the calls took too much time (--max-cost; --report "
                    "says of which)",
                    limit.switched_off, limit.switched_off == 1 ? " was" : "s were");
    }
}
