/* Attaches to a process. See attach.h.
 *
 *   attachable_open()     what keeps us out is reported, and nothing has been touched
 *   open_all()            the file or ring for values, and the status file, are made here
 *   reach_profiler()      connects; if nothing listens, the diagnostics server loads the profiler
 *   request_values()      hello with our descriptors -> greeted: we are the first, or joined
 *   start()               only the first: inspectors, then CONTROL_START -> CONTROL_STARTED
 *   follow()              values are passed on until one of the two ends
 *   launch_read_status()  what the profiler has written about itself
 *
 * One loop waits for three sources: the pipe that ends with the process, the ring with its lines,
 * and our own signals and deadlines. Everything before the profiler's start can be undone by
 * unloading it; everything after ends through the connection.
 *
 * Another user's process is entered with its user's rights for the moment in which something is
 * made or connected (dotnet_process_act_as_its_user() to process_act_as_self()), so that it can
 * open what we make, and so that we cannot be led to write where only we may. */
#include "tools/launch/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
#include "host/local_socket.h"
#include "host/process_files.h"
#include "host/standard_streams.h"
#include "tools/launch/attachable.h"
#include "tools/launch/seen_files.h"
#include "tools/tool.h"

enum {
    ATTACH_PATIENCE = 10000, /* ms for the profiler's report when we end */
    TAKEN_PATIENCE = 5000,   /* ms for a profiler that another command is loading */
    STATUS_LOOK_MS = 500,    /* between reads of the profiler's status */
    PACE_MS = 10             /* between reads of the ring when lines come slowly */
};

/* The state of one attachment. `hello` borrows texts from the variables of `launch`, and owns its
 * descriptors; close_all() closes everything, whatever has been opened. A descriptor of -1 is not
 * open. */
struct attach {
    struct launch *launch;
    const struct attachment *attachment;
    struct dotnet_process process;
    struct seen_files files; /* what the process loads */
    char *path;              /* where the profiler listens (control.h) */
    int control;             /* the connection to it; -1: none */
    struct control_hello hello;
    bool joined;             /* another command's options select what is watched */
    struct line_ring *lines; /* where values are read that we pass on; NULL: nowhere */
    int pipe;                /* wakes us, and ends with the process; -1: none */
    size_t latest;           /* bytes in the ring at the last read */
    bool made_file;          /* we created the file for values */
    bool shares_file;        /* we write to it, too, so it is not emptied */
    bool is_unread;          /* our standard output has no reader any more */
    uint64_t passed;         /* number of lines */
};

bool process_number(const char *text, process_id *process)
{
    char *end = NULL;
    errno = 0;
    long number = strtol(text, &end, 10);
    *process = (process_id)number;
    return number > 0 && number <= INT_MAX && *end == '\0' && errno == 0;
}

/* ---- outputs ---- */

/* A file that this command writes to, as standard output or error, with the offset that it has
 * there. -1: it is another file, or may block. */
static int open_own_stream(const char *path)
{
    struct stat info;
    int stream = standard_stream_at(path);
    bool is_file = stream >= 0 && fstat(stream, &info) == 0 && S_ISREG(info.st_mode);
    return is_file ? fcntl(stream, F_DUPFD_CLOEXEC, 0) : -1;
}

/* Opened here instead of in the process, which may have another user, folder or view of the files.
 * A pipe without a reader must not block anyone. */
static bool open_file(struct attach *attach)
{
    enum { HOW = O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };
    const char *path = attach->attachment->output;
    attach->hello.values = open_own_stream(path);
    attach->shares_file = attach->hello.values >= 0;
    if (attach->shares_file) {
        return true;
    }
    int file = open(path, HOW | O_CREAT | O_EXCL, 0600);
    /* O_EXCL shows whether the file is new: only then it is removed after a failure (load()) */
    attach->made_file = file >= 0;
    attach->hello.values = file < 0 && errno == EEXIST ? open(path, HOW) : file;
    if (attach->hello.values < 0 && errno == ENOENT && !attach->made_file) {
        /* a link to a file that does not exist yet */
        attach->hello.values = open(path, HOW | O_CREAT, 0600);
    }
    if (attach->hello.values < 0) {
        report_message("%s: cannot write: %s", path,
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
        report_message("cannot make memory or a pipe for values: %s", strerror(errno));
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

static const char *variable_of(const struct launch *launch, const char *name);

/* The file for values is opened with our own rights, since it is the user's; the rest with those of
 * the process's user. */
static enum exit_code open_all(struct attach *attach)
{
    const struct attachment *attachment = attach->attachment;
    attach->hello.wish = CONTROL_ATTACH;
    attach->hello.options = (char *)(uintptr_t)variable_of(attach->launch, ENV_OPTIONS);
    attach->hello.report = (char *)(uintptr_t)variable_of(attach->launch, ENV_REPORT);
    attach->hello.follows = attachment->follows;
    if (attachment->output && !open_file(attach)) {
        return EXIT_CANNOT_WRITE;
    }
    bool opened = dotnet_process_act_as_its_user(&attach->process) && open_status(attach) &&
                  (!attach->hello.follows || open_ring(attach));
    process_act_as_self();
    return opened ? EXIT_DONE : EXIT_CANNOT_WRITE;
}

static void close_files(const int *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (files[i] >= 0) {
            close(files[i]);
        }
    }
}

static void close_all(struct attach *attach)
{
    const int files[] = {attach->hello.status, attach->hello.values, attach->hello.lines,
                         attach->pipe, attach->control};
    close_files(files, sizeof files / sizeof files[0]);
    if (attach->lines) {
        line_ring_unmap(attach->lines);
    }
    free(attach->path);
    seen_files_end(&attach->files);
    dotnet_process_close(&attach->process);
}

/* ---- the profiler ---- */

/* "" if it is not set, as the hello has it. */
static const char *variable_of(const struct launch *launch, const char *name)
{
    for (size_t i = 0; i < launch->variables.count; i++) {
        if (strcmp(launch->variables.items[i].name, name) == 0) {
            return launch->variables.items[i].value;
        }
    }
    return "";
}

/* An installed file, by its path in the process's view. */
static enum exit_code find_seen(struct attach *attach, const char *file, char **seen)
{
    char *path = NULL;
    enum exit_code code = launch_find_installed(file, &path);
    if (code == EXIT_DONE) {
        *seen = dotnet_process_act_as_its_user(&attach->process) ? seen_file(&attach->files, path)
                                                                 : NULL;
        process_act_as_self();
        code = *seen ? EXIT_DONE : EXIT_CANNOT_WRITE;
    }
    free(path);
    return code;
}

/* The path of the control socket is the data of the attach command, so the profiler need not find
 * it by itself. Sockets that killed processes left are removed before. */
static enum exit_code load_profiler(struct attach *attach, bool *taken)
{
    static const struct profiler_class class = {PROFILER_CLASS_BYTES};
    char *path = need(control_path(attach->process.server.name)); /* as the process names it */
    char *profiler = NULL;
    enum exit_code code = find_seen(attach, PROFILER_FILE, &profiler);
    if (code == EXIT_DONE && !local_socket_can_have(path)) {
        report_message("%s: the path is too long for a socket", path);
        code = EXIT_CANNOT_WRITE;
    }
    if (code == EXIT_DONE) {
        control_sweep(attach->path, attach->process.state.user);
        code = diagnostics_attach(&attach->process.server, &class, profiler,
                                  (struct ilp_bytes){(const uint8_t *)path, strlen(path) + 1},
                                  taken);
    }
    free(profiler);
    free(path);
    return code;
}

/* False, with errno: none listens. In a user namespace, root is not a user that the profiler
 * accepts. */
static bool connects(struct attach *attach)
{
    const struct dotnet_process *process = &attach->process;
    if (dotnet_process_act_as_its_user(process)) {
        attach->control = control_connect(attach->path, process->process, process->state.user);
    }
    int error = errno;
    process_act_as_self();
    errno = error;
    return attach->control >= 0;
}

/* Connects to the profiler of an earlier attach, or loads it. A socket without a listener
 * (ECONNREFUSED) is one that a killed process with this number left. The runtime refuses a second
 * profiler: if it is ours, loaded by another command at this moment, it listens soon; if not,
 * `taken` stays and nothing listens. */
static enum exit_code reach_profiler(struct attach *attach)
{
    bool is_free = !connects(attach) && (errno == ENOENT || errno == ECONNREFUSED);
    bool taken = false;
    enum exit_code code = is_free ? load_profiler(attach, &taken) : EXIT_DONE;
    if (code != EXIT_DONE && !taken) {
        return code;
    }
    /* another command may be loading it right now */
    const struct deadline until = deadline_after(taken ? TAKEN_PATIENCE : 0);
    while (is_free && !connects(attach) && deadline_left(until) != 0) {
        process_pause(PACE_MS);
    }
    if (taken && attach->control < 0) {
        report_message(
            "process %ld does not load the profiler: another one is in it already, and stays",
            (long)attach->process.process);
        return EXIT_BAD_INPUT;
    }
    if (attach->control < 0) {
        report_message("cannot speak to the profiler in process %ld: %s: %s",
                       (long)attach->process.process, attach->path, strerror(errno));
    }
    return attach->control >= 0 ? EXIT_DONE : EXIT_BAD_INPUT;
}

/* Loads the stock inspector, which loads the others. Child processes of this process are not
 * affected. The variable is set in the process only while the hook reads it, and emptied after
 * that, also if the hook failed. */
static enum exit_code load_inspectors(struct attach *attach)
{
    const char *others = variable_of(attach->launch, ENV_INSPECTORS);
    char *inspector = NULL;
    enum exit_code code = find_seen(attach, INSPECTOR_FILE, &inspector);
    if (code == EXIT_DONE && others[0] != '\0') {
        code = diagnostics_set_variable(&attach->process.server, ENV_INSPECTORS, others);
    }
    if (code == EXIT_DONE) {
        code = diagnostics_run_hook(&attach->process.server, inspector);
    }
    if (others[0] != '\0') {
        diagnostics_set_variable(&attach->process.server, ENV_INSPECTORS, "");
    }
    free(inspector);
    return code;
}

/* Takes what the profiler uses in place of what was sent. The profiler returns descriptors if it
 * has made or kept files for this watch: after CONTROL_JOINED it is the status file of the first
 * command, and a ring that this command reads from then. */
static bool take_reply(struct attach *attach, const struct control_reply *reply)
{
    if (reply->status >= 0) {
        close(attach->hello.status);
        attach->hello.status = reply->status;
        free(attach->launch->status);
        attach->launch->status = need(shared_counters_name(reply->status));
    }
    if (reply->lines >= 0) {
        struct line_ring *ring = line_ring_map(reply->lines, 0);
        close(reply->lines);
        line_ring_unmap(attach->lines);
        attach->lines = ring;
    }
    return attach->lines || reply->lines < 0;
}

/* If another process has unloaded the profiler in between, it is loaded again. A few times at most:
 * each try has loaded the profiler, or connected to it. */
static enum exit_code request_values(struct attach *attach)
{
    enum { TRIES = 5 };
    struct control_reply reply = {.answer = CONTROL_GONE};
    for (unsigned i = 0; i < TRIES && reply.answer == CONTROL_GONE; i++) {
        enum exit_code code = reach_profiler(attach);
        if (code != EXIT_DONE) {
            return code;
        }
        reply = control_request(attach->control, &attach->hello);
        if (reply.answer == CONTROL_GONE) {
            close(attach->control);
            attach->control = -1;
            process_pause(PACE_MS);
        }
    }
    bool taken = (reply.answer == CONTROL_GREETED || reply.answer == CONTROL_JOINED) &&
                 take_reply(attach, &reply);
    attach->joined = reply.answer == CONTROL_JOINED;
    if (reply.answer == CONTROL_REFUSED) {
        report_message("%s", reply.text);
    } else if (reply.answer == CONTROL_GONE) {
        report_message("process %ld ended, or does not answer", (long)attach->attachment->process);
    } else if (reply.answer == CONTROL_UNUSABLE) {
        launch_read_lines(attach->launch);
    }
    free(reply.text);
    return taken ? EXIT_DONE : attach->launch->unwritable ? EXIT_CANNOT_WRITE : EXIT_BAD_INPUT;
}

/* The first command starts the profiler. A file for values is emptied just before the first one can
 * come, so a failed attach leaves the old contents. Lines that the profiler has written until then
 * say why, if it did not start. */
static enum exit_code start(struct attach *attach)
{
    enum exit_code code = attach->launch->inspector ? load_inspectors(attach) : EXIT_DONE;
    struct stat info;
    if (code == EXIT_DONE && attach->attachment->output && !attach->shares_file &&
        fstat(attach->hello.values, &info) == 0 && S_ISREG(info.st_mode)) {
        (void)!ftruncate(attach->hello.values, 0); /* no effect on pipes and devices */
    }
    bool started = code == EXIT_DONE && control_start(attach->control);
    launch_read_lines(attach->launch);
    started = started && !attach->launch->failed;
    if (code == EXIT_DONE && !started && !attach->launch->failed && !attach->launch->unwritable) {
        report_message("process %ld ended before the profiler had started",
                       (long)attach->attachment->process);
    }
    if (started || attach->launch->unwritable) {
        return started ? EXIT_DONE : EXIT_CANNOT_WRITE;
    }
    return code == EXIT_DONE ? EXIT_BAD_INPUT : code;
}

/* The copies that were loaded are removed at once: the process has them mapped. A file that we
 * created is removed if there will be no values. */
static enum exit_code load(struct attach *attach)
{
    enum exit_code code = request_values(attach);
    if (code == EXIT_DONE && !attach->joined) {
        code = start(attach);
    }
    seen_files_end(&attach->files);
    if (code != EXIT_DONE && attach->made_file) {
        unlink(attach->attachment->output);
    }
    return code;
}

/* ---- values, on their way to standard output ---- */

/* For the handler of signals: the connection to the profiler, and whether an end was requested. */
static volatile sig_atomic_t connection;
static volatile sig_atomic_t ends;

/* The profiler is requested to end, and closes the pipe when it has. A second signal has its
 * default effect. */
static void end_attachment(int number)
{
    (void)number;
    ends = 1;
    local_socket_end_sending(connection);
}

/* SA_RESETHAND gives the second signal its default effect. Signals that are ignored, as under
 * nohup, stay ignored. */
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

/* False: there is no reader, which ends the attachment like a signal, or a write failed, which is
 * reported. A value does not wait for us: if standard output blocks, the ring fills, and the
 * profiler counts what it leaves out. */
static bool pass_on(const char *bytes, size_t size, enum exit_code *code)
{
    while (size != 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, size);
        if (written < 0 && errno == EAGAIN) { /* another process has made it nonblocking */
            poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, -1);
        } else if (written < 0 && errno != EINTR) {
            if (errno != EPIPE) {
                report_message("standard output: cannot write: %s", strerror(errno));
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

/* The size of that many lines. */
static size_t size_of_lines(const char *bytes, size_t size, uint64_t lines)
{
    size_t end = 0;
    for (; end < size && lines != 0; end++) {
        lines -= bytes[end] == '\n';
    }
    return end;
}

/* Removes colours that the first command requested and this one did not: \e[...m, which values
 * cannot contain. */
static size_t without_colors(char *bytes, size_t size)
{
    size_t kept = 0;
    bool in_color = false;
    for (size_t i = 0; i < size; i++) {
        in_color = in_color || bytes[i] == '\033';
        if (!in_color) {
            bytes[kept++] = bytes[i];
        }
        in_color = in_color && bytes[i] != 'm';
    }
    return kept;
}

/* Passes on what is in the ring at this moment. The ring's position is given back before the lines
 * are written, so the process gets room while we wait for standard output. Each command cuts at its
 * own limit: the process goes on writing for others. */
static void pass_on_lines(struct attach *attach, enum line_ring_state state, enum exit_code *code)
{
    static char bytes[LINE_RING_LONGEST];
    uint64_t position = atomic_load(&attach->lines->taken);
    size_t size = line_ring_read(attach->lines, &position, bytes, sizeof bytes, state);
    uint64_t limit = attach->attachment->limit;
    line_ring_take(attach->lines, position);
    attach->latest = size;
    if (limit != 0) {
        size = size_of_lines(bytes, size, limit - attach->passed);
    }
    attach->passed += lines_in(bytes, size);
    if (attach->joined && !attach->attachment->colors) {
        size = without_colors(bytes, size);
    }
    if (size != 0 && !attach->is_unread && !pass_on(bytes, size, code)) {
        attach->is_unread = true;
        end_attachment(0);
    }
    if (limit != 0 && attach->passed >= limit && !ends) {
        end_attachment(0);
    }
}

/* False: no more will come, and everything was passed on. The pipe has no content that matters: a
 * byte wakes, and its end says that the process, or the profiler's part of it, is gone. What is in
 * the ring then is read to its end; records that killed threads did not finish are skipped. */
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

/* How long to sleep: not at all while there are many lines; the process has to wake us only when
 * there are none. */
static int time_to_wait(const struct attach *attach, struct deadline until)
{
    int left = deadline_left(until);
    int most = attach->latest >= LINE_RING_LONGEST / 4 ? 0 : PACE_MS;
    bool waits = attach->latest == 0 && line_ring_wait(attach->lines);
    int wait = waits || (left >= 0 && left < most) ? left : most;
    return wait < 0 || wait > STATUS_LOOK_MS ? STATUS_LOOK_MS : wait;
}

static struct deadline duration_of(const struct attachment *attachment)
{
    uint64_t milliseconds = attachment->duration / 1000000;
    return deadline_after(milliseconds < UINT32_MAX ? (unsigned)milliseconds : UINT32_MAX);
}

/*   ends?     who                          then
 *   signal    end_attachment()             our side of the connection ends -> the profiler ends
 *   --for     the deadline `until`         the same
 *   --limit   pass_on_lines()              the same
 *   no reader POLLERR on standard output   the same
 *   process   the pipe and connection end  the loop ends
 *
 * After a request to end, `until` is the time that the profiler has to write everything and close
 * its side; a stopped process does so when it goes on. The pipe is read before the connection's end
 * counts: it has the last lines. */
static enum exit_code follow(struct attach *attach)
{
    enum exit_code code = EXIT_DONE;
    struct pollfd files[] = {{.fd = attach->pipe, .events = POLLIN},
                             {.fd = attach->control, .events = POLLIN},
                             /* a pipe without a reader */
                             {.fd = attach->attachment->prints ? STDOUT_FILENO : -1, .events = 0}};
    watch_signals(attach->control);
    if (!attach->attachment->quiet) {
        report_message("attached to process %ld%s; Ctrl-C ends this, and the process goes on",
                       (long)attach->attachment->process,
                       attach->joined
                           ? ", which others watch already: these are the values that they have "
                             "chosen"
                           : "");
    }
    bool end_requested = false, is_answered = true;
    struct deadline look = deadline_after(STATUS_LOOK_MS);
    struct deadline until = attach->attachment->duration != 0 ? duration_of(attach->attachment)
                                                              : DEADLINE_NONE;
    while (files[1].fd >= 0) {
        if (deadline_left(look) == 0) { /* what users want to know at once */
            launch_read_lines(attach->launch);
            look = deadline_after(STATUS_LOOK_MS);
        }
        if (ends && !end_requested) {
            end_requested = true;
            until = deadline_after(ATTACH_PATIENCE);
        }
        int ready = poll(files, 3, time_to_wait(attach, until));
        if (ready == 0 && deadline_left(until) != 0) {
            pass_on_lines(attach, LINE_RING_LIVE, &code);
        } else if (ready == 0 && !ends) { /* --for */
            end_attachment(0);
        } else if (ready == 0) {
            report_message("process %ld does not answer: its profiler ends when it goes on",
                           (long)attach->attachment->process);
            pass_on_lines(attach, LINE_RING_LIVE, &code);
            is_answered = false;
            break;
        }
        if (ready > 0 && files[2].revents != 0) {
            /* poll() ignores an entry with a negative descriptor */
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
    attach->launch->goes_on = !is_answered ||
                              control_read(attach->control, deadline_after(0)) == CONTROL_ENDED;
    if (!ends && !attach->attachment->quiet) {
        report_message(attach->launch->goes_on
                           ? "process %ld goes on; another command ended the watch"
                           : "process %ld ended",
                       (long)attach->attachment->process);
    }
    return code;
}

/* The process may have another user than this command, which is root then. */
static bool give_own_file(const struct attach *attach)
{
    const char *path = attach->attachment->own_file;
    bool given = !path || process_give_file(path, attach->process.state.user);
    if (!given) {
        report_message("%s: cannot give it to the user of process %ld: %s", path,
                       (long)attach->attachment->process, strerror(errno));
    }
    return given;
}

/* Our copy of the pipe's writing end must be closed before follow(), otherwise the pipe would never
 * end. The status is read also after a failure, if the profiler was loaded. */
enum exit_code attach_process(struct launch *launch, const struct attachment *attachment)
{
    struct attach attach = {.launch = launch,
                            .attachment = attachment,
                            .control = -1,
                            .hello = {.status = -1, .values = -1, .lines = -1},
                            .pipe = -1};
    launch->goes_on = true; /* until follow() has seen its end */
    enum exit_code code = attachable_open(&attach.process, attachment->process, &attachment->paths,
                                          launch->inspector);
    seen_files_begin(&attach.files, &attach.process, attachment->verbose);
    if (code == EXIT_DONE && !give_own_file(&attach)) {
        code = EXIT_CANNOT_WRITE;
    }
    if (code == EXIT_DONE) {
        attach.path = need(control_path(attach.process.server.path));
        code = open_all(&attach);
    }
    if (code == EXIT_DONE) {
        code = load(&attach);
    }
    if (code == EXIT_DONE && attach.hello.follows) {
        if (attach.lines) {
            close(attach.hello.values); /* so that the pipe ends with the process */
            attach.hello.values = -1;
        }
        code = follow(&attach);
    }
    if (attach.joined) { /* earlier messages */
        launch_read_lines(launch);
    }
    if (launch->loaded != 0) {
        launch_read_status(launch);
    }
    if (attachment->limit != 0 && attach.passed >= attachment->limit &&
        launch->lost_error == EAGAIN) {
        launch->lost = 0; /* lines that did not fit in the ring: as many as requested were read */
    }
    close_all(&attach);
    free(launch->status); /* the name is no longer in use */
    launch->status = NULL;
    return code;
}

/* ---- other commands ---- */

/* Reports values that a watch without a command could not write. */
static enum exit_code report_lost(struct attach *attach, const struct control_reply *reply)
{
    struct launch *launch = attach->launch;
    if (reply->status >= 0 && take_reply(attach, reply)) {
        launch_read_counts(launch);
    }
    if (launch->lost != 0) {
        launch_report_lost(launch);
    }
    return launch->lost != 0 ? EXIT_CANNOT_WRITE : EXIT_DONE;
}

/* Sends a request that is done when it is answered. Used for detach and for new rules. A status
 * file goes along, because the profiler writes messages and reasons into it. That nothing is
 * watched is reported, and is a failure: the command had no effect.
 *
 *   reply
 *   none       not connected: nothing is watched
 *   GREETED    done; what could not be written is reported
 *   REFUSED    the profiler's reason is printed
 *   UNUSABLE   the reason is in the status file
 *   GONE       the process ended, or does not answer */
static enum exit_code say(struct launch *launch, process_id process, enum control_wish wish,
                          const char *options)
{
    struct attach attach = {.launch = launch,
                            .attachment = &(struct attachment){.process = process},
                            .control = -1,
                            .hello = {.wish = wish,
                                      .status = -1,
                                      .values = -1,
                                      .lines = -1,
                                      .options = (char *)(uintptr_t)options,
                                      .report = (char *)(uintptr_t) ""},
                            .pipe = -1};
    struct control_reply reply = {.answer = CONTROL_GONE};
    enum exit_code code = EXIT_DONE;
    seen_files_begin(&attach.files, &attach.process, false);
    if (!dotnet_process_open(&attach.process, process)) {
        report_message("cannot find process %ld. Run 'ilpatch ps' to list .NET processes",
                       (long)process);
        code = EXIT_BAD_INPUT;
    } else if (!dotnet_process_act_as_its_user(&attach.process) || !open_status(&attach)) {
        code = EXIT_CANNOT_WRITE;
    }
    process_act_as_self();
    if (code == EXIT_DONE && attach.process.has_server) {
        attach.path = need(control_path(attach.process.server.path));
        reply = connects(&attach) ? control_request(attach.control, &attach.hello) : reply;
    }
    if (code == EXIT_DONE && attach.control < 0) {
        report_message("nothing is watched in process %ld", (long)process);
    } else if (code == EXIT_DONE && reply.answer == CONTROL_GONE) {
        report_message("process %ld ended, or does not answer", (long)process);
    } else if (reply.answer == CONTROL_REFUSED) {
        report_message("%s", reply.text);
    } else if (reply.answer == CONTROL_UNUSABLE) {
        launch_read_lines(launch);
    }
    if (code == EXIT_DONE) {
        code = reply.answer == CONTROL_GREETED ? report_lost(&attach, &reply) : EXIT_BAD_INPUT;
    }
    free(reply.text);
    close_all(&attach);
    free(launch->status);
    launch->status = NULL;
    return code;
}

/* `attach` has a copy of the caller's structure, and frees nothing of it. */
char *attach_query(const struct dotnet_process *process, const char *query, bool *watched)
{
    struct attach attach = {.process = *process, .control = -1};
    const struct control_hello hello = {.wish = CONTROL_QUERY,
                                        .status = -1,
                                        .values = -1,
                                        .lines = -1,
                                        .options = (char *)(uintptr_t)query,
                                        .report = (char *)(uintptr_t) ""};
    struct control_reply reply = {.answer = CONTROL_REFUSED};
    attach.path = process->has_server ? need(control_path(process->server.path)) : NULL;
    if (attach.path && connects(&attach)) {
        reply = control_request(attach.control, &hello);
        close(attach.control);
    }
    free(attach.path);
    *watched = reply.answer != CONTROL_REFUSED;
    if (reply.answer != CONTROL_GREETED) {
        free(reply.text);
        reply.text = NULL;
    }
    return reply.text;
}

enum exit_code attach_end(process_id process)
{
    struct launch launch = {.program = NULL};
    return say(&launch, process, CONTROL_DETACH, "");
}

enum exit_code attach_change(struct launch *launch, process_id process, const char *options)
{
    return say(launch, process, CONTROL_CHANGE, options);
}
