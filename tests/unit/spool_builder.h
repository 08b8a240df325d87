/* Spools in memory, by the writer itself: what the tests of src/trace have in common. */
#ifndef SPOOL_BUILDER_H
#define SPOOL_BUILDER_H

#include "metadata_test.h"

#include "spool_value.h"
#include "trace/spool_read.h"
#include "trace/spool_write.h"

struct built {
    struct ib_bytes bytes;
    struct ilpi_spool spool;
    struct ilpi_spool_thread thread;
    uint64_t now;
};

static inline ilp_status built_append(void *user, const void *bytes, size_t size)
{
    ib_put(user, bytes, size);
    return ILP_OK;
}

static inline struct ilp_bytes text_bytes(const char *text)
{
    return (struct ilp_bytes){(const uint8_t *)text, text ? strlen(text) : 0};
}

/* A process 7 with methods 1 to 9, called "M1" to "M9", and its thread 1. */
static inline struct built *built_begin(void)
{
    struct built *built = calloc(1, sizeof *built);
    assert_non_null(built);
    built->now = 1000;
    ilpi_spool_init(&built->spool, (struct ilp_sink){&built->bytes, built_append}, NULL, 7);
    ilpi_spool_head(&built->spool, built->now, 5000000, "dotnet App.dll", "CoreCLR");
    ilpi_spool_path(&built->spool, built->now, "fast", "nothing else was requested");
    for (unsigned i = 1; i <= 9; i++) {
        char name[] = "M0";
        name[1] = (char)('0' + i);
        ilpi_spool_method(&built->spool, built->now, i, "App.dll", "T", name, "void ()");
    }
    ilpi_spool_thread_begin(&built->thread, &built->spool, 1, built->now, 70);
    return built;
}

/* Events as text: "+N" time passes, "N" enter, "-N" leave, "tN" tail call, "uN" unwound, "bN" a
 * brief call, "g" gap, "=N:text" leave with a value, "vN:text" and "wN:text" a value alone, with
 * arguments "x=1" in the second form, "xN:text" and "yN:text" an exception in the same way. Each
 * takes 10 ns if nothing else is said. */
static inline void built_events(struct built *built, const char *events)
{
    char *copy = strdup(events);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        char *colon = strchr(word, ':');
        bool bare = word[0] >= '0' && word[0] <= '9';
        uint64_t id = strtoull(word + (bare ? 0 : 1), NULL, 10);
        built->now += word[0] == '+' ? id : 10;
        switch (word[0]) {
        case '+': break;
        case '-': ilpi_spool_leave(&built->thread, built->now, id, text_bytes(NULL)); break;
        case '=': ilpi_spool_leave(&built->thread, built->now, id, text_bytes(colon + 1)); break;
        case 'v':
            put_value(&built->thread, built->now, id, false, text_bytes(NULL),
                      text_bytes(colon + 1));
            break;
        case 'w':
            put_value(&built->thread, built->now, id, false, text_bytes("x=1"),
                      text_bytes(colon + 1));
            break;
        case 'x':
            put_value(&built->thread, built->now, id, true, text_bytes(NULL),
                      text_bytes(colon + 1));
            break;
        case 'y':
            put_value(&built->thread, built->now, id, true, text_bytes("x=1"),
                      text_bytes(colon + 1));
            break;
        case 't': ilpi_spool_tailcall(&built->thread, built->now, id); break;
        case 'u': ilpi_spool_unwind(&built->thread, built->now, id); break;
        case 'b': ilpi_spool_call(&built->thread, SPOOL_BRIEF, built->now, id); break;
        case 'g': ilpi_spool_gap(&built->thread, built->now); break;
        default: ilpi_spool_enter(&built->thread, built->now, id, text_bytes(NULL)); break;
        }
    }
    free(copy);
}

/* The whole file, of exactly its size; the builder is gone. */
static inline struct ilp_bytes built_end(struct built *built)
{
    ilpi_spool_thread_end(&built->thread, built->now);
    ilpi_spool_end(&built->spool, built->now);
    struct ilp_bytes bytes = taken(built->bytes);
    free(built);
    return bytes;
}

static inline struct ilp_bytes built_from(const char *events)
{
    struct built *built = built_begin();
    built_events(built, events);
    return built_end(built);
}

#endif
