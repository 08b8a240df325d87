/* See precode.h. The stubs are FixupPrecode of vm/precode.h, as .NET 8 and later have them
 * (vm/amd64/thunktemplates.S, vm/arm64/thunktemplates.S; on arm64 with dmb): the data of a page of
 * stubs is in the page after it, and has the MethodDesc, which is the FunctionID. Other stubs
 * (P/Invoke, shuffle thunks) are not looked into. */
#include "profiler/precode.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "values/read.h"

/* Of stubs: from the smallest page of memory to the largest. */
enum { LEAST_PAGE = 0x1000, MOST_PAGE = 0x10000 };

/* Slots of the data. */
enum { TARGET, METHOD, FIXUP, PRECODE_SLOTS };
enum { SLOT = 8 };

static uint32_t checked_page(uint32_t page)
{
    bool is_page = page >= LEAST_PAGE && page <= MOST_PAGE && (page & (page - 1)) == 0;
    return is_page ? page : 0;
}

static uint32_t word_at(const uint8_t *code)
{
    return (uint32_t)read_unsigned(code, 4);
}

uint32_t precode_x64(const uint8_t code[PRECODE_SIZE])
{
    static const struct {
        uint8_t at, size, slot, opcode[3];
    } parts[] = {
        {0, 2, TARGET, {0xFF, 0x25}},       /* jmp [rip+Target] */
        {6, 3, METHOD, {0x4C, 0x8B, 0x15}}, /* mov r10, [rip+MethodDesc] */
        {13, 2, FIXUP, {0xFF, 0x25}},       /* jmp [rip+PrecodeFixupThunk] */
    };
    uint32_t page = checked_page(word_at(code + 2) + 6);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && page != 0; i++) {
        uint32_t operand = parts[i].at + parts[i].size;
        uint32_t reads = word_at(code + operand) + operand + 4;
        bool fits = memcmp(code + parts[i].at, parts[i].opcode, parts[i].size) == 0 &&
                    reads == page + parts[i].slot * SLOT;
        page = fits ? page : 0;
    }
    return page;
}

/* LDR (literal): how many words from itself, in bits 5 to 23. */
static uint32_t arm64_load(uint32_t target, uint32_t words)
{
    return 0x58000000u | words << 5 | target;
}

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

/* Of the process itself. A system call, and so no crash where nothing is mapped. */
static bool read_memory(uintptr_t address, void *to, size_t size)
{
    struct iovec local = {to, size}, remote = {(void *)address, size};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static uint32_t data_after(const uint8_t code[PRECODE_SIZE])
{
#if defined(__x86_64__)
    return precode_x64(code);
#elif defined(__aarch64__)
    return precode_arm64(code);
#else
    (void)code;
    return 0;
#endif
}

FunctionID precode_method(uintptr_t code)
{
    uint8_t stub[PRECODE_SIZE];
    uint64_t data[PRECODE_SLOTS];
    if (code < FIRST_PAGES || !read_memory(code, stub, sizeof stub)) {
        return 0;
    }
    uint32_t page = data_after(stub);
    if (page == 0 || !read_memory(code + page, data, sizeof data)) {
        return 0;
    }
    bool fits = data[METHOD] >= FIRST_PAGES && data[METHOD] % SLOT == 0 &&
                data[TARGET] >= FIRST_PAGES && data[FIXUP] >= FIRST_PAGES;
    return fits ? (FunctionID)data[METHOD] : 0;
}
