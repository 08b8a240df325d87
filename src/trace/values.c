/* Counts returned values. See values.h.
 *
 * The Space-Saving algorithm: if the table is full, the rarest value is replaced, and the new one
 * takes over its count. `over` is how much of a count may belong to others, so count - over is
 * certain. */
#include "trace/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "trace/value_number.h"

static void add_number(struct ilpi_values *values, double number)
{
    values->least = values->numbers == 0 || number < values->least ? number : values->least;
    values->greatest = values->numbers == 0 || number > values->greatest ? number
                                                                         : values->greatest;
    values->sum += number;
    values->numbers++;
}

static struct ilpi_kept_value *find(const struct ilpi_values *values, uint64_t hash)
{
    for (size_t i = 0; i < values->kept.count; i++) {
        if (values->kept.items[i].hash == hash) {
            return &values->kept.items[i];
        }
    }
    return NULL;
}

static struct ilpi_kept_value *rarest(const struct ilpi_values *values)
{
    struct ilpi_kept_value *found = &values->kept.items[0];
    for (size_t i = 1; i < values->kept.count; i++) {
        found = values->kept.items[i].count < found->count ? &values->kept.items[i] : found;
    }
    return found;
}

/* The start of the character at `at`, so that none is cut; bytes that are not UTF-8 are cut
 * there. */
static size_t character_begin(struct ilp_bytes text, size_t at)
{
    size_t begin = at;
    while (at - begin < 3 && (text.data[begin] & 0xC0) == 0x80) {
        begin--;
    }
    return (text.data[begin] & 0xC0) == 0x80 ? at : begin;
}

struct ilpi_value_key ilpi_value_key(struct ilp_bytes text)
{
    bool cut = text.size > ILPI_VALUE_TEXT;
    text.size = cut ? character_begin(text, ILPI_VALUE_TEXT) : text.size;
    /* a complete text may equal the start of a longer one */
    uint64_t hash = XXH3_64bits_withSeed(text.data, text.size, cut);
    return (struct ilpi_value_key){text, cut, hash};
}

/* Values are compared by their hash of 64 bits alone. Without memory for one more, the table stays
 * as large as it is. */
ilp_status ilpi_values_count(struct ilpi_values *values, struct ilpi_alloc *alloc,
                             const struct ilpi_value_key *key, bool *evicted,
                             struct ilp_error *error)
{
    struct ilpi_kept_value added = {.text = key->text, .cut = key->cut, .hash = key->hash};
    struct ilpi_kept_value *kept = find(values, key->hash);
    *evicted = false;
    values->total++;
    if (!kept && values->kept.count < ILPI_KEPT_VALUES) {
        ilp_status status = ILPI_LIST_ADD(alloc, &values->kept, added, error);
        if (status == ILP_OK) {
            kept = &values->kept.items[values->kept.count - 1];
        } else if (!alloc->full) {
            return status;
        }
    }
    if (!kept) {
        *evicted = true;
        if (values->kept.count == 0) {
            return ILP_OK;
        }
        kept = rarest(values);
        added.count = added.over = kept->count;
        *kept = added;
    }
    kept->count++;
    return ILP_OK;
}

ilp_status ilpi_values_add(struct ilpi_values *values, struct ilpi_alloc *alloc,
                           struct ilp_bytes text, struct ilp_error *error)
{
    double number;
    bool evicted;
    struct ilpi_value_key key = ilpi_value_key(text);
    ILPI_TRY(ilpi_values_count(values, alloc, &key, &evicted, error));
    if (ilpi_read_value_number(key.text, &number) == NOTATION_DECIMAL) {
        add_number(values, number);
    }
    return ILP_OK;
}

/* By falling count, then by bytes: the order does not depend on when a value was first seen. */
static int compare(const void *left, const void *right)
{
    const struct ilpi_kept_value *a = left;
    const struct ilpi_kept_value *b = right;
    if (a->count != b->count) {
        return a->count < b->count ? 1 : -1;
    }
    size_t shorter = a->text.size < b->text.size ? a->text.size : b->text.size;
    int order = shorter != 0 ? memcmp(a->text.data, b->text.data, shorter) : 0;
    return order != 0 ? order : (a->text.size > b->text.size) - (a->text.size < b->text.size);
}

void ilpi_values_sort(struct ilpi_values *values)
{
    if (values->kept.count != 0) {
        qsort(values->kept.items, values->kept.count, sizeof *values->kept.items, compare);
    }
}

void ilpi_values_free(struct ilpi_values *values, struct ilpi_alloc *alloc)
{
    ILPI_LIST_FREE(alloc, &values->kept);
    *values = (struct ilpi_values){.total = 0};
}
