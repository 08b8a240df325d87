/* Method bodies: header, code, data sections (II.25.4), decoded code and the changes made to it.
 *
 *   bytes --body_read--> ilp_body --decode--> ilpi_code --stack--> depths        code.h, stack.h
 *                                                  \--patch--> code, clauses     patch.h
 *                                                        --body_write--> bytes
 *
 * Knows opcodes and bytes. What a call token does to the stack is asked for through a callback, and
 * what a token is called through another, so nothing in src/il knows metadata.
 */
#ifndef ILPI_BODY_H
#define ILPI_BODY_H

#include "il/body_format.h"
#include "base/buf.h"
#include "il/code.h"

/* True when ilpi_body_write() will write a tiny header: the body was not fat, and fits (II.25.4.2).
 * Such a body may stand anywhere; a fat one begins at a multiple of 4. */
bool ilpi_body_is_tiny(const struct ilp_body *body);

/* Appends header, code and sections; code_offset and size are not looked at. A fat body stays fat,
 * a tiny one tiny while it fits. EH clauses are written small when every one of them fits, else fat
 * (II.25.4.6), and body->other follows them unchanged. The caller aligns a fat body; sections are
 * aligned from its start. ILP_E_TOO_LARGE where the format has no room; then, and when memory ends,
 * *buf is of no more use. */
ilp_status ilpi_body_write(struct ilpi_buf *buf, const struct ilp_body *body,
                           struct ilp_error *error);

/* Names tokens for the text form. */
struct ilpi_il_names {
    void *user;
    void (*token)(void *user, struct ilpi_buf *buf, ilp_token token); /* ldstr's too: quoted text */
    /* After each line; may take the text out of the buffer. False ends the text. NULL: none */
    bool (*line)(void *user, struct ilpi_buf *buf);
};

/* The body's code as ILAsm-like text, one instruction a line ("    IL_0003:  br.s       IL_0007"),
 * EH clauses after it. `names` may be NULL: tokens are numbers then. What cannot be decoded is
 * printed as bytes, up to the end of the code. */
void ilpi_body_text(struct ilpi_buf *buf, const struct ilp_body *body,
                    const struct ilpi_il_names *names);

#endif
