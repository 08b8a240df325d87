/* CoreCLR's precode stubs of methods: what callers call, compiled or not. A delegate has the
 * address of one, which GetFunctionFromIP() does not resolve. */
#ifndef ILPI_PRECODE_H
#define ILPI_PRECODE_H

#include "profiler/clr/corprof.h"

enum { PRECODE_SIZE = 24 };

/* The distance from such a stub to its data: jump target, method, fixup thunk. 0: it is not exactly
 * such a stub. */
uint32_t precode_x64(const uint8_t code[PRECODE_SIZE]);
uint32_t precode_arm64(const uint8_t code[PRECODE_SIZE]);

/* The same for P/Invoke methods, whose data is the method, the jump target, the type. */
uint32_t precode_import_x64(const uint8_t code[PRECODE_SIZE]);

/* The method of the stub at an address; 0: none. Accepts any address: reads only what the kernel
 * says is readable. */
FunctionID precode_method(uintptr_t code);

/* Whether a MethodDesc may be there. */
bool precode_is_readable(uintptr_t method);

#endif
