/* The registers of x86 and Arm, and patterns in them. */
#include "slots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slot slots[160];
size_t slot_count;

static void slot(const char *name, int number, size_t offset, size_t bytes)
{
    struct slot *new = &slots[slot_count++];
    if (number < 0) {
        snprintf(new->name, sizeof new->name, "%s", name);
    } else {
        snprintf(new->name, sizeof new->name, "%s%d", name, number);
    }
    new->offset = offset;
    new->bytes = bytes;
}

const struct slot *find_slot(const char *name)
{
    for (size_t i = 0; i < slot_count; i++) {
        if (strcmp(slots[i].name, name) == 0) {
            return &slots[i];
        }
    }
    fprintf(stderr, "no register %s\n", name);
    exit(2);
}

uintptr_t get_word(const uint8_t *state, const char *name)
{
    uintptr_t word = 0;
    const struct slot *slot = find_slot(name);
    memcpy(&word, state + slot->offset, slot->bytes < sizeof word ? slot->bytes : sizeof word);
    return word;
}

void set_word(uint8_t *state, const char *name, uintptr_t value)
{
    memcpy(state + find_slot(name)->offset, &value, sizeof value);
}

static void put(uint8_t *state, size_t offset, uint64_t value, size_t bytes)
{
    memcpy(state + offset, &value, bytes);
}

static void fill_pattern(unsigned seed)
{
    uint32_t x = seed * 2654435761u + 1;
    for (size_t i = 0; i < STATE_BYTES; i++) {
        x = x * 1664525u + 1013904223u;
        elt_test_before[i] = (uint8_t)(1 + (x >> 24) % 219); /* neither 0 nor 0xdd */
    }
}

#if defined __x86_64__ || defined __i386__

enum {
    DF = STATE_DERIVED,
    FLAGS = DF + 1,
    MXCSR = DF + 4,
    X87CW = DF + 8,
    X87EMPTY = DF + 12,
    ST0 = DF + 16
};

extern int elt_test_vectors;

void make_slots(void)
{
    elt_test_vectors = __builtin_cpu_supports("avx512f") ? 2
                       : __builtin_cpu_supports("avx")   ? 1
                                                         : 0;
#ifdef __x86_64__
    const char *const general[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"};
    enum { VECTORS = 16 };
    for (int i = 8; i < 16; i++) {
        slot("r", i, STATE_GENERAL + 8 * (size_t)i, 8);
    }
    for (int i = 16; i < 32 && elt_test_vectors == 2; i++) {
        slot("zmm", i, STATE_VECTORS + 64 * (size_t)i, 64);
    }
#else
    const char *const general[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};
    enum { VECTORS = 8 };
    slot("st0", -1, ST0, 10);
#endif
    for (size_t i = 0; i < 8; i++) {
        slot(general[i], -1, STATE_GENERAL + 8 * i, sizeof(void *));
    }
    for (int i = 0; i < VECTORS; i++) {
        slot("xmm", i, STATE_VECTORS + 64 * (size_t)i, 16);
    }
    for (int i = 0; i < VECTORS && elt_test_vectors >= 1; i++) {
        slot("ymm.high", i, STATE_VECTORS + 64 * (size_t)i + 16, 16);
    }
    for (int i = 0; i < VECTORS && elt_test_vectors == 2; i++) {
        slot("zmm.high", i, STATE_VECTORS + 64 * (size_t)i + 32, 32);
    }
    for (int i = 0; i < 8 && elt_test_vectors == 2; i++) {
        slot("k", i, STATE_MASKS + 8 * (size_t)i, 2);
    }
    slot("df", -1, DF, 1);
    slot("flags", -1, FLAGS, 2);
    slot("mxcsr", -1, MXCSR, 2);
    slot("x87cw", -1, X87CW, 2);
    slot("x87empty", -1, X87EMPTY, 1);
}

void fill_before(unsigned seed, uintptr_t stack_pointer)
{
    fill_pattern(seed);
    put(elt_test_before, STATE_FLAGS, seed & 1 ? 0x202 | 0x8d5 : 0x202, 8);
    /* rounding, flush to zero; no exceptions */
    put(elt_test_before, STATE_MXCSR, seed & 1 ? 0xbf80 : 0xdf80, 4);
    put(elt_test_before, STATE_X87, seed & 1 ? 0x0f7f : 0x067f, 4); /* rounding, precision */
    put(elt_test_before, STATE_X87 + 8, 0xffff, 4);
    put(elt_test_before, STATE_ST0, 0xc0ffee1234567891u, 8);
    put(elt_test_before, STATE_ST0 + 8, 0x4009, 2);
    set_word(elt_test_before, STACK_POINTER, stack_pointer);
}

void derive(uint8_t *state)
{
    uint32_t flags, mxcsr, x87cw, tags;
    memcpy(&flags, state + STATE_FLAGS, 4);
    memcpy(&mxcsr, state + STATE_MXCSR, 4);
    memcpy(&x87cw, state + STATE_X87, 4);
    memcpy(&tags, state + STATE_X87 + 8, 4);
    put(state, DF, flags >> 10 & 1, 1);
    put(state, FLAGS, flags & 0x8d5, 2);
    put(state, MXCSR, mxcsr & 0xffc0, 2); /* the lower bits are the exceptions that were */
    put(state, X87CW, x87cw & 0x0fff, 2);
    put(state, X87EMPTY, (tags & 0xffff) == 0xffff, 1);
    memcpy(state + ST0, state + STATE_ST0, 10);
}

#elif defined __aarch64__

enum { FLAGS = STATE_NZCV };

void make_slots(void)
{
    for (int i = 0; i < 31; i++) {
        slot("x", i, STATE_GENERAL + 8 * (size_t)i, 8);
    }
    slot("sp", -1, STATE_GENERAL + 31 * 8, 8);
    for (int i = 0; i < 32; i++) {
        if (i >= 8 && i < 16) {
            slot("d", i, STATE_VECTORS + 16 * (size_t)i, 8);
            slot("v.high", i, STATE_VECTORS + 16 * (size_t)i + 8, 8);
        } else {
            slot("v", i, STATE_VECTORS + 16 * (size_t)i, 16);
        }
    }
    slot("flags", -1, STATE_NZCV, 8);
    slot("fpcr", -1, STATE_FPCR, 8);
    slot("fpsr", -1, STATE_FPSR, 8);
}

void fill_before(unsigned seed, uintptr_t stack_pointer)
{
    fill_pattern(seed);
    put(elt_test_before, STATE_NZCV, seed & 1 ? 0xf0000000u : 0, 8);
    /* rounding, flush to zero */
    put(elt_test_before, STATE_FPCR, seed & 1 ? 0x01c00000u : 0x00400000u, 8);
    put(elt_test_before, STATE_FPSR, 0, 8);
    set_word(elt_test_before, STACK_POINTER, stack_pointer);
}

void derive(uint8_t *state)
{
    (void)state;
}

#endif
