/* What hooks saw, in the order of a thread: "Enter M", "Leave M", "Tailcall M", "Unwind M". Reads a
 * spool of one process with nothing but the table of its records; chunks of several threads come
 * one thread after the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/spool.h"

static uint8_t file[16u << 20];
static size_t size;
static char names[4096][256];

static uint32_t u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint64_t number(const uint8_t **at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        value |= (uint64_t)(**at & 0x7F) << shift;
        if ((*(*at)++ & 0x80) == 0) {
            return value;
        }
    }
}

static void print(unsigned kind, uint64_t method)
{
    const char *word = kind == SPOOL_ENTER || kind == SPOOL_ENTER_WITH   ? "Enter"
                       : kind == SPOOL_LEAVE || kind == SPOOL_LEAVE_WITH ? "Leave"
                       : kind == SPOOL_TAILCALL                          ? "Tailcall"
                       : kind == SPOOL_UNWIND                            ? "Unwind"
                                                                         : NULL;
    if (word) {
        printf("%s %s\n", word, method < 4096 ? names[method] : "?");
    }
}

static const uint8_t *record(const uint8_t *at, int printing)
{
    unsigned kind = *at++;
    uint64_t method = 0;
    if (kind >= SPOOL_KIND_COUNT || ilpi_spool_fields[kind][0] == FIELD_NONE) {
        fprintf(stderr, "unknown record %u\n", kind);
        exit(1);
    }
    for (const uint8_t *field = ilpi_spool_fields[kind]; *field != FIELD_NONE; field++) {
        uint64_t value = number(&at);
        if (*field == FIELD_METHOD) {
            method = value;
        }
        if (ilpi_spool_codings[*field] == CODING_TEXT) {
            if (kind == SPOOL_METHOD && *field == FIELD_NAME && method < 4096) {
                snprintf(names[method], sizeof names[method], "%.*s", (int)value, (const char *)at);
            }
            at += value;
        }
    }
    if (printing) {
        print(kind, method);
    }
    return at;
}

/* Chunks of the process first: they have the names. */
static unsigned pass(uint32_t thread)
{
    unsigned found = 0;
    const uint8_t *end;
    for (const uint8_t *chunk = file + ILPI_HEAD_SIZE; chunk < file + size; chunk = end) {
        end = *chunk == 0 ? chunk + 1 : chunk + ILPI_CHUNK_HEAD + u32(chunk + CHUNK_SIZE);
        if (*chunk != 0 && u32(chunk + CHUNK_THREAD) == thread) {
            found++;
            for (const uint8_t *at = chunk + ILPI_CHUNK_HEAD; at < end && *at != 0;) {
                /* it may grow still */
                at = record(at, thread != 0);
            }
        }
    }
    return found;
}

int main(void)
{
    size = fread(file, 1, sizeof file, stdin);
    pass(0);
    for (uint32_t thread = 1; pass(thread) != 0; thread++) {
    }
    return 0;
}
