/* Pairs methods by their texts, through a map of the old ones. Texts are not stored, since names
 * can make them very long: they are formatted again to be compared. See method_pairs.h. */
#include "tools/diff/method_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "tools/tool.h"

/* All old methods of one text: a list in their order. Several methods of one text are an error in
 * the file (II.22.26), which this tool still shows. */
struct group {
    uint64_t hash; /* of the text */
    ilp_rid known; /* a method with the text */
    ilp_rid first; /* the next one to pair, 0 when none is left */
    ilp_rid last;
};

/* Working memory of one method_pairs_make(). Lists are by rid: next[rid] is the following one of
 * the same text. */
struct pairing {
    const struct ilp_image *old_image;
    const struct ilp_image *new_image;
    struct ilp_arena *arenas[2]; /* of the text that is looked up, and of one compared with it */
    struct group *groups;
    uint32_t group_count;
    struct ilpi_alloc alloc;
    struct ilpi_map places; /* 1 + index of `groups`, by the text */
    ilp_rid *next;          /* by old rid: the next one in its group */
    ilp_rid *old_of;        /* by new rid */
    uint8_t *is_taken;      /* by old rid */
};

/* A signature with names, as `ilpatch list` prints it, so a method pairs if its text is the same,
 * wherever its row is. */
static const char *text_of(const struct ilp_image *image, ilp_rid rid, struct ilp_arena *arena)
{
    const char *text = NULL;
    ilp_arena_reset(arena);
    ilp_status status = ilp_method_text(image, ILP_TOKEN(ILP_MethodDef, rid), arena, &text, NULL);
    return need(status == ILP_OK ? (void *)(uintptr_t)text : NULL);
}

/* The group of a text; NULL: none yet, and *search is where to add it. */
static struct group *find_group(struct pairing *pairing, const char *text, uint64_t hash,
                                struct ilpi_map_search *search)
{
    *search = ilpi_map_find(&pairing->places, hash);
    for (uint32_t place; (place = ilpi_map_next(search)) != 0;) {
        struct group *group = &pairing->groups[place - 1];
        if (group->hash == hash &&
            strcmp(text_of(pairing->old_image, group->known, pairing->arenas[1]), text) == 0) {
            return group;
        }
    }
    return NULL;
}

/* At the end of its group, so that methods of one text stay in order. */
static void add_old(struct pairing *pairing, ilp_rid rid)
{
    const char *text = text_of(pairing->old_image, rid, pairing->arenas[0]);
    uint64_t hash = XXH3_64bits(text, strlen(text));
    struct ilpi_map_search search;
    struct group *group = find_group(pairing, text, hash, &search);
    if (!group) {
        pairing->groups[pairing->group_count++] = (struct group){hash, rid, rid, rid};
        ilpi_map_add_found(&pairing->places, &search, pairing->group_count);
    } else {
        pairing->next[group->last] = rid;
        group->last = rid;
    }
}

/* Takes the first of the group that is left. */
static void pair_new(struct pairing *pairing, ilp_rid rid)
{
    const char *text = text_of(pairing->new_image, rid, pairing->arenas[0]);
    struct ilpi_map_search search;
    struct group *group = find_group(pairing, text, XXH3_64bits(text, strlen(text)), &search);
    ilp_rid old_rid = group ? group->first : 0;
    if (old_rid != 0) {
        pairing->old_of[rid] = old_rid;
        pairing->is_taken[old_rid] = 1;
        group->first = pairing->next[old_rid];
    }
}

/* Old methods without a partner, up to `end`. */
static void put_removed(const struct pairing *pairing, struct method_pairs *pairs, ilp_rid *at,
                        ilp_rid end)
{
    for (; *at < end; ++*at) {
        if (!pairing->is_taken[*at]) {
            pairs->pairs[pairs->count++] = (struct method_pair){*at, 0};
        }
    }
}

/* In the order of the new file; removed methods come before the new method whose partner follows
 * them. */
static void put_pairs(const struct pairing *pairing, struct method_pairs *pairs, uint32_t old_count,
                      uint32_t new_count)
{
    ilp_rid old_at = 1;
    for (ilp_rid rid = 1; rid <= new_count; rid++) {
        ilp_rid old_rid = pairing->old_of[rid];
        put_removed(pairing, pairs, &old_at, old_rid);
        pairs->pairs[pairs->count++] = (struct method_pair){old_rid, rid};
    }
    put_removed(pairing, pairs, &old_at, old_count + 1);
}

void method_pairs_make(struct method_pairs *pairs, const struct ilp_image *old_image,
                       const struct ilp_image *new_image)
{
    uint32_t old_count = ilp_row_count(old_image, ILP_MethodDef);
    uint32_t new_count = ilp_row_count(new_image, ILP_MethodDef);
    struct pairing pairing = {.old_image = old_image, .new_image = new_image};
    ilpi_alloc_init(&pairing.alloc, NULL);
    ilp_status reserved = ilpi_map_reserve(&pairing.places, &pairing.alloc, old_count, NULL);
    need(reserved == ILP_OK ? &pairing : NULL);
    pairing.groups = need(calloc((size_t)old_count + 1, sizeof *pairing.groups));
    pairing.next = need(calloc((size_t)old_count + 1, sizeof *pairing.next));
    pairing.is_taken = need(calloc((size_t)old_count + 1, 1));
    pairing.old_of = need(calloc((size_t)new_count + 1, sizeof *pairing.old_of));
    for (unsigned i = 0; i < 2; i++) {
        ilp_status status = ilp_arena_open(&pairing.arenas[i], NULL, NULL);
        need(status == ILP_OK ? pairing.arenas[i] : NULL);
    }
    for (ilp_rid rid = 1; rid <= old_count; rid++) {
        add_old(&pairing, rid);
    }
    for (ilp_rid rid = 1; rid <= new_count; rid++) {
        pair_new(&pairing, rid);
    }
    pairs->count = 0;
    pairs->pairs = need(calloc((size_t)old_count + new_count + 1, sizeof *pairs->pairs));
    put_pairs(&pairing, pairs, old_count, new_count);
    for (unsigned i = 0; i < 2; i++) {
        ilp_arena_close(pairing.arenas[i]);
    }
    ilpi_map_free(&pairing.places, &pairing.alloc);
    free(pairing.groups);
    free(pairing.next);
    free(pairing.is_taken);
    free(pairing.old_of);
}

void method_pairs_free(struct method_pairs *pairs)
{
    free(pairs->pairs);
    *pairs = (struct method_pairs){0};
}
