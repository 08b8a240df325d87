/* Hooks that break their contract are caught, each in the way that elt/contract.h says, and those
 * that hold it are not. */
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "elt/contract.h"
#include "elt/shadow_stack.h"

static unsigned passed, failed;

/* ---- what was reported ---- */

static unsigned reported[CONTRACT_BREACHES], reported_all;
static char reported_hook[32], reported_detail[64];

static void report(enum contract_breach breach, const char *hook, const char *detail)
{
    reported[breach]++;
    reported_all++;
    snprintf(reported_hook, sizeof reported_hook, "%s", hook);
    snprintf(reported_detail, sizeof reported_detail, "%s", detail);
    usleep(1); /* the receiver may wait */
}

/* ---- the hooks ---- */

static void (*deed)(uintptr_t id);
static COR_PRF_FRAME_INFO seen_frame;

static void hook3(uintptr_t id)
{
    deed(id);
}

static void hook2(FunctionID id, uintptr_t data, COR_PRF_FRAME_INFO frame)
{
    (void)data;
    seen_frame = frame;
    deed(id);
}

/* As compiled code calls it, where a stub is. */
static void enter(uintptr_t id)
{
#if defined __x86_64__
    register uintptr_t client_id __asm__("r14") = id;
    __asm__ volatile("sub $128, %%rsp; call elt_enter3; add $128, %%rsp"
                     : "+r"(client_id)::"r15", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
                       "xmm14", "xmm15", "memory", "cc");
#else
    elt_targets.enter3(id);
#endif
}

static void tailcall2(void)
{
    elt_targets.tailcall2(1, 2, 0x7000);
}

/* ---- what they do ---- */

static struct shadow_stack stack;

static void use_shadow_stack(uintptr_t id)
{
    shadow_stack_push(&stack, (const void *)id, 0);
}

static void work_long(uintptr_t id)
{
    (void)id;
    struct timespec from, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - from.tv_sec) * 1000000000L + now.tv_nsec - from.tv_nsec < 30 * 1000000L);
}

/* By the system call itself: nothing that could be wrapped. */
static void sleep_unseen(uintptr_t id)
{
    (void)id;
    struct timespec time = {0, 1000000};
    syscall(SYS_nanosleep, &time, NULL);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock_free_mutex(uintptr_t id)
{
    (void)id;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static _Atomic int word;

static void *wake_who_waits(void *unused)
{
    (void)unused;
    while (syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0) == 0) { /* no thread waits yet */
        usleep(1000);
    }
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
    return NULL;
}

static void wait_for_thread(uintptr_t id)
{
    (void)id;
    while (!atomic_load(&word)) {
        syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
    }
}

static void allocate(uintptr_t id)
{
    void *volatile block = malloc(id);
    free(block);
}

static void write_excused(uintptr_t id)
{
    contract_excuse();
    sleep_unseen(id);
    lock_free_mutex(id);
    contract_excused();
}

static COR_PRF_FRAME_INFO real_frame;

static void look_at_frame(uintptr_t id)
{
    (void)id;
    real_frame = contract_info(seen_frame);
}

static void nothing(uintptr_t id)
{
    (void)id;
}

static void call_managed(uintptr_t id)
{
    if (id == 1) {
        elt_targets.enter3(2); /* the method that it calls has hooks, too */
    }
}

static void make_object(uintptr_t id)
{
    (void)id;
    contract_callback("ObjectAllocated");
}

/* ---- the tests ---- */

static void begin(void (*what)(uintptr_t))
{
    deed = what;
    memset(reported, 0, sizeof reported);
    reported_all = 0;
    *reported_hook = *reported_detail = '\0';
}

static void end(const char *name, bool good)
{
    if (good) {
        passed++;
        printf("ok %s\n", name);
    } else {
        failed++;
        printf("FAIL %s: %u reported, %s, %s\n", name, reported_all, reported_hook,
               reported_detail);
    }
}

static bool only(enum contract_breach breach, const char *hook, const char *detail)
{
    return reported_all == 1 && reported[breach] == 1 && strcmp(reported_hook, hook) == 0 &&
           strcmp(reported_detail, detail) == 0;
}

/* A hook in which memory is brought in is not judged: the first may be such a one. */
#define UNTIL_REPORTED for (unsigned i = 0; i < 100 && reported_all == 0; i++)

static void test_waiting(void)
{
    begin(use_shadow_stack);
    for (unsigned i = 0; i < 1000; i++) {
        enter(i + 1);
    }
    end("a hook that holds its contract", reported_all == 0 && stack.depth == 1000);

    begin(work_long);
    enter(1);
    end("a hook that takes long does not wait", reported_all == 0);

    begin(sleep_unseen);
    UNTIL_REPORTED
    {
        enter(1);
    }
    end("a hook that sleeps", only(CONTRACT_WAITED, "enter3", ""));

    begin(sleep_unseen);
    UNTIL_REPORTED
    {
        contract_begin("FunctionLeave3WithInfo");
        sleep_unseen(1);
        contract_end();
    }
    end("a hook of the slow path that sleeps", only(CONTRACT_WAITED, "FunctionLeave3WithInfo", ""));

    pthread_t thread;
    begin(wait_for_thread);
    UNTIL_REPORTED
    {
        atomic_store(&word, 0);
        pthread_create(&thread, NULL, wake_who_waits, NULL);
        enter(1);
        pthread_join(thread, NULL);
    }
    end("a hook that waits for a thread", only(CONTRACT_WAITED, "enter3", ""));

    begin(lock_free_mutex);
    enter(1);
    end("a hook that takes a free lock", only(CONTRACT_MAY_WAIT, "enter3", "pthread_mutex_lock"));

    begin(allocate);
    enter(1);
    end("a hook that allocates native memory", only(CONTRACT_MAY_WAIT, "enter3", "malloc"));

    begin(write_excused);
    enter(1);
    end("a hook that says that it waits", reported_all == 0);

    begin(lock_free_mutex);
    lock_free_mutex(1);
    sleep_unseen(1);
    end("outside a hook everything goes", reported_all == 0);
}

static void *use_kept_frame(void *unused)
{
    (void)unused;
    contract_begin("enter3");
    real_frame = contract_info(seen_frame);
    contract_end();
    return NULL;
}

static void test_frames(void)
{
    begin(look_at_frame);
    tailcall2();
    end("a frame info within its hook",
        reported_all == 0 && real_frame == 0x7000 && seen_frame != 0x7000);

    begin(nothing);
    tailcall2();
    real_frame = contract_info(seen_frame);
    end("a frame info after its hook",
        reported_all == 1 && reported[CONTRACT_FRAME_KEPT] == 1 && real_frame == 0);

    begin(nothing);
    tailcall2();
    COR_PRF_FRAME_INFO kept = seen_frame;
    tailcall2();
    contract_begin("leave2");
    real_frame = contract_info(kept);
    contract_end();
    end("a frame info in another hook", only(CONTRACT_FRAME_KEPT, "leave2", ""));

    pthread_t thread;
    begin(nothing);
    tailcall2();
    pthread_create(&thread, NULL, use_kept_frame, NULL);
    pthread_join(thread, NULL);
    end("a frame info in another thread", only(CONTRACT_FRAME_KEPT, "enter3", ""));
}

static void test_runtime(void)
{
    begin(call_managed);
    enter(1);
    end("a hook that calls managed code", only(CONTRACT_MANAGED, "enter3", "enter3"));

    begin(make_object);
    enter(1);
    end("a hook that allocates an object", only(CONTRACT_RUNTIME, "enter3", "ObjectAllocated"));

    begin(nothing);
    contract_callback("ObjectAllocated");
    end("a callback outside hooks", reported_all == 0);
}

/* Without a function that takes reports the process ends, and says why. */
static void test_end(void)
{
    int ends[2];
    char line[256] = "";
    if (pipe(ends) != 0) {
        abort();
    }
    pid_t child = fork();
    if (child == 0) {
        contract_report = NULL;
        dup2(ends[1], STDERR_FILENO);
        begin(sleep_unseen);
        UNTIL_REPORTED
        {
            enter(1);
        }
        _exit(0);
    }
    close(ends[1]);
    ssize_t size = read(ends[0], line, sizeof line - 1);
    int status = 0;
    waitpid(child, &status, 0);
    begin(nothing);
    end("no one takes reports: the process ends", size > 0 && WIFSIGNALED(status) &&
                                                      WTERMSIG(status) == SIGABRT &&
                                                      strncmp(line, "enter3 waited: ", 15) == 0);
}

int main(void)
{
    contract_report = report;
    shadow_stack_open(&stack, 2000);
    elt_targets.enter3 = hook3;
    elt_targets.tailcall2 = hook2;
    contract_watch();
    contract_watch(); /* once is enough, twice no harm */
    elt_switch(true);
    test_waiting();
    test_frames();
    test_runtime();
    test_end();
    shadow_stack_close(&stack);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
