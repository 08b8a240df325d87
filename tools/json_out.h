/* JSON, written: a string with what has to be escaped. Names of assemblies may be any bytes, so what is not
 * UTF-8 becomes U+FFFD.
 */
#ifndef JSON_OUT_H
#define JSON_OUT_H

#include <stdio.h>

void json_out_string(FILE *out, const char *text);

/* The length of the UTF-8 sequence at `text`, 0 where there is none. */
unsigned utf8_length(const char *text);

#endif
