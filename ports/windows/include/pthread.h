/* There is no fork(), and so nothing to do after one. */
#ifndef PORT_PTHREAD_H
#define PORT_PTHREAD_H

#include_next <pthread.h>

#undef pthread_atfork
static inline int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    (void)prepare, (void)parent, (void)child;
    return 0;
}

#endif
