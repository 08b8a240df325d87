/* Native functions as inspectors of methods that are changed in a process: called at their
 * addresses. */
#ifndef NATIVE_ADDRESS_H
#define NATIVE_ADDRESS_H

#include "host/tool.h"

/* From a function that is named to one with an address: the library is loaded, and stays. It is
 * looked for as the runtime does, but not beside the program's assemblies. On failure it has been
 * reported. */
enum exit_code native_address_find(struct ilp_native *native);

#endif
