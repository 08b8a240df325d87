/* Native inspectors for the tests. Of each call they write a line (lines.h): "id size bytes", or
 * "id size null", or a text.
 *
 * With $PROBE_ADDRESS a jump to probe() and one to probe_text() stand there from the start, 32
 * bytes apart: addresses that are known before the process is. */
#define _GNU_SOURCE
#include "lines.h"

#include <sys/mman.h>

void probe(const void *value, uint32_t size, int64_t id)
{
    put_value(id, value, size);
}

/* A string of ASCII as CoreCLR ($PROBE_STRING 8, else) or Mono (16) has it: its length there, then
 * its characters. */
void probe_text(const void *value, uint32_t size, int64_t id)
{
    static int at_length = 0;
    char line[200] = "null";
    const uint8_t *text = *(const uint8_t *const *)value;
    if (at_length == 0) {
        const char *place = getenv("PROBE_STRING");
        at_length = place ? atoi(place) : 8;
    }
    if (text) {
        uint32_t length;
        memcpy(&length, text + at_length, sizeof length);
        for (uint32_t i = 0; i <= length && i < sizeof line - 1; i++) {
            line[i] = i < length ? (char)text[at_length + 4 + 2 * (int)i] : '\0';
        }
    }
    char whole[300];
    snprintf(whole, sizeof whole, "%lld %u '%s'\n", (long long)id, size, line);
    put(whole);
}

/* Counts how often a string of 64 equal characters is not that: while it is read again and again
 * nothing may move it. */
static uint32_t torn;
static uint32_t whole;
void probe_steady(const void *value, uint32_t size, int64_t id)
{
    const uint8_t *text = *(const uint8_t *const *)value;
    int good = size == 8 && id > 0;
    for (unsigned round = 0; round < 50; round++) {
        uint32_t length;
        memcpy(&length, text + 8, sizeof length);
        good = good && length == 64;
        for (unsigned i = 0; i < 64 && good; i++) {
            good = text[12 + 2 * i] == text[12];
        }
    }
    __atomic_fetch_add(good ? &whole : &torn, 1, __ATOMIC_RELAXED);
}

/* A Span<int>: where it leads to, and how many. */
void probe_span(const void *value, uint32_t size, int64_t id)
{
    struct {
        const int32_t *items;
        int32_t count;
    } span;
    char line[300];
    memcpy(&span, value, sizeof span);
    int at = snprintf(line, sizeof line, "%lld %u", (long long)id, size);
    for (int i = 0; i < span.count && i < 16; i++) {
        at += snprintf(line + at, sizeof line - (size_t)at, " %d", span.items[i]);
    }
    snprintf(line + at, sizeof line - (size_t)at, "\n");
    put(line);
}

#if defined __x86_64__
/* mov rax, target; jmp rax */
static void put_jump(uint8_t *to, uintptr_t target)
{
    memcpy(to, "\x48\xB8", 2);
    memcpy(to + 2, &target, sizeof target);
    memcpy(to + 10, "\xFF\xE0", 2);
}

__attribute__((constructor)) static void put_jumps(void)
{
    const char *address = getenv("PROBE_ADDRESS");
    if (!address) {
        return;
    }
    uintptr_t place = (uintptr_t)strtoull(address, NULL, 0);
    uint8_t *page = mmap((void *)place, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (page == (uint8_t *)place) {
        put_jump(page, (uintptr_t)probe);
        put_jump(page + 32, (uintptr_t)probe_text);
    }
}
#endif

__attribute__((destructor)) static void at_end(void)
{
    char line[64];
    snprintf(line, sizeof line, "steady %u torn %u\n", whole, torn);
    if (whole + torn != 0) {
        put(line);
    }
    write_lines();
}
