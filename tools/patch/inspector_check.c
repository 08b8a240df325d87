/* Checks inspectors against programs that bring their own framework. See inspector_check.h.
 *
 * A shared framework is complete. A program's own framework may be trimmed, and consists of the
 * files beside it and in its packages: what the search finds elsewhere on this machine is not there
 * at run time. */
#include "tools/patch/inspector_check.h"

#include <stdlib.h>
#include <string.h>

#include "host/path.h"
#include "host/resolve/path_list.h"
#include "host/resolve/program.h"
#include "host/turn.h"
#include "tools/tool.h"

/* The limit of listed members; a trimmed program lacks some 50 of the full inspector. */
#define MAX_REPORTED 200u

static const char core_library[] = "System.Private.CoreLib";

/* What one inspector lacks. */
struct missing {
    char **names; /* owned */
    size_t count; /* in total, of which MAX_REPORTED are kept */
};

/* Those beyond the limit are counted, too: the message has the total. */
static void add_missing(void *user, const char *what)
{
    struct missing *missing = user;
    if (missing->count < MAX_REPORTED) {
        missing->names =
            need(grow_items(missing->names, missing->count + 1, sizeof *missing->names));
        missing->names[missing->count] = need(strdup(what));
    }
    missing->count++;
}

static void forget_missing(struct missing *missing)
{
    for (size_t i = 0; i < missing->count && i < MAX_REPORTED; i++) {
        free(missing->names[i]);
    }
    free(missing->names);
    *missing = (struct missing){NULL, 0};
}

/* ---- the program ---- */

/* That of .NET, and that of .NET Framework and Mono. */
static bool is_core_library(const struct ilp_image *image)
{
    struct ilp_assembly_name name;
    return ilp_image_assembly_name(image, &name) &&
           (strcmp(name.name, core_library) == 0 || strcmp(name.name, "mscorlib") == 0);
}

/* In its folder or its bundle, unless its settings name a shared one. */
static bool brings_framework(const struct request *request, const char *file)
{
    const struct program *program = references_program(request->references);
    char *directory = path_directory(file);
    char *core = format_text("%s/%s.dll", directory, core_library);
    bool there = path_is_there(core);
    free(core);
    free(directory);
    return there && (!program->configured || program->config.framework_count == 0);
}

/* The program's own assemblies. */
static struct ilp_image *open_own(void *user, const struct ilp_assembly_name *name)
{
    const struct reference *found = references_find(user, name);
    bool own = found && (found->place == PLACE_BESIDE || found->place == PLACE_PACKAGE);
    return own ? references_resolver(user).open(user, name) : NULL;
}

/* The check takes long, so other threads may use the turn. */
static void find_missing(const struct request *request, const struct inspector_file *inspector,
                         struct ilp_image *image, struct missing *missing)
{
    struct ilp_resolver resolver = references_resolver(request->references);
    struct ilp_needs needs = {
        .embed = request->embed, .closed = true, .user = missing, .missing = add_missing};
    struct ilp_error error;
    resolver.open = open_own;
    turn_give();
    ilp_status status = ilp_inspector_check_needs(inspector->inspector, image, &resolver, &needs,
                                                  NULL, &error);
    turn_take();
    need(status == ILP_OK ? missing : NULL);
}

/* ---- editions ---- */

/* Both editions stay open: the stock inspector's place and `other` are exchanged, so that the next
 * file can have the first one again. */
static enum exit_code use_edition(struct request *request, enum edition edition)
{
    struct inspector_file *stock = &request->inspector_files[0];
    struct inspector_file now = *stock;
    if (now.edition == edition) {
        return EXIT_DONE;
    }
    enum exit_code code = request->other.inspector
                              ? EXIT_DONE
                              : inspector_file_open_stock(&request->other, edition);
    if (code == EXIT_DONE) {
        *stock = request->other;
        request->other = now;
        request->inspectors[0] = stock->inspector;
    }
    return code;
}

/* The full edition lacks something. Not for a core library, which the small edition refers to. If
 * the small one lacks nothing, *because is the text for the summary; if it lacks something as well,
 * its own list is reported. */
static enum exit_code try_small(struct request *request, struct ilp_image *image,
                                struct missing *missing, char **because)
{
    struct missing small = {NULL, 0};
    if (is_core_library(image)) {
        return EXIT_DONE;
    }
    enum exit_code code = use_edition(request, EDITION_SMALL);
    if (code != EXIT_DONE) {
        return code;
    }
    find_missing(request, &request->inspector_files[0], image, &small);
    if (small.count == 0) {
        *because =
            missing->count == 1
                ? format_text("the program has no %s", missing->names[0])
                : format_text("the program has no %s, and lacks %zu more that the full one uses",
                              missing->names[0], missing->count - 1);
    }
    forget_missing(missing);
    *missing = small;
    return EXIT_DONE;
}

/* ---- messages ---- */

/* Advice besides publishing without trimming. What begins "P" or ends in "p" continues with "ublish
 * it with PublishTrimmed=false". */
static const char *advice_for(const struct request *request, const struct inspector_file *inspector,
                              const struct ilp_image *image)
{
    if (is_core_library(image)) {
        return "P";
    }
    if (!inspector->stock) {
        return request->embed ? "Keep them there (TrimmerRootDescriptor), use --inspector " SMALL
                                ", or p"
                              : "Use --embed, keep them there (TrimmerRootDescriptor), or p";
    }
    return inspector->edition == EDITION_SMALL ? "Start it with ilpatch run --inspector " UNMANAGED
                                                 ", or p"
                                               : "Use --inspector " SMALL ", or p";
}

static enum exit_code refuse(const struct request *request, const struct inspector_file *inspector,
                             const struct inspected_file *file, const struct missing *missing,
                             struct ilp_error *error)
{
    *error = (struct ilp_error){.status = ILP_E_BAD_INSPECTOR, .offset = UINT64_MAX};
    snprintf(error->message, sizeof error->message,
             "cannot call the inspector %.60s: the program was trimmed and lacks what it uses (%zu "
             "missing)",
             inspector->name.name, missing->count);
    report_message("%s: %s", file->shown, error->message);
    for (size_t i = 0; i < missing->count && i < MAX_REPORTED; i++) {
        report_message("  %s", missing->names[i]);
    }
    if (missing->count > MAX_REPORTED) {
        report_message("  and %zu more", missing->count - MAX_REPORTED);
    }
    report_message("%sublish it with PublishTrimmed=false",
                   advice_for(request, inspector, file->image));
    return EXIT_BAD_INPUT;
}

/* The small edition refers to System.Private.CoreLib, which only .NET has; and in a core library it
 * would cause settings to be read too early, with another culture for the whole program. */
static enum exit_code check_small(const struct request *request, const struct inspected_file *file,
                                  struct ilp_error *error)
{
    const char *why;
    if (references_for_framework(request->references)) {
        why = "it is for .NET 6 and later, and this is for .NET Framework or Mono";
    } else if (is_core_library(file->image)) {
        why = "it is not for a core library";
    } else {
        return EXIT_DONE;
    }
    *error = (struct ilp_error){.status = ILP_E_BAD_INSPECTOR, .offset = UINT64_MAX};
    snprintf(error->message, sizeof error->message,
             "cannot call the inspector " SMALL ": %s; use --inspector " FULL, why);
    report_message("%s: %s", file->shown, error->message);
    return EXIT_BAD_INPUT;
}

/*   the stock inspector without --inspector:
 *
 *   full lacks   small lacks
 *   nothing      -             full
 *   something    nothing       small, and *because
 *   something    something     refused, with what small lacks
 *   something    not tried     refused, with what full lacks: a core library
 *
 *   any other inspector that lacks something is refused. */
static enum exit_code check_one(struct request *request, size_t number,
                                const struct inspected_file *file, char **because,
                                struct ilp_error *error)
{
    const struct inspector_file *inspector = &request->inspector_files[number];
    struct missing missing = {NULL, 0};
    find_missing(request, inspector, file->image, &missing);
    enum exit_code code = EXIT_DONE;
    /* without --inspector the first inspector is the stock one, and only it has two editions */
    if (missing.count != 0 && number == 0 && request->any_edition) {
        code = try_small(request, file->image, &missing, because);
    }
    if (code == EXIT_DONE && missing.count != 0) {
        code = refuse(request, inspector, file, &missing, error);
    }
    forget_missing(&missing);
    return code;
}

enum exit_code inspectors_set(struct request *request, bool small)
{
    return request->any_edition ? use_edition(request, small ? EDITION_SMALL : EDITION_FULL)
                                : EXIT_DONE;
}

/* Each file begins with the full edition: the one before may have needed the small one. Only
 * inspectors that are assemblies and are called can lack something. */
enum exit_code inspectors_check(struct request *request, const struct inspected_file *file,
                                char **because, struct ilp_error *error)
{
    *because = NULL;
    enum exit_code code = inspectors_set(request, false);
    if (code != EXIT_DONE) {
        return code;
    }
    bool own = brings_framework(request, file->path);
    for (size_t i = 0; i < request->inspector_file_count && code == EXIT_DONE; i++) {
        const struct inspector_file *inspector = &request->inspector_files[i];
        if (inspector->native || !request_calls_inspector(request, i)) {
            continue;
        }
        if (inspector->stock && inspector->edition == EDITION_SMALL) {
            code = check_small(request, file, error);
        }
        if (code == EXIT_DONE && own) {
            code = check_one(request, i, file, because, error);
        }
    }
    if (code != EXIT_DONE) {
        free(*because);
        *because = NULL;
    }
    return code;
}
