/* ilpatch rules: checks rule files, and explains why a method is selected or not.
 *
 *   check     rules_read() alone, then rules that no method can reach
 *   explain   rules_read(), and ilp_explain() for each method of the name (explanation_out.h)
 *   set       the files' names go to the process, which reads them itself (attach_change())
 *   schema    a text of the library
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd/command_line.h"
#include "tools/cmd/explanation_out.h"
#include "host/bundle_file.h"
#include "host/request_open.h"
#include "host/request_rules.h"
#include "tools/cmd/method_name.h"
#include "tools/patch/report.h"
#include "host/text_out.h"
#include "tools/launch/attach.h"
#include "tools/tool.h"

static const char help[] =
    "ilpatch rules check RULES.xml...\n"
    "ilpatch rules explain [--rules RULES.xml]... [options] FILE METHOD\n"
    "ilpatch rules set PID RULES.xml...\n"
    "ilpatch rules schema\n"
    "\n"
    "check    reads rule files as --rules would, and reports the first mistake of each file with "
    "its position, and\n"
    "         rules that are never reached, since an earlier one matches every method.\n"
    "explain  prints the rule that decides about METHOD of the assembly FILE, and for this rule "
    "and "
    "those\n"
    "         before it whether each condition is true, with the method's own value. Without rules "
    "every\n"
    "         method is included.\n"
    "set      replaces the rules of ilpatch attach in the process PID. All commands that are "
    "attached show\n"
    "         the newly selected methods, in the same form as before.\n"
    "schema   prints the XML Schema of rule files, for editors: data/rules.xsd.\n"
    "\n" METHOD_NAME_HELP "\n"
    "Options of explain:\n";

static const char help_end[] = "\n"
                               "A rule file:\n"
                               "\n"
                               "  <rules>\n"
                               "    <exclude>\n"
                               "      <method role=\"accessor\"/>\n"
                               "    </exclude>\n"
                               "    <include name=\"prices\">\n"
                               "      <namespace name=\"Shop\"/>\n"
                               "      <return type=\"System.Decimal\"/>\n"
                               "    </include>\n"
                               "  </rules>\n"
                               "\n"
                               "The first rule all of whose conditions a method meets decides "
                               "about it; a method that no rule decides\n"
                               "about is left as it is. docs/RULES.md has all words.\n"
                               "\n"
                               "Exit codes: 0 done, 1 a rule is never reached, or the rules cannot "
                               "decide about METHOD, or there is none,\n"
                               "2 bad usage, or a mistake in RULES.xml, 3 bad input, or nothing is "
                               "watched in the process.\n";

/* For actions without any option except --help. */
static enum exit_code help_alone(struct option_reader *reader, char **argv, bool *finished)
{
    options_begin(reader, TAKEN_BY_RULES, argv, false);
    enum option_id option = options_next(reader);
    *finished = option != OPTION_END;
    if (option == OPTION_HELP) {
        return print_help(TAKEN_BY_RULES_EXPLAIN, help, help_end);
    }
    return *finished ? option_error("rules", reader) : EXIT_DONE;
}

/* ---- check ---- */

/* The limit of messages of one kind. */
#define MAX_UNREACHABLE_REPORTED 10u

/* A rule without conditions matches every remaining method. A disabled rule takes no method, and
 * that it is not reached is no mistake. */
static bool report_unreachable(const struct ilp_rules *rules)
{
    uint32_t count = ilp_rules_count(rules);
    uint32_t unreachable = 0;
    /* the first enabled rule without conditions; line 0: none yet */
    struct ilp_rule taker = {.line = 0};
    for (uint32_t i = 0; i < count; i++) {
        struct ilp_rule rule;
        ilp_rules_get(rules, i, &rule);
        if (!rule.enabled) {
            continue;
        }
        if (taker.line != 0 && unreachable++ < MAX_UNREACHABLE_REPORTED) {
            report_message(
                "%s:%u: this rule is never reached: the one in line %u matches every method",
                rule.file, rule.line, taker.line);
        } else if (taker.line == 0 && !rule.conditional) {
            taker = rule;
        }
    }
    if (unreachable > MAX_UNREACHABLE_REPORTED) {
        report_message("%s: %u more rules are never reached", taker.file,
                       unreachable - MAX_UNREACHABLE_REPORTED);
    }
    return unreachable != 0;
}

/* Each file by itself: with --rules several are one list, in which later rules may be out of reach
 * as well. */
static enum exit_code check_file(const char *file)
{
    struct ilp_rules *rules;
    need(ilp_rules_open(&rules, NULL, NULL) == ILP_OK ? rules : NULL);
    enum exit_code code = rules_read(NULL, rules, file);
    if (code == EXIT_DONE) {
        uint32_t count = ilp_rules_count(rules);
        uint32_t enabled = 0;
        for (uint32_t i = 0; i < count; i++) {
            struct ilp_rule rule;
            ilp_rules_get(rules, i, &rule);
            enabled += rule.enabled;
        }
        text_out(stdout, file, false);
        printf(": %u rule%s", count, plural(count));
        if (enabled != count) {
            printf(", %u of them enabled", enabled);
        }
        putchar('\n');
        code = report_unreachable(rules) ? EXIT_INCOMPLETE : EXIT_DONE;
    }
    ilp_rules_close(rules);
    return code;
}

/* All files are checked; the worst result is the exit code. */
static enum exit_code check(char **argv)
{
    enum exit_code worst = EXIT_DONE;
    struct option_reader reader;
    bool finished;
    enum exit_code code = help_alone(&reader, argv, &finished);
    if (finished) {
        return code;
    }
    if (reader.operand_count == 0) {
        return usage_error("rules", "no rule file is named");
    }
    for (int i = 0; i < reader.operand_count; i++) {
        code = check_file(reader.operands[i]);
        worst = code > worst ? code : worst;
    }
    return worst;
}

/* ---- schema ---- */

/* A failed write is found at the end, by stream_error() in tools/ilpatch.c. */
static void write_text(void *user, const char *text, size_t size)
{
    fwrite(text, 1, size, user);
}

static enum exit_code schema(char **argv)
{
    struct option_reader reader;
    struct ilp_error error;
    struct ilp_text_sink sink = {stdout, write_text};
    bool finished;
    enum exit_code code = help_alone(&reader, argv, &finished);
    if (finished) {
        return code;
    }
    if (reader.operand_count != 0) {
        return usage_error("rules", "schema takes no arguments");
    }
    if (ilp_rules_schema(&sink, &error) != ILP_OK) {
        report_message("%s", error.message);
        return exit_code_of(&error);
    }
    return EXIT_DONE;
}

/* ---- explain ---- */

/* One file, whose methods are explained. explain_file() owns what it has opened. */
struct explanation {
    struct explanation_out out;
    struct ilp_image *image;
    struct ilp_arena *arena; /* for the text of the method in work */
    struct ilp_selector *selector;
};

/* A rule of which it is not known whether it matches decides, too: those after it are not looked
 * at. That is exit code 1, since with the missing reference the outcome may be another one. The
 * arena has the text of one method at a time. */
static enum exit_code explain_method(struct explanation *explanation, ilp_token method)
{
    struct ilp_selection selection;
    struct ilp_error error = {.status = ILP_OK};
    const char *text;
    ilp_arena_reset(explanation->arena);
    need(ilp_method_text(explanation->image, method, explanation->arena, &text, NULL) == ILP_OK
             ? explanation->arena
             : NULL);
    explanation_method(&explanation->out, method, text);
    if (ilp_explain(explanation->selector, method, explanation_trace, &explanation->out, &selection,
                    &error) != ILP_OK) {
        explanation_failed(&explanation->out);
        report_message("%s", error.message);
        return exit_code_of(&error);
    }
    explanation_decision(&explanation->out, &selection);
    return selection.rule != ILP_NO_RULE && selection.included == ILP_UNKNOWN ? EXIT_INCOMPLETE
                                                                              : EXIT_DONE;
}

/* A name may mean several methods, overloads for example: all are explained. */
static enum exit_code explain_all(struct explanation *explanation, const char *file,
                                  const struct method_name *wanted)
{
    enum exit_code worst = EXIT_DONE;
    uint32_t found = 0;
    for (ilp_rid rid = 1; rid <= ilp_row_count(explanation->image, ILP_MethodDef); rid++) {
        ilp_token method = ILP_TOKEN(ILP_MethodDef, rid);
        if (method_is_meant(explanation->image, rid, wanted, explanation->arena)) {
            enum exit_code code = explain_method(explanation, method);
            worst = code > worst ? code : worst;
            found++;
        }
    }
    if (found == 0) {
        return method_not_found(file, wanted);
    }
    return worst;
}

/* All that was opened is closed in any case: the functions accept NULL. */
static enum exit_code explain_file(const struct request *request, bool as_json, const char *file,
                                   const struct method_name *wanted)
{
    struct file_view view;
    struct ilp_error error;
    struct explanation explanation = {.image = NULL};
    struct ilp_resolver resolver = references_resolver(request->references);
    enum exit_code code;
    if (!file_view_open(&view, file)) {
        report_message("%s: cannot read: %s", file, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    references_set_target(request->references, file);
    if (ilp_image_open(&explanation.image, view.bytes, ILP_LAYOUT_FILE, file, NULL, &error) !=
            ILP_OK ||
        ilp_arena_open(&explanation.arena, NULL, &error) != ILP_OK ||
        ilp_selector_open(&explanation.selector, request->rules, explanation.image, &resolver,
                          request->target, NULL, &error) != ILP_OK) {
        report_file_error(file, &error);
        code = exit_code_of(&error);
    } else {
        explanation_begin(&explanation.out, request, as_json, file);
        code = explain_all(&explanation, file, wanted);
        code = explanation_end(&explanation.out) ? code : EXIT_CANNOT_WRITE;
    }
    ilp_selector_close(explanation.selector);
    ilp_arena_close(explanation.arena);
    ilp_image_close(explanation.image);
    file_view_close(&view);
    return code;
}

/* Rules from any options, as in a patch, so that the same options give the same answer. */
static enum exit_code explain_with(const struct request_options *options, bool as_json, int argc,
                                   char **argv)
{
    struct request request;
    struct method_name method;
    if (argc != 2) {
        return usage_error("rules", "explain takes an assembly and a method");
    }
    enum exit_code code = rules_check_input(options, "rules", 1, argv);
    code = code == EXIT_DONE ? method_name_parse("rules", argv[1], &method) : code;
    code = code == EXIT_DONE ? request_open(&request, options, false, "rules") : code;
    if (code != EXIT_DONE) {
        return code;
    }
    code = request_need_rules(&request);
    if (code == EXIT_DONE) {
        char *file = program_assembly(argv[0]);
        code = explain_file(&request, as_json, file, &method);
        free(file);
    }
    request_close(&request);
    return code;
}

static enum exit_code explain(char **argv)
{
    struct request_options options = {0};
    enum exit_code code = EXIT_DONE;
    bool as_json = false;
    struct option_reader reader;
    enum option_id option;
    options_begin(&reader, TAKEN_BY_RULES_EXPLAIN, argv, false);
    while (code == EXIT_DONE && (option = options_next(&reader)) != OPTION_END) {
        if (option == OPTION_HELP) {
            request_options_end(&options);
            return print_help(TAKEN_BY_RULES_EXPLAIN, help, help_end);
        }
        if (option == OPTION_JSON) {
            as_json = true;
        } else if (!request_option(&options, option, reader.value)) {
            code = option_error("rules", &reader);
        }
    }
    if (code == EXIT_DONE) {
        code = explain_with(&options, as_json, reader.operand_count, reader.operands);
    }
    request_options_end(&options);
    return code;
}

/* ---- set ---- */

/* The process reads the files itself; errors in them are reported here first. */
static enum exit_code set_with(process_id process, char **files)
{
    struct launch launch = {.program = NULL};
    struct profiler_options options = {.command_version = NULL};
    enum exit_code code = EXIT_DONE;
    for (; *files && code <= EXIT_INCOMPLETE; files++) {
        option_list_add(&options.request.rules, *files);
        struct ilp_rules *rules;
        need(ilp_rules_open(&rules, NULL, NULL) == ILP_OK ? rules : NULL);
        code = rules_read(NULL, rules, *files);
        ilp_rules_close(rules);
    }
    char *text = need(profiler_options_text(&options));
    if (code <= EXIT_INCOMPLETE) {
        code = attach_change(&launch, process, text);
    }
    free(text);
    profiler_options_close(&options);
    launch_close(&launch);
    return code;
}

/* `set` has no options: the form of the lines is that of the command that attached. */
static enum exit_code set(char **argv)
{
    struct option_reader reader;
    process_id process;
    bool finished;
    enum exit_code code = help_alone(&reader, argv, &finished);
    if (finished) {
        return code;
    }
    if (reader.operand_count < 2 || !process_number(reader.operands[0], &process)) {
        return usage_error("rules", "set takes the number of a process, and rule files");
    }
    return set_with(process, reader.operands + 1);
}

enum exit_code cmd_rules(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        return print_help(TAKEN_BY_RULES_EXPLAIN, help, help_end);
    }
    if (strcmp(word, "check") == 0) {
        return check(argv + 1);
    }
    if (strcmp(word, "explain") == 0) {
        return explain(argv + 1);
    }
    if (strcmp(word, "set") == 0) {
        return set(argv + 1);
    }
    if (strcmp(word, "schema") == 0) {
        return schema(argv + 1);
    }
    static const char *const actions[] = {"check", "explain", "set", "schema"};
    return unknown_word("rules", "action", word, actions, sizeof actions / sizeof actions[0]);
}
