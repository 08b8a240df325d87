/* profiler/unmanaged.c, where there is no memory for what a thread needs. */
#include "base/sanitizers.h"

#ifdef HAS_ADDRESS_SANITIZER /* its malloc() is its own */
#include <stdio.h>

int main(void)
{
    puts("AddressSanitizer has a malloc() of its own");
    return 77; /* skipped */
}
#else

#include "tests/unit/failing_malloc.h"
#include "tests/unit/played_calls.h"

#include "host/shared_counters.h"

static void *show_without_memory(void *unused)
{
    int32_t local = 42;
    (void)unused;
    failing.fails_at = 1;
    failing.counts = true;
    played.show(&local, sizeof local, played.add);
    failing.counts = false;
    write_line();
    played.show(&local, sizeof local, played.add);
    write_line();
    return NULL;
}

/* A value for which there is no memory is counted, and the next one is shown. */
static void a_lost_value_is_counted(void **state)
{
    static struct shared_counters counted;
    struct session session;
    (void)state;
    begin(&session, "--inspector unmanaged --inspect-returns --args --exceptions");
    int counters = shared_counters_make();
    char *name = shared_counters_name(counters);
    setenv("ILPATCH_STATUS", name, 1);
    start(&session, true);
    in_thread(show_without_memory);
    session_end(&session);
    assert_int_equal(pread(counters, &counted, sizeof counted, 0), sizeof counted);
    assert_int_equal(counted.slots[0].lost, 1);
    assert_int_equal(counted.slots[0].lost_error, ENOMEM);
    assert_string_equal(session.output, "N.C::Add -> 42 (System.Int32)\n");
    free(name);
    close(counters);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_lost_value_is_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
