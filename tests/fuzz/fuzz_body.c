/* Fuzzes method bodies: read, decode, walk the stack, insert in front of instructions, write, read
 * again.
 *
 *   u8 options   body
 *
 *   options   bit 0: the method returns a value
 *             bit 1: insert before every instruction that may have it, not only before ret
 *             bits 2-3: what is inserted (entry and length)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "il/body.h"
#include "il/patch.h"
#include "il/stack.h"
#include "il/opcode.h"
#include "tests/fuzz/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BODY_ORIGIN 0x200u

struct body_work {
    struct ilpi_alloc alloc;
    struct ilp_arena *arena;
    struct ilpi_code code;
    struct ilpi_code new_code;
    struct ilpi_stack stack;
    struct ilpi_patch patch;
    struct ilpi_buf text;
    struct ilpi_buf bytes;
    struct ilpi_insertion *insertions;
    size_t insertion_count;
};

/* A token's low bits say what its call does. */
static ilp_status body_shape(void *user, enum ilpi_op op, ilp_token token,
                             struct ilpi_call_shape *shape, struct ilp_error *error)
{
    (void)user;
    (void)op;
    (void)error;
    *shape = (struct ilpi_call_shape){.pops = token & 3, .pushes = token >> 2 & 1};
    return ILP_OK;
}

static const struct {
    uint8_t bytes[8];
    uint8_t size;
    uint8_t entry;
} body_inserted[] = {
    {{0x25, 0x28, 0x04, 0x00, 0x00, 0x0A}, 6, 0},       /* dup; call */
    {{0x2A, 0x25, 0x28, 0x04, 0x00, 0x00, 0x0A}, 7, 1}, /* ret; entry: dup; call */
    {{0x00}, 1, 1},                                     /* nop; entry after it */
    {{0x25, 0x26}, 2, 0},                               /* dup; pop */
};

static void choose_insertions(struct body_work *work, uint8_t options)
{
    const uint8_t which = options >> 2 & 3;
    work->insertions = calloc(work->code.count + 1, sizeof *work->insertions);
    FUZZ_CHECK(work->insertions);
    for (uint32_t i = 0; i < work->code.count; i++) {
        const struct ilpi_insn *insn = &work->code.insns[i];
        bool wanted = insn->op == ILPI_OP_RET || (options & 2) != 0;
        if (wanted && (insn->marks & ILPI_INSN_AFTER_PREFIX) == 0) {
            work->insertions[work->insertion_count++] =
                (struct ilpi_insertion){i,
                                        body_inserted[which].entry,
                                        {body_inserted[which].bytes, body_inserted[which].size}};
        }
    }
}

/* What a branch was and what it became are one opcode, short or long. */
static bool same_op(unsigned before, unsigned after)
{
    return before == after || ilpi_op_long_branch((enum ilpi_op)before) == (enum ilpi_op)after;
}

/* Every old instruction follows what was inserted before it, in the new code. */
static void check_patched(const struct body_work *work, uint8_t options)
{
    const struct ilpi_patch *patch = &work->patch;
    uint8_t which = options >> 2 & 3;
    size_t k = 0;
    for (uint32_t i = 0; i < work->code.count; i++) {
        uint32_t at = patch->new_offset[i];
        if (k < work->insertion_count && work->insertions[k].insn == i) {
            uint32_t begin = at - body_inserted[which].entry;
            FUZZ_CHECK(memcmp(patch->code.data + begin, body_inserted[which].bytes,
                              body_inserted[which].size) == 0);
            at = begin + body_inserted[which].size;
            k++;
        }
        struct ilpi_insn insn;
        FUZZ_CHECK(ilpi_insn_read(ilpi_buf_bytes(&patch->code), at, &insn));
        FUZZ_CHECK(same_op(work->code.insns[i].op, insn.op));
    }
    FUZZ_CHECK(patch->new_offset[work->code.count] == patch->code.size);
}

static void rewrite(struct body_work *work, const struct ilp_body *body, uint8_t options)
{
    struct ilp_error error = {0};
    choose_insertions(work, options);
    ilp_status status = ilpi_patch_apply(&work->patch, &work->code, body, work->insertions,
                                         work->insertion_count, &error);
    FUZZ_CHECK(status == ILP_OK);
    check_patched(work, options);
    struct ilp_body changed = *body;
    changed.code = ilpi_buf_bytes(&work->patch.code);
    changed.clauses = work->patch.clauses;
    status = ilpi_body_write(&work->bytes, &changed, &error);
    FUZZ_CHECK(status == ILP_OK || status == ILP_E_TOO_LARGE);
    if (status != ILP_OK) {
        return;
    }
    struct ilp_body again;
    status = ilp_body_read(&again, ilpi_buf_bytes(&work->bytes), 0, work->arena, &error);
    FUZZ_CHECK(status == ILP_OK && again.size == work->bytes.size);
    FUZZ_CHECK(again.max_stack >= changed.max_stack && again.locals == changed.locals);
    FUZZ_CHECK(again.code.size == changed.code.size && again.clause_count == changed.clause_count);
    FUZZ_CHECK(again.other.size == body->other.size);
    FUZZ_CHECK(ilpi_code_decode(&work->new_code, &again, &error) == ILP_OK);
    work->text.size = 0;
    ilpi_body_text(&work->text, &again, NULL);
}

static void use_body(struct body_work *work, struct ilp_bytes bytes, uint8_t options)
{
    struct ilp_error error = {0};
    struct ilp_body body;
    ilp_status status = ilp_body_read(&body, bytes, BODY_ORIGIN, work->arena, &error);
    if (status != ILP_OK) {
        FUZZ_CHECK(error.status == status && error.message[0] != '\0');
        FUZZ_CHECK(error.offset >= BODY_ORIGIN && error.offset <= BODY_ORIGIN + bytes.size);
        return;
    }
    FUZZ_CHECK(body.size <= bytes.size && body.code.size <= body.size);
    ilpi_body_text(&work->text, &body, NULL);
    if (ilpi_code_decode(&work->code, &body, &error) != ILP_OK) {
        return;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < work->code.count; i++) {
        FUZZ_CHECK(work->code.insns[i].offset == at && work->code.insns[i].size != 0);
        at += work->code.insns[i].size;
    }
    FUZZ_CHECK(at == body.code.size);
    const struct ilpi_calls calls = {NULL, body_shape};
    status = ilpi_stack_compute(&work->stack, &work->code, &body, &calls, options & 1, &error);
    FUZZ_CHECK(status == ILP_OK || status == ILP_E_BAD_BODY);
    rewrite(work, &body, options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct body_work work = {0};
    ilpi_alloc_init(&work.alloc, NULL);
    work.code.alloc = &work.alloc;
    work.new_code.alloc = &work.alloc;
    work.stack.alloc = &work.alloc;
    work.patch.alloc = &work.alloc;
    work.text.alloc = &work.alloc;
    work.bytes.alloc = &work.alloc;
    FUZZ_CHECK(ilp_arena_open(&work.arena, NULL, NULL) == ILP_OK);
    use_body(&work, (struct ilp_bytes){data + 1, size - 1}, data[0]);
    free(work.insertions);
    ilpi_code_free(&work.code);
    ilpi_code_free(&work.new_code);
    ilpi_stack_free(&work.stack);
    ilpi_patch_free(&work.patch);
    ilpi_buf_free(&work.text);
    ilpi_buf_free(&work.bytes);
    ilp_arena_close(work.arena);
    FUZZ_CHECK(work.alloc.used == 0);
    return 0;
}
