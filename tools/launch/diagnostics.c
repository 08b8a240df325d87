/* A client of the diagnostics server. See diagnostics.h.
 *
 *   message: "DOTNET_IPC_V1\0", its size (2 bytes), set and number of the command, 2 bytes of zero,
 *   what belongs to it
 *   answer:  the same, from set 0xFF: 0x00 done, 0xFF not, followed by an HRESULT
 *
 * Numbers are little-endian; a text is the count of its UTF-16 units with the NUL behind them (4
 * bytes), and these. */
#include "tools/launch/diagnostics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cursor.h"
#include "host/local_socket.h"
#include "base/utf8.h"
#include "tools/tool.h"

static const char magic[14] = "DOTNET_IPC_V1";

enum {
    HEADER_BYTES = 20,
    HEADER_SIZE = 14,
    HEADER_SET = 16,
    HEADER_COMMAND = 17,
    SET_PROFILER = 3,
    SET_PROCESS = 4,
    SET_SERVER = 0xFF,
    ATTACH_PROFILER = 1,    /* of SET_PROFILER */
    SET_VARIABLE = 3,       /* of SET_PROCESS */
    APPLY_STARTUP_HOOK = 7, /* of SET_PROCESS, since .NET 8 */
    DONE = 0,               /* of SET_SERVER */
    /* until the answer: the profiler is loaded and looks at all modules, on a machine that may be
     * busy */
    SECONDS = 300
};

/* CORPROF_E_PROFILER_CANCEL_ACTIVATION */
#define PROFILER_REFUSED 0x80131375

/* The runtime opens its socket before it can load a profiler (.NET 10.0.12): it is asked again, a
 * minute at most. */
#define NOT_STARTED_YET 0x8013135B
enum { START_PATIENCE = 60000 /* ms */, START_PAUSE = 50 };

/* What the server answers when it has no such command, is busy, or cannot do it. */
static const struct {
    uint32_t result;
    const char *text;
} meanings[] = {
    {0x80131384, "a bad message"},
    {0x80131385, "its .NET is too old and does not know the command"},
    {0x8013136A, "a profiler is in it already, and stays"},
    {NOT_STARTED_YET, "its runtime does not get started"},
    {PROFILER_REFUSED, NULL}, /* it has said why */
};

/* ---- which process ---- */

/* The time when the process was started is part of the socket's name. */
enum exit_code diagnostics_open(struct diagnostics *server, process_id process)
{
    unsigned long long started = 0;
    user_id owner;
    const char *folder = getenv("TMPDIR");
    *server = (struct diagnostics){.process = process};
    if (!process_find(process, &server->owner, &started)) {
        tell("there is no process %ld", (long)process);
        return EXIT_BAD_INPUT;
    }
    server->path = format_text("%s/dotnet-diagnostic-%ld-%llu-socket",
                               folder && folder[0] != '\0' ? folder : "/tmp", (long)process,
                               started);
    if (!local_socket_owner(server->path, &owner)) {
        tell("process %ld has no diagnostics socket (%s): is it .NET, with diagnostics not "
             "disabled and the same TMPDIR?",
             (long)process, server->path);
        return EXIT_BAD_INPUT;
    }
    if (owner != server->owner) {
        tell("%s is not of the user that process %ld belongs to", server->path, (long)process);
        return EXIT_BAD_INPUT;
    }
    return EXIT_DONE;
}

void diagnostics_close(struct diagnostics *server)
{
    free(server->path);
}

/* ---- one command ---- */

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

/* Whoever can write to the folder can put a socket of that name there, and would be given the paths
 * of libraries to load. */
static bool is_server(const struct diagnostics *server, int file)
{
    struct local_socket_peer peer;
    bool is_one = local_socket_peer(file, &peer) && peer.process == server->process &&
                  peer.user == server->owner;
    if (!is_one) {
        errno = EPERM;
    }
    return is_one;
}

/* The answer: true with what the server said, as an HRESULT (0: done); false with errno. */
static bool exchange(const struct diagnostics *server, int file, struct ilp_bytes message,
                     uint32_t *result)
{
    uint8_t answer[HEADER_BYTES + sizeof *result] = {0};
    const struct deadline until = deadline_after(SECONDS * 1000);
    if (!local_socket_connect(file, server->path, until) || !is_server(server, file) ||
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
        *result = 0x80004005;
    }
    return true;
}

/* One command, by a connection of its own. As exchange(). */
static bool ask(const struct diagnostics *server, struct ilp_bytes message, uint32_t *result)
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

static enum exit_code tell_result(const struct diagnostics *server, const char *what,
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
        tell("process %ld does not %s: %s (0x%08X)", (long)server->process, what, meaning,
             (unsigned)result);
    }
    return EXIT_BAD_INPUT;
}

static enum exit_code command(const struct diagnostics *server, const char *what, uint8_t set,
                              uint8_t number, struct ilp_bytes payload)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf message = {.alloc = &alloc};
    uint32_t result = 0;
    if (!local_socket_can_have(server->path) || payload.size > UINT16_MAX - HEADER_BYTES) {
        tell("%s: too long for the protocol",
             payload.size > UINT16_MAX - HEADER_BYTES ? what : server->path);
        return EXIT_BAD_INPUT;
    }
    ilpi_buf_bytes_add(&message, magic, sizeof magic);
    ilpi_buf_u16(&message, (uint16_t)(HEADER_BYTES + payload.size));
    ilpi_buf_u8(&message, set);
    ilpi_buf_u8(&message, number);
    ilpi_buf_u16(&message, 0);
    ilpi_buf_bytes_add(&message, payload.data, payload.size);
    need(message.data);
    bool answered = ask(server, ilpi_buf_bytes(&message), &result);
    const struct deadline until = deadline_after(START_PATIENCE);
    for (bool waits = true; answered && result == NOT_STARTED_YET && waits;) {
        process_pause(START_PAUSE);
        waits = deadline_left(until) != 0;
        answered = ask(server, ilpi_buf_bytes(&message), &result);
    }
    if (!answered) {
        tell("process %ld does not %s: %s: %s", (long)server->process, what, server->path,
             strerror(errno));
    }
    ilpi_buf_free(&message);
    return answered ? tell_result(server, what, result) : EXIT_BAD_INPUT;
}

/* ---- the commands ---- */

enum exit_code diagnostics_set_variable(const struct diagnostics *server, const char *name,
                                        const char *value)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf payload = {.alloc = &alloc};
    put_text(&payload, name);
    put_text(&payload, value);
    enum exit_code code = command(server, "take a variable", SET_PROCESS, SET_VARIABLE,
                                  ilpi_buf_bytes(&payload));
    ilpi_buf_free(&payload);
    return code;
}

enum exit_code diagnostics_run_hook(const struct diagnostics *server, const char *assembly)
{
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf payload = {.alloc = &alloc};
    put_text(&payload, assembly);
    enum exit_code code = command(server, "load the inspector", SET_PROCESS, APPLY_STARTUP_HOOK,
                                  ilpi_buf_bytes(&payload));
    ilpi_buf_free(&payload);
    return code;
}

enum exit_code diagnostics_attach(const struct diagnostics *server,
                                  const struct profiler_class *class, const char *library,
                                  struct ilp_bytes data)
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
                                  ilpi_buf_bytes(&payload));
    ilpi_buf_free(&payload);
    return code;
}
