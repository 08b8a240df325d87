/* ilpatch tail: lists and changes explicit tail calls. src/inspect/tail/edit.c decides what may be
 * changed; patch_file.c replaces the file.
 *
 *   list         the file is opened and read, nothing else
 *   add, strip   patch_file() with a change of our own: original, transaction and symbols as ever
 *
 * A change is made of whole methods: if one cannot be read or changed, it stays as it was, and the
 * others are changed. */
#include <stdlib.h>
#include <string.h>

#include "tools/cmd/command_line.h"
#include "tools/cmd/input_files.h"
#include "tools/cmd/method_name.h"
#include "tools/patch/callers.h"
#include "host/request_open.h"
#include "host/schemas.h"
#include "tools/patch/patch_file.h"
#include "tools/patch/report.h"
#include "host/standard_streams.h"
#include "host/text_out.h"
#include "tools/cmd/token_text.h"
#include "tools/tool.h"

static const char help[] =
    "ilpatch tail list [options] FILE [METHOD]\n"
    "ilpatch tail add [options] FILE [METHOD]\n"
    "ilpatch tail strip [--auto] [options] FILE [METHOD]\n"
    "\n"
    "list prints every explicit tail call, and what tail-calls=\"auto\" of a rule would do with "
    "it:\n"
    "\n"
    "  kept-loop         tail calls lead from it back to its method\n"
    "  kept-unknown      it is not known where they lead: another assembly, calli, a virtual "
    "method\n"
    "  may-be-stripped   the stack stays bounded without the prefix\n"
    "  jmp               leaves its method as a tail call does\n"
    "\n"
    "add puts the prefix on each call right before a ret that can have it, and says why others can "
    "not.\n"
    "strip takes it away: from all calls, or with --auto from those that may be "
    "stripped.\n" METHOD_NAME_HELP "\n";

static const char help_end[] = "\n"
                               "Exit codes: 0 done, 1 no such METHOD, or a method's IL cannot be "
                               "read, 2 bad usage, 3 bad input, 4 cannot\n"
                               "write.\n";

enum action { ACTION_LIST, ACTION_ADD, ACTION_STRIP };

/* What the command line says, and the state of the image that is being worked on; a bundle has
 * several in turn. `arena`, `text` and `alloc` are owned by run(), the image and its edit by
 * patch_file(). */
struct tail {
    enum action action;
    bool only_auto; /* --auto: only those that may be stripped */
    bool quiet;
    bool as_json;
    struct method_name method;
    struct request what; /* for its references; no method is inspected */
    struct write_request write;

    /* the current image */
    struct ilp_image *image;
    struct ilp_tail_editor *editor;
    struct ilp_edit *edit;       /* NULL for list */
    struct ilp_symbols *symbols; /* NULL: none to update */

    struct ilp_arena *arena;
    struct ilpi_alloc alloc;
    struct ilpi_buf text;
    struct ilpi_json json; /* list --json */
    uint32_t methods;      /* number of selected ones */
    uint32_t calls;        /* number listed, or changed */
    uint32_t left;         /* skipped by add */
    bool unreadable;       /* a selected method was skipped: exit code 1 */
};

/* ---- which methods ---- */

/* Tokens are of one image: in a bundle a token selects a method of each of its assemblies. */
static bool is_wanted(struct tail *tail, ilp_rid rid)
{
    return method_is_meant(tail->image, rid, &tail->method, tail->arena);
}

/* ---- printing ---- */

/* Valid until the next one is made. */
static const char *text_of(struct tail *tail, ilp_token token)
{
    tail->text.size = 0;
    token_text(tail->image, &tail->text, token);
    ilpi_buf_u8(&tail->text, 0);
    need(tail->text.status == ILP_OK ? tail : NULL);
    return (const char *)tail->text.data;
}

static void print_token(struct tail *tail, ilp_token token)
{
    text_out(stdout, text_of(tail, token), false);
}

/* "06000002  IL_0007  WORD  int32 N.C::M()  ->  int32 N.C::Leaf()" */
static void print_call(struct tail *tail, ilp_rid rid, const struct ilp_tail_call *call,
                       const char *word)
{
    ilp_token method = ILP_TOKEN(ILP_MethodDef, rid);
    printf("%08X  IL_%04x  %-15s  ", method, call->offset, word);
    print_token(tail, method);
    fputs("  ->  ", stdout);
    print_token(tail, call->callee);
}

/* ILP_TAIL_STRIPPED is what a patch would do; here nothing is changed yet. */
static const char *word_of(const struct ilp_tail_call *call)
{
    if (call->kind == ILP_TAIL_JMP) {
        return "jmp";
    }
    return call->decision == ILP_TAIL_STRIPPED ? "may-be-stripped" : ilp_tail_word(call->decision);
}

static void put_call(struct tail *tail, ilp_rid rid, const struct ilp_tail_call *call)
{
    struct ilpi_json *json = &tail->json;
    ilp_token method = ILP_TOKEN(ILP_MethodDef, rid);
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(json, "file", ilp_image_name(tail->image));
    ilpi_json_token(json, "token", method);
    ilpi_json_string(json, "method", text_of(tail, method));
    ilpi_json_unsigned(json, "offset", call->offset);
    ilpi_json_string(json, "outcome", word_of(call));
    ilpi_json_string(json, "callee", text_of(tail, call->callee));
    ilpi_json_end(json);
}

/* Plain calls are not listed: every call before a ret would be one. */
static void list_calls(struct tail *tail, ilp_rid rid, const struct ilp_tail_call *calls,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (calls[i].kind != ILP_TAIL_PLAIN) {
            tail->calls++;
            if (tail->as_json) {
                put_call(tail, rid, &calls[i]);
            } else {
                print_call(tail, rid, &calls[i], word_of(&calls[i]));
                putchar('\n');
            }
        }
    }
}

/* Counts what will be changed, and reports calls that add cannot change.
 *
 *   action   a call with the prefix                a plain call before a ret
 *   strip    counted; with --auto if it may be     -
 *   add      -                                     counted, or left with its obstacle */
static void count_calls(struct tail *tail, ilp_rid rid, const struct ilp_tail_call *calls,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct ilp_tail_call *call = &calls[i];
        if (tail->action == ACTION_STRIP) {
            tail->calls += call->kind == ILP_TAIL_PREFIXED &&
                           (!tail->only_auto || call->decision == ILP_TAIL_STRIPPED);
        } else if (call->kind == ILP_TAIL_PLAIN) {
            tail->calls += !call->obstacle;
            tail->left += call->obstacle != NULL;
            if (call->obstacle && !tail->quiet) {
                print_call(tail, rid, call, "not");
                printf("  - %s\n", call->obstacle);
            }
        }
    }
}

/* ---- methods ---- */

/* A body that cannot be read is reported, and skipped. */
static ilp_status fail_method(struct tail *tail, ilp_rid rid, ilp_status status,
                              const struct ilp_error *error)
{
    enum ilp_class class = ilp_status_class(status);
    /* These are the method's own faults. After any other the next method would fail as well. */
    if (class != ILP_CLASS_DATA && class != ILP_CLASS_LIMIT && class != ILP_CLASS_UNSUPPORTED) {
        return status;
    }
    report_message("method %08X: %s", ILP_TOKEN(ILP_MethodDef, rid), error->message);
    tail->unreadable = true;
    return ILP_OK;
}

/* The PDB gets the moves of the instructions, so that its sequence points stay with them. */
static ilp_status set_body(struct tail *tail, ilp_rid rid, struct ilp_bytes body,
                           struct ilp_error *error)
{
    const struct ilp_il_map *map;
    size_t count;
    ilp_status status = ilp_edit_set_body(tail->edit, rid, body, error);
    if (status == ILP_OK && tail->symbols) {
        status = ilp_tail_map(tail->editor, &map, &count, error);
        if (status == ILP_OK) {
            status = ilp_symbols_move(tail->symbols, ILP_TOKEN(ILP_MethodDef, rid), map, count,
                                      error);
        }
    }
    return status;
}

/* Counted before the change, which may still fail; then the count is taken back. No new body means
 * that nothing was to be changed. */
static ilp_status do_method(struct tail *tail, ilp_rid rid, struct ilp_error *error)
{
    const struct ilp_tail_call *calls;
    size_t count;
    struct ilp_bytes body;
    ilp_status status = ilp_tail_calls(tail->editor, rid, &calls, &count, error);
    if (status != ILP_OK) {
        return fail_method(tail, rid, status, error);
    }
    if (!tail->edit) {
        list_calls(tail, rid, calls, count);
        return ILP_OK;
    }
    enum ilp_tail_edit strip = tail->only_auto ? ILP_TAIL_STRIP_AUTO : ILP_TAIL_STRIP;
    enum ilp_tail_edit change = tail->action == ACTION_ADD ? ILP_TAIL_ADD : strip;
    uint32_t before = tail->calls;
    count_calls(tail, rid, calls, count);
    status = ilp_tail_change(tail->editor, change, &body, error);
    if (status != ILP_OK) {
        tail->calls = before;
        return fail_method(tail, rid, status, error);
    }
    return body.size != 0 ? set_body(tail, rid, body, error) : ILP_OK;
}

/* `edit` NULL: calls are listed. The editor is of one image, and is closed with it. */
static ilp_status do_image(struct tail *tail, struct ilp_image *image, struct ilp_edit *edit,
                           struct ilp_error *error)
{
    struct ilp_resolver resolver = references_resolver(tail->what.references);
    ilp_status status = ilp_tail_editor_open(&tail->editor, image, &resolver, NULL, error);
    tail->image = image;
    tail->edit = edit;
    for (ilp_rid rid = 1; status == ILP_OK && rid <= ilp_row_count(image, ILP_MethodDef); rid++) {
        if (is_wanted(tail, rid)) {
            tail->methods++;
            status = do_method(tail, rid, error);
        }
    }
    ilp_tail_editor_close(tail->editor);
    return status;
}

/* ---- files ---- */

/* Called by patch_file() between opening the edit and writing it. */
static ilp_status make_change(void *user, struct ilp_image *image, struct ilp_edit *edit,
                              struct ilp_symbols *symbols, struct ilp_error *error)
{
    struct tail *tail = user;
    tail->symbols = symbols;
    tail->calls = tail->left = 0; /* of this image: a bundle has several */
    return do_image(tail, image, edit, error);
}

/* For patch_file(), which prints it in its own line about the file.
 *
 *   App.dll: 3 calls made tail calls, 1 left as it is
 *   App.dll: 2 tail calls made plain calls */
static void print_summary(void *user, FILE *out)
{
    const struct tail *tail = user;
    if (tail->action == ACTION_ADD) {
        fprintf(out, "%u %s, %u left as %s", tail->calls,
                tail->calls == 1 ? "call made a tail call" : "calls made tail calls", tail->left,
                tail->left == 1 ? "it is" : "they are");
    } else {
        fprintf(out, "%u %s", tail->calls,
                tail->calls == 1 ? "tail call made a plain call" : "tail calls made plain calls");
    }
}

/* Nothing is written, so an image is enough. */
static enum exit_code list_image(void *user, const struct opened_file *file)
{
    struct ilp_error error;
    if (do_image(user, file->image, NULL, &error) != ILP_OK) {
        report_file_error(file->path, &error);
        return exit_code_of(&error);
    }
    return EXIT_DONE;
}

static enum exit_code list_file(struct tail *tail, char *file)
{
    if (!tail->as_json) {
        return with_file(file, tail->what.references, list_image, tail);
    }
    ilpi_json_begin(&tail->json, text_out_sink(stdout), ILPI_JSON_SPACED);
    schema_object(&tail->json, SCHEMA_TAILCALLS, ILPI_JSON_INLINE);
    ilpi_json_array(&tail->json, "calls", ILPI_JSON_LINES_ALWAYS);
    enum exit_code code = with_file(file, tail->what.references, list_image, tail);
    ilpi_json_end(&tail->json);
    ilpi_json_end(&tail->json);
    return ilpi_json_finish(&tail->json) == ILP_OK ? code : EXIT_CANNOT_WRITE;
}

/* The report collects, but is not written: patch_file() needs one. */
static enum exit_code change_file(struct tail *tail, const struct patch_request *request,
                                  const struct request_options *options, const char *file)
{
    struct patch_change change = {tail, make_change, print_summary};
    struct patch_request own = *request;
    struct report report;
    report_begin(&report, NULL, &tail->what);
    own.what = &tail->what;
    own.report = &report;
    own.quiet = tail->quiet;
    own.change = &change;
    own.with_callers = tail->write.with_callers;
    own.callers = callers_open(options->reference_paths.items, options->reference_paths.count);
    enum exit_code code = patch_file(&own, file);
    enum exit_code dropped = callers_finish(own.callers, &own, patch_file);
    callers_close(own.callers);
    report_end(&report);
    return dropped > code ? dropped : code;
}

/* With -o - the file is first written to a temporary one. */
static enum exit_code change_output(struct tail *tail, const struct patch_request *request,
                                    const struct request_options *options, const char *file)
{
    struct patch_request own = *request;
    struct standard_output output;
    if (!request->output || !is_standard(request->output)) {
        return change_file(tail, request, options, file);
    }
    enum exit_code code = standard_output_begin(&output, "tail", "-o", file);
    own.output = output.path;
    own.alone = true;
    code = code == EXIT_DONE ? change_file(tail, &own, options, file) : code;
    return standard_output_end(&output, code);
}

/* That a name fits no method is reported at the end, because a bundle has several images, of which
 * any may have it. */
static enum exit_code run(struct tail *tail, const struct patch_request *request,
                          const struct request_options *options, char *file)
{
    enum exit_code code = request_open(&tail->what, options, true, "tail");
    if (code == EXIT_DONE) {
        need(ilp_arena_open(&tail->arena, NULL, NULL) == ILP_OK ? tail->arena : NULL);
        ilpi_alloc_init(&tail->alloc, NULL);
        tail->text.alloc = &tail->alloc;
        code = tail->action == ACTION_LIST ? list_file(tail, file)
                                           : change_output(tail, request, options, file);
        ilpi_buf_free(&tail->text);
        ilp_arena_close(tail->arena);
    }
    if (code == EXIT_DONE && tail->methods == 0 && tail->method.text) {
        code = method_not_found(file, &tail->method);
    }
    request_close(&tail->what);
    return code == EXIT_DONE && tail->unreadable ? EXIT_INCOMPLETE : code;
}

/* ---- the command line ---- */

/* The word is the first operand, so options may come before it. */
static enum exit_code parse_action(struct tail *tail, const char *word)
{
    static const char *const words[] = {
        [ACTION_LIST] = "list", [ACTION_ADD] = "add", [ACTION_STRIP] = "strip"};
    enum { ACTION_COUNT = sizeof words / sizeof words[0] };
    size_t action = find_word(word, words, ACTION_COUNT);
    tail->action = (enum action)action;
    return action < ACTION_COUNT ? EXIT_DONE
                                 : unknown_word("tail", "action", word, words, ACTION_COUNT);
}

/* Reads the operands ACTION FILE [METHOD]. What only `add` and `strip` have is refused for `list`,
 * so that no file of it is expected. */
static enum exit_code check(struct tail *tail, struct patch_request *request, int count,
                            char **rest)
{
    bool writes = request->output || request->in_place || request->dry_run ||
                  !write_request_is_empty(&tail->write);
    enum exit_code code = parse_action(tail, count > 0 ? rest[0] : "");
    if (code != EXIT_DONE) {
        return code;
    }
    if (count != 2 && count != 3) {
        return usage_error("tail", "one file has to be named, and perhaps a method");
    }
    if (tail->action == ACTION_LIST && (writes || tail->quiet)) {
        return usage_error("tail", "list writes no file and has no summary");
    }
    if (tail->as_json && tail->action != ACTION_LIST) {
        return usage_error("tail", "--json is for list");
    }
    if (tail->only_auto && tail->action != ACTION_STRIP) {
        return usage_error("tail", "--auto is for strip");
    }
    if (request->output && request->in_place) {
        return usage_error("tail", "-o and --in-place exclude each other");
    }
    code = tail->action == ACTION_LIST ? EXIT_DONE
                                       : standard_check("tail", request->output, 1, rest + 1);
    if (code == EXIT_DONE) {
        code = standard_input_check("tail", "--key", tail->write.key, 1, rest + 1);
    }
    if (code != EXIT_DONE) {
        return code;
    }
    request->verify = tail->write.verify;
    request->write = &tail->write.options;
    code = write_request_read(&tail->write, "tail");
    code = code == EXIT_DONE ? write_request_open(&tail->write) : code;
    if (code != EXIT_DONE) {
        return code;
    }
    request->named_symbols = tail->write.symbols != NULL;
    return method_name_parse("tail", rest[2], &tail->method); /* NULL at the end of argv */
}

static enum exit_code parse(struct option_reader *reader, struct tail *tail,
                            struct patch_request *request, struct request_options *options,
                            bool *finished)
{
    enum option_id option;
    *finished = true;
    while ((option = options_next(reader)) != OPTION_END) {
        switch (option) {
        case OPTION_OUTPUT: request->output = reader->value; break;
        case OPTION_IN_PLACE: request->in_place = true; break;
        case OPTION_AUTO: tail->only_auto = true; break;
        case OPTION_DRY_RUN: request->dry_run = true; break;
        case OPTION_QUIET: tail->quiet = true; break;
        case OPTION_JSON: tail->as_json = true; break;
        case OPTION_HELP: return print_help(TAKEN_BY_TAIL, help, help_end);
        default:
            if (!request_option(options, option, reader->value) &&
                !write_option(&tail->write, option, reader->value)) {
                return option_error("tail", reader);
            }
        }
    }
    *finished = false;
    return check(tail, request, reader->operand_count, reader->operands);
}

enum exit_code cmd_tail(int argc, char **argv)
{
    struct tail tail = {.action = ACTION_LIST};
    struct patch_request request = {.out = stdout};
    struct request_options options = {0};
    struct option_reader reader;
    bool finished;
    (void)argc;
    options_begin(&reader, TAKEN_BY_TAIL, argv, false);
    enum exit_code code = parse(&reader, &tail, &request, &options, &finished);
    if (!finished && code == EXIT_DONE) {
        code = run(&tail, &request, &options, reader.operands[1]);
    }
    request_options_end(&options);
    write_request_close(&tail.write);
    return code;
}
