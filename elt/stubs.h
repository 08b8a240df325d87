/* Which of the stubs are those of this machine, by one name for processor and system. */
#ifndef ILPI_ELT_STUBS_H
#define ILPI_ELT_STUBS_H

#if defined __x86_64__ && defined _WIN32
#define ELT_X86_64_WINDOWS
#elif defined __x86_64__
#define ELT_X86_64
#elif defined __aarch64__ && !defined _WIN32
#define ELT_AARCH64
#elif defined __i386__
#define ELT_I386
#endif

/* They are proven where CoreCLR was seen to run with them. */
#if defined ELT_X86_64 || defined ELT_AARCH64
#define ELT_STUBS_ARE_PROVEN true
#else
#define ELT_STUBS_ARE_PROVEN false
#endif

#endif
