/* A profiler around the profiler: loads the one that BENCH_PROFILER names, and measures on each thread the CPU time of its
 * callbacks, and of compilation from the end of JITCompilationStarted to JITCompilationFinished. What the profiler asks of
 * the runtime meanwhile goes through objects of ours (struct proxy), and is measured, too. At the end it writes a line into the file
 * that BENCH_TIMES names: microseconds in callbacks, microseconds of compilation, methods compiled, and of the first the
 * microseconds that the runtime took.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { INITIALIZE = 3, SHUTDOWN = 4, STARTED = 23, FINISHED = 24, CACHE_SEARCH = 25, INLINING = 28, CREATE_INSTANCE = 3, SLOTS = 29, DEEP = 64 };

typedef int32_t (*slot)(void *, uintptr_t, uintptr_t, void *);
struct object {
    slot *table;
};

static slot inner[SLOTS];
static atomic_uint_least64_t in_callbacks, in_jit, in_runtime;
static atomic_uint compiled;
/* The compilation of one method may lead to that of another on the same thread: a type's initialiser runs. */
static _Thread_local uint64_t started[DEEP];
static _Thread_local unsigned depth;

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* What the clock takes itself is taken off. */
static uint64_t clock_takes;

static uint64_t since(uint64_t begin)
{
    uint64_t spent = now() - begin;
    return spent > clock_takes ? spent - clock_takes : 0;
}

static void calibrate(void)
{
    enum { TIMES = 1000 };
    uint64_t sum = 0;
    for (unsigned i = 0; i < TIMES; i++) {
        sum += since(now());
    }
    clock_takes = sum / TIMES;
}

/* ---- what the profiler calls: an interface with the same slots, that hands calls on ---- */

#define ARGUMENTS uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f, uintptr_t g, uintptr_t h, uintptr_t i, uintptr_t j
typedef uintptr_t (*any_slot)(void *, ARGUMENTS);

struct proxy {
    const any_slot *table;
    struct object *real;
    int is_info;
};

static _Thread_local unsigned inside;   /* callbacks */
static _Thread_local uint64_t handed_on; /* calls, each of which looks at the clock twice */
static void wrap(uintptr_t out, int is_info);

enum { QUERY_INTERFACE = 0, GET_MODULE_METADATA = 21, GET_ALLOCATOR = 23 };

/* More arguments than the callee takes do no harm where the caller cleans the stack. */
static uintptr_t hand_on(unsigned number, struct proxy *proxy, ARGUMENTS)
{
    uint64_t begin = now();
    uintptr_t result = ((const any_slot *)(uintptr_t)proxy->real->table)[number](proxy->real, a, b, c, d, e, f, g, h, i, j);
    if (inside != 0) {
        atomic_fetch_add(&in_runtime, since(begin));
        handed_on++;
    }
    if ((int32_t)result >= 0 && number == QUERY_INTERFACE) {
        wrap(b, proxy->is_info);
    } else if ((int32_t)result >= 0 && proxy->is_info && number == GET_MODULE_METADATA) {
        wrap(d, 0);
    } else if ((int32_t)result >= 0 && proxy->is_info && number == GET_ALLOCATOR) {
        wrap(b, 0);
    }
    return result;
}

#define TEN(of, t) of(t##0) of(t##1) of(t##2) of(t##3) of(t##4) of(t##5) of(t##6) of(t##7) of(t##8) of(t##9)
#define ALL(of) \
    of(0) of(1) of(2) of(3) of(4) of(5) of(6) of(7) of(8) of(9) TEN(of, 1) TEN(of, 2) TEN(of, 3) TEN(of, 4) TEN(of, 5) \
    TEN(of, 6) TEN(of, 7) TEN(of, 8) TEN(of, 9) TEN(of, 10) TEN(of, 11)
#define HAND_ON(n) \
    static uintptr_t hand_on_##n(void *self, ARGUMENTS) { return hand_on(n, self, a, b, c, d, e, f, g, h, i, j); }
ALL(HAND_ON)
#define SLOT(n) hand_on_##n,
static const any_slot proxy_table[] = {ALL(SLOT)};

static struct proxy *proxy_of(void *real, int is_info)
{
    struct proxy *proxy = malloc(sizeof *proxy);
    if (!proxy) {
        abort();
    }
    *proxy = (struct proxy){proxy_table, real, is_info};
    return proxy;
}

static void wrap(uintptr_t out, int is_info)
{
    *(void **)out = proxy_of(*(void **)out, is_info);
}

/* ---- what the runtime calls ---- */

static int32_t initialize(void *self, uintptr_t unknown, uintptr_t b, void *c)
{
    return inner[INITIALIZE](self, (uintptr_t)proxy_of((void *)unknown, 1), b, c);
}

static int32_t timed(unsigned number, void *self, uintptr_t a, uintptr_t b, void *c)
{
    uint64_t begin = now();
    uint64_t handed_before = handed_on;
    inside++;
    int32_t result = inner[number](self, a, b, c);
    inside--;
    uint64_t spent = since(begin);
    uint64_t clocks = 2 * clock_takes * (handed_on - handed_before);
    atomic_fetch_add(&in_callbacks, spent > clocks ? spent - clocks : 0);
    for (unsigned i = 0; i < depth && i < DEEP; i++) {
        started[i] += spent; /* no part of the compilations it happens in */
    }
    return result;
}

static int32_t jit_started(void *self, uintptr_t function, uintptr_t safe, void *none)
{
    int32_t result = timed(STARTED, self, function, safe, none);
    uint64_t begin = now();
    if (depth < DEEP) {
        started[depth] = begin;
    }
    depth++;
    return result;
}

static int32_t jit_finished(void *self, uintptr_t function, uintptr_t status, void *safe)
{
    depth -= depth > 0;
    if (depth < DEEP) {
        uint64_t spent = since(started[depth]);
        atomic_fetch_add(&in_jit, spent);
        atomic_fetch_add(&compiled, 1);
        for (unsigned i = 0; i < depth; i++) {
            started[i] += spent;
        }
    }
    return inner[FINISHED](self, function, status, safe);
}

static int32_t cache_search(void *self, uintptr_t function, uintptr_t use, void *none)
{
    return timed(CACHE_SEARCH, self, function, use, none);
}

static int32_t inlining(void *self, uintptr_t caller, uintptr_t callee, void *should)
{
    return timed(INLINING, self, caller, callee, should);
}

static int32_t shut_down(void *self, uintptr_t a, uintptr_t b, void *c)
{
    const char *path = getenv("BENCH_TIMES");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "%llu %llu %u %llu\n", (unsigned long long)in_callbacks / 1000, (unsigned long long)in_jit / 1000,
                compiled, (unsigned long long)in_runtime / 1000);
        fclose(file);
    }
    return inner[SHUTDOWN](self, a, b, c);
}

static slot create;

/* The profiler's table of functions is memory of its own, which can be written. */
static int32_t create_instance(void *self, uintptr_t outer, uintptr_t id, void *out)
{
    int32_t result = create(self, outer, id, out);
    if (result >= 0 && inner[SHUTDOWN] == NULL) {
        slot *table = (*(struct object **)out)->table;
        calibrate();
        for (unsigned i = 0; i < SLOTS; i++) {
            inner[i] = table[i];
        }
        table[INITIALIZE] = initialize;
        table[SHUTDOWN] = shut_down;
        table[STARTED] = jit_started;
        table[FINISHED] = jit_finished;
        table[CACHE_SEARCH] = cache_search;
        table[INLINING] = inlining;
    }
    return result;
}

int32_t DllGetClassObject(const void *of_class, const void *id, void **out)
{
    static slot table[5];
    static struct object factory = {table};
    const char *path = getenv("BENCH_PROFILER");
    void *library = path ? dlopen(path, RTLD_NOW) : NULL;
    int32_t (*get)(const void *, const void *, void **) = NULL;
    if (library) {
        *(void **)&get = dlsym(library, "DllGetClassObject");
    }
    int32_t result = get ? get(of_class, id, out) : -1;
    if (result >= 0) {
        const slot *there = (*(struct object **)out)->table;
        for (unsigned i = 0; i < 5; i++) {
            table[i] = there[i];
        }
        create = there[CREATE_INSTANCE];
        table[CREATE_INSTANCE] = create_instance;
        *out = &factory;
    }
    return result;
}
