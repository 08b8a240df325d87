/* The member of the core library's that the inspector means: by name and signature, in the type
 * itself or in what it derives from, as runtimes look (II.22.25, I.8.10.2). Types in the two
 * signatures are compared by their names, since they are rows of two images. See embed.h. */
#include "inspect/embed/embed.h"
#include "metadata/flags.h"

/* Base types and interfaces that are looked through for one member. */
#define MAX_TYPES 64u

/* What is compared with what. */
struct member_comparison {
    const struct ilp_image *left;
    const struct ilp_image *right;
};

static bool same_type(const struct member_comparison *images, const struct ilp_type *left,
                      const struct ilp_type *right);

static bool same_name(const struct member_comparison *images, ilp_token left, ilp_token right)
{
    const char *spaces[2];
    const char *names[2];
    ilpi_type_name(images->left, left, &spaces[0], &names[0]);
    ilpi_type_name(images->right, right, &spaces[1], &names[1]);
    return strcmp(names[0], names[1]) == 0 && strcmp(spaces[0], spaces[1]) == 0;
}

/* A chain of parameters or generic arguments. */
static bool same_chain(const struct member_comparison *images, const struct ilp_type *left,
                       const struct ilp_type *right)
{
    for (; left && right; left = left->next, right = right->next) {
        if (!same_type(images, left, right)) {
            return false;
        }
    }
    return !left && !right;
}

static bool same_sig(const struct member_comparison *images, const struct ilp_sig *left,
                     const struct ilp_sig *right)
{
    return left->kind == right->kind && left->convention == right->convention &&
           left->generic_count == right->generic_count && left->param_count == right->param_count &&
           same_type(images, left->ret, right->ret) &&
           same_chain(images, left->params, right->params);
}

/* Readers allow 100 levels, so that recursion has an end. */
static bool same_type(const struct member_comparison *images, const struct ilp_type *left,
                      const struct ilp_type *right)
{
    if (!left || !right || left->element != right->element || left->number != right->number) {
        return left == right;
    }
    switch (left->element) {
    case ILP_ELEMENT_CLASS:
    case ILP_ELEMENT_VALUETYPE: return same_name(images, left->token, right->token);
    case ILP_ELEMENT_CMOD_REQD:
    case ILP_ELEMENT_CMOD_OPT:
        return same_name(images, left->token, right->token) &&
               same_type(images, left->inner, right->inner);
    case ILP_ELEMENT_GENERICINST:
        return same_type(images, left->inner, right->inner) &&
               same_chain(images, left->inner->next, right->inner->next);
    case ILP_ELEMENT_FNPTR: return same_sig(images, left->method, right->method);
    default: return same_type(images, left->inner, right->inner);
    }
}

/* A type to look into. */
struct member_owner {
    struct ilpi_type_def def;
    bool instance; /* a generic type, whose members are written in its own parameters */
};

struct member_search {
    struct ilpi_embedding *embedding;
    const char *name;
    const struct ilp_sig *wanted;
    struct ilp_arena *arena;
    struct member_owner places[MAX_TYPES]; /* still to be looked into, or done */
    size_t count;
    struct ilpi_embed_member found;
    struct ilp_error *error;
};

/* What the inspector calls is written in the arguments of a generic base type, what that has in its
 * parameters: there the name and the number of parameters have to do. */
static ilp_status try_member(struct member_search *search, const struct member_owner *place,
                             ilp_token member, uint32_t name, uint32_t blob)
{
    const struct ilp_image *image = place->def.image;
    struct member_comparison images = {search->embedding->from, image};
    const struct ilp_sig *wanted = search->wanted;
    struct ilp_sig *sig;
    struct ilp_error ignored;
    if (!ilpi_string_is(image, name, search->name)) {
        return ILP_OK;
    }
    ilp_status status = ilp_sig_read(&sig, ilp_blob(image, blob), wanted->kind,
                                     ilpi_blob_offset(image, blob), search->arena, &ignored);
    if (status == ILP_E_NO_MEMORY) {
        return ilpi_fail_memory(search->error, 0);
    }
    if (status == ILP_OK && (place->instance ? sig->param_count == wanted->param_count
                                             : same_sig(&images, wanted, sig))) {
        search->found = (struct ilpi_embed_member){image, member, place->instance};
    }
    return ILP_OK;
}

static ilp_status try_members(struct member_search *search, const struct member_owner *place)
{
    struct ilp_image *image = place->def.image;
    bool field = search->wanted->kind == ILP_SIG_FIELD;
    unsigned table = field ? ILP_Field : ILP_MethodDef;
    unsigned list = field ? (unsigned)ILP_TypeDef_FieldList : (unsigned)ILP_TypeDef_MethodList;
    unsigned name = field ? (unsigned)ILP_Field_Name : (unsigned)ILP_MethodDef_Name;
    unsigned blob = field ? (unsigned)ILP_Field_Signature : (unsigned)ILP_MethodDef_Signature;
    ilp_rid first;
    ilp_rid end;
    ilpi_list(image, ILP_TypeDef, place->def.rid, list, &first, &end);
    for (; first < end && !search->found.image; first++) {
        ilp_rid rid = ilpi_list_row(image, table, first);
        ILPI_TRY(try_member(search, place, ILP_TOKEN(table, rid), ilp_cell(image, table, rid, name),
                            ilp_cell(image, table, rid, blob)));
    }
    return ILP_OK;
}

/* The generic type that a TypeSpec is an instance of; 0 for anything else. */
static ilp_status generic_type(struct member_search *search, const struct ilp_image *image,
                               ilp_token spec, ilp_token *type)
{
    uint32_t blob = ilp_cell(image, ILP_TypeSpec, ILP_TOKEN_RID(spec), ILP_TypeSpec_Signature);
    struct ilp_sig *sig;
    struct ilp_error ignored;
    *type = 0;
    ilp_status status = ilp_sig_read(&sig, ilp_blob(image, blob), ILP_SIG_TYPE_SPEC,
                                     ilpi_blob_offset(image, blob), search->arena, &ignored);
    if (status == ILP_E_NO_MEMORY) {
        return ilpi_fail_memory(search->error, 0);
    }
    if (status == ILP_OK && sig->ret->element == ILP_ELEMENT_GENERICINST) {
        *type = sig->ret->inner->token;
    }
    return ILP_OK;
}

static ilp_status add_base(struct member_search *search, struct ilp_image *image, ilp_token base)
{
    struct member_owner place = {.instance = ILP_TOKEN_TABLE(base) == ILP_TypeSpec};
    if (place.instance) {
        ILPI_TRY(generic_type(search, image, base, &base));
    }
    place.def = ilpi_resolve_type(image, base, search->embedding->resolver);
    if (place.def.image && search->count < MAX_TYPES) {
        search->places[search->count++] = place;
    }
    return ILP_OK;
}

/* A class has what its base has; of interfaces only an interface has the members. */
static ilp_status add_bases(struct member_search *search, struct ilpi_type_def def)
{
    uint32_t flags = ilp_cell(def.image, ILP_TypeDef, def.rid, ILP_TypeDef_Flags);
    uint32_t position = 0;
    ilp_rid row;
    ILPI_TRY(add_base(search, def.image,
                      ilp_cell(def.image, ILP_TypeDef, def.rid, ILP_TypeDef_Extends)));
    while ((flags & ILPI_TYPE_INTERFACE) != 0 &&
           (row = ilpi_next_with_key(def.image, ILP_InterfaceImpl, def.rid, &position)) != 0) {
        ILPI_TRY(
            add_base(search, def.image,
                     ilp_cell(def.image, ILP_InterfaceImpl, row, ILP_InterfaceImpl_Interface)));
    }
    return ILP_OK;
}

ilp_status ilpi_embed_find_member(struct ilpi_embedding *embedding, const struct ilpi_type_def *def,
                                  ilp_rid member_ref, struct ilpi_embed_member *member,
                                  struct ilp_error *error)
{
    const struct ilp_image *from = embedding->from;
    uint32_t blob = ilp_cell(from, ILP_MemberRef, member_ref, ILP_MemberRef_Signature);
    struct ilp_sig *wanted;
    ilpi_arena_reset(&embedding->scratch);
    ILPI_TRY(ilp_sig_read(&wanted, ilp_blob(from, blob), ILP_SIG_STANDALONE,
                          ilpi_blob_offset(from, blob), &embedding->scratch, error));
    struct member_search search = {
        .embedding = embedding,
        .name = ilp_string(from, ilp_cell(from, ILP_MemberRef, member_ref, ILP_MemberRef_Name)),
        .wanted = wanted,
        .arena = &embedding->scratch,
        .places = {{.def = *def}},
        .count = 1,
        .error = error,
    };
    for (size_t i = 0; i < search.count && !search.found.image; i++) {
        ILPI_TRY(try_members(&search, &search.places[i]));
        if (!search.found.image) {
            ILPI_TRY(add_bases(&search, search.places[i].def));
        }
    }
    *member = search.found;
    return ILP_OK;
}
