/* Sums up returned values. See value_summary.h.
 *
 * Kinds, the most frequent texts, the number of different ones, and, for numbers, their
 * distribution in all and per slot of time. All parts have fixed maxima; what the memory limit
 * refuses is left out (unless_full()), and the rest stays right. */
#include "trace/value_summary.h"

#include <string.h>

#define MAX_BUCKETS      2048u
#define MAX_SLOT_BUCKETS 64u

static bool is(struct ilp_bytes text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

static bool begins(struct ilp_bytes text, const char *word)
{
    size_t size = strlen(word);
    return text.size >= size && memcmp(text.data, word, size) == 0;
}

/* By its first characters, as values/ writes them; a word that is none of these is an enum member
 * or the like. */
static enum ilpi_value_kind kind_of_word(struct ilp_bytes text)
{
    static const struct {
        const char *word;
        enum ilpi_value_kind kind;
    } whole[] = {{"null", VALUE_NULL_VALUE},      {"true", VALUE_TRUE_VALUE},
                 {"false", VALUE_FALSE_VALUE},    {"\"\"", VALUE_EMPTY},
                 {"NaN", VALUE_NOT_A_NUMBER},     {"Infinity", VALUE_INFINITE},
                 {"-Infinity", VALUE_INFINITE},   {"object", VALUE_OBJECT},
                 {"[0]", VALUE_EMPTY_COLLECTION}, {"{redacted}", VALUE_REDACTED}},
      beginnings[] = {{"\"", VALUE_STRING},         {"'", VALUE_CHARACTER},
                      {"[", VALUE_COLLECTION},      {"(", VALUE_TUPLE},
                      {"{", VALUE_STRUCTURE},       {"object ", VALUE_OBJECT},
                      {"threw ", VALUE_UNREADABLE}, {"unknown (", VALUE_UNKNOWN}};
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        if (is(text, whole[i].word)) {
            return whole[i].kind;
        }
    }
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        if (begins(text, beginnings[i].word)) {
            return beginnings[i].kind;
        }
    }
    return VALUE_WORD;
}

enum ilpi_value_kind ilpi_value_kind(struct ilp_bytes text, double *number)
{
    switch (ilpi_read_value_number(text, number)) {
    case NOTATION_DECIMAL:
    case NOTATION_HEX: return VALUE_NUMBER;
    case NOTATION_CLOCK: return VALUE_CLOCK;
    default: return kind_of_word(text);
    }
}

/* Does without what the memory limit refuses. */
static ilp_status unless_full(const struct ilpi_alloc *alloc, ilp_status status)
{
    return status == ILP_E_NO_MEMORY && alloc->full ? ILP_OK : status;
}

/* Threads are read one by one, so times sometimes go back, but mostly ahead. *found is NULL if
 * there is no room for another slot. */
static ilp_status find_slot(struct ilpi_value_summary *summary, struct ilpi_alloc *alloc,
                            uint32_t index, struct ilpi_time_slot **found, struct ilp_error *error)
{
    struct ilpi_time_slot added = {.index = index};
    size_t at = summary->slots.count;
    *found = NULL;
    while (at != 0 && summary->slots.items[at - 1].index > index) {
        at--;
    }
    if (at == 0 || summary->slots.items[at - 1].index != index) {
        ilp_status status = ILPI_LIST_ADD(alloc, &summary->slots, added, error);
        if (status != ILP_OK) {
            return unless_full(alloc, status);
        }
        struct ilpi_time_slot *place = &summary->slots.items[at];
        memmove(place + 1, place, (summary->slots.count - 1 - at) * sizeof *place);
        *place = added;
        at++;
    }
    *found = &summary->slots.items[at - 1];
    return ILP_OK;
}

/* The text of the least and the greatest number are kept as they were written: made from the double
 * they could differ in digits or in the unit. */
static ilp_status add_number(struct ilpi_value_summary *summary, struct ilpi_alloc *alloc,
                             struct ilp_bytes text, double number, struct ilp_error *error)
{
    bool first = summary->numbers.count == 0;
    if (first || number < ilpi_distribution_least(&summary->numbers)) {
        summary->least_text = text;
    }
    if (first || number > ilpi_distribution_greatest(&summary->numbers)) {
        summary->greatest_text = text;
    }
    return ilpi_distribution_add(&summary->numbers, alloc, MAX_BUCKETS, number, error);
}

/* Begins with the hashes of the kept values, when their table is full. */
static ilp_status begin_estimate(struct ilpi_value_summary *summary, struct ilpi_alloc *alloc,
                                 struct ilp_error *error)
{
    summary->distinct = ilpi_resize(alloc, NULL, 0, sizeof *summary->distinct);
    if (!summary->distinct) {
        return unless_full(alloc, ilpi_fail_memory(error, sizeof *summary->distinct));
    }
    memset(summary->distinct, 0, sizeof *summary->distinct);
    for (size_t i = 0; i < summary->values.kept.count; i++) {
        ilpi_distinct_add(summary->distinct, summary->values.kept.items[i].hash);
    }
    return ILP_OK;
}

/* The estimate begins when the table is full, or its memory is: until then the number of different
 * texts is exact. */
static ilp_status count_text(struct ilpi_value_summary *summary, struct ilpi_alloc *alloc,
                             struct ilp_bytes text, struct ilp_error *error)
{
    struct ilpi_value_key key = ilpi_value_key(text);
    bool evicted;
    ILPI_TRY(ilpi_values_count(&summary->values, alloc, &key, &evicted, error));
    summary->evicted |= evicted;
    if (summary->distinct) {
        ilpi_distinct_add(summary->distinct, key.hash);
    } else if (summary->values.kept.count == ILPI_KEPT_VALUES || evicted) {
        return begin_estimate(summary, alloc, error);
    }
    return ILP_OK;
}

/* Numbers of one unit only are added: a method may return null, a number and a duration, and their
 * sum would mean nothing. */
ilp_status ilpi_value_summary_add(struct ilpi_value_summary *summary, struct ilpi_alloc *alloc,
                                  struct ilp_bytes text, uint32_t slot, struct ilp_error *error)
{
    double number;
    struct ilpi_time_slot *time;
    enum ilpi_value_kind kind = ilpi_value_kind(text, &number);
    ILPI_TRY(count_text(summary, alloc, text, error));
    ILPI_TRY(find_slot(summary, alloc, slot, &time, error));
    summary->kinds[kind]++;
    if (time) {
        time->returns++;
    }
    if (kind != VALUE_NUMBER && kind != VALUE_CLOCK) {
        return ILP_OK;
    }
    if (summary->numbers.count == 0) {
        summary->unit = kind;
    }
    if (kind != summary->unit) {
        return ILP_OK;
    }
    ILPI_TRY(add_number(summary, alloc, text, number, error));
    return time ? ilpi_distribution_add(&time->numbers, alloc, MAX_SLOT_BUCKETS, number, error)
                : ILP_OK;
}

/* Exact as long as every text is still in the table. Afterwards there were more than it holds, and
 * no more than were counted: the estimate is kept between these. */
uint64_t ilpi_value_summary_distinct(const struct ilpi_value_summary *summary, bool *exact)
{
    *exact = !summary->evicted;
    if (*exact) {
        return summary->values.kept.count;
    }
    uint64_t least = summary->values.kept.count + 1;
    uint64_t estimate = summary->distinct
                            ? (uint64_t)(ilpi_distinct_estimate(summary->distinct) + 0.5)
                            : least;
    estimate = estimate > least ? estimate : least;
    return estimate < summary->values.total ? estimate : summary->values.total;
}

uint64_t ilpi_value_summary_busiest(const struct ilpi_value_summary *summary)
{
    uint64_t most = 0;
    for (size_t i = 0; i < summary->slots.count; i++) {
        most = summary->slots.items[i].returns > most ? summary->slots.items[i].returns : most;
    }
    return most;
}

void ilpi_value_summary_free(struct ilpi_value_summary *summary, struct ilpi_alloc *alloc)
{
    ilpi_values_free(&summary->values, alloc);
    ilpi_distribution_free(&summary->numbers, alloc);
    for (size_t i = 0; i < summary->slots.count; i++) {
        ilpi_distribution_free(&summary->slots.items[i].numbers, alloc);
    }
    ILPI_LIST_FREE(alloc, &summary->slots);
    ilpi_resize(alloc, summary->distinct, summary->distinct ? sizeof *summary->distinct : 0, 0);
    *summary = (struct ilpi_value_summary){.distinct = NULL};
}
