/* spool.def in C, and the head of a chunk. The writer and the reader share nothing else.
 *
 *   offset  bytes
 *        0      4  magic: "ILT" and 1, or 2 in a growing chunk
 *        4      4  size of the records; in a growing chunk of the room for them
 *        8      4  check: the low half of XXH3 over all after it; unused in a growing chunk
 *       12      4  process: the system's number of it
 *       16      4  thread: counted from 1 by the process; 0: the process itself
 *       20      4  sequence: the chunks of a thread, counted from 0
 *       24      8  time: nanoseconds of the system's monotonic clock
 *       32         records
 *
 * A growing chunk is written inside the file, through a shared mapping: a record is there at once,
 * and stays however the process ends. The first byte of a record is written last, after a zero
 * where the next one will begin. So a zero code is the end, even if a record was begun there, and
 * what follows is garbage. A full chunk is appended to the file, and its room is used for another
 * one. So a chunk may exist twice, once as a growing one. A reader of a live spool copies a room,
 * and uses the copy if its head is unchanged afterwards.
 *
 * Between chunks there may be any number of zeroes. The file may begin with a head, for processes
 * that make rooms in it:
 *
 *        0      8  magic: "ILTspool"
 *        8      8  end: the file is free after it. All writing processes add to it
 *       16   4080  zeroes
 *
 * All little-endian. */
#ifndef ILPI_SPOOL_H
#define ILPI_SPOOL_H

#include "base/error.h"

#define ILPI_SPOOL_MAGIC   0x01544C49u /* "ILT" 1 */
#define ILPI_GROWING_MAGIC 0x02544C49u /* "ILT" 2 */
#define ILPI_HEAD_MAGIC    UINT64_C(0x6C6F6F7073544C49)
#define ILPI_HEAD_SIZE     4096u /* a page, so that rooms are whole ones */
#define ILPI_CHUNK_HEAD    32u
#define ILPI_CHUNK_SIZE    32768u /* head and records; no chunk is larger */
/* nanoseconds after which a chunk is written even if it is not full */
#define ILPI_CHUNK_AGE  250000000u
#define ILPI_SPOOL_TEXT 4096u /* longer texts are cut */

/* The PATH for values alone, in place of "fast" and "slow". */
#define ILPI_PATH_OF_VALUES "values"
/* The PATH for calls made by the IL of methods in place of hooks. */
#define ILPI_PATH_OF_IL "il"

/* Offsets in the head of a chunk (see above). */
enum ilpi_chunk_offset {
    CHUNK_MAGIC = 0,
    CHUNK_SIZE = 4,
    CHUNK_CHECK = 8,
    CHUNK_PROCESS = 12, /* covered by the check from here on */
    CHUNK_THREAD = 16,
    CHUNK_SEQUENCE = 20,
    CHUNK_TIME = 24
};

enum ilpi_spool_field {
    FIELD_NONE,
#define FIELD(name, coding) FIELD_##name,
#define RECORD(name, code, ...)
#include "trace/spool.def"
#undef FIELD
#undef RECORD
    SPOOL_FIELD_COUNT
};

enum ilpi_spool_kind {
#define FIELD(name, coding)
#define RECORD(name, code, ...) SPOOL_##name = (code),
#include "trace/spool.def"
#undef FIELD
#undef RECORD
    SPOOL_KIND_COUNT
};

enum ilpi_spool_coding { CODING_NONE, CODING_NUMBER, CODING_TIME, CODING_TEXT };

#define ILPI_RECORD_FIELDS 7u /* at most, then FIELD_NONE */

/* The fields of each kind; an undefined kind begins with FIELD_NONE. */
extern const uint8_t ilpi_spool_fields[SPOOL_KIND_COUNT][ILPI_RECORD_FIELDS];
extern const uint8_t ilpi_spool_codings[SPOOL_FIELD_COUNT];

/* The check of a whole chunk. */
uint32_t ilpi_chunk_check(const uint8_t *chunk, size_t size);

#endif
