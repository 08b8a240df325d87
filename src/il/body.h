/* Method bodies: header, code, data sections (II.25.4), decoded code and the changes made to it.
 *
 *   bytes --body_read--> ilp_body --decode--> ilpi_code --stack--> depths        code.h, stack.h
 *                                                  \--patch--> code, clauses     patch.h
 *                                                        --body_write--> bytes
 *
 * src/il handles opcodes and bytes only, no metadata: one callback gives the stack effect of a call
 * token, another the name of a token. */
#ifndef ILPI_BODY_H
#define ILPI_BODY_H

#include "il/body_format.h"
#include "base/buf.h"
#include "il/code.h"

/* True when ilpi_body_write() will write a tiny header: the body was not fat, and fits (II.25.4.2).
 * A tiny body may begin at any offset; a fat one begins at a multiple of 4. */
bool ilpi_body_is_tiny(const struct ilp_body *body);

/* Appends header, code and sections; code_offset and size are ignored. A fat body stays fat, a tiny
 * one tiny while it fits. EH clauses are written small if all of them fit, else fat (II.25.4.6),
 * and body->other follows them unchanged. The caller aligns a fat body; sections are aligned from
 * its start. ILP_E_TOO_LARGE if the format has no room. After that, or ILP_E_NO_MEMORY, discard
 * *buf. */
ilp_status ilpi_body_write(struct ilpi_buf *buf, const struct ilp_body *body,
                           struct ilp_error *error);

/* Names tokens for the text form. */
struct ilpi_il_names {
    void *user;
    /* for ldstr too: quoted text */
    void (*token)(void *user, struct ilpi_buf *buf, ilp_token token);
    /* Called after each line; may take the text out of the buffer. False ends the text. NULL:
     * none */
    bool (*line)(void *user, struct ilpi_buf *buf);
};

/* The body's code as ILAsm-like text, one instruction a line (" IL_0003: br.s IL_0007"), followed
 * by the EH clauses. `names` may be NULL: tokens are then numbers. From the first instruction that
 * cannot be decoded on, the code is printed as bytes. */
void ilpi_body_text(struct ilpi_buf *buf, const struct ilp_body *body,
                    const struct ilpi_il_names *names);

#endif
