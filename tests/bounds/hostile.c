/* Makes assemblies that are meant to take long or much memory:  hostile FAMILY BYTES OUT [PDB]
 *
 * A family has one form at every size, so a command's work for 4 n bytes beside that for n shows
 * how it grows. Each is about BYTES large. `hostile list` prints the families.
 *
 * The symbols of those that have some are embedded, or in the file PDB where one is named. Prints how
 * large what is packed becomes.
 */
#include <stdio.h>

#include "base/inflate.h"
#include "pe/debug.h"
#include "tests/unit/pe_builder.h"

enum {
    OBJECT_REF = 1,         /* TypeRef System.Object */
    VALUE_TYPE_REF = 2,     /* TypeRef System.ValueType */
    ATTRIBUTE_REF = 3,      /* TypeRef System.Attribute */
    TYPE = 2,               /* the TypeDef that members belong to */
    FIRST_RVA = 0x2000 + 72 /* of what is in ib_image.data */
};

#define OBJECT     ILP_TOKEN(ILP_TypeRef, OBJECT_REF)
#define VALUE_TYPE ILP_TOKEN(ILP_TypeRef, VALUE_TYPE_REF)
#define STATIC     0x16u /* public static */
#define INSTANCE   0x06u

/* ---- pieces ---- */

/* Bytes put together for a blob or a body. */
static struct ib_bytes piece;

static void put(const void *bytes, size_t size)
{
    ib_put(&piece, bytes, size);
}

#define PUT(...) put((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void put_times(uint8_t byte, size_t count)
{
    if (count != 0) {
        memset(ib_more(&piece, count), byte, count);
    }
}

static uint32_t blob_of_piece(struct ib_image *b)
{
    uint32_t blob = ib_blob(b, piece.data, piece.size);
    piece.size = 0;
    return blob;
}

static uint32_t data_of_piece(struct ib_image *b)
{
    ib_align(&b->data, 4);
    uint32_t rva = FIRST_RVA + (uint32_t)b->data.size;
    ib_put(&b->data, piece.data, piece.size);
    piece.size = 0;
    return rva;
}

/* A TypeDefOrRef token in a signature (II.23.2.8). */
static void put_type(uint8_t element, ilp_token token)
{
    static const uint8_t tags[] = {[ILP_TypeDef] = 0, [ILP_TypeRef] = 1, [ILP_TypeSpec] = 2};
    put(&element, 1);
    ib_packed(&piece, ILP_TOKEN_RID(token) << 2 | tags[ILP_TOKEN_TABLE(token)]);
}

/* A fat body of the code in the piece, without clauses. */
static uint32_t body_of_piece(struct ib_image *b, uint32_t locals)
{
    ib_align(&b->data, 4);
    uint32_t rva = FIRST_RVA + (uint32_t)b->data.size;
    ib_number(&b->data, 0x3013, 2);
    ib_number(&b->data, 8, 2);
    ib_number(&b->data, piece.size, 4);
    ib_number(&b->data, locals, 4);
    ib_put(&b->data, piece.data, piece.size);
    piece.size = 0;
    return rva;
}

static uint32_t name_of(struct ib_image *b, const char *prefix, uint32_t number)
{
    char name[64];
    snprintf(name, sizeof name, "%s%u", prefix, number);
    return ib_string(b, name);
}

static ilp_token type(struct ib_image *b, uint32_t name, ilp_token extends)
{
    return ILP_TOKEN(ILP_TypeDef,
                     IB_ROW(b, TypeDef, 0x100001, name, 0, extends, ib_row_count(b, ILP_Field) + 1,
                            ib_row_count(b, ILP_MethodDef) + 1));
}

static ilp_token method(struct ib_image *b, uint32_t name, uint32_t signature, uint32_t rva)
{
    return ILP_TOKEN(ILP_MethodDef, IB_ROW(b, MethodDef, rva, 0, STATIC, name, signature,
                                           ib_row_count(b, ILP_Param) + 1));
}

/* int32 () */
static uint32_t int_signature(struct ib_image *b)
{
    return IB_BLOB(b, 0x00, 0x00, 0x08);
}

/* ldc.i4.7; ret */
static uint32_t small_body(struct ib_image *b)
{
    PUT(0x0A, 0x1D, 0x2A);
    return data_of_piece(b);
}

static void begin(struct ib_image *b)
{
    ib_begin(b);
    IB_ROW(b, Module, 0, ib_string(b, "Hostile.dll"), ib_guid(b, 0x5A), 0, 0);
    IB_ROW(b, Assembly, 0x8004, 1, 2, 3, 4, 0, 0, ib_string(b, "Hostile"), 0);
    IB_ROW(b, AssemblyRef, 4, 0, 0, 0, 0,
           IB_BLOB(b, 0xB7, 0x7A, 0x5C, 0x56, 0x19, 0x34, 0xE0, 0x89), ib_string(b, "mscorlib"), 0,
           0);
    uint32_t system = ib_string(b, "System");
    ilp_token core = ILP_TOKEN(ILP_AssemblyRef, 1);
    IB_ROW(b, TypeRef, core, ib_string(b, "Object"), system);
    IB_ROW(b, TypeRef, core, ib_string(b, "ValueType"), system);
    IB_ROW(b, TypeRef, core, ib_string(b, "Attribute"), system);
    IB_ROW(b, TypeDef, 0, ib_string(b, "<Module>"), 0, 0, 1, 1);
    type(b, ib_string(b, "C"), OBJECT);
}

/* ---- bodies ---- */

/* Many methods, one body of as many bytes. */
static void shared_body(struct ib_image *b, uint32_t size)
{
    put_times(0x00, size / 2);
    PUT(0x1D, 0x2A);
    uint32_t rva = body_of_piece(b, 0), signature = int_signature(b), name = ib_string(b, "M");
    for (uint32_t i = 0; i < size / 32; i++) {
        method(b, name, signature, rva);
    }
}

/* A body begins every 12 bytes, each as long as half of all: a header is also code (ldarg.1;
 * bgt.s; nop; ...). */
static void overlapping_bodies(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 40, length = (count * 12 / 2) & 0xFF0000 ? 0x10000 : 0x1000;
    uint32_t signature = int_signature(b), name = ib_string(b, "M");
    for (uint32_t i = 0; i < count; i++) {
        PUT(0x03, 0x30, 0x08, 0x00);
        ib_number(&piece, length, 4);
        PUT(0, 0, 0, 0);
    }
    put_times(0, length);
    uint32_t rva = data_of_piece(b);
    for (uint32_t i = 0; i < count; i++) {
        method(b, name, signature, rva + i * 12);
    }
}

/* One switch with a target for every four bytes, all different. */
static void huge_switch(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 5;
    PUT(0x16, 0x45);
    ib_number(&piece, count, 4);
    for (uint32_t i = 0; i < count; i++) {
        ib_number(&piece, i, 4);
    }
    put_times(0, count);
    PUT(0x1D, 0x2A);
    method(b, ib_string(b, "M"), int_signature(b), body_of_piece(b, 0));
}

/* Methods that share one body with a large switch. */
static void shared_switch(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 12;
    PUT(0x16, 0x45);
    ib_number(&piece, count, 4);
    put_times(0, count * 4);
    PUT(0x1D, 0x2A);
    uint32_t rva = body_of_piece(b, 0), signature = int_signature(b), name = ib_string(b, "M");
    for (uint32_t i = 0; i < size / 24; i++) {
        method(b, name, signature, rva);
    }
}

/* A return for every second byte, each reached by a short branch. */
static void many_returns(struct ib_image *b, uint32_t size)
{
    for (uint32_t i = 0; i < size / 5; i++) {
        PUT(0x16, 0x2D, 0x02, 0x1D, 0x2A); /* ldc.i4.0; brtrue.s +2; ldc.i4.7; ret */
    }
    PUT(0x1D, 0x2A);
    method(b, ib_string(b, "M"), int_signature(b), body_of_piece(b, 0));
}

/* Short branches that reach just as far as they may: when one grows, so does the next. */
static void growing_branches(struct ib_image *b, uint32_t size)
{
    for (uint32_t i = 0; i < size / 2; i++) {
        PUT(0x2B, 0x7E);
    }
    put_times(0, 0x80);
    PUT(0x1D, 0x2A);
    method(b, ib_string(b, "M"), int_signature(b), body_of_piece(b, 0));
}

/* Jumps back and forth, so that code is entered in the opposite order of its offsets. */
static void backward_branches(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 5;
    PUT(0x38);
    ib_number(&piece, (count - 1) * 5, 4);
    PUT(0x1D, 0x2A, 0, 0, 0);
    for (uint32_t i = 1; i < count; i++) {
        PUT(0x38); /* br: the one before */
        ib_number(&piece, (uint32_t)-10, 4);
    }
    method(b, ib_string(b, "M"), int_signature(b), body_of_piece(b, 0));
}

/* As many clauses as there is room for, over as many instructions; `step`: nested or one range. */
static void clauses(struct ib_image *b, uint32_t size, uint32_t step)
{
    uint32_t count = size / 28;
    ib_align(&b->data, 4);
    uint32_t rva = FIRST_RVA + (uint32_t)b->data.size;
    uint32_t code = count * 2 + 8;
    ib_number(&b->data, 0x301B, 2);
    ib_number(&b->data, 8, 2);
    ib_number(&b->data, code, 4);
    ib_number(&b->data, 0, 4);
    ib_zeros(&b->data, count * 2);
    ib_put(&b->data, "\xDE\x03\x26\xDE\x00\x1D\x2A\x00", 8); /* leave.s; pop; leave.s; 7; ret; */
    ib_align(&b->data, 4);
    ib_number(&b->data, 0x41 | (4 + count * 24) << 8, 4);
    for (uint32_t i = 0; i < count; i++) {
        ib_number(&b->data, 0, 4);
        ib_number(&b->data, (count - 1 - i) * step, 4);
        ib_number(&b->data, count * 2 + 2 - (count - 1 - i) * step, 4);
        ib_number(&b->data, count * 2 + 2, 4);
        ib_number(&b->data, 3, 4);
        ib_number(&b->data, OBJECT, 4);
    }
    method(b, ib_string(b, "M"), int_signature(b), rva);
}

static void nested_clauses(struct ib_image *b, uint32_t size)
{
    clauses(b, size, 1);
}

static void equal_clauses(struct ib_image *b, uint32_t size)
{
    clauses(b, size, 0);
}

/* A stack that each instruction makes higher. */
static void high_stack(struct ib_image *b, uint32_t size)
{
    put_times(0x16, size / 2 < 60000 ? size / 2 : 60000);
    for (uint32_t i = 0; i < size / 12; i++) {
        PUT(0x16, 0x2D, 0x00); /* ldc.i4.0; brtrue.s */
    }
    PUT(0x2A);
    method(b, ib_string(b, "M"), int_signature(b), body_of_piece(b, 0));
}

/* Many methods whose locals are one long signature. */
static void shared_locals(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 2 < 0xFFFE ? size / 2 : 0xFFFE;
    PUT(0x07);
    ib_packed(&piece, count);
    put_times(0x08, count);
    IB_ROW(b, StandAloneSig, blob_of_piece(b));
    PUT(0x1D, 0x2A);
    uint32_t rva = body_of_piece(b, ILP_TOKEN(ILP_StandAloneSig, 1));
    uint32_t signature = int_signature(b), name = ib_string(b, "M");
    for (uint32_t i = 0; i < size / 32; i++) {
        method(b, name, signature, rva);
    }
}

/* Each method calls the next one, with a tail call. */
static void call_chain(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 48, signature = int_signature(b);
    for (uint32_t i = 1; i <= count; i++) {
        PUT(0x22, 0xFE, 0x14, 0x28); /* a tiny header, 8 bytes: tail.; call; ret */
        ib_number(&piece, ILP_TOKEN(ILP_MethodDef, i % count + 1), 4);
        PUT(0x2A);
        method(b, name_of(b, "M", i), signature, data_of_piece(b));
    }
}

/* One method calls all. */
static void many_calls(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 40, signature = int_signature(b), rva = small_body(b);
    for (uint32_t i = 1; i <= count; i++) {
        method(b, name_of(b, "M", i), signature, rva);
        PUT(0x28);
        ib_number(&piece, ILP_TOKEN(ILP_MethodDef, i), 4);
        PUT(0x26);
    }
    PUT(0x1D, 0x2A);
    method(b, ib_string(b, "All"), signature, body_of_piece(b, 0));
}

/* ---- names and signatures ---- */

/* One name as long as half of the file, on every row. */
static void huge_name(struct ib_image *b, uint32_t size)
{
    uint32_t name = (uint32_t)b->strings.size;
    memset(ib_more(&b->strings, size / 2), 'n', size / 2);
    ib_zeros(&b->strings, 1);
    uint32_t signature = int_signature(b), rva = small_body(b);
    for (uint32_t i = 0; i < size / 80; i++) {
        method(b, name, signature, rva);
        IB_ROW(b, TypeRef, ILP_TOKEN(ILP_AssemblyRef, 1), name, name);
        IB_ROW(b, MemberRef, OBJECT, name, signature);
    }
    for (uint32_t i = 0; i < size / 80; i++) {
        IB_ROW(b, TypeDef, 0x100001, name, name, OBJECT, 1, ib_row_count(b, ILP_MethodDef) + 1);
    }
}

/* Names that begin one byte after each other. */
static void overlapping_names(struct ib_image *b, uint32_t size)
{
    uint32_t name = (uint32_t)b->strings.size, count = size / 80;
    memset(ib_more(&b->strings, size / 2), 'n', size / 2);
    ib_zeros(&b->strings, 1);
    uint32_t signature = int_signature(b), rva = small_body(b);
    for (uint32_t i = 0; i < count; i++) {
        method(b, name + i, signature, rva);
        IB_ROW(b, TypeRef, ILP_TOKEN(ILP_AssemblyRef, 1), name + i, name + i);
        IB_ROW(b, MemberRef, OBJECT, name + i, signature);
    }
    for (uint32_t i = 0; i < count; i++) {
        IB_ROW(b, TypeDef, 0x100001, name + i, name + i, OBJECT, 1, count + 1);
    }
}

/* Blobs that begin one byte after each other: arrays of arrays. */
static void overlapping_blobs(struct ib_image *b, uint32_t size)
{
    uint32_t blob = (uint32_t)b->blobs.size, name = ib_string(b, "M"), rva = small_body(b);
    memset(ib_more(&b->blobs, size / 2), 0x1D, size / 2);
    ib_zeros(&b->blobs, 64);
    for (uint32_t i = 0; i < size / 80; i++) {
        method(b, name, blob + i, rva);
        IB_ROW(b, MemberRef, OBJECT, name, blob + i);
        IB_ROW(b, TypeSpec, blob + i);
        IB_ROW(b, StandAloneSig, blob + i);
    }
}

static void rows_with_signature(struct ib_image *b, uint32_t count, uint32_t signature)
{
    uint32_t name = ib_string(b, "M"), rva = small_body(b);
    for (uint32_t i = 0; i < count; i++) {
        method(b, name, signature, rva);
        IB_ROW(b, MemberRef, OBJECT, name, signature);
    }
}

/* One signature of as many parameters as there are bytes, for many methods. */
static void shared_signature(struct ib_image *b, uint32_t size)
{
    PUT(0x00);
    ib_packed(&piece, size / 2);
    put_times(0x08, size / 2 + 1);
    rows_with_signature(b, size / 64, blob_of_piece(b));
}

/* The same, nested as deep as it may be, and deeper. */
static void deep_signature(struct ib_image *b, uint32_t size)
{
    PUT(0x00, 0x00);
    put_times(0x1D, size / 2);
    PUT(0x08);
    uint32_t too_deep = blob_of_piece(b);
    PUT(0x00, 0x00);
    put_times(0x1D, 90);
    PUT(0x08);
    uint32_t deep = blob_of_piece(b);
    rows_with_signature(b, size / 128, too_deep);
    rows_with_signature(b, size / 128, deep);
}

/* One method with many parameters, each with a row. */
static void many_parameters(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 16 < 60000 ? size / 16 : 60000;
    PUT(0x00);
    ib_packed(&piece, count);
    put_times(0x08, count + 1);
    method(b, ib_string(b, "M"), blob_of_piece(b), small_body(b));
    for (uint32_t i = 1; i <= count; i++) {
        IB_ROW(b, Param, 0, i, name_of(b, "p", i));
    }
}

/* class G<T>, then TypeSpec n = G<TypeSpec n-1> of pairs: twice as large each. */
static void doubling_specs(struct ib_image *b, uint32_t size)
{
    ilp_token pair = type(b, ib_string(b, "Pair"), OBJECT);
    IB_ROW(b, GenericParam, 0, 0, pair, ib_string(b, "T"));
    IB_ROW(b, GenericParam, 1, 0, pair, ib_string(b, "U"));
    PUT(0x15);
    put_type(0x12, pair);
    PUT(0x02, 0x08, 0x08);
    IB_ROW(b, TypeSpec, blob_of_piece(b));
    uint32_t rva = small_body(b), name = ib_string(b, "M");
    for (uint32_t i = 1; i <= size / 48; i++) {
        PUT(0x15);
        put_type(0x12, pair);
        PUT(0x02);
        put_type(0x12, ILP_TOKEN(ILP_TypeSpec, i));
        put_type(0x12, ILP_TOKEN(ILP_TypeSpec, i));
        IB_ROW(b, TypeSpec, blob_of_piece(b));
        PUT(0x00, 0x00);
        put_type(0x12, ILP_TOKEN(ILP_TypeSpec, i + 1));
        method(b, name, blob_of_piece(b), rva);
    }
}

/* Generic instances with as many arguments as bytes, nested in each other. */
static void wide_instances(struct ib_image *b, uint32_t size)
{
    PUT(0x15);
    put_type(0x12, ILP_TOKEN(ILP_TypeDef, TYPE));
    ib_packed(&piece, size / 8);
    put_times(0x08, size / 8);
    IB_ROW(b, TypeSpec, blob_of_piece(b));
    uint32_t name = ib_string(b, "M"), rva = small_body(b);
    PUT(0x00, 0x00);
    for (unsigned depth = 0; depth < 40; depth++) {
        PUT(0x15);
        put_type(0x12, ILP_TOKEN(ILP_TypeDef, TYPE));
        ib_packed(&piece, size / 256);
    }
    put_times(0x08, 40 * (size / 256));
    uint32_t signature = blob_of_piece(b);
    for (uint32_t i = 0; i < size / 64; i++) {
        method(b, name, signature, rva);
    }
}

/* ---- types ---- */

/* Each type extends the one before; `circle`: the first one the last. */
static void extends(struct ib_image *b, uint32_t size, bool circle)
{
    uint32_t count = size / 48, first = ib_row_count(b, ILP_TypeDef) + 1;
    uint32_t signature = int_signature(b), rva = small_body(b), name = ib_string(b, "M");
    for (uint32_t i = 0; i < count; i++) {
        ilp_token base = i != 0 ? ILP_TOKEN(ILP_TypeDef, first + i - 1) : OBJECT;
        base = circle && i == 0 ? ILP_TOKEN(ILP_TypeDef, first + count - 1) : base;
        type(b, name_of(b, "T", i), base);
        method(b, name, signature, rva);
    }
}

static void extends_chain(struct ib_image *b, uint32_t size)
{
    extends(b, size, false);
}

static void extends_circle(struct ib_image *b, uint32_t size)
{
    extends(b, size, true);
}

/* The same, but the deepest types come first. */
static void extends_backwards(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 48, first = ib_row_count(b, ILP_TypeDef) + 1;
    uint32_t signature = int_signature(b), rva = small_body(b), name = ib_string(b, "M");
    for (uint32_t i = 0; i < count; i++) {
        type(b, name_of(b, "T", i), i + 1 < count ? ILP_TOKEN(ILP_TypeDef, first + i + 1) : OBJECT);
        method(b, name, signature, rva);
    }
}

static void nested_chain(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 56, first = ib_row_count(b, ILP_TypeDef) + 1;
    uint32_t signature = int_signature(b), rva = small_body(b), name = ib_string(b, "M");
    for (uint32_t i = 0; i < count; i++) {
        IB_ROW(b, TypeDef, i != 0 ? 0x100002 : 0x100001, name_of(b, "T", i), 0, OBJECT, 1, i + 1);
        method(b, name, signature, rva);
        if (i != 0) {
            IB_ROW(b, NestedClass, first + i, first + i - 1);
        }
    }
}

static void nested_circle(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 56, first = ib_row_count(b, ILP_TypeDef) + 1;
    uint32_t signature = int_signature(b), rva = small_body(b), name = ib_string(b, "M");
    for (uint32_t i = 0; i < count; i++) {
        IB_ROW(b, TypeDef, 0x100002, name_of(b, "T", i), 0, OBJECT, 1, i + 1);
        method(b, name, signature, rva);
        IB_ROW(b, NestedClass, first + i, first + (i + 1) % count);
    }
}

/* All nested in one, and that one has all interfaces. */
static void many_nested(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 64, first = ib_row_count(b, ILP_TypeDef) + 1;
    for (uint32_t i = 0; i < count; i++) {
        IB_ROW(b, TypeDef, 0x1000A2, name_of(b, "I", i), 0, 0, 1, 1);
        IB_ROW(b, NestedClass, first + i, TYPE);
        IB_ROW(b, InterfaceImpl, TYPE, ILP_TOKEN(ILP_TypeDef, first + i));
    }
    method(b, ib_string(b, "M"), int_signature(b), small_body(b));
    for (ilp_rid rid = first; rid < first + count; rid++) {
        ib_set(b, ILP_TypeDef, rid, ILP_TypeDef_MethodList, 2);
    }
}

/* Each type is used where every other one is expected: stores between fields of one chain of types. */
static void assignments(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 80, first = ib_row_count(b, ILP_TypeDef) + 1;
    for (uint32_t i = 0; i < count; i++) {
        type(b, name_of(b, "T", i), i != 0 ? ILP_TOKEN(ILP_TypeDef, first + i - 1) : OBJECT);
    }
    uint32_t name = ib_string(b, "f");
    for (uint32_t i = 0; i < count; i++) {
        PUT(0x06);
        put_type(0x12, ILP_TOKEN(ILP_TypeDef, first + i));
        IB_ROW(b, Field, 0x16, name, blob_of_piece(b));
    }
    for (uint32_t i = 1; i <= count; i++) {
        PUT(0x7E); /* ldsfld the last */
        ib_number(&piece, ILP_TOKEN(ILP_Field, count), 4);
        PUT(0x80); /* stsfld */
        ib_number(&piece, ILP_TOKEN(ILP_Field, i), 4);
    }
    PUT(0x1D, 0x2A);
    uint32_t rva = body_of_piece(b, 0);
    type(b, ib_string(b, "Last"), OBJECT);
    method(b, ib_string(b, "M"), int_signature(b), rva);
}

/* Each interface has the two before it: 2^n ways. */
static void interface_lattice(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 64, first = ib_row_count(b, ILP_TypeDef) + 1;
    for (uint32_t i = 0; i < count; i++) {
        IB_ROW(b, TypeDef, 0x1000A1, name_of(b, "I", i), 0, 0, 1, 1);
        for (uint32_t back = 1; back <= 2 && back <= i; back++) {
            IB_ROW(b, InterfaceImpl, first + i, ILP_TOKEN(ILP_TypeDef, first + i - back));
        }
    }
    IB_ROW(
        b, Field, 0x16, ib_string(b, "from"),
        (PUT(0x06), put_type(0x12, ILP_TOKEN(ILP_TypeDef, first + count - 1)), blob_of_piece(b)));
    IB_ROW(b, Field, 0x16, ib_string(b, "to"),
           (PUT(0x06), put_type(0x12, ILP_TOKEN(ILP_TypeDef, TYPE)), blob_of_piece(b)));
    for (uint32_t i = 0; i < count / 8; i++) {
        PUT(0x7E, 1, 0, 0, 4, 0x80, 2, 0, 0, 4);
    }
    PUT(0x1D, 0x2A);
    uint32_t rva = body_of_piece(b, 0);
    type(b, ib_string(b, "Last"), OBJECT);
    method(b, ib_string(b, "M"), int_signature(b), rva);
}

/* class T0<X>, class T1<X> : T0<Pair<X, X>>, ...: the last one's bases have 2^n parts. */
static void doubling_bases(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 80;
    ilp_token pair = type(b, ib_string(b, "Pair"), OBJECT);
    uint32_t first = ib_row_count(b, ILP_TypeDef) + 1;
    uint32_t x = ib_string(b, "X"), name = ib_string(b, "M"), rva = small_body(b);
    IB_ROW(b, GenericParam, 0, 0, pair, x);
    IB_ROW(b, GenericParam, 1, 0, pair, x);
    for (uint32_t i = 0; i < count; i++) {
        ilp_token base = OBJECT;
        if (i != 0) {
            PUT(0x15);
            put_type(0x12, ILP_TOKEN(ILP_TypeDef, first + i - 1));
            PUT(0x01, 0x15);
            put_type(0x12, pair);
            PUT(0x02, 0x13, 0x00, 0x13, 0x00);
            base = ILP_TOKEN(ILP_TypeSpec, IB_ROW(b, TypeSpec, blob_of_piece(b)));
        }
        ilp_token own = type(b, name_of(b, "T", i), base);
        IB_ROW(b, GenericParam, 0, 0, own, x);
        PUT(0x00, 0x00, 0x15);
        put_type(0x12, own);
        PUT(0x01, 0x08);
        method(b, name, blob_of_piece(b), rva);
    }
}

/* class T<X> : T<T<X>>, with no end. */
static void endless_bases(struct ib_image *b, uint32_t size)
{
    uint32_t x = ib_string(b, "X"), name = ib_string(b, "M"), rva = small_body(b);
    for (uint32_t i = 0; i < size / 80; i++) {
        ilp_token own = ILP_TOKEN(ILP_TypeDef, ib_row_count(b, ILP_TypeDef) + 1);
        PUT(0x15);
        put_type(0x12, own);
        PUT(0x01, 0x15);
        put_type(0x12, own);
        PUT(0x01, 0x13, 0x00);
        type(b, name_of(b, "T", i), ILP_TOKEN(ILP_TypeSpec, IB_ROW(b, TypeSpec, blob_of_piece(b))));
        IB_ROW(b, GenericParam, 0, 0, own, x);
        PUT(0x00, 0x00, 0x15);
        put_type(0x12, own);
        PUT(0x01, 0x08);
        method(b, name, blob_of_piece(b), rva);
    }
}

/* Generic parameters of one type, each constrained by the next. */
static void constraint_chain(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 40 < 60000 ? size / 40 : 60000;
    ilp_token own = ILP_TOKEN(ILP_TypeDef, TYPE);
    for (uint32_t i = 0; i < count; i++) {
        IB_ROW(b, GenericParam, i, 0, own, name_of(b, "T", i));
        PUT(0x13);
        ib_packed(&piece, (i + 1) % count);
        IB_ROW(b, TypeSpec, blob_of_piece(b));
        IB_ROW(b, GenericParamConstraint, i + 1, ILP_TOKEN(ILP_TypeSpec, i + 1));
    }
    uint32_t rva = small_body(b), name = ib_string(b, "M");
    for (uint32_t i = 0; i < count / 2; i++) {
        PUT(0x00, 0x00, 0x13);
        ib_packed(&piece, i);
        method(b, name, blob_of_piece(b), rva);
    }
}

/* struct S1 { S0 a, b; } struct S2 { S1 a, b; } ... */
static void doubling_structs(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 96, first = ib_row_count(b, ILP_TypeDef) + 1;
    uint32_t a = ib_string(b, "a"), name = ib_string(b, "M"), rva = small_body(b);
    for (uint32_t i = 0; i < count; i++) {
        IB_ROW(b, TypeDef, 0x100109, name_of(b, "S", i), 0, VALUE_TYPE,
               ib_row_count(b, ILP_Field) + 1, ib_row_count(b, ILP_MethodDef) + 1);
        for (unsigned field = 0; field < 2; field++) {
            PUT(0x06);
            if (i != 0) {
                put_type(0x11, ILP_TOKEN(ILP_TypeDef, first + i - 1));
            } else {
                PUT(0x08);
            }
            IB_ROW(b, Field, 0x06, a, blob_of_piece(b));
        }
        PUT(0x00, 0x00);
        put_type(0x11, ILP_TOKEN(ILP_TypeDef, first + i));
        method(b, name, blob_of_piece(b), rva);
    }
}

/* Fields of an explicit layout, all at one offset. */
static void overlapping_fields(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 24, signature = IB_BLOB(b, 0x06, 0x08), string = IB_BLOB(b, 0x06, 0x0E);
    ilp_token own = ILP_TOKEN(ILP_TypeDef,
                              IB_ROW(b, TypeDef, 0x100111, ib_string(b, "S"), 0, VALUE_TYPE, 1, 1));
    for (uint32_t i = 0; i < count; i++) {
        IB_ROW(b, Field, 0x06, name_of(b, "f", i), i % 2 ? signature : string);
        IB_ROW(b, FieldLayout, i % 5, i + 1);
    }
    PUT(0x00, 0x00);
    put_type(0x11, own);
    method(b, ib_string(b, "M"), blob_of_piece(b), small_body(b));
}

/* The runs of members overlap: every second type has all methods, fields. */
static void overlapping_runs(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 64, signature = int_signature(b), field = IB_BLOB(b, 0x06, 0x08);
    uint32_t rva = small_body(b);
    for (uint32_t i = 0; i < count; i++) {
        method(b, name_of(b, "M", i), signature, rva);
        IB_ROW(b, Field, 0x06, name_of(b, "f", i), field);
        IB_ROW(b, Param, 0, 0, 0);
        ib_set(b, ILP_MethodDef, i + 1, ILP_MethodDef_ParamList, i % 2 ? count : 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t run = i % 2 ? count : 1;
        IB_ROW(b, TypeDef, 0x100001, name_of(b, "T", i), 0, OBJECT, run, run);
    }
}

/* ---- rows ---- */

/* Attributes of one type, which nothing resolves. */
static void attributes_of_one(struct ib_image *b, uint32_t size)
{
    uint32_t system = ib_string(b, "System.Runtime.CompilerServices");
    IB_ROW(b, TypeRef, ILP_TOKEN(ILP_AssemblyRef, 1), ib_string(b, "CompilerGeneratedAttribute"),
           system);
    IB_ROW(b, MemberRef, ILP_TOKEN(ILP_TypeRef, ib_row_count(b, ILP_TypeRef)),
           ib_string(b, ".ctor"), IB_BLOB(b, 0x20, 0x00, 0x01));
    uint32_t value = IB_BLOB(b, 0x01, 0x00, 0x00, 0x00), rva = small_body(b);
    uint32_t name = ib_string(b, "M");
    /* A struct: its attributes say whether it is byref-like. */
    ilp_token own = ILP_TOKEN(ILP_TypeDef,
                              IB_ROW(b, TypeDef, 0x100109, ib_string(b, "S"), 0, VALUE_TYPE, 1, 1));
    PUT(0x00, 0x00);
    put_type(0x11, own);
    uint32_t signature = blob_of_piece(b);
    for (uint32_t i = 0; i < size / 32; i++) {
        IB_ROW(b, CustomAttribute, own, ILP_TOKEN(ILP_MemberRef, 1), value);
        method(b, name, signature, rva);
    }
}

/* The same, in a table that is not sorted, with a long value that they share. */
static void attributes_unsorted(struct ib_image *b, uint32_t size)
{
    b->sorted = 0;
    IB_ROW(b, MemberRef, ILP_TOKEN(ILP_TypeRef, ATTRIBUTE_REF), ib_string(b, ".ctor"),
           IB_BLOB(b, 0x20, 0x01, 0x01, 0x0E));
    PUT(0x01, 0x00);
    ib_packed(&piece, size / 2);
    put_times('v', size / 2);
    PUT(0x00, 0x00);
    uint32_t value = blob_of_piece(b), signature = int_signature(b), rva = small_body(b);
    uint32_t name = ib_string(b, "M"), count = size / 64;
    for (uint32_t i = 0; i < count; i++) {
        IB_ROW(b, CustomAttribute, ILP_TOKEN(ILP_MethodDef, count - i), ILP_TOKEN(ILP_MemberRef, 1),
               value);
        method(b, name, signature, rva);
    }
}

/* Properties and events of one type, with accessors. */
static void properties_of_one(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 56, signature = int_signature(b), rva = small_body(b);
    uint32_t type_of_all = IB_BLOB(b, 0x08, 0x00, 0x08), get = ib_string(b, "get"),
             name = ib_string(b, "P");
    IB_ROW(b, PropertyMap, TYPE, 1);
    for (uint32_t i = 1; i <= count; i++) {
        method(b, get, signature, rva);
        IB_ROW(b, Property, 0, name, type_of_all);
        IB_ROW(b, MethodSemantics, 2, i, ILP_TOKEN(ILP_Property, i));
    }
}

/* Overloads: one name, different signatures. */
static void overloads(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 48, name = ib_string(b, "M"), rva = small_body(b);
    for (uint32_t i = 0; i < count; i++) {
        PUT(0x00, 0x03, 0x08);
        for (unsigned parameter = 0; parameter < 3; parameter++) {
            put_times(0x1D, i >> (4 * parameter) & 15);
            PUT(0x08);
        }
        uint32_t signature = blob_of_piece(b);
        method(b, name, signature, rva);
        IB_ROW(b, MemberRef, ILP_TOKEN(ILP_TypeDef, TYPE), name, signature);
    }
    for (uint32_t i = 1; i <= count; i++) {
        put_times(0x16, 3);
        PUT(0x28);
        ib_number(&piece, ILP_TOKEN(ILP_MemberRef, i), 4);
        PUT(0x26);
    }
    PUT(0x1D, 0x2A);
    rva = body_of_piece(b, 0);
    method(b, ib_string(b, "All"), int_signature(b), rva);
}

/* Rows that say the same, in every table that has names. */
static void duplicates(struct ib_image *b, uint32_t size)
{
    uint32_t name = ib_string(b, "N"), signature = int_signature(b), rva = small_body(b);
    uint32_t field = IB_BLOB(b, 0x06, 0x08), spec = IB_BLOB(b, 0x1D, 0x08);
    uint32_t count = size / 200;
    for (uint32_t i = 0; i < count; i++) {
        method(b, name, signature, rva);
        IB_ROW(b, Field, 0x16, name, field);
        IB_ROW(b, TypeRef, ILP_TOKEN(ILP_AssemblyRef, 1), name, name);
        IB_ROW(b, MemberRef, OBJECT, name, signature);
        IB_ROW(b, TypeSpec, spec);
        IB_ROW(b, ModuleRef, name);
        IB_ROW(b, AssemblyRef, 4, 0, 0, 0, 0, 0, name, 0, 0);
        IB_ROW(b, File, 0, name, 0);
        IB_ROW(b, ManifestResource, 0, 1, name, 0);
        IB_ROW(b, ExportedType, 0x200000, 0, name, name, ILP_TOKEN(ILP_AssemblyRef, 1));
        IB_ROW(b, InterfaceImpl, TYPE, OBJECT);
        IB_ROW(b, MethodImpl, TYPE, ILP_TOKEN(ILP_MethodDef, 1), ILP_TOKEN(ILP_MemberRef, 1));
        IB_ROW(b, MethodSpec, ILP_TOKEN(ILP_MethodDef, 1), spec);
    }
    for (uint32_t i = 0; i < count; i++) {
        IB_ROW(b, TypeDef, 0x100001, name, name, OBJECT, count + 1, count + 1);
    }
}

/* References whose scope is the reference before. */
static void scope_chain(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 48, first = ib_row_count(b, ILP_TypeRef) + 1;
    uint32_t name = ib_string(b, "M"), rva = small_body(b), method_signature = int_signature(b);
    for (uint32_t i = 0; i < count; i++) {
        IB_ROW(b, TypeRef,
               i != 0 ? ILP_TOKEN(ILP_TypeRef, first + i - 1) : ILP_TOKEN(ILP_AssemblyRef, 1),
               name_of(b, "R", i), 0);
        IB_ROW(b, MemberRef, ILP_TOKEN(ILP_TypeRef, first + i), name, method_signature);
        PUT(0x00, 0x00);
        put_type(0x12, ILP_TOKEN(ILP_TypeRef, first + i));
        method(b, name, blob_of_piece(b), rva);
    }
}

/* Exported types, each within the one before. */
static void exported_chain(struct ib_image *b, uint32_t size)
{
    for (uint32_t i = 0; i < size / 36; i++) {
        IB_ROW(b, ExportedType, 0x200000, 0, name_of(b, "E", i), 0,
               i != 0 ? ILP_TOKEN(ILP_ExportedType, i) : ILP_TOKEN(ILP_AssemblyRef, 1));
    }
    method(b, ib_string(b, "M"), int_signature(b), small_body(b));
}

/* References to assemblies that do not exist. */
static void many_references(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 80, name = ib_string(b, "M"), rva = small_body(b);
    uint32_t signature = int_signature(b);
    for (uint32_t i = 0; i < count; i++) {
        ilp_token scope = ILP_TOKEN(ILP_AssemblyRef, IB_ROW(b, AssemblyRef, 4, 0, 0, 0, 0, 0,
                                                            name_of(b, "Missing", i), 0, 0));
        ilp_rid reference = IB_ROW(b, TypeRef, scope, name, name);
        IB_ROW(b, MemberRef, ILP_TOKEN(ILP_TypeRef, reference), name, signature);
        PUT(0x00, 0x00);
        put_type(0x11, ILP_TOKEN(ILP_TypeRef, reference));
        method(b, name, blob_of_piece(b), rva);
    }
}

/* Strings of code, one long and used by every method. */
static void user_strings(struct ib_image *b, uint32_t size)
{
    uint32_t offset = (uint32_t)b->user_strings.size, count = size / 64;
    ib_packed(&b->user_strings, size / 2 | 1);
    ib_zeros(&b->user_strings, size / 2 | 1);
    PUT(0x00, 0x00, 0x0E);
    uint32_t signature = blob_of_piece(b), name = ib_string(b, "M");
    PUT(0x1A, 0x72);
    ib_number(&piece, 0x70000000 | offset, 4);
    PUT(0x2A);
    uint32_t rva = data_of_piece(b);
    for (uint32_t i = 0; i < count; i++) {
        method(b, name, signature, rva);
    }
}

/* Resources that are the same bytes, half of the file, and begin one byte after each other. */
static uint32_t resources_place[2];

static void resources(struct ib_image *b, uint32_t size)
{
    uint32_t name = ib_string(b, "R"), count = size / 64;
    for (uint32_t i = 0; i < count; i++) {
        IB_ROW(b, ManifestResource, i * 4, 1, name, 0);
        ib_number(&piece, size / 4, 4);
    }
    put_times(0, size / 2);
    resources_place[1] = (uint32_t)piece.size;
    resources_place[0] = data_of_piece(b);
    method(b, ib_string(b, "M"), int_signature(b), small_body(b));
}

/* ---- symbols ---- */

static struct ib_image symbols;
static bool has_symbols;
static uint32_t symbols_claimed; /* that they are so large, whatever they are; 0: the outcome */

/* Methods that symbols are for. */
static void small_methods(struct ib_image *b, uint32_t count)
{
    uint32_t signature = int_signature(b), name = ib_string(b, "M"), rva = small_body(b);
    for (uint32_t i = 0; i < count; i++) {
        method(b, name, signature, rva);
    }
    has_symbols = true;
}

static uint32_t document_of_piece(void)
{
    return IB_ROW(&symbols, Document, blob_of_piece(&symbols), 0, 0, 0);
}

/* One document "a". */
static uint32_t small_document(void)
{
    uint32_t part = IB_BLOB(&symbols, 'a');
    PUT('/');
    ib_packed(&piece, part);
    return document_of_piece();
}

/* A method with a point for every instruction. */
static void symbols_points(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 6, document = small_document();
    put_times(0x00, count);
    PUT(0x1D, 0x2A);
    method(b, ib_string(b, "M"), int_signature(b), body_of_piece(b, 0));
    has_symbols = true;
    PUT(0x00, 0x00, 0x01, 0x05, 0x0A, 0x01); /* no locals; at 0: a line down, from line 10 */
    for (uint32_t i = 1; i < count; i++) {
        PUT(0x01, 0x00, 0x01, 0x02, 0x00); /* the next line */
    }
    IB_ROW(&symbols, MethodDebugInformation, document, blob_of_piece(&symbols));
}

/* One blob of points, for all methods. */
static void symbols_shared_points(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 64, document = small_document();
    PUT(0x00);
    for (uint32_t i = 0; i < size / 6; i++) {
        PUT(0x01, 0x00, 0x00); /* hidden */
    }
    uint32_t points = blob_of_piece(&symbols);
    small_methods(b, count);
    for (uint32_t i = 0; i < count; i++) {
        IB_ROW(&symbols, MethodDebugInformation, document, points);
    }
}

/* One blob of async steps, for all methods. */
static void symbols_shared_steps(struct ib_image *b, uint32_t size)
{
    static const uint8_t kind[16] = {0xC5, 0x2A, 0xFD, 0x54, 0x25, 0xE9, 0x1A, 0x40,
                                     0x9C, 0x2A, 0xF9, 0x4F, 0x17, 0x10, 0x72, 0xF8};
    uint32_t count = size / 64;
    ib_put(&symbols.guids, kind, sizeof kind);
    PUT(0, 0, 0, 0);
    for (uint32_t i = 0; i < size / 20; i++) {
        PUT(0, 0, 0, 0, 1, 0, 0, 0, 1);
    }
    uint32_t steps = blob_of_piece(&symbols);
    small_methods(b, count);
    ib_rows(&symbols, ILP_MethodDebugInformation, count);
    for (uint32_t i = 1; i <= count; i++) {
        IB_ROW(&symbols, CustomDebugInformation, ILP_TOKEN(ILP_MethodDef, i), 1, steps);
    }
}

/* A method of which every point is in another document. */
static void symbols_documents(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 24;
    for (uint32_t i = 0; i < count; i++) {
        small_document();
    }
    PUT(0x00, 0x01, 0x00, 0x01, 0x05, 0x0A, 0x01);
    for (uint32_t i = 2; i <= count; i++) {
        PUT(0x00);
        ib_packed(&piece, i);
        PUT(0x01, 0x00, 0x01, 0x02, 0x00);
    }
    uint32_t points = blob_of_piece(&symbols);
    small_methods(b, 1);
    IB_ROW(&symbols, MethodDebugInformation, 0, points);
}

/* Documents whose name is one long part, over and over. */
static void symbols_shared_parts(struct ib_image *b, uint32_t size)
{
    uint32_t count = size / 64, parts = size / 8 < 4000 ? size / 8 : 4000;
    put_times('a', size / 4);
    uint32_t part = blob_of_piece(&symbols);
    PUT('/');
    for (uint32_t i = 0; i < parts; i++) {
        ib_packed(&piece, part);
    }
    uint32_t document = document_of_piece();
    uint32_t points = IB_BLOB(&symbols, 0x00, 0x00, 0x00, 0x01, 0x0A, 0x01);
    small_methods(b, count);
    for (uint32_t i = 0; i < count; i++) {
        IB_ROW(&symbols, MethodDebugInformation, document, points);
    }
}

/* Many rows of every table for one method. */
static void symbols_rows(struct ib_image *b, uint32_t size)
{
    uint32_t name = ib_string(&symbols, "local");
    small_methods(b, 2);
    ib_rows(&symbols, ILP_MethodDebugInformation, 2);
    for (uint32_t i = 0; i < size / 80; i++) {
        IB_ROW(&symbols, ImportScope, i, 0);
        IB_ROW(&symbols, LocalVariable, 0, 0, name);
        IB_ROW(&symbols, LocalConstant, name, 0);
        IB_ROW(&symbols, LocalScope, 1, i + 1, i + 1, i + 1, 0, 2);
        IB_ROW(&symbols, StateMachineMethod, 1, 2);
        IB_ROW(&symbols, CustomDebugInformation, ILP_TOKEN(ILP_MethodDef, 1), 0, 0);
    }
}

/* Ten times as many zeros as the assembly is large. */
static void symbols_zeros(struct ib_image *b, uint32_t size)
{
    small_methods(b, size / 14);
    ib_zeros(&symbols.blobs, size * 10);
}

/* What does not pack well, and says that it becomes as much as it could. */
static void symbols_lying(struct ib_image *b, uint32_t size)
{
    uint32_t noise = 1;
    small_methods(b, 1);
    for (uint32_t i = 0; i < size / 4; i++) {
        noise = noise * 1664525 + 1013904223;
        ib_number(&symbols.blobs, noise >> 8, 3);
    }
    symbols_claimed = size / 2 * 1000;
}

/* The debug directory, which leads to the symbols in `packed`, or else elsewhere. */
static void put_debug(struct ib_image *b, struct ilp_bytes packed, uint32_t *directory)
{
    static const char path[] = "in.pdb";
    put("RSDS", 4);
    put_times(0, 16);
    PUT(1, 0, 0, 0);
    put(path, sizeof path);
    uint32_t view_size = (uint32_t)piece.size;
    uint32_t places[2] = {data_of_piece(b), 0};
    put(packed.data, packed.size);
    places[1] = data_of_piece(b);
    const uint32_t sizes[] = {view_size, (uint32_t)packed.size};
    const uint8_t types[] = {ILPI_DEBUG_CODEVIEW, ILPI_DEBUG_EMBEDDED_PDB};
    for (unsigned i = 0; i < (packed.size != 0 ? 2u : 1u); i++) {
        uint32_t minor = types[i] == ILPI_DEBUG_CODEVIEW ? ILPI_DEBUG_PORTABLE : 0x100;
        ib_number(&piece, 0, 8);
        ib_number(&piece, 0x100 | minor << 16, 4);
        ib_number(&piece, types[i], 4);
        ib_number(&piece, sizes[i], 4);
        ib_number(&piece, places[i], 4);
        ib_number(&piece, places[i] - FIRST_RVA + 0x200 + 72, 4);
    }
    directory[1] = (uint32_t)piece.size;
    directory[0] = data_of_piece(b);
}

static bool write_file(const char *path, const void *data, size_t size)
{
    FILE *out = fopen(path, "wb");
    bool done = out && fwrite(data, 1, size, out) == size;
    return out && fclose(out) == 0 && done;
}

/* Into the assembly, or the file `path`. */
static bool put_symbols(struct ib_image *b, const char *path, uint32_t *directory)
{
    for (unsigned table = 0; table < ILP_Document; table++) {
        symbols.referenced[table] = b->tables[table].count;
    }
    ib_pdb_stream(&symbols);
    struct ib_bytes root = ib_root(&symbols);
    struct ilpi_alloc alloc;
    ilpi_alloc_init(&alloc, NULL);
    struct ilpi_buf packed = {.alloc = &alloc};
    bool done = true;
    if (path) {
        done = write_file(path, root.data, root.size);
    } else {
        ilpi_buf_text(&packed, "MPDB");
        ilpi_buf_u32(&packed, symbols_claimed != 0 ? symbols_claimed : (uint32_t)root.size);
        done = ilpi_deflate(&packed, (struct ilp_bytes){root.data, root.size}, NULL) == ILP_OK;
        printf("%zu\n", root.size);
    }
    put_debug(b, ilpi_buf_bytes(&packed), directory);
    ilpi_buf_free(&packed);
    ib_free(&root);
    return done;
}

/* ---- every table, with cells that refer to nothing ---- */

static void broken_rows(struct ib_image *b, unsigned table, uint32_t size)
{
    const struct ilpi_table_def *def = &ilpi_tables[table];
    uint32_t count = size / (def->columns * 3u);
    ilp_rid first = ib_rows(b, table, count);
    for (ilp_rid rid = first; rid < first + count; rid++) {
        for (unsigned column = 0; column < def->columns; column++) {
            switch ((enum ilpi_column_kind)def->column[column].kind) {
            case ILPI_U8PAD:
            case ILPI_U16: ib_set(b, table, rid, column, 0xFFFF); break;
            case ILPI_U32: ib_set(b, table, rid, column, 0xFFFFFFFF); break;
            case ILPI_CODED: ib_set(b, table, rid, column, IB_RAW(0xFFF7)); break;
            default: ib_set(b, table, rid, column, 0xFFFF); break;
            }
        }
    }
}

/* ---- the command line ---- */

/* clang-format off */
static const struct {
    const char *name;
    void (*make)(struct ib_image *, uint32_t);
} families[] = {
#define F(name) {#name, name},
    F(shared_body) F(overlapping_bodies) F(huge_switch) F(shared_switch) F(many_returns)
    F(growing_branches) F(backward_branches) F(nested_clauses) F(equal_clauses) F(high_stack)
    F(shared_locals) F(call_chain) F(many_calls) F(huge_name) F(overlapping_names)
    F(overlapping_blobs) F(shared_signature) F(deep_signature) F(many_parameters)
    F(doubling_specs) F(wide_instances) F(extends_chain) F(extends_circle) F(extends_backwards)
    F(nested_chain) F(nested_circle) F(many_nested) F(assignments) F(interface_lattice)
    F(doubling_bases) F(endless_bases) F(constraint_chain) F(doubling_structs)
    F(overlapping_fields) F(overlapping_runs) F(attributes_of_one) F(attributes_unsorted)
    F(properties_of_one) F(overloads) F(duplicates) F(scope_chain) F(exported_chain)
    F(many_references) F(user_strings) F(resources) F(symbols_points) F(symbols_shared_points)
    F(symbols_shared_steps) F(symbols_documents) F(symbols_shared_parts) F(symbols_rows)
    F(symbols_zeros) F(symbols_lying)
#undef F
};
/* clang-format on */

enum { FAMILY_COUNT = sizeof families / sizeof families[0] };

static void list(void)
{
    for (size_t i = 0; i < FAMILY_COUNT; i++) {
        puts(families[i].name);
    }
    for (unsigned table = 0; table < ILP_Document; table++) {
        if (ilpi_tables[table].name) {
            printf("broken_%s\n", ilpi_tables[table].name);
        }
    }
}

static bool make(struct ib_image *b, const char *family, uint32_t size)
{
    for (size_t i = 0; i < FAMILY_COUNT; i++) {
        if (strcmp(family, families[i].name) == 0) {
            families[i].make(b, size);
            return true;
        }
    }
    for (unsigned table = 0; table < ILP_Document; table++) {
        const char *name = ilpi_tables[table].name;
        if (name && strncmp(family, "broken_", 7) == 0 && strcmp(family + 7, name) == 0) {
            broken_rows(b, table, size);
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        list();
        return 0;
    }
    struct ib_image b;
    uint32_t debug[2] = {0, 0};
    begin(&b);
    ib_begin(&symbols);
    if (argc < 4 || argc > 5 || !make(&b, argv[1], (uint32_t)strtoul(argv[2], NULL, 10))) {
        fputs("usage: hostile list | FAMILY BYTES OUT [PDB]\n", stderr);
        return 2;
    }
    bool done = !has_symbols || put_symbols(&b, argv[4], debug);
    struct ib_file file = ib_pe_file(&b, (struct ib_pe){0});
    ib_directory(&file, 6, debug[0], debug[1]);
    ib_set32(file.data, file.cli + 24, resources_place[0]);
    ib_set32(file.data, file.cli + 28, resources_place[1]);
    done = write_file(argv[3], file.data, file.size) && done;
    free(file.data);
    ib_free(&piece);
    ib_end(&symbols);
    ib_end(&b);
    return done ? 0 : 1;
}
