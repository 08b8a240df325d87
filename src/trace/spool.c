/* The tables of spool.def. See spool.h. */
#include "trace/spool.h"

#include "base/hash.h"

const uint8_t ilpi_spool_fields[SPOOL_KIND_COUNT][ILPI_RECORD_FIELDS] = {
#define FIELD(name, coding)
#define RECORD(name, code, ...) [code] = {__VA_ARGS__},
#include "trace/spool.def"
#undef FIELD
#undef RECORD
};

const uint8_t ilpi_spool_codings[SPOOL_FIELD_COUNT] = {
#define FIELD(name, coding) [FIELD_##name] = CODING_##coding,
#define RECORD(name, code, ...)
#include "trace/spool.def"
#undef FIELD
#undef RECORD
};

uint32_t ilpi_chunk_check(const uint8_t *chunk, size_t size)
{
    return (uint32_t)XXH3_64bits(chunk + CHUNK_PROCESS, size - CHUNK_PROCESS);
}
