/* What the tests of src/inspect share: modules made from memory, references served from memory, and
 * an emitter that writes down the requests.
 *
 *   struct ib_image b;
 *   ii_begin(&b, "App");                               Module, Assembly, mscorlib, <Module>
 *   ilp_token type = ii_type(&b, "N", "C", II_OBJECT);
 *   ii_method(&b, "M", "00 00 08");                    of the last type
 *   struct ilp_image *image = built_pe(&b, (struct ib_pe){0}); */
#ifndef INSPECT_IMAGE_H
#define INSPECT_IMAGE_H

#include "inspect/rewriter.h"
#include "tests/unit/metadata_test.h"

/* What ii_begin() makes. */
#define II_MSCORLIB   ILP_TOKEN(ILP_AssemblyRef, 1)
#define II_OBJECT     ILP_TOKEN(ILP_TypeRef, 1)
#define II_VALUE_TYPE ILP_TOKEN(ILP_TypeRef, 2)
#define II_ENUM       ILP_TOKEN(ILP_TypeRef, 3)

/* "0A 1D 2A" as bytes, at most 256 of them. */
struct ii_hex {
    uint8_t data[256];
    size_t size;
};

static inline struct ii_hex ii_hex(const char *text)
{
    struct ii_hex hex = {.size = 0};
    unsigned byte;
    int length;
    for (; sscanf(text, " %2x%n", &byte, &length) == 1; text += length) {
        assert_true(hex.size < sizeof hex.data);
        hex.data[hex.size++] = (uint8_t)byte;
    }
    assert_true(text[strspn(text, " ")] == '\0');
    return hex;
}

static inline uint32_t ii_blob(struct ib_image *b, const char *hex)
{
    struct ii_hex bytes = ii_hex(hex);
    return ib_blob(b, bytes.data, bytes.size);
}

static inline ilp_token ii_assembly_ref(struct ib_image *b, const char *name)
{
    return ILP_TOKEN(ILP_AssemblyRef,
                     IB_ROW(b, AssemblyRef, 4, 0, 0, 0, 0, 0, ib_string(b, name), 0, 0));
}

static inline ilp_token ii_type_ref(struct ib_image *b, ilp_token scope, const char *name_space,
                                    const char *name)
{
    return ILP_TOKEN(ILP_TypeRef,
                     IB_ROW(b, TypeRef, scope, ib_string(b, name), ib_string(b, name_space)));
}

static inline ilp_token ii_type(struct ib_image *b, const char *name_space, const char *name,
                                ilp_token extends)
{
    return ILP_TOKEN(ILP_TypeDef,
                     IB_ROW(b, TypeDef, 0x00100001, ib_string(b, name), ib_string(b, name_space),
                            extends, ib_row_count(b, ILP_Field) + 1,
                            ib_row_count(b, ILP_MethodDef) + 1));
}

static inline ilp_token ii_method(struct ib_image *b, const char *name, const char *signature)
{
    return ILP_TOKEN(ILP_MethodDef, IB_ROW(b, MethodDef, 0, 0, 0x16, ib_string(b, name),
                                           ii_blob(b, signature), 1));
}

static inline void ii_body(struct ib_image *b, ilp_token method, const char *hex)
{
    struct ii_hex bytes = ii_hex(hex);
    ib_data(b, ILP_MethodDef, ILP_TOKEN_RID(method), ILP_MethodDef_RVA, bytes.data, bytes.size);
}

/* Rows are added in any order: nothing says that tables are sorted. */
static inline void ii_begin_bare(struct ib_image *b, const char *assembly)
{
    ib_begin(b);
    b->sorted = 0;
    IB_ROW(b, Module, 0, ib_string(b, assembly), ib_guid(b, 0x5A), 0, 0);
    IB_ROW(b, Assembly, 0x8004, 1, 2, 3, 4, 0, 0, ib_string(b, assembly), 0);
    IB_ROW(b, TypeDef, 0, ib_string(b, "<Module>"), 0, 0, 1, 1);
}

static inline void ii_begin(struct ib_image *b, const char *assembly)
{
    ii_begin_bare(b, assembly);
    ii_assembly_ref(b, "mscorlib");
    ii_type_ref(b, II_MSCORLIB, "System", "Object");
    ii_type_ref(b, II_MSCORLIB, "System", "ValueType");
    ii_type_ref(b, II_MSCORLIB, "System", "Enum");
}

/* Puts an attribute on a row, whose type is a TypeRef. */
static inline void ii_attribute(struct ib_image *b, ilp_token parent, ilp_token attribute)
{
    ilp_rid constructor = IB_ROW(b, MemberRef, attribute, ib_string(b, ".ctor"),
                                 ii_blob(b, "20 00 01"));
    IB_ROW(b, CustomAttribute, parent, ILP_TOKEN(ILP_MemberRef, constructor),
           ii_blob(b, "01 00 00 00"));
}

/* ---- references from memory ---- */

struct ii_assemblies {
    struct ilp_image *images[8];
    size_t count;
    unsigned opened; /* how often one was requested */
};

static inline void ii_serve(struct ii_assemblies *assemblies, struct ib_image *b)
{
    assert_true(assemblies->count < COUNT(assemblies->images));
    assemblies->images[assemblies->count++] = built_root(b);
}

static inline struct ilp_image *ii_open(void *user, const struct ilp_assembly_name *name)
{
    struct ii_assemblies *assemblies = user;
    assemblies->opened++;
    for (size_t i = 0; i < assemblies->count; i++) {
        struct ilp_assembly_name own;
        if (ilp_image_assembly_name(assemblies->images[i], &own) &&
            strcmp(own.name, name->name) == 0) {
            return assemblies->images[i];
        }
    }
    return NULL;
}

static inline struct ilp_resolver ii_resolver(struct ii_assemblies *assemblies)
{
    return (struct ilp_resolver){.user = assemblies, .open = ii_open};
}

static inline void ii_close(struct ii_assemblies *assemblies)
{
    for (size_t i = 0; i < assemblies->count; i++) {
        close_built(assemblies->images[i]);
    }
    assemblies->count = 0;
}

/* ---- an inspector ---- */

/* Test.Inspector::MyInspector with this signature, of the assembly Inspector. */
struct ii_inspector {
    struct ilp_image *image;
    struct ilp_inspector *inspector;
};

#define II_TAKES_OBJECT "00 01 01 1C"
#define II_TAKES_NAME   "00 02 01 1C 0E"

static inline struct ii_inspector ii_inspector_of(struct ib_image *b)
{
    struct ii_inspector made;
    made.image = built_root(b);
    assert_int_equal(ilp_inspector_open(&made.inspector, made.image, NULL, NULL), ILP_OK);
    return made;
}

static inline struct ii_inspector ii_inspector(const char *signature)
{
    struct ib_image b;
    ii_begin(&b, "Inspector");
    ii_type(&b, "Test", "Inspector", II_OBJECT);
    ii_method(&b, "MyInspector", signature);
    return ii_inspector_of(&b);
}

static inline void ii_inspector_close(struct ii_inspector *inspector)
{
    ilp_inspector_close(inspector->inspector);
    close_built(inspector->image);
}

/* ---- an emitter that makes no rows ---- */

/* Tokens with rids from 0x101 on, in the order in which they are requested; each request is a
 * line. */
struct ii_emitter {
    struct ilp_emitter interface;
    struct ib_bytes lines;
    ilp_rid last;
    unsigned calls;
    unsigned fail_at; /* the n-th question gets `failure`; 0: none */
    ilp_status failure;
};

static inline ilp_status ii_answer(struct ii_emitter *emitter, unsigned table, ilp_token *token,
                                   struct ilp_error *error)
{
    if (++emitter->calls == emitter->fail_at) {
        return ilpi_fail(error, emitter->failure, ILPI_NO_OFFSET, 0, "the emitter says no");
    }
    *token = ILP_TOKEN(table, 0x100 + ++emitter->last);
    return ILP_OK;
}

static inline void ii_line(struct ii_emitter *emitter, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    ib_put(&emitter->lines, line, strlen(line));
}

static inline void ii_line_blob(struct ii_emitter *emitter, struct ilp_bytes blob)
{
    for (size_t i = 0; i < blob.size; i++) {
        ii_line(emitter, " %02X", blob.data[i]);
    }
    ii_line(emitter, "\n");
}

static inline ilp_status ii_emit_assembly_ref(void *user, const struct ilp_assembly_name *name,
                                              ilp_token *token, struct ilp_error *error)
{
    ii_line(user, "assembly_ref %s %u.%u.%u.%u\n", name->name, name->version[0], name->version[1],
            name->version[2], name->version[3]);
    return ii_answer(user, ILP_AssemblyRef, token, error);
}

static inline ilp_status ii_emit_type_ref(void *user, ilp_token scope, const char *name_space,
                                          const char *name, ilp_token *token,
                                          struct ilp_error *error)
{
    ii_line(user, "type_ref %08X %s.%s\n", scope, name_space, name);
    return ii_answer(user, ILP_TypeRef, token, error);
}

static inline ilp_status ii_emit_member_ref(void *user, ilp_token parent, const char *name,
                                            struct ilp_bytes signature, ilp_token *token,
                                            struct ilp_error *error)
{
    ii_line(user, "member_ref %08X %s", parent, name);
    ii_line_blob(user, signature);
    return ii_answer(user, ILP_MemberRef, token, error);
}

static inline ilp_status ii_emit_type_spec(void *user, struct ilp_bytes signature, ilp_token *token,
                                           struct ilp_error *error)
{
    ii_line(user, "type_spec");
    ii_line_blob(user, signature);
    return ii_answer(user, ILP_TypeSpec, token, error);
}

static inline ilp_status ii_emit_user_string(void *user, struct ilp_bytes utf8, ilp_token *token,
                                             struct ilp_error *error)
{
    ii_line(user, "user_string %.*s\n", (int)utf8.size, (const char *)utf8.data);
    return ii_answer(user, ILP_TOKEN_USER_STRING, token, error);
}

static inline ilp_status ii_emit_method_spec(void *user, ilp_token method,
                                             struct ilp_bytes instantiation, ilp_token *token,
                                             struct ilp_error *error)
{
    ii_line(user, "method_spec %08X", method);
    ii_line_blob(user, instantiation);
    return ii_answer(user, ILP_MethodSpec, token, error);
}

static inline ilp_status ii_emit_standalone_sig(void *user, struct ilp_bytes signature,
                                                ilp_token *token, struct ilp_error *error)
{
    ii_line(user, "standalone_sig");
    ii_line_blob(user, signature);
    return ii_answer(user, ILP_StandAloneSig, token, error);
}

static inline ilp_status ii_emit_pinvoke(void *user, const struct ilp_pinvoke *method,
                                         ilp_token *token, struct ilp_error *error)
{
    ii_line(user, "pinvoke %s.%s %s %s object %08X attribute %08X", method->name_space,
            method->type_name, method->library, method->symbol, method->object, method->attribute);
    ii_line_blob(user, method->signature);
    return ii_answer(user, ILP_MethodDef, token, error);
}

static inline void ii_emitter_begin(struct ii_emitter *emitter)
{
    *emitter = (struct ii_emitter){
        .interface = {.user = emitter,
                      .assembly_ref = ii_emit_assembly_ref,
                      .type_ref = ii_emit_type_ref,
                      .member_ref = ii_emit_member_ref,
                      .type_spec = ii_emit_type_spec,
                      .method_spec = ii_emit_method_spec,
                      .standalone_sig = ii_emit_standalone_sig,
                      .user_string = ii_emit_user_string,
                      .pinvoke = ii_emit_pinvoke},
    };
}

/* What was requested so far; forgets it. */
static inline void ii_requested(struct ii_emitter *emitter, const char *lines)
{
    ib_number(&emitter->lines, 0, 1);
    assert_string_equal((const char *)emitter->lines.data, lines);
    emitter->lines.size = 0;
}

static inline void ii_emitter_end(struct ii_emitter *emitter)
{
    ib_free(&emitter->lines);
}

#endif
