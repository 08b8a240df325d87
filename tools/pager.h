/* Output on a terminal through the user's pager. */
#ifndef PAGER_H
#define PAGER_H

#include <stdbool.h>

/* If standard output is a terminal and there is a pager, starts it and lets it have what is written
 * to standard output from now on. The pager is $PAGER, a command of the shell, or less if that is
 * not set and installed; none if it is empty or "cat". */
bool pager_begin(void);

/* After pager_begin() was true: waits until the user ends it. Output goes to the terminal again.
 * False, after a report: the pager could not be started. */
bool pager_end(void);

#endif
