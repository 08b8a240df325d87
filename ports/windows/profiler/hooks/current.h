/* The state that a thread has for its hooks. gcc emulates _Thread_local on Windows by a call that
 * allocates and locks; so the word is in Windows' own TLS, found as its loader finds it. */
#ifndef ILPI_HOOKS_CURRENT_H
#define ILPI_HOOKS_CURRENT_H

struct hooks_thread;

/* Of this DLL, by the start-up code of mingw-w64. */
extern unsigned long _tls_index;

/* The word's address: the TEB's ThreadLocalStoragePointer has each DLL's part by its index. */
static inline struct hooks_thread **hooks_current_place(void)
{
    char *const *parts;
    unsigned long offset;
#if defined __x86_64__
    __asm__("movq %%gs:0x58, %0" : "=r"(parts));
    __asm__("movl $hooks_current_word@SECREL32, %0" : "=r"(offset));
#else
    __asm__("movl %%fs:0x2c, %0" : "=r"(parts));
    __asm__("movl $_hooks_current_word@SECREL32, %0" : "=r"(offset));
#endif
    return (struct hooks_thread **)(void *)(parts[_tls_index] + offset);
}

/* NULL: no hook has run on it, or there was not enough memory. */
#define hooks_current (*hooks_current_place())

#endif
