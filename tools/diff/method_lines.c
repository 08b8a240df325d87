/* Formats a method as lines. See method_lines.h.
 *
 * One buffer has the text of all lines, and an array their offsets; a line feed becomes the NUL
 * that ends the line. Lines and instructions correspond one to one if the code can be decoded, so
 * that a line is found by its instruction and the other way round. All memory of a side comes from
 * one allocator with a limit: a method whose text would exceed it is "too long", and the next one
 * has the whole limit again. */
#include "tools/diff/method_lines.h"

#include <string.h>

#include "host/tool.h"

/* Bytes shown of an invalid header. */
#define HEADER_SHOWN ((size_t)ILPI_FAT_HEADER_BYTES)

/* Each part allocates from the side's own allocator, whose limit makes them fail together. */
void method_lines_open(struct method_lines *lines, const struct ilp_image *image, size_t memory)
{
    *lines = (struct method_lines){.image = image};
    ilpi_alloc_init(&lines->alloc, NULL);
    lines->alloc.hook.limit = memory;
    lines->arena.alloc = &lines->alloc;
    lines->code.alloc = &lines->alloc;
    lines->text.alloc = &lines->alloc;
}

/* Frees what one huge method took, so that each has the whole limit. */
static void free_lines(struct method_lines *lines)
{
    ilpi_code_free(&lines->code);
    ilpi_buf_free(&lines->text);
    lines->text = (struct ilpi_buf){.alloc = &lines->alloc};
    ILPI_LIST_FREE(&lines->alloc, &lines->at);
}

void method_lines_close(struct method_lines *lines)
{
    free_lines(lines);
    ilpi_arena_free(&lines->arena);
}

/* The rest is reset, the memory is kept for the next method unless it was much. */
void method_lines_find(struct method_lines *lines, ilp_rid rid)
{
    ilpi_arena_reset(&lines->arena);
    if (lines->alloc.used > lines->alloc.hook.limit / 16) {
        free_lines(lines);
    }
    lines->rid = rid;
    lines->count = 0;
    lines->at.count = 0;
    lines->code_at = 0;
    lines->tail_at = 0;
    lines->decoded = false;
    lines->too_long = false;
    if (rid != 0) {
        method_body_read(lines->image, rid, &lines->arena, &lines->method);
    }
}

/* Enough of it to see what kind of header it is. */
static void put_bad_body(struct ilpi_buf *buf, const struct method_body *method)
{
    size_t shown = method->bytes.size < HEADER_SHOWN ? method->bytes.size : HEADER_SHOWN;
    ilpi_buf_format(buf, "    <bad body> %s; %zu bytes are there, the first of them",
                    method->error.message, method->bytes.size);
    for (size_t i = 0; i < shown; i++) {
        ilpi_buf_format(buf, " %02X", method->bytes.data[i]);
    }
    ilpi_buf_text(buf, "\n");
}

/* The lines before the code. */
static void put_head(struct method_lines *lines)
{
    struct ilpi_buf *buf = &lines->text;
    const struct ilp_body *body = &lines->method.body;
    struct ilp_error error;
    ilpi_buf_format(buf, "    %s, max stack %u%s\n", body->fat ? "fat" : "tiny", body->max_stack,
                    body->init_locals ? ", init locals" : "");
    method_locals_text(lines->image, body, buf);
    ilp_status status = ilpi_code_decode(&lines->code, body, &error);
    if (status == ILP_E_NO_MEMORY) {
        buf->status = status;
    } else if (status != ILP_OK) {
        ilpi_buf_format(buf, "    <bad code> %s; %zu bytes of code, %zu with header and sections\n",
                        error.message, body->code.size, body->size);
    }
    lines->decoded = status == ILP_OK;
}

/* A failure is kept in the text's status, which method_lines_make() looks at once. */
static void add_line(struct method_lines *lines, size_t at)
{
    ilp_status status = ILPI_LIST_ADD(&lines->alloc, &lines->at, at, NULL);
    if (status != ILP_OK) {
        lines->text.status = status;
    } else {
        lines->count++;
    }
}

/* Splits the text from `from` on into lines. */
static void cut_lines(struct method_lines *lines, size_t from)
{
    struct ilpi_buf *buf = &lines->text;
    while (buf->status == ILP_OK && from < buf->size) {
        uint8_t *end = memchr(buf->data + from, '\n', buf->size - from);
        *end = 0; /* always found: every line ends in one */
        add_line(lines, from);
        from = (size_t)(end - buf->data) + 1;
    }
}

/* The tail begins after the instructions; without decoding it is not needed. */
static void put_body(struct method_lines *lines)
{
    put_head(lines);
    cut_lines(lines, 0);
    lines->code_at = lines->count;
    size_t from = lines->text.size;
    method_code_text(lines->image, &lines->method.body, &lines->text, NULL);
    cut_lines(lines, from);
    lines->tail_at = lines->decoded ? lines->code_at + (uint32_t)lines->code.count : lines->count;
}

/* A method without IL is one line that says so, so that it compares equal with another such. */
void method_lines_make(struct method_lines *lines)
{
    lines->text.size = 0;
    lines->text.status = ILP_OK;
    if (lines->rid != 0 && lines->method.kind == METHOD_IL) {
        put_body(lines);
    } else if (lines->rid != 0) {
        if (lines->method.kind == METHOD_BAD_BODY) {
            put_bad_body(&lines->text, &lines->method);
        } else {
            ilpi_buf_text(&lines->text, lines->method.kind == METHOD_NATIVE ? "    native code\n"
                                                                            : "    no body\n");
        }
        cut_lines(lines, 0);
        lines->code_at = lines->count;
        lines->tail_at = lines->count;
    }
    add_line(lines, lines->text.size);
    lines->count--; /* the end is not a line */
    lines->too_long = lines->text.status != ILP_OK;
    if (lines->too_long) {
        lines->count = 0;
        lines->at.count = 0;
    }
}
