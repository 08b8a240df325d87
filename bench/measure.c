/* measure [-i] ROUNDS [-r FOLDER] COMMAND... [-- [-r FOLDER] COMMAND...]...
 *
 * Runs the commands in turn, ROUNDS times after one round to warm the disk cache, and prints for
 * each a line `median-wall-ms peak-KB`. A command may begin with variables, NAME=VALUE, which are
 * set for it: env would be a program of its own to start. With -r FOLDER all below FOLDER is
 * removed before each run, outside of its time. Commands run in turn, so that other load on the
 * machine affects all of them alike. Their standard output is discarded. The peak is the kernel's
 * count of resident memory (ru_maxrss), the largest of all rounds. With -i a line has two more
 * numbers, which contain the true median with a probability of 95 % or more (from 6 rounds on),
 * whatever the distribution: the times as many ranks below and above the middle as the root of
 * ROUNDS. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_COMMANDS = 12, MAX_ROUNDS = 1000 };

struct command {
    char **argv;
    const char *outputs; /* the folder of -r; or NULL */
    double ms[MAX_ROUNDS];
    long peak;
};

static struct command commands[MAX_COMMANDS];

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int remove_below(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info, (void)type;
    return place->level != 0 ? remove(path) : 0;
}

static void remove_outputs(const struct command *command)
{
    if (command->outputs) {
        nftw(command->outputs, remove_below, 16, FTW_DEPTH | FTW_PHYS);
    }
}

/* The command that begins there. */
static struct command command_at(char **argv)
{
    bool removes = argv[0] && strcmp(argv[0], "-r") == 0 && argv[1];
    return (struct command){.argv = argv + (removes ? 2 : 0), .outputs = removes ? argv[1] : NULL};
}

static double run(struct command *command)
{
    remove_outputs(command);
    double start = now_ms();
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        char **argv = command->argv;
        while (argv[0] && strchr(argv[0], '=')) {
            putenv(*argv++);
        }
        execvp(argv[0], argv);
        perror(argv[0]);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
        perror("measure");
        exit(1);
    }
    double ms = now_ms() - start;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "measure: %s failed\n", command->argv[0]);
        exit(1);
    }
    if (usage.ru_maxrss > command->peak) {
        command->peak = usage.ru_maxrss;
    }
    return ms;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    bool interval = argc > 1 && strcmp(argv[1], "-i") == 0;
    argc -= interval, argv += interval;
    int rounds = argc > 2 ? atoi(argv[1]) : 0;
    if (rounds < 1 || rounds > MAX_ROUNDS) {
        fputs("usage: measure [-i] ROUNDS [-r FOLDER] COMMAND... [-- [-r FOLDER] COMMAND...]...\n",
              stderr);
        return 2;
    }
    int count = 0;
    commands[count++] = command_at(argv + 2);
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0 && count < MAX_COMMANDS) {
            argv[i] = NULL;
            commands[count++] = command_at(argv + i + 1);
        }
    }
    for (int round = -1; round < rounds; round++) {
        for (int i = 0; i < count; i++) {
            double ms = run(&commands[i]);
            if (round >= 0) {
                commands[i].ms[round] = ms;
            }
        }
    }
    int around = 0;
    while (around * around < rounds) {
        around++;
    }
    int low = rounds / 2 - around, high = rounds / 2 + around;
    for (int i = 0; i < count; i++) {
        qsort(commands[i].ms, (size_t)rounds, sizeof *commands[i].ms, by_value);
        printf("%.2f %ld", commands[i].ms[rounds / 2], commands[i].peak);
        if (interval) {
            printf(" %.2f %.2f", commands[i].ms[low < 0 ? 0 : low],
                   commands[i].ms[high < rounds ? high : rounds - 1]);
        }
        putchar('\n');
    }
    return 0;
}
