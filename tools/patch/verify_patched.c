/* Verifies a patched assembly before it is put in place. See verify_patched.h.
 *
 * It is compared with the original: what the original has as well is not a fault of the patch.
 * Three kinds of new findings remain:
 *
 *   unverifiable      counted: rules can request such code
 *   unresolved type   counted, if the original's types are as unknown (equally_unknown)
 *   any other         reported, and the file is not put in place
 */
#include "tools/patch/verify_patched.h"

#include <stdlib.h>
#include <string.h>

#include "host/turn.h"
#include "tools/cmd/finding_text.h"
#include "metadata/resolve.h"
#include "tools/tool.h"

/* The limit of messages of one kind. */
#define MAX_REPORTED 10u

/* The check of one file. Images are borrowed, except `patched`, which verify_patched() opens. */
struct checking {
    struct ilp_image *patched; /* the new bytes */
    struct ilp_arena *arena;   /* for the texts of findings */
    const char *shown;
    const struct request *request;
    struct ilp_resolver references;
    struct ilp_resolver resolver; /* the same, and inspectors */
    /* types that are not found are not found for the original either */
    bool equally_unknown;
    struct report *report;
    unsigned long found; /* findings of the third kind */
};

/* The inspector need not be beside the assembly yet. */
static struct ilp_image *open_assembly(void *user, const struct ilp_assembly_name *name)
{
    struct checking *checking = user;
    for (size_t i = 0; i < checking->request->inspector_file_count; i++) {
        const struct inspector_file *inspector = &checking->request->inspector_files[i];
        if (strcmp(inspector->name.name, name->name) == 0 &&
            memcmp(inspector->name.version, name->version, sizeof name->version) == 0) {
            return inspector->assembly;
        }
    }
    return checking->references.open(checking->references.user, name);
}

static struct ilp_image *open_module(void *user, const struct ilp_image *image, const char *file)
{
    const struct checking *checking = user;
    const struct ilp_resolver *references = &checking->references;
    return references->open_module ? references->open_module(references->user, image, file) : NULL;
}

/* As `ilpatch verify` prints it. */
static void report_new_finding(struct checking *checking, const struct ilp_verify_finding *finding)
{
    char *line = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&line, &size);
    need(text);
    finding_line(text, checking->patched, checking->arena, finding);
    need(fclose(text) == 0 ? line : NULL);
    report_message("%s: new: %s", checking->shown, line);
    free(line);
}

/* ---- unknown types ---- */

/* The AssemblyRef of a TypeRef, its own or that of its enclosing type; 0: none. Bounded by the
 * number of rows: scopes of a bad file may form a circle. */
static ilp_rid assembly_of(const struct ilp_image *image, ilp_rid type)
{
    ilp_token scope = ILP_TOKEN(ILP_TypeRef, type);
    for (uint32_t i = 0;
         i <= ilp_row_count(image, ILP_TypeRef) && ILP_TOKEN_TABLE(scope) == ILP_TypeRef; i++) {
        scope = ilp_cell(image, ILP_TypeRef, ILP_TOKEN_RID(scope), ILP_TypeRef_ResolutionScope);
    }
    return ILP_TOKEN_TABLE(scope) == ILP_AssemblyRef ? ILP_TOKEN_RID(scope) : 0;
}

/* Whether the original refers to the assembly and it was not found: then its types are unknown in
 * both. */
static bool is_missing_in_both(const struct checking *checking, const struct ilp_image *original,
                               ilp_rid assembly)
{
    struct ilp_assembly_name name;
    if (assembly == 0 || assembly > ilp_row_count(original, ILP_AssemblyRef)) {
        return false;
    }
    ilpi_assembly_ref_name(original, assembly, &name);
    return !checking->resolver.open(checking->resolver.user, &name);
}

/* A type that was not found is one of the original's, unless patching has added a reference to
 * it. */
static void find_added_types(struct checking *checking, const struct ilp_image *original)
{
    uint32_t count = ilp_row_count(checking->patched, ILP_TypeRef);
    checking->equally_unknown = true;
    for (ilp_rid rid = ilp_row_count(original, ILP_TypeRef) + 1;
         rid <= count && checking->equally_unknown; rid++) {
        struct ilpi_type_def found =
            ilpi_resolve_type(checking->patched, ILP_TOKEN(ILP_TypeRef, rid), &checking->resolver);
        checking->equally_unknown = found.image ||
                                    is_missing_in_both(checking, original,
                                                       assembly_of(checking->patched, rid));
    }
}

/* ---- findings ---- */

static ilp_status take_finding(void *user, const struct ilp_verify_finding *finding,
                               struct ilp_error *error)
{
    struct checking *checking = user;
    (void)error;
    if (finding->kind == ILP_FINDING_UNVERIFIABLE) {
        checking->report->unverifiable++;
        return ILP_OK;
    }
    if (checking->equally_unknown && strcmp(finding->code, "unresolved-type") == 0) {
        checking->report->unknown++;
        return ILP_OK;
    }
    if (checking->found++ < MAX_REPORTED) {
        report_new_finding(checking, finding);
    }
    report_finding(checking->report, checking->patched, finding);
    return ILP_OK;
}

/* It reads two images and takes long, so other threads may use the turn. */
static ilp_status check(struct checking *checking, struct ilp_error *error)
{
    struct ilp_image *original = checking->report->image;
    struct ilp_findings_sink sink = {checking, NULL, take_finding};
    checking->references = references_resolver(checking->request->references);
    checking->resolver =
        (struct ilp_resolver){.user = checking, .open = open_assembly, .open_module = open_module};
    find_added_types(checking, original);
    turn_give();
    ilp_status status = ilp_verify_change(original, checking->patched, &checking->resolver, &sink,
                                          NULL, error);
    turn_take();
    checking->report->verified = status == ILP_OK && checking->found == 0;
    if (status != ILP_OK || checking->found == 0) {
        return status;
    }
    *error = (struct ilp_error){.status = ILP_E_NOT_VERIFIED, .offset = UINT64_MAX};
    snprintf(error->message, sizeof error->message,
             "not replaced: patched, it would have %lu finding%s that it has not now; leave these "
             "methods out by a rule, or go "
             "without --verify",
             checking->found, plural(checking->found));
    return error->status;
}

ilp_status verify_patched(struct ilp_bytes patched, const char *shown, struct report *report,
                          struct ilp_error *error)
{
    struct checking checking = {.shown = shown, .request = report->request, .report = report};
    ilp_status status = ilp_image_open(&checking.patched, patched, ILP_LAYOUT_FILE, shown, NULL,
                                       error);
    if (status == ILP_OK) {
        status = ilp_arena_open(&checking.arena, NULL, error);
    }
    if (status == ILP_OK) {
        status = check(&checking, error);
    }
    ilp_arena_close(checking.arena);
    ilp_image_close(checking.patched);
    return status;
}
