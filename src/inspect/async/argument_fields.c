/* Traces the arguments of an iterator from its IEnumerable to its IEnumerator. See
 * argument_fields.h.
 *
 *   the kickoff method:  newobj machine; dup; ldarg n; stfld of_sequence
 *   GetEnumerator():     ... stloc e; ldloc e; ldarg.0; ldfld of_sequence; stfld of_enumerator
 *
 * The enumerator is the same object or another one of the same class, so a field that is copied to
 * itself holds the argument in both. Without a GetEnumerator, the kickoff method creates the
 * enumerator itself. A copy that a branch may skip does not count, nor does one of two: so a
 * CancellationToken with EnumeratorCancellation is unknown. No other method of the class may change
 * the fields; that includes finally blocks, which are methods of their own. */
#include "inspect/async/argument_fields.h"

#include "il/code.h"
#include "inspect/body_at.h"

/* The index among the class's own fields; `field_count` for any other field. A MemberRef, which
 * generic classes use for their own fields, costs a search by name. */
ilp_status ilpi_argument_field(const struct ilpi_argument_fields *fields, ilp_token token,
                               uint32_t *index, struct ilp_error *error)
{
    ilp_rid field = 0;
    *index = fields->field_count;
    if (ILP_TOKEN_TABLE(token) == ILP_Field) {
        field = ILP_TOKEN_RID(token);
    } else {
        ILPI_TRY(ilpi_spend(fields->machine->budget, fields->field_count, error));
        ILPI_TRY(ilpi_state_machine_field(fields->machine, token, &field, error));
    }
    if (field - fields->first < fields->field_count) {
        *index = field - fields->first;
    }
    return ILP_OK;
}

/* ---- one method ---- */

/* The state while instructions are read one by one. A copy is `ldarg.0; ldfld; stfld`: `begin` and
 * `from` remember the first two. If no branch before the copy goes to a place after `begin`
 * (`ahead` <= `begin`), the copy always runs; a switch may go anywhere. */
struct follower {
    struct ilpi_argument_fields *fields;
    uint32_t *copied; /* per argument: the number of copies in GetEnumerator */
    bool enumerates;  /* the method is a GetEnumerator */
    bool changes;     /* search for instructions that change fields; otherwise for copies */
    uint32_t ahead;   /* the farthest branch target */
    uint32_t begin;   /* of the latest ldarg.0 */
    uint32_t from;    /* the field that was just loaded from it */
};

static uint32_t target_of(struct ilp_bytes code, const struct ilpi_insn *insn)
{
    switch (ilpi_opcodes[insn->op].operand) {
    case ILPI_OPERAND_TARGET1: return (uint32_t)ilpi_insn_lead(code, insn, 1, true);
    case ILPI_OPERAND_TARGET4: return (uint32_t)ilpi_insn_lead(code, insn, 1, false);
    case ILPI_OPERAND_SWITCH: return UINT32_MAX;
    default: return 0;
    }
}

static bool is_copy(const struct follower *follower, uint32_t to)
{
    const struct ilpi_argument_fields *fields = follower->fields;
    uint32_t from = follower->from;
    if (!follower->enumerates || from == fields->field_count || fields->holds[from] == 0) {
        return false;
    }
    return from == to || follower->ahead <= follower->begin;
}

/* A field is stored into, or its address is taken. Two passes use this: the first one finds copies,
 * and marks their targets as holding the argument, too; the second one, over all methods, removes
 * arguments whose field may get another value. */
static void change(struct follower *follower, uint32_t to, bool copies)
{
    struct ilpi_argument_fields *fields = follower->fields;
    uint32_t held = to != fields->field_count ? fields->holds[to] : 0;
    uint32_t argument = copies ? fields->holds[follower->from] : 0;
    if (follower->changes) {
        if (held != 0 && held != argument) {
            fields->fields[held - 1] = 0;
        }
    } else if (argument != 0 && (held == 0 || held == argument)) {
        fields->holds[to] = argument;
        fields->fields[argument - 1] = fields->first + to;
        follower->copied[argument - 1]++;
    }
}

/* What an instruction means for the search:
 *
 *   ldarg.0         begin = here
 *   ldfld F         from = F, if it directly follows
 *   stfld G         a copy from F to G, if it directly follows; else a change of G
 *   ldflda G        a change of G: the address may be written through */
static ilp_status read_instruction(struct follower *follower, struct ilp_bytes code, uint32_t at,
                                   const struct ilpi_insn *insn, struct ilp_error *error)
{
    uint32_t none = follower->fields->field_count, index = none;
    uint32_t target = target_of(code, insn);
    bool loads = insn->op == ILPI_OP_LDFLD, stores = insn->op == ILPI_OP_STFLD;
    bool after_self = at != 0 && follower->begin == at - 1 && code.data[at - 1] == 0x02;
    follower->ahead = target > follower->ahead ? target : follower->ahead;
    if (loads || stores || insn->op == ILPI_OP_LDFLDA) {
        ilp_token token = ilpi_load_u32(code.data + at + insn->size - 4);
        ILPI_TRY(ilpi_argument_field(follower->fields, token, &index, error));
    }
    if (index != none && !loads) {
        change(follower, index, stores && is_copy(follower, index));
    }
    follower->from = loads && after_self ? index : none;
    follower->begin = insn->op == ILPI_OP_LDARG_0 ? at : follower->begin;
    return ILP_OK;
}

static ilp_status read_method(struct follower *follower, ilp_rid method, struct ilp_error *error)
{
    const struct ilpi_machine_type *machine = follower->fields->machine;
    uint32_t rva = ilp_cell(machine->image, ILP_MethodDef, method, ILP_MethodDef_RVA);
    struct ilp_body body;
    struct ilpi_insn insn;
    if (rva == 0) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_body_at(machine->image, rva, machine->arena, machine->budget, &body, error));
    follower->ahead = 0;
    follower->begin = UINT32_MAX;
    follower->from = follower->fields->field_count;
    for (uint32_t at = 0; at < body.code.size && ilpi_insn_read(body.code, at, &insn);
         at += insn.size) {
        ILPI_TRY(read_instruction(follower, body.code, at, &insn, error));
    }
    return ILP_OK;
}

/* ---- all of them ---- */

static bool is_enumerator(const struct ilp_image *image, ilp_rid method)
{
    return ilpi_is_called(image, method, "GetEnumerator") ||
           ilpi_is_called(image, method, "GetAsyncEnumerator");
}

/* Reads all methods but MoveNext if `changes`, else those that create enumerators; *any: there are
 * any. */
static ilp_status read_methods(struct follower *follower, bool changes, ilp_rid move_next,
                               bool *any, struct ilp_error *error)
{
    const struct ilpi_machine_type *machine = follower->fields->machine;
    ilp_rid at, end;
    *any = false;
    follower->changes = changes;
    ilpi_list(machine->image, ILP_TypeDef, machine->rid, ILP_TypeDef_MethodList, &at, &end);
    ILPI_TRY(ilpi_spend(machine->budget, end - at, error));
    for (; at < end; at++) {
        ilp_rid method = ilpi_list_row(machine->image, ILP_MethodDef, at);
        follower->enumerates = is_enumerator(machine->image, method);
        if (method != move_next && (changes || follower->enumerates)) {
            *any = true;
            ILPI_TRY(read_method(follower, method, error));
        }
    }
    return ILP_OK;
}

/* First GetEnumerator, which finds where each argument is after its copy; then all other methods,
 * which may take some away. An argument with a copy that is not the only one is given up. */
ilp_status ilpi_argument_fields_follow(struct ilpi_argument_fields *fields, ilp_rid move_next,
                                       struct ilp_error *error)
{
    bool makes, any;
    struct follower follower = {.fields = fields};
    follower.copied = ilpi_arena_array(fields->machine->arena, fields->count + 1,
                                       sizeof *follower.copied);
    if (!follower.copied) {
        return ilpi_fail_memory(error, fields->count * sizeof *follower.copied);
    }
    ILPI_TRY(read_methods(&follower, false, move_next, &makes, error));
    for (uint32_t i = 0; i < fields->count && makes; i++) {
        fields->fields[i] *= follower.copied[i] == 1;
    }
    return read_methods(&follower, true, move_next, &any, error);
}
