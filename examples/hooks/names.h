/* Names of methods and classes, from the runtime's metadata. */
#ifndef NAMES_H
#define NAMES_H

#include "tree.h"

/* Type::Method, in memory that stays; NULL: not in the assembly whose file name is in PROFILE, or a
 * method without metadata. */
struct named *name_of_method(void *info, ID function);

/* The class's name, Type or Type[], in memory that stays; always the same for a class. */
const struct named *name_of_class(void *info, ID class);

#endif
