/* A method body as text, in ILAsm's form, for `ilpatch dump`, golden tests and error reports.
 *
 *     IL_0000:  ldarg.1
 *     IL_0001:  switch     (IL_000e, IL_0010)
 *     IL_000e:  br.s       IL_0000
 *   .try IL_0000 to IL_0010 finally handler IL_0010 to IL_0012
 *
 * The body need not be decodable: from the first invalid instruction on, bytes are printed. */
#include "il/body.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "il/code.h"

#define BYTES_PER_LINE 16u

static void put_label(struct ilpi_buf *buf, int64_t offset)
{
    if (offset < 0) {
        /* before the code: invalid, but shown as it is */
        ilpi_buf_format(buf, "IL_-%04llx", (unsigned long long)-offset);
    } else {
        ilpi_buf_format(buf, "IL_%04llx", (unsigned long long)offset);
    }
}

static void put_token(struct ilpi_buf *buf, ilp_token token, const struct ilpi_il_names *names)
{
    if (names && names->token) {
        names->token(names->user, buf, token);
    } else {
        ilpi_buf_format(buf, "0x%08X", (unsigned)token);
    }
}

/* The fewest digits that read back as the same value; the bits if there are none (infinities,
 * NaN). */
static void put_real(struct ilpi_buf *buf, double value, bool single, uint64_t bits)
{
    char text[40];
    if (!isfinite(value)) {
        ilpi_buf_format(buf, "%s(0x%llX)", single ? "float32" : "float64",
                        (unsigned long long)bits);
        return;
    }
    int enough = single ? 9 : 17;
    int digits = single ? 6 : 15;
    double back;
    do {
        snprintf(text, sizeof text, "%.*g", digits, value);
        back = single ? (double)strtof(text, NULL) : strtod(text, NULL);
    } while (back != value && ++digits <= enough);
    char *comma = strchr(text, ',');
    if (comma) {
        *comma = '.'; /* ILAsm does not follow the caller's locale */
    }
    ilpi_buf_text(buf, text);
    ilpi_buf_text(buf, strpbrk(text, ".e") ? "" : ".0");
}

static void put_r4(struct ilpi_buf *buf, uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    put_real(buf, (double)value, true, bits);
}

static void put_r8(struct ilpi_buf *buf, uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    put_real(buf, value, false, bits);
}

/* Arms count from the end of the instruction, which is after the last of them (III.3.66).
 * ilpi_insn_read() has checked that all are within the code. */
static void put_switch(struct ilpi_buf *buf, const uint8_t *operand, uint32_t end)
{
    uint32_t arms = ilpi_load_u32(operand);
    ilpi_buf_text(buf, "(");
    for (uint32_t i = 0; i < arms; i++) {
        ilpi_buf_text(buf, i > 0 ? ", " : "");
        put_label(buf, (int64_t)end + (int32_t)ilpi_load_u32(operand + 4 + (size_t)i * 4));
    }
    ilpi_buf_text(buf, ")");
}

static void put_operand(struct ilpi_buf *buf, const struct ilpi_insn *insn, const uint8_t *operand,
                        const struct ilpi_il_names *names)
{
    uint32_t end = insn->offset + insn->size;
    switch ((enum ilpi_operand)ilpi_opcodes[insn->op].operand) {
    case ILPI_OPERAND_NONE: break;
    case ILPI_OPERAND_I1: ilpi_buf_format(buf, "%d", (int8_t)operand[0]); break;
    case ILPI_OPERAND_U1: ilpi_buf_format(buf, "%u", (unsigned)operand[0]); break;
    case ILPI_OPERAND_U2: ilpi_buf_format(buf, "%u", (unsigned)ilpi_load_u16(operand)); break;
    case ILPI_OPERAND_I4: ilpi_buf_format(buf, "%ld", (long)(int32_t)ilpi_load_u32(operand)); break;
    case ILPI_OPERAND_I8:
        ilpi_buf_format(buf, "%lld", (long long)(int64_t)ilpi_load_u64(operand));
        break;
    case ILPI_OPERAND_R4: put_r4(buf, ilpi_load_u32(operand)); break;
    case ILPI_OPERAND_R8: put_r8(buf, ilpi_load_u64(operand)); break;
    case ILPI_OPERAND_TARGET1: put_label(buf, (int64_t)end + (int8_t)operand[0]); break;
    case ILPI_OPERAND_TARGET4:
        put_label(buf, (int64_t)end + (int32_t)ilpi_load_u32(operand));
        break;
    case ILPI_OPERAND_SWITCH: put_switch(buf, operand, end); break;
    case ILPI_OPERAND_TOKEN:
    case ILPI_OPERAND_METHOD:
    case ILPI_OPERAND_SIG:
    case ILPI_OPERAND_STRING: put_token(buf, ilpi_load_u32(operand), names); break;
    }
}

/* Ends a line; false: stop. */
static bool end_line(struct ilpi_buf *buf, const struct ilpi_il_names *names)
{
    ilpi_buf_text(buf, "\n");
    return !names || !names->line || names->line(names->user, buf);
}

static bool put_insn(struct ilpi_buf *buf, struct ilp_bytes code, const struct ilpi_insn *insn,
                     const struct ilpi_il_names *names)
{
    const struct ilpi_opcode *opcode = &ilpi_opcodes[insn->op];
    ilpi_buf_format(buf, "    IL_%04lx:  ", (unsigned long)insn->offset);
    if (opcode->operand == ILPI_OPERAND_NONE) {
        ilpi_buf_text(buf, opcode->name);
    } else {
        ilpi_buf_format(buf, "%-10s ", opcode->name);
        put_operand(buf, insn, code.data + insn->offset + ilpi_opcode_bytes((enum ilpi_op)insn->op),
                    names);
    }
    return end_line(buf, names);
}

/* What cannot be decoded, as bytes: 16 to a line, each line with its offset. */
static bool put_bytes(struct ilpi_buf *buf, struct ilp_bytes code, uint32_t at,
                      const struct ilpi_il_names *names)
{
    bool wanted = true;
    for (size_t i = at; i < code.size && wanted; i++) {
        if ((i - at) % BYTES_PER_LINE == 0) {
            ilpi_buf_format(buf, "    IL_%04lx:  .bytes    ", (unsigned long)i);
        }
        ilpi_buf_format(buf, " %02X", (unsigned)code.data[i]);
        if ((i + 1 - at) % BYTES_PER_LINE == 0 || i + 1 == code.size) {
            wanted = end_line(buf, names);
        }
    }
    return wanted;
}

static void put_block(struct ilpi_buf *buf, uint32_t offset, uint32_t length)
{
    put_label(buf, offset);
    ilpi_buf_text(buf, " to ");
    put_label(buf, (int64_t)offset + length);
}

/* ILAsm's label form of a clause (II.19). */
static bool put_clause(struct ilpi_buf *buf, const struct ilp_eh_clause *clause,
                       const struct ilpi_il_names *names)
{
    ilpi_buf_text(buf, "  .try ");
    put_block(buf, clause->try_offset, clause->try_length);
    switch ((enum ilpi_eh_kind)clause->flags) {
    case ILPI_EH_CATCH:
        ilpi_buf_text(buf, " catch ");
        put_token(buf, clause->token_or_filter, names);
        break;
    case ILPI_EH_FILTER:
        ilpi_buf_text(buf, " filter ");
        put_label(buf, clause->token_or_filter);
        break;
    case ILPI_EH_FINALLY: ilpi_buf_text(buf, " finally"); break;
    case ILPI_EH_FAULT: ilpi_buf_text(buf, " fault"); break;
    }
    ilpi_buf_text(buf, " handler ");
    put_block(buf, clause->handler_offset, clause->handler_length);
    return end_line(buf, names);
}

/* Stops where `line` of the names says that no more is wanted. */
void ilpi_body_text(struct ilpi_buf *buf, const struct ilp_body *body,
                    const struct ilpi_il_names *names)
{
    struct ilp_bytes code = body->code;
    uint32_t at = 0;
    struct ilpi_insn insn;
    bool wanted = true;
    while (wanted && at < code.size && ilpi_insn_read(code, at, &insn)) {
        wanted = put_insn(buf, code, &insn, names);
        at += insn.size;
    }
    wanted = wanted && put_bytes(buf, code, at, names);
    for (size_t i = 0; i < body->clause_count && wanted; i++) {
        wanted = put_clause(buf, &body->clauses[i], names);
    }
}
