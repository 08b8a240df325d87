/* --max-cost: in an attached process, methods whose calls cost too much of a processor since they
 * are watched get their old code back: each one above its share, and of the others the costliest
 * ones, until together they are below the share of all. The cost of a call is estimated: the call
 * of the profiler, the lost inlining, and the line, if one is written. */
#ifndef ILPI_COST_LIMIT_H
#define ILPI_COST_LIMIT_H

#include <stdint.h>

struct profiler;

/* `percent` of a processor per method; all together may use ALL_METHODS times as much. 0:
 * unlimited. Call it before a watch begins. */
enum { ALL_METHODS = 4 };
void cost_limit_open(uint32_t percent);

/* Called periodically, by the thread that may request code. Not under the lock. */
void cost_limit_look(struct profiler *profiler);

/* Reports what was switched off. */
void cost_limit_report(void);

#endif
