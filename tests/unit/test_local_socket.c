/* Local sockets: who is at the other end, descriptors that go through, and names that no process
 * listens on. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/control.h"
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
    assert_true(local_socket_connect(pair->client, pair->path, DEADLINE_NONE));
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
    struct local_socket_peer peer;
    user_id owner;
    (void)state;
    open_pair(&pair);
    assert_true(local_socket_peer(pair.server, &peer));
    assert_int_equal(peer.process, getpid());
    assert_int_equal(peer.user, process_user());
    assert_false(local_socket_peer(STDIN_FILENO, &peer));
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
    assert_true(local_socket_send(pair.client, "hello", 6, DEADLINE_NONE));
    local_socket_end_sending(pair.client);
    assert_true(local_socket_receive(pair.server, text, 6, DEADLINE_NONE));
    assert_string_equal(text, "hello");
    assert_false(local_socket_receive(pair.server, text, 1, DEADLINE_NONE));
    assert_int_equal(errno, ECONNRESET);
    /* one direction has ended, and the other has not */
    assert_true(local_socket_send(pair.server, "back", 5, DEADLINE_NONE));
    assert_true(local_socket_receive(pair.client, text, 5, DEADLINE_NONE));
    close(pair.server);
    pair.server = -1;
    assert_false(local_socket_send(pair.client, "x", 1, DEADLINE_NONE)); /* and no SIGPIPE */
    close_pair(&pair);
}

/* One descriptor or several; what arrives is another descriptor of the same file. */
static void test_descriptors(void **state)
{
    struct pair pair;
    int ends[2], got[LOCAL_SOCKET_DESCRIPTORS];
    char text[8] = "";
    (void)state;
    open_pair(&pair);
    assert_int_equal(pipe(ends), 0);
    assert_true(local_socket_send_files(pair.client, "one", 4, (const int[]){ends[1], -1, -1},
                                        DEADLINE_NONE));
    assert_true(local_socket_receive_files(pair.server, text, 4, got, DEADLINE_NONE));
    assert_string_equal(text, "one");
    assert_int_equal(got[1], -1);
    assert_int_equal(write(got[0], "x", 1), 1);
    assert_int_equal(read(ends[0], text, 1), 1);
    close(got[0]);
    assert_true(local_socket_send_files(pair.client, "two", 4, (const int[]){ends[0], ends[1], -1},
                                        DEADLINE_NONE));
    assert_true(local_socket_receive_files(pair.server, text, 4, got, DEADLINE_NONE));
    assert_true(got[0] >= 0 && got[1] >= 0 && got[0] != ends[0]);
    assert_int_equal(got[2], -1);
    close(got[0]);
    close(got[1]);
    assert_true(local_socket_send_files(pair.client, "three", 6,
                                        (const int[]){ends[0], ends[1], ends[1]}, DEADLINE_NONE));
    assert_true(local_socket_receive_files(pair.server, text, 6, got, DEADLINE_NONE));
    assert_true(got[0] >= 0 && got[1] >= 0 && got[2] >= 0);
    for (size_t i = 0; i < LOCAL_SOCKET_DESCRIPTORS; i++) {
        close(got[i]);
    }
    assert_true(local_socket_send(pair.client, "plain", 6, DEADLINE_NONE));
    assert_true(local_socket_receive_files(pair.server, text, 6, got, DEADLINE_NONE));
    assert_int_equal(got[0], -1);
    assert_int_equal(got[1], -1);
    close(ends[0]);
    close(ends[1]);
    close_pair(&pair);
}

static unsigned open_files(void)
{
    enum { SOME = 256 };
    unsigned count = 0;
    for (int file = 0; file < SOME; file++) {
        count += fcntl(file, F_GETFD) != -1;
    }
    return count;
}

/* As many as the system lets through, which are more than fit: they are closed, and nothing is
 * written where there is no room. */
static void test_too_many_descriptors(void **state)
{
    enum { MANY = LOCAL_SOCKET_DESCRIPTORS + 3 };
    struct pair pair;
    char text[8] = "";
    struct {
        int got[LOCAL_SOCKET_DESCRIPTORS];
        int after[MANY];
    } room;
    union {
        char bytes[CMSG_SPACE(MANY * sizeof(int))];
        struct cmsghdr head;
    } beside = {.bytes = {0}};
    struct iovec part = {text, 4};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = beside.bytes,
                             .msg_controllen = CMSG_LEN(MANY * sizeof(int))};
    (void)state;
    open_pair(&pair);
    unsigned open_before = open_files();
    beside.head = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
                                   .cmsg_type = SCM_RIGHTS,
                                   .cmsg_len = CMSG_LEN(MANY * sizeof(int))};
    for (size_t i = 0; i < MANY; i++) {
        memcpy(CMSG_DATA(&beside.head) + i * sizeof(int), &pair.listening, sizeof(int));
        room.after[i] = -7;
    }
    assert_int_equal(sendmsg(pair.client, &message, 0), 4);
    assert_true(local_socket_receive_files(pair.server, text, 4, room.got, DEADLINE_NONE));
    for (size_t i = 0; i < LOCAL_SOCKET_DESCRIPTORS; i++) {
        assert_true(room.got[i] >= 0);
        close(room.got[i]);
    }
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(room.after[i], -7);
    }
    assert_int_equal(open_files(), open_before);
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
    assert_false(local_socket_connect(file, path, DEADLINE_NONE));
    assert_int_equal(errno, ENAMETOOLONG);
    path[107] = '\0';
    assert_true(local_socket_can_have(path));
    path[107] = 'x';
    path[108] = '\0';
    assert_false(local_socket_can_have(path));
    close(file);
}

/* ---- stopped and continued ---- */

/* As /proc has it: 'S' sleeps, in a call. */
static char state_of(pid_t process)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
    FILE *file = fopen(path, "r");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) {
        fclose(file);
    }
    text[size] = '\0';
    const char *end = strrchr(text, ')');
    return end ? end[2] : '?';
}

static void await_state(pid_t process, char wanted)
{
    for (unsigned i = 0; i < 20000 && state_of(process) != wanted; i++) {
        usleep(500);
    }
    assert_int_equal(state_of(process), wanted);
}

/* A call that waits for some time is not gone on with by the system after SIGCONT, but ends with
 * EINTR (signal(7)). */
static void test_stopped(void **state)
{
    struct pair pair;
    char text[8] = "";
    int code;
    (void)state;
    open_pair(&pair);
    pid_t process = fork();
    if (process == 0) {
        bool got = local_socket_receive(pair.server, text, 6, deadline_after(300000));
        _exit(got && strcmp(text, "hello") == 0 ? 0 : 1);
    }
    for (unsigned i = 0; i < 3; i++) {
        await_state(process, 'S');
        assert_int_equal(kill(process, SIGSTOP), 0);
        await_state(process, 'T');
        assert_int_equal(kill(process, SIGCONT), 0);
    }
    await_state(process, 'S');
    assert_true(local_socket_send(pair.client, "hel", 3, DEADLINE_NONE)); /* in parts */
    await_state(process, 'S');
    assert_true(local_socket_send(pair.client, "lo", 3, DEADLINE_NONE));
    assert_int_equal(waitpid(process, &code, 0), process);
    assert_int_equal(code, 0);
    close_pair(&pair);
}

/* What came while we were stopped counts, also when the time is over. */
static void test_late(void **state)
{
    struct pair pair;
    char text[8] = "";
    const struct deadline over = {1};
    (void)state;
    open_pair(&pair);
    assert_int_equal(deadline_left(over), 0);
    assert_int_equal(deadline_left(DEADLINE_NONE), -1);
    assert_true(local_socket_send(pair.client, "hello", 6, over));
    assert_true(local_socket_receive(pair.server, text, 6, over));
    assert_false(local_socket_receive(pair.server, text, 1, over));
    assert_int_equal(errno, ETIMEDOUT);
    close_pair(&pair);
}

/* ---- who is obeyed ---- */

/* Listens as this user, and waits for the end of `until`. */
static pid_t listen_as(const struct pair *pair, user_id user, int ready, int until)
{
    pid_t process = fork();
    if (process == 0) {
        char byte;
        int file = local_socket_open();
        bool listens = seteuid(user) == 0 && local_socket_listen(file, pair->path);
        _exit(write(ready, listens ? "y" : "n", 1) == 1 && read(until, &byte, 1) == 0 ? 0 : 1);
    }
    return process;
}

/* A command takes none for the profiler that is not its process, of its user. */
static void test_another_user_is_no_profiler(void **state)
{
    enum { OTHER_USER = 65534 };
    struct pair pair = {.folder = "/tmp/ilpatch-socket-XXXXXX"};
    int ready[2], until[2];
    char byte = 0;
    (void)state;
    if (geteuid() != 0) {
        skip();
    }
    assert_non_null(mkdtemp(pair.folder));
    snprintf(pair.path, sizeof pair.path, "%s/control", pair.folder);
    assert_int_equal(chmod(pair.folder, 0777), 0);
    assert_int_equal(pipe(ready) | pipe(until), 0);
    pid_t process = listen_as(&pair, OTHER_USER, ready[1], until[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    assert_int_equal(control_connect(pair.path, process, geteuid()), -1);
    assert_int_equal(errno, EPERM);
    close(until[1]);
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
    close(until[0]);
    close(ready[0]);
    close(ready[1]);
    unlink(pair.path);
    rmdir(pair.folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_end),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_too_many_descriptors),
        cmocka_unit_test(test_abandoned),
        cmocka_unit_test(test_long_path),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_another_user_is_no_profiler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
