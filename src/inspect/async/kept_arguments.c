/* Finds the fields that hold the arguments of an async method or iterator. See kept_arguments.h.
 *
 *   the kickoff method:    ... ldloca machine; ldarg n; stfld field       ldobj after the ldarg of
 *                          a struct's `this`
 *   <M>d__0.MoveNext():  ... ldarg.0; ldfld field                         or ldflda
 *
 * Names of fields differ between compilers. A field counts if the kickoff method stores an argument
 * in it, in straight-line code that does not use its arguments as variables. It no longer counts if
 * MoveNext may store into it: by stfld, or by its address, unless that is only read through or is
 * the `this` of a call. Changes by such a call are shown, as changes inside an object are. */
#include "inspect/async/kept_arguments.h"

#include "inspect/async/argument_fields.h"
#include "inspect/body_at.h"
#include "sig/sig.h"
#include "types/value_type.h"

/* The state of a search. */
struct kept_search {
    struct ilpi_argument_fields of;
    bool self_by_reference; /* argument 0 is a struct's `this` */
};

/* Requirements: the kickoff method's arguments are counted, MoveNext takes only the state
 * machine. */
static ilp_status read_signatures(struct kept_search *search, enum ilpi_state_machine_kind kind,
                                  ilp_rid kickoff, ilp_rid move_next, bool *known,
                                  struct ilp_error *error)
{
    const struct ilp_image *image = search->of.machine->image;
    struct ilp_bytes taken =
        ilp_blob(image, ilp_cell(image, ILP_MethodDef, move_next, ILP_MethodDef_Signature));
    uint32_t blob = ilp_cell(image, ILP_MethodDef, kickoff, ILP_MethodDef_Signature);
    uint8_t returned = kind == ILPI_STATE_MACHINE_ITERATOR ? ILP_ELEMENT_BOOLEAN : ILP_ELEMENT_VOID;
    struct ilpi_sig_call call;
    ILPI_TRY(
        ilpi_sig_call_shape(ilp_blob(image, blob), ilpi_blob_offset(image, blob), &call, error));
    bool has_this = (call.convention & ILP_CALL_HASTHIS) != 0;
    *known = taken.size == 3 && taken.data[0] == ILP_CALL_HASTHIS && taken.data[1] == 0 &&
             taken.data[2] == returned && (call.convention & ILP_CALL_EXPLICITTHIS) == 0 &&
             call.params < UINT16_MAX && image->tables[ILP_FieldPtr].count == 0;
    search->of.count = call.params + has_this;
    search->self_by_reference = has_this &&
                                ilpi_is_value_type_def(image, ilp_owner_of_method(image, kickoff));
    return ILP_OK;
}

static ilp_status make_room(struct kept_search *search, struct ilp_error *error)
{
    const struct ilpi_machine_type *machine = search->of.machine;
    ilp_rid end;
    ilpi_list(machine->image, ILP_TypeDef, machine->rid, ILP_TypeDef_FieldList, &search->of.first,
              &end);
    search->of.field_count = end - search->of.first;
    ILPI_TRY(ilpi_spend(machine->budget, search->of.field_count, error));
    search->of.holds = ilpi_arena_array(machine->arena, search->of.field_count + 1,
                                        sizeof *search->of.holds);
    search->of.fields = ilpi_arena_array(machine->arena, search->of.count + 1,
                                         sizeof *search->of.fields);
    return search->of.holds && search->of.fields
               ? ILP_OK
               : ilpi_fail_memory(error, search->of.field_count * sizeof *search->of.holds);
}

/* Whether an argument is used as a variable. */
static bool is_variable(const struct ilpi_insn *insn)
{
    return insn->op == ILPI_OP_STARG_S || insn->op == ILPI_OP_STARG ||
           insn->op == ILPI_OP_LDARGA_S || insn->op == ILPI_OP_LDARGA;
}

/* ---- the kickoff method ---- */

/* The number of an instruction that loads an argument; UINT32_MAX: it does not. */
static uint32_t loaded_argument(struct ilp_bytes code, const struct ilpi_insn *insn)
{
    const uint8_t *operand = code.data + insn->offset + ilpi_opcode_bytes((enum ilpi_op)insn->op);
    switch (insn->op) {
    case ILPI_OP_LDARG_0:
    case ILPI_OP_LDARG_1:
    case ILPI_OP_LDARG_2:
    case ILPI_OP_LDARG_3: return (uint32_t)(insn->op - ILPI_OP_LDARG_0);
    case ILPI_OP_LDARG_S: return *operand;
    case ILPI_OP_LDARG: return ilpi_load_u16(operand);
    default: return UINT32_MAX;
    }
}

/* Ends the straight line: an argument used as a variable may have changed before it is stored, a
 * branch may skip a store, and leave ends a try block. */
static bool is_plain(const struct ilpi_insn *insn)
{
    uint8_t flow = ilpi_opcodes[insn->op].flow;
    return !is_variable(insn) && flow != ILPI_FLOW_BRANCH && flow != ILPI_FLOW_COND_BRANCH;
}

/* Records that argument `number`, or another value if it is UINT32_MAX, is stored into a field.
 * False: the field held an argument before, so that two values may reach MoveNext. Of two fields
 * with the same argument the first one is taken. */
static bool take_store(struct kept_search *search, uint32_t index, uint32_t number)
{
    if (index == search->of.field_count) {
        return true;
    }
    if (search->of.holds[index] != 0) {
        return false;
    }
    if (number < search->of.count && search->of.fields[number] == 0) {
        search->of.holds[index] = number + 1;
        search->of.fields[number] = search->of.first + index;
    }
    return true;
}

/* One pass over straight code: `ldarg n` followed by `stfld` is a store of argument n; nop between
 * them is what debug builds have. Anything that ends the straight line makes all arguments
 * unknown. */
static ilp_status read_stores(struct kept_search *search, struct ilp_bytes code, bool *known,
                              struct ilp_error *error)
{
    uint32_t loaded = UINT32_MAX;
    struct ilpi_insn insn;
    *known = true;
    for (uint32_t at = 0; *known && at < code.size && ilpi_insn_read(code, at, &insn);
         at += insn.size) {
        bool through = insn.op == ILPI_OP_LDOBJ && loaded == 0 && search->self_by_reference;
        if (insn.op == ILPI_OP_STFLD) {
            uint32_t index;
            ilp_token token = ilpi_load_u32(code.data + at + insn.size - 4);
            ILPI_TRY(ilpi_argument_field(&search->of, token, &index, error));
            *known = take_store(search, index, loaded);
        } else {
            *known = is_plain(&insn);
        }
        loaded = through || insn.op == ILPI_OP_NOP ? loaded : loaded_argument(code, &insn);
    }
    return ILP_OK;
}

static ilp_status read_kickoff(struct kept_search *search, ilp_rid kickoff, bool *known,
                               struct ilp_error *error)
{
    const struct ilpi_machine_type *machine = search->of.machine;
    uint32_t rva = ilp_cell(machine->image, ILP_MethodDef, kickoff, ILP_MethodDef_RVA);
    struct ilp_body body;
    ILPI_TRY(ilpi_body_at(machine->image, rva, machine->arena, machine->budget, &body, error));
    return read_stores(search, body.code, known, error);
}

/* ---- MoveNext ---- */

struct move_next {
    const struct ilpi_code *code;
    const struct ilpi_stack *stack; /* depth[i]: before instruction i */
    const struct ilpi_calls *calls;
};

/* The pops of an instruction, unless it ends the straight line. */
static ilp_status find_taken(const struct move_next *method, uint32_t i,
                             struct ilpi_call_shape *taken, struct ilp_error *error)
{
    const struct ilpi_insn *insn = &method->code->insns[i];
    const struct ilpi_opcode *op = &ilpi_opcodes[insn->op];
    *taken = (struct ilpi_call_shape){.pops = op->pops};
    return op->pops != ILPI_VARIES
               ? ILP_OK
               : method->calls->shape(method->calls->user, (enum ilpi_op)insn->op,
                                      ilpi_insn_token(method->code, insn), taken, error);
}

static bool goes_on(const struct ilpi_insn *insn)
{
    uint8_t flow = ilpi_opcodes[insn->op].flow;
    return flow == ILPI_FLOW_NEXT || flow == ILPI_FLOW_CALL || flow == ILPI_FLOW_META;
}

/* Whether the address that ldflda `i` pushes is only read through, or only has a method called on
 * it. The instruction that takes it is the first one that reaches down to its height on the stack;
 * what happens above it does not matter. A branch before that gives up. */
static ilp_status only_reads(const struct move_next *method, uint32_t i, bool *only,
                             struct ilp_error *error)
{
    const struct ilpi_code *code = method->code;
    uint32_t height = method->stack->depth[i]; /* of the address: it replaces the object there */
    *only = false;
    for (i++; i < code->count && goes_on(&code->insns[i]); i++) {
        uint16_t op = code->insns[i].op;
        uint32_t depth = method->stack->depth[i];
        struct ilpi_call_shape taken;
        ILPI_TRY(find_taken(method, i, &taken, error));
        if (depth - taken.pops >= height || op == ILPI_OP_LDFLDA) { /* that of a member */
            continue;
        }
        /* `this` is the lowest that a call pops: it is the address if the call pops no deeper */
        bool call = op == ILPI_OP_CALL || op == ILPI_OP_CALLVIRT;
        *only = call ? taken.takes_this && depth - taken.pops == height - 1
                     : op == ILPI_OP_LDFLD || op == ILPI_OP_LDOBJ;
        return ILP_OK;
    }
    return ILP_OK;
}

/* Whether instruction `i` may change the field in its operand. */
static ilp_status may_change(const struct move_next *method, uint32_t i, bool *changes,
                             struct ilp_error *error)
{
    *changes = true;
    if (method->code->insns[i].op == ILPI_OP_LDFLDA) {
        ILPI_TRY(only_reads(method, i, changes, error));
        *changes = !*changes;
    }
    return ILP_OK;
}

/* Fields that MoveNext may change hold no argument. */
static ilp_status read_move_next(struct kept_search *search, const struct move_next *method,
                                 bool *known, struct ilp_error *error)
{
    const struct ilpi_code *code = method->code;
    *known = true;
    for (uint32_t i = 0; i < code->count && *known; i++) {
        const struct ilpi_insn *insn = &code->insns[i];
        uint32_t index;
        bool changes;
        *known = !is_variable(insn);
        if ((insn->marks & ILPI_INSN_SEEN) == 0 ||
            (insn->op != ILPI_OP_STFLD && insn->op != ILPI_OP_LDFLDA)) {
            continue;
        }
        ILPI_TRY(ilpi_argument_field(&search->of, ilpi_insn_token(code, insn), &index, error));
        if (index != search->of.field_count && search->of.holds[index] != 0) {
            ILPI_TRY(may_change(method, i, &changes, error));
            search->of.fields[search->of.holds[index] - 1] *= !changes; /* 0: unknown */
        }
    }
    return ILP_OK;
}

/* A failure of the search is not an error: kept->fields stays NULL, and the arguments are passed by
 * the kickoff method. */
ilp_status ilpi_kept_arguments_find(const struct ilpi_machine_type *machine,
                                    enum ilpi_state_machine_kind kind, ilp_rid kickoff,
                                    ilp_rid move_next, const struct ilpi_code *code,
                                    const struct ilpi_stack *stack, const struct ilpi_calls *calls,
                                    struct ilpi_kept_arguments *kept, struct ilp_error *error)
{
    struct kept_search search = {.of = {.machine = machine}};
    const struct move_next method = {code, stack, calls};
    bool known;
    *kept = (struct ilpi_kept_arguments){.fields = NULL};
    ILPI_TRY(read_signatures(&search, kind, kickoff, move_next, &known, error));
    if (!known) {
        return ILP_OK;
    }
    ILPI_TRY(make_room(&search, error));
    ILPI_TRY(read_kickoff(&search, kickoff, &known, error));
    if (known && kind != ILPI_STATE_MACHINE_ASYNC) {
        ILPI_TRY(ilpi_argument_fields_follow(&search.of, move_next, error));
    }
    if (known) {
        ILPI_TRY(read_move_next(&search, &method, &known, error));
    }
    if (known) {
        *kept = (struct ilpi_kept_arguments){search.of.fields, search.of.count};
    }
    return ILP_OK;
}
