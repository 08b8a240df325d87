/* Instructions as bytes. Each function returns the end of what it wrote; the caller provides the
 * room. */
#ifndef ILPI_PUT_H
#define ILPI_PUT_H

#include "base/cursor.h"
#include "il/opcode.h"

/* One byte, or FE and a second one (III.1.2.1). */
static inline uint8_t *ilpi_put(uint8_t *to, enum ilpi_op op)
{
    uint16_t value = ilpi_opcodes[op].value;
    if (value > UINT8_MAX) {
        *to++ = ILPI_TWO_BYTES;
    }
    *to++ = (uint8_t)value;
    return to;
}

static inline uint8_t *ilpi_put_token(uint8_t *to, enum ilpi_op op, ilp_token token)
{
    to = ilpi_put(to, op);
    ilpi_store_u32(to, token);
    return to + 4;
}

static inline uint8_t *ilpi_put_i8(uint8_t *to, uint64_t number)
{
    to = ilpi_put(to, ILPI_OP_LDC_I8);
    ilpi_store_u64(to, number);
    return to + 8;
}

/* A number from 0 up, in the shortest form. The operand of ldc.i4.s is signed (III.3.40), so it
 * ends at 127. */
static inline uint8_t *ilpi_put_i4(uint8_t *to, uint32_t number)
{
    if (number <= 8) {
        return ilpi_put(to, (enum ilpi_op)(ILPI_OP_LDC_I4_0 + number));
    }
    to = ilpi_put(to, number <= INT8_MAX ? ILPI_OP_LDC_I4_S : ILPI_OP_LDC_I4);
    if (number <= INT8_MAX) {
        *to = (uint8_t)number;
        return to + 1;
    }
    ilpi_store_u32(to, number);
    return to + 4;
}

/* An instruction with the number of an argument or local: in the short form if that fits. The long
 * forms have FE before the opcode, and a 16-bit number (III.3.38, III.3.43). */
static inline uint8_t *ilpi_put_variable(uint8_t *to, enum ilpi_op short_form, enum ilpi_op op,
                                         uint32_t number)
{
    to = ilpi_put(to, number <= UINT8_MAX ? short_form : op);
    if (number <= UINT8_MAX) {
        *to = (uint8_t)number;
        return to + 1;
    }
    ilpi_store_u16(to, (uint16_t)number);
    return to + 2;
}

static inline uint8_t *ilpi_put_argument(uint8_t *to, uint32_t argument)
{
    return argument <= 3 ? ilpi_put(to, (enum ilpi_op)(ILPI_OP_LDARG_0 + argument))
                         : ilpi_put_variable(to, ILPI_OP_LDARG_S, ILPI_OP_LDARG, argument);
}

static inline uint8_t *ilpi_put_argument_address(uint8_t *to, uint32_t argument)
{
    return ilpi_put_variable(to, ILPI_OP_LDARGA_S, ILPI_OP_LDARGA, argument);
}

enum ilpi_local_use { ILPI_LOCAL_LOAD, ILPI_LOCAL_STORE, ILPI_LOCAL_ADDRESS };

static inline uint8_t *ilpi_put_local(uint8_t *to, enum ilpi_local_use use, uint32_t local)
{
    static const uint16_t ops[][2] = {
        [ILPI_LOCAL_LOAD] = {ILPI_OP_LDLOC_S, ILPI_OP_LDLOC},
        [ILPI_LOCAL_STORE] = {ILPI_OP_STLOC_S, ILPI_OP_STLOC},
        [ILPI_LOCAL_ADDRESS] = {ILPI_OP_LDLOCA_S, ILPI_OP_LDLOCA},
    };
    return ilpi_put_variable(to, (enum ilpi_op)ops[use][0], (enum ilpi_op)ops[use][1], local);
}

#endif
