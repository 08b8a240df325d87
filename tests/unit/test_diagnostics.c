/* The diagnostics socket of a process: commands go to that process alone, not to one that has put a
 * socket of that name into the folder. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/local_socket.h"
#include "tools/launch/diagnostics.c" /* the parts that are linked have no tools */

void *need(void *memory)
{
    if (!memory) {
        abort();
    }
    return memory;
}

/* A process without a runtime: the socket of its name is this one's, of the same user. */
static void test_another_process(void **state)
{
    char folder[] = "/tmp/ilpatch-diagnostics-XXXXXX", path[128];
    unsigned long long started;
    user_id owner;
    struct diagnostics server;
    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("TMPDIR", folder, 1);
    pid_t process = fork();
    if (process == 0) {
        pause();
        _exit(0);
    }
    assert_true(process_find(process, &owner, &started));
    snprintf(path, sizeof path, "%s/dotnet-diagnostic-%ld-%llu-socket", folder, (long)process,
             started);
    int listening = local_socket_open();
    assert_true(local_socket_listen(listening, path));
    assert_int_equal(diagnostics_open(&server, process), EXIT_DONE);
    assert_int_equal(diagnostics_set_variable(&server, "NAME", "secret"), EXIT_BAD_INPUT);
    int file = local_socket_accept(listening);
    assert_true(file >= 0);
    char byte;
    assert_false(local_socket_receive(file, &byte, 1, DEADLINE_NONE)); /* nothing was sent */
    close(file);
    close(listening);
    diagnostics_close(&server);
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_another_process)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
