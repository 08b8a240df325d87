/* Opens referenced assemblies by name, once each. See references.h.
 *
 * Images are cached while the command runs, results of look-ups while the program is the same.
 *
 *   references_find() -> bucket by name -> known? -> else search_assembly() -> kept, found or not
 *
 * What was not found is kept as well: the same reference occurs in many methods. With several
 * threads each has references of its own over shared images (references_share()), so that look-ups
 * need no lock; only a search, which opens files, has the turn (host/turn.h). */
#include "host/references.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "host/path.h"
#include "host/resolve/candidate.h"
#include "host/resolve/search.h"
#include "host/symbols_file.h"
#include "host/text_out.h"
#include "host/turn.h"

/* More references than any program has; later ones are not searched. */
#define MAX_REFERENCES 4096u

/* So that a look-up visits few of them. */
#define BUCKETS 1024u

/* `requested` is the list that owns, `buckets` are chains through the same references. */
struct references {
    struct search search;
    struct reference *requested;
    struct reference **buckets; /* the same by name: owned; NULL: none yet */
    size_t requested_count;
    char *target; /* owned; NULL: none yet */
    unsigned target_number;
    bool own_program;            /* the target has JSON files of its own */
    struct symbols_file symbols; /* of the target, once they are requested */
};

struct references *references_open(const char *const *paths, size_t path_count)
{
    struct references *references = new_items(1, sizeof *references);
    if (!references) {
        return NULL;
    }
    if (!search_open(&references->search, paths, path_count)) {
        free(references);
        return NULL;
    }
    return references;
}

struct references *references_share(const struct references *references)
{
    struct references *own = new_items(1, sizeof *own);
    if (own) {
        search_share(&own->search, &references->search);
    }
    return own;
}

static void forget_requested(struct references *references)
{
    while (references->requested) {
        struct reference *reference = references->requested;
        references->requested = reference->next;
        reference_free(reference);
    }
    references->requested_count = 0;
    free(references->buckets);
    references->buckets = NULL;
}

void references_close(struct references *references)
{
    if (references) {
        forget_requested(references);
        search_close(&references->search);
        symbols_close(&references->symbols);
        free(references->target);
        free(references);
    }
}

/* Whether "dir/App.runtimeconfig.json" or "dir/App.deps.json" exists for dir/App.dll. */
static bool has_own_program(const char *assembly_path)
{
    static const char *const endings[] = {"runtimeconfig.json", "deps.json"};
    const char *dot = strrchr(path_name(assembly_path), '.');
    int stem = dot ? (int)(dot - assembly_path) : (int)strlen(assembly_path);
    bool found = false;
    for (size_t i = 0; i < 2 && !found; i++) {
        char *path = format_text("%.*s.%s", stem, assembly_path, endings[i]);
        found = path_is_there(path);
        free(path);
    }
    return found;
}

static bool same_directory(const char *path, const char *other)
{
    size_t length = (size_t)(path_name(path) - path);
    return length == (size_t)(path_name(other) - other) && strncmp(path, other, length) == 0;
}

/* Two libraries of one folder belong to the same program. */
bool references_set_target(struct references *references, const char *assembly_path)
{
    struct search *search = &references->search;
    unsigned failures = memory_failures();
    char *target = copy_text(assembly_path);
    char *file = copy_text(assembly_path);
    bool own = has_own_program(assembly_path);
    bool same = references->target && same_directory(references->target, assembly_path) &&
                ((!own && !references->own_program) ||
                 strcmp(references->target, assembly_path) == 0);
    bool mono = search_is_for_framework(search, assembly_path);
    if (!same || mono != search->for_framework) {
        forget_requested(references);
    }
    if (!same) {
        char *before = search->file;
        search_leave_program(search);
        search->file = file;
        file = before;
    }
    free(file);
    search->for_framework = mono;
    references->own_program = own;
    references->target_number++;
    symbols_close(&references->symbols);
    free(references->target);
    references->target = target;
    return memory_failures() == failures;
}

/* ---- look-ups ---- */

static bool same_name(const struct ilp_assembly_name *left, const struct ilp_assembly_name *right)
{
    return strcmp(left->name, right->name) == 0 && strcmp(left->culture, right->culture) == 0 &&
           memcmp(left->version, right->version, sizeof left->version) == 0 &&
           left->flags == right->flags && ilpi_bytes_equal(left->key, right->key);
}

/* NULL: no memory. */
static struct reference **bucket_of(struct references *references,
                                    const struct ilp_assembly_name *name)
{
    if (!references->buckets) {
        references->buckets = new_items(BUCKETS, sizeof(struct reference *));
        if (!references->buckets) {
            return NULL;
        }
    }
    return &references->buckets[XXH3_64bits(name->name, strlen(name->name)) % BUCKETS];
}

/* It is marked as used by the current target: references_each() lists those. */
static struct reference *find_known(const struct references *references, struct reference *alike,
                                    const struct ilp_assembly_name *name)
{
    for (struct reference *known = alike; known; known = known->next_alike) {
        if (same_name(&known->name, name)) {
            known->target = references->target_number;
            return known;
        }
    }
    return NULL;
}

/* Searches all places. */
static struct reference *find_new(struct references *references, struct reference **bucket,
                                  const struct ilp_assembly_name *name)
{
    unsigned failures = memory_failures();
    struct reference *reference = reference_new(name);
    if (reference) {
        search_assembly(&references->search, reference);
    }
    if (!reference ||
        memory_failures() != failures) { /* it may be in a place that could not be searched */
        if (reference) {
            reference_free(reference);
        }
        search_forget(&references->search);
        return NULL;
    }
    references->requested_count++;
    reference->target = references->target_number;
    reference->next = references->requested;
    references->requested = reference;
    reference->next_alike = *bucket;
    *bucket = reference;
    return reference;
}

/* Looked up without the turn, since most references are known; a search of files has it. */
static struct reference *find(struct references *references, const struct ilp_assembly_name *name)
{
    if (!is_plain_name(name->name)) {
        return NULL;
    }
    struct reference **bucket = bucket_of(references, name);
    struct reference *found = bucket ? find_known(references, *bucket, name) : NULL;
    if (found || !bucket || references->requested_count == MAX_REFERENCES) {
        return found;
    }
    bool taken = turn_enter();
    found = find_new(references, bucket, name);
    turn_leave(taken);
    return found;
}

const struct reference *references_find(struct references *references,
                                        const struct ilp_assembly_name *name)
{
    return find(references, name);
}

/* By name: the order of look-ups depends on the library's threads. */
static int compare_references(const void *left, const void *right)
{
    const struct ilp_assembly_name *names[] = {&(*(struct reference *const *)left)->name,
                                               &(*(struct reference *const *)right)->name};
    int order = strcmp(names[0]->name, names[1]->name);
    for (unsigned i = 0; i < 4 && order == 0; i++) {
        order = names[0]->version[i] - names[1]->version[i];
    }
    return order != 0 ? order : strcmp(names[0]->culture, names[1]->culture);
}

/* Sorted, so that reports do not depend on the order of the threads. */
void references_each(const struct references *references,
                     void (*take)(void *user, const struct reference *reference), void *user)
{
    size_t count = 0;
    const struct reference **sorted = new_items(references->requested_count, sizeof *sorted);
    for (const struct reference *at = references->requested; at && sorted; at = at->next) {
        if (at->target == references->target_number) {
            sorted[count++] = at;
        }
    }
    if (count != 0) {
        qsort(sorted, count, sizeof *sorted, compare_references);
    }
    for (size_t i = 0; i < count; i++) {
        take(user, sorted[i]);
    }
    free(sorted);
}

/* The limit of names in a summary. */
#define MAX_MISSING_PRINTED 5u

struct missing_lines {
    FILE *out;
    unsigned printed;
};

static void print_missing(void *user, const struct reference *reference)
{
    struct missing_lines *lines = user;
    const uint16_t *version = reference->name.version;
    if (!reference->image && lines->printed < MAX_MISSING_PRINTED) {
        fputs("  not found: ", lines->out);
        text_out(lines->out, reference->name.name, false);
        fprintf(lines->out, " %u.%u.%u.%u\n", version[0], version[1], version[2], version[3]);
        lines->printed++;
    }
}

/* Some of it may be unrelated to the types in question. */
void references_print_missing(const struct references *references, const char *file, FILE *out)
{
    struct missing_lines lines = {.out = out};
    references_each(references, print_missing, &lines);
    fputs("  some value types could not be found: name their folder with --reference-path; "
          "'ilpatch resolve ",
          out);
    text_out(out, file, false);
    fputs("' says where they were looked for\n", out);
}

struct program *references_program(struct references *references)
{
    return search_program(&references->search);
}

bool references_for_framework(const struct references *references)
{
    return references->search.for_framework;
}

struct ilp_image *reference_index(struct ilp_image *image)
{
    if (image) {
        ilp_image_index(image, NULL);
    }
    return image;
}

/* Indexed before any thread gets the image. That reads the names of all types; later look-ups need
 * few of them. */
static struct ilp_image *open_reference(void *user, const struct ilp_assembly_name *name)
{
    struct references *references = user;
    struct reference *found = find(references, name);
    if (found && !found->indexed) {
        bool taken = turn_enter();
        reference_index(found->image);
        search_release_pages(&references->search, found->image);
        found->indexed = true;
        turn_leave(taken);
    }
    return found ? found->image : NULL;
}

static struct ilp_image *open_module(void *user, const struct ilp_image *image, const char *file)
{
    struct references *references = user;
    bool taken = turn_enter();
    struct ilp_image *module = is_plain_name(file) ? search_module(&references->search, image, file)
                                                   : NULL;
    reference_index(module);
    turn_leave(taken);
    return module;
}

/* The target's symbols, beside it or embedded. */
static struct ilp_symbols *open_symbols(void *user, const struct ilp_image *image,
                                        struct ilp_error *error)
{
    struct references *references = user;
    struct symbols_file *symbols = &references->symbols;
    bool taken = turn_enter();
    symbols_close(symbols);
    unsigned failures = memory_failures();
    if (references->target) {
        const struct symbols_place place = {.file = references->target,
                                            .output = references->target};
        symbols_find(symbols, ILP_SYMBOLS_UPDATE, image, &place);
    }
    if (memory_failures() != failures) {
        symbols_close(symbols);
        snprintf(error->message, sizeof error->message, "out of memory");
    } else if (!symbols->library) {
        snprintf(error->message, sizeof error->message, "%s",
                 symbols->why[0] != '\0' ? symbols->why : "the assembly has no symbols");
    }
    turn_leave(taken);
    return symbols->library;
}

struct ilp_resolver references_resolver(struct references *references)
{
    return (struct ilp_resolver){.user = references,
                                 .open = open_reference,
                                 .open_module = open_module,
                                 .open_symbols = open_symbols};
}
