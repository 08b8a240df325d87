/* What reading, writing and naming signatures share: the form of every element type and of every
 * kind of signature (II.23.2). For src/sig only.
 *
 *   signature = [first byte] [GenParamCount] [count] [type] type*
 *
 *   kind          first byte             count         type       type*
 *   METHOD        convention and flags   ParamCount    RetType    Param      II.23.2.1-3
 *   FIELD         06                                   Type                  II.23.2.4
 *   PROPERTY      08 or 28               ParamCount    Type       Param      II.23.2.5
 *   LOCALS        07                     Count                    local      II.23.2.6
 *   TYPE_SPEC                                          Type                  II.23.2.14
 *   METHOD_SPEC   0A                     GenArgCount              argument   II.23.2.15
 *
 * GenParamCount is there when the first byte has GENERIC set. In a vararg call a SENTINEL, which is
 * not counted, may precede a parameter. */
#ifndef ILPI_SIG_GRAMMAR_H
#define ILPI_SIG_GRAMMAR_H

#include "base/cursor.h"
#include "sig/sig.h"

/* The `form` of elements.def: what follows the byte, and so which members of ilp_type are used. */
enum ilpi_element_form {
    ILPI_ELEMENT_FORM_UNKNOWN, /* no element type has this number */
    ILPI_ELEMENT_FORM_PRIMITIVE,
    ILPI_ELEMENT_FORM_TOKEN,
    ILPI_ELEMENT_FORM_INNER,
    ILPI_ELEMENT_FORM_NUMBER,
    ILPI_ELEMENT_FORM_ARRAY,
    ILPI_ELEMENT_FORM_GENERIC,
    ILPI_ELEMENT_FORM_METHOD,
    ILPI_ELEMENT_FORM_MODIFIER,
    ILPI_ELEMENT_FORM_MARK,
    ILPI_ELEMENT_FORM_REFUSED
};
enum ilpi_element_form ilpi_element_form(unsigned element);

/* Two element types depend on their position: VOID, and PINNED, which is for locals, and for the
 * StandAloneSig fields that describe one to a debugger (System.EnterpriseServices.Wrapper 4.0). In
 * the specification BYREF and TYPEDBYREF depend on it as well, but compilers use them elsewhere
 * (`ref` fields since C# 11) and no reader needs the check, so it is left to the loader. */
enum { ILPI_MAY_BE_VOID = 1, ILPI_MAY_BE_PINNED = 2 };

/* One line of the table above. */
struct ilpi_sig_grammar {
    const char *place;    /* its name, for errors */
    uint16_t conventions; /* bit n: the first byte may have n as its low bits; 0: no first byte */
    uint8_t flags;        /* other bits of the first byte that may be set */
    bool typed;           /* has the single type */
    bool counted;         /* has the count and the list */
    uint8_t least;        /* the smallest count */
    uint8_t type_may;     /* ILPI_MAY_BE_* */
    uint8_t list_may;
};

/* By enum ilp_sig_kind; STANDALONE has no row, it is converted to another kind first. */
extern const struct ilpi_sig_grammar ilpi_sig_grammars[ILP_SIG_STANDALONE];

/* The tables of a TypeDefOrRefOrSpecEncoded, by tag (II.23.2.8). */
#define ILPI_TYPE_TAGS 3u
extern const uint8_t ilpi_type_tables[ILPI_TYPE_TAGS];

/* The largest number that a compressed integer holds (II.23.2). */
#define ILPI_PACKED_MAX 0x1FFFFFFFu

/* A cursor over a signature blob, which may be empty. */
struct ilpi_cursor ilpi_sig_cursor(struct ilp_bytes blob, enum ilp_sig_kind kind, uint64_t origin,
                                   struct ilp_error *error);

/* Records that the byte at `at` is refused, unless an earlier failure is recorded. */
void ilpi_sig_refuse(struct ilpi_cursor *in, const uint8_t *at, ilp_status status,
                     const char *format, ...) ILPI_PRINTF(4, 5);

/* True when a signature of this kind may begin with this byte. */
bool ilpi_sig_begins_with(enum ilp_sig_kind kind, uint8_t first);

/* The number of items that follow; each takes at least one byte, so a count above the bytes left is
 * refused here, before any allocation or loop depends on it. 0 after a failure. */
uint32_t ilpi_sig_read_count(struct ilpi_cursor *in, uint32_t least);

/* Everything before the first type, into a zeroed *sig. */
void ilpi_sig_read_head(struct ilpi_cursor *in, enum ilp_sig_kind kind, struct ilp_sig *sig);

#endif
