/* Runs a command, and sends a signal when it is about to make its N-th system call.
 *
 *   at_call N SIGNAL PID COMMAND...    to that process, which ends by it; 0: to the command itself
 *
 * Exit code: the command's, 128 + its signal; 99: it has ended before; 98: this program could not do
 * its work. The command's main thread alone is counted. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../traced.h"

/* Whether a process has ended, with all its threads: its parent may not have waited for it. */
static bool has_ended(pid_t process)
{
    char path[64];
    char text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "r");
    if (!file) {
        return true;
    }
    bool read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    const char *state = strrchr(text, ')');
    return !read || !state || strncmp(state, ") Z", 3) == 0;
}

static void send_signal(int number, pid_t process)
{
    if (kill(process, number) != 0) {
        die("kill");
    }
    while (!has_ended(process)) {
        usleep(1000);
    }
}

int main(int argc, char **argv)
{
    int status;
    if (argc < 5) {
        fprintf(stderr, "at_call N SIGNAL PID COMMAND...\n");
        return FAILED;
    }
    long wanted = strtol(argv[1], NULL, 10);
    int number = atoi(argv[2]);
    pid_t other = (pid_t)atoi(argv[3]);
    pid_t child = start(argv + 4, NULL);
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) {
        die("start");
    }
    ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
    bool inside = false;
    bool sent = false;
    int passed = 0; /* a signal of its own */
    for (long count = 0;;) {
        ptrace(sent ? PTRACE_CONT : PTRACE_SYSCALL, child, NULL, passed);
        if (waitpid(child, &status, 0) != child) {
            die("waitpid");
        }
        if (!WIFSTOPPED(status)) {
            break;
        }
        bool at_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
        passed = at_call || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
        if (at_call && !inside && ++count == wanted) {
            sent = true;
            if (other != 0) {
                send_signal(number, other);
            } else {
                kill(child, number);
            }
        }
        inside = at_call ? !inside : inside;
    }
    int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return sent ? code : NO_SUCH_CALL;
}
