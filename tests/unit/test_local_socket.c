/* Local sockets: who is at the other end, descriptors that go through, and names that nobody
 * listens on. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/local_socket.h"

struct pair {
    char folder[64];
    char path[96];
    int listening;
    int client;
    int server;
};

static void open_pair(struct pair *pair)
{
    *pair = (struct pair){.folder = "/tmp/ilpatch-socket-XXXXXX"};
    assert_non_null(mkdtemp(pair->folder));
    snprintf(pair->path, sizeof pair->path, "%s/control", pair->folder);
    pair->listening = local_socket_open();
    pair->client = local_socket_open();
    assert_true(local_socket_listen(pair->listening, pair->path));
    assert_true(local_socket_connect(pair->client, pair->path));
    pair->server = local_socket_accept(pair->listening);
    assert_true(pair->server >= 0);
}

static void close_pair(struct pair *pair)
{
    close(pair->client);
    close(pair->server);
    close(pair->listening);
    unlink(pair->path);
    rmdir(pair->folder);
}

static void test_other_end(void **state)
{
    struct pair pair;
    user_id owner;
    (void)state;
    open_pair(&pair);
    assert_true(local_socket_is_of(pair.server, getpid()));
    assert_false(local_socket_is_of(pair.server, getppid()));
    assert_true(local_socket_owner(pair.path, &owner));
    assert_int_equal(owner, process_user());
    assert_false(local_socket_owner("/tmp/ilpatch-none/x", &owner));
    close_pair(&pair);
}

static void test_bytes(void **state)
{
    struct pair pair;
    char text[8] = "";
    (void)state;
    open_pair(&pair);
    assert_true(local_socket_send(pair.client, "hello", 6));
    local_socket_end_sending(pair.client);
    assert_true(local_socket_receive(pair.server, text, 6));
    assert_string_equal(text, "hello");
    assert_false(local_socket_receive(pair.server, text, 1));
    assert_int_equal(errno, ECONNRESET);
    /* one direction has ended, and the other has not */
    assert_true(local_socket_send(pair.server, "back", 5));
    assert_true(local_socket_receive(pair.client, text, 5));
    close(pair.server);
    pair.server = -1;
    assert_false(local_socket_send(pair.client, "x", 1)); /* and no SIGPIPE */
    close_pair(&pair);
}

/* One descriptor or two; what arrives is another descriptor of the same file. */
static void test_descriptors(void **state)
{
    struct pair pair;
    int ends[2], got[LOCAL_SOCKET_DESCRIPTORS];
    char text[8] = "";
    (void)state;
    open_pair(&pair);
    assert_int_equal(pipe(ends), 0);
    assert_true(local_socket_send_files(pair.client, "one", 4, (const int[]){ends[1], -1}));
    assert_true(local_socket_receive_files(pair.server, text, 4, got));
    assert_string_equal(text, "one");
    assert_int_equal(got[1], -1);
    assert_int_equal(write(got[0], "x", 1), 1);
    assert_int_equal(read(ends[0], text, 1), 1);
    close(got[0]);
    assert_true(local_socket_send_files(pair.client, "two", 4, ends));
    assert_true(local_socket_receive_files(pair.server, text, 4, got));
    assert_true(got[0] >= 0 && got[1] >= 0 && got[0] != ends[0]);
    close(got[0]);
    close(got[1]);
    assert_true(local_socket_send(pair.client, "plain", 6));
    assert_true(local_socket_receive_files(pair.server, text, 6, got));
    assert_int_equal(got[0], -1);
    assert_int_equal(got[1], -1);
    close(ends[0]);
    close(ends[1]);
    close_pair(&pair);
}

static void test_abandoned(void **state)
{
    struct pair pair;
    (void)state;
    open_pair(&pair);
    assert_false(local_socket_is_abandoned(pair.path));
    close(pair.listening);
    pair.listening = -1;
    assert_true(local_socket_is_abandoned(pair.path));
    unlink(pair.path);
    assert_false(local_socket_is_abandoned(pair.path)); /* nothing is there */
    close_pair(&pair);
}

static void test_long_path(void **state)
{
    char path[200];
    int file = local_socket_open();
    (void)state;
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_false(local_socket_can_have(path));
    assert_false(local_socket_connect(file, path));
    assert_int_equal(errno, ENAMETOOLONG);
    path[107] = '\0';
    assert_true(local_socket_can_have(path));
    path[107] = 'x';
    path[108] = '\0';
    assert_false(local_socket_can_have(path));
    close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_end),   cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_descriptors), cmocka_unit_test(test_abandoned),
        cmocka_unit_test(test_long_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
