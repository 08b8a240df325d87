/* A profiler around the profiler: loads the one that BENCH_PROFILER names, and measures its
 * callbacks, the calls to the runtime in them, which go through proxies (struct proxy), and
 * compilation, from the end of JITCompilationStarted to JITCompilationFinished. At the end it
 * writes a line of numbers to the file that BENCH_TIMES names, see shut_down(), and with
 * BENCH_CALLS a list of the calls to the runtime in callbacks that rewrite.
 *
 * Callbacks take microseconds. Reading a thread's CPU time on a virtual machine takes as long, and
 * disturbs the caches. So callbacks are measured by the processor's counter, without those in which
 * the thread was interrupted: when the kernel resumes a thread, it resets a restartable sequence
 * (rseq) that the thread is not in. They count as the mean of the others. Compilation, and the
 * callbacks in which a module is opened, take long enough for the thread's CPU time. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/rseq.h>
#include <time.h>
#include <x86intrin.h>

enum {
    INITIALIZE = 3,
    SHUTDOWN = 4,
    MODULE_LOADED = 14,
    STARTED = 23,
    FINISHED = 24,
    CACHE_SEARCH = 25,
    INLINING = 28,
    SLOTS
};

typedef int32_t (*slot)(void *, uintptr_t, uintptr_t, void *);
struct object {
    slot *table;
};
static slot inner[SLOTS];

/* What a callback does: opens a module or prepares it for changes, rewrites a method or sets its
 * new body, or neither. Methods are compiled from such a body or from their own. */
enum kind { OTHER, REWRITING, OPENING, KINDS };
static struct {
    atomic_uint_least64_t callbacks, spent, in_runtime; /* without those that were interrupted */
    atomic_uint_least64_t interrupted;
    atomic_uint_least64_t compiled, compilation;
} sums[KINDS];
static atomic_uint_least64_t rewritten;
/* All times are in ns. */

/* The callback that a thread is in. */
static _Thread_local struct {
    bool inside;
    enum kind kind;
    bool sets_body;
    uint64_t in_runtime;
    uint64_t begun, begun_cpu; /* the latter when a module is opened */
} callback;

/* The compilation of one method may trigger that of another on the same thread: a type initializer
 * runs. */
enum { DEEP = 64 };
static _Thread_local struct {
    uint64_t started;
    enum kind kind;
} compiling[DEEP];
static _Thread_local unsigned depth;

/* ---- clocks ---------------------------------------------------------------------------------- */

static uint64_t cpu_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t clock_takes;
static double ticks_per_ns;

static uint64_t ticks_since(uint64_t begin)
{
    return (uint64_t)((double)(__rdtsc() - begin) / ticks_per_ns);
}

static uint64_t cpu_time_since(uint64_t begin)
{
    uint64_t spent = cpu_time() - begin;
    return spent > clock_takes ? spent - clock_takes : 0;
}

static void calibrate(void)
{
    enum { TIMES = 2000 };
    uint64_t sum = 0;
    struct timespec begin, end;
    for (unsigned i = 0; i < TIMES; i++) {
        sum += cpu_time_since(cpu_time());
    }
    clock_takes = sum / TIMES;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    uint64_t ticks = __rdtsc();
    do {
        clock_gettime(CLOCK_MONOTONIC, &end);
        sum = (uint64_t)(end.tv_sec - begin.tv_sec) * 1000000000u + (uint64_t)end.tv_nsec -
              (uint64_t)begin.tv_nsec;
    } while (sum < 20000000u);
    ticks_per_ns = (double)(__rdtsc() - ticks) / (double)sum;
}

/* A sequence of one instruction that never runs, with the signature before its abort address. */
static const uint32_t nowhere[] = {0, RSEQ_SIG, 0};
static struct rseq_cs sequence = {.post_commit_offset = 1};

static volatile uint64_t *watched_sequence(void)
{
    char *rseq = (char *)__builtin_thread_pointer() + __rseq_offset;
    return (volatile uint64_t *)(uintptr_t)(rseq + offsetof(struct rseq, rseq_cs));
}

static void watch(void)
{
    *watched_sequence() = (uintptr_t)&sequence;
}

static bool was_interrupted(void)
{
    volatile uint64_t *watched = watched_sequence();
    bool lost = *watched == 0;
    *watched = 0;
    return lost;
}

/* ---- called by the profiler: an interface with the same slots, which forwards ---------------- */

#define ARGUMENTS                                                                              \
    uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f, uintptr_t g, \
        uintptr_t h, uintptr_t i, uintptr_t j
typedef uintptr_t (*any_slot)(void *, ARGUMENTS);

enum interface { INFO, METADATA, ALLOCATOR, INTERFACES };
struct proxy {
    const any_slot *table;
    struct object *real;
    enum interface interface;
};
static void wrap(uintptr_t out, enum interface interface);

enum {
    QUERY_INTERFACE = 0,
    ALLOC = 3,
    GET_MODULE_METADATA = 21,
    GET_ALLOCATOR = 23,
    SET_BODY = 24,
    GET_MODULE_INFO2 = 70,
    PROXY_SLOTS = 120
};

static struct {
    atomic_uint_least64_t count, spent;
} calls[INTERFACES][PROXY_SLOTS];

/* The callback opens a module from here on. The time before that is microseconds. */
static void begin_opening(void)
{
    callback.kind = OPENING;
    callback.begun_cpu = cpu_time();
}

static void note_call(unsigned number, enum interface interface, uint64_t spent)
{
    bool rewrites = interface == ALLOCATOR && number == ALLOC;
    callback.sets_body |= interface == INFO && number == SET_BODY;
    callback.in_runtime += spent;
    if ((rewrites || callback.sets_body) && callback.kind == OTHER) {
        callback.kind = REWRITING;
    }
    atomic_fetch_add(&rewritten, rewrites);
    atomic_fetch_add(&calls[interface][number].count, 1);
    atomic_fetch_add(&calls[interface][number].spent, spent);
}

/* More arguments than the callee takes do no harm where the caller cleans the stack. */
static uintptr_t hand_on(unsigned number, struct proxy *proxy, ARGUMENTS)
{
    enum interface interface = proxy->interface;
    if (callback.inside && callback.kind != OPENING && interface == INFO &&
        (number == GET_MODULE_METADATA || number == GET_MODULE_INFO2)) {
        begin_opening();
    }
    bool opening = callback.inside && callback.kind == OPENING;
    uint64_t begin = opening ? cpu_time() : __rdtsc();
    uintptr_t result = ((const any_slot *)(uintptr_t)proxy->real->table)[number](
        proxy->real, a, b, c, d, e, f, g, h, i, j);
    if (callback.inside) {
        note_call(number, interface, opening ? cpu_time_since(begin) : ticks_since(begin));
    }
    if ((int32_t)result >= 0 && number == QUERY_INTERFACE) {
        wrap(b, interface);
    } else if ((int32_t)result >= 0 && interface == INFO && number == GET_MODULE_METADATA) {
        wrap(d, METADATA);
    } else if ((int32_t)result >= 0 && interface == INFO && number == GET_ALLOCATOR) {
        wrap(b, ALLOCATOR);
    }
    return result;
}

#define TEN(of, t) \
    of(t##0) of(t##1) of(t##2) of(t##3) of(t##4) of(t##5) of(t##6) of(t##7) of(t##8) of(t##9)
#define ALL(of)                                                                                  \
    of(0) of(1) of(2) of(3) of(4) of(5) of(6) of(7) of(8) of(9) TEN(of, 1) TEN(of, 2) TEN(of, 3) \
        TEN(of, 4) TEN(of, 5) TEN(of, 6) TEN(of, 7) TEN(of, 8) TEN(of, 9) TEN(of, 10) TEN(of, 11)
#define HAND_ON(n)                                             \
    static uintptr_t hand_on_##n(void *self, ARGUMENTS)        \
    {                                                          \
        return hand_on(n, self, a, b, c, d, e, f, g, h, i, j); \
    }
ALL(HAND_ON)
#define SLOT(n) hand_on_##n,
static const any_slot proxy_table[PROXY_SLOTS] = {ALL(SLOT)};

static struct proxy *proxy_of(void *real, enum interface interface)
{
    struct proxy *proxy = malloc(sizeof *proxy);
    if (!proxy) {
        abort();
    }
    *proxy = (struct proxy){proxy_table, real, interface};
    return proxy;
}

static void wrap(uintptr_t out, enum interface interface)
{
    *(void **)out = proxy_of(*(void **)out, interface);
}

/* ---- called by the runtime ------------------------------------------------------------------- */

static int32_t initialize(void *self, uintptr_t unknown, uintptr_t b, void *c)
{
    return inner[INITIALIZE](self, (uintptr_t)proxy_of((void *)unknown, INFO), b, c);
}

static int32_t timed(unsigned number, void *self, uintptr_t a, uintptr_t b, void *c)
{
    callback.inside = true;
    callback.kind = OTHER;
    callback.in_runtime = 0;
    callback.sets_body = false;
    watch();
    callback.begun = __rdtsc();
    if (number == MODULE_LOADED) {
        begin_opening();
    }
    int32_t result = inner[number](self, a, b, c);
    uint64_t spent = callback.kind == OPENING ? cpu_time_since(callback.begun_cpu)
                                              : ticks_since(callback.begun);
    bool interrupted = was_interrupted() && callback.kind != OPENING;
    callback.inside = false;
    if (interrupted) {
        atomic_fetch_add(&sums[callback.kind].interrupted, 1);
    } else {
        atomic_fetch_add(&sums[callback.kind].callbacks, 1);
        atomic_fetch_add(&sums[callback.kind].spent, spent);
        atomic_fetch_add(&sums[callback.kind].in_runtime, callback.in_runtime);
    }
    for (unsigned i = 0; i < depth && i < DEEP; i++) {
        compiling[i].started += spent; /* not part of the compilations it happens in */
    }
    return result;
}

static int32_t jit_started(void *self, uintptr_t function, uintptr_t safe, void *none)
{
    int32_t result = timed(STARTED, self, function, safe, none);
    if (depth < DEEP) {
        compiling[depth].kind = callback.sets_body ? REWRITING : OTHER;
        compiling[depth].started = cpu_time();
    }
    depth++;
    return result;
}

static int32_t jit_finished(void *self, uintptr_t function, uintptr_t status, void *safe)
{
    depth -= depth > 0;
    if (depth < DEEP) {
        uint64_t spent = cpu_time_since(compiling[depth].started);
        atomic_fetch_add(&sums[compiling[depth].kind].compilation, spent);
        atomic_fetch_add(&sums[compiling[depth].kind].compiled, 1);
        for (unsigned i = 0; i < depth; i++) {
            compiling[i].started += spent + clock_takes;
        }
    }
    return inner[FINISHED](self, function, status, safe);
}

#define TIMED(name, number)                                            \
    static int32_t name(void *self, uintptr_t a, uintptr_t b, void *c) \
    {                                                                  \
        return timed(number, self, a, b, c);                           \
    }
TIMED(cache_search, CACHE_SEARCH)
TIMED(inlining, INLINING)
TIMED(module_loaded, MODULE_LOADED)

static void write_calls(FILE *file)
{
    for (unsigned i = 0; file && i < INTERFACES; i++) {
        for (unsigned n = 0; n < PROXY_SLOTS; n++) {
            if (calls[i][n].count != 0) {
                fprintf(file, "%u %u: %llu times, %.0f us\n", i, n,
                        (unsigned long long)calls[i][n].count, (double)calls[i][n].spent / 1e3);
            }
        }
    }
}

/* Microseconds in callbacks, of these in the runtime, methods compiled, microseconds of
 * compilation: for each kind. Then how many methods were rewritten, and callbacks interrupted. */
static void write_sums(FILE *file)
{
    uint64_t interrupted = 0;
    for (unsigned kind = 0; file && kind < KINDS; kind++) {
        double times = (double)sums[kind].callbacks;
        double all = times > 0 ? (times + (double)sums[kind].interrupted) / times / 1e3 : 0;
        fprintf(file, "%.0f %.0f %llu %.0f ", (double)sums[kind].spent * all,
                (double)sums[kind].in_runtime * all, (unsigned long long)sums[kind].compiled,
                (double)sums[kind].compilation / 1e3);
        interrupted += sums[kind].interrupted;
    }
    if (file) {
        fprintf(file, "%llu %llu\n", (unsigned long long)rewritten,
                (unsigned long long)interrupted);
    }
}

static void write_to(const char *variable, void (*function)(FILE *))
{
    const char *path = getenv(variable);
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        function(file);
        fclose(file);
    }
}

static int32_t shut_down(void *self, uintptr_t a, uintptr_t b, void *c)
{
    write_to("BENCH_TIMES", write_sums);
    write_to("BENCH_CALLS", write_calls);
    return inner[SHUTDOWN](self, a, b, c);
}

enum { CREATE_INSTANCE = 3, FACTORY_SLOTS = 5 };
static slot create;

/* The profiler's table of functions is in its own memory, which is writable. */
static int32_t create_instance(void *self, uintptr_t outer, uintptr_t id, void *out)
{
    int32_t result = create(self, outer, id, out);
    if (result >= 0 && inner[SHUTDOWN] == NULL) {
        slot *table = (*(struct object **)out)->table;
        calibrate();
        memcpy(inner, table, sizeof inner);
        sequence.start_ip = (uintptr_t)&nowhere[0];
        sequence.abort_ip = (uintptr_t)&nowhere[2];
        table[INITIALIZE] = initialize;
        table[SHUTDOWN] = shut_down;
        table[MODULE_LOADED] = module_loaded;
        table[STARTED] = jit_started;
        table[FINISHED] = jit_finished;
        table[CACHE_SEARCH] = cache_search;
        table[INLINING] = inlining;
    }
    return result;
}

int32_t DllGetClassObject(const void *of_class, const void *id, void **out)
{
    static slot table[FACTORY_SLOTS];
    static struct object factory = {table};
    const char *path = getenv("BENCH_PROFILER");
    void *library = path ? dlopen(path, RTLD_NOW) : NULL;
    int32_t (*get)(const void *, const void *, void **) = NULL;
    if (library) {
        *(void **)&get = dlsym(library, "DllGetClassObject");
    }
    int32_t result = get ? get(of_class, id, out) : -1;
    if (result >= 0) {
        memcpy(table, (*(struct object **)out)->table, sizeof table);
        create = table[CREATE_INSTANCE];
        table[CREATE_INSTANCE] = create_instance;
        *out = &factory;
    }
    return result;
}
