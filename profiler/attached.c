/* Serves attached commands, in a thread of the profiler's own. See attached.h.
 *
 *   WATCH_NONE --attach--> begins --CONTROL_START--> watched --last one leaves, or detach--> NONE
 *                   \--the first one leaves before--> unloaded, if nothing can call it any more
 *
 * All state is the thread's own, so nothing here is locked but what it shares with callbacks (the
 * profiler's lock). It also has the ticks of pace and cost. */
#include "profiler/attached.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/control.h"
#include "host/local_socket.h"
#include "host/path.h"
#include "host/profiler_options.h"
#include "host/shared_counters.h"
#include "profiler/cost_limit.h"
#include "profiler/cut_off.h"
#include "profiler/messages.h"
#include "profiler/method_state.h"
#include "profiler/output.h"
#include "profiler/own_thread.h"
#include "profiler/pace.h"
#include "profiler/profiler.h"
#include "profiler/settings.h"
#include "profiler/status.h"
#include "profiler/clr/missed_inlines.h"
#include "profiler/clr/rejit_guard.h"
#include "profiler/hooks/hooks.h"
#include "profiler/value_counts.h"
#include "profiler/value_spool.h"

enum {
    COMMANDS = OUTPUT_SINKS + 1, /* one more than the rings: it gets an error */
    WORD_PATIENCE = 60 * 1000,   /* ms for a command's next message; other commands wait
                                    meanwhile */
    RETRY_PACE_MS = 100          /* between attempts to accept a connection */
};

/* An attached command. */
struct attached_command {
    int file; /* the connection; -1: none */
    int sink; /* its sink for values (output.h); -1: no ring */
};

/* When a watch ends. */
enum watch_span {
    WATCH_NONE,
    WATCH_FOLLOWS, /* with the last command */
    WATCH_STAYS    /* with CONTROL_DETACH, or the process */
};

struct attached {
    struct profiler *profiler; /* borrowed */
    _Atomic(char *) path;      /* of the socket; NULL: removed */
    int listening;
    process_id process; /* the process that made the socket */
    bool has_thread;
    pthread_t thread;
    bool was_started; /* the runtime does not unload the profiler any more */
    bool is_leaving;

    enum watch_span watch;
    char *options, *report; /* of the watch; owned */
    struct attached_command commands[COMMANDS];
};

static void close_file(int *file)
{
    if (*file >= 0) {
        close(*file);
        *file = -1;
    }
}

/* Everything is written by now, and the process goes on. The command may be gone. */
static void dismiss(int *file)
{
    if (*file >= 0) {
        control_write(*file, CONTROL_ENDED);
    }
    close_file(file);
}

/* ---- a watch ---- */

/* Checks files that are written at the end, before anything is changed. */
static bool is_writable(const char *path)
{
    bool writable = path[0] == '\0' || path_is_replaceable(path);
    if (!writable) {
        status_line("unwritable",
                    "%s: cannot write: %s; process %ld writes it, as the user that it belongs to",
                    path, strerror(errno), (long)process_own());
    }
    return writable;
}

/* Prepares a watch without starting it. Returns the settings of its options, owned; NULL: unusable,
 * which was reported. */
static bool prepare(struct attached *attached, struct settings *settings)
{
    struct profiler *profiler = attached->profiler;
    if (!is_writable(attached->report)) {
        if (settings) {
            settings_close(settings);
        }
        return false;
    }
    if (!session_begin_watch(profiler, settings, attached->report)) {
        return false;
    }
    memset(status_slot()->by_reason, 0, sizeof status_slot()->by_reason); /* of earlier rules */
    session_paint_lines(profiler);
    return is_writable(profiler->ids ? settings_id_map(profiler->settings) : "");
}

static bool request_events(struct profiler *profiler, ULONG mask, ULONG high)
{
    HRESULT result = session_set_mask(profiler, mask, high);
    if (result < 0) {
        status_line("failed", "the runtime returns 0x%08X when events are requested",
                    (unsigned)result);
    }
    return result >= 0;
}

/* Starts the watch: the methods selected from now on, and those already compiled. `staying` keeps
 * modules from being unloaded only when the runtime reports that, so this is requested before the
 * modules are listed. It also holds requests for modules that are loaded meanwhile, until ReJIT is
 * enabled: the runtime can unload the profiler up to that, and not afterwards. Calls are recorded
 * from the first method on that is compiled, so their file is opened before. */
static bool start(struct attached *attached)
{
    enum {
        MASK = MONITOR_JIT_COMPILATION | MONITOR_MODULE_LOADS | ENABLE_REJIT,
        OF_TRACE = MONITOR_EXCEPTIONS | MONITOR_THREADS | ENABLE_STACK_SNAPSHOT
    };
    struct profiler *profiler = attached->profiler;
    pthread_mutex_lock(&profiler->staying);
    bool can_start = request_events(profiler, MONITOR_MODULE_LOADS, 0) &&
                     rejit_is_possible(profiler);
    ULONG traced = can_start ? hooks_prepare(profiler) & OF_TRACE : 0;
    can_start = can_start && (!settings_trace(profiler->settings) || hooks_open(NULL)) &&
                request_events(profiler, MASK | traced, HIGH_MONITOR_EVENT_PIPE);
    pthread_mutex_unlock(&profiler->staying);
    if (!can_start) {
        return false;
    }
    attached->was_started = true;
    output_resume();
    rejit_guard_open(profiler);
    missed_inlines_listen(profiler);
    rejit_modules(profiler);
    return true;
}

/* `report`: the watch has run, so its results are reported. Values end first, so that commands have
 * all of them when their connection ends. */
static void end_watch(struct attached *attached, bool report)
{
    attached->profiler->ended = attached->profiler->ended || !report;
    if (report) {
        value_counts_write_all();
    }
    value_counts_close();
    output_end();
    session_end_watch(attached->profiler);
    attached->watch = WATCH_NONE;
    for (size_t i = 0; i < COMMANDS; i++) {
        dismiss(&attached->commands[i].file);
    }
    status_leave();
    free(attached->options);
    free(attached->report);
    attached->options = attached->report = NULL;
}

/* ---- commands ---- */

/* Takes over `why`. */
static void refuse(int file, char *why)
{
    struct control_reply reply = {CONTROL_REFUSED, -1, -1, why};
    control_answer(file, &reply);
    free(why);
}

static struct attached_command *find_free(struct attached *attached)
{
    struct attached_command *command = attached->commands;
    while (command < attached->commands + COMMANDS && command->file >= 0) {
        command++;
    }
    return command < attached->commands + COMMANDS ? command : NULL;
}

/* Takes over its descriptors for values. */
static bool take_values(struct control_hello *hello, int *sink)
{
    *sink = hello->lines >= 0 && hello->values >= 0 ? output_add(hello->values, hello->lines) : -1;
    bool wants_ring = hello->lines >= 0;
    if (!wants_ring) {
        output_give(hello->values);
    }
    hello->values = hello->lines = -1;
    return !wants_ring || *sink >= 0;
}

/* Begins a watch for the first command. */
static void begin_watch(struct attached *attached, int file, struct control_hello *hello)
{
    struct control_reply reply = {.answer = CONTROL_UNUSABLE, .lines = -1, .status = -1};
    int sink = -1;
    if (!shared_counters_is_file(hello->status) || !take_values(hello, &sink)) {
        close(file); /* it is not our command */
        attached->is_leaving = !attached->was_started;
        return;
    }
    status_take(hello->status);
    hello->status = -1;
    attached->options = hello->options;
    attached->report = hello->report;
    hello->options = hello->report = NULL;
    attached->commands[0] = (struct attached_command){file, sink};
    attached->watch = hello->follows ? WATCH_FOLLOWS : WATCH_STAYS;
    bool prepared = prepare(attached, settings_open(attached->options, true));
    if (prepared) {
        value_counts_begin(sink);
        reply.answer = CONTROL_GREETED;
        reply.lines = sink >= 0 ? output_ring(sink) : -1;
    }
    const atomic_bool *waits = &attached->profiler->waits;
    bool calls = prepared && atomic_load(waits); /* a managed inspector */
    bool requested = control_answer(file, &reply) && prepared &&
                     control_read(file, deadline_after(WORD_PATIENCE)) == CONTROL_START;
    bool started = requested && start(attached);
    if (!started) {
        /* an inspector that was loaded, as far as is known, has our addresses (ENV_PROFILER) */
        bool is_known = calls && !(requested && atomic_load(waits));
        end_watch(attached, false);
        attached->is_leaving = !attached->was_started && !is_known && !cut_off_has_handler();
    } else {
        control_write(file, CONTROL_STARTED); /* a failure shows at the next read */
    }
}

/* Why a command with these options cannot join the watch; NULL: it can, or there is no memory for
 * the text (memory_failures()). */
static char *join_conflict(const struct attached *attached, const struct control_hello *hello)
{
    static const char trace[] = "--trace";
    char *names = profiler_options_conflicts(attached->options, hello->options);
    char *why = NULL;
    bool wants_report = hello->report[0] != '\0' && strcmp(hello->report, attached->report) != 0;
    if (!names) {
        why = copy_text("those of this command cannot be read: they are of another version");
    } else if (strncmp(names, trace, sizeof trace - 1) == 0) {
        why = copy_text("calls are recorded by one command that is attached alone: let the others "
                        "end, or ilpatch detach end them");
    } else if (names[0] != '\0' || wants_report) {
        why = format_text(
            "what is watched is the same for all commands, so %s%s%s cannot change it: leave that "
            "out to join, let `ilpatch rules set` change which methods are watched, or ilpatch "
            "detach end it for all",
            names, names[0] != '\0' && wants_report ? ", " : "", wants_report ? "--report" : "");
    }
    free(names);
    return why;
}

/* Lets another command join the watch. */
static void join_watch(struct attached *attached, int file, struct control_hello *hello)
{
    struct attached_command *command = find_free(attached);
    unsigned failures = memory_failures();
    char *why = NULL;
    int sink = -1;
    if (settings_trace(attached->profiler->settings)) {
        why = copy_text("its calls are recorded, which cannot be joined: let that command end, or "
                        "ilpatch detach end it");
    } else if (attached->watch != WATCH_FOLLOWS || value_spool_is_open()) {
        why = copy_text("values go to a file: only lines on standard output can be joined; ilpatch "
                        "detach ends what is watched");
    } else if ((why = join_conflict(attached, hello)) == NULL && hello->lines < 0) {
        why = copy_text("the process writes values where the first command said: leave -o and "
                        "--target-stderr out, and they come on standard output, which may be a "
                        "file");
    } else if (!why && memory_failures() == failures && (!command || !take_values(hello, &sink))) {
        why = copy_text("as many commands are attached as can be");
    }
    if (why || sink < 0) {
        refuse(file, format_text("process %ld is watched already, with the options %s, and %s",
                                 (long)attached->process, attached->options,
                                 why ? why : "joining it needs more memory than is available"));
        free(why);
        close(file);
        return;
    }
    struct control_reply reply = {CONTROL_JOINED, output_ring(sink), status_descriptor(), NULL};
    value_counts_begin(sink);
    *command = (struct attached_command){file, sink};
    control_answer(file, &reply); /* a failure shows at the next read */
}

/* Changes the methods of the watch, for all commands. Errors in the options are found before
 * anything is changed, and returned to the sender. */
static void change_watch(struct attached *attached, int file, struct control_hello *hello)
{
    struct control_reply reply = {.answer = CONTROL_UNUSABLE, .lines = -1, .status = -1};
    if (!shared_counters_is_file(hello->status)) {
        close(file); /* it is not our command: no write to it may block */
        return;
    }
    char *options = profiler_options_with_rules(attached->options, hello->options);
    status_divert(hello->status);
    struct settings *settings = options ? settings_open(options, true) : NULL;
    bool traces = settings && settings_trace(settings);
    bool loads = settings && request_calls(settings_request(settings), false);
    if (traces) {
        status_line("failed", "calls are recorded, of the methods that were chosen at the start");
    } else if (loads) {
        status_line("failed", "rules that name an inspector take an attach of their own");
    }
    status_divert(-1);
    if (settings && (loads || traces)) {
        settings_close(settings);
    } else if (settings) {
        free(attached->options);
        attached->options = options;
        options = NULL;
        output_pause();
        session_end_watch(attached->profiler);
        bool changed = prepare(attached, settings) && start(attached);
        if (!changed) {               /* memory has run out, or a file was removed */
            value_counts_write_all(); /* of the watch before */
            end_watch(attached, false);
        }
        reply.answer = changed ? CONTROL_GREETED : CONTROL_UNUSABLE;
    }
    free(options);
    control_answer(file, &reply);
    close(file);
}

/* Replies with the state of a method. */
static void answer_query(const struct attached *attached, int file, const char *query)
{
    struct control_reply answer = {.lines = -1, .status = -1};
    ilp_token method;
    const char *path;
    if (method_query_read(query, &method, &path)) {
        struct method_reply reply = method_state_find(attached->profiler, method, path);
        reply.options = attached->options;
        answer.text = method_reply_text(&reply);
    }
    answer.answer = answer.text ? CONTROL_GREETED : CONTROL_REFUSED;
    control_answer(file, &answer);
    free(answer.text);
    close(file);
}

/* One connection, up to its answer; only that of a command that follows the watch stays open. */
static void serve_command(struct attached *attached, int file)
{
    struct control_hello hello;
    bool watches = attached->watch != WATCH_NONE;
    unsigned failures = memory_failures();
    if (!control_receive(file, &hello)) { /* a probe for a socket */
        close(file);
        attached->is_leaving = memory_failures() != failures && !watches && !attached->was_started;
        return;
    }
    if (hello.wish == CONTROL_ATTACH) {
        (watches ? join_watch : begin_watch)(attached, file, &hello);
    } else if (!watches) {
        refuse(file, format_text("nothing is watched in process %ld", (long)attached->process));
        close(file);
    } else if (hello.wish == CONTROL_QUERY) {
        answer_query(attached, file, hello.options);
    } else if (hello.wish == CONTROL_CHANGE) {
        change_watch(attached, file, &hello);
    } else {
        struct control_reply reply = {.answer = CONTROL_GREETED, .lines = -1, .status = -1};
        if (attached->watch == WATCH_STAYS) { /* no command is there to report losses */
            reply.status = status_duplicate();
        }
        end_watch(attached, true);
        control_answer(file, &reply);
        close_file(&reply.status);
        close(file);
    }
    control_hello_close(&hello);
}

/* Whether any command is attached. */
static bool has_commands(const struct attached *attached)
{
    bool any = false;
    for (size_t i = 0; i < COMMANDS; i++) {
        any = any || attached->commands[i].file >= 0;
    }
    return any;
}

/* It has disconnected, or sent something invalid. */
static void leave_command(struct attached *attached, struct attached_command *command)
{
    int file = command->file;
    if (command->sink >= 0) {
        value_counts_write(command->sink);
        output_remove(command->sink);
    }
    command->file = -1;
    if (attached->watch == WATCH_FOLLOWS && !has_commands(attached)) {
        end_watch(attached, true);
    }
    dismiss(&file);
}

/* Waits for commands, for the end of those that are connected, and for ticks. It ends only by
 * unloading the profiler. */
static void *serve(void *argument)
{
    struct attached *attached = argument;
    while (!attached->is_leaving) {
        struct pollfd files[COMMANDS + 1] = {{.fd = attached->listening, .events = POLLIN}};
        for (size_t i = 0; i < COMMANDS; i++) {
            files[i + 1] = (struct pollfd){.fd = attached->commands[i].file, .events = POLLIN};
        }
        bool ticks = attached->watch != WATCH_NONE;
        int ready = poll(files, COMMANDS + 1, ticks ? PACE_TICK_MS : -1);
        if (ticks) { /* or earlier, which is harmless */
            pace_tick();
            cost_limit_look(attached->profiler);
        }
        if (ready < 0) {
            process_pause(RETRY_PACE_MS); /* the limit of descriptors may have been lowered */
        }
        if (ready <= 0) {
            continue;
        }
        for (size_t i = 0; i < COMMANDS; i++) {
            if (files[i + 1].revents != 0 && attached->commands[i].file == files[i + 1].fd) {
                leave_command(attached, &attached->commands[i]);
            }
        }
        int file = files[0].revents != 0 ? control_accept(attached->listening) : -1;
        if (file >= 0) {
            serve_command(attached, file);
        } else if (files[0].revents != 0) { /* it is still pending if descriptors ran out */
            process_pause(RETRY_PACE_MS);
        }
    }
    /* none of our code is in use: no method was rewritten */
    enum { UNLOAD_MS = 100 };
    void *info = attached->profiler->info;
    attached_unlink(attached);
    CALL(ICorProfilerInfo3, RequestProfilerDetach, info)(info, UNLOAD_MS);
    return NULL;
}

/* ---- opening and closing ---- */

struct attached *attached_listen(struct profiler *profiler, const char *path)
{
    struct attached *attached = new_items(1, sizeof *attached);
    if (!attached) {
        return NULL;
    }
    *attached = (struct attached){.profiler = profiler,
                                  .path = copy_text(path),
                                  .listening = control_listen(path),
                                  .process = process_own()};
    for (size_t i = 0; i < COMMANDS; i++) {
        attached->commands[i] = (struct attached_command){-1, -1};
    }
    if (attached->listening < 0 || !attached->path) {
        attached_close(attached);
        return NULL;
    }
    return attached;
}

void attached_serve(struct attached *attached)
{
    attached->has_thread = own_thread_start(&attached->thread, serve, attached);
    if (!attached->has_thread) { /* the command finds no listener */
        attached->is_leaving = true;
        serve(attached);
    }
}

/* What the thread uses is freed next, so it must have returned. */
void attached_wait(struct attached *attached)
{
    if (attached && attached->has_thread) {
        pthread_join(attached->thread, NULL);
        attached->has_thread = false;
    }
}

/* Only the process that made the socket: a forked copy has the same path. */
void attached_unlink(struct attached *attached)
{
    bool is_own = attached && attached->process == process_own();
    char *path = is_own ? atomic_exchange(&attached->path, NULL) : NULL;
    if (path) {
        local_socket_remove(path);
        free(path);
    }
}

/* In a forked copy: connections would else stay open as long as the copy. */
void attached_forget(struct attached *attached)
{
    if (attached) {
        output_end();
        close_file(&attached->listening);
        for (size_t i = 0; i < COMMANDS; i++) {
            close_file(&attached->commands[i].file);
        }
    }
}

void attached_close(struct attached *attached)
{
    if (attached) {
        attached_forget(attached);
        attached_unlink(attached);
        free(attached->options);
        free(attached->report);
        free(attached->path);
        free(attached);
    }
}
