/* See precode.h. The stubs are FixupPrecode of vm/precode.h, as in .NET 8 and later
 * (vm/amd64/thunktemplates.S, vm/arm64/thunktemplates.S; on arm64 with dmb): the data of a page of
 * stubs is in the page after it, and has the MethodDesc, which is the FunctionID. P/Invoke methods
 * have a StubPrecode, implemented for x64 only. Other stubs (shuffle thunks) are not decoded. */
#include "profiler/precode.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "values/read.h"

/* Page sizes: from the smallest to the largest. */
enum { LEAST_PAGE = 0x1000, MOST_PAGE = 0x10000 };

/* Slots of the data. */
enum { TARGET, METHOD, FIXUP, PRECODE_SLOTS };
enum { IMPORT_METHOD, IMPORT_TARGET, IMPORT_TYPE };
enum { SLOT = 8 };

/* The type of a StubPrecode whose first slot is a MethodDesc: in .NET 8 and 9, and later. Other
 * StubPrecodes, such as those of native callbacks, have another type. */
enum { OLD_STUB = 0x4C, STUB = 0x03 };

static uint32_t checked_page(uint32_t page)
{
    bool is_page = page >= LEAST_PAGE && page <= MOST_PAGE && (page & (page - 1)) == 0;
    return is_page ? page : 0;
}

static uint32_t word_at(const uint8_t *code)
{
    return (uint32_t)read_unsigned(code, 4);
}

/* An instruction that reads a slot of the data, relative to the next instruction. */
struct slot_load {
    uint8_t at, size, slot, opcode[3];
};

/* The first one reads slot 0. */
static uint32_t data_of(const uint8_t *code, const struct slot_load *loads, size_t count)
{
    uint32_t first = loads[0].at + loads[0].size;
    uint32_t page = checked_page(word_at(code + first) + first + 4);
    for (size_t i = 0; i < count && page != 0; i++) {
        uint32_t operand = loads[i].at + loads[i].size;
        uint32_t reads = word_at(code + operand) + operand + 4;
        bool fits = memcmp(code + loads[i].at, loads[i].opcode, loads[i].size) == 0 &&
                    reads == page + loads[i].slot * SLOT;
        page = fits ? page : 0;
    }
    return page;
}

uint32_t precode_x64(const uint8_t code[PRECODE_SIZE])
{
    static const struct slot_load loads[] = {
        {0, 2, TARGET, {0xFF, 0x25}},       /* jmp [rip+Target] */
        {6, 3, METHOD, {0x4C, 0x8B, 0x15}}, /* mov r10, [rip+MethodDesc] */
        {13, 2, FIXUP, {0xFF, 0x25}},       /* jmp [rip+PrecodeFixupThunk] */
    };
    return data_of(code, loads, sizeof loads / sizeof *loads);
}

uint32_t precode_import_x64(const uint8_t code[PRECODE_SIZE])
{
    static const struct slot_load loads[] = {
        {0, 3, IMPORT_METHOD, {0x4C, 0x8B, 0x15}}, /* mov r10, [rip+SecretParam] */
        {7, 2, IMPORT_TARGET, {0xFF, 0x25}},       /* jmp [rip+Target] */
    };
    return data_of(code, loads, sizeof loads / sizeof *loads);
}

/* LDR (literal): how many words from itself, in bits 5 to 23. */
static uint32_t arm64_load(uint32_t target, uint32_t words)
{
    return 0x58000000u | words << 5 | target;
}

/* A stub is recognised by all of its bytes; offsets in it depend on the size of a page, which the
 * first instruction shows. */
uint32_t precode_arm64(const uint8_t code[PRECODE_SIZE])
{
    uint32_t page = checked_page((word_at(code) >> 5 & 0x7FFFF) * 4);
    const uint32_t expected[] = {
        arm64_load(11, page / 4),                           /* ldr x11, Target */
        0xD61F0160u,                                        /* br x11 */
        0xD50339BFu,                                        /* dmb ishld */
        arm64_load(12, (page + METHOD * SLOT - 3 * 4) / 4), /* ldr x12, MethodDesc */
        arm64_load(11, (page + FIXUP * SLOT - 4 * 4) / 4),  /* ldr x11, PrecodeFixupThunk */
        0xD61F0160u,                                        /* br x11 */
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected && page != 0; i++) {
        page = word_at(code + 4 * i) == expected[i] ? page : 0;
    }
    return page;
}

/* In this process, by a system call, so unmapped memory causes no crash. */
static bool read_memory(uintptr_t address, void *to, size_t size)
{
    struct iovec local = {to, size}, remote = {(void *)address, size};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

struct stub {
    uint8_t code[PRECODE_SIZE];
    uint64_t data[PRECODE_SLOTS];
};

/* 0: not a stub of an IL method. */
static uint64_t method_of_il(struct stub *stub, uintptr_t code)
{
#if defined(__x86_64__)
    uint32_t page = precode_x64(stub->code);
#elif defined(__aarch64__)
    uint32_t page = precode_arm64(stub->code);
#else
    uint32_t page = 0;
#endif
    bool fits = page != 0 && read_memory(code + page, stub->data, sizeof stub->data) &&
                stub->data[TARGET] >= FIRST_PAGES && stub->data[FIXUP] >= FIRST_PAGES;
    return fits ? stub->data[METHOD] : 0;
}

/* 0: not a stub of a P/Invoke method. */
static uint64_t imported_method(struct stub *stub, uintptr_t code)
{
#if defined(__x86_64__)
    uint32_t page = precode_import_x64(stub->code);
#else
    uint32_t page = 0;
#endif
    bool fits = page != 0 && read_memory(code + page, stub->data, sizeof stub->data) &&
                stub->data[IMPORT_TARGET] >= FIRST_PAGES;
    uint8_t type = fits ? (uint8_t)stub->data[IMPORT_TYPE] : 0;
    return type == OLD_STUB || type == STUB ? stub->data[IMPORT_METHOD] : 0;
}

FunctionID precode_method(uintptr_t code)
{
    struct stub stub;
    if (code < FIRST_PAGES || !read_memory(code, stub.code, sizeof stub.code)) {
        return 0;
    }
    uint64_t method = method_of_il(&stub, code);
    method = method != 0 ? method : imported_method(&stub, code);
    return method >= FIRST_PAGES && method % SLOT == 0 ? (FunctionID)method : 0;
}

bool precode_is_readable(uintptr_t method)
{
    uint64_t word;
    return method >= FIRST_PAGES && method % SLOT == 0 && read_memory(method, &word, sizeof word);
}
