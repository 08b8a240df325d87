/* Native functions as inspectors in a running process: called by address. */
#ifndef NATIVE_ADDRESS_H
#define NATIVE_ADDRESS_H

#include "host/tool.h"

/* Resolves a named function to its address: the library is loaded, and stays. It is searched like
 * in the runtime, but not beside the program's assemblies. Failures are reported. */
enum exit_code native_address_find(struct ilp_native *native);

#endif
