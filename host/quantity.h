/* Numbers and durations in options: 1000, 30s. */
#ifndef QUANTITY_H
#define QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/* The number at *text, at least 1, which is advanced; 0: there is none. */
uint32_t number_at(const char **text);

/* A unit of time (condition/literal.h), in ns; 0: there is no such unit. */
uint64_t unit_of_time(const char *word);

/* A number from 1 on; a positive duration, in ns. False for any other text. */
bool read_count(const char *text, uint64_t *count);
bool read_duration(const char *text, uint64_t *duration);

#endif
