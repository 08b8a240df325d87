/* One method while its code is walked: facts, the state before each block, the current stack.
 *
 *   body.c    reads the body, walks blocks until nothing changes, then once more to report findings
 *   frame.c   the current stack, and joins
 *   flow.c    protected blocks: control transfers (I.12.4.2.8, III.1.7)
 *   step*.c   one instruction: pops, checks and pushes
 *
 * The first walk reports nothing: types at a join may still change, and findings with them. The
 * state before a block only gets more general, so the walk terminates. */
#ifndef ILPI_VERIFY_FRAME_H
#define ILPI_VERIFY_FRAME_H

#include "base/list.h"
#include "il/body.h"
#include "il/stack.h"
#include "verify/member.h"
#include "verify/value.h"

/* The kinds of code that control may enter or leave only in certain ways (III.1.7.5,
 * I.12.4.2.8). */
enum ilpi_region_kind {
    ILPI_REGION_ROOT,
    ILPI_REGION_TRY,
    ILPI_REGION_CATCH, /* also the handler of a filter */
    ILPI_REGION_FILTER,
    ILPI_REGION_FINALLY,
    ILPI_REGION_FAULT
};

/* A range of the code with its own rules; [0] is the whole method. */
struct ilpi_region {
    uint32_t start; /* offsets */
    uint32_t end;
    uint32_t parent; /* index; 0 for the root itself */
    uint32_t clause; /* that it is a part of; 0 for the root */
    uint8_t kind;    /* enum ilpi_region_kind */
};

/* The state before the first instruction of a block:
 *
 *   known   queued
 *   no      no       no branch to it was met: inside of a block, or not reached
 *   yes     yes      its state is new or has changed: it is in `pending`
 *   yes     no       it was walked with this state */
struct ilpi_entry {
    uint32_t slots; /* index of its stack in the pool */
    uint16_t depth;
    bool known;
    bool queued;
    bool this_ready; /* on all paths that were met */
};

/* Prefixes of the next instruction, as bits (III.2). */
enum ilpi_prefix {
    ILPI_PREFIX_CONSTRAINED = 1,
    ILPI_PREFIX_NO = 2,
    ILPI_PREFIX_READONLY = 4,
    ILPI_PREFIX_TAIL = 8,
    ILPI_PREFIX_UNALIGNED = 16,
    ILPI_PREFIX_VOLATILE = 32
};

/* The method that is verified now. Facts about it come first, then the state before each block,
 * then that of the current instruction. */
struct ilpi_frame {
    struct ilpi_verifier *verifier;
    struct ilpi_alloc alloc; /* for one method: limited */
    struct ilp_arena arena;  /* of this method */
    ilp_rid method;
    const struct ilpi_method *sig;
    const struct ilpi_vtype *owner; /* NULL: a global method */
    const struct ilpi_vtype *ret;   /* what ret pops; void: nothing */
    bool has_this;
    bool is_ctor;     /* it must call a base constructor */
    bool is_any_ctor; /* a .ctor, also of a value type */
    bool is_cctor;
    bool this_is_stored; /* argument 0 is stored to: it may be another object */
    bool at_ret;         /* the code begins with the stack of a ret */

    struct ilp_body body;
    struct ilpi_code code;
    const struct ilpi_vtype **args; /* including `this`, which is [0] then */
    uint32_t arg_count;
    const struct ilpi_vtype **locals;
    uint32_t local_count;

    struct ilpi_region *regions;
    uint32_t region_count;
    uint32_t *region_of;       /* per instruction */
    struct ilpi_keyed *starts; /* clauses by the offset of their try block */

    struct ilpi_entry *entries;              /* per instruction */
    ILPI_LIST(struct ilpi_stack_value) pool; /* kept for the next method */
    size_t pool_limit;
    uint32_t *pending; /* indexes of queued blocks; the last one is walked next */
    uint32_t pending_count;
    uint64_t steps; /* remaining; 0 ends the walk, and the method is reported as too complex */

    struct ilpi_stack_value *stack;
    uint32_t depth;
    uint32_t stack_size;    /* room, in values */
    bool this_ready;        /* a base constructor was called on this path, or none needs to be */
    bool stopped;           /* nothing more can be checked in this block */
    bool overflow_reported; /* MaxStack is exceeded: one finding for the method */
    uint32_t index;         /* of the current instruction */
    uint8_t prefixes;       /* of it, enum ilpi_prefix; 0 before a new instruction */
    ilp_token constrained;  /* the type, while prefixes has ILPI_PREFIX_CONSTRAINED */
};

/* ---- body.c ---- */

/* Do not move it while it is open: the verifier counts its memory. */
void ilpi_frame_open(struct ilpi_frame *frame, struct ilpi_verifier *verifier);
void ilpi_frame_close(struct ilpi_frame *frame);

/* Verifies a body of a MethodDef, at file offset `offset`. Memory is kept for the next one. */
void ilpi_verify_method(struct ilpi_frame *frame, ilp_rid method, struct ilp_bytes body,
                        uint64_t offset);

/* Verifies a body made of a part of its code, which begins with an empty stack, or with that of a
 * ret. */
void ilpi_verify_part(struct ilpi_frame *frame, ilp_rid method, struct ilp_bytes body, bool at_ret);

/* ---- frame.c ---- */

struct ilpi_stack_value ilpi_pop(struct ilpi_frame *frame);
void ilpi_push(struct ilpi_frame *frame, struct ilpi_stack_value value);
void ilpi_push_type(struct ilpi_frame *frame, const struct ilpi_vtype *type);
void ilpi_push_kind(struct ilpi_frame *frame, enum ilpi_stack_kind kind);

/* Room for `total` values of joins. */
bool ilpi_grow_pool(struct ilpi_frame *frame, size_t total);

/* Control may go to an instruction, with the current stack. */
void ilpi_reach(struct ilpi_frame *frame, uint32_t index);

/* Reports a value that does not fit the expected `type`. `what` names it: "argument 1 of Foo". */
void ilpi_expect(struct ilpi_frame *frame, struct ilpi_stack_value value,
                 const struct ilpi_vtype *type, const char *what);

/* The name that compare.c has to recognise. */
#define ILPI_WHAT_IS_RETURNED "what is returned"
#define ILPI_WHAT_IS_BOXED    "what is boxed"

/* Reports a value that an instruction does not accept, or whose type is unknown. */
void ilpi_refuse(struct ilpi_frame *frame, struct ilpi_stack_value value, const char *wanted);

/* True for an unknown value, after reporting it. */
bool ilpi_is_unknown(struct ilpi_frame *frame, struct ilpi_stack_value value);

/* A type operand; an invalid one is reported and gives UNKNOWN. */
const struct ilpi_vtype *ilpi_operand_type(struct ilpi_frame *frame);

static inline const struct ilpi_insn *ilpi_insn_now(const struct ilpi_frame *frame)
{
    return &frame->code.insns[frame->index];
}

/* ---- flow.c ---- */

/* False when the clauses are contradictory: then the code cannot be walked. */
bool ilpi_flow_open(struct ilpi_frame *frame);

/* Sets the states of the handlers of try blocks that begin at an instruction. */
void ilpi_flow_enter(struct ilpi_frame *frame, uint32_t index);

void ilpi_flow_branch(struct ilpi_frame *frame, uint32_t target);
void ilpi_flow_leave(struct ilpi_frame *frame, uint32_t target);
void ilpi_flow_next(struct ilpi_frame *frame); /* from this instruction to the next */
void ilpi_flow_end(struct ilpi_frame *frame);  /* ret, endfinally, endfilter, rethrow */
bool ilpi_flow_is_protected(const struct ilpi_frame *frame);

/* ---- steps ---- */

void ilpi_step(struct ilpi_frame *frame);
/* arithmetic, comparison, conversion */
void ilpi_step_number(struct ilpi_frame *frame, enum ilpi_op op);
/* ldind, stobj, fields, cpblk, ... */
void ilpi_step_memory(struct ilpi_frame *frame, enum ilpi_op op);
/* box, castclass, arrays, ldtoken, ... */
void ilpi_step_object(struct ilpi_frame *frame, enum ilpi_op op);
/* call, newobj, calli, ldftn, jmp */
void ilpi_step_call(struct ilpi_frame *frame, enum ilpi_op op);
void ilpi_step_compare(struct ilpi_frame *frame, struct ilpi_stack_value left,
                       struct ilpi_stack_value right, bool equality);

/* The element type in the opcode of ldind, stind, ldelem, stelem and conv: 0 for other
 * instructions. */
uint8_t ilpi_op_element(enum ilpi_op op);

#endif
