/* The diagnostics socket of a process: it is found, commands go to that process alone, not to one
 * that has put a socket of that name into the folder, and what it says is read, however wrong. */
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
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/local_socket.h"
#include "host/process_files.h"
/* the parts that are linked have no tools */
#include "tools/launch/diagnostics.c"
#include "tools/launch/diagnostics_find.c"

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
    int in_folder = process_open_folder(process_own(), folder);
    assert_true(diagnostics_find(&server, process, owner, process, in_folder, folder));
    assert_string_equal(server.name, path);
    assert_int_equal(diagnostics_request_info(&server), -1);
    close(local_socket_accept(listening));
    assert_int_equal(diagnostics_set_variable(&server, "NAME", "secret"), EXIT_BAD_INPUT);
    int file = local_socket_accept(listening);
    assert_true(file >= 0);
    char byte;
    assert_false(local_socket_receive(file, &byte, 1, DEADLINE_NONE)); /* nothing was sent */
    close(file);
    diagnostics_close(&server);
    /* nor is one taken that has another time in its name */
    char other[sizeof path];
    snprintf(other, sizeof other, "%s/dotnet-diagnostic-%ld-7-socket", folder, (long)process);
    assert_int_equal(rename(path, other), 0);
    assert_false(diagnostics_find(&server, process, owner, process, in_folder, folder));
    diagnostics_close(&server);
    close(listening);
    close(in_folder);
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
    unlink(other);
    rmdir(folder);
}

/* By its number alone, where the time is another one: the one on which the process listens, and not
 * what an earlier process of that number has left. */
static void test_another_time(void **state)
{
    char folder[] = "/tmp/ilpatch-diagnostics-XXXXXX", path[128], left[128];
    struct diagnostics server;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/dotnet-diagnostic-77-1-socket", folder);
    snprintf(left, sizeof left, "%s/dotnet-diagnostic-77-2-socket", folder);
    int listening = local_socket_open(), ended = local_socket_open();
    assert_true(local_socket_listen(listening, path));
    assert_true(local_socket_listen(ended, left));
    close(ended);
    int in_folder = process_open_folder(process_own(), folder);
    assert_true(diagnostics_find(&server, process_own(), process_user(), 77, in_folder, folder));
    assert_string_equal(server.name, path);
    diagnostics_close(&server);
    assert_false(diagnostics_find(&server, process_own(), process_user(), 7, in_folder, folder));
    diagnostics_close(&server);
    close(in_folder);
    close(listening);
    unlink(path);
    unlink(left);
    rmdir(folder);
}

/* What is received of an answer with this payload. */
static bool receive(const uint8_t *payload, size_t size, struct process_info *info)
{
    int ends[2];
    uint8_t head[HEADER_BYTES] = "DOTNET_IPC_V1";
    ilpi_store_u16(head + HEADER_SIZE, (uint16_t)(HEADER_BYTES + size));
    head[HEADER_SET] = SET_SERVER;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(write(ends[1], head, sizeof head), sizeof head);
    assert_int_equal(write(ends[1], payload, size), size);
    close(ends[1]);
    return diagnostics_receive_info(ends[0], deadline_after(10000), info);
}

static void test_info(void **state)
{
    static const char *const texts[] = {"dotnet App.dll", "Linux", "x64",
                                        "\xC3\x84pp\xF0\x9F\x8D\xAF", "10.0.12"};
    struct process_info info;
    struct ilpi_alloc alloc;
    (void)state;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf payload = {.alloc = &alloc};
    ilpi_buf_zeros(&payload, 24);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        put_text(&payload, texts[i]);
    }
    assert_true(receive(payload.data, payload.size, &info));
    assert_string_equal(info.command_line, texts[0]);
    assert_string_equal(info.architecture, texts[2]);
    assert_string_equal(info.assembly, texts[3]);
    assert_string_equal(info.version, texts[4]);
    process_info_free(&info);
    for (size_t size = 0; size < payload.size; size++) { /* it ends too early */
        receive(payload.data, size, &info);
        assert_null(info.version);
        process_info_free(&info);
    }
    for (size_t at = 24; at < payload.size; at++) { /* lengths of texts, among others */
        uint8_t byte = payload.data[at];
        payload.data[at] = 0xFF;
        receive(payload.data, payload.size, &info);
        process_info_free(&info);
        payload.data[at] = byte;
    }
    ilpi_buf_free(&payload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_another_process),
        cmocka_unit_test(test_another_time),
        cmocka_unit_test(test_info),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
