/* Included before every file of a build for an older glibc than the build machine's (2.28: RHEL 8,
 * Debian 10, Ubuntu 20.04), also of the libraries that are linked statically. Functions that moved
 * into libc.so.6 later, or whose meaning did not change with their version, are bound to the
 * version that old libraries have, too. Those without such a version are in old_symbols.c. */
#ifndef PORTS_OLD_SYMBOLS_H
#define PORTS_OLD_SYMBOLS_H

#ifndef __ASSEMBLER__ /* libraries have files that are preprocessed, but not compiled */

#if defined __aarch64__ /* whose first glibc was a later one */
#define FIRST_GLIBC "2.17"
#define GLIBC_2_3_3 FIRST_GLIBC
#define GLIBC_2_4   FIRST_GLIBC
#elif defined __x86_64__
#define FIRST_GLIBC "2.2.5"
#define GLIBC_2_3_3 "2.3.3"
#define GLIBC_2_4   "2.4"
#endif

#define OLD_SYMBOL(name, version) __asm__(".symver " #name "," #name "@GLIBC_" version);

/* of libdl until 2.34 */
OLD_SYMBOL(dladdr, FIRST_GLIBC)
OLD_SYMBOL(dlclose, FIRST_GLIBC)
OLD_SYMBOL(dlerror, FIRST_GLIBC)
OLD_SYMBOL(dlopen, FIRST_GLIBC)
OLD_SYMBOL(dlsym, FIRST_GLIBC)
/* of libpthread until 2.32 and 2.34 */
OLD_SYMBOL(pthread_sigmask, FIRST_GLIBC)
OLD_SYMBOL(pthread_condattr_setclock, GLIBC_2_3_3)
OLD_SYMBOL(pthread_create, FIRST_GLIBC)
OLD_SYMBOL(pthread_detach, FIRST_GLIBC)
OLD_SYMBOL(pthread_join, FIRST_GLIBC)
OLD_SYMBOL(pthread_getspecific, FIRST_GLIBC)
OLD_SYMBOL(pthread_key_create, FIRST_GLIBC)
OLD_SYMBOL(pthread_key_delete, FIRST_GLIBC)
OLD_SYMBOL(pthread_mutex_trylock, FIRST_GLIBC)
OLD_SYMBOL(pthread_once, FIRST_GLIBC)
OLD_SYMBOL(pthread_rwlock_destroy, FIRST_GLIBC)
OLD_SYMBOL(pthread_rwlock_init, FIRST_GLIBC)
OLD_SYMBOL(pthread_rwlock_rdlock, FIRST_GLIBC)
OLD_SYMBOL(pthread_rwlock_unlock, FIRST_GLIBC)
OLD_SYMBOL(pthread_rwlock_wrlock, FIRST_GLIBC)
OLD_SYMBOL(pthread_setspecific, FIRST_GLIBC)
OLD_SYMBOL(sem_destroy, FIRST_GLIBC)
OLD_SYMBOL(sem_init, FIRST_GLIBC)
OLD_SYMBOL(sem_post, FIRST_GLIBC)
OLD_SYMBOL(sem_timedwait, FIRST_GLIBC)
OLD_SYMBOL(sem_wait, FIRST_GLIBC)
/* 2.29 has another one, which differs in what it does with errors */
OLD_SYMBOL(pow, FIRST_GLIBC)

#undef OLD_SYMBOL

#endif
#endif
