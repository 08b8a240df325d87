/* The clock of the hooks against the system's own: the same time, forward, in several threads while
 * it is adjusted. */
#include "metadata_test.h"

#include <pthread.h>

#include "profiler/hooks/clock.h"

/* ns: the one who adjusts may be held up while the system changes its pace */
#define NEAR 10000000u

/* How far it is off at best: what comes between the looks only adds, and the longer ago it was
 * adjusted the farther it is. */
static uint64_t least_error(bool adjusted)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < 1000; i++) {
        if (adjusted) {
            hooks_clock_adjust();
        }
        uint64_t before = hooks_clock_query();
        uint64_t now = hooks_now();
        uint64_t after = hooks_clock_query();
        uint64_t error = now > after ? now - after : 0;
        error = now < before ? before - now : error;
        least = error < least ? error : least;
    }
    return least;
}

static void is_the_systems_without_being_opened(void **state)
{
    (void)state;
    atomic_store(&hooks_clock.version, 0);
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t before = hooks_clock_query();
        uint64_t now = hooks_now();
        assert_true(before <= now && now <= hooks_clock_query());
    }
}

static void is_the_systems(void **state)
{
    (void)state;
    hooks_clock_open();
    for (unsigned i = 0; i < 20; i++) {
        assert_true(least_error(true) < 1000);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
}

/* Without a thread for it, and without waiting: the counter is used after a while. */
static void is_kept_by_who_reads(void **state)
{
    (void)state;
    atomic_store(&hooks_clock.version, 0);
    hooks_clock_begin();
    hooks_clock_keep(hooks_now());
    assert_int_equal(atomic_load(&hooks_clock.version), 0);
    for (unsigned i = 0; i < 20; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        hooks_clock_keep(hooks_now());
        assert_true(least_error(true) < 1000);
    }
    hooks_clock_open();
    hooks_clock_begin(); /* again: what was measured may be long ago */
    assert_int_equal(atomic_load(&hooks_clock.version), 0);
}

/* The counter is used only where it means something: far from the last look, and half way through
 * one, the system is queried. */
static void doubts_query_the_system(void **state)
{
    (void)state;
    hooks_clock_open();
    if (atomic_load(&hooks_clock.version) == 0) {
        skip();
    }
    atomic_fetch_add(&hooks_clock.version, 1);
    atomic_fetch_add(&hooks_clock.ns, 1000000000000u);
    assert_int_equal(least_error(false), 0);
    atomic_fetch_add(&hooks_clock.version, 1);
    assert_true(least_error(false) > 900000000000u);
    atomic_fetch_sub(&hooks_clock.then, CLOCK_REACH);
    assert_int_equal(least_error(false), 0);
    assert_true(least_error(true) < 1000);
}

static atomic_bool done;

static void *watch(void *failures)
{
    uint64_t last = 0;
    while (!atomic_load(&done)) {
        uint64_t now = hooks_now();
        *(unsigned *)failures += now + NEAR < last;
        last = now;
    }
    return NULL;
}

static void goes_forward_while_it_is_adjusted(void **state)
{
    (void)state;
    pthread_t threads[2];
    unsigned failures[2] = {0, 0};
    hooks_clock_open();
    atomic_store(&done, false);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, watch, &failures[i]), 0);
    }
    for (unsigned i = 0; i < 2000; i++) {
        hooks_clock_adjust();
    }
    atomic_store(&done, true);
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(failures[i], 0);
    }
}

static void time_between_is_never_negative(void **state)
{
    (void)state;
    uint64_t now = hooks_now();
    assert_int_equal(hooks_since(UINT64_MAX), 0);
    uint64_t since = hooks_since(now - 5);
    assert_true(since >= 5);
    assert_true(since <= hooks_now() - now + 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_systems_without_being_opened),
        cmocka_unit_test(is_the_systems),
        cmocka_unit_test(is_kept_by_who_reads),
        cmocka_unit_test(doubts_query_the_system),
        cmocka_unit_test(goes_forward_while_it_is_adjusted),
        cmocka_unit_test(time_between_is_never_negative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
