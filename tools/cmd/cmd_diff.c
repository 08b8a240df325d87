/* ilpatch diff: the IL of methods before and after.
 *
 * tools/diff/ does the work, in this order: method_pairs.c finds which methods of the two files
 * belong together, method_diff.c compares the instructions of a pair, and diff_out.c or
 * diff_json.c prints. This file opens both images, selects pairs, and counts.
 *
 *   OLD --image--+                     +--same------> counted
 *                +--> pairs --> diff --+--rows------> printed
 *   NEW --image--+                     +--too long--> a remark
 *                                      +--too much--> skipped: no budget left
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd/command_line.h"
#include "host/bundle_file.h"
#include "host/color.h"
#include "tools/diff/diff_json.h"
#include "tools/diff/diff_out.h"
#include "tools/cmd/method_name.h"
#include "tools/tool.h"

static const char help[] =
    "ilpatch diff [options] OLD NEW [METHOD]\n"
    "\n"
    "Shows what is different between the IL of two assemblies, method by method:\n"
    "\n"
    "  ilpatch diff App.dll.orig App.dll                 all methods that differ\n"
    "  ilpatch diff App.dll.orig App.dll 0x06000002      the method with this token\n"
    "  ilpatch diff App.dll.orig App.dll Shop.Cart::Sum  methods of this name, all overloads\n"
    "  ilpatch diff -y App.dll.orig App.dll Sum          side by side, methods called Sum of all "
    "types\n"
    "  ilpatch diff --json App.dll.orig App.dll          for programs\n"
    "\n";

static const char help_end[] =
    "\n"
    "Methods belong together if their signatures are the same. Instructions are compared by what "
    "they do, not by\n"
    "where they are: a moved branch is unchanged if it leads to the instruction that its old "
    "target became. Tokens\n"
    "are compared by the names and signatures they stand for. Lines that are the same are printed "
    "as in NEW.\n" METHOD_NAME_HELP "\n"
    "Exit codes: 0 done, also with differences, 1 no such METHOD, or methods share more code than\n"
    "is compared, 2 bad usage, 3 bad input.\n";

struct diff_request {
    const char *old_file; /* as given: the names in headings */
    const char *new_file;
    struct method_name method; /* none: all that differ */
    struct diff_style style;   /* of the text */
    bool as_json;              /* style does not apply */
};

/* One comparison of two files. Views and images are owned and closed by run(), also after a
 * failure: both are opened before either failure is returned, so that both files are reported. */
struct comparison {
    const struct diff_request *request;
    struct file_view views[2];   /* 0: OLD, 1: NEW */
    struct ilp_image *images[2]; /* the same */
    struct ilp_arena *arena;     /* for one name at a time */
    struct method_diff diff;     /* of the pair in work */
    struct ilpi_json json;       /* --json */
    struct diff_counts counts;   /* of all pairs that are wanted */
    size_t shown; /* printed methods; 0: the names of the files are not printed yet */
};

/* ---- which methods ---- */

/* A row of 0 is the missing half of a pair, whose method is only in the other file. */
static bool name_is(struct comparison *comparison, const struct ilp_image *image, ilp_rid rid)
{
    return rid != 0 && method_is_meant(image, rid, &comparison->request->method, comparison->arena);
}

/* A token is compared with both sides, since rows of the new file may have moved; a name may have
 * been changed, so one side is enough, too. */
static bool is_wanted(struct comparison *comparison, const struct method_pair *pair)
{
    const struct diff_request *request = comparison->request;
    if (request->method.token != 0) {
        ilp_rid rid = ILP_TOKEN_RID(request->method.token);
        return pair->old_rid == rid || pair->new_rid == rid;
    }
    return !request->method.text || name_is(comparison, comparison->images[0], pair->old_rid) ||
           name_is(comparison, comparison->images[1], pair->new_rid);
}

/* ---- one method ---- */

/* The new side names the method, because that is the file which one looks at next; the old one only
 * if the method is gone. The text is valid until the next one. */
static const char *full_name(struct comparison *comparison, const struct method_pair *pair)
{
    const struct ilp_image *image = comparison->images[pair->new_rid != 0];
    ilp_rid rid = pair->new_rid != 0 ? pair->new_rid : pair->old_rid;
    const char *text = NULL;
    ilp_arena_reset(comparison->arena);
    ilp_status status = ilp_method_text(image, ILP_TOKEN(ILP_MethodDef, rid), comparison->arena,
                                        &text, NULL);
    need(status == ILP_OK ? comparison : NULL);
    return text;
}

/* The names of the files are printed before the first method, so that no output means no
 * difference. */
static void print_pair(struct comparison *comparison, const struct method_pair *pair,
                       enum method_difference difference)
{
    const struct diff_request *request = comparison->request;
    if (comparison->shown++ == 0) {
        diff_out_files(&request->style, request->old_file, request->new_file);
    }
    diff_out_method(&request->style, pair, full_name(comparison, pair));
    if (difference == METHOD_SAME) {
        diff_out_remark(&request->style, "no difference");
    } else if (difference == METHOD_TOO_LONG) {
        char *remark = format_text("not compared: as text this would take more than %zu MB",
                                   comparison->diff.old_side.alloc.hook.limit >> 20);
        diff_out_remark(&request->style, remark);
        free(remark);
    } else {
        diff_out_rows(&request->style, &comparison->diff);
    }
}

/* Pairs with one half are counted by their own numbers and are not "the same" or "different". A
 * method that was named is shown even if nothing differs: no output would look like a mistake in
 * the name.
 *
 *   METHOD_SAME       counted; shown only if the method was named
 *   METHOD_DIFFERS    counted and shown
 *   METHOD_TOO_LONG   counted as different; a remark instead of its rows
 *   METHOD_TOO_MUCH   counted as skipped, and nothing else */
static void compare_pair(struct comparison *comparison, const struct method_pair *pair)
{
    const struct diff_request *request = comparison->request;
    struct diff_counts *counts = &comparison->counts;
    enum method_difference difference = method_diff(&comparison->diff, pair->old_rid,
                                                    pair->new_rid);
    if (difference == METHOD_TOO_MUCH) {
        counts->skipped++;
        return;
    }
    counts->only_old += pair->new_rid == 0;
    counts->only_new += pair->old_rid == 0;
    if (pair->old_rid != 0 && pair->new_rid != 0) {
        counts->same += difference == METHOD_SAME;
        counts->differ += difference != METHOD_SAME;
    }
    if (difference == METHOD_SAME && !request->method.text) {
        return;
    }
    if (request->as_json) {
        diff_json_method(&comparison->json, pair, full_name(comparison, pair), difference,
                         &comparison->diff);
    } else {
        print_pair(comparison, pair, difference);
    }
}

/* ---- all of them ---- */

/* The order is that of method_pairs_make(). A method that is named and in neither file ends with
 * exit code 1, as in the other commands. */
static enum exit_code compare(struct comparison *comparison)
{
    const struct diff_request *request = comparison->request;
    const struct diff_counts *counts = &comparison->counts;
    struct method_pairs pairs;
    size_t compared = 0;
    if (request->as_json) {
        diff_json_begin(&comparison->json, request->old_file, request->new_file);
    }
    method_pairs_make(&pairs, comparison->images[0], comparison->images[1]);
    method_diff_open(&comparison->diff, comparison->images[0], comparison->images[1]);
    for (size_t i = 0; i < pairs.count; i++) {
        if (is_wanted(comparison, &pairs.pairs[i])) {
            compare_pair(comparison, &pairs.pairs[i]);
            compared++;
        }
    }
    method_diff_close(&comparison->diff);
    method_pairs_free(&pairs);
    if (request->as_json) {
        diff_json_end(&comparison->json, counts);
        if (ilpi_json_finish(&comparison->json) != ILP_OK) {
            return EXIT_CANNOT_WRITE;
        }
    }
    if (request->method.text && compared == 0) {
        char *suggestion = method_suggestion(request->new_file, &request->method);
        report_message("no method '%s' in %s or %s; 'ilpatch list %s' prints tokens and names%s",
                       request->method.text, request->old_file, request->new_file,
                       request->new_file, suggestion);
        free(suggestion);
        return EXIT_INCOMPLETE;
    }
    if (!request->as_json) {
        printf("%zu method%s, %zu the same, %zu only in OLD, %zu only in NEW\n", counts->differ,
               counts->differ == 1 ? " differs" : "s differ", counts->same, counts->only_old,
               counts->only_new);
    }
    if (counts->skipped != 0) {
        report_message(
            "%s: %zu methods not compared: methods share bodies of more than %u times the files",
            request->new_file, counts->skipped, ILPI_BUDGET_TIMES);
        return EXIT_INCOMPLETE;
    }
    return EXIT_DONE;
}

static enum exit_code open_image(struct comparison *comparison, unsigned i, const char *file)
{
    struct ilp_error error;
    if (!file_view_open(&comparison->views[i], file)) {
        report_message("%s: cannot read: %s", file, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    ilp_status status = ilp_image_open(&comparison->images[i], comparison->views[i].bytes,
                                       ILP_LAYOUT_FILE, file, NULL, &error);
    if (status != ILP_OK) {
        report_file_error(file, &error);
        return exit_code_of(&error);
    }
    if (comparison->images[i]->pe.layout == ILP_LAYOUT_METADATA) {
        report_message("%s: not an assembly: a Portable PDB has no code", file);
        return EXIT_BAD_INPUT;
    }
    return EXIT_DONE;
}

/* program_assembly() finds the assembly of an apphost, so that both App and App.dll may be
 * named. */
static enum exit_code run(const struct diff_request *request)
{
    struct comparison comparison = {.request = request};
    char *files[2] = {program_assembly(request->old_file), program_assembly(request->new_file)};
    enum exit_code code = open_image(&comparison, 0, files[0]);
    enum exit_code new_code = open_image(&comparison, 1, files[1]);
    free(files[0]);
    free(files[1]);
    code = new_code > code ? new_code : code;
    ilp_status status = ilp_arena_open(&comparison.arena, NULL, NULL);
    need(status == ILP_OK ? comparison.arena : NULL);
    if (code == EXIT_DONE) {
        code = compare(&comparison);
    }
    ilp_arena_close(comparison.arena);
    for (unsigned i = 0; i < 2; i++) {
        ilp_image_close(comparison.images[i]);
        file_view_close(&comparison.views[i]);
    }
    return code;
}

/* ---- the command line ---- */

/* strtoul() takes a sign and spaces, which no option means: the first character must be a digit. */
static bool parse_number(const char *text, unsigned long least, unsigned long most,
                         unsigned long *number)
{
    char *end;
    errno = 0;
    *number = strtoul(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *number >= least &&
           *number <= most;
}

static enum exit_code parse(char **argv, struct diff_request *request, bool *finished)
{
    const char *color = "auto";
    unsigned long number = 0;
    bool width = false;
    bool context = false;
    struct option_reader reader;
    enum option_id option;
    options_begin(&reader, TAKEN_BY_DIFF, argv, false);
    *finished = true;
    while ((option = options_next(&reader)) != OPTION_END) {
        switch (option) {
        case OPTION_CONTEXT:
            if (!parse_number(reader.value, 0, UINT32_MAX, &number)) {
                return usage_error("diff", "'%s' is not a number of lines", reader.value);
            }
            request->style.context = number;
            context = true;
            break;
        case OPTION_WIDTH:
            if (!parse_number(reader.value, DIFF_LEAST_WIDTH, DIFF_MOST_WIDTH, &number)) {
                return usage_error("diff", "--width is from %u to %u, not '%s'", DIFF_LEAST_WIDTH,
                                   DIFF_MOST_WIDTH, reader.value);
            }
            request->style.width = (unsigned)number;
            width = true;
            break;
        case OPTION_COLOR: color = reader.value; break;
        case OPTION_SIDE_BY_SIDE: request->style.side_by_side = true; break;
        case OPTION_JSON: request->as_json = true; break;
        case OPTION_HELP: return print_help(TAKEN_BY_DIFF, help, help_end);
        default: return option_error("diff", &reader);
        }
    }
    if (request->as_json && (request->style.side_by_side || context)) {
        return usage_error("diff", "--json has all lines: it does not go with %s",
                           context ? "--context" : "--side-by-side");
    }
    if (width && !request->style.side_by_side) {
        return usage_error("diff", "--width is for --side-by-side");
    }
    if (reader.operand_count != 2 && reader.operand_count != 3) {
        return usage_error("diff", "two files have to be named, and perhaps a method");
    }
    request->old_file = reader.operands[0];
    request->new_file = reader.operands[1];
    enum exit_code code = read_color("diff", color, &request->style.color);
    /* NULL at the end */
    code = code == EXIT_DONE ? method_name_parse("diff", reader.operands[2], &request->method)
                             : code;
    *finished = code != EXIT_DONE;
    return code;
}

enum exit_code cmd_diff(int argc, char **argv)
{
    struct diff_request request = {.style = {.context = 3, .width = diff_out_width()}};
    bool finished;
    (void)argc;
    enum exit_code code = parse(argv, &request, &finished);
    return finished ? code : run(&request);
}
