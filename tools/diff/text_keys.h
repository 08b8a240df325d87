/* Numbers for texts: equal texts have equal numbers, from 0 in the order of their coming. */
#ifndef TEXT_KEYS_H
#define TEXT_KEYS_H

#include <stddef.h>
#include <stdint.h>

/* Zero-initialise; text_keys_free() at the end. */
struct text_keys {
    struct text_keys_entry *entries;
    uint32_t count;
    uint32_t *slots; /* entry + 1, or 0 */
    size_t mask;
    size_t capacity;
};

/* Forgets all texts and makes room for `most` new ones. Costs no more than these. */
void text_keys_begin(struct text_keys *keys, uint32_t most);

/* The text is borrowed until the next text_keys_begin(). */
uint32_t text_key(struct text_keys *keys, const char *text, size_t size);

void text_keys_free(struct text_keys *keys);

#endif
