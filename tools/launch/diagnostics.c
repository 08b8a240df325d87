/* A client of the diagnostics server. See diagnostics.h.
 *
 *   message: "DOTNET_IPC_V1\0", its size (2 bytes), set and number of the command, 2 bytes of zero,
 *          payload
 *   reply:   the same, from set 0xFF: 0x00 ok, 0xFF failed, followed by an HRESULT
 *
 *   offset  0                14    16   17      18     20
 *           DOTNET_IPC_V1\0  size  set  number  0 0    payload
 *
 * Numbers are little-endian; a text is the count of its UTF-16 units including a final NUL (4
 * bytes), and the units.
 *
 *   set, number    payload
 *   PROFILER 1     attach a profiler: timeout (4), class (16), library, size of data (4), data
 *   PROCESS  3     set an environment variable: name, value
 *   PROCESS  4     ProcessInfo2: none
 *   PROCESS  7     apply a start-up hook: the path of its assembly
 *
 * The sizes of messages have 16 bits, so long paths are refused here. */
#include "tools/launch/diagnostics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cursor.h"
#include "host/local_socket.h"
#include "host/path.h"
#include "base/utf8.h"
#include "tools/tool.h"

static const char magic[14] = "DOTNET_IPC_V1";

enum {
    HEADER_BYTES = 20,
    HEADER_SIZE = 14, /* offsets of the fields after the magic */
    HEADER_SET = 16,
    HEADER_COMMAND = 17,
    SET_PROFILER = 3,
    SET_PROCESS = 4,
    SET_SERVER = 0xFF,
    ATTACH_PROFILER = 1,    /* of SET_PROFILER */
    SET_VARIABLE = 3,       /* of SET_PROCESS */
    PROCESS_INFO_2 = 4,     /* of SET_PROCESS, since .NET 6 */
    APPLY_STARTUP_HOOK = 7, /* of SET_PROCESS, since .NET 8 */
    DONE = 0,               /* of SET_SERVER */
    /* until the reply: the profiler is loaded and processes all modules, perhaps on a busy
     * machine */
    SECONDS = 300
};

/* CORPROF_E_PROFILER_CANCEL_ACTIVATION */
#define PROFILER_REFUSED 0x80131375

/* CORPROF_E_PROFILER_ALREADY_ACTIVE */
#define PROFILER_TAKEN 0x8013136A

/* The runtime opens its socket before it can load a profiler (.NET 10.0.12): retried for up to a
 * minute. */
#define NOT_STARTED_YET 0x8013135B
enum { START_PATIENCE = 60000 /* ms */, START_PAUSE = 50 };

/* Replies of a server without the command, or that is busy, or fails. */
static const struct {
    uint32_t result;
    const char *text;
} meanings[] = {
    {0x80131384, "a bad message"},
    {0x80131385, "its .NET is too old and does not know the command"},
    {PROFILER_TAKEN, NULL}, /* the caller reports it */
    {NOT_STARTED_YET, "its runtime does not get started"},
    {PROFILER_REFUSED, NULL}, /* the profiler has reported why */
};

/* ---- the process ---- */

void diagnostics_close(struct diagnostics *server)
{
    free(server->path);
    free(server->name);
    server->path = server->name = NULL;
}

/* Anyone who can write to the folder can put a socket of that name there, and would receive the
 * paths of libraries to load. */
bool diagnostics_is_server(const struct diagnostics *server, int file)
{
    struct local_socket_peer peer;
    bool is_one = local_socket_peer(file, &peer) && peer.process == server->process &&
                  peer.user == server->owner;
    if (!is_one) {
        errno = EPERM;
    }
    return is_one;
}

/* ---- one command ---- */

/* Unpaired surrogates cannot come of UTF-8, and U+10000 and above become two units. */
static void put_text(struct ilpi_buf *buf, const char *text)
{
    struct ilpi_alloc *alloc = buf->alloc;
    struct ilpi_buf units = {.alloc = alloc};
    size_t size = strlen(text);
    for (size_t at = 0; at < size;) {
        uint32_t code = ilpi_utf8_next((const uint8_t *)text, size, &at);
        if (code > 0xFFFF) {
            ilpi_buf_u16(&units, ilpi_utf16_high(code));
        }
        ilpi_buf_u16(&units, code > 0xFFFF ? ilpi_utf16_low(code) : (uint16_t)code);
    }
    ilpi_buf_u16(&units, 0);
    ilpi_buf_u32(buf, (uint32_t)(units.size / 2));
    ilpi_buf_bytes_add(buf, units.data, units.size);
    ilpi_buf_free(&units);
}

/* Receives the reply: true with its HRESULT (0: done); false with errno. Who the server is, is
 * checked before anything is sent to it: the message has the path of a library, which would be
 * loaded with the rights of whoever listens. A failure that has no HRESULT becomes E_FAIL. */
static bool exchange(const struct diagnostics *server, int file, struct ilp_bytes message,
                     uint32_t *result)
{
    uint8_t answer[HEADER_BYTES + sizeof *result] = {0};
    const struct deadline until = deadline_after(SECONDS * 1000);
    if (!local_socket_connect(file, server->path, until) || !diagnostics_is_server(server, file) ||
        !local_socket_send(file, message.data, message.size, until)) {
        return false;
    }
    if (!local_socket_receive(file, answer, HEADER_BYTES, until)) {
        return false;
    }
    bool ours = memcmp(answer, magic, sizeof magic) == 0 && answer[HEADER_SET] == SET_SERVER;
    if (!ours || (ilpi_load_u16(answer + HEADER_SIZE) >= sizeof answer &&
                  !local_socket_receive(file, answer + HEADER_BYTES, sizeof *result, until))) {
        errno = ours ? errno : EPROTO;
        return false;
    }
    *result = ilpi_load_u32(answer + HEADER_BYTES);
    if (answer[HEADER_COMMAND] != DONE && *result == 0) {
        *result = 0x80004005; /* E_FAIL */
    }
    return true;
}

/* Sends one command, on its own connection. As exchange(). */
static bool send_command(const struct diagnostics *server, struct ilp_bytes message,
                         uint32_t *result)
{
    int file = local_socket_open();
    bool answered = file >= 0 && exchange(server, file, message, result);
    int error = errno;
    if (file >= 0) {
        close(file);
    }
    errno = error;
    return answered;
}

/* A result without a meaning in the table is reported by its number, as the runtime has it. */
static enum exit_code report_result(const struct diagnostics *server, const char *what,
                                    uint32_t result)
{
    const char *meaning = "see what it wrote";
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        meaning = meanings[i].result == result ? meanings[i].text : meaning;
    }
    if ((int32_t)result >= 0) {
        return EXIT_DONE;
    }
    if (meaning) {
        report_message("process %ld does not %s: %s (0x%08X)", (long)server->process, what, meaning,
                       (unsigned)result);
    }
    return EXIT_BAD_INPUT;
}

/* The size is that of header and payload, which the caller has checked to fit. */
static void put_message(struct ilpi_buf *message, uint8_t set, uint8_t number,
                        struct ilp_bytes payload)
{
    ilpi_buf_bytes_add(message, magic, sizeof magic);
    ilpi_buf_u16(message, (uint16_t)(HEADER_BYTES + payload.size));
    ilpi_buf_u8(message, set);
    ilpi_buf_u8(message, number);
    ilpi_buf_u16(message, 0);
    ilpi_buf_bytes_add(message, payload.data, payload.size);
    need(message->data);
}

/* "what" completes "process N does not ...". NOT_STARTED_YET is the one result that is retried: a
 * program that has just been started has its socket before its runtime is ready. */
static enum exit_code command(const struct diagnostics *server, const char *what, uint8_t set,
                              uint8_t number, struct ilp_bytes payload, bool *taken)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf message = {.alloc = &alloc};
    uint32_t result = 0;
    *taken = false;
    if (!local_socket_can_have(server->path) || payload.size > UINT16_MAX - HEADER_BYTES) {
        report_message("%s: too long for the protocol",
                       payload.size > UINT16_MAX - HEADER_BYTES ? what : server->name);
        return EXIT_BAD_INPUT;
    }
    put_message(&message, set, number, payload);
    bool answered = send_command(server, ilpi_buf_bytes(&message), &result);
    const struct deadline until = deadline_after(START_PATIENCE);
    for (bool waits = true; answered && result == NOT_STARTED_YET && waits;) {
        process_pause(START_PAUSE);
        waits = deadline_left(until) != 0;
        answered = send_command(server, ilpi_buf_bytes(&message), &result);
    }
    if (!answered) {
        report_message("process %ld does not %s: %s: %s", (long)server->process, what, server->name,
                       strerror(errno));
    }
    ilpi_buf_free(&message);
    *taken = answered && result == PROFILER_TAKEN;
    return answered ? report_result(server, what, result) : EXIT_BAD_INPUT;
}

/* ---- process info ---- */

/* The deadline is now: a server whose queue is full is taken for one that does not reply. */
int diagnostics_request_info(const struct diagnostics *server)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf message = {.alloc = &alloc};
    const struct deadline now = deadline_after(0);
    put_message(&message, SET_PROCESS, PROCESS_INFO_2, (struct ilp_bytes){NULL, 0});
    int file = local_socket_open();
    if (file >= 0 &&
        (!local_socket_connect(file, server->path, now) || !diagnostics_is_server(server, file) ||
         !local_socket_send(file, message.data, message.size, now))) {
        close(file);
        file = -1;
    }
    ilpi_buf_free(&message);
    return file;
}

/* Reads a text of the reply. Owned; NULL: the reply is truncated. */
static char *take_text(struct ilpi_cursor *at)
{
    uint32_t units = ilpi_read_u32(at);
    struct ilp_bytes bytes = ilpi_read_bytes(at,
                                             units <= UINT16_MAX ? 2 * (size_t)units : SIZE_MAX);
    struct text_file text;
    if (at->status != ILP_OK || !text_open(&text)) {
        return NULL;
    }
    for (size_t i = 0; i + 2 <= bytes.size;) {
        uint8_t utf8[4];
        uint32_t code = ilpi_load_u16(bytes.data + i);
        i += 2;
        if (ilpi_utf8_is_surrogate(code) && code < 0xDC00 && i + 2 <= bytes.size) {
            uint32_t low = ilpi_load_u16(bytes.data + i);
            i += 2;
            code = 0x10000 + ((code - 0xD800) << 10) + ((low - 0xDC00) & 0x3FF);
        }
        if (code == 0) {
            break;
        }
        unsigned size = ilpi_utf8_write(utf8, code);
        fwrite(utf8, 1, size, text.out);
    }
    return text_close(&text);
}

/* The number of the process (8 bytes), a cookie (16), and texts: command line, operating system,
 * architecture, assembly, version of the runtime. */
static void take_info(struct ilp_bytes payload, struct process_info *info)
{
    enum { NUMBER_AND_COOKIE = 8 + 16 };
    struct ilpi_cursor at = ilpi_cursor_over(payload, 0, "ProcessInfo2", NULL);
    ilpi_skip(&at, NUMBER_AND_COOKIE);
    info->command_line = take_text(&at);
    free(take_text(&at));
    info->architecture = take_text(&at);
    info->assembly = take_text(&at);
    info->version = take_text(&at);
}

/* The reply is from a process that may be hostile: its size is 16 bits, and each text is read with
 * a cursor. The connection is closed in any case. */
bool diagnostics_receive_info(int connection, struct deadline until, struct process_info *info)
{
    uint8_t head[HEADER_BYTES];
    uint8_t *payload = NULL;
    *info = (struct process_info){.version = NULL};
    bool answered = local_socket_receive(connection, head, sizeof head, until) &&
                    memcmp(head, magic, sizeof magic) == 0 && head[HEADER_SET] == SET_SERVER &&
                    head[HEADER_COMMAND] == DONE &&
                    ilpi_load_u16(head + HEADER_SIZE) > HEADER_BYTES;
    if (answered) {
        size_t size = ilpi_load_u16(head + HEADER_SIZE) - (size_t)HEADER_BYTES;
        payload = need(malloc(size));
        answered = local_socket_receive(connection, payload, size, until);
        if (answered) {
            take_info((struct ilp_bytes){payload, size}, info);
        }
    }
    free(payload);
    close(connection);
    return answered;
}

void process_info_free(struct process_info *info)
{
    free(info->command_line);
    free(info->architecture);
    free(info->assembly);
    free(info->version);
    *info = (struct process_info){.version = NULL};
}

/* ---- the commands ---- */

enum exit_code diagnostics_set_variable(const struct diagnostics *server, const char *name,
                                        const char *value)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf payload = {.alloc = &alloc};
    bool taken;
    put_text(&payload, name);
    put_text(&payload, value);
    enum exit_code code = command(server, "take a variable", SET_PROCESS, SET_VARIABLE,
                                  ilpi_buf_bytes(&payload), &taken);
    ilpi_buf_free(&payload);
    return code;
}

enum exit_code diagnostics_run_hook(const struct diagnostics *server, const char *assembly)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf payload = {.alloc = &alloc};
    bool taken;
    put_text(&payload, assembly);
    enum exit_code code = command(server, "load the inspector", SET_PROCESS, APPLY_STARTUP_HOOK,
                                  ilpi_buf_bytes(&payload), &taken);
    ilpi_buf_free(&payload);
    return code;
}

/* The server has a timeout of its own, in ms; both sides wait equally long. */
enum exit_code diagnostics_attach(const struct diagnostics *server,
                                  const struct profiler_class *class, const char *library,
                                  struct ilp_bytes data, bool *taken)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf payload = {.alloc = &alloc};
    ilpi_buf_u32(&payload, SECONDS * 1000);
    ilpi_buf_bytes_add(&payload, class->bytes, sizeof class->bytes);
    put_text(&payload, library);
    ilpi_buf_u32(&payload, (uint32_t)data.size);
    ilpi_buf_bytes_add(&payload, data.data, data.size);
    enum exit_code code = command(server, "load the profiler", SET_PROFILER, ATTACH_PROFILER,
                                  ilpi_buf_bytes(&payload), taken);
    ilpi_buf_free(&payload);
    return code;
}
