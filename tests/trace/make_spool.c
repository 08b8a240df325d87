/* Writes a spool with the profiler's own writer, from lines of text:  make_spool OUT <SCRIPT
 *
 *   process NUMBER WALL COMMAND        a process; what follows is of it
 *   runtime TEXT                       before `process`
 *   cost PAIR INSIDE                   path WORD REASON                  switch 0|1
 *   method ID MODULE TYPE NAME SIGNATURE
 *   thread NUMBER SYSTEM_ID            a thread; what follows is of it
 *   name TEXT
 *   +N                                 N nanoseconds pass
 *   > ID [ARGUMENTS]                   enter
 *   < ID [VALUE]                       leave        t ID  tail call        u ID  unwind
 *   = ID VALUE [ARGUMENTS]             a value, without enter and leave
 *   repeat N ID [VALUE]                N calls one after the other, 10 ns each
 *   down N ID                          N calls within each other, 10 ns apart; `up N ID` leaves
 *                                      them
 *   gap        lost N        flush     end (of the thread)        exit (of the process)
 *
 * Words are separated by one space; in them %XX is the byte with this number. The clock begins at
 * 1,000,000. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/spool_value.h"

#define MAX_WORDS 8u

static struct ilpi_spool spool;
static struct ilpi_spool_thread thread;
static uint64_t now = 1000000;
static char runtime[256];

static ilp_status append(void *user, const void *bytes, size_t size)
{
    return write(*(int *)user, bytes, size) == (ssize_t)size ? ILP_OK : ILP_E_CALLBACK;
}

static size_t decode(char *text)
{
    char *out = text;
    for (const char *at = text; *at != '\0'; at++) {
        unsigned byte;
        if (*at == '%' && sscanf(at + 1, "%2x", &byte) == 1) {
            *out++ = (char)byte;
            at += 2;
        } else {
            *out++ = *at;
        }
    }
    *out = '\0';
    return (size_t)(out - text);
}

struct line {
    char *words[MAX_WORDS];
    size_t sizes[MAX_WORDS];
    size_t count;
};

static uint64_t number(const struct line *line, size_t word)
{
    return word < line->count ? strtoull(line->words[word], NULL, 10) : 0;
}

static struct ilp_bytes text(const struct line *line, size_t word)
{
    return word < line->count
               ? (struct ilp_bytes){(const uint8_t *)line->words[word], line->sizes[word]}
               : (struct ilp_bytes){NULL, 0};
}

static void many(const struct line *line)
{
    for (uint64_t i = 0; i < number(line, 1); i++) {
        now += 10;
        if (line->words[0][0] != 'u') {
            ilpi_spool_enter(&thread, now, number(line, 2), (struct ilp_bytes){NULL, 0});
        }
        now += line->words[0][0] == 'r' ? 10 : 0;
        if (line->words[0][0] != 'd') {
            ilpi_spool_leave(&thread, now, number(line, 2), text(line, 3));
        }
    }
}

static bool of_process(const struct line *line, int *file)
{
    char *const *words = line->words;
    if (strcmp(words[0], "process") == 0) {
        ilpi_spool_init(&spool, (struct ilp_sink){file, append}, NULL, (uint32_t)number(line, 1));
        ilpi_spool_head(&spool, now, number(line, 2), words[3], runtime);
    } else if (strcmp(words[0], "runtime") == 0) {
        snprintf(runtime, sizeof runtime, "%s", words[1]);
    } else if (strcmp(words[0], "cost") == 0) {
        ilpi_spool_cost(&spool, now, number(line, 1), number(line, 2));
    } else if (strcmp(words[0], "path") == 0) {
        ilpi_spool_path(&spool, now, words[1], words[2]);
    } else if (strcmp(words[0], "method") == 0) {
        ilpi_spool_method(&spool, now, number(line, 1), words[2], words[3], words[4], words[5]);
    } else if (strcmp(words[0], "switch") == 0) {
        ilpi_spool_switch(&spool, now, number(line, 1) != 0);
    } else if (strcmp(words[0], "exit") == 0) {
        ilpi_spool_end(&spool, now);
    } else {
        return false;
    }
    return true;
}

static bool of_thread(const struct line *line)
{
    char *const *words = line->words;
    if (strcmp(words[0], "thread") == 0) {
        ilpi_spool_thread_begin(&thread, &spool, (uint32_t)number(line, 1), now, number(line, 2));
    } else if (strcmp(words[0], "name") == 0) {
        ilpi_spool_thread_name(&thread, now, words[1]);
    } else if (strcmp(words[0], "gap") == 0) {
        ilpi_spool_gap(&thread, now);
    } else if (strcmp(words[0], "lost") == 0) {
        ilpi_spool_lost(&thread, number(line, 1));
    } else if (strcmp(words[0], "flush") == 0) {
        ilpi_spool_flush(&thread);
    } else if (strcmp(words[0], "end") == 0) {
        ilpi_spool_thread_end(&thread, now);
    } else {
        return false;
    }
    return true;
}

static bool of_call(const struct line *line)
{
    switch (line->words[0][0]) {
    case '+': now += strtoull(line->words[0] + 1, NULL, 10); return true;
    case '>': ilpi_spool_enter(&thread, now, number(line, 1), text(line, 2)); return true;
    case '=':
        put_value(&thread, now, number(line, 1), false, text(line, 3), text(line, 2));
        return true;
    case '<': ilpi_spool_leave(&thread, now, number(line, 1), text(line, 2)); return true;
    case 'r':
    case 'd': many(line); return true;
    case 't': ilpi_spool_tailcall(&thread, now, number(line, 1)); return true;
    case 'u':
        if (line->words[0][1] == 'p') {
            many(line);
        } else {
            ilpi_spool_unwind(&thread, now, number(line, 1));
        }
        return true;
    default: return false;
    }
}

int main(int argc, char **argv)
{
    char read[65536];
    int file = argc == 2 ? open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (file < 0) {
        perror(argc == 2 ? argv[1] : "make_spool OUT <SCRIPT");
        return 2;
    }
    while (fgets(read, sizeof read, stdin)) {
        struct line line = {.count = 0};
        read[strcspn(read, "\n")] = '\0';
        for (char *word = strtok(read, " "); word && line.count < MAX_WORDS;
             word = strtok(NULL, " ")) {
            line.words[line.count] = word;
            line.sizes[line.count++] = decode(word);
        }
        if (line.count != 0 && !of_process(&line, &file) && !of_thread(&line) && !of_call(&line)) {
            fprintf(stderr, "make_spool: what is '%s'?\n", line.words[0]);
            return 2;
        }
    }
    return 0;
}
