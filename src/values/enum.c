/* Enums by the names of their members, the same as data/inspector/EnumText.cs: the first member
 * with the value, or, of flags, the members that it consists of.
 *
 * An enum's members are its literal static fields (ECMA-335 II.14.3), whose values are in the
 * Constant table (II.22.9) as little-endian blobs. value__, the instance field with the number, is
 * no literal.
 *
 *   Field      Flags             Constant
 *   value__    public special                     the number itself
 *   None       public literal    I4 00000000
 *   Read       public literal    I4 01000000
 *   Write      public literal    I4 02000000      3 of [Flags]: "Read, Write" */
#include "base/alloc.h"
#include "base/bytes.h"
#include "metadata/flags.h"
#include "metadata/resolve.h"
#include "sig/sig.h"
#include "types/value_size.h"
#include "values/kinds.h"

struct enum_member {
    const char *name;
    uint32_t plain_size; /* of a plain name (line.h); else 0 */
    uint64_t bits;       /* sign-extended */
};

struct enum_members {
    bool flags;
    uint32_t count;
    struct enum_member items[]; /* in declared order */
};

enum { MAX_MEMBERS = 4096, MAX_NAMES = 64 };

/* ---- reading the definition ---- */

/* The Constant row of a member; 0: it is not a member. */
static ilp_rid constant_of(const struct ilp_image *image, ilp_rid field)
{
    uint32_t flags = ilp_cell(image, ILP_Field, field, ILP_Field_Flags);
    uint32_t key = ilpi_token_to_coded(ILPI_CODED_HasConstant, ILP_TOKEN(ILP_Field, field));
    uint32_t position = 0;
    bool literal = (flags & ILPI_FIELD_LITERAL) != 0;
    bool is_public = (flags & ILPI_FIELD_ACCESS_MASK) == ILPI_FIELD_PUBLIC;
    return literal && is_public ? ilpi_next_with_key(image, ILP_Constant, key, &position) : 0;
}

static bool is_signed(uint32_t element)
{
    return element == ILP_ELEMENT_I1 || element == ILP_ELEMENT_I2 || element == ILP_ELEMENT_I4 ||
           element == ILP_ELEMENT_I8;
}

/* Extended to 64 bits by shifting to the top and back, according to the sign. A Constant that is
 * too short, or of a type that is no number, counts as 0. */
static uint64_t read_bits(const struct ilp_image *image, ilp_rid constant)
{
    uint32_t element = ilp_cell(image, ILP_Constant, constant, ILP_Constant_Type);
    struct ilp_bytes blob = ilp_blob(image,
                                     ilp_cell(image, ILP_Constant, constant, ILP_Constant_Value));
    uint64_t bits = 0;
    uint32_t size = ilpi_primitive_size(element, 8);
    if (size == 0 || blob.size < size) {
        return 0;
    }
    for (uint32_t i = 0; i < size; i++) {
        bits |= (uint64_t)blob.data[i] << (8 * i);
    }
    unsigned spare = 64 - 8 * size;
    return is_signed(element) ? (uint64_t)((int64_t)(bits << spare) >> spare) : bits;
}

/* All members in declared order: of several names for one value ToString() may give any, the first
 * here. Beyond MAX_MEMBERS the others have no name. */
ilp_status enum_build(const struct enum_members **out, struct ilpi_type_def def,
                      struct ilp_arena *arena, struct ilp_error *error)
{
    const struct ilp_image *image = def.image;
    ilp_rid first, end;
    ilpi_list(image, ILP_TypeDef, def.rid, ILP_TypeDef_FieldList, &first, &end);
    uint32_t room = end - first < MAX_MEMBERS ? end - first : MAX_MEMBERS;
    struct enum_members *members =
        ilpi_arena_alloc(arena, sizeof *members + room * sizeof *members->items);
    if (!members) {
        return ilpi_fail_memory(error, room * sizeof *members->items);
    }
    members->flags = ilpi_find_attribute(image, ILP_TOKEN(ILP_TypeDef, def.rid), "System",
                                         "FlagsAttribute") != 0;
    for (ilp_rid at = first; at < end && members->count < room; at++) {
        ilp_rid field = ilpi_list_row(image, ILP_Field, at);
        ilp_rid constant = constant_of(image, field);
        const char *name = ilp_string(image, ilp_cell(image, ILP_Field, field, ILP_Field_Name));
        if (constant == 0) {
            continue;
        }
        size_t size = strlen(name);
        name = ilpi_arena_copy(arena, name, size + 1);
        if (!name) {
            return ilpi_fail_memory(error, sizeof *members);
        }
        members->items[members->count++] = (struct enum_member){
            name, line_is_plain(name, size) ? (uint32_t)size : 0, read_bits(image, constant)};
    }
    *out = members;
    return ILP_OK;
}

/* ---- text ---- */

/* The greatest member all of whose bits are set; NULL: there is none. */
static const struct enum_member *best_of(const struct enum_members *members, uint64_t bits)
{
    const struct enum_member *best = NULL;
    for (uint32_t i = 0; i < members->count; i++) {
        const struct enum_member *member = &members->items[i];
        if (member->bits != 0 && (bits & member->bits) == member->bits &&
            (!best || member->bits > best->bits)) {
            best = member;
        }
    }
    return best;
}

/* Takes the greatest first, since names for several bits are more specific than names for one;
 * lists them from the lowest, then bits without a name. Each member that is taken removes at least
 * one bit, so there are at most MAX_NAMES of them. 0 has no bits to name: without a member of that
 * value it is written as a number. */
static bool put_flags(struct line *line, const struct enum_members *members, uint64_t bits)
{
    const struct enum_member *found[MAX_NAMES];
    const struct enum_member *best;
    unsigned count = 0;
    while (bits != 0 && count < MAX_NAMES && (best = best_of(members, bits)) != NULL) {
        found[count++] = best;
        bits &= ~best->bits;
    }
    for (unsigned i = count; i-- > 0;) {
        line_put_name(line, found[i]->name);
        line_put_name(line, i != 0 ? ", " : "");
    }
    if (count != 0 && bits != 0) {
        line_put_name(line, ", ");
        line_put_hex(line, bits);
    }
    return count != 0;
}

bool enum_find(const struct enum_members *members, const char *name, uint64_t *bits)
{
    for (uint32_t i = 0; i < members->count; i++) {
        if (strcmp(members->items[i].name, name) == 0) {
            *bits = members->items[i].bits;
            return true;
        }
    }
    return false;
}

/* NULL: there is no such member. */
static const struct enum_member *member_of(const struct enum_members *members, uint64_t bits)
{
    for (uint32_t i = 0; i < members->count; i++) {
        if (members->items[i].bits == bits) {
            return &members->items[i];
        }
    }
    return NULL;
}

bool enum_put(struct line *line, const struct enum_members *members, uint64_t bits)
{
    const struct enum_member *member = member_of(members, bits);
    if (member) {
        line_put_name(line, member->name);
    }
    return member || (members->flags && put_flags(line, members, bits));
}

const char *enum_plain_name(const struct enum_members *members, uint64_t bits, uint32_t *size)
{
    const struct enum_member *member = member_of(members, bits);
    *size = member ? member->plain_size : 0;
    return *size != 0 ? member->name : NULL;
}
