/* What a type derives from and implements (II.10.1.3, II.22.37 Extends, II.22.23 InterfaceImpl),
 * over any number of steps and through other assemblies, as texts.
 *
 *   class List : Base<string>      Base`1<string>                   a base type, and its definition
 *                                  Base`1
 *   class Base<T> : IEnumerable<T> IEnumerable`1<string>            an interface: T is replaced by
 *                                                                   its argument
 *
 * A type that is not found still has a name; its own base types are unknown, and the list stays
 * incomplete. */
#include <stdio.h>

#include "rules/method_facts.h"
#include "types/names.h"

/* More than compilers make: instances that contain themselves are infinite. */
#define MAX_SUPERTYPES 1024u

/* A type that was found, with its definition. */
struct ilpi_supertype {
    struct ilp_image *image; /* borrowed: the selector's, or one from the resolver */
    ilp_rid rid;
    uint32_t argument_count;
    const char **arguments; /* of its type parameters, as texts in supertypes.arena */
    bool base;              /* a base type; else an interface */
};

/* All types found, a worklist: it is searched from the front while types are added at its end. So
 * it is a breadth-first search; a type is added once (is_known()), and the list is limited, because
 * a class may derive from ever larger instances of itself: C<T> : C<C<T>>. */
struct supertype_search {
    struct ilpi_method_facts *facts;
    uint32_t count;
    struct ilp_error *error;
};

void ilpi_supertypes_forget(struct ilpi_supertypes *supertypes)
{
    ilpi_facts_forget(&supertypes->bases);
    ilpi_facts_forget(&supertypes->interfaces);
    ilpi_arena_reset(&supertypes->arena);
}

/* ---- incomplete lists ---- */

/* What an unknown base type implements is unknown as well, so an unknown base leaves both lists
 * open, an unknown interface only that of interfaces. The first reason is kept. */
static void mark_incomplete(struct supertype_search *search, bool base, const char *why)
{
    struct ilpi_supertypes *supertypes = &search->facts->supertypes;
    struct ilpi_name_list *lists[] = {&supertypes->interfaces, &supertypes->bases};
    for (unsigned i = 0; i < 1u + base; i++) {
        if (!lists[i]->open) {
            lists[i]->open = true;
            snprintf(lists[i]->why, sizeof lists[i]->why, "%s", why);
        }
    }
}

/* The two types that derive from and implement nothing in every core library. */
static bool is_root(const char *name)
{
    return strcmp(name, "System.Object") == 0 || strcmp(name, "System.ValueType") == 0;
}

/* ---- instances ---- */

struct naming {
    struct ilpi_sig_names inner;
    const struct ilpi_supertype *of;
};

static void put_name(void *user, struct ilpi_buf *buf, ilp_token token)
{
    const struct naming *naming = user;
    naming->inner.type(naming->inner.user, buf, token);
}

static bool put_argument(void *user, struct ilpi_buf *buf, uint32_t number)
{
    const struct naming *naming = user;
    bool known = number < naming->of->argument_count;
    if (known) {
        ilpi_buf_text(buf, buf->size > ILPI_TEXT_LIMIT ? "..." : naming->of->arguments[number]);
    }
    return known;
}

/* The arguments of an instance that `of` names, each as a text in the arena. Type parameters in
 * them are replaced by the arguments of `of`, so every text is in terms of the type that the search
 * began with. *whole is false if they exceed the budget. */
static ilp_status read_arguments(struct supertype_search *search, const struct ilpi_supertype *of,
                                 const struct ilp_type *first, struct ilpi_supertype *found,
                                 bool *whole)
{
    struct ilp_arena *arena = &search->facts->supertypes.arena;
    struct ilpi_buf text = {.alloc = search->facts->alloc};
    struct naming naming = {ilpi_sig_names_of(of->image), of};
    struct ilpi_sig_names names = {&naming, put_name, put_argument};
    struct ilp_error problem;
    uint32_t count = 0;
    ilp_status status = ILP_OK;
    *whole = true;
    for (const struct ilp_type *type = first; type; type = type->next) {
        count++;
    }
    found->arguments = ilpi_arena_array(arena, count, sizeof *found->arguments);
    for (; status == ILP_OK && *whole && first && found->arguments; first = first->next) {
        text.size = 0;
        ilpi_type_text(&text, first, &names);
        ilpi_buf_u8(&text, 0);
        const char *copy = text.status == ILP_OK ? ilpi_arena_copy(arena, text.data, text.size)
                                                 : NULL;
        found->arguments[found->argument_count++] = copy;
        status = copy ? ILP_OK : ILP_E_NO_MEMORY;
        *whole = ilpi_spend(&search->facts->budget, text.size, &problem) == ILP_OK;
    }
    ilpi_buf_free(&text);
    return status == ILP_OK && found->arguments
               ? ILP_OK
               : ilpi_fail_memory(search->error, count * sizeof(char *));
}

/* "Ns.Name`1", NUL, "Ns.Name`1<string>", NUL. */
static void put_pair(struct ilpi_buf *names, const struct ilp_image *image, ilp_token type,
                     const struct ilpi_supertype *found)
{
    for (unsigned instance = 0; instance < 2; instance++) {
        ilpi_name_type(image, names, type);
        for (uint32_t i = 0; i < found->argument_count && instance != 0; i++) {
            ilpi_buf_format(names, "%s%s", i == 0 ? "<" : ",", found->arguments[i]);
        }
        ilpi_buf_text(names, instance != 0 && found->argument_count != 0 ? ">" : "");
        ilpi_buf_u8(names, 0);
    }
}

/* ---- the search ---- */

/* With its arguments: a type may implement IEnumerable<int> and IEnumerable<string>. Quadratic in a
 * list of at most MAX_SUPERTYPES. */
static bool is_known(const struct supertype_search *search, const struct ilpi_supertype *found)
{
    const struct ilpi_supertype *all = search->facts->supertypes.all;
    for (uint32_t i = 0; i < search->count; i++) {
        bool same = all[i].image == found->image && all[i].rid == found->rid &&
                    all[i].base == found->base && all[i].argument_count == found->argument_count;
        for (uint32_t j = 0; same && j < found->argument_count; j++) {
            same = strcmp(all[i].arguments[j], found->arguments[j]) == 0;
        }
        if (same) {
            return true;
        }
    }
    return false;
}

/* The definition that a TypeSpec is an instance of. An invalid or too long signature leaves *named
 * 0. */
static ilp_status read_spec(struct supertype_search *search, const struct ilpi_supertype *of,
                            ilp_rid spec, ilp_token *named, struct ilpi_supertype *found)
{
    struct ilp_error problem;
    struct ilp_sig *sig;
    bool whole = true;
    uint32_t blob = ilp_cell(of->image, ILP_TypeSpec, spec, ILP_TypeSpec_Signature);
    struct ilp_bytes bytes = ilp_blob(of->image, blob);
    ilp_status status = ilpi_spend(&search->facts->budget, bytes.size, &problem);
    *named = 0;
    if (status == ILP_OK) {
        status = ilp_sig_read(&sig, bytes, ILP_SIG_TYPE_SPEC, 0, &search->facts->supertypes.arena,
                              &problem);
    }
    if (status != ILP_OK) {
        return ilp_status_class(status) == ILP_CLASS_MEMORY
                   ? ilpi_fail_memory(search->error, bytes.size)
                   : ILP_OK;
    }
    const struct ilp_type *type = ilpi_type_unmodified(sig->ret);
    if (type->element == ILP_ELEMENT_GENERICINST) {
        ILPI_TRY(read_arguments(search, of, type->inner->next, found, &whole));
        *named = whole ? type->inner->token : 0;
        return ILP_OK;
    }
    *named = type->element == ILP_ELEMENT_CLASS || type->element == ILP_ELEMENT_VALUETYPE
                 ? type->token
                 : 0;
    return ILP_OK;
}

/* Resolves a name to its definition, and queues it. The name was listed before: it counts even if
 * the definition is not found. */
static ilp_status resolve_supertype(struct supertype_search *search,
                                    const struct ilpi_supertype *of, ilp_token named,
                                    const char *name, struct ilpi_supertype *found)
{
    struct ilpi_type_def def = ilpi_resolve_type(of->image, named, search->facts->resolver);
    char why[200];
    if (!def.image) {
        snprintf(why, sizeof why, "what %.120s derives from is not known: it could not be found",
                 name);
        if (!is_root(name)) {
            mark_incomplete(search, found->base, why);
        }
        return ILP_OK;
    }
    found->image = def.image;
    found->rid = def.rid;
    if (is_known(search, found)) {
        return ILP_OK;
    }
    if (search->count == MAX_SUPERTYPES) {
        mark_incomplete(search, true, "its base types have no end");
        return ILP_OK;
    }
    search->facts->supertypes.all[search->count++] = *found;
    return ILP_OK;
}

/* Names are charged with the number of types as well, since is_known() compares with all of
 * them. */
static ilp_status add(struct supertype_search *search, const struct ilpi_supertype *of,
                      ilp_token type, bool base)
{
    struct ilpi_supertypes *supertypes = &search->facts->supertypes;
    struct ilpi_buf *names = base ? &supertypes->bases.names : &supertypes->interfaces.names;
    struct ilpi_supertype found = {.base = base};
    struct ilp_error problem;
    ilp_token named = type;
    if (ILP_TOKEN_TABLE(type) == ILP_TypeSpec) {
        ILPI_TRY(read_spec(search, of, ILP_TOKEN_RID(type), &named, &found));
    }
    if (ILP_TOKEN_RID(named) == 0 || ILP_TOKEN_TABLE(named) == ILP_TypeSpec) {
        mark_incomplete(
            search, base,
            "a type that it derives from has a signature that is not valid, or too long");
        return ILP_OK;
    }
    size_t start = names->size;
    put_pair(names, of->image, named, &found);
    if (names->status != ILP_OK) {
        return ilpi_fail_memory(search->error, names->size);
    }
    if (names->size - start > ILPI_TEXT_LIMIT ||
        ilpi_spend(&search->facts->budget, names->size - start + search->count, &problem) !=
            ILP_OK) {
        names->size = start;
        mark_incomplete(search, true, "its base types are too many, or their names too long");
        return ILP_OK;
    }
    return resolve_supertype(search, of, named, (const char *)names->data + start, &found);
}

/* An interface has no base type; it implements interfaces. */
static ilp_status add_supertypes(struct supertype_search *search, const struct ilpi_supertype *type)
{
    struct ilp_image *image = type->image;
    ilp_token base = ilp_cell(image, ILP_TypeDef, type->rid, ILP_TypeDef_Extends);
    uint32_t position = 0;
    ilp_rid row;
    if (type->base && ILP_TOKEN_RID(base) != 0) {
        ILPI_TRY(add(search, type, base, true));
    }
    while ((row = ilpi_next_with_key(image, ILP_InterfaceImpl, type->rid, &position)) != 0) {
        ILPI_TRY(add(search, type,
                     ilp_cell(image, ILP_InterfaceImpl, row, ILP_InterfaceImpl_Interface), false));
    }
    return ILP_OK;
}

/* The list is its own worklist: what is added at its end has its own supertypes looked up in turn.
 * It begins with the type itself. */
static ilp_status find_all(struct ilpi_method_facts *facts, struct ilp_error *error)
{
    struct ilpi_supertypes *supertypes = &facts->supertypes;
    struct supertype_search search = {facts, 1, error};
    if (!supertypes->all) {
        supertypes->all = ilpi_arena_array(&facts->arena, MAX_SUPERTYPES, sizeof *supertypes->all);
    }
    if (!supertypes->all) {
        return ilpi_fail_memory(error, MAX_SUPERTYPES * sizeof *supertypes->all);
    }
    ilpi_supertypes_forget(supertypes);
    supertypes->all[0] =
        (struct ilpi_supertype){.image = facts->image, .rid = facts->owner, .base = true};
    for (uint32_t i = 0; i < search.count; i++) {
        ILPI_TRY(add_supertypes(&search, &supertypes->all[i]));
    }
    supertypes->bases.known = supertypes->interfaces.known = true;
    supertypes->bases.pairs = supertypes->interfaces.pairs = true;
    return ILP_OK;
}

ilp_status ilpi_facts_supertypes(struct ilpi_method_facts *facts, bool interfaces,
                                 const struct ilpi_name_list **list, struct ilp_error *error)
{
    *list = interfaces ? &facts->supertypes.interfaces : &facts->supertypes.bases;
    return (*list)->known ? ILP_OK : find_all(facts, error);
}
