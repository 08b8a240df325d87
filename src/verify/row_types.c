/* Checks rows of types: TypeDef, NestedClass, InterfaceImpl, GenericParam, ClassLayout (II.22.37,
 * II.22.32, II.22.23, II.22.20, II.22.8). Uses this image only; bases in others are checked with
 * bodies and signatures. */
#include "metadata/flags.h"
#include "types/core_type.h"
#include "verify/verifier.h"

/* Flags that contradict each other (II.22.37, II.23.1.15). Row 1 is <Module>, whose flags have no
 * meaning. */
static void check_flags(struct ilpi_verifier *verifier, ilp_rid rid, uint32_t flags)
{
    const struct ilp_image *image = verifier->image;
    bool nested = ilp_enclosing_type(image, rid) != 0;
    if (nested != ((flags & ILPI_TYPE_VISIBILITY_MASK) >= ILPI_TYPE_NESTED_PUBLIC)) {
        ilpi_report_row(verifier, ILPI_FIND_FLAG_ROW, ILP_TypeDef, rid,
                        nested ? "a nested type has the visibility of a top-level one"
                               : "a top-level type has the visibility of a nested one");
    }
    if ((flags & ILPI_TYPE_LAYOUT_MASK) == ILPI_TYPE_LAYOUT_MASK) {
        ilpi_report_row(verifier, ILPI_FIND_FLAGS, ILP_TypeDef, rid, "two layouts at once");
    }
    if ((flags & ILPI_TYPE_RT_SPECIAL_NAME) != 0 && (flags & ILPI_TYPE_SPECIAL_NAME) == 0) {
        ilpi_report_row(verifier, ILPI_FIND_FLAGS, ILP_TypeDef, rid,
                        "RTSpecialName without SpecialName");
    }
    if ((flags & ILPI_TYPE_INTERFACE) != 0 && (flags & ILPI_TYPE_ABSTRACT) == 0) {
        ilpi_report_row(verifier, ILPI_FIND_FLAGS, ILP_TypeDef, rid,
                        "an interface that is not abstract");
    }
    if ((flags & ILPI_TYPE_INTERFACE) != 0 && (flags & ILPI_TYPE_SEALED) != 0) {
        ilpi_report_row(verifier, ILPI_FIND_FLAGS, ILP_TypeDef, rid, "an interface that is sealed");
    }
}

/* The TypeDef of a token, through a TypeSpec that instantiates one; 0 if it is not of this image.
 * The signature is read into `scratch`, which is reset for each. */
static ilp_rid own_type(struct ilpi_verifier *verifier, ilp_token token)
{
    struct ilp_image *image = verifier->image;
    if (ILP_TOKEN_TABLE(token) == ILP_TypeSpec) {
        uint32_t blob = ilp_cell(image, ILP_TypeSpec, ILP_TOKEN_RID(token), ILP_TypeSpec_Signature);
        ilpi_arena_reset(&verifier->scratch);
        const struct ilp_sig *sig = ilpi_verify_sig(verifier, ilp_blob(image, blob),
                                                    ILP_SIG_TYPE_SPEC, &verifier->scratch);
        if (!sig || sig->ret->element != ILP_ELEMENT_GENERICINST) {
            return 0;
        }
        token = sig->ret->inner->token;
    }
    bool own = ILP_TOKEN_TABLE(token) == ILP_TypeDef &&
               ILP_TOKEN_RID(token) <= image->tables[ILP_TypeDef].count;
    return own ? ILP_TOKEN_RID(token) : 0;
}

/* <Module> and System.Object extend nothing, interfaces neither, all others something. */
static void check_base(struct ilpi_verifier *verifier, ilp_rid rid, uint32_t flags)
{
    const struct ilp_image *image = verifier->image;
    ilp_token self = ILP_TOKEN(ILP_TypeDef, rid);
    ilp_token base = ilp_cell(image, ILP_TypeDef, rid, ILP_TypeDef_Extends);
    if (ILP_TOKEN_RID(base) == 0) {
        bool may = rid == 1 || (flags & ILPI_TYPE_INTERFACE) != 0 ||
                   ilpi_type_is_named(image, self, "System", "Object") ||
                   ilpi_type_is_named(image, self, "", "<Module>");
        if (!may) {
            ilpi_report_row(verifier, ILPI_FIND_TYPE_BASE, ILP_TypeDef, rid, "it extends nothing");
        }
        return;
    }
    if ((flags & ILPI_TYPE_INTERFACE) != 0) {
        ilpi_report_row(verifier, ILPI_FIND_TYPE_BASE, ILP_TypeDef, rid,
                        "an interface extends a class");
        return;
    }
    ilp_rid own = own_type(verifier, base);
    uint32_t of_base = ilp_cell(image, ILP_TypeDef, own, ILP_TypeDef_Flags);
    if (own != 0 && (of_base & ILPI_TYPE_INTERFACE) != 0) {
        ilpi_report_row(verifier, ILPI_FIND_TYPE_BASE, ILP_TypeDef, rid, "it extends an interface");
    } else if (own != 0 && (of_base & ILPI_TYPE_SEALED) != 0) {
        ilpi_report_row(verifier, ILPI_FIND_TYPE_BASE, ILP_TypeDef, rid,
                        "it extends a sealed class");
    }
}

/* Only of types of this image: own_type() is 0 for others, whose flags would need another file. */
static void check_interfaces(struct ilpi_verifier *verifier)
{
    const struct ilp_image *image = verifier->image;
    for (ilp_rid row = 1; row <= image->tables[ILP_InterfaceImpl].count; row++) {
        ilp_token type = ilp_cell(image, ILP_InterfaceImpl, row, ILP_InterfaceImpl_Interface);
        ilp_rid own = own_type(verifier, type);
        if (own != 0 &&
            (ilp_cell(image, ILP_TypeDef, own, ILP_TypeDef_Flags) & ILPI_TYPE_INTERFACE) == 0) {
            ilpi_report_row(verifier, ILPI_FIND_TYPE_INTERFACE, ILP_InterfaceImpl, row,
                            "TypeDef 0x%08X is not an interface", ILP_TOKEN(ILP_TypeDef, own));
        }
    }
}

/* ---- cycles ---- */

/* See find_circles(). */
enum colour { WHITE, GREY, BLACK };

/* One for each row of a table; NULL without memory. */
static void *take_links(struct ilpi_verifier *verifier, struct ilp_arena *arena, size_t count,
                        size_t size)
{
    void *links = ilpi_arena_array(arena, count + 1, size);
    return links ? links : ilpi_verify_no_memory(verifier, count * size);
}

/* Every type refers to at most one other, so a walk that marks its path finds each cycle once, in
 * linear time.
 *
 *   WHITE   not visited          GREY   on the current path: reached again, it is a cycle
 *                                BLACK  on an earlier path, whose cycle is reported */
static void find_circles(struct ilpi_verifier *verifier, struct ilp_arena *arena, unsigned table,
                         const ilp_rid *next, const char *what)
{
    uint32_t count = verifier->image->tables[table].count;
    uint8_t *colours = take_links(verifier, arena, count, 1);
    for (ilp_rid start = 1; colours && start <= count; start++) {
        ilp_rid at = start;
        for (; at != 0 && colours[at] == WHITE; at = next[at]) {
            colours[at] = GREY;
        }
        if (at != 0 && colours[at] == GREY) {
            ilpi_report_row(verifier, ILPI_FIND_TYPE_CIRCLE, table, at, "it %s itself", what);
        }
        for (at = start; at != 0 && colours[at] == GREY; at = next[at]) {
            colours[at] = BLACK;
        }
    }
}

/* A type that extends itself, through others, or is nested in itself. Each type has one base and
 * one enclosing type, so both are functions from rows to rows, and circles are found in linear time
 * (find_circles()). */
static void check_type_circles(struct ilpi_verifier *verifier, struct ilp_arena *arena)
{
    const struct ilp_image *image = verifier->image;
    uint32_t types = image->tables[ILP_TypeDef].count;
    ilp_rid *bases = take_links(verifier, arena, types, sizeof *bases);
    ilp_rid *outer = take_links(verifier, arena, types, sizeof *outer);
    if (!bases || !outer) {
        return;
    }
    for (ilp_rid rid = 1; rid <= types; rid++) {
        bases[rid] = own_type(verifier, ilp_cell(image, ILP_TypeDef, rid, ILP_TypeDef_Extends));
    }
    for (ilp_rid row = 1; row <= image->tables[ILP_NestedClass].count; row++) {
        ilp_rid nested = ilp_cell(image, ILP_NestedClass, row, ILP_NestedClass_NestedClass);
        ilp_rid enclosing = ilp_cell(image, ILP_NestedClass, row, ILP_NestedClass_EnclosingClass);
        if (nested <= types && enclosing <= types) {
            outer[nested] = enclosing;
        }
    }
    find_circles(verifier, arena, ILP_TypeDef, bases, "extends");
    find_circles(verifier, arena, ILP_TypeDef, outer, "encloses");
}

/* A TypeRef may be nested in a TypeRef (II.22.38). Code that walks outwards to the assembly would
 * not end in a circle. */
static void check_scope_circles(struct ilpi_verifier *verifier, struct ilp_arena *arena)
{
    const struct ilp_image *image = verifier->image;
    uint32_t refs = image->tables[ILP_TypeRef].count;
    ilp_rid *scopes = take_links(verifier, arena, refs, sizeof *scopes);
    for (ilp_rid rid = 1; scopes && rid <= refs; rid++) {
        ilp_token scope = ilp_cell(image, ILP_TypeRef, rid, ILP_TypeRef_ResolutionScope);
        bool nested = ILP_TOKEN_TABLE(scope) == ILP_TypeRef && ILP_TOKEN_RID(scope) <= refs;
        scopes[rid] = nested ? ILP_TOKEN_RID(scope) : 0;
    }
    if (scopes) {
        find_circles(verifier, arena, ILP_TypeRef, scopes, "is the scope of");
    }
}

/* Each check's memory is charged by row, and freed before the next: a small file can claim a table
 * of 2^24 rows only if it has their bytes. */
static void check_circles(struct ilpi_verifier *verifier)
{
    static const struct {
        uint8_t table;
        uint8_t links; /* bytes for each row */
        void (*check)(struct ilpi_verifier *, struct ilp_arena *);
    } checks[] = {
        {ILP_TypeDef, 2 * sizeof(ilp_rid) + 2, check_type_circles},
        {ILP_TypeRef, sizeof(ilp_rid) + 1, check_scope_circles},
    };
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        struct ilp_arena arena = {.alloc = &verifier->alloc};
        uint32_t count = verifier->image->tables[checks[i].table].count;
        if (ilpi_has_room(verifier, (size_t)count * checks[i].links)) {
            checks[i].check(verifier, &arena);
        } else {
            ilpi_report_row(verifier, ILPI_FIND_TOO_COMPLEX, checks[i].table, 1,
                            "circles of %u rows were not looked for", count);
        }
        ilpi_arena_free(&arena);
    }
}

/* ---- generic parameters and layouts ---- */

/* Sorted by owner, then by number from 0 (II.22.20). */
static void check_generic_params(struct ilpi_verifier *verifier)
{
    const struct ilp_image *image = verifier->image;
    ilp_token last = 0;
    uint32_t expected = 0;
    for (ilp_rid rid = 1; rid <= image->tables[ILP_GenericParam].count; rid++) {
        ilp_token owner = ilp_cell(image, ILP_GenericParam, rid, ILP_GenericParam_Owner);
        uint32_t number = ilp_cell(image, ILP_GenericParam, rid, ILP_GenericParam_Number);
        uint32_t flags = ilp_cell(image, ILP_GenericParam, rid, ILP_GenericParam_Flags);
        expected = owner == last ? expected + 1 : 0;
        last = owner;
        if (number != expected && !image->order[ILP_GenericParam]) {
            /* an unsorted table is searched linearly */
            ilpi_report_row(verifier, ILPI_FIND_GENERIC_NUMBER, ILP_GenericParam, rid,
                            "number %u of 0x%08X, where %u is next", number, owner, expected);
            expected = number;
        }
        if ((flags & ILPI_GENERIC_PARAM_VARIANCE_MASK) == ILPI_GENERIC_PARAM_VARIANCE_MASK ||
            ((flags & ILPI_GENERIC_PARAM_REFERENCE_TYPE) != 0 &&
             (flags & ILPI_GENERIC_PARAM_VALUE_TYPE) != 0)) {
            ilpi_report_row(verifier, ILPI_FIND_FLAGS, ILP_GenericParam, rid,
                            "constraints or variances that exclude each other: 0x%X", flags);
        }
        if ((flags & ILPI_GENERIC_PARAM_VARIANCE_MASK) != 0 &&
            ILP_TOKEN_TABLE(owner) == ILP_MethodDef) {
            ilpi_report_row(verifier, ILPI_FIND_FLAGS, ILP_GenericParam, rid,
                            "a method's generic parameter has a variance");
        }
    }
}

/* II.22.8 and II.22.16. That sizes and offsets are possible is decided by types/field_layout.c
 * where a layout is needed. */
static void check_layouts(struct ilpi_verifier *verifier)
{
    const struct ilp_image *image = verifier->image;
    for (ilp_rid row = 1; row <= image->tables[ILP_ClassLayout].count; row++) {
        ilp_rid type = ilp_cell(image, ILP_ClassLayout, row, ILP_ClassLayout_Parent);
        uint32_t packing = ilp_cell(image, ILP_ClassLayout, row, ILP_ClassLayout_PackingSize);
        uint32_t flags = ilp_cell(image, ILP_TypeDef, type, ILP_TypeDef_Flags);
        /* 0 is the default of the platform */
        if (packing > 128 || (packing & (packing - 1)) != 0) {
            ilpi_report_row(verifier, ILPI_FIND_LAYOUT, ILP_ClassLayout, row,
                            "a packing of %u, no power of 2 up to 128", packing);
        }
        if ((flags & ILPI_TYPE_INTERFACE) != 0) {
            ilpi_report_row(verifier, ILPI_FIND_LAYOUT, ILP_ClassLayout, row,
                            "an interface has a layout");
        }
    }
    for (ilp_rid row = 1; row <= image->tables[ILP_FieldLayout].count; row++) {
        ilp_rid field = ilp_cell(image, ILP_FieldLayout, row, ILP_FieldLayout_Field);
        ilp_rid owner = ilp_owner_of_field(image, field);
        uint32_t flags = ilp_cell(image, ILP_TypeDef, owner, ILP_TypeDef_Flags);
        bool is_static = (ilp_cell(image, ILP_Field, field, ILP_Field_Flags) & ILPI_FIELD_STATIC) !=
                         0;
        if (owner != 0 && ((flags & ILPI_TYPE_LAYOUT_MASK) != ILPI_TYPE_EXPLICIT || is_static)) {
            ilpi_report_row(verifier, ILPI_FIND_LAYOUT, ILP_FieldLayout, row,
                            "field 0x%08X is static, or its type's layout not explicit",
                            ILP_TOKEN(ILP_Field, field));
        }
    }
}

/* Row 1 is <Module> (II.22.37), the parent of global members: flags do not describe it. */
void ilpi_verify_types(struct ilpi_verifier *verifier)
{
    const struct ilp_image *image = verifier->image;
    for (ilp_rid rid = 1; rid <= image->tables[ILP_TypeDef].count; rid++) {
        uint32_t flags = ilp_cell(image, ILP_TypeDef, rid, ILP_TypeDef_Flags);
        if (ilp_string(image, ilp_cell(image, ILP_TypeDef, rid, ILP_TypeDef_TypeName))[0] == '\0') {
            ilpi_report_row(verifier, ILPI_FIND_NAME_EMPTY, ILP_TypeDef, rid,
                            "a type without a name");
        }
        if (rid != 1) {
            check_flags(verifier, rid, flags);
        }
        check_base(verifier, rid, flags);
    }
    check_interfaces(verifier);
    check_circles(verifier);
    check_generic_params(verifier);
    check_layouts(verifier);
}
