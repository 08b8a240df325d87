/* One instruction: prefixes, constants, variables and control flow here, all others in step_*.c by
 * topic.
 *
 * Each step pops its operands, checks them, and pushes the result (III.3, III.4). After a finding
 * it pushes what the instruction would have given, or an unknown value, so that one fault makes one
 * finding; a step whose result cannot be known sets `stopped`, which ends the block. */
#include "verify/frame.h"

/* By rising opcodes: the first family whose last one is not below the opcode has it. Opcodes
 * between families are handled in this file, so they do not get here. `first` is for the reader. */
static const struct {
    uint8_t first;
    uint8_t last;
    void (*step)(struct ilpi_frame *frame, enum ilpi_op op);
} families[] = {
    {ILPI_OP_JMP, ILPI_OP_CALLI, ilpi_step_call},
    {ILPI_OP_LDIND_I1, ILPI_OP_STIND_R8, ilpi_step_memory},
    {ILPI_OP_ADD, ILPI_OP_CONV_U8, ilpi_step_number},
    {ILPI_OP_CALLVIRT, ILPI_OP_CALLVIRT, ilpi_step_call},
    {ILPI_OP_CPOBJ, ILPI_OP_LDOBJ, ilpi_step_memory},
    {ILPI_OP_LDSTR, ILPI_OP_LDSTR, ilpi_step_object},
    {ILPI_OP_NEWOBJ, ILPI_OP_NEWOBJ, ilpi_step_call},
    {ILPI_OP_CASTCLASS, ILPI_OP_ISINST, ilpi_step_object},
    {ILPI_OP_CONV_R_UN, ILPI_OP_CONV_R_UN, ilpi_step_number},
    {ILPI_OP_UNBOX, ILPI_OP_UNBOX, ilpi_step_object},
    {ILPI_OP_LDFLD, ILPI_OP_STOBJ, ilpi_step_memory},
    {ILPI_OP_CONV_OVF_I1_UN, ILPI_OP_CONV_OVF_U_UN, ilpi_step_number},
    {ILPI_OP_BOX, ILPI_OP_UNBOX_ANY, ilpi_step_object},
    {ILPI_OP_CONV_OVF_I1, ILPI_OP_CONV_OVF_U8, ilpi_step_number},
    {ILPI_OP_REFANYVAL, ILPI_OP_REFANYVAL, ilpi_step_object},
    {ILPI_OP_CKFINITE, ILPI_OP_CKFINITE, ilpi_step_number},
    {ILPI_OP_MKREFANY, ILPI_OP_LDTOKEN, ilpi_step_object},
    {ILPI_OP_CONV_U2, ILPI_OP_SUB_OVF_UN, ilpi_step_number},
    {ILPI_OP_STIND_I, ILPI_OP_STIND_I, ilpi_step_memory},
    {ILPI_OP_CONV_U, ILPI_OP_CONV_U, ilpi_step_number},
    {ILPI_OP_ARGLIST, ILPI_OP_ARGLIST, ilpi_step_object},
    {ILPI_OP_CEQ, ILPI_OP_CLT_UN, ilpi_step_number},
    {ILPI_OP_LDFTN, ILPI_OP_LDVIRTFTN, ilpi_step_call},
    {ILPI_OP_LOCALLOC, ILPI_OP_LOCALLOC, ilpi_step_memory},
    {ILPI_OP_INITOBJ, ILPI_OP_INITOBJ, ilpi_step_memory},
    {ILPI_OP_CPBLK, ILPI_OP_INITBLK, ilpi_step_memory},
    {ILPI_OP_SIZEOF, ILPI_OP_REFANYTYPE, ilpi_step_object},
};

/* ---- prefixes (III.2) ---- */

/* A prefix only sets a bit; the next instruction that is not a prefix checks and clears them all
 * (III.2). */
static void take_prefix(struct ilpi_frame *frame, enum ilpi_op op)
{
    static const uint8_t bits[] = {
        [ILPI_OP_CONSTRAINED - ILPI_OP_UNALIGNED] = ILPI_PREFIX_CONSTRAINED,
        [ILPI_OP_NO - ILPI_OP_UNALIGNED] = ILPI_PREFIX_NO,
        [ILPI_OP_READONLY - ILPI_OP_UNALIGNED] = ILPI_PREFIX_READONLY,
        [ILPI_OP_TAIL - ILPI_OP_UNALIGNED] = ILPI_PREFIX_TAIL,
        [ILPI_OP_UNALIGNED - ILPI_OP_UNALIGNED] = ILPI_PREFIX_UNALIGNED,
        [ILPI_OP_VOLATILE - ILPI_OP_UNALIGNED] = ILPI_PREFIX_VOLATILE,
    };
    const struct ilpi_insn *insn = ilpi_insn_now(frame);
    uint8_t bit = bits[op - ILPI_OP_UNALIGNED];
    if ((frame->prefixes & bit) != 0) {
        ilpi_report(frame->verifier, ILPI_FIND_PREFIX, "%s twice", ilpi_opcodes[op].name);
    }
    frame->prefixes |= bit;
    if (op == ILPI_OP_CONSTRAINED) {
        frame->constrained = ilpi_insn_token(&frame->code, insn);
    }
    if (op == ILPI_OP_UNALIGNED) {
        uint8_t alignment = frame->body.code.data[insn->offset + insn->size - 1];
        if (alignment != 1 && alignment != 2 && alignment != 4) {
            ilpi_report(frame->verifier, ILPI_FIND_PREFIX, "unaligned. of %u", alignment);
        }
    }
}

/* Which prefixes may precede an instruction (III.2): unaligned. and volatile. memory accesses,
 * constrained. and tail. calls, readonly. ldelema and calls, no. those with a check to leave
 * out. */
static uint8_t allowed_prefixes(enum ilpi_op op)
{
    bool memory = (op >= ILPI_OP_LDIND_I1 && op <= ILPI_OP_STIND_R8) || op == ILPI_OP_STIND_I ||
                  op == ILPI_OP_LDOBJ || op == ILPI_OP_STOBJ || op == ILPI_OP_LDFLD ||
                  op == ILPI_OP_STFLD || op == ILPI_OP_INITBLK || op == ILPI_OP_CPBLK;
    uint8_t allowed = memory ? ILPI_PREFIX_VOLATILE | ILPI_PREFIX_UNALIGNED | ILPI_PREFIX_NO : 0;
    switch (op) {
    case ILPI_OP_LDSFLD:
    case ILPI_OP_STSFLD: return ILPI_PREFIX_VOLATILE;
    case ILPI_OP_CALL:
    case ILPI_OP_CALLVIRT:
        return ILPI_PREFIX_TAIL | ILPI_PREFIX_CONSTRAINED | ILPI_PREFIX_READONLY | ILPI_PREFIX_NO;
    case ILPI_OP_CALLI: return ILPI_PREFIX_TAIL;
    case ILPI_OP_LDFTN:
    case ILPI_OP_LDVIRTFTN: return ILPI_PREFIX_CONSTRAINED | ILPI_PREFIX_NO;
    case ILPI_OP_LDELEMA: return ILPI_PREFIX_READONLY | ILPI_PREFIX_NO;
    case ILPI_OP_CASTCLASS:
    case ILPI_OP_UNBOX:
    case ILPI_OP_STELEM:
    case ILPI_OP_LDELEM: return ILPI_PREFIX_NO;
    default:
        return (op >= ILPI_OP_LDELEM_I1 && op <= ILPI_OP_STELEM_REF) ? ILPI_PREFIX_NO : allowed;
    }
}

static void check_prefixes(struct ilpi_frame *frame, enum ilpi_op op)
{
    if ((frame->prefixes & ~allowed_prefixes(op)) != 0) {
        ilpi_report(frame->verifier, ILPI_FIND_PREFIX, "before %s", ilpi_opcodes[op].name);
    }
    if ((frame->prefixes & ILPI_PREFIX_NO) != 0) {
        ilpi_report(frame->verifier, ILPI_FIND_UNSAFE_OP, "no.");
    }
}

/* ---- variables (III.3.38, III.3.43 and what follows) ---- */

/* The operand is the last one or two bytes of the instruction. The comparisons rely on the order of
 * the opcodes: ldarg.0 to .3, ldloc.0 to .3, stloc.0 to .3, the forms with one byte, those with
 * two. */
static uint32_t variable_of(const struct ilpi_frame *frame, enum ilpi_op op)
{
    const struct ilpi_insn *insn = ilpi_insn_now(frame);
    const uint8_t *end = frame->body.code.data + insn->offset + insn->size;
    if (op <= ILPI_OP_LDARG_3) {
        return (uint32_t)(op - ILPI_OP_LDARG_0);
    }
    if (op <= ILPI_OP_LDLOC_3) {
        return (uint32_t)(op - ILPI_OP_LDLOC_0);
    }
    if (op <= ILPI_OP_STLOC_3) {
        return (uint32_t)(op - ILPI_OP_STLOC_0);
    }
    return op <= ILPI_OP_STLOC_S ? end[-1] : ilpi_load_u16(end - 2);
}

static void load_argument(struct ilpi_frame *frame, uint32_t number)
{
    struct ilpi_stack_value value = ilpi_value_of(frame->verifier, frame->args[number]);
    if (number == 0 && frame->has_this && !frame->this_is_stored) {
        value.flags |= ILPI_VALUE_THIS;
        value.flags |= frame->this_ready ? 0 : ILPI_VALUE_UNINIT;
    }
    ilpi_push(frame, value);
}

/* There is no managed pointer to a managed pointer (II.14.4.2), so the address of a variable with
 * one is refused. */
static void load_address(struct ilpi_frame *frame, const struct ilpi_vtype *type)
{
    struct ilpi_stack_value value = {
        .type = type, .kind = ILPI_STACK_BYREF, .flags = ILPI_VALUE_LOCAL};
    if (type->kind == ILP_ELEMENT_BYREF) {
        ilpi_refuse(frame, ilpi_value_of(frame->verifier, type), "the operand is not an address");
        value = ilpi_value_plain(frame->verifier, ILPI_STACK_UNKNOWN);
    }
    ilpi_push(frame, value);
}

/* ldarg, ldloc and relatives (III.3.38, III.3.39, III.3.43, III.3.44, III.3.61, III.3.63). The
 * opcodes are numbered so that ranges distinguish argument or local, load or store. */
static void step_variable(struct ilpi_frame *frame, enum ilpi_op op)
{
    bool argument = op <= ILPI_OP_LDARG_3 || (op >= ILPI_OP_LDARG_S && op <= ILPI_OP_STARG_S) ||
                    (op >= ILPI_OP_LDARG && op <= ILPI_OP_STARG);
    bool store = (op >= ILPI_OP_STLOC_0 && op <= ILPI_OP_STLOC_3) || op == ILPI_OP_STARG_S ||
                 op == ILPI_OP_STLOC_S || op == ILPI_OP_STARG || op == ILPI_OP_STLOC;
    bool address = op == ILPI_OP_LDARGA_S || op == ILPI_OP_LDLOCA_S || op == ILPI_OP_LDARGA ||
                   op == ILPI_OP_LDLOCA;
    uint32_t number = variable_of(frame, op);
    uint32_t count = argument ? frame->arg_count : frame->local_count;
    if (number >= count) {
        ilpi_report(frame->verifier, ILPI_FIND_VARIABLE, "%s %u of %u",
                    argument ? "argument" : "local", number, count);
        frame->stopped = true;
        return;
    }
    const struct ilpi_vtype *type = argument ? frame->args[number] : frame->locals[number];
    if (store) {
        ilpi_expect(frame, ilpi_pop(frame), type, argument ? "an argument" : "a local");
    } else if (address) {
        load_address(frame, type);
    } else if (argument) {
        load_argument(frame, number);
    } else {
        ilpi_push_type(frame, type);
    }
}

/* ---- control flow ---- */

static void check_condition(struct ilpi_frame *frame, struct ilpi_stack_value value)
{
    if (value.kind == ILPI_STACK_STRUCT || value.kind == ILPI_STACK_FLOAT ||
        value.kind == ILPI_STACK_UNKNOWN) {
        ilpi_refuse(frame, value, "an integer or a reference");
    }
}

/* An index of native int is accepted, as runtimes do. Each arm costs a step: a switch may have as
 * many arms as the body has bytes. */
static void step_switch(struct ilpi_frame *frame)
{
    const struct ilpi_insn *insn = ilpi_insn_now(frame);
    struct ilpi_stack_value value = ilpi_pop(frame);
    if (value.kind != ILPI_STACK_INT32 && value.kind != ILPI_STACK_NATIVE) {
        ilpi_refuse(frame, value, "an int32");
    }
    uint32_t arms = ilpi_switch_count(&frame->code, insn);
    for (uint32_t i = 0; i < arms && !frame->stopped; i++) {
        ilpi_flow_branch(frame, frame->code.index_at[ilpi_switch_target(&frame->code, insn, i)]);
        frame->steps -= frame->steps > 1 ? 1 : 0;
    }
}

/* Short forms are treated as their long ones. leave empties the stack and runs finally blocks on
 * its way, so it has a rule of its own (flow.c). */
static void step_branch(struct ilpi_frame *frame, enum ilpi_op op)
{
    uint32_t target = frame->code.index_at[ilpi_insn_target(&frame->code, ilpi_insn_now(frame))];
    enum ilpi_op form = ilpi_op_long_branch(op);
    if (form == ILPI_OP_LEAVE) {
        ilpi_flow_leave(frame, target);
        return;
    }
    if (form == ILPI_OP_BRTRUE || form == ILPI_OP_BRFALSE) {
        check_condition(frame, ilpi_pop(frame));
    } else if (form != ILPI_OP_BR) {
        struct ilpi_stack_value right = ilpi_pop(frame);
        struct ilpi_stack_value left = ilpi_pop(frame);
        /* bgt.un is cgt.un with a branch, by which compilers test for null */
        ilpi_step_compare(frame, left, right,
                          form == ILPI_OP_BEQ || form == ILPI_OP_BNE_UN || form == ILPI_OP_BGT_UN);
    }
    if (!frame->stopped) {
        ilpi_flow_branch(frame, target);
    }
}

/* The stack has the returned value and no other (III.3.57). The value may not be a managed pointer
 * into this method's frame. */
static void step_ret(struct ilpi_frame *frame)
{
    struct ilpi_verifier *verifier = frame->verifier;
    ilpi_flow_end(frame);
    bool returns = frame->ret->kind != ILP_ELEMENT_VOID;
    if (frame->depth != (returns ? 1u : 0u)) {
        ilpi_report(verifier, ILPI_FIND_RETURN, "%u values are on the stack", frame->depth);
    } else if (returns) {
        struct ilpi_stack_value value = ilpi_pop(frame);
        ilpi_expect(frame, value, frame->ret, ILPI_WHAT_IS_RETURNED);
        if (value.kind == ILPI_STACK_BYREF && (value.flags & ILPI_VALUE_LOCAL) != 0) {
            ilpi_report(verifier, ILPI_FIND_LOCAL_REF, "a reference to a local or argument");
        }
    }
    if (!frame->this_ready) {
        ilpi_report(verifier, ILPI_FIND_THIS_UNINIT, "the constructor returns");
    }
    frame->stopped = true;
}

/* throw, rethrow, endfinally, endfilter: nothing follows them in the order of the code (III.4.31,
 * III.4.24, III.3.35, III.3.34). */
static void step_end(struct ilpi_frame *frame, enum ilpi_op op)
{
    if (op == ILPI_OP_THROW) {
        struct ilpi_stack_value value = ilpi_pop(frame);
        if (value.kind != ILPI_STACK_OBJECT && value.kind != ILPI_STACK_NULL) {
            ilpi_refuse(frame, value, "an object");
        }
        return;
    }
    ilpi_flow_end(frame);
    if (op == ILPI_OP_ENDFILTER) {
        struct ilpi_stack_value value = ilpi_pop(frame);
        if (value.kind != ILPI_STACK_INT32) {
            ilpi_refuse(frame, value, "an int32");
        }
        if (frame->depth != 0) {
            ilpi_report(frame->verifier, ILPI_FIND_EH_END,
                        "endfilter, and %u more values on the stack", frame->depth);
        }
    }
}

/* The opcodes of each group are contiguous, in the order of their values. */
static bool step_here(struct ilpi_frame *frame, enum ilpi_op op)
{
    unsigned operand = ilpi_opcodes[op].operand;
    if ((op >= ILPI_OP_LDARG_0 && op <= ILPI_OP_STLOC_S) ||
        (op >= ILPI_OP_LDARG && op <= ILPI_OP_STLOC)) {
        step_variable(frame, op);
    } else if (operand == ILPI_OPERAND_TARGET1 || operand == ILPI_OPERAND_TARGET4) {
        step_branch(frame, op);
    } else if (op >= ILPI_OP_LDC_I4_M1 && op <= ILPI_OP_LDC_I4) {
        ilpi_push_kind(frame, ILPI_STACK_INT32);
    } else {
        return false;
    }
    return true;
}

/* One instruction: pops and pushes as its clause in Partition III says, and where control
 * continues. A prefix is only remembered, and belongs to the next instruction. `families` has the
 * others by ranges of opcodes. */
void ilpi_step(struct ilpi_frame *frame)
{
    enum ilpi_op op = (enum ilpi_op)ilpi_insn_now(frame)->op;
    if (ilpi_opcodes[op].flow == ILPI_FLOW_META) {
        take_prefix(frame, op);
        return;
    }
    if (frame->prefixes != 0) {
        check_prefixes(frame, op);
    }
    if (step_here(frame, op)) {
        frame->prefixes = 0;
        return;
    }
    switch (op) {
    case ILPI_OP_NOP:
    case ILPI_OP_BREAK: break;
    case ILPI_OP_LDNULL: ilpi_push_kind(frame, ILPI_STACK_NULL); break;
    case ILPI_OP_LDC_I8: ilpi_push_kind(frame, ILPI_STACK_INT64); break;
    case ILPI_OP_LDC_R4:
    case ILPI_OP_LDC_R8: ilpi_push_kind(frame, ILPI_STACK_FLOAT); break;
    case ILPI_OP_DUP: {
        struct ilpi_stack_value value = ilpi_pop(frame);
        ilpi_push(frame, value);
        ilpi_push(frame, value);
        break;
    }
    case ILPI_OP_POP: ilpi_pop(frame); break;
    case ILPI_OP_SWITCH: step_switch(frame); break;
    case ILPI_OP_RET: step_ret(frame); break;
    case ILPI_OP_THROW:
    case ILPI_OP_RETHROW:
    case ILPI_OP_ENDFINALLY:
    case ILPI_OP_ENDFILTER: step_end(frame, op); break;
    default:
        for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
            if (op <= families[i].last) {
                families[i].step(frame, op);
                break;
            }
        }
        break;
    }
    frame->prefixes = 0;
}
