/* The identities of interfaces, from their text in corprof.def. */
#include <string.h>

#include "profiler/clr/corprof.h"

static const char *const texts[ID_COUNT] = {
#define GUID(name, text) [ID_##name] = text,
#include "profiler/clr/corprof.def"
};

static unsigned digit_of(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'A') + 10;
}

/* Reads the next `bytes` bytes of the text, skipping dashes. */
static uint32_t number(const char **text, unsigned bytes)
{
    uint32_t value = 0;
    *text += **text == '-';
    for (unsigned i = 0; i < 2 * bytes; i++) {
        value = value << 4 | digit_of(*(*text)++);
    }
    return value;
}

struct guid guid_of(enum guid_id id)
{
    const char *text = texts[id];
    struct guid guid;
    guid.a = number(&text, 4);
    guid.b = (uint16_t)number(&text, 2);
    guid.c = (uint16_t)number(&text, 2);
    for (unsigned i = 0; i < sizeof guid.d; i++) {
        guid.d[i] = (uint8_t)number(&text, 1);
    }
    return guid;
}

bool guid_is(const struct guid *guid, enum guid_id id)
{
    const char *text = texts[id];
    if (guid->a != number(&text, 4)) { /* usually already parsed */
        return false;
    }
    struct guid other = guid_of(id);
    return memcmp(guid, &other, sizeof other) == 0;
}
