/* Good signatures, and what the tests of src/sig have in common. */
#ifndef SIG_CASES_H
#define SIG_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sig/grammar.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define ORIGIN       0x1000u

/* D5 is TypeDef 5, R and S are TypeRef and TypeSpec: 0x14, 0x15 and 0x16 in a blob. */
static const struct {
    enum ilp_sig_kind kind;
    const char *bytes;
    const char *text;
} good[] = {
    /* methods: conventions and flags */
    {ILP_SIG_METHOD, "00 00 01", "void M()"},
    {ILP_SIG_METHOD, "20 01 08 0E", "instance int32 M(string)"},
    {ILP_SIG_METHOD, "60 01 01 1C", "instance explicit void M(object)"},
    {ILP_SIG_METHOD, "10 01 02 1E 00 08 1E 00", "!!0 M<1>(int32, !!0)"},
    {ILP_SIG_METHOD, "30 02 01 13 01 1E 01", "instance !1 M<2>(!!1)"},
    {ILP_SIG_METHOD, "05 02 08 0E 1C", "vararg int32 M(string, object)"},
    {ILP_SIG_METHOD, "05 02 08 08 41 0D", "vararg int32 M(int32, ..., float64)"},
    {ILP_SIG_METHOD, "25 02 01 41 08 0D", "instance vararg void M(..., int32, float64)"},
    {ILP_SIG_STANDALONE, "01 01 01 18", "unmanaged cdecl void M(native int)"},
    {ILP_SIG_STANDALONE, "02 00 08", "unmanaged stdcall int32 M()"},
    {ILP_SIG_STANDALONE, "03 00 08", "unmanaged thiscall int32 M()"},
    {ILP_SIG_STANDALONE, "04 00 08", "unmanaged fastcall int32 M()"},
    {ILP_SIG_STANDALONE, "09 02 20 15 01 18 0A", "unmanaged void modopt(R5) M(native int, int64)"},
    {ILP_SIG_STANDALONE, "20 00 01", "instance void M()"},
    /* every primitive */
    {ILP_SIG_METHOD, "00 0D 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E",
     "void M(bool, char, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, "
     "float64, string)"},
    {ILP_SIG_METHOD, "00 03 16 18 19 1C", "typedref M(native int, native uint, object)"},
    /* tokens, of one, two and four bytes */
    {ILP_SIG_METHOD, "00 02 12 14 11 15 12 16", "class D5 M(valuetype R5, class S5)"},
    {ILP_SIG_FIELD, "06 12 80 80", "class D32 M"},
    {ILP_SIG_FIELD, "06 11 BF FD", "valuetype R4095 M"},
    {ILP_SIG_FIELD, "06 11 C0 00 40 00", "valuetype D4096 M"},
    {ILP_SIG_FIELD, "06 12 C3 FF FF FD", "class R16777215 M"},
    /* what is around a type */
    {ILP_SIG_FIELD, "06 0F 01", "void* M"},
    {ILP_SIG_FIELD, "06 0F 0F 08", "int32** M"},
    {ILP_SIG_FIELD, "06 10 08", "int32& M"},
    {ILP_SIG_FIELD, "06 1D 1D 05", "uint8[][] M"},
    {ILP_SIG_METHOD, "00 01 10 1D 08 10 0F 01", "int32[]& M(void*&)"},
    /* modifiers: volatile, `init`, `in`, `ref readonly`, and C++/CLI's places */
    {ILP_SIG_FIELD, "06 1F 15 08", "int32 modreq(R5) M"},
    {ILP_SIG_METHOD, "20 01 1F 15 01 0E", "instance void modreq(R5) M(string)"},
    {ILP_SIG_METHOD, "00 01 01 1F 15 10 08", "void M(int32& modreq(R5))"},
    {ILP_SIG_METHOD, "00 01 10 20 15 08 10 20 15 1F 19 08",
     "int32 modopt(R5)& M(int32 modreq(R6) modopt(R5)&)"},
    {ILP_SIG_METHOD, "00 01 20 15 08 0F 20 14 01", "int32 modopt(R5) M(void modopt(D5)*)"},
    {ILP_SIG_FIELD, "06 1D 20 16 0E", "string modopt(S5)[] M"},
    {ILP_SIG_TYPE_SPEC, "15 12 15 01 20 15 08", "class R5<int32 modopt(R5)> M"},
    /* arrays */
    {ILP_SIG_FIELD, "06 14 08 01 00 00", "int32[...] M"},
    {ILP_SIG_FIELD, "06 14 08 02 00 00", "int32[,] M"},
    {ILP_SIG_FIELD, "06 14 08 02 00 02 00 00", "int32[0...,0...] M"},
    {ILP_SIG_FIELD, "06 14 08 01 00 01 00", "int32[0...] M"},
    {ILP_SIG_FIELD, "06 14 08 03 02 03 04 00", "int32[3,4,] M"},
    {ILP_SIG_FIELD, "06 14 08 03 02 05 06 02 00 02", "int32[5,1...6,] M"},
    {ILP_SIG_FIELD, "06 14 08 04 01 0A 03 7B 00 7F", "int32[-3...6,0...,-1...,] M"},
    {ILP_SIG_FIELD, "06 14 08 06 00 06 7E 01 80 80 80 01 BF FE C0 00 40 00",
     "int32[63...,-64...,64...,-8192...,8191...,8192...] M"},
    {ILP_SIG_FIELD, "06 14 08 02 00 02 C0 00 00 01 DF FF FF FE",
     "int32[-268435456...,268435455...] M"},
    {ILP_SIG_FIELD, "06 14 14 1C 02 00 00 20 00 00",
     "object[,][,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,] M"},
    /* generics */
    {ILP_SIG_METHOD, "20 01 13 00 15 12 15 02 08 1E 01", "instance !0 M(class R5<int32,!!1>)"},
    {ILP_SIG_TYPE_SPEC, "15 11 14 01 15 12 15 01 1D 13 80 80", "valuetype D5<class R5<!128[]>> M"},
    {ILP_SIG_METHOD_SPEC, "0A 01 08", "M<int32>"},
    {ILP_SIG_METHOD_SPEC, "0A 02 15 12 15 01 0E 1E 00", "M<class R5<string>,!!0>"},
    /* function pointers */
    {ILP_SIG_FIELD, "06 1B 00 01 08 0E", "method int32 *(string) M"},
    {ILP_SIG_FIELD, "06 1B 01 00 0F 01", "method unmanaged cdecl void* *() M"},
    {ILP_SIG_METHOD, "00 02 01 1B 25 02 01 08 41 0E 0F 1B 09 00 01",
     "void M(method instance vararg void *(int32, ..., string), method unmanaged void *()*)"},
    {ILP_SIG_FIELD, "06 1D 1B 00 01 1B 00 00 01 1B 00 00 08",
     "method method void *() *(method int32 *())[] M"},
    /* properties, locals, TypeSpecs */
    {ILP_SIG_PROPERTY, "28 00 0E", "instance string M()"},
    {ILP_SIG_PROPERTY, "08 02 10 08 08 1C", "int32& M(int32, object)"},
    {ILP_SIG_LOCALS, "07 00", "()"},
    {ILP_SIG_LOCALS, "07 02 08 45 0E", "(int32, string pinned)"},
    {ILP_SIG_STANDALONE, "07 03 45 10 05 16 10 11 14", "(uint8& pinned, typedref, valuetype D5&)"},
    {ILP_SIG_LOCALS, "07 02 20 15 45 0F 01 45 20 15 0E",
     "(void* pinned modopt(R5), string modopt(R5) pinned)"},
    {ILP_SIG_STANDALONE, "06 08", "int32 M"},
    {ILP_SIG_STANDALONE, "06 45 10 05", "uint8& pinned M"},
    {ILP_SIG_TYPE_SPEC, "08", "int32 M"},
    {ILP_SIG_TYPE_SPEC, "1D 1E 00", "!!0[] M"},
    {ILP_SIG_TYPE_SPEC, "0F 01", "void* M"},
    {ILP_SIG_TYPE_SPEC, "1B 00 00 01", "method void *() M"},
};

/* ---- helpers ---- */

/* Bytes in a block of their very size, so that AddressSanitizer sees the first read after them; no
 * bytes have no address. */
static inline struct ilp_bytes exact(const uint8_t *bytes, size_t size)
{
    if (size == 0) {
        return (struct ilp_bytes){NULL, 0};
    }
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    return (struct ilp_bytes){copy, size};
}

static inline struct ilp_bytes hex(const char *text)
{
    uint8_t bytes[64];
    size_t size = 0;
    for (; *text; text += strspn(text, " ")) {
        char *end;
        assert_true(size < sizeof bytes);
        bytes[size++] = (uint8_t)strtoul(text, &end, 16);
        text = end;
    }
    return exact(bytes, size);
}

static inline void drop(struct ilp_bytes bytes)
{
    free((void *)(uintptr_t)bytes.data);
}

static inline void short_name(void *user, struct ilpi_buf *buf, ilp_token token)
{
    (void)user;
    static const char letters[] = {[ILP_TypeDef] = 'D', [ILP_TypeRef] = 'R', [ILP_TypeSpec] = 'S'};
    ilpi_buf_format(buf, "%c%u", letters[ILP_TOKEN_TABLE(token)], (unsigned)ILP_TOKEN_RID(token));
}

static const struct ilpi_sig_names short_names = {.type = short_name};

struct bench {
    struct ilp_arena *arena;
    struct ilpi_alloc alloc;
    struct ilpi_buf text;
    struct ilpi_buf bytes;
};

static inline int open_bench(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    assert_int_equal(ilp_arena_open(&bench->arena, NULL, NULL), ILP_OK);
    ilpi_alloc_init(&bench->alloc, NULL);
    bench->text.alloc = &bench->alloc;
    bench->bytes.alloc = &bench->alloc;
    *state = bench;
    return 0;
}

static inline int close_bench(void **state)
{
    struct bench *bench = *state;
    ilp_arena_close(bench->arena);
    ilpi_buf_free(&bench->text);
    ilpi_buf_free(&bench->bytes);
    assert_int_equal(bench->alloc.used, 0);
    free(bench);
    return 0;
}

static inline struct ilp_bytes written(struct bench *bench, const struct ilp_sig *sig)
{
    struct ilp_error error = {0};
    bench->bytes.size = 0;
    if (ilpi_sig_write(&bench->bytes, sig, NULL, &error) != ILP_OK) {
        fail_msg("%s", error.message);
    }
    return ilpi_buf_bytes(&bench->bytes);
}

static inline void same_bytes(struct ilp_bytes a, struct ilp_bytes b)
{
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
}

static inline struct ilp_sig *read_good(struct bench *bench, struct ilp_bytes blob,
                                        enum ilp_sig_kind kind)
{
    struct ilp_error error = {0};
    struct ilp_sig *sig;
    if (ilp_sig_read(&sig, blob, kind, ORIGIN, bench->arena, &error) != ILP_OK) {
        fail_msg("%s (at 0x%llx)", error.message, (unsigned long long)error.offset);
    }
    return sig;
}

#endif
