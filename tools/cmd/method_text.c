/* Finds a method's body, and formats it. See method_text.h.
 *
 * src/il/ has the text of instructions; this file adds what needs an image: names of tokens, the
 * types of locals, and sections of the body that are not exception clauses, as bytes. A sink is
 * called after each line, so that a long body can be printed, or given up, in pieces. */
#include "tools/cmd/method_text.h"

#include "tools/cmd/token_text.h"
#include "tools/tool.h"
#include "base/utf8.h"
#include "metadata/flags.h"

#define BYTES_PER_LINE 16u

/*   RVA 0                          no body (II.22.26)
 *   code type native               native code at the RVA
 *   code type OPTIL or runtime     no body that could be read
 *   else IL                        read, or METHOD_BAD_BODY and why
 *
 * Memory is the only failure that ends the command; a bad body is a result. */
void method_body_read(const struct ilp_image *image, ilp_rid rid, struct ilp_arena *arena,
                      struct method_body *method)
{
    uint32_t code_type = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_ImplFlags) &
                         ILPI_METHOD_IMPL_CODE_TYPE_MASK;
    *method = (struct method_body){.kind = METHOD_NO_BODY};
    method->rva = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_RVA);
    method->bytes = ilp_image_rva(image, method->rva, &method->offset);
    if (method->rva == 0) {
        return;
    }
    if (code_type != 0) {
        method->kind = code_type == ILPI_METHOD_IMPL_NATIVE ? METHOD_NATIVE : METHOD_NO_BODY;
        return;
    }
    method->kind = METHOD_IL;
    ilp_status status = ilp_body_read(&method->body, method->bytes, method->offset, arena,
                                      &method->error);
    if (status != ILP_OK) {
        method->kind = METHOD_BAD_BODY;
        need(status == ILP_E_NO_MEMORY ? NULL : arena);
    }
}

/* A name may contain a line feed, but the result must be one line. Bytes that are not characters
 * are left to text_out(). */
void method_token_text(const struct ilp_image *image, struct ilpi_buf *buf, ilp_token token)
{
    struct ilpi_buf name = {.alloc = buf->alloc};
    token_text(image, &name, token);
    if (name.status != ILP_OK) {
        buf->status = name.status;
    }
    size_t size = name.status == ILP_OK ? name.size : 0;
    for (size_t i = 0; i < size; i++) {
        if (ilpi_utf8_is_control(name.data[i]) && name.data[i] < 0x80) {
            ilpi_buf_format(buf, "\\x%02X", name.data[i]);
        } else {
            ilpi_buf_u8(buf, name.data[i]);
        }
    }
    ilpi_buf_free(&name);
}

void method_locals_text(const struct ilp_image *image, const struct ilp_body *body,
                        struct ilpi_buf *buf)
{
    if (body->locals != 0) {
        ilpi_buf_text(buf, "    locals ");
        method_token_text(image, buf, body->locals);
        ilpi_buf_text(buf, "\n");
    }
}

/* The state while a body's text is made; `ended`: the sink wants no more, also none of the
 * sections. */
struct code_text {
    const struct ilp_image *image;
    const struct method_text_sink *sink;
    bool ended;
};

static void name_token(void *user, struct ilpi_buf *buf, ilp_token token)
{
    const struct code_text *text = user;
    method_token_text(text->image, buf, token);
}

/* Called by ilpi_body_text() after each line; false makes it stop. */
static bool end_line(void *user, struct ilpi_buf *buf)
{
    struct code_text *text = user;
    text->ended = text->ended || (text->sink && !text->sink->line(text->sink->user, buf));
    return !text->ended;
}

/* Sections that are not of exception clauses: II.25.4.5 reserves their kinds, and their bytes are
 * shown as they are. */
static void put_sections(struct code_text *text, struct ilpi_buf *buf, struct ilp_bytes sections)
{
    for (size_t i = 0; i < sections.size && !text->ended; i++) {
        ilpi_buf_text(buf, i % BYTES_PER_LINE == 0 ? "  .section " : "");
        ilpi_buf_format(buf, " %02X", sections.data[i]);
        if ((i + 1) % BYTES_PER_LINE == 0 || i + 1 == sections.size) {
            ilpi_buf_text(buf, "\n");
            end_line(text, buf);
        }
    }
}

void method_code_text(const struct ilp_image *image, const struct ilp_body *body,
                      struct ilpi_buf *buf, const struct method_text_sink *sink)
{
    struct code_text text = {.image = image, .sink = sink};
    struct ilpi_il_names names = {&text, name_token, end_line};
    ilpi_body_text(buf, body, &names);
    put_sections(&text, buf, body->other);
}
