/* Names as text, for messages and for the string that an inspector gets. */
#ifndef ILPI_NAMES_H
#define ILPI_NAMES_H

#include "base/buf.h"
#include "metadata/image.h"
#include "sig/sig.h"

/* Longer names are cut: runtimes refuse them, and messages need no more. */
#define ILPI_NAME_LIMIT 1023u

/* A name of #Strings, cut at ILPI_NAME_LIMIT. */
void ilpi_name_put(struct ilpi_buf *buf, const char *name);

/* "Ns.Outer/Inner" of a TypeDef or TypeRef. A TypeSpec is written as its signature. */
void ilpi_name_type(const struct ilp_image *image, struct ilpi_buf *buf, ilp_token type);

/* "Ns.Type::Method"; methods of <Module> have only their name. */
void ilpi_name_method(const struct ilp_image *image, struct ilpi_buf *buf, ilp_rid method);

/* The whole signature with that name, as ilpatch prints it. */
void ilpi_name_signature(const struct ilp_image *image, struct ilpi_buf *buf, ilp_rid method);

/* The first half of a method's name, for a TypeDef: "Ns.Type::", or nothing for <Module>. */
void ilpi_name_owner(const struct ilp_image *image, struct ilpi_buf *buf, ilp_rid owner);

/* The signature in a blob, with `name` (may be NULL) inserted; false: nothing is written, since it
 * is of another kind, or longer than ILPI_TEXT_LIMIT, or than 2 KB with a name. The buffer's status
 * reports a lack of memory. */
bool ilpi_name_blob(const struct ilp_image *image, struct ilpi_buf *buf, uint32_t blob,
                    enum ilp_sig_kind kind, const char *name);

/* A callback for sig_text that names types of `image`. */
struct ilpi_sig_names ilpi_sig_names_of(const struct ilp_image *image);

#endif
