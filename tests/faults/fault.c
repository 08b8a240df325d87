/* Runs a command and lets one of its system calls fail, or kills it there.
 *
 *   fault FOLDER 0 count COMMAND...      prints how many calls concern files in FOLDER
 *   fault FOLDER N ENOSPC COMMAND...     the N-th fails, or with another of `errors`
 *   fault FOLDER N short COMMAND...      the N-th, if it writes or reads, does so with half of it
 *   fault FOLDER N before COMMAND...     SIGKILL in the place of the N-th
 *   fault FOLDER N after COMMAND...      SIGKILL when the N-th is done
 *
 * A call concerns a file in FOLDER by a path that leads there, or by a descriptor of such a file.
 * Exit code: the command's, 137 if it was killed; 99: there is no N-th call, or it cannot fail so;
 * 98: this program could not do its work. The names of the calls go to descriptor 3 if it is open,
 * one a line. Linux on x86-64. */
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
    int size;           /* the argument that says how much; -1: none */
    const char *errors; /* with which it fails in the world */
};

#define OPENS   "ENOSPC EIO EMFILE EACCES EINTR EROFS"
#define LOOKS   "EIO EACCES"
#define CHANGES "ENOSPC EIO EACCES EROFS"
#define READS   "EIO EINTR"
#define WRITES  "ENOSPC EIO EINTR"

/* By a path at this argument, which a folder's descriptor comes before or none; by two; by a
 * descriptor, with what is read or written of it. */
#define PATH(name, path, errors)        OF(name, -1, path, -1, -1, -1, -1, errors)
#define PATH_AT(name, path, errors)     OF(name, (path)-1, path, -1, -1, -1, -1, errors)
#define PATHS(name, errors)             OF(name, -1, 0, -1, 1, -1, -1, errors)
#define PATHS_AT(name, errors)          OF(name, 0, 1, 2, 3, -1, -1, errors)
#define FILE_AT(name, fd, size, errors) OF(name, -1, -1, -1, -1, fd, size, errors)
#define OF(name, folder, path, second_folder, second_path, fd, size, errors) \
#name, SYS_##name, folder, path, second_folder, second_path, fd, size, errors

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
    {FILE_AT(read, 0, 2, READS)},
    {FILE_AT(pread64, 0, 2, READS)},
    {FILE_AT(write, 0, 2, WRITES)},
    {FILE_AT(pwrite64, 0, 2, WRITES)},
    {FILE_AT(writev, 0, -1, WRITES)},
    {FILE_AT(fstat, 0, -1, LOOKS)},
    {FILE_AT(fsync, 0, -1, WRITES)},
    {FILE_AT(fdatasync, 0, -1, WRITES)},
    {FILE_AT(ftruncate, 0, -1, WRITES)},
    {FILE_AT(fallocate, 0, -1, WRITES)},
    {FILE_AT(fchmod, 0, -1, CHANGES)},
    {FILE_AT(fchown, 0, -1, CHANGES)},
    {FILE_AT(flock, 0, -1, READS)},
    {FILE_AT(getdents64, 0, -1, "EIO")},
    {FILE_AT(mmap, 4, -1, "EIO ENOMEM EACCES")},
};

#define CALL_COUNT (sizeof calls / sizeof calls[0])

static const struct {
    const char *name;
    int error;
} errors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},     {"EMFILE", EMFILE}, {"EACCES", EACCES},
              {"EINTR", EINTR},   {"EROFS", EROFS}, {"ENOMEM", ENOMEM}};

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
        bool concerns = call->fd >= 0 && (int)*argument(registers, call->fd) >= 0 &&
                        fd_target(child, (int)*argument(registers, call->fd), text) &&
                        is_in(folder, text);
        return concerns ? call : NULL;
    }
    return NULL;
}

/* ---- the run ---- */

static int end_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int kill_now(pid_t child)
{
    int status;
    kill(child, SIGKILL);
    while (waitpid(child, &status, 0) == child && !WIFEXITED(status) && !WIFSIGNALED(status)) {
    }
    return end_of(status);
}

/* Steps over the call and gives it another result. */
static void fail_call(pid_t child, struct user_regs_struct *registers, int error)
{
    registers->orig_rax = (unsigned long long)-1;
    registers->rax = (unsigned long long)-(long long)error;
    if (ptrace(PTRACE_SETREGS, child, NULL, registers) != 0) {
        die("ptrace");
    }
}

/* True: the command goes on; false: *code says how it has ended. */
static bool inject(pid_t child, const struct call *call, const char *what,
                   struct user_regs_struct *registers, int *code)
{
    int status;
    if (strcmp(what, "before") == 0) {
        *code = kill_now(child);
        return false;
    }
    if (strcmp(what, "after") == 0) {
        ptrace(PTRACE_SYSCALL, child, NULL, NULL);
        if (waitpid(child, &status, 0) == child && !WIFSTOPPED(status)) {
            *code = end_of(status);
            return false;
        }
        *code = kill_now(child);
        return false;
    }
    if (strcmp(what, "short") == 0) {
        unsigned long long *size = call->size >= 0 ? argument(registers, call->size) : NULL;
        if (!size || *size < 2) {
            *code = NO_SUCH_CALL;
            kill_now(child);
            return false;
        }
        *size /= 2;
        ptrace(PTRACE_SETREGS, child, NULL, registers);
        return true;
    }
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (strcmp(what, errors[i].name) == 0 && strstr(call->errors, what)) {
            fail_call(child, registers, errors[i].error);
            return true;
        }
    }
    *code = NO_SUCH_CALL;
    kill_now(child);
    return false;
}

static int run(const char *folder, long wanted, const char *what, char **command)
{
    int status;
    int code = 0;
    long count = 0;
    pid_t child = start(command, trace_calls);
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) {
        die("start");
    }
    ptrace(PTRACE_SETOPTIONS, child, NULL,
           PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
    ptrace(PTRACE_CONT, child, NULL, NULL);
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        int signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
        if (status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8)) {
            struct user_regs_struct registers;
            ptrace(PTRACE_GETREGS, child, NULL, &registers);
            const struct call *call = call_in(child, folder, &registers);
            count += call != NULL;
            if (call) {
                dprintf(3, "%ld %s\n", count, call->name);
            }
            if (call && count == wanted && !inject(child, call, what, &registers, &code)) {
                return code;
            }
        }
        ptrace(PTRACE_CONT, child, NULL, (void *)(uintptr_t)signal);
    }
    if (wanted == 0) {
        printf("%ld\n", count);
    }
    return wanted > count ? NO_SUCH_CALL : end_of(status);
}

int main(int argc, char **argv)
{
    char folder[PATH_MAX];
    if (argc < 5 || !realpath(argv[1], folder)) {
        fprintf(stderr, "usage: fault FOLDER N WHAT COMMAND...\n");
        return FAILED;
    }
    return run(folder, strtol(argv[2], NULL, 10), argv[3], argv + 4);
}
