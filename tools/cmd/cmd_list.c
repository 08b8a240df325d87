/* ilpatch list: every method, its signature, and what would be inserted or why not.
 *
 * It runs the same code as a patch, ilp_inspect_returns(), but without an edit: results are
 * reported, and no body is kept. So the list cannot differ from what a patch does.
 *
 *   ilp_inspect_returns() --result--> take_method() --in order of tokens--> print_method()
 *                                          \--sorted--> keep(), a line each --> print_waiting()
 *
 * With --json a method is written by tools/patch/report.c, as in the report of a patch; sorted, the
 * text of that object is what is kept. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd/command_line.h"
#include "host/bundle_file.h"
#include "host/option_words.h"
#include "host/request_open.h"
#include "host/request_rules.h"
#include "inspect/inspector.h"
#include "tools/patch/report.h"
#include "host/text_out.h"
#include "tools/pager.h"
#include "tools/tool.h"
#include "inspect/reasons.h"

static const char help[] =
    "ilpatch list [options] FILE\n"
    "\n"
    "Prints a line for every method, changing nothing:\n"
    "  token, the reason code (inspected, void, byref-like, ...), the signature, "
    "and after it what would be\n"
    "  inserted before each ret, or why nothing is.\n"
    "\n";

static const char help_end[] =
    "\n"
    "Examples:\n"
    "  ilpatch list --where '<method visibility=\"public\"/>' --answer byref,byref-like Lib.dll\n"
    "  ilpatch list --affected-by x86-struct-return Old.dll\n"
    "\n"
    "Exit codes: 0 done, whatever the outcomes are, 2 bad usage, 3 bad input.\n";

/* ---- selection ---- */

enum sort_key {
#define X(name, word) SORT_##name,
    SORT_WORDS(X)
#undef X
        SORT_KEYS
};

/* What the command line says. `answers` is by reason, because several may be named. */
struct list_options {
    struct request_options request;
    bool answers[ILPI_REASON_COUNT];
    bool any_answer; /* all, if none is named */
    enum sort_key sort;
    bool json;
    bool paints;
    bool no_pager;
};

/* A method's line, kept to be sorted. It is formatted at once, since results are borrowed. If it is
 * sorted by name or type, the key is in the line, as printed.
 *
 *   06000004  inspected  valuetype N.P N.C::M()  + ...
 *                        |------ the key -----|          with SORT_RETURNS; key_start, key_size */
struct waiting {
    ilp_token method;
    uint32_t size;
    enum ilp_reason reason;
    uint32_t key_start;
    uint32_t key_size; /* 0: sorted by something else */
    char *line;        /* owned */
};

/* The state of one file. Image, arena and selector are owned and closed by list_image(); `waiting`
 * is freed as it is printed. The arena is reset for each text, so a text lives until the next one
 * is made. */
struct listing {
    const struct list_options *options;
    const struct request *request;
    struct ilp_image *image;
    struct ilp_arena *arena;
    struct ilp_selector *selector; /* for the reasons of --affected-by */
    struct waiting *waiting;
    size_t count;
    size_t capacity;
    size_t listed, left_out; /* methods */
    struct report report;    /* of --json */
};

/* How the value is put on the stack for the inspector. A yielded value is in a field of the
 * iterator; a replaced one is consumed by the call, so it needs no copy. */
static const char *value_text(const struct ilp_method_result *result)
{
    if (result->reason == ILP_REASON_YIELDS) {
        return " ldfld;";
    }
    return result->replaces ? "" : " dup;";
}

/* For a method that could not be decided, the reason is part of its answer. */
static const char *why_affected(struct listing *listing, ilp_token method,
                                const struct ilp_method_result *result)
{
    enum ilp_tristate affected;
    const char *why;
    struct ilp_error error;
    bool known = listing->selector && result->reason != ILP_REASON_UNDECIDED &&
                 ilp_affected(listing->selector, method, ILP_BUG_X86_STRUCT_RETURN, &affected, &why,
                              &error) == ILP_OK;
    return known ? why : NULL;
}

/* The colour of a reason code on a terminal: what is shown, what could be, what cannot. */
static const char *paint_of(enum ilp_reason reason)
{
    if (report_is_inspected(reason)) {
        return "\033[32m";
    }
    switch (ilp_reason_kind(reason)) {
    case ILP_REASON_REFUSED: return "\033[31m";
    case ILP_REASON_SKIPPED: return "\033[33m";
    default: return "\033[2m";
    }
}

/* TOKEN WORD SIGNATURE, then either the instructions as a sketch, after "+", or the reason, after
 * "-"; a detail in parentheses; after "!" why --affected-by selected it.
 *
 *   06000004  inspected  valuetype N.P N.C::M()  + dup; box; ldstr; call x2  ! why
 *   06000005  void       void N.C::N()  - returns nothing */
static void print_text(FILE *out, struct listing *listing, ilp_token method,
                       const struct ilp_method_result *result)
{
    const char *text;
    ilp_arena_reset(listing->arena);
    need(ilp_method_text(listing->image, method, listing->arena, &text, NULL) == ILP_OK
             ? listing->arena
             : NULL);
    bool paints = listing->options->paints;
    fprintf(out, "%08X  %s%-17s%s  ", method, paints ? paint_of(result->reason) : "",
            ilp_reason_code(result->reason), paints ? "\033[0m" : "");
    text_out(out, text, false);
    if (report_is_inspected(result->reason)) {
        static const char *const passes[ILP_PASS_COUNT] = {[ILP_PASS_NAME] = " ldstr;",
                                                           [ILP_PASS_VALUE] = "",
                                                           [ILP_PASS_ID] = " ldc.i8;",
                                                           [ILP_PASS_HANDLE] = " ldtoken;"};
        fprintf(out, "  +%s%s%s%s%s call", result->arguments ? " newarr; call; stloc;" : "",
                value_text(result), result->boxed ? " box;" : "",
                result->native ? " stloc; ldloca; sizeof;" : "", passes[result->passes]);
        if (result->inspected != 1) {
            fprintf(out, " x%u", result->inspected);
        }
    } else {
        fprintf(out, "  - %s", ilp_reason_text(result->reason));
    }
    if (result->detail[0] != '\0') {
        fputs(" (", out);
        text_out(out, result->detail, false);
        fputc(')', out);
    }
    const char *why = why_affected(listing, method, result);
    if (why) {
        fputs("  ! ", out);
        text_out(out, why, false);
    }
    fputc('\n', out);
}

/* In JSON the report's callback writes and counts the method, as for a patch; in text nothing is
 * counted. */
static void print_method(struct listing *listing, ilp_token method,
                         const struct ilp_method_result *result)
{
    if (listing->options->json) {
        struct ilp_report callbacks = report_callbacks(&listing->report);
        listing->report.affected = why_affected(listing, method, result);
        callbacks.method(callbacks.user, method, result, NULL);
    } else {
        print_text(stdout, listing, method, result);
    }
}

/* ---- sorting ---- */

/* 0 for a method without a body and for one that cannot be read: these are last. */
static uint32_t size_of_body(const struct ilp_image *image, ilp_token method,
                             struct ilp_arena *arena)
{
    uint64_t offset;
    struct ilp_body body;
    uint32_t rva = ilp_cell(image, ILP_MethodDef, ILP_TOKEN_RID(method), ILP_MethodDef_RVA);
    struct ilp_bytes bytes = rva != 0 ? ilp_image_rva(image, rva, &offset)
                                      : (struct ilp_bytes){NULL, 0};
    ilp_arena_reset(arena);
    return bytes.size != 0 && ilp_body_read(&body, bytes, offset, arena, NULL) == ILP_OK
               ? (uint32_t)body.code.size
               : 0;
}

/* Owned by the caller. The line is cut to its size, because all lines of a file are kept until the
 * end, and a stream's buffer grows by doubling. */
static char *make_line(struct listing *listing, ilp_token method,
                       const struct ilp_method_result *result)
{
    if (listing->options->json) {
        listing->report.affected = why_affected(listing, method, result);
        return report_method_text(&listing->report, method, result);
    }
    char *line = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&line, &size);
    need(out);
    print_text(out, listing, method, result);
    need(fclose(out) == 0 ? line : NULL);
    return need(realloc(line, size + 1));
}

/* A text as lines show it, usually unchanged. Owned by the caller. */
static char *shown_text(const char *text)
{
    char *shown = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&shown, &size);
    need(out);
    text_out(out, text, false);
    need(fclose(out) == 0 ? shown : NULL);
    return shown;
}

/* The method's name, or its signature, in its line. The raw text is searched first, and only if it
 * is not there the escaped form: few names have characters that text_out() changes. In JSON the
 * member itself is compared, quotes and escapes included. */
static const char *find_in_line(struct listing *listing, const struct waiting *waiting, bool name,
                                size_t *size)
{
    const char *text;
    if (listing->options->json) {
        return report_method_member(waiting->line, name ? "name" : "signature", size);
    }
    ilp_arena_reset(listing->arena);
    ilp_status status =
        name ? ilp_method_name_text(listing->image, waiting->method, listing->arena, &text, NULL)
             : ilp_method_text(listing->image, waiting->method, listing->arena, &text, NULL);
    need(status == ILP_OK ? listing : NULL);
    const char *found = strstr(waiting->line, text);
    *size = strlen(text);
    if (!found) {
        char *shown = shown_text(text);
        found = strstr(waiting->line, shown);
        *size = strlen(shown);
        free(shown);
    }
    return found;
}

/* A signature begins with the returned type. "instance " before it would sort methods by whether
 * they are static. */
static void find_key(struct listing *listing, struct waiting *waiting)
{
    static const char instance[] = "instance ";
    enum sort_key sort = listing->options->sort;
    size_t size;
    if (sort != SORT_NAME && sort != SORT_RETURNS) {
        return;
    }
    const char *key = find_in_line(listing, waiting, sort == SORT_NAME, &size);
    if (!key) {
        return;
    }
    if (sort == SORT_RETURNS && strncmp(key, instance, sizeof instance - 1) == 0) {
        key += sizeof instance - 1;
        size -= sizeof instance - 1;
    }
    waiting->key_start = (uint32_t)(key - waiting->line);
    waiting->key_size = (uint32_t)size;
}

/* What a line is sorted by is taken now: results are borrowed for the time of the callback. */
static void keep(struct listing *listing, ilp_token method, const struct ilp_method_result *result)
{
    if (listing->count == listing->capacity) {
        listing->capacity = listing->capacity != 0 ? listing->capacity * 2 : 1024;
        listing->waiting =
            need(grow_items(listing->waiting, listing->capacity, sizeof *listing->waiting));
    }
    uint32_t size = listing->options->sort == SORT_SIZE
                        ? size_of_body(listing->image, method, listing->arena)
                        : 0;
    struct waiting *waiting = &listing->waiting[listing->count++];
    *waiting = (struct waiting){.method = method,
                                .size = size,
                                .reason = result->reason,
                                .line = make_line(listing, method, result)};
    find_key(listing, waiting);
}

/* As bytes, without the locale: the same file gives the same order everywhere. */
static int compare_keys(const struct waiting *a, const struct waiting *b)
{
    size_t shorter = a->key_size < b->key_size ? a->key_size : b->key_size;
    int order = memcmp(a->line + a->key_start, b->line + b->key_start, shorter);
    return order != 0 ? order : (a->key_size > b->key_size) - (a->key_size < b->key_size);
}

/* Equal keys stay in the order of tokens. */
static int compare(const void *left, const void *right)
{
    const struct waiting *a = left;
    const struct waiting *b = right;
    int order = compare_keys(a, b);
    if (order == 0) {
        order = (a->size < b->size) - (a->size > b->size);
    }
    return order != 0 ? order : (a->method > b->method) - (a->method < b->method);
}

/* By reason in the order of reasons.def, and within one as compare() has it. */
static int compare_answers(const void *left, const void *right)
{
    const struct waiting *a = left;
    const struct waiting *b = right;
    return a->reason != b->reason ? (int)a->reason - (int)b->reason : compare(left, right);
}

/* Lines are freed one by one as they are printed. qsort() with a NULL array is undefined also for 0
 * items, thus the test. */
static void print_waiting(struct listing *listing)
{
    if (listing->count != 0) {
        qsort(listing->waiting, listing->count, sizeof *listing->waiting,
              listing->options->sort == SORT_ANSWER ? compare_answers : compare);
    }
    for (size_t i = 0; i < listing->count; i++) {
        if (listing->options->json) {
            report_method_add(&listing->report, listing->waiting[i].line);
        } else {
            fputs(listing->waiting[i].line, stdout);
        }
        free(listing->waiting[i].line);
    }
    free(listing->waiting);
}

/* ---- one file ---- */

/* Methods excluded by options are not listed: the options select methods. */
static ilp_status take_method(void *user, ilp_token method, const struct ilp_method_result *result,
                              struct ilp_error *error)
{
    struct listing *listing = user;
    const struct list_options *options = listing->options;
    (void)error;
    bool filtered = result->rule < listing->request->filters &&
                    result->reason == ILP_REASON_EXCLUDED;
    if (filtered || (options->any_answer && !options->answers[result->reason])) {
        listing->left_out++;
        return ILP_OK;
    }
    listing->listed++;
    if (options->sort == SORT_TOKEN) {
        print_method(listing, method, result);
    } else {
        keep(listing, method, result);
    }
    return ILP_OK;
}

/* A facade (a reference assembly or a file that only forwards types) has no method to list, and
 * says so in one line. The selector is opened only for --affected-by: it is needed for the reason
 * alone, and the methods are selected by ilp_inspect_returns(). */
static ilp_status list_methods(struct listing *listing, const char *file, struct ilp_error *error)
{
    struct ilp_resolver resolver = references_resolver(listing->request->references);
    struct ilp_request request = request_for_library(listing->request, &resolver);
    struct ilp_report report = {listing, take_method};
    ilp_status status = ILP_OK;
    report_module_begin(&listing->report, listing->image, file, NULL);
    if (listing->options->request.affected_by.given) {
        status = ilp_selector_open(&listing->selector, request.rules, listing->image, &resolver,
                                   request.target, NULL, error);
    }
    bool has_code = !facade_has_no_code(&listing->report.facade);
    if (status == ILP_OK && has_code) {
        request_index_image(&request, listing->image);
        status = ilp_inspect_returns(listing->image, NULL, &request, &report, error);
    }
    print_waiting(listing);
    if (status == ILP_OK && listing->listed == 0 && listing->left_out != 0) {
        report_message(
            "%s: the options select none of its %zu methods; without them all are listed", file,
            listing->left_out);
    }
    if (status == ILP_OK && !listing->options->json && !has_code) {
        facade_print(&listing->report.facade, stdout);
        putchar('\n');
    }
    report_module_end(&listing->report, NULL, status == ILP_OK ? NULL : error);
    return status;
}

/* Errors are in the JSON as well, as in a report. */
static enum exit_code list_image(struct listing *listing, const char *file, struct ilp_bytes bytes)
{
    struct ilp_error error;
    ilp_status status = ilp_image_open(&listing->image, bytes, ILP_LAYOUT_FILE, file, NULL, &error);
    if (status == ILP_OK) {
        status = ilp_arena_open(&listing->arena, NULL, &error);
    }
    if (status != ILP_OK) {
        report_module_failed(&listing->report, file, &error);
    } else {
        status = list_methods(listing, file, &error);
    }
    if (status != ILP_OK) {
        report_file_error(file, &error);
    }
    ilp_selector_close(listing->selector);
    ilp_arena_close(listing->arena);
    ilp_image_close(listing->image);
    return status == ILP_OK ? EXIT_DONE : exit_code_of(&error);
}

/* A file that cannot be read is part of the JSON as well, so that a script finds one object per
 * file. */
static enum exit_code list_file(struct listing *listing, const char *file)
{
    struct file_view view;
    if (!file_view_open(&view, file)) {
        struct ilp_error error = {.status = ILP_E_CALLBACK, .offset = UINT64_MAX};
        snprintf(error.message, sizeof error.message, "%s: cannot read: %s", file, strerror(errno));
        report_message("%s: cannot read: %s", file, strerror(errno));
        report_module_failed(&listing->report, file, &error);
        return EXIT_BAD_INPUT;
    }
    references_set_target(listing->request->references, file);
    enum exit_code code = list_image(listing, file, view.bytes);
    file_view_close(&view);
    return code;
}

static enum exit_code list(const struct list_options *options, const char *file)
{
    struct request request;
    struct listing listing = {.options = options, .request = &request};
    enum exit_code code = request_open(&request, &options->request, false, "list");
    if (code == EXIT_DONE) {
        report_begin(&listing.report, options->json ? stdout : NULL, &request);
        char *path = program_assembly(file);
        code = list_file(&listing, path);
        free(path);
        report_end(&listing.report);
        request_close(&request);
    }
    return code;
}

/* ---- the command line ---- */

/* `text` is a part of a list, so it is copied: it does not end with NUL. */
static enum exit_code unknown_reason_code(const char *text, size_t size)
{
    const char *codes[ILPI_REASON_COUNT];
    for (unsigned i = 0; i < ILPI_REASON_COUNT; i++) {
        codes[i] = ilp_reason_code((enum ilp_reason)i);
    }
    char *word = format_text("%.*s", (int)size, text);
    const char *nearest = nearest_word(word, codes, ILPI_REASON_COUNT);
    if (nearest) {
        usage_error("list", "unknown reason code '%s'; did you mean '%s'?", word, nearest);
    } else {
        usage_error("list", "unknown reason code '%s'; 'ilpatch explain' lists all", word);
    }
    free(word);
    return EXIT_USAGE;
}

/* "--answer a,b": reasons are added to those of an earlier --answer. */
static enum exit_code parse_answers(struct list_options *options, const char *text)
{
    while (*text) {
        size_t size = strcspn(text, ",");
        enum ilp_reason reason = report_reason_of(text, size);
        if (reason == ILPI_REASON_COUNT) {
            return unknown_reason_code(text, size);
        }
        options->answers[reason] = options->any_answer = true;
        text += size;
        text += *text == ',';
    }
    return EXIT_DONE;
}

/* Words and enum sort_key expand from one list, so a word's index is its key. */
static enum exit_code parse_sort(struct list_options *options, const char *word)
{
#define X(name, word) word,
    static const char *const words[] = {SORT_WORDS(X)};
#undef X
    options->sort = (enum sort_key)find_word(word, words, SORT_KEYS);
    return options->sort != SORT_KEYS
               ? EXIT_DONE
               : unknown_word("list", "value of --sort", word, words, SORT_KEYS);
}

static enum exit_code parse(char **argv, struct list_options *options, const char **file,
                            bool *finished)
{
    struct option_reader reader;
    enum option_id option;
    enum exit_code code = EXIT_DONE;
    const char *color = "auto";
    options_begin(&reader, TAKEN_BY_LIST, argv, false);
    *finished = true;
    while (code == EXIT_DONE && (option = options_next(&reader)) != OPTION_END) {
        switch (option) {
        case OPTION_ANSWER: code = parse_answers(options, reader.value); break;
        case OPTION_SORT: code = parse_sort(options, reader.value); break;
        case OPTION_JSON: options->json = true; break;
        case OPTION_COLOR: color = reader.value; break;
        case OPTION_NO_PAGER: options->no_pager = true; break;
        case OPTION_HELP: return print_help(TAKEN_BY_LIST, help, help_end);
        default:
            if (!request_option(&options->request, option, reader.value)) {
                return option_error("list", &reader);
            }
        }
    }
    code = code == EXIT_DONE ? read_color("list", color, &options->paints) : code;
    if (code == EXIT_DONE && reader.operand_count != 1) {
        code = usage_error("list", "one file has to be named");
    }
    if (code == EXIT_DONE) {
        code = rules_check_input(&options->request, "list", 1, reader.operands);
    }
    *finished = code != EXIT_DONE;
    *file = reader.operands[0];
    return code;
}

enum exit_code cmd_list(int argc, char **argv)
{
    struct list_options options = {.sort = SORT_TOKEN};
    const char *file;
    bool finished;
    (void)argc;
    enum exit_code code = parse(argv, &options, &file, &finished);
    if (!finished) {
        bool paged = !options.no_pager && pager_begin();
        code = list(&options, file);
        code = paged && !pager_end() ? EXIT_CANNOT_WRITE : code;
    }
    request_options_end(&options.request);
    return code;
}
