/* Watches what a thread does within a hook: see contract.h. Compiled only into checking builds. */
#include "elt/contract.h"

#ifdef ELT_CHECKED

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void (*contract_report)(enum contract_breach breach, const char *hook, const char *detail);

/* The system's counts of a thread. */
struct contract_counts {
    long waits; /* voluntary context switches */
    /* page faults: the system itself may wait for a disk or another thread */
    long faults;
};

static _Thread_local struct {
    const char *hook; /* NULL: not in a hook */
    unsigned depth;
    unsigned excuses;
    struct contract_counts begun; /* counts when the hook began, plus what is excused */
    uintptr_t info, lent;
} self;

/* ---- reporting ---- */

ssize_t __real_write(int file, const void *bytes, size_t size);

static void end_process(enum contract_breach breach, const char *hook, const char *detail)
{
    static const char *const texts[] = {
#define BREACH(code, text) [CONTRACT_##code] = text,
#include "elt/contract.def"
    };
    char line[256];
    int length = snprintf(line, sizeof line, "%s %s%s%s\n", hook, texts[breach],
                          *detail ? ": " : "", detail);
    if (length > 0) {
        ssize_t written = __real_write(STDERR_FILENO, line, strlen(line));
        (void)written;
    }
    abort();
}

/* ---- waiting ---- */

static struct contract_counts counts(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0
               ? (struct contract_counts){usage.ru_nvcsw, usage.ru_minflt + usage.ru_majflt}
               : (struct contract_counts){0, 0};
}

static bool waited(void)
{
    struct contract_counts now = counts();
    return now.waits != self.begun.waits && now.faults == self.begun.faults;
}

void contract_excuse(void)
{
    if (self.excuses++ == 0) {
        struct contract_counts now = counts();
        self.begun.waits -= now.waits;
        self.begun.faults -= now.faults;
    }
}

void contract_excused(void)
{
    if (--self.excuses == 0) {
        struct contract_counts now = counts();
        self.begun.waits += now.waits;
        self.begun.faults += now.faults;
    }
}

static void report_breach(enum contract_breach breach, const char *hook, const char *detail)
{
    contract_excuse(); /* the reporter may do what it likes */
    (contract_report ? contract_report : end_process)(breach, hook, detail);
    contract_excused();
}

/* The linker redirects calls of `name` to __wrap_name, and those of __real_name to the function. */
#define BLOCKS(result, name, parameters, arguments)             \
    result __real_##name parameters;                            \
    result __wrap_##name parameters;                            \
    result __wrap_##name parameters                             \
    {                                                           \
        if (self.depth > 0 && self.excuses == 0) {              \
            report_breach(CONTRACT_MAY_WAIT, self.hook, #name); \
        }                                                       \
        return __real_##name arguments;                         \
    }
#include "elt/contract.def"

/* ---- frames ---- */

/* Odd, so that it equals no address; every number is used once. */
static _Atomic uintptr_t next_lent = 1;

uintptr_t contract_lend(uintptr_t info)
{
    if (info == 0) {
        return 0;
    }
    self.info = info;
    self.lent = atomic_fetch_add(&next_lent, 2);
    return self.lent;
}

uintptr_t contract_info(uintptr_t lent)
{
    if (lent == 0) {
        return 0;
    }
    if (self.depth == 0 || lent != self.lent) {
        report_breach(CONTRACT_FRAME_KEPT, self.hook ? self.hook : "a thread in no hook", "");
        return 0;
    }
    return self.info;
}

/* ---- the runtime ---- */

void contract_callback(const char *name)
{
    if (self.depth > 0 && self.excuses == 0) {
        report_breach(CONTRACT_RUNTIME, self.hook, name);
    }
}

/* ---- a hook from its begin to its end ---- */

void contract_begin(const char *hook)
{
    if (self.depth++ > 0) {
        if (self.excuses == 0) {
            report_breach(CONTRACT_MANAGED, self.hook, hook);
        }
        return;
    }
    self.hook = hook;
    self.begun = counts();
}

void contract_end(void)
{
    if (self.depth == 1 && self.excuses == 0 && waited()) {
        report_breach(CONTRACT_WAITED, self.hook, "");
    }
    if (--self.depth == 0) {
        self.hook = NULL;
        self.info = self.lent = 0;
    }
}

/* ---- around the functions of stubs ---- */

static struct elt_targets watched;

#define WATCH1(kind)                         \
    static void kind##_checked(uintptr_t id) \
    {                                        \
        contract_begin(#kind);               \
        watched.kind(id);                    \
        contract_end();                      \
    }
WATCH1(enter1)
WATCH1(leave1)
WATCH1(tailcall1)
WATCH1(enter3)
WATCH1(leave3)
WATCH1(tailcall3)

static void enter2_checked(FunctionID id, uintptr_t data, COR_PRF_FRAME_INFO frame,
                           COR_PRF_FUNCTION_ARGUMENT_INFO *arguments)
{
    contract_begin("enter2");
    watched.enter2(id, data, contract_lend(frame), arguments);
    contract_end();
}

static void leave2_checked(FunctionID id, uintptr_t data, COR_PRF_FRAME_INFO frame,
                           COR_PRF_FUNCTION_ARGUMENT_RANGE *value)
{
    contract_begin("leave2");
    watched.leave2(id, data, contract_lend(frame), value);
    contract_end();
}

static void tailcall2_checked(FunctionID id, uintptr_t data, COR_PRF_FRAME_INFO frame)
{
    contract_begin("tailcall2");
    watched.tailcall2(id, data, contract_lend(frame));
    contract_end();
}

void contract_watch(void)
{
#define WATCH(kind)                                               \
    if (elt_targets.kind && elt_targets.kind != kind##_checked) { \
        watched.kind = elt_targets.kind;                          \
        elt_targets.kind = kind##_checked;                        \
    }
    WATCH(enter1)
    WATCH(leave1)
    WATCH(tailcall1)
    WATCH(enter2)
    WATCH(leave2)
    WATCH(tailcall2)
    WATCH(enter3)
    WATCH(leave3)
    WATCH(tailcall3)
}

#endif
