/* Both sides of the control connection. See control.h.
 *
 *   greeting   magic, wish, flags of its descriptors, sizes of two texts; with the descriptors
 *              options, report: each with its NUL
 *   reply      magic, answer, flags of its descriptors, size of a text; with the descriptors
 *              text
 *
 * Both sides check what they receive: a process may be of another version, and another program may
 * listen at the socket. Each step has a deadline, so neither waits for the other without end. */
#include "host/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/local_socket.h"
#include "host/own_file.h"
#include "host/path.h"
#include "host/tool.h"

#define DIAGNOSTICS_PREFIX "dotnet-diagnostic-"
#define SOCKET_PREFIX      "ilpatch-"
#define SOCKET_SUFFIX      "-socket"

/* ms; messages come at once, except a reply for which rules are read and inspectors opened, perhaps
 * on a busy machine */
enum { PATIENCE = 20 * 1000, REPLY_PATIENCE = 300 * 1000 };

static const char magic[8] = "ilpatch4";

/* Sent first, with the existing ones of these descriptors, in this order: status, values, lines.
 * Then the texts, each with a final NUL. */
struct greeting {
    char magic[sizeof magic];
    uint8_t wish;
    uint8_t follows;
    uint8_t has_status;
    uint8_t has_values;
    uint8_t has_lines;
    uint32_t options_size, report_size;
};

/* The same for the reply: lines, status. */
struct reply_head {
    char magic[sizeof magic];
    uint8_t answer;
    uint8_t has_lines;
    uint8_t has_status;
    uint32_t text_size;
};

static void close_file(int *file)
{
    if (*file >= 0) {
        close(*file);
        *file = -1;
    }
}

/* Collects the existing descriptors. */
static void gather(int descriptors[LOCAL_SOCKET_DESCRIPTORS], const int *files, size_t count)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (files[i] >= 0) {
            descriptors[used++] = files[i];
        }
    }
    while (used < LOCAL_SOCKET_DESCRIPTORS) {
        descriptors[used++] = -1;
    }
}

/* The next received descriptor, if `has`; otherwise -1. */
static int take_next(int **descriptor, uint8_t has)
{
    return has != 0 ? own_file_above_standard(*(*descriptor)++) : -1;
}

/* Closes received descriptors that were not announced. */
static void close_rest(int *from, const int descriptors[LOCAL_SOCKET_DESCRIPTORS])
{
    for (; from < descriptors + LOCAL_SOCKET_DESCRIPTORS; from++) {
        close_file(from);
    }
}

/* A text of that many bytes, including the final NUL; NULL: not received. */
static char *receive_text(int file, size_t size, struct deadline until)
{
    char *text = size != 0 && size <= CONTROL_TEXT ? new_items(size, 1) : NULL;
    if (text && (!local_socket_receive(file, text, size, until) || text[size - 1] != '\0')) {
        free(text);
        text = NULL;
    }
    return text;
}

/* ---- the command ---- */

/*   dotnet-diagnostic-PID-TIME-socket    the runtime's
 *   ilpatch-PID-TIME-socket              the profiler's, in the same folder
 */
char *control_path(const char *diagnostics)
{
    const char *name = path_name(diagnostics);
    size_t size = sizeof DIAGNOSTICS_PREFIX - 1;
    return strncmp(name, DIAGNOSTICS_PREFIX, size) == 0
               ? format_text("%.*s" SOCKET_PREFIX "%s", (int)(name - diagnostics), diagnostics,
                             name + size)
               : NULL;
}

/* Anyone who can write to the folder can put a socket of that name there. */
static bool is_profiler(int file, process_id process, user_id owner)
{
    struct local_socket_peer peer;
    bool is_one = local_socket_peer(file, &peer) && peer.user == owner && peer.process == process;
    if (!is_one) {
        errno = EPERM;
    }
    return is_one;
}

/* The descriptor is open only if all steps succeed; errno is that of the first failure. */
int control_connect(const char *path, process_id process, user_id owner)
{
    int file = local_socket_open();
    bool connected = file >= 0 && local_socket_connect(file, path, deadline_after(PATIENCE)) &&
                     is_profiler(file, process, owner);
    int error = errno;
    if (!connected) {
        close_file(&file);
    }
    errno = error;
    return file;
}

/* Descriptors are sent without gaps (gather()); which ones they are, the flags in the greeting
 * say. */
static bool send_hello(int file, const struct control_hello *hello)
{
    struct greeting greeting = {.wish = (uint8_t)hello->wish,
                                .follows = hello->follows,
                                .has_status = hello->status >= 0,
                                .has_values = hello->values >= 0,
                                .has_lines = hello->lines >= 0,
                                .options_size = (uint32_t)strlen(hello->options) + 1,
                                .report_size = (uint32_t)strlen(hello->report) + 1};
    int descriptors[LOCAL_SOCKET_DESCRIPTORS];
    const struct deadline until = deadline_after(PATIENCE);
    memcpy(greeting.magic, magic, sizeof magic);
    gather(descriptors, (const int[]){hello->status, hello->values, hello->lines}, 3);
    return local_socket_send_files(file, &greeting, sizeof greeting, descriptors, until) &&
           local_socket_send(file, hello->options, greeting.options_size, until) &&
           local_socket_send(file, hello->report, greeting.report_size, until);
}

/* Descriptors come in a fixed order, each only if the head announces it. What is not taken is
 * closed, also after a failure: descriptors in a message are open as soon as it is received. */
static bool receive_reply(int file, struct control_reply *reply)
{
    struct reply_head answer;
    int descriptors[LOCAL_SOCKET_DESCRIPTORS];
    int *next = descriptors;
    const struct deadline until = deadline_after(REPLY_PATIENCE);
    bool whole = local_socket_receive_files(file, &answer, sizeof answer, descriptors, until) &&
                 memcmp(answer.magic, magic, sizeof magic) == 0 && answer.answer < CONTROL_GONE;
    if (!whole) {
        close_rest(next, descriptors);
        return false;
    }
    reply->answer = (enum control_answer)answer.answer;
    reply->lines = take_next(&next, answer.has_lines);
    reply->status = take_next(&next, answer.has_status);
    close_rest(next, descriptors);
    reply->text = receive_text(file, answer.text_size, until);
    return answer.text_size == 0 || reply->text;
}

/* Whatever goes wrong on the way is CONTROL_GONE: the profiler ended, or is not ours. */
struct control_reply control_request(int file, const struct control_hello *hello)
{
    struct control_reply reply = {.answer = CONTROL_GONE, .lines = -1, .status = -1};
    if (!send_hello(file, hello) || !receive_reply(file, &reply)) {
        reply.answer = CONTROL_GONE;
    }
    return reply;
}

/* Without a deadline: many methods may have to be requested again, and the connection ends with the
 * process. */
bool control_start(int file)
{
    return control_write(file, CONTROL_START) &&
           control_read(file, DEADLINE_NONE) == CONTROL_STARTED;
}

void control_sweep(const char *path, user_id owner)
{
    char *folder = path_directory(path);
    if (folder) {
        local_socket_sweep(folder, SOCKET_PREFIX, SOCKET_SUFFIX, owner);
    }
    free(folder);
}

/* ---- the profiler ---- */

/* Only the process's user may connect, from the start: connections are accepted once the socket
 * listens, and the peer is checked (control_accept()). */
int control_listen(const char *path)
{
    int file = own_file_above_standard(local_socket_open());
    bool listens = file >= 0 && local_socket_listen(file, path);
    int error = errno;
    if (!listens) {
        close_file(&file);
    }
    errno = error;
    return file;
}

/* The peer must be this process's user, who could do all of that anyway, or root. */
int control_accept(int listening)
{
    struct local_socket_peer peer;
    int file = own_file_above_standard(local_socket_accept(listening));
    if (file >= 0 &&
        (!local_socket_peer(file, &peer) || (peer.user != process_user() && peer.user != 0))) {
        close_file(&file);
        errno = EPERM;
    }
    return file;
}

/* Descriptors beyond those that the greeting names are closed, so a wrong greeting leaves none
 * open. */
bool control_receive(int file, struct control_hello *hello)
{
    struct greeting greeting;
    int descriptors[LOCAL_SOCKET_DESCRIPTORS];
    int *next = descriptors;
    const struct deadline until = deadline_after(PATIENCE);
    *hello = (struct control_hello){.status = -1, .values = -1, .lines = -1};
    if (!local_socket_receive_files(file, &greeting, sizeof greeting, descriptors, until) ||
        memcmp(greeting.magic, magic, sizeof magic) != 0 || greeting.wish > CONTROL_QUERY) {
        close_rest(next, descriptors);
        return false;
    }
    hello->wish = (enum control_wish)greeting.wish;
    hello->follows = greeting.follows != 0;
    hello->status = take_next(&next, greeting.has_status);
    hello->values = take_next(&next, greeting.has_values);
    hello->lines = take_next(&next, greeting.has_lines);
    close_rest(next, descriptors);
    hello->options = receive_text(file, greeting.options_size, until);
    hello->report = receive_text(file, greeting.report_size, until);
    bool whole = hello->options && hello->report &&
                 (greeting.has_status != 0) == (hello->status >= 0) &&
                 (greeting.has_values != 0) == (hello->values >= 0) &&
                 (greeting.has_lines != 0) == (hello->lines >= 0);
    if (!whole) {
        control_hello_close(hello);
    }
    return whole;
}

void control_hello_close(struct control_hello *hello)
{
    close_file(&hello->status);
    close_file(&hello->values);
    close_file(&hello->lines);
    free(hello->options);
    free(hello->report);
    hello->options = hello->report = NULL;
}

/* lines, then status, in the order in which receive_reply() takes them. */
bool control_answer(int file, const struct control_reply *reply)
{
    struct reply_head answer = {.answer = (uint8_t)reply->answer,
                                .has_lines = reply->lines >= 0,
                                .has_status = reply->status >= 0,
                                .text_size = reply->text ? (uint32_t)strlen(reply->text) + 1 : 0};
    int descriptors[LOCAL_SOCKET_DESCRIPTORS];
    const struct deadline until = deadline_after(PATIENCE);
    memcpy(answer.magic, magic, sizeof magic);
    gather(descriptors, (const int[]){reply->lines, reply->status}, 2);
    return local_socket_send_files(file, &answer, sizeof answer, descriptors, until) &&
           (!reply->text || local_socket_send(file, reply->text, answer.text_size, until));
}

int control_read(int file, struct deadline until)
{
    char word;
    return local_socket_receive(file, &word, 1, until) ? (unsigned char)word : -1;
}

bool control_write(int file, char word)
{
    return local_socket_send(file, &word, 1, DEADLINE_NONE);
}
