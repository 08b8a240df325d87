/* Finds the core library's member that the inspector refers to: by name and signature, in the type
 * itself or its bases, as runtimes do (II.22.25, I.8.10.2). Types in the two signatures are
 * compared by name, since they are rows of two images. */
#include "inspect/embed/member.h"

#include "metadata/flags.h"
#include "sig/sig.h"
#include "types/closed_type.h"

/* The limit of base types and interfaces searched for one member. */
#define MAX_TYPES 64u

/* A type to search, and the arguments of its type parameters, in terms of the type that the search
 * begins with. */
struct member_owner {
    struct ilpi_type_def def;
    bool instance; /* a generic base type */
    struct ilpi_type_arguments arguments;
};

struct member_search {
    struct ilpi_embedding *embedding;
    const char *name;
    const struct ilp_sig *wanted;
    struct ilp_arena *arena;
    struct member_owner *places; /* to be searched, or done: up to MAX_TYPES */
    size_t count;
    struct ilpi_embed_member found;
    struct ilp_error *error;
};

static ilp_status try_member(struct member_search *search, const struct member_owner *place,
                             ilp_token member, uint32_t name, uint32_t blob)
{
    static const struct ilpi_type_equality equality = {ILPI_NAMES_AS_TEXT, true, NULL};
    struct ilp_image *image = place->def.image;
    const struct ilp_sig *wanted = search->wanted;
    struct ilp_sig *sig;
    if (!ilpi_string_is(image, name, search->name)) {
        return ILP_OK;
    }
    ILPI_TRY(ilpi_sig_read_valid(&sig, ilp_blob(image, blob), wanted->kind, search->arena,
                                 search->error));
    struct ilpi_closed_signature left = {search->embedding->from, wanted, NULL};
    struct ilpi_closed_signature right = {image, sig, place->instance ? &place->arguments : NULL};
    if (sig && ilpi_same_signature(&equality, left, right)) {
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

/* A TypeSpec that is an instance of a generic type; *type is NULL for anything else. */
static ilp_status read_instance(struct member_search *search, const struct ilp_image *image,
                                ilp_token spec, const struct ilp_type **type)
{
    uint32_t blob = ilp_cell(image, ILP_TypeSpec, ILP_TOKEN_RID(spec), ILP_TypeSpec_Signature);
    struct ilp_sig *sig;
    ILPI_TRY(ilpi_sig_read_valid(&sig, ilp_blob(image, blob), ILP_SIG_TYPE_SPEC, search->arena,
                                 search->error));
    *type = sig && sig->ret->element == ILP_ELEMENT_GENERICINST ? sig->ret : NULL;
    return ILP_OK;
}

/* Bases are added to the end of the list, and so searched after all members of the types before
 * them: breadth first, each with the arguments by which its own parameters are expressed in the
 * type that the search begins with. A cycle of bases ends at MAX_TYPES. */
static ilp_status add_base(struct member_search *search, const struct member_owner *of,
                           ilp_token base)
{
    struct ilp_image *image = of->def.image;
    struct member_owner place = {.instance = ILP_TOKEN_TABLE(base) == ILP_TypeSpec};
    if (place.instance) {
        const struct ilp_type *instance;
        ILPI_TRY(read_instance(search, image, base, &instance));
        if (!instance) {
            return ILP_OK;
        }
        base = instance->inner->token;
        place.arguments = (struct ilpi_type_arguments){
            .image = image,
            .types = instance->inner->next,
            .outer = of->instance ? &of->arguments : NULL,
        };
    }
    place.def = ilpi_resolve_type(image, base, search->embedding->resolver);
    if (place.def.image && search->count < MAX_TYPES) {
        search->places[search->count++] = place;
    }
    return ILP_OK;
}

/* A class has its base's members; an interface those of its interfaces. */
static ilp_status add_bases(struct member_search *search, const struct member_owner *of)
{
    struct ilpi_type_def def = of->def;
    uint32_t flags = ilp_cell(def.image, ILP_TypeDef, def.rid, ILP_TypeDef_Flags);
    uint32_t position = 0;
    ilp_rid row;
    ILPI_TRY(add_base(search, of, ilp_cell(def.image, ILP_TypeDef, def.rid, ILP_TypeDef_Extends)));
    while ((flags & ILPI_TYPE_INTERFACE) != 0 &&
           (row = ilpi_next_with_key(def.image, ILP_InterfaceImpl, def.rid, &position)) != 0) {
        ILPI_TRY(add_base(
            search, of, ilp_cell(def.image, ILP_InterfaceImpl, row, ILP_InterfaceImpl_Interface)));
    }
    return ILP_OK;
}

/* The signature is read as any kind (ILP_SIG_STANDALONE), because a MemberRef is of a method or of
 * a field; its own kind then selects the table. */
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
    struct member_owner places[MAX_TYPES];
    places[0] = (struct member_owner){.def = *def};
    struct member_search search = {
        .embedding = embedding,
        .name = ilp_string(from, ilp_cell(from, ILP_MemberRef, member_ref, ILP_MemberRef_Name)),
        .wanted = wanted,
        .arena = &embedding->scratch,
        .places = places,
        .count = 1,
        .error = error,
    };
    for (size_t i = 0; i < search.count && !search.found.image; i++) {
        ILPI_TRY(try_members(&search, &search.places[i]));
        if (!search.found.image) {
            ILPI_TRY(add_bases(&search, &search.places[i]));
        }
    }
    *member = search.found;
    return ILP_OK;
}
