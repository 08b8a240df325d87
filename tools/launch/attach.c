/* See attach.h. */
#include "tools/launch/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/shared_counters.h"
#include "host/control.h"
#include "host/deadline.h"
#include "host/line_ring.h"
#include "tools/launch/diagnostics.h"
#include "host/path.h"
#include "host/local_socket.h"
#include "tools/launch/preflight.h"
#include "tools/tool.h"

enum {
    ATTACH_PATIENCE = 10000, /* ms that the profiler has for its report when we end */
    PACE_MS = 10             /* between looks at lines that come slowly */
};

struct attach {
    struct launch *launch;
    const struct attachment *asked;
    struct diagnostics server;
    struct control control;
    struct control_hello hello;
    struct line_ring *lines; /* where values are read that we pass on; NULL: none are */
    int pipe;                /* which wakes us, and ends with them; -1: there is none */
    size_t latest;           /* so many bytes were there at the latest look */
    bool made_file;          /* the file for values was not there before */
    bool is_unread;          /* our standard output, any more */
    uint64_t passed;         /* lines */
};

/* The stock inspector cannot be loaded: what it lacks is reported. */
static bool is_trimmed(process_id process)
{
    struct target target;
    char *program = need(process_program(process));
    target_open(&target, (char *[]){program, NULL});
    bool trimmed = preflight_is_trimmed(&target);
    target_close(&target);
    free(program);
    return trimmed;
}

/* ---- where things go ---- */

/* Opened here, and not by the process: it may have another user, folder or view of the files.
 * Nobody waits for the reader of a pipe, least of all the process. */
static bool open_file(struct attach *attach)
{
    enum { HOW = O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };
    const char *path = attach->asked->output;
    int file = open(path, HOW | O_CREAT | O_EXCL, 0600);
    attach->made_file = file >= 0;
    attach->hello.values = file < 0 && errno == EEXIST ? open(path, HOW) : file;
    if (attach->hello.values < 0 && errno == ENOENT && !attach->made_file) {
        /* a link to a file that is to be made */
        attach->hello.values = open(path, HOW | O_CREAT, 0600);
    }
    if (attach->hello.values < 0) {
        tell("%s: cannot write: %s", path,
             errno == ENXIO ? "no process reads the pipe" : strerror(errno));
    }
    return attach->hello.values >= 0;
}

/* Lines are read from a ring, which outlives the process. */
static bool open_ring(struct attach *attach)
{
    int ends[2];
    attach->hello.lines = line_rings_make(1);
    attach->lines = attach->hello.lines >= 0 ? line_ring_map(attach->hello.lines, 0) : NULL;
    if (!attach->lines || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        tell("cannot make memory or a pipe for values: %s", strerror(errno));
        return false;
    }
    attach->pipe = ends[0];
    attach->hello.values = ends[1];
    return true;
}

/* The profiler's lines and counts. */
static bool open_status(struct attach *attach)
{
    attach->hello.status = launch_make_status(attach->launch);
    return attach->hello.status >= 0;
}

static enum exit_code open_all(struct attach *attach)
{
    const struct attachment *asked = attach->asked;
    attach->hello.follows = asked->shows && !asked->output && !asked->target_stderr;
    bool opened = open_status(attach) && (!asked->output || open_file(attach)) &&
                  (!attach->hello.follows || open_ring(attach));
    if (!opened) {
        return EXIT_CANNOT_WRITE;
    }
    char *folder = path_directory(attach->server.path); /* both see it */
    bool listens = control_listen(&attach->control, folder, attach->server.owner);
    if (!listens) {
        tell("%s: cannot make a socket: %s", folder, strerror(errno));
    }
    free(folder);
    return listens ? EXIT_DONE : EXIT_CANNOT_WRITE;
}

static void close_all(struct attach *attach)
{
    const int files[] = {attach->hello.status, attach->hello.values, attach->hello.lines,
                         attach->pipe};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (files[i] >= 0) {
            close(files[i]);
        }
    }
    if (attach->lines) {
        line_ring_unmap(attach->lines);
    }
    control_close(&attach->control);
    diagnostics_close(&attach->server);
}

/* ---- the profiler ---- */

static const char *variable_of(const struct launch *launch, const char *name)
{
    for (size_t i = 0; i < launch->variables.count; i++) {
        if (strcmp(launch->variables.items[i].name, name) == 0) {
            return launch->variables.items[i].value;
        }
    }
    return "";
}

/* While the runtime loads the profiler, it connects. */
static void greet(void *user, int file)
{
    struct attach *attach = user;
    control_greet(&attach->control, attach->asked->process, &attach->hello, file);
}

static enum exit_code load_profiler(struct attach *attach, const char *profiler)
{
    static const struct profiler_class class = {PROFILER_CLASS_BYTES};
    const char *options = variable_of(attach->launch, ENV_OPTIONS);
    const char *report = variable_of(attach->launch, ENV_REPORT);
    char *data = format_text("%s%c%s%c%s", attach->control.path, '\0', report, '\0', options);
    size_t size = strlen(attach->control.path) + 1 + strlen(report) + 1 + strlen(options) + 1;
    attach->server.sent = greet;
    attach->server.user = attach;
    enum exit_code code = diagnostics_attach(&attach->server, &class, profiler,
                                             (struct ilp_bytes){(const uint8_t *)data, size});
    attach->server.sent = NULL;
    free(data);
    return code;
}

/* The stock inspector, which loads the others. Processes that this one starts have nothing to do
 * with them. */
static enum exit_code load_inspectors(struct attach *attach, const char *inspector)
{
    const char *others = variable_of(attach->launch, ENV_INSPECTORS);
    enum exit_code code = EXIT_DONE;
    if (others[0] != '\0') {
        code = diagnostics_set_variable(&attach->server, ENV_INSPECTORS, others);
    }
    if (code == EXIT_DONE) {
        code = diagnostics_run_hook(&attach->server, inspector);
    }
    if (others[0] != '\0') {
        diagnostics_set_variable(&attach->server, ENV_INSPECTORS, "");
    }
    return code;
}

static enum exit_code load(struct attach *attach)
{
    char *profiler = NULL;
    char *inspector = NULL;
    enum exit_code code = launch_find_installed(PROFILER_FILE, &profiler);
    if (code == EXIT_DONE) {
        code = launch_find_installed(INSPECTOR_FILE, &inspector);
    }
    if (code == EXIT_DONE) {
        code = load_profiler(attach, profiler);
    }
    if (code == EXIT_DONE && attach->launch->inspector) {
        code = load_inspectors(attach, inspector);
    }
    struct stat info;
    if (code == EXIT_DONE && attach->asked->output && fstat(attach->hello.values, &info) == 0 &&
        S_ISREG(info.st_mode)) {
        (void)!ftruncate(attach->hello.values, 0); /* of others it means nothing */
    }
    bool started = code == EXIT_DONE && control_start(&attach->control);
    launch_read_lines(attach->launch);
    started = started && !attach->launch->failed;
    if (!started && attach->made_file) {
        unlink(attach->asked->output);
    }
    if (code == EXIT_DONE && !started && !attach->launch->failed) {
        tell("process %ld ended before the profiler had started", (long)attach->asked->process);
    }
    free(profiler);
    free(inspector);
    if (started) {
        return EXIT_DONE;
    }
    if (attach->launch->unwritable) {
        return EXIT_CANNOT_WRITE;
    }
    return code == EXIT_DONE ? EXIT_BAD_INPUT : code;
}

/* ---- values, on their way to standard output ---- */

static volatile sig_atomic_t connection;
static volatile sig_atomic_t ends;

/* The profiler is asked to end, and closes the pipe when it has. A second signal does what it does
 * by itself. */
static void end_attachment(int number)
{
    (void)number;
    ends = 1;
    local_socket_end_sending(connection);
}

static void watch_signals(int file)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    connection = file;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            action = (struct sigaction){.sa_handler = end_attachment,
                                        .sa_flags = (int)SA_RESETHAND};
            sigaction(numbers[i], &action, NULL);
        }
    }
    signal(SIGPIPE, SIG_IGN);
}

/* False: nobody reads it, which ends the attachment like a signal, or it cannot be written, which
 * is reported. */
static bool pass_on(const char *bytes, size_t size, enum exit_code *code)
{
    while (size != 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, size);
        if (written < 0 && errno == EAGAIN) { /* another process has set it so */
            poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, -1);
        } else if (written < 0 && errno != EINTR) {
            if (errno != EPIPE) {
                tell("standard output: cannot write: %s", strerror(errno));
                *code = EXIT_CANNOT_WRITE;
            }
            return false;
        }
        bytes += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

static uint64_t lines_in(const char *bytes, size_t size)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < size; i++) {
        lines += bytes[i] == '\n';
    }
    return lines;
}

/* What is in the ring now, as far as a look goes. */
static void pass_on_lines(struct attach *attach, enum line_ring_state state, enum exit_code *code)
{
    static char bytes[LINE_RING_LONGEST];
    uint64_t position = atomic_load(&attach->lines->taken);
    size_t size = line_ring_read(attach->lines, &position, bytes, sizeof bytes, state);
    line_ring_take(attach->lines, position);
    if (size != 0 && !attach->is_unread && !pass_on(bytes, size, code)) {
        attach->is_unread = true;
        end_attachment(0);
    }
    attach->passed += lines_in(bytes, size);
    if (attach->asked->limit != 0 && attach->passed >= attach->asked->limit && !ends) {
        end_attachment(0);
    }
    attach->latest = size;
}

/* False: no more will come, and all has been passed on. */
static bool wake(struct attach *attach, enum exit_code *code)
{
    char woken[64];
    ssize_t got = read(attach->pipe, woken, sizeof woken);
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR))) {
        pass_on_lines(attach, LINE_RING_LIVE, code);
        return true;
    }
    do {
        pass_on_lines(attach, LINE_RING_LEFT, code);
    } while (attach->latest != 0);
    return false;
}

/* How long to wait for what may come: while there are many lines not at all, and only when there
 * are none the process has to wake us. */
static int time_to_wait(const struct attach *attach, struct deadline until)
{
    int left = deadline_left(until);
    int most = attach->latest >= LINE_RING_LONGEST / 4 ? 0 : PACE_MS;
    bool waits = attach->latest == 0 && line_ring_wait(attach->lines);
    return waits || (left >= 0 && left < most) ? left : most;
}

static struct deadline duration_of(const struct attachment *asked)
{
    uint64_t milliseconds = asked->duration / 1000000;
    return deadline_after(milliseconds < UINT32_MAX ? (unsigned)milliseconds : UINT32_MAX);
}

static enum exit_code follow(struct attach *attach)
{
    enum exit_code code = EXIT_DONE;
    struct pollfd files[] = {{.fd = attach->pipe, .events = POLLIN},
                             {.fd = attach->control.file, .events = POLLIN},
                             /* a pipe without a reader */
                             {.fd = STDOUT_FILENO, .events = 0}};
    watch_signals(attach->control.file);
    if (!attach->asked->quiet) {
        tell("attached to process %ld; Ctrl-C ends this, and the process goes on",
             (long)attach->asked->process);
    }
    bool asked_to_end = false;
    struct deadline until = attach->asked->duration != 0 ? duration_of(attach->asked)
                                                         : DEADLINE_NONE;
    while (files[1].fd >= 0) {
        if (ends && !asked_to_end) {
            asked_to_end = true;
            until = deadline_after(ATTACH_PATIENCE);
        }
        int ready = poll(files, 3, time_to_wait(attach, until));
        if (ready == 0 && deadline_left(until) != 0) {
            pass_on_lines(attach, LINE_RING_LIVE, &code);
        } else if (ready == 0 && !ends) { /* --for */
            end_attachment(0);
        } else if (ready == 0) {
            tell("process %ld does not answer: its profiler ends when it goes on",
                 (long)attach->asked->process);
            pass_on_lines(attach, LINE_RING_LIVE, &code);
            break;
        }
        if (ready > 0 && files[2].revents != 0) {
            files[2].fd = -1;
            attach->is_unread = true;
            end_attachment(0);
        }
        if (ready > 0 && files[0].revents != 0 && !wake(attach, &code)) {
            files[0].fd = -1;
        } else if (ready > 0 && files[0].revents == 0 && files[1].revents != 0) {
            /* all has been written */
            files[1].fd = -1;
        }
    }
    if (!ends && !attach->asked->quiet) {
        tell("process %ld ended", (long)attach->asked->process);
    }
    return code;
}

enum exit_code attach_process(struct launch *launch, const struct attachment *attachment)
{
    struct attach attach = {.launch = launch,
                            .asked = attachment,
                            .control = {.in_folder = -1, .listening = -1, .file = -1},
                            .hello = {.status = -1, .values = -1, .lines = -1},
                            .pipe = -1};
    enum exit_code code = diagnostics_open(&attach.server, attachment->process);
    if (code == EXIT_DONE && process_has_library(attachment->process, PROFILER_FILE)) {
        /* it takes one profiler only */
        tell("process %ld does not load the profiler: a profiler is in it already, and stays; "
             "start the process again",
             (long)attachment->process);
        code = EXIT_BAD_INPUT;
    }
    if (code == EXIT_DONE && launch->inspector && is_trimmed(attachment->process)) {
        code = EXIT_BAD_INPUT;
    }
    if (code == EXIT_DONE) {
        code = open_all(&attach);
    }
    if (code == EXIT_DONE) {
        code = load(&attach);
    }
    if (code == EXIT_DONE && attach.hello.follows) {
        close(attach.hello.values); /* so that the pipe ends with the process */
        attach.hello.values = -1;
        code = follow(&attach);
    }
    if (launch->loaded != 0) {
        launch_read_status(launch);
    }
    close_all(&attach);
    free(launch->status); /* nothing has that name any more */
    launch->status = NULL;
    return code;
}
