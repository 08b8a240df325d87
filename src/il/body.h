/* Method bodies: header, code, data sections (II.25.4), decoded code and the changes made to it.
 *
 *   bytes --body_read--> ilp_body --decode--> ilpi_code --stack--> depths
 *                                                  \--patch--> new code, new clauses --body_write--> bytes
 *
 * Knows opcodes and bytes. What a call token does to the stack is asked for through a callback, so
 * nothing here knows metadata.
 */
#ifndef ILPI_BODY_H
#define ILPI_BODY_H

#include "alloc.h"
#include "buf.h"
#include "il/opcode.h"

/* The section kinds of II.25.4.5. */
#define ILPI_SECT_EH 0x1u
#define ILPI_SECT_FAT 0x40u
#define ILPI_SECT_MORE 0x80u

enum ilpi_eh_kind { ILPI_EH_CATCH = 0, ILPI_EH_FILTER = 1, ILPI_EH_FINALLY = 2, ILPI_EH_FAULT = 4 };

/* Marks set on instructions by decode and stack. */
#define ILPI_INSN_TARGET 0x1u  /* a branch, a switch arm or an EH boundary leads here */
#define ILPI_INSN_SEEN 0x2u    /* reachable (set by ilpi_stack_compute) */
#define ILPI_INSN_AFTER_PREFIX 0x4u /* the instruction before is a prefix of this one */

/* One instruction; operands stay in the code and are read from there. 12 bytes each. */
struct ilpi_insn {
    uint32_t offset;  /* of its first opcode byte */
    uint32_t size;    /* opcode and operand together; a switch can be long */
    uint16_t op;      /* index into the opcode table, enum ilpi_op */
    uint8_t marks;
    uint8_t pad;
};

/* The decoded code of one method; memory is kept from one method to the next. */
struct ilpi_code {
    struct ilpi_heap *heap;
    struct ilp_bytes bytes; /* borrowed: the code of the body */
    uint64_t origin;        /* its offset in the file */
    struct ilpi_insn *insns;
    size_t count;
    size_t capacity;
    uint32_t *index_at;     /* offset -> instruction index, ILPI_NO_INSN inside one; size bytes.size + 1,
                               where the end of the code has the index `count` */
    size_t index_capacity;
};
#define ILPI_NO_INSN UINT32_MAX

/* Decodes the whole code of `body`, checks that every branch, switch arm and EH boundary is the start
 * of an instruction (an EH end may be the end of the code), that no branch leads between a prefix and
 * its instruction, and that no prefix stands at the end. */
ilp_status ilpi_code_decode(struct ilpi_code *code, const struct ilp_body *body,
                            struct ilp_error *error);
void ilpi_code_free(struct ilpi_code *code);

/* Where a branch (operand kind I1_TARGET or I4_TARGET) leads: an offset, checked by decode. */
uint32_t ilpi_insn_target(const struct ilpi_code *code, const struct ilpi_insn *insn);

/* Arms of a switch, and where arm i leads. */
uint32_t ilpi_switch_count(const struct ilpi_code *code, const struct ilpi_insn *insn);
uint32_t ilpi_switch_target(const struct ilpi_code *code, const struct ilpi_insn *insn, uint32_t i);

/* The token operand of a call, newobj, ldstr, ... */
uint32_t ilpi_insn_token(const struct ilpi_code *code, const struct ilpi_insn *insn);

/* What a call pops and pushes. For newobj the callee says what call does to the arguments without `this`. */
struct ilpi_call_shape {
    uint32_t pops;
    uint32_t pushes;
};
struct ilpi_calls {
    void *user;
    ilp_status (*shape)(void *user, enum ilpi_op op, ilp_token token, struct ilpi_call_shape *shape,
                        struct ilp_error *error);
};

/* Stack depth by flow (III.1.7.5 is not demanded: runtimes do not). Memory is kept between methods. */
struct ilpi_stack {
    struct ilpi_heap *heap;
    uint16_t *depth;        /* per instruction, before it; valid where ILPI_INSN_SEEN is set */
    size_t capacity;
    uint32_t *pending;
    size_t pending_capacity;
    uint32_t max;           /* the largest depth anywhere */
};

/* Fails with ILP_E_BAD_BODY when the depth goes below zero, above 65,535, differs where paths meet,
 * or when control runs off the end. `returns` is what `ret` pops: 0 or 1. */
ilp_status ilpi_stack_compute(struct ilpi_stack *stack, struct ilpi_code *code,
                              const struct ilp_body *body, const struct ilpi_calls *calls,
                              uint32_t returns, struct ilp_error *error);
void ilpi_stack_free(struct ilpi_stack *stack);

/* One insertion in front of an instruction. Labels that led to the instruction (branches, switch arms,
 * EH boundaries) lead to bytes[entry] afterwards: 0 is the first inserted instruction. The bytes hold
 * whole instructions without branches. A prefix may not stand before `insn`. */
struct ilpi_insertion {
    uint32_t insn;     /* index; rising from one insertion to the next, no two the same */
    uint32_t entry;
    struct ilp_bytes bytes;
};

/* Old and new offset of an instruction (a label: the entry of what was inserted before it). */
struct ilpi_offset_pair {
    uint32_t from;
    uint32_t to;
};

/* Code with insertions applied. Memory is kept between methods. */
struct ilpi_patch {
    struct ilpi_heap *heap;
    struct ilpi_buf code;          /* the new code */
    struct ilp_eh_clause *clauses; /* as many as the body has */
    size_t clause_capacity;
    uint32_t *new_offset;          /* per instruction index, `count` too: where labels to it lead now */
    size_t offset_capacity;
    /* the rest is working memory of patch.c */
    int32_t *distance;
    size_t distance_capacity;
    uint32_t *pending;
    size_t pending_capacity;
    uint8_t *widened;
    size_t widened_capacity;
};

/* Applies the insertions: relocates branches, switches and clauses, widens the short branches that no
 * longer reach and only those, to the least fixed point. Fails with ILP_E_TOO_LARGE above 2^31 bytes. */
ilp_status ilpi_patch_apply(struct ilpi_patch *patch, const struct ilpi_code *code,
                            const struct ilp_body *body, const struct ilpi_insertion *insertions,
                            size_t count, struct ilp_error *error);
void ilpi_patch_free(struct ilpi_patch *patch);

/* Writes header, code and sections. Tiny when it fits (code < 64, max stack <= 8, no locals, no
 * sections, and the body was not fat for another reason: init_locals is kept only by fat); EH small when every
 * clause fits, else fat (II.25.4.6). body->other follows the EH section unchanged. */
ilp_status ilpi_body_write(struct ilpi_buf *buf, const struct ilp_body *body,
                           struct ilp_error *error);

/* Names tokens for the text form. */
struct ilpi_il_names {
    void *user;
    void (*token)(void *user, struct ilpi_buf *buf, ilp_token token); /* ldstr's too: quoted text */
};

/* The body as ILAsm-like text, one instruction a line ("    IL_0003:  br.s       IL_0007"), EH clauses
 * after it. What cannot be decoded is printed as bytes up to the end of the code. */
void ilpi_body_text(struct ilpi_buf *buf, const struct ilp_body *body,
                    const struct ilpi_il_names *names);

#endif
