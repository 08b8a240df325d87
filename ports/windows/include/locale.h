/* The one locale that is used, "C", which the programs have on Windows. */
#ifndef PORT_LOCALE_H
#define PORT_LOCALE_H

#include_next <locale.h>

typedef const char *locale_t;
#define LC_ALL_MASK 0

static inline locale_t newlocale(int mask, const char *name, locale_t base)
{
    (void)mask;
    (void)base;
    return name;
}

static inline void freelocale(locale_t locale)
{
    (void)locale;
}

#endif
