/* Method bodies that are nearly right: instructions become others of the same length, branches and
 * EH clauses lead to other instructions, tokens to other rows. */
#include "tests/fuzz/mutate.h"

struct il {
    uint8_t *bytes; /* of the code */
    const uint32_t *rows;
    struct ilp_body body;
    struct ilpi_code code;
    struct choices *choices;
};

static uint32_t an_offset(struct il *il)
{
    uint32_t i = choose(il->choices, (uint32_t)il->code.count + 1);
    return i < il->code.count ? il->code.insns[i].offset : (uint32_t)il->body.code.size;
}

/* Another opcode of as many bytes, and mostly with the same kind of operand. */
static void change_opcode(struct il *il, const struct ilpi_insn *insn)
{
    const struct ilpi_opcode *old = &ilpi_opcodes[insn->op];
    bool any = choose(il->choices, 8) == 0;
    for (unsigned tries = 0; tries < 200; tries++) {
        enum ilpi_op op = (enum ilpi_op)choose(il->choices, ILPI_OP_COUNT);
        const struct ilpi_opcode *new = &ilpi_opcodes[op];
        if ((any || new->operand == old->operand) &&
            ilpi_opcode_bytes(op) == ilpi_opcode_bytes((enum ilpi_op)insn->op)) {
            il->bytes[insn->offset + ilpi_opcode_bytes(op) - 1] = (uint8_t) new->value;
            return;
        }
    }
}

/* ldstr, call, ldfld and others: another row of the same table, or of another one. */
static void change_token(struct il *il, uint8_t *operand)
{
    static const uint8_t tables[] = {ILP_TypeRef,    ILP_TypeDef,       ILP_Field,
                                     ILP_MethodDef,  ILP_MemberRef,     ILP_TypeSpec,
                                     ILP_MethodSpec, ILP_StandAloneSig, ILP_TOKEN_USER_STRING};
    uint32_t token = ilpi_load_u32(operand);
    uint32_t table = choose(il->choices, 3) == 0 ? tables[choose(il->choices, sizeof tables)]
                                                 : ILP_TOKEN_TABLE(token);
    uint32_t most = il->rows && table < ILP_TABLE_COUNT ? il->rows[table] : 16;
    uint32_t rid = choose_near(il->choices, ILP_TOKEN_RID(token), most);
    ilpi_store_u32(operand, ILP_TOKEN(table, rid & 0xFFFFFF));
}

static void change_target(struct il *il, uint8_t *operand, const struct ilpi_insn *insn, bool large)
{
    uint32_t distance = an_offset(il) - (insn->offset + insn->size);
    if (large) {
        ilpi_store_u32(operand, distance);
    } else {
        *operand = (uint8_t)distance;
    }
}

static void change_operand(struct il *il, const struct ilpi_insn *insn)
{
    uint8_t *operand = il->bytes + insn->offset + ilpi_opcode_bytes((enum ilpi_op)insn->op);
    size_t size = insn->size - ilpi_opcode_bytes((enum ilpi_op)insn->op);
    switch ((enum ilpi_operand)ilpi_opcodes[insn->op].operand) {
    case ILPI_OPERAND_NONE: change_opcode(il, insn); break;
    case ILPI_OPERAND_TARGET1: change_target(il, operand, insn, false); break;
    case ILPI_OPERAND_TARGET4: change_target(il, operand, insn, true); break;
    case ILPI_OPERAND_SWITCH: {
        uint32_t arms = (uint32_t)(size / 4 - 1);
        if (arms == 0 || choose(il->choices, 8) == 0) {
            ilpi_store_u32(operand, choose_near(il->choices, arms, arms));
        } else {
            change_target(il, operand + 4 * (1 + choose(il->choices, arms)), insn, true);
        }
        break;
    }
    case ILPI_OPERAND_TOKEN:
    case ILPI_OPERAND_METHOD:
    case ILPI_OPERAND_SIG:
    case ILPI_OPERAND_STRING: change_token(il, operand); break;
    default: operand[choose(il->choices, (uint32_t)size)] = (uint8_t)choose(il->choices, 256);
    }
}

/* An instruction goes to the place of another one of its length, or all its bytes become nop. */
static void move_instruction(struct il *il, const struct ilpi_insn *insn)
{
    const struct ilpi_insn *other = &il->code.insns[choose(il->choices, (uint32_t)il->code.count)];
    if (other != insn && other->size == insn->size) {
        memcpy(il->bytes + insn->offset, il->bytes + other->offset, insn->size);
    } else {
        memset(il->bytes + insn->offset, 0, insn->size);
    }
}

static void change_header(uint8_t *body, struct il *il)
{
    if (!il->body.fat) {
        body[0] = (uint8_t)(choose(il->choices, 64) << 2 | ILPI_BODY_TINY);
        return;
    }
    switch (choose(il->choices, 4)) {
    case 0: body[0] ^= choose(il->choices, 2) ? ILPI_BODY_MORE_SECTS : ILPI_BODY_INIT_LOCALS; break;
    case 1: body[2] = (uint8_t)choose_near(il->choices, body[2], 8); break;
    case 2:
        ilpi_store_u32(body + 4, choose_near(il->choices, (uint32_t)il->body.code.size,
                                             (uint32_t)il->body.code.size));
        break;
    default: change_token(il, body + 8);
    }
}

/* The EH table is after the code at a multiple of 4 (II.25.4.5). */
static void change_clause(uint8_t *body, struct il *il)
{
    size_t at = ((size_t)(il->body.code.data - body) + il->body.code.size + 3) & ~(size_t)3;
    if (il->body.clause_count == 0 || at + ILPI_SECT_HEADER_BYTES >= il->body.size) {
        change_header(body, il);
        return;
    }
    bool fat = (body[at] & ILPI_SECT_FAT) != 0;
    size_t bytes = fat ? ILPI_EH_FAT_BYTES : ILPI_EH_SMALL_BYTES;
    uint8_t *clause = body + at + ILPI_SECT_HEADER_BYTES +
                      bytes * choose(il->choices, (uint32_t)il->body.clause_count);
    uint32_t begin = an_offset(il);
    uint32_t length = choose(il->choices, 2) ? an_offset(il) - begin : choose(il->choices, 32);
    static const uint8_t kinds[] = {ILPI_EH_CATCH, ILPI_EH_FILTER, ILPI_EH_FINALLY, ILPI_EH_FAULT};
    unsigned field = choose(il->choices, 4);
    if (clause + bytes > body + il->body.size) {
        return;
    }
    if (field == 0) {
        clause[0] = kinds[choose(il->choices, sizeof kinds)];
    } else if (field == 1) {
        change_token(il, clause + bytes - 4);
    } else if (fat) {
        ilpi_store_u32(clause + (field == 2 ? 4 : 12), begin);
        ilpi_store_u32(clause + (field == 2 ? 8 : 16), length);
    } else {
        ilpi_store_u16(clause + (field == 2 ? 2 : 5), (uint16_t)begin);
        clause[field == 2 ? 4 : 7] = (uint8_t)length;
    }
}

static void change_body(uint8_t *body, struct il *il)
{
    uint32_t i = choose(il->choices, (uint32_t)il->code.count);
    switch (choose(il->choices, 8)) {
    case 0:
    case 1: change_opcode(il, &il->code.insns[i]); break;
    case 2: move_instruction(il, &il->code.insns[i]); break;
    case 3: change_header(body, il); break;
    case 4: change_clause(body, il); break;
    default: change_operand(il, &il->code.insns[i]);
    }
}

bool mutate_il(uint8_t *body, size_t size, const uint32_t *rows, struct choices *choices)
{
    struct ilpi_alloc alloc;
    struct ilp_arena *arena;
    struct il il = {.rows = rows, .choices = choices};
    bool done = false;
    ilpi_alloc_init(&alloc, NULL);
    il.code.alloc = &alloc;
    if (ilp_arena_open(&arena, NULL, NULL) != ILP_OK) {
        return false;
    }
    if (ilp_body_read(&il.body, (struct ilp_bytes){body, size}, 0, arena, NULL) == ILP_OK &&
        ilpi_code_decode(&il.code, &il.body, NULL) == ILP_OK && il.code.count != 0) {
        il.bytes = writable(body, il.body.code.data);
        change_body(body, &il);
        done = true;
    }
    ilpi_code_free(&il.code);
    ilp_arena_close(arena);
    return done;
}
