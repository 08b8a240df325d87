/* --max-cost: methods whose calls take too much of a processor since they are watched get their old
 * code back, in a process that is attached to: each that takes more than its share, and of all
 * others those that take the most, until they are within the share of all together. What a call
 * takes is estimated: the call of the profiler, and that the method is not inlined any more; what a
 * line takes, too. */
#ifndef ILPI_COST_LIMIT_H
#define ILPI_COST_LIMIT_H

#include <stdint.h>

struct profiler;

/* `percent` of a processor for a method; all together may take ALL_METHODS times as much. 0: any
 * number. Before a watch begins. */
enum { ALL_METHODS = 4 };
void cost_limit_open(uint32_t percent);

/* Now and then, by the thread that may request code. Not under the lock. */
void cost_limit_look(struct profiler *profiler);

/* What was switched off is reported. */
void cost_limit_tell(void);

#endif
