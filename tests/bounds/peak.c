/* peak SECONDS OUT COMMAND...
 *
 * Runs the command with standard output and error in OUT, and prints "STATUS KB": how it ended, as
 * wait() has it, and the kernel's peak of resident memory. Small, because a process counts what it
 * had before exec(). SECONDS of processor time end one that hangs. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 4) {
        return 2;
    }
    pid_t child = fork();
    if (child == 0) {
        rlim_t seconds = strtoul(argv[1], NULL, 10);
        struct rlimit limit = {seconds, seconds + 1};
        int out = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        setrlimit(RLIMIT_CPU, &limit);
        dup2(out, 1);
        dup2(out, 2);
        execv(argv[3], argv + 3);
        _exit(127);
    }
    int status = 0;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        return 1;
    }
    printf("%d %ld\n", status, usage.ru_maxrss);
    return 0;
}
