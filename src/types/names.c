/* Names of types and methods as text. Types are written as Namespace.Outer/Inner, with the arity
 * mark of generic types (List`1) as in metadata. */
#include "types/names.h"

/* Compilers' nesting of types, and chains of references to nested types, are less deep. */
#define MAX_NESTING 32u

/* Names are cut, not refused: an obfuscator may give a type a name of megabytes, and messages have
 * to name it all the same. */
void ilpi_name_put(struct ilpi_buf *buf, const char *name)
{
    size_t size = strnlen(name, ILPI_NAME_LIMIT + 1);
    ilpi_buf_bytes_add(buf, name, size > ILPI_NAME_LIMIT ? ILPI_NAME_LIMIT : size);
    if (size > ILPI_NAME_LIMIT) {
        ilpi_buf_text(buf, "...");
    }
}

/* The type around this one, 0 for a top-level type. */
static ilp_token outer_type(const struct ilp_image *image, ilp_token type)
{
    if (ILP_TOKEN_TABLE(type) == ILP_TypeDef) {
        ilp_rid outer = ilp_enclosing_type(image, ILP_TOKEN_RID(type));
        return outer != 0 ? ILP_TOKEN(ILP_TypeDef, outer) : 0;
    }
    ilp_token scope = ilp_cell(image, ILP_TypeRef, ILP_TOKEN_RID(type),
                               ILP_TypeRef_ResolutionScope);
    return ILP_TOKEN_TABLE(scope) == ILP_TypeRef ? scope : 0;
}

/* From the innermost type outwards, and then written in reverse. The depth is limited because
 * enclosing types of invalid metadata may form a cycle. */
static void name_nested(const struct ilp_image *image, struct ilpi_buf *buf, ilp_token type)
{
    ilp_token chain[MAX_NESTING];
    unsigned depth = 0;
    for (; type != 0 && depth < MAX_NESTING; type = outer_type(image, type)) {
        chain[depth++] = type;
    }
    while (depth-- != 0) {
        const char *name_space;
        const char *name;
        ilpi_type_name(image, chain[depth], &name_space, &name);
        if (name_space[0] != '\0') {
            ilpi_name_put(buf, name_space);
            ilpi_buf_u8(buf, '.');
        }
        ilpi_name_put(buf, name);
        if (depth != 0) {
            ilpi_buf_u8(buf, '/');
        }
    }
}

/* The limit for names of methods and fields, of which a file may have one per row. The longest of
 * compilers have some hundred bytes. */
#define MEMBER_LIMIT 2048u

/* The signature is read in an arena of its own, which is freed at once: many may be written to one
 * buffer. */
bool ilpi_name_blob(const struct ilp_image *image, struct ilpi_buf *buf, uint32_t blob,
                    enum ilp_sig_kind kind, const char *name)
{
    struct ilp_bytes bytes = ilp_blob(image, blob);
    if (bytes.size > (name ? MEMBER_LIMIT : ILPI_TEXT_LIMIT)) {
        return false;
    }
    struct ilp_arena arena = {.alloc = buf->alloc};
    struct ilp_sig *sig;
    ilp_status status = ilp_sig_read(&sig, bytes, kind, 0, &arena, NULL);
    if (status == ILP_OK) {
        struct ilpi_sig_names names = ilpi_sig_names_of(image);
        ilpi_sig_text(buf, sig, name, &names);
    } else if (status == ILP_E_NO_MEMORY) {
        buf->status = status;
    }
    ilpi_arena_free(&arena);
    return status == ILP_OK;
}

/* A TypeSpec that contains itself would recurse without end: inside of one, tokens stay numbers. */
static void name_spec(const struct ilp_image *image, struct ilpi_buf *buf, ilp_rid spec)
{
    uint32_t blob = ilp_cell(image, ILP_TypeSpec, spec, ILP_TypeSpec_Signature);
    if (!ilpi_name_blob(image, buf, blob, ILP_SIG_TYPE_SPEC, NULL)) {
        ilpi_buf_format(buf, "<bad TypeSpec 0x%08X>", ILP_TOKEN(ILP_TypeSpec, spec));
    }
}

void ilpi_name_type(const struct ilp_image *image, struct ilpi_buf *buf, ilp_token type)
{
    switch (ILP_TOKEN_TABLE(type)) {
    case ILP_TypeDef:
    case ILP_TypeRef: name_nested(image, buf, type); break;
    case ILP_TypeSpec: name_spec(image, buf, ILP_TOKEN_RID(type)); break;
    default: ilpi_buf_format(buf, "0x%08X", type); break;
    }
}

/* See name_spec(): what is in a signature may be named by a signature again. */
static void name_in_signature(void *user, struct ilpi_buf *buf, ilp_token type)
{
    const struct ilp_image *image = user;
    if (ILP_TOKEN_TABLE(type) == ILP_TypeSpec) {
        ilpi_buf_format(buf, "0x%08X", type);
    } else {
        ilpi_name_type(image, buf, type);
    }
}

struct ilpi_sig_names ilpi_sig_names_of(const struct ilp_image *image)
{
    return (struct ilpi_sig_names){(void *)(uintptr_t)image, name_in_signature, NULL};
}

/* Global methods have no owner to name. */
void ilpi_name_owner(const struct ilp_image *image, struct ilpi_buf *buf, ilp_rid owner)
{
    if (owner > 1) { /* row 1 is <Module> (II.22.37) */
        name_nested(image, buf, ILP_TOKEN(ILP_TypeDef, owner));
        ilpi_buf_text(buf, "::");
    }
}

void ilpi_name_method(const struct ilp_image *image, struct ilpi_buf *buf, ilp_rid method)
{
    ilpi_name_owner(image, buf, ilp_owner_of_method(image, method));
    ilpi_name_put(buf,
                  ilp_string(image, ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Name)));
}

/* ---- public: the same as text in an arena ---- */

typedef void (*write_name)(const struct ilp_image *image, struct ilpi_buf *buf, ilp_token token);

static ilp_status text_in_arena(const struct ilp_image *image, ilp_token token, write_name write,
                                struct ilp_arena *arena, const char **text, struct ilp_error *error)
{
    struct ilpi_buf buf = {.alloc = arena->alloc};
    write(image, &buf, token);
    ilpi_buf_u8(&buf, 0);
    *text = buf.status == ILP_OK ? ilpi_arena_copy(arena, buf.data, buf.size) : NULL;
    size_t size = buf.size;
    ilpi_buf_free(&buf);
    return *text ? ILP_OK : ilpi_fail_memory(error, size);
}

/* This and write_method() have the form of ilpi_name_type(), for text_in_arena(). */
static void write_method_name(const struct ilp_image *image, struct ilpi_buf *buf, ilp_token token)
{
    ilpi_name_method(image, buf, ILP_TOKEN_RID(token));
}

void ilpi_name_signature(const struct ilp_image *image, struct ilpi_buf *buf, ilp_rid method)
{
    struct ilpi_buf name = {.alloc = buf->alloc};
    ilpi_name_method(image, &name, method);
    ilpi_buf_u8(&name, 0);
    uint32_t blob = ilp_cell(image, ILP_MethodDef, method, ILP_MethodDef_Signature);
    const char *text = (const char *)name.data;
    if (name.status != ILP_OK) {
        buf->status = name.status;
    } else if (!ilpi_name_blob(image, buf, blob, ILP_SIG_METHOD, text)) {
        ilpi_buf_format(buf, "<bad signature> %s", text);
    }
    ilpi_buf_free(&name);
}

static void write_method(const struct ilp_image *image, struct ilpi_buf *buf, ilp_token token)
{
    ilpi_name_signature(image, buf, ILP_TOKEN_RID(token));
}

ilp_status ilp_type_text(const struct ilp_image *image, ilp_token type, struct ilp_arena *arena,
                         const char **text, struct ilp_error *error)
{
    return text_in_arena(image, type, ilpi_name_type, arena, text, error);
}

ilp_status ilp_method_name_text(const struct ilp_image *image, ilp_token method,
                                struct ilp_arena *arena, const char **text, struct ilp_error *error)
{
    return text_in_arena(image, method, write_method_name, arena, text, error);
}

ilp_status ilp_method_text(const struct ilp_image *image, ilp_token method, struct ilp_arena *arena,
                           const char **text, struct ilp_error *error)
{
    return text_in_arena(image, method, write_method, arena, text, error);
}
