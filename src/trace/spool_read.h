/* Reading a spool, which may be cut off, damaged or made up.
 *
 *   open    every chunk is checked once; what the processes say of themselves is read
 *   walk    a thread's records, one after the other
 *
 * What is whole is used. The first damage is kept with its offset, all of it is counted. Memory is
 * bounded by the size of the file: one that has more processes, chunks and methods than the limits
 * below is made up, and those beyond them are left out, as damage is. Chunks that grow are
 * copied. */
#ifndef ILPI_SPOOL_READ_H
#define ILPI_SPOOL_READ_H

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/list.h"
#include "trace/spool.h"

/* So many, and one for so many bytes of the file. Chunks are those of threads. */
#define ILPI_MAX_PROCESSES    1024u
#define ILPI_BYTES_OF_PROCESS 4096u
#define ILPI_MAX_CHUNKS       16384u
#define ILPI_BYTES_OF_CHUNK   192u
#define ILPI_MAX_METHODS      16384u
#define ILPI_BYTES_OF_METHOD  128u

/* Texts are borrowed from the file, or from its copies of chunks that grow. They are UTF-8 by
 * agreement, and may be any bytes. */
struct ilpi_traced_method {
    uint64_t id;
    struct ilp_bytes module;
    struct ilp_bytes type;
    struct ilp_bytes name;
    struct ilp_bytes signature;
    size_t definition; /* of several with one id the first counts */
};

/* A thread that wrote at least one chunk. */
struct ilpi_traced_thread {
    uint32_t number;
    size_t chunk; /* its first one in the order of reading */
    size_t chunk_count;
    uint32_t missing; /* chunks between those that are there */
};

/* A process; without its HEAD record, which may be damaged, the first four are empty. */
struct ilpi_traced_process {
    bool has_head;
    uint64_t wall; /* nanoseconds since 1970 at `start` */
    struct ilp_bytes command;
    struct ilp_bytes runtime;
    struct ilp_bytes path; /* "fast", "slow", ILPI_PATH_OF_IL, ILPI_PATH_OF_VALUES, or empty */
    struct ilp_bytes reason;
    uint32_t number;
    uint64_t start; /* the earliest time of its chunks */
    uint64_t pair;
    uint64_t inside;
    uint64_t brief;                               /* of a BRIEF record, as `pair` */
    bool untimed;                                 /* times of calls mean nothing */
    uint32_t switches;                            /* how often tracing was turned on or off */
    bool ended;                                   /* in order */
    ILPI_LIST(struct ilpi_traced_method) methods; /* by id, each once */
    /* owned; for calls.c: one for each method, and one for those that are not defined */
    uint32_t *open;
    ILPI_LIST(struct ilpi_traced_thread) threads; /* by number */
};

struct ilpi_spool_chunk;

struct ilpi_spool_file {
    struct ilpi_alloc alloc;
    struct ilp_bytes bytes;                          /* borrowed */
    struct ilp_arena copies;                         /* of chunks that grow */
    ILPI_LIST(struct ilpi_traced_process) processes; /* in the order in which they appear */
    ILPI_LIST(struct ilpi_spool_chunk) chunks;       /* by process, thread and sequence */
    size_t scanned;                                  /* chunks, */
    size_t method_count;                             /* and METHOD records, of all processes */
    uint64_t damaged;        /* places where something was not as it should be */
    struct ilp_error damage; /* the first of them */
    bool cut;                /* a report of it has less, since all would take too much memory */
};

/* Whether it begins as a spool does. */
bool ilpi_spool_is_one(struct ilp_bytes bytes);

/* ILP_E_BAD_SPOOL when there is no whole chunk in it at all. Free it in any case. */
ilp_status ilpi_spool_open(struct ilpi_spool_file *file, struct ilp_bytes bytes,
                           const struct ilp_allocator *allocator, struct ilp_error *error);
void ilpi_spool_close(struct ilpi_spool_file *file);

/* A record: which of the members besides the first two are set is a matter of its kind. */
struct ilpi_spool_record {
    enum ilpi_spool_kind kind;
    uint64_t time;
    uint64_t numbers[SPOOL_FIELD_COUNT];
    struct ilp_bytes texts[SPOOL_FIELD_COUNT]; /* borrowed from the file */
};

struct ilpi_spool_walk {
    struct ilpi_spool_file *file; /* what is found damaged is noted there */
    size_t chunk;                 /* the next one */
    size_t end;
    uint64_t time;
    struct ilpi_cursor cursor;
    struct ilp_error error;
};

/* The walk must stay where it is. */
void ilpi_spool_walk_begin(struct ilpi_spool_walk *walk, struct ilpi_spool_file *file,
                           const struct ilpi_traced_thread *thread);

/* False at the end. Times never go back. */
bool ilpi_spool_walk_next(struct ilpi_spool_walk *walk, struct ilpi_spool_record *record);

/* The time of the process's last record, found in the last chunk of each thread: where times of
 * chunks go back, which the writer's do not, there may be a later one. */
uint64_t ilpi_traced_end(struct ilpi_spool_file *file, const struct ilpi_traced_process *process);

/* The index of the method with this id; methods.count: it is not defined. */
uint32_t ilpi_traced_method_index(const struct ilpi_traced_process *process, uint64_t id);

#endif
