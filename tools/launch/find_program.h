/* Where the system finds a program that a command line names. */
#ifndef FIND_PROGRAM_H
#define FIND_PROGRAM_H

/* Owned by the caller; NULL: nowhere. */
char *find_program(const char *name);

#endif
