/* Finds precompiled images that may hold copies of changed methods. See callers.h.
 *
 *   composite        a file with the native code of several assemblies, of which the changed one is
 *                    a component
 *   version-bubble   an image compiled together with the changed assembly, which records its MVID
 *   non-versionable  a changed method carries NonVersionableAttribute: any code that refers to
 *                    it may have it inlined, and no image records that
 *
 * All other native code calls methods of other assemblies, or checks its inlined methods before it
 * runs. */
#include "tools/patch/callers.h"

#include <stdlib.h>
#include <string.h>

#include "host/file_image.h"
#include "host/originals.h"
#include "host/path.h"
#include "host/resolve/path_list.h"
#include "host/text_out.h"
#include "metadata/edit.h"
#include "tools/patch/extracted.h"
#include "tools/patch/named_files.h"
#include "tools/patch/neighbours.h"
#include "tools/patch/report.h"
#include "tools/tool.h"

enum reason { REASON_COMPOSITE, REASON_VERSION_BUBBLE, REASON_NON_VERSIONABLE };

static const char *const reason_words[] = {"composite", "version-bubble", "non-versionable"};

/* An image and one reason; it may have several of both. `image` is borrowed from the neighbours. */
struct caller {
    struct neighbour *image;
    enum reason reason;
    struct path_list of; /* the changed files */
    struct caller *next;
};

/* In the order in which they were found, so that messages have the order of the files. */
struct callers {
    struct neighbours *neighbours; /* owned */
    struct caller *first;
    struct caller **end; /* where the next one is linked: `first`, or the last one's `next` */
};

struct callers *callers_open(const char *const *paths, size_t path_count)
{
    struct callers *callers = need(calloc(1, sizeof *callers));
    callers->neighbours = neighbours_open(paths, path_count);
    callers->end = &callers->first;
    return callers;
}

/* Images are the neighbours', and are closed with them. */
void callers_close(struct callers *callers)
{
    while (callers->first) {
        struct caller *caller = callers->first;
        callers->first = caller->next;
        path_list_free(&caller->of);
        free(caller);
    }
    neighbours_close(callers->neighbours);
    free(callers);
}

/* ---- kinds of images ---- */

/* A header that cannot be read counts as none. */
static bool is_precompiled(const struct ilp_image *image, struct ilp_ready_to_run *r2r)
{
    struct ilp_image_info info;
    ilp_image_info(image, &info);
    return info.ready_to_run && ilp_image_ready_to_run(image, r2r, NULL) == ILP_OK;
}

/* True for a component of a composite image, and for what images near it record
 * (docs/READYTORUN.md). */
bool callers_record_mvid(struct callers *callers, const char *file, const struct ilp_image *image)
{
    struct ilp_ready_to_run r2r;
    neighbours_look(callers->neighbours, file);
    return (is_precompiled(image, &r2r) && r2r.component) ||
           neighbours_record(callers->neighbours, image_mvid(image));
}

/* ---- collecting ---- */

/* One entry for an image and reason; `file` is added to what it depends on. */
static void add_caller(struct callers *callers, struct neighbour *image, enum reason reason,
                       const char *file)
{
    struct caller *caller = callers->first;
    while (caller && (caller->image != image || caller->reason != reason)) {
        caller = caller->next;
    }
    if (!caller) {
        caller = need(calloc(1, sizeof *caller));
        caller->image = image;
        caller->reason = reason;
        *callers->end = caller;
        callers->end = &caller->next;
    }
    path_list_add(&caller->of, need(strdup(file)));
}

static const char attribute_space[] = "System.Runtime.Versioning";
static const char attribute_name[] = "NonVersionableAttribute";

/* Checked by type, since types are fewer than attributes. */
static bool has_type_of_attribute(const struct ilp_image *image)
{
    static const unsigned tables[] = {ILP_TypeRef, ILP_TypeDef};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        for (ilp_rid rid = 1; rid <= ilp_row_count(image, tables[i]); rid++) {
            const char *name_space;
            const char *name;
            ilpi_type_name(image, ILP_TOKEN(tables[i], rid), &name_space, &name);
            if (strcmp(name, attribute_name) == 0 && strcmp(name_space, attribute_space) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Whether a method with NonVersionableAttribute got a new body. */
static bool changes_non_versionable(const struct ilp_image *image, const struct ilp_edit *edit)
{
    uint32_t rows = has_type_of_attribute(image) ? ilp_row_count(image, ILP_CustomAttribute) : 0;
    for (ilp_rid row = 1; row <= rows; row++) {
        ilp_token parent = ilp_cell(image, ILP_CustomAttribute, row, ILP_CustomAttribute_Parent);
        if (ILP_TOKEN_TABLE(parent) == ILP_MethodDef &&
            ilpi_place_of(&edit->body_at, ILP_TOKEN_RID(parent)) != 0 &&
            ilpi_is_attribute(image, row, attribute_space, attribute_name)) {
            return true;
        }
    }
    return false;
}

static bool is_among(const struct path_list *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->items[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool refers_to_any(const struct ilp_image *image, const struct path_list *names)
{
    for (size_t i = 0; i < names->count; i++) {
        if (image_refers_to(image, names->items[i])) {
            return true;
        }
    }
    return false;
}

/* Whether types of these assemblies can be named through this one, since it forwards them
 * (II.22.14). */
static bool forwards_to_any(const struct ilp_image *image, const struct path_list *names)
{
    ilp_token last = 0; /* in many images types of one assembly are consecutive */
    for (ilp_rid rid = 1; rid <= ilp_row_count(image, ILP_ExportedType); rid++) {
        ilp_token to = ilp_cell(image, ILP_ExportedType, rid, ILP_ExportedType_Implementation);
        if (to == last) {
            continue;
        }
        last = to;
        uint32_t name = ilp_cell(image, ILP_AssemblyRef, ILP_TOKEN_RID(to), ILP_AssemblyRef_Name);
        if (ILP_TOKEN_TABLE(to) == ILP_AssemblyRef && is_among(names, ilp_string(image, name))) {
            return true;
        }
    }
    return false;
}

/* If the assembly forwards to one of `names`, adds its own name. The image is not read again after
 * that: its pages are given back. */
static bool adds_name(struct neighbour *at, struct path_list *names)
{
    struct ilp_assembly_name name;
    bool adds = ilp_image_assembly_name(at->image, &name) && !is_among(names, name.name) &&
                forwards_to_any(at->image, names);
    if (adds) {
        path_list_add(names, need(strdup(name.name)));
    }
    neighbour_release_pages(at);
    return adds;
}

/* The names that references to the assembly's types may have: its own, and those of assemblies that
 * forward to it. Repeated until no name is added: a facade may forward to another facade. */
static struct path_list find_referencing_names(const struct ilp_image *image,
                                               struct neighbour *first)
{
    struct path_list names = {NULL, 0};
    struct ilp_assembly_name name;
    bool more = ilp_image_assembly_name(image, &name);
    path_list_add(&names, need(strdup(more ? name.name : "")));
    for (struct neighbour *at = first; at; at = at->next) {
        at->may_forward = neighbour_is_near(at) && ilp_row_count(at->image, ILP_ExportedType) != 0;
    }
    while (more) {
        more = false;
        for (struct neighbour *at = first; at; at = at->next) {
            if (at->may_forward && adds_name(at, &names)) {
                at->may_forward = false;
                more = true;
            }
        }
    }
    return names;
}

/* A changed assembly. */
struct changed {
    const struct neighbour *self; /* NULL: its folder does not contain it */
    const char *shown;            /* its name for messages */
    const char *owner;            /* the composite image that it is a component of, or NULL */
    struct ilp_bytes mvid;
    struct path_list names; /* under which other code may have inlined it; empty: its changed
                               methods are never inlined */
};

/* The MVIDs are one after the other, each of the same size. */
static bool records(const struct ilp_image *image, struct ilp_bytes mvid)
{
    struct ilp_bytes mvids = ilp_image_recorded_mvids(image);
    size_t at = mvid.size != 0 ? 0 : mvids.size;
    while (at < mvids.size && memcmp(mvids.data + at, mvid.data, mvid.size) != 0) {
        at += mvid.size;
    }
    return at < mvids.size;
}

/* In the order of certainty: the first reason is enough. */
static void collect_one(struct callers *callers, struct neighbour *at,
                        const struct changed *changed)
{
    struct ilp_ready_to_run r2r;
    if (!neighbour_is_near(at) || at == changed->self || !is_precompiled(at->image, &r2r)) {
        return;
    }
    if (r2r.composite && changed->owner && strcmp(changed->owner, path_name(at->path)) == 0) {
        add_caller(callers, at, REASON_COMPOSITE, changed->shown);
    } else if (records(at->image, changed->mvid)) {
        add_caller(callers, at, REASON_VERSION_BUBBLE, changed->shown);
    } else if (changed->names.count != 0 && refers_to_any(at->image, &changed->names)) {
        add_caller(callers, at, REASON_NON_VERSIONABLE, changed->shown);
    }
    neighbour_release_pages(at);
}

/* Most files change nothing that others may hold; then no neighbour is looked at in detail. The
 * image itself is marked as changed: its own native code was dropped with the patch. */
void callers_collect(struct callers *callers, const char *file, const char *shown,
                     const struct ilp_image *image, const struct ilp_edit *edit)
{
    const struct neighbours *neighbours = callers->neighbours;
    struct ilp_ready_to_run own;
    struct neighbour *first = neighbours_look(callers->neighbours, file);
    struct neighbour *self = neighbours_self(neighbours, file);
    struct changed changed = {.self = self, .shown = shown, .mvid = image_mvid(image)};
    if (self) {
        self->changed = true;
    }
    if (is_precompiled(image, &own) && own.component) {
        changed.owner = own.owner;
    }
    if (neighbours_are_precompiled(neighbours) && changes_non_versionable(image, edit)) {
        changed.names = find_referencing_names(image, first);
    }
    bool held = changed.owner || changed.names.count != 0 ||
                neighbours_record(neighbours, changed.mvid);
    for (struct neighbour *at = held ? first : NULL; at; at = at->next) {
        collect_one(callers, at, &changed);
    }
    path_list_free(&changed.names);
}

/* ---- dropping native code ---- */

static bool is_component_of(const struct neighbour *image, const struct neighbour *composite)
{
    struct ilp_ready_to_run r2r;
    return image->folder == composite->folder && is_precompiled(image->image, &r2r) &&
           r2r.component && !r2r.composite && strcmp(r2r.owner, path_name(composite->path)) == 0;
}

/* The next unchanged image that uses the caller's native code: a component of a composite one, else
 * the caller itself. */
static struct neighbour *next_user(const struct caller *caller, struct neighbour *at)
{
    struct ilp_ready_to_run r2r;
    bool composite = is_precompiled(caller->image->image, &r2r) && r2r.composite;
    while (at && (at->changed ||
                  (composite ? !is_component_of(at, caller->image) : at != caller->image))) {
        at = at->next;
    }
    return at;
}

/* The MVID stays: other native code may record it, and nothing but native code is dropped. */
static ilp_status drop_code(void *user, struct ilp_image *image, struct ilp_edit *edit,
                            struct ilp_symbols *symbols, struct ilp_error *error)
{
    (void)user, (void)image, (void)symbols;
    ilp_edit_keep_mvid(edit);
    return ilp_edit_drop_native_code(edit, error);
}

static void say_dropped(void *user, FILE *out)
{
    const struct caller *caller = user;
    fprintf(out, "may have held copies of methods of ");
    text_out(out, caller->of.items[0], false);
    if (caller->of.count > 1) {
        fprintf(out, " and %zu more", caller->of.count - 1);
    }
}

/* With -o FILE the caller goes into the folder of that file; with -o DIR into DIR; a file of a
 * named folder has an output of its own. Options for one assembly (key, symbols) are not used for
 * it. */
static enum exit_code drop(struct caller *caller, struct neighbour *first,
                           const struct patch_request *request, patch_one *patch)
{
    struct patch_change change = {caller, drop_code, say_dropped};
    struct patch_request own = *request;
    struct ilp_write_options write = {
        .layout = request->write->layout == ILP_WRITE_KEEP ? ILP_WRITE_KEEP : ILP_WRITE_AUTO};
    enum exit_code worst = EXIT_DONE;
    char *directory = NULL;
    own.change = &change;
    /* only native code is dropped: no method changes, so no further image is affected */
    own.callers = NULL;
    own.write = &write; /* a key and symbols belong to one assembly */
    own.named_symbols = false;
    if (request->output && !path_is_directory(request->output)) {
        directory = path_directory(request->output);
    }
    const char *output = directory ? directory : request->output;
    for (struct neighbour *at = next_user(caller, first); at; at = next_user(caller, at->next)) {
        const struct named_file *named = request->files ? named_files_find(request->files, at->path)
                                                        : NULL;
        own.output = named && named->output ? named->output : output;
        enum exit_code code = patch(&own, at->path);
        /* next_user() then skips it, and the report has it as dropped */
        at->changed = code == EXIT_DONE;
        worst = worse(worst, code);
    }
    free(directory);
    return worst;
}

/* The limit of a list in a message. */
#define MAX_NAMES 8u

/* Those that were patched themselves have lost their native code, and are not mentioned. */
static void print_callers(const struct callers *callers, struct neighbour *first, FILE *out)
{
    size_t count = 0;
    for (const struct caller *caller = callers->first; caller; caller = caller->next) {
        if (!next_user(caller, first)) {
            continue;
        }
        if (count < MAX_NAMES) {
            fputs(count == 0 ? "native code that may still hold copies of methods as they were: "
                             : ", ",
                  out);
            text_out(out, path_name(caller->image->path), false);
        }
        count++;
    }
    if (count > MAX_NAMES) {
        fprintf(out, " and %zu more", count - MAX_NAMES);
    }
    if (count != 0) {
        fputs("; --with-callers drops it\n", out);
    }
}

enum exit_code callers_finish(struct callers *callers, const struct patch_request *request,
                              patch_one *patch)
{
    enum exit_code worst = EXIT_DONE;
    struct neighbour *first = neighbours_first(callers->neighbours);
    for (struct caller *caller = callers->first; caller && request->with_callers;
         caller = caller->next) {
        enum exit_code code = drop(caller, first, request, patch);
        worst = worse(worst, code);
    }
    if (request->with_callers && !callers->first && !request->quiet) {
        fputs("no native code of others holds copies of changed methods\n", request->out);
    }
    if (!request->with_callers && !request->quiet) {
        print_callers(callers, first, request->out);
    }
    return worst;
}

void callers_report(const struct callers *callers, const struct extracted *extracted,
                    struct report *report)
{
    struct neighbour *first = neighbours_first(callers->neighbours);
    for (const struct caller *caller = callers->first; caller; caller = caller->next) {
        char *path = extracted_path(extracted, extracted ? extracted->shown : NULL,
                                    caller->image->path);
        report_caller(report, &(struct report_caller){.file = path,
                                                      .reason = reason_words[caller->reason],
                                                      .of = caller->of.items,
                                                      .of_count = caller->of.count,
                                                      .dropped = !next_user(caller, first)});
        free(path);
    }
}
