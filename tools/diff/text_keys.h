/* Numbers for texts: equal texts have equal numbers, from 0 in the order of appearance. */
#ifndef TEXT_KEYS_H
#define TEXT_KEYS_H

#include "base/map.h"

struct text_keys {
    struct ilpi_alloc alloc;
    struct text_keys_entry *entries; /* by number; owned, with texts that are borrowed */
    uint32_t count;                  /* the next number */
    struct ilpi_map places;          /* 1 + index of `entries`, by the text */
};

void text_keys_open(struct text_keys *keys);

/* Drops all texts and makes room for `most` new ones, in time proportional to these. */
void text_keys_begin(struct text_keys *keys, uint32_t most);

/* The text is borrowed until the next text_keys_begin(). */
uint32_t text_key(struct text_keys *keys, const char *text, size_t size);

void text_keys_free(struct text_keys *keys);

#endif
