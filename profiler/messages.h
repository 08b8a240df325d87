/* What host/ reports, in a process: its messages, and that memory has run out. Standard error is
 * the application's. */
#ifndef ILPI_MESSAGES_H
#define ILPI_MESSAGES_H

/* After status_open(). A message is a line of the status file; without one it goes where values
 * go. */
void messages_open(void);

#endif
