/* Selects the stubs of this machine, by processor and system. */
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

/* Defined where CoreCLR has been tested with the stubs. */
#if defined ELT_X86_64 || defined ELT_X86_64_WINDOWS || defined ELT_AARCH64
#define ELT_STUBS_ARE_PROVEN true
#else
#define ELT_STUBS_ARE_PROVEN false
#endif

/* Whether a hook of the slow path can clear a runtime-async method's continuation
 * (elt_no_continuation()). On Windows the runtime's own stub destroys that register afterwards. */
#if defined ELT_X86_64_WINDOWS
#define ELT_SLOW_PATH_KEEPS_CONTINUATION false
#else
#define ELT_SLOW_PATH_KEEPS_CONTINUATION true
#endif

#endif
