/* Makes keys of sequences. See sequence_key.h.
 *
 * Sequences with equal keys must have equal verdicts. So a key contains everything that the
 * verifier could look at, and anything not understood gives no key: the body is then verified as a
 * whole.
 *
 *   at_ret | clauses | code size | number and types of added locals
 *   | for each instruction: opcode, and its operand in a form that is the same in all methods
 *   | is_any_class, or the returned type | open, parameters | method, if arguments are used | async
 *
 * What may differ between equal sequences is left out: the text of ldstr, the constant of ldc.i8,
 * the row of a MethodDef in ldtoken, and the number of old locals before the new ones. */
#include "verify/sequence_key.h"

#include "base/bytes.h"
#include "base/cursor.h"
#include "il/one_pass.h"
#include "metadata/flags.h"
#include "sig/sig.h"
#include "types/call_shape.h"

/* Parts of the method that a sequence's key depends on. */
struct uses {
    bool arguments;  /* then the key has the method: its arguments are not in it */
    bool parameters; /* perhaps type parameters */
    bool types;      /* types other than primitives, string and object */
};

/* ---- bytes ---- */

/* It has room for everything (key_room()). */
struct key_bytes {
    uint8_t *at;
};

static void put8(struct key_bytes *key, uint8_t value)
{
    *key->at++ = value;
}

static void put32(struct key_bytes *key, uint32_t value)
{
    memcpy(key->at, &value, sizeof value);
    key->at += sizeof value;
}

static void put_bytes(struct key_bytes *key, const void *bytes, size_t size)
{
    if (size != 0) {
        memcpy(key->at, bytes, size);
        key->at += size;
    }
}

/* ---- signatures ---- */

/* May be too cautious: bytes of other numbers may look the same. That only makes more keys
 * differ. */
static bool may_be_open(struct ilp_bytes signature)
{
    return signature.size != 0 && (memchr(signature.data, ILP_ELEMENT_VAR, signature.size) ||
                                   memchr(signature.data, ILP_ELEMENT_MVAR, signature.size));
}

/* Skips one type (II.23.2.12); function pointers and arrays with bounds are not supported. Counts
 * what is still to be read instead of recursion, so nesting costs no stack. */
static bool skip_type(struct ilpi_cursor *cursor)
{
    uint32_t left = 1; /* types */
    while (left != 0 && cursor->status == ILP_OK) {
        switch (ilpi_read_u8(cursor)) {
        case ILP_ELEMENT_PTR:
        case ILP_ELEMENT_BYREF:
        case ILP_ELEMENT_SZARRAY: break; /* followed by its element type */
        case ILP_ELEMENT_CMOD_REQD:
        case ILP_ELEMENT_CMOD_OPT: ilpi_read_packed(cursor); break;
        case ILP_ELEMENT_CLASS:
        case ILP_ELEMENT_VALUETYPE:
        case ILP_ELEMENT_VAR:
        case ILP_ELEMENT_MVAR:
            ilpi_read_packed(cursor);
            left--;
            break;
        case ILP_ELEMENT_GENERICINST: {
            ilpi_read_u8(cursor);
            ilpi_read_packed(cursor);
            uint32_t arguments = ilpi_read_packed(cursor);
            if (arguments > ilpi_cursor_left(cursor)) {
                return false;
            }
            left += arguments - 1; /* they follow; the instance itself is read */
            break;
        }
        case ILP_ELEMENT_FNPTR:
        case ILP_ELEMENT_ARRAY: return false;
        default: left--; break;
        }
    }
    return cursor->status == ILP_OK;
}

/* A method signature:
 *
 *   signature   convention [generic count] count of parameters, type of return, parameters
 *
 * Only the return type is needed; it is skipped over by its grammar (II.23.2.12), since types are
 * not of fixed size. */
static bool read_signature(struct ilpi_surroundings *around)
{
    const struct ilpi_changed_body *changed = around->changed;
    uint32_t blob = ilp_cell(changed->image, ILP_MethodDef, ILP_TOKEN_RID(changed->method),
                             ILP_MethodDef_Signature);
    around->signature = ilp_blob(changed->image, blob);
    if (!around->signature.data) {
        return false;
    }
    struct ilpi_cursor cursor = ilpi_cursor_over(around->signature, 0, "signature", NULL);
    if ((ilpi_read_u8(&cursor) & ILP_CALL_GENERIC) != 0) {
        ilpi_read_packed(&cursor);
    }
    ilpi_read_packed(&cursor);
    const uint8_t *type = cursor.at;
    if (cursor.status != ILP_OK || !skip_type(&cursor)) {
        return false;
    }
    around->returned = (struct ilp_bytes){type, (size_t)(cursor.at - type)};
    return true;
}

static bool read_locals(const struct ilp_image *image, ilp_token token, struct ilp_bytes *types,
                        uint32_t *count)
{
    *types = (struct ilp_bytes){NULL, 0};
    *count = 0;
    return token == 0 ||
           (ILP_TOKEN_TABLE(token) == ILP_StandAloneSig &&
            ilpi_sig_locals(ilp_blob(image, ilpi_call_signature(image, token)), types, count));
}

/* The new locals are the old ones and some more. The blobs are compared as bytes without their
 * heads (convention and count). */
static bool compare_locals(struct ilpi_surroundings *around)
{
    const struct ilp_body *old = around->changed->old, *new = around->changed->new;
    struct ilp_bytes before, after;
    if (old->locals == new->locals) {
        return old->init_locals == new->init_locals;
    }
    if (!read_locals(around->changed->image, old->locals, &before, &around->old_locals) ||
        !read_locals(around->changed->image, new->locals, &after, &around->new_locals) ||
        around->new_locals <= around->old_locals || after.size < before.size) {
        return false;
    }
    around->added_locals = (struct ilp_bytes){after.data + before.size, after.size - before.size};
    after.size = before.size;
    return ilpi_bytes_equal(before, after) &&
           new->init_locals == (old->init_locals || old->locals == 0);
}

static ilp_status call_shape(void *user, enum ilpi_op op, ilp_token token,
                             struct ilpi_call_shape *shape, struct ilp_error *error)
{
    const struct ilpi_changed_body *changed = user;
    return ilpi_call_shape_read(changed->image, op, token, shape, error);
}

/* The stack depth of a body with a tiny header (II.25.4.2), which does not state it. False if one
 * pass is not enough. */
static bool tiny_depth(struct ilpi_changed_body changed, uint32_t *depth)
{
    const struct ilpi_calls calls = {&changed, call_shape};
    struct ilpi_one_pass pass;
    uint16_t points[ILPI_TINY_MAX_CODE + 1];
    bool known = changed.old->code.size <= ILPI_TINY_MAX_CODE &&
                 ilpi_one_pass(&pass, changed.old, &calls, ILPI_RETURNS_ANY, points);
    *depth = known ? pass.max : 0;
    return known;
}

/* Whether MaxStack suffices for the old code. */
static bool is_high_enough(const struct ilpi_changed_body *changed)
{
    uint32_t depth;
    return changed->new->max_stack >= changed->old->max_stack ||
           (!changed->old->fat && tiny_depth(*changed, &depth) && changed->new->max_stack >= depth);
}

bool ilpi_look_around(struct ilpi_surroundings *around)
{
    bool known = is_high_enough(around->changed) && read_signature(around) &&
                 compare_locals(around);
    around->is_open = known && (may_be_open(around->returned) || may_be_open(around->added_locals));
    return known;
}

/* ---- the key ---- */

/* Whether an operand's type may depend on the method's type parameters. */
static bool is_open_token(const struct ilp_image *image, ilp_token token)
{
    ilp_rid rid = ILP_TOKEN_RID(token);
    switch (ILP_TOKEN_TABLE(token)) {
    case ILP_TypeSpec:
        return may_be_open(
            ilp_blob(image, ilp_cell(image, ILP_TypeSpec, rid, ILP_TypeSpec_Signature)));
    case ILP_StandAloneSig:
        return may_be_open(
            ilp_blob(image, ilp_cell(image, ILP_StandAloneSig, rid, ILP_StandAloneSig_Signature)));
    case ILP_MemberRef:
        return ILP_TOKEN_TABLE(ilp_cell(image, ILP_MemberRef, rid, ILP_MemberRef_Class)) ==
               ILP_TypeSpec;
    case ILP_TypeDef:
    case ILP_TypeRef:
    case ILP_MethodDef:
    case ILP_Field: return false;
    default: return true;
    }
}

/* Whether an operand only refers to primitive types, string and object: a method whose signature
 * has no others. Bytes of other numbers may look like them. */
static bool is_plain_token(const struct ilp_image *image, ilp_token token)
{
    static const uint8_t others[] = {
        ILP_ELEMENT_VALUETYPE, ILP_ELEMENT_CLASS, ILP_ELEMENT_VAR,       ILP_ELEMENT_GENERICINST,
        ILP_ELEMENT_MVAR,      ILP_ELEMENT_FNPTR, ILP_ELEMENT_CMOD_REQD, ILP_ELEMENT_CMOD_OPT};
    struct ilp_bytes signature = ilp_blob(image, ilpi_call_signature(image, token));
    bool plain = signature.size != 0;
    for (size_t i = 0; i < sizeof others && plain; i++) {
        plain = !memchr(signature.data, others[i], signature.size);
    }
    return plain;
}

/* Only the new locals count, numbered from the first of them. */
static bool put_local(struct key_bytes *key, const struct ilpi_surroundings *around,
                      uint32_t number)
{
    put32(key, number - around->old_locals);
    return number >= around->old_locals && number < around->new_locals;
}

/* Tokens are part of the key, except where one valid token is as good as another: a string, and a
 * method in ldtoken. The name and the handle of the method itself would else make each key
 * unique. */
static bool put_token(struct key_bytes *key, const struct ilpi_surroundings *around,
                      ilp_token token, enum ilpi_op op, struct uses *uses)
{
    const struct ilp_image *image = around->changed->image;
    if (op == ILPI_OP_LDSTR) {
        return ILP_TOKEN_TABLE(token) == ILP_TOKEN_USER_STRING &&
               ilpi_has_user_string(image, ILP_TOKEN_RID(token));
    }
    if (op == ILPI_OP_LDTOKEN && ILP_TOKEN_TABLE(token) == ILP_MethodDef) {
        put32(key, ILP_TOKEN(ILP_MethodDef, 0));
        return ILP_TOKEN_RID(token) - 1 < image->tables[ILP_MethodDef].count;
    }
    uses->parameters = uses->parameters || is_open_token(image, token);
    uses->types = uses->types || !is_plain_token(image, token);
    put32(key, token);
    return true;
}

/* False if it is not supported. The opcode comes first, so that only equal instructions have equal
 * keys.
 *
 * Refused are instructions that refer to what a key does not have: old locals by their short forms,
 * stores to arguments, localloc (which changes what is verifiable in the whole body), and
 * returns. */
static bool put_instruction(struct key_bytes *key, const struct ilpi_surroundings *around,
                            struct ilp_bytes code, const struct ilpi_insn *insn, struct uses *uses)
{
    const uint8_t *operand = code.data + insn->offset + ilpi_opcode_bytes(insn->op);
    size_t size = (size_t)(code.data + insn->offset + insn->size - operand);
    put8(key, (uint8_t)insn->op);
    switch ((enum ilpi_op)insn->op) {
    case ILPI_OP_LDLOC_S:
    case ILPI_OP_STLOC_S:
    case ILPI_OP_LDLOCA_S: return put_local(key, around, operand[0]);
    case ILPI_OP_LDLOC:
    case ILPI_OP_STLOC:
    case ILPI_OP_LDLOCA: return put_local(key, around, ilpi_load_u16(operand));
    case ILPI_OP_LDARG_0:
    case ILPI_OP_LDARG_1:
    case ILPI_OP_LDARG_2:
    case ILPI_OP_LDARG_3:
    case ILPI_OP_LDARG_S:
    case ILPI_OP_LDARG: uses->arguments = true; break;
    case ILPI_OP_LDARGA_S:
    case ILPI_OP_LDARGA: /* ldarga of `this` may change it, for all of the code */
        uses->arguments = true;
        if (insn->op == ILPI_OP_LDARGA ? ilpi_load_u16(operand) == 0 : operand[0] == 0) {
            return (around->signature.data[0] & ILP_CALL_HASTHIS) == 0;
        }
        break;
    case ILPI_OP_LDLOC_0:
    case ILPI_OP_LDLOC_1:
    case ILPI_OP_LDLOC_2:
    case ILPI_OP_LDLOC_3:
    case ILPI_OP_STLOC_0:
    case ILPI_OP_STLOC_1:
    case ILPI_OP_STLOC_2:
    case ILPI_OP_STLOC_3:
    case ILPI_OP_STARG_S:
    case ILPI_OP_STARG:
    case ILPI_OP_LOCALLOC: return false;
    case ILPI_OP_LDC_I8: return true; /* a method's id, or an address */
    default: break;
    }
    switch (ilpi_opcodes[insn->op].operand) {
    case ILPI_OPERAND_TOKEN:
    case ILPI_OPERAND_METHOD:
    case ILPI_OPERAND_SIG:
    case ILPI_OPERAND_STRING:
        return put_token(key, around, ilpi_load_u32(operand), (enum ilpi_op)insn->op, uses);
    default: put_bytes(key, operand, size);
    }
    return ilpi_opcodes[insn->op].flow != ILPI_FLOW_RETURN;
}

static bool put_instructions(struct key_bytes *key, const struct ilpi_surroundings *around,
                             struct ilp_bytes code, struct uses *uses)
{
    struct ilpi_insn insn;
    for (uint32_t at = 0; at < code.size; at += insn.size) {
        if (!ilpi_insn_read(code, at, &insn) || !put_instruction(key, around, code, &insn, uses)) {
            return false;
        }
    }
    return true;
}

static void put_clauses(struct key_bytes *key, const struct ilpi_sequence *sequence)
{
    put32(key, (uint32_t)sequence->clause_count);
    for (size_t i = 0; i < sequence->clause_count; i++) {
        const struct ilp_eh_clause *clause = &sequence->clauses[i];
        const uint32_t numbers[] = {clause->flags,          clause->try_offset,
                                    clause->try_length,     clause->handler_offset,
                                    clause->handler_length, clause->token_or_filter};
        put_bytes(key, numbers, sizeof numbers);
    }
}

/* Unconstrained type parameters are equal for all methods with as many of them. */
static void put_parameters(struct key_bytes *key, const struct ilp_image *image, ilp_token owner)
{
    uint32_t coded = ilpi_token_to_coded(ILPI_CODED_TypeOrMethodDef, owner);
    uint32_t position = 0, count = 0;
    bool plain = true;
    for (ilp_rid row; (row = ilpi_next_with_key(image, ILP_GenericParam, coded, &position)) != 0;) {
        uint32_t first = 0;
        count++;
        plain = plain && ilp_cell(image, ILP_GenericParam, row, ILP_GenericParam_Flags) == 0 &&
                ilpi_next_with_key(image, ILP_GenericParamConstraint, row, &first) == 0;
    }
    put8(key, plain);
    put32(key, plain ? count : owner);
}

/* Whether the returned type only counts as a class: for a sequence that copies the value first and
 * then uses no types, since what it does with one class it does with all. */
static bool is_any_class(const struct ilpi_surroundings *around, const struct uses *uses,
                         const struct ilpi_sequence *sequence)
{
    const uint8_t *type = around->returned.data;
    bool class = type[0] == ILP_ELEMENT_CLASS || type[0] == ILP_ELEMENT_SZARRAY ||
                 (type[0] == ILP_ELEMENT_GENERICINST && type[1] == ILP_ELEMENT_CLASS);
    return class && !uses->types && !uses->arguments && sequence->at_ret &&
           sequence->clause_count == 0 && around->added_locals.size == 0 &&
           sequence->code.size != 0 && sequence->code.data[0] == ilpi_opcodes[ILPI_OP_DUP].value;
}

/* The parts of the method that the sequence depends on. */
static void put_method(struct key_bytes *key, const struct ilpi_surroundings *around,
                       const struct uses *uses, const struct ilpi_sequence *sequence)
{
    const struct ilp_image *image = around->changed->image;
    ilp_rid rid = ILP_TOKEN_RID(around->changed->method);
    uint32_t async = ilp_cell(image, ILP_MethodDef, rid, ILP_MethodDef_ImplFlags) &
                     ILPI_METHOD_IMPL_ASYNC;
    bool any = async == 0 && is_any_class(around, uses, sequence);
    bool open = !any && (uses->parameters || around->is_open);
    put8(key, any);
    if (!any) {
        put32(key, (uint32_t)around->returned.size);
        put_bytes(key, around->returned.data, around->returned.size);
    }
    put8(key, open);
    if (open) {
        put_parameters(key, image, around->changed->method);
        put_parameters(key, image, ILP_TOKEN(ILP_TypeDef, ilp_owner_of_method(image, rid)));
    }
    put32(key, uses->arguments ? rid : 0);
    put32(key, async);
}

/* An upper bound of a key: an instruction is an opcode and a number. */
static size_t key_room(const struct ilpi_surroundings *around, const struct ilpi_sequence *sequence)
{
    return 64 + sequence->clause_count * sizeof *sequence->clauses + around->returned.size +
           around->added_locals.size + sequence->code.size * 6;
}

/* Each part has a length, or a fixed size. */
bool ilpi_sequence_key(struct ilpi_buf *to, const struct ilpi_surroundings *around,
                       const struct ilpi_sequence *sequence)
{
    struct uses uses = {.arguments = false};
    to->size = 0;
    struct key_bytes key = {ilpi_buf_reserve(to, key_room(around, sequence))};
    if (!key.at) {
        return false;
    }
    put8(&key, sequence->at_ret);
    put_clauses(&key, sequence);
    put32(&key, (uint32_t)sequence->code.size);
    put32(&key, around->new_locals - around->old_locals);
    put32(&key, (uint32_t)around->added_locals.size);
    put_bytes(&key, around->added_locals.data, around->added_locals.size);
    if (!put_instructions(&key, around, sequence->code, &uses)) {
        return false;
    }
    put_method(&key, around, &uses, sequence);
    to->size = (size_t)(key.at - to->data);
    return true;
}
