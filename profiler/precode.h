/* The stubs of CoreCLR that stand for a method: what its callers call, be it compiled or not. A
 * delegate has the address of one, of which GetFunctionFromIP() knows nothing. */
#ifndef ILPI_PRECODE_H
#define ILPI_PRECODE_H

#include "profiler/clr/corprof.h"

enum { PRECODE_SIZE = 24 };

/* How far after such a stub its data is: what it jumps to, the method, what compiles that. 0: it is
 * no such stub, to the last bit. */
uint32_t precode_x64(const uint8_t code[PRECODE_SIZE]);
uint32_t precode_arm64(const uint8_t code[PRECODE_SIZE]);

/* The same of those of P/Invoke methods, whose data is the method, what they jump to, what they
 * are. */
uint32_t precode_import_x64(const uint8_t code[PRECODE_SIZE]);

/* The method whose stub is there; 0: none is. May be given any address: reads only what the kernel
 * says can be read. */
FunctionID precode_method(uintptr_t code);

/* Whether a MethodDesc may be there. */
bool precode_is_readable(uintptr_t method);

#endif
