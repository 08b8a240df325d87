/* Classes of numbers by the compiler: mingw's macros convert what they do not use, with a
 * warning. */
#ifndef PORT_MATH_H
#define PORT_MATH_H

#include_next <math.h>

#undef isnan
#undef isinf
#undef isfinite
#undef signbit
#define isnan(value)    __builtin_isnan(value)
#define isinf(value)    __builtin_isinf(value)
#define isfinite(value) __builtin_isfinite(value)
#define signbit(value)  __builtin_signbit(value)

#endif
