/* Runs a command and lets one of its system calls fail, or kills it there.
 *
 *   fault FOLDER 0 list COMMAND...       lists calls that concern files in FOLDER
 *   fault FOLDER N ENOSPC COMMAND...     the N-th fails, or with another of `errors`
 *   fault FOLDER N short COMMAND...      the N-th, which writes or reads, does so with half of it
 *   fault FOLDER N after COMMAND...      SIGKILL when the N-th, which changes files, is done
 *
 * A call concerns a file in FOLDER by a path that leads there, or by a descriptor of such a file;
 * that of a new thread concerns every folder. Calls of all threads are numbered as they begin, so
 * with several threads the N-th is not the same one in each run.
 *
 * Descriptor 3 gets "N NAME WAY" for each way in which a call can fail, or the NAME of the N-th.
 * Exit code: the command's, 137 if it was killed; 99: there is no N-th call, or it cannot fail so;
 * 98: this program could not do its work; 142 (SIGALRM): the command hangs. Linux on x86-64. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../traced.h"

/* Where a call has what it is about: up to two paths, each relative to a folder's descriptor or to
 * the working folder, or a descriptor alone. -1: it has none. */
struct call {
    const char *name;
    long number;
    int folder;
    int path;
    int second_folder;
    int second_path;
    int fd;
    int size;         /* the argument that says how much; -1: none */
    const char *ways; /* in which it fails in the world */
};

/* "after" has those that change files: a kill between two of these is one after the first. */
#define OPENS   "ENOSPC EIO EMFILE EACCES EINTR EROFS after"
#define LOOKS   "EIO EACCES"
#define CHANGES "ENOSPC EIO EACCES EROFS after"
#define LOCKS   "EIO EINTR"
#define READS   "EIO EINTR short"
#define WRITES  "ENOSPC EIO EINTR short after"
#define SYNCS   "ENOSPC EIO EINTR"

/* By a path at this argument, which a folder's descriptor comes before or none; by two; by a
 * descriptor, with what is read or written of it; by nothing. */
#define PATH(name, path, ways)        OF(name, -1, path, -1, -1, -1, -1, ways)
#define PATH_AT(name, path, ways)     OF(name, (path)-1, path, -1, -1, -1, -1, ways)
#define PATHS(name, ways)             OF(name, -1, 0, -1, 1, -1, -1, ways)
#define PATHS_AT(name, ways)          OF(name, 0, 1, 2, 3, -1, -1, ways)
#define FILE_AT(name, fd, size, ways) OF(name, -1, -1, -1, -1, fd, size, ways)
#define ANY(name, ways)               OF(name, -1, -1, -1, -1, -1, -1, ways)
#define OF(name, folder, path, second_folder, second_path, fd, size, ways) \
#name, SYS_##name, folder, path, second_folder, second_path, fd, size, ways

static const struct call calls[] = {
    {PATH(open, 0, OPENS)},
    {PATH_AT(openat, 1, OPENS)},
    {PATH(creat, 0, OPENS)},
    {PATH(stat, 0, LOOKS)},
    {PATH(lstat, 0, LOOKS)},
    {PATH_AT(newfstatat, 1, LOOKS)},
    {PATH(access, 0, LOOKS)},
    {PATH_AT(faccessat, 1, LOOKS)},
    {PATH_AT(faccessat2, 1, LOOKS)},
    {PATH(readlink, 0, LOOKS)},
    {PATHS(rename, CHANGES)},
    {PATHS_AT(renameat, CHANGES)},
    {PATHS_AT(renameat2, CHANGES)},
    {PATHS(link, CHANGES)},
    {PATHS_AT(linkat, CHANGES)},
    {PATH(unlink, 0, CHANGES)},
    {PATH_AT(unlinkat, 1, CHANGES)},
    {PATH(mkdir, 0, CHANGES)},
    {PATH(rmdir, 0, CHANGES)},
    {PATH(chmod, 0, CHANGES)},
    {PATH(symlink, 1, CHANGES)},
    {FILE_AT(read, 0, 2, READS)},
    {FILE_AT(pread64, 0, 2, READS)},
    {FILE_AT(write, 0, 2, WRITES)},
    {FILE_AT(pwrite64, 0, 2, WRITES)},
    {FILE_AT(writev, 0, -1, WRITES)},
    {FILE_AT(fstat, 0, -1, LOOKS)},
    {FILE_AT(fsync, 0, -1, SYNCS)},
    {FILE_AT(fdatasync, 0, -1, SYNCS)},
    {FILE_AT(ftruncate, 0, -1, WRITES)},
    {FILE_AT(fallocate, 0, -1, WRITES)},
    {FILE_AT(fchmod, 0, -1, CHANGES)},
    {FILE_AT(fchown, 0, -1, CHANGES)},
    {FILE_AT(utimensat, 0, -1, CHANGES)},
    {FILE_AT(flock, 0, -1, LOCKS)},
    {FILE_AT(getdents64, 0, -1, "EIO")},
    {FILE_AT(mmap, 4, -1, "EIO ENOMEM EACCES")},
    {ANY(clone3, "EAGAIN")},
};

#define CALL_COUNT (sizeof calls / sizeof calls[0])

static const struct {
    const char *name;
    int error;
} errors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},     {"EMFILE", EMFILE}, {"EACCES", EACCES},
              {"EINTR", EINTR},   {"EROFS", EROFS}, {"ENOMEM", ENOMEM}, {"EAGAIN", EAGAIN}};

/* A command that hangs for so long is ended with this program, its tracer. */
#define HANG_SECONDS 60

/* ---- the command ---- */

/* The kernel stops the command at the calls of the table, and at no other. */
static void trace_calls(void)
{
    struct sock_filter filter[2 * CALL_COUNT + 2];
    size_t length = 0;
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                    offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < CALL_COUNT; i++) {
        filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                        (uint32_t)calls[i].number, 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {(unsigned short)length, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        die("seccomp");
    }
}

/* ---- one call ---- */

static unsigned long long *argument(struct user_regs_struct *registers, int number)
{
    unsigned long long *all[] = {&registers->rdi, &registers->rsi, &registers->rdx,
                                 &registers->r10, &registers->r8,  &registers->r9};
    return all[number];
}

static bool read_text(pid_t child, unsigned long long address, char text[PATH_MAX])
{
    struct iovec local = {text, PATH_MAX - 1};
    struct iovec remote = {(void *)(uintptr_t)address, PATH_MAX - 1};
    size_t size = 0;
    /* a string at the end of its page has no more after it */
    while (size < PATH_MAX - 1) {
        size_t piece = 256 - (address + size) % 256;
        local = (struct iovec){text + size, piece};
        remote = (struct iovec){(void *)(uintptr_t)(address + size), piece};
        if (size + piece >= PATH_MAX ||
            process_vm_readv(child, &local, 1, &remote, 1, 0) != (ssize_t)piece) {
            return false;
        }
        if (memchr(text + size, 0, piece)) {
            return true;
        }
        size += piece;
    }
    return false;
}

static bool link_of(pid_t child, const char *what, char target[PATH_MAX])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)child, what);
    ssize_t size = readlink(path, target, PATH_MAX - 1);
    target[size > 0 ? size : 0] = '\0';
    return size > 0;
}

static bool fd_target(pid_t child, int fd, char target[PATH_MAX])
{
    char what[32];
    snprintf(what, sizeof what, fd == AT_FDCWD ? "cwd" : "fd/%d", fd);
    return link_of(child, what, target);
}

static bool is_in(const char *folder, const char *path)
{
    size_t size = strlen(folder);
    return strncmp(path, folder, size) == 0 && (path[size] == '\0' || path[size] == '/');
}

static bool path_is_in(pid_t child, const char *folder, int base, const char *path)
{
    char whole[2 * PATH_MAX];
    char start[PATH_MAX] = "";
    if (path[0] != '/' && !fd_target(child, base, start)) {
        return false;
    }
    snprintf(whole, sizeof whole, "%s%s%s", start, path[0] != '/' ? "/" : "", path);
    return is_in(folder, whole);
}

/* Whether the path at an argument leads into FOLDER. */
static bool names(pid_t child, const char *folder, struct user_regs_struct *registers, int base,
                  int path)
{
    char text[PATH_MAX];
    return path >= 0 && read_text(child, *argument(registers, path), text) &&
           path_is_in(child, folder, base < 0 ? AT_FDCWD : (int)*argument(registers, base), text);
}

/* The call that the command is about to make, if it concerns FOLDER. */
static const struct call *call_in(pid_t child, const char *folder,
                                  struct user_regs_struct *registers)
{
    char text[PATH_MAX];
    for (size_t i = 0; i < CALL_COUNT; i++) {
        const struct call *call = &calls[i];
        if (call->number != (long)registers->orig_rax) {
            continue;
        }
        if (names(child, folder, registers, call->folder, call->path) ||
            names(child, folder, registers, call->second_folder, call->second_path)) {
            return call;
        }
        if (call->fd < 0) {
            return call->path < 0 ? call : NULL;
        }
        bool concerns = (int)*argument(registers, call->fd) >= 0 &&
                        fd_target(child, (int)*argument(registers, call->fd), text) &&
                        is_in(folder, text);
        return concerns ? call : NULL;
    }
    return NULL;
}

/* Whether it can fail in a way: what is read or written has a half, and a file that is opened
 * changes only if it is made or emptied. */
static bool can(const struct call *call, struct user_regs_struct *registers, const char *way)
{
    if (!strstr(call->ways, way)) {
        return false;
    }
    if (strcmp(way, "short") == 0) {
        return call->size >= 0 && *argument(registers, call->size) >= 2;
    }
    bool opens = call->number == SYS_open || call->number == SYS_openat;
    return strcmp(way, "after") != 0 || !opens ||
           (*argument(registers, call->path + 1) & (O_CREAT | O_TRUNC)) != 0;
}

static void list(long number, const struct call *call, struct user_regs_struct *registers)
{
    static const char *const others[] = {"short", "after"};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (can(call, registers, errors[i].name)) {
            dprintf(3, "%ld %s %s\n", number, call->name, errors[i].name);
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (can(call, registers, others[i])) {
            dprintf(3, "%ld %s %s\n", number, call->name, others[i]);
        }
    }
}

/* ---- the run ---- */

struct run {
    const char *folder;
    long wanted;
    const char *way;
    pid_t command;
    long count;  /* of calls so far, of all threads */
    pid_t last;  /* the thread in whose call the command ends; 0: none */
    bool cannot; /* the call is not one that can fail so */
};

/* A thread that has been killed meanwhile is not there any more. */
static void set_registers(pid_t thread, struct user_regs_struct *registers)
{
    if (ptrace(PTRACE_SETREGS, thread, NULL, registers) != 0 && errno != ESRCH) {
        die("ptrace");
    }
}

/* Steps over the call and gives it another result. */
static void fail_call(pid_t thread, struct user_regs_struct *registers, int error)
{
    registers->orig_rax = (unsigned long long)-1;
    registers->rax = (unsigned long long)-(long long)error;
    set_registers(thread, registers);
}

static void inject(struct run *run, pid_t thread, const struct call *call,
                   struct user_regs_struct *registers)
{
    dprintf(3, "%s\n", call->name);
    if (!can(call, registers, run->way)) {
        run->cannot = true;
        kill(run->command, SIGKILL);
    } else if (strcmp(run->way, "after") == 0) {
        run->last = thread;
    } else if (strcmp(run->way, "short") == 0) {
        *argument(registers, call->size) /= 2;
        set_registers(thread, registers);
    }
    for (size_t i = 0; i < sizeof errors / sizeof errors[0] && !run->cannot; i++) {
        if (strcmp(run->way, errors[i].name) == 0) {
            fail_call(thread, registers, errors[i].error);
        }
    }
}

/* A thread is about to make a call of the table. */
static void at_call(struct run *run, pid_t thread)
{
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, thread, NULL, &registers) != 0) {
        return;
    }
    const struct call *call = call_in(thread, run->folder, &registers);
    if (!call) {
        return;
    }
    run->count++;
    if (run->wanted == 0) {
        list(run->count, call, &registers);
    } else if (run->count == run->wanted) {
        inject(run, thread, call, &registers);
    }
}

/* A thread has stopped, and goes on. */
static void at_stop(struct run *run, pid_t thread, int status)
{
    int signal = WSTOPSIG(status);
    if (status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8)) {
        at_call(run, thread);
    } else if (signal == (SIGTRAP | 0x80) && thread == run->last) {
        kill(run->command, SIGKILL);
    }
    /* stops that the trace has made: a new thread begins with SIGSTOP */
    bool own = (signal & ~0x80) == SIGTRAP || signal == SIGSTOP;
    ptrace(thread == run->last ? PTRACE_SYSCALL : PTRACE_CONT, thread, NULL,
           (void *)(uintptr_t)(own ? 0 : signal));
}

/* Until all threads have ended; the first one's end is the last that is seen, and the command's. */
static int follow(struct run *run)
{
    int status;
    pid_t thread;
    while ((thread = waitpid(-1, &status, __WALL)) > 0) {
        if (WIFSTOPPED(status)) {
            at_stop(run, thread, status);
        } else if (thread == run->command) {
            break;
        }
    }
    if (run->cannot || run->wanted > run->count) {
        return NO_SUCH_CALL;
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    int status;
    char folder[PATH_MAX];
    if (argc < 5 || !realpath(argv[1], folder)) {
        fprintf(stderr, "usage: fault FOLDER N WAY COMMAND...\n");
        return FAILED;
    }
    struct run run = {.folder = folder, .wanted = strtol(argv[2], NULL, 10), .way = argv[3]};
    alarm(HANG_SECONDS);
    run.command = start(argv + 4, trace_calls);
    if (waitpid(run.command, &status, 0) != run.command || !WIFSTOPPED(status)) {
        die("start");
    }
    ptrace(PTRACE_SETOPTIONS, run.command, NULL,
           PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL |
               PTRACE_O_TRACESYSGOOD);
    ptrace(PTRACE_CONT, run.command, NULL, NULL);
    return follow(&run);
}
