/* What spool.def says, in C, and the frame of a chunk. Nothing else is shared by the writer and the
 * reader.
 *
 *   offset  bytes
 *        0      4  magic: "ILT" and 1, or 2 in a chunk that grows
 *        4      4  size of the records; of the room for them, in a chunk that grows
 *        8      4  check: the low half of XXH3 over all after it; nothing, in a chunk that grows
 *       12      4  process: its number as the system counts
 *       16      4  thread: counted from 1 by the process; 0: the process itself
 *       20      4  sequence: the chunks of a thread, counted from 0
 *       24      8  time: nanoseconds of the system's monotonic clock
 *       32         records
 *
 * A chunk that grows is written where it is in the file, through memory that the processes share
 * with it: what is recorded is there at once, and stays there however the process ends. The first
 * byte of a record is written last, after a zero where the next one will be: a zero there is the
 * end, also where a record was begun, and what is after it has no meaning. A chunk that has grown
 * enough is appended to the file, and its room is used for another one: so a chunk may be there
 * twice, once as one that grows, and who reads a spool that is still written takes a copy of a
 * room, which counts if its head is the same afterwards.
 *
 * Between chunks there may be any number of zeroes. In front of the first one there may be a head,
 * for those who make rooms in the file:
 *
 *        0      8  magic: "ILTspool"
 *        8      8  end: what is after it in the file is free. Added to by all processes that write
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
/* nanoseconds until a chunk is written though it is not full */
#define ILPI_CHUNK_AGE  250000000u
#define ILPI_SPOOL_TEXT 4096u /* longer texts are cut */

/* What a PATH record names besides "fast" and "slow": values alone are recorded, and no calls. */
#define ILPI_PATH_OF_VALUES "values"
/* Or that the IL of methods calls in place of hooks. */
#define ILPI_PATH_OF_IL "il"

enum ilpi_chunk_offset {
    CHUNK_MAGIC = 0,
    CHUNK_SIZE = 4,
    CHUNK_CHECK = 8,
    CHUNK_PROCESS = 12, /* from here on under the check */
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

#define ILPI_RECORD_FIELDS 7u /* at most, and FIELD_NONE behind them */

/* The fields of each kind, and FIELD_NONE at once for what is none. */
extern const uint8_t ilpi_spool_fields[SPOOL_KIND_COUNT][ILPI_RECORD_FIELDS];
extern const uint8_t ilpi_spool_codings[SPOOL_FIELD_COUNT];

/* The check of a whole chunk. */
uint32_t ilpi_chunk_check(const uint8_t *chunk, size_t size);

#endif
