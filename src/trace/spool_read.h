/* Reads a spool, which may be truncated, damaged or crafted.
 *
 *   open    every chunk is checked once; the records of the processes are read
 *   walk    a thread's records, one after the other
 *
 * Complete chunks are used. Damage is counted, and the first one kept with its offset. Memory is
 * bounded by the size of the file: processes, chunks and methods beyond the limits below are left
 * out, as damage is. Growing chunks are copied. */
#ifndef ILPI_SPOOL_READ_H
#define ILPI_SPOOL_READ_H

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/list.h"
#include "trace/spool.h"

/* Limits: a constant, plus one per that many bytes of the file. Chunks are those of threads. */
#define ILPI_MAX_PROCESSES    1024u
#define ILPI_BYTES_OF_PROCESS 4096u
#define ILPI_MAX_CHUNKS       16384u
#define ILPI_BYTES_OF_CHUNK   192u
#define ILPI_MAX_METHODS      16384u
#define ILPI_BYTES_OF_METHOD  128u

/* Texts are borrowed from the file, or from the copies of growing chunks. They are UTF-8 by
 * convention, but may be any bytes. */
struct ilpi_traced_method {
    uint64_t id;
    struct ilp_bytes module;
    struct ilp_bytes type;
    struct ilp_bytes name;
    struct ilp_bytes signature;
    size_t definition; /* of several with one id the first is used */
};

/* A thread with at least one chunk. */
struct ilpi_traced_thread {
    uint32_t number;
    size_t chunk; /* its first one in the order of reading */
    size_t chunk_count;
    uint32_t missing; /* missing sequence numbers */
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
    bool untimed;                                 /* its calls have no times */
    uint32_t switches;                            /* how often tracing was switched on or off */
    bool ended;                                   /* normally */
    ILPI_LIST(struct ilpi_traced_method) methods; /* by id, each once */
    /* owned; for calls.c: one for each method, and one for undefined ones */
    uint32_t *open;
    ILPI_LIST(struct ilpi_traced_thread) threads; /* by number */
};

struct ilpi_spool_chunk;

/* A spool as it was found: processes, threads and methods, and where their chunks are. Records are
 * read again for each report. */
struct ilpi_spool_file {
    struct ilpi_alloc alloc;
    struct ilp_bytes bytes;                          /* borrowed */
    struct ilp_arena copies;                         /* of chunks that grow */
    ILPI_LIST(struct ilpi_traced_process) processes; /* in the order of appearance */
    ILPI_LIST(struct ilpi_spool_chunk) chunks;       /* by process, thread and sequence */
    size_t scanned;                                  /* chunks, */
    size_t method_count;                             /* and METHOD records, of all processes */
    uint64_t damaged;                                /* number of damaged locations */
    struct ilp_error damage;                         /* of the first one */
    bool cut;                                        /* its report is reduced, for lack of memory */
};

/* Whether it begins like a spool. */
bool ilpi_spool_is_one(struct ilp_bytes bytes);

/* ILP_E_BAD_SPOOL if it has no complete chunk at all. Free it in any case. */
ilp_status ilpi_spool_open(struct ilpi_spool_file *file, struct ilp_bytes bytes,
                           const struct ilp_allocator *allocator, struct ilp_error *error);
void ilpi_spool_close(struct ilpi_spool_file *file);

/* A record: its kind decides which members besides the first two are set. */
struct ilpi_spool_record {
    enum ilpi_spool_kind kind;
    uint64_t time;
    uint64_t numbers[SPOOL_FIELD_COUNT];
    struct ilp_bytes texts[SPOOL_FIELD_COUNT]; /* borrowed from the file */
};

/* The records of one thread, chunk after chunk. */
struct ilpi_spool_walk {
    struct ilpi_spool_file *file; /* damage is recorded there */
    size_t chunk;                 /* the next one */
    size_t end;
    uint64_t time;
    struct ilpi_cursor cursor;
    struct ilp_error error;
};

/* The walk must not be moved. */
void ilpi_spool_walk_begin(struct ilpi_spool_walk *walk, struct ilpi_spool_file *file,
                           const struct ilpi_traced_thread *thread);

/* False at the end. Times never decrease. */
bool ilpi_spool_walk_next(struct ilpi_spool_walk *walk, struct ilpi_spool_record *record);

/* The time of the process's last record, from the last chunk of each thread. A later one may exist
 * if the times of chunks decrease, which the writer never does. */
uint64_t ilpi_traced_end(struct ilpi_spool_file *file, const struct ilpi_traced_process *process);

/* The index of the method with this id; methods.count: undefined. */
uint32_t ilpi_traced_method_index(const struct ilpi_traced_process *process, uint64_t id);

#endif
