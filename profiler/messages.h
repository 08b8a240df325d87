/* Messages of host/ in a process, and lack of memory. Standard error belongs to the application. */
#ifndef ILPI_MESSAGES_H
#define ILPI_MESSAGES_H

/* After status_open(). A message is a line of the status file; without one it goes where values
 * go. */
void messages_open(void);

#endif
