/* Diagnoses why no value of a method is shown. See diagnosis.h.
 *
 * The checks run in the order in which a value could get lost: the process and the profiler, the
 * assembly and its file, the method, the decision about it, its compilation, its calls. Each adds
 * its cause with an advice. */
#include "tools/doctor/diagnosis.h"

#include <stdlib.h>
#include <string.h>

#include "host/method_query.h"
#include "host/path.h"
#include "host/process_files.h"
#include "host/request_open.h"
#include "tools/doctor/process_assemblies.h"
#include "tools/launch/attach.h"
#include "tools/launch/obstacle.h"
#include "tools/tool.h"

enum { MOST_METHODS = 32 }; /* that are examined; further ones are counted (left_out) */

/* The inputs of one diagnosis. `options` are borrowed from the diagnosis until take_options()
 * replaces them with those of the watch, which are owned from then on (`watched`). */
struct examination {
    struct diagnosis *diagnosis;
    struct process_assemblies assemblies;
    struct ilp_arena *arena;
    char **names; /* names of methods, to suggest one; owned, each and the array */
    size_t name_count, name_room;
    /* the effective options: those of the watch, once it has replied, else the given ones */
    bool watched;
    struct profiler_options options;
    char *options_text; /* borrowed by them */
};

/* ---- causes ---- */

/* Words are those of --json and of the lines, and do not change (docs/COMMAND.md, JSON). */
static const char *cause_word(enum cause_id id)
{
    static const char *const words[CAUSE_COUNT] = {
#define CAUSE(id, word) [CAUSE_##id] = word,
#include "tools/doctor/causes.def"
    };
    return words[id];
}

/* Takes over the texts. */
static void add_cause(struct causes *causes, const char *word, char *text, char *advice)
{
    if (causes->count == causes->room) {
        causes->room = 2 * causes->room + 4;
        causes->items = need(grow_items(causes->items, causes->room, sizeof *causes->items));
    }
    causes->items[causes->count++] = (struct cause){word, need(text), advice};
}

/* Causes own their texts, whether they are made for the case or constant. */
static char *copied(const char *text)
{
    return need(strdup(text));
}

/* The advice is copied, since others are made for the case. */
static void add(struct causes *causes, enum cause_id id, char *text, const char *advice)
{
    add_cause(causes, cause_word(id), text, advice ? copied(advice) : NULL);
}

static void close_causes(struct causes *causes)
{
    for (size_t i = 0; i < causes->count; i++) {
        free(causes->items[i].text);
        free(causes->items[i].advice);
    }
    free(causes->items);
}

/* ---- the decision, by the file ---- */

/* "; decided by prices.xml:3", or "". */
static char *rule_text(const struct request *request, const struct ilp_method_result *result)
{
    if (result->rule == ILP_NO_RULE || !request->rules) {
        return copied("");
    }
    char *place = need(request_rule_place(request, result->rule));
    char *text = need(format_text("; decided by %s", place));
    free(place);
    return text;
}

/* What to select instead depends on why there is no body: abstract, P/Invoke, or provided by the
 * runtime. */
static const char *advice_without_body(const struct ilp_image *image, ilp_token method)
{
    enum { ABSTRACT = 0x0400, PINVOKE = 0x2000 }; /* II.23.1.10 */
    uint32_t flags = ilp_cell(image, ILP_MethodDef, ILP_TOKEN_RID(method), ILP_MethodDef_Flags);
    return (flags & ABSTRACT) != 0  ? "Select the methods that implement or override it instead."
           : (flags & PINVOKE) != 0 ? "It is a P/Invoke: select the methods that call it instead."
                                    : "Select the methods that call it instead.";
}

/* NULL: none. */
static const char *reason_advice(enum ilp_reason reason, const struct ilp_image *image,
                                 ilp_token method)
{
    switch (reason) {
    case ILP_REASON_NOT_SELECTED:
    case ILP_REASON_EXCLUDED:
        return "Change the rules: 'ilpatch rules explain' shows what they decide, and 'ilpatch "
               "rules set' gives a watch others.";
    case ILP_REASON_VOID: return "It returns no value to show.";
    case ILP_REASON_UNDECIDED:
    case ILP_REASON_UNRESOLVED: return "Pass --reference-path with the folder of what is missing.";
    case ILP_REASON_NO_BODY: return advice_without_body(image, method);
    default: return NULL;
    }
}

/* A decision and its explanation. */
struct decision {
    enum ilp_reason reason;
    const char *detail; /* "": nothing */
    const char *rule;   /* "": none */
};

/* The cause's word is the reason's code, as in reports, so `ilpatch explain` knows it. */
static void add_reason(struct causes *causes, const struct decision *decision,
                       const struct ilp_image *image, ilp_token method)
{
    enum ilp_reason reason = decision->reason;
    const char *detail = decision->detail;
    const char *advice = reason_advice(reason, image, method);
    add_cause(causes, ilp_reason_code(reason),
              format_text("it stays as it is: %s%s%s%s%s", ilp_reason_text(reason),
                          detail[0] != '\0' ? " (" : "", detail, detail[0] != '\0' ? ")" : "",
                          decision->rule),
              advice ? copied(advice) : NULL);
}

/* Without an edit and without a process: the same code as for a file, with the metadata alone. */
static ilp_status decide(const struct request *request, struct ilp_image *image, ilp_token method,
                         struct ilp_method_result *result, struct ilp_error *error)
{
    struct ilp_resolver resolver = references_resolver(request->references);
    struct ilp_request inner = request_for_library(request, &resolver);
    struct ilp_inspection *inspection;
    ilp_status status = ilp_inspection_open(&inspection, image, &inner, NULL, error);
    if (status == ILP_OK) {
        status = ilp_inspect_method(inspection, method, (struct ilp_bytes){NULL, 0}, result, error);
        ilp_inspection_close(inspection);
    }
    return status;
}

/* Decides as `ilpatch list` does. True: it is inspected. The options are read as the profiler would
 * read them; rule files that are not here any more, or are in a container, cannot be. */
static bool decide_from_file(struct examination *examination, const struct opened_assembly *opened,
                             ilp_token method, struct causes *causes)
{
    struct request request;
    struct ilp_method_result result;
    struct ilp_error error;
    bool inspected = false;
    const struct profiler_options *options = &examination->options;
    if (request_open(&request, &options->request, options->inspect_returns, "doctor") !=
        EXIT_DONE) {
        add(causes, CAUSE_NO_RULES, copied("its rules cannot be read here"), NULL);
        return false;
    }
    references_set_target(request.references, opened->path);
    if (decide(&request, opened->image, method, &result, &error) != ILP_OK) {
        add(causes, CAUSE_UNREADABLE, format_text("it cannot be decided: %s", error.message), NULL);
    } else if (ilp_reason_kind(result.reason) == ILP_REASON_DONE) {
        inspected = true;
    } else {
        char *rule = rule_text(&request, &result);
        const struct decision decision = {result.reason, result.detail, rule};
        add_reason(causes, &decision, opened->image, method);
        free(rule);
    }
    request_close(&request);
    return inspected;
}

/* ---- the watch ---- */

/* The watch's options are effective from now on. */
static void take_options(struct examination *examination, const char *text)
{
    struct profiler_options_error error;
    if (examination->watched) {
        return;
    }
    examination->watched = true;
    examination->options = (struct profiler_options){.command_version = NULL};
    examination->options_text = copied(text);
    if (!profiler_options_read(&examination->options, examination->options_text, &error)) {
        add(&examination->diagnosis->causes, CAUSE_NO_RULES,
            format_text("its watch has options that this ilpatch does not know: %s", text), NULL);
    }
}

/* False: nothing is watched, or the profiler did not reply, which is added as a cause. A stopped
 * process cannot reply, and must not be waited for. */
static bool query(struct examination *examination, const char *path, ilp_token method,
                  struct causes *causes, struct method_reply *reply)
{
    const struct dotnet_process *process = examination->diagnosis->process;
    bool watched = dotnet_process_listens(process);
    bool stopped = process_is_stopped(&process->state);
    char *answer = NULL;
    if (watched && !stopped) {
        char *text = need(method_query_text(method, path));
        answer = attach_query(process, text, &watched);
        free(text);
    }
    bool read = answer && method_reply_read(answer, reply);
    if (read) {
        take_options(examination, reply->options);
        reply->options = NULL;
    } else if (watched) {
        add(causes, CAUSE_NO_ANSWER,
            copied(stopped ? "the process is stopped, so what is watched in it is not known"
                           : "the profiler in the process does not answer"),
            stopped ? "Let it go on, and try again."
                    : "It may be of another version: 'ilpatch detach' ends what it does.");
    }
    free(answer);
    return read;
}

/* NULL for a limit that is the one of every attach, or none. */
static const char *own_limit(const char *limit, const char *usual)
{
    return limit && strcmp(limit, usual) != 0 && strcmp(limit, "0") != 0 ? limit : NULL;
}

/* How values are chosen, if not all are shown: "--when value > 3". Owned by the caller; NULL: all
 * are shown. */
static char *chosen_text(const struct choice_options *choice)
{
    const char *const values[] = {choice->when,
                                  choice->sample,
                                  choice->rate,
                                  own_limit(choice->method_rate, ATTACH_METHOD_RATE),
                                  own_limit(choice->max_cost, ATTACH_MAX_COST),
                                  choice->limit,
                                  choice->duration};
    static const char *const names[] = {"--when",     "--sample", "--rate", "--method-rate",
                                        "--max-cost", "--limit",  "--for"};
    char *text = NULL;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (values[i]) {
            char *longer = need(
                format_text("%s%s%s %s", text ? text : "", text ? ", " : "", names[i], values[i]));
            free(text);
            text = longer;
        }
    }
    return text;
}

/* "Called since" is what the profiler knows; whether a line appeared depends on the options of the
 * watch. */
static void add_called(struct examination *examination, struct causes *causes)
{
    char *chosen = chosen_text(&examination->options.choice);
    if (chosen) {
        add(causes, CAUSE_CHOSEN,
            format_text("it has been called since, and only some values are shown: %s", chosen),
            "Detach, and attach without these.");
    } else {
        add(causes, CAUSE_SEEN,
            copied("it is watched, and has been called since: what it has returned was shown to "
                   "those that were attached then, or is where the watch writes its values (-o, "
                   "--target-stderr, --spool), or was counted (--count)"),
            "Attach without options to see what follows. If the watch writes to a file, that is "
            "refused: read the file, or end the watch with ilpatch detach. A call that is under "
            "way shows its value when it returns, if it began after the watch.");
    }
    free(chosen);
}

/* By the state that the profiler reports (host/method_query.h). Where it says only that the method
 * stays as it is, the file says why; if the file says that it would be inspected, the two disagree,
 * and the state itself is the cause. */
static void add_state(struct examination *examination, const struct opened_assembly *opened,
                      ilp_token method, const struct method_reply *reply, struct causes *causes)
{
    switch (reply->state) {
    case METHOD_IS_NO_MODULE:
        if (decide_from_file(examination, opened, method, causes)) {
            add(causes, CAUSE_UNKNOWN_MODULE,
                copied(
                    "the watch has met no module of this file: it is collectible, and nothing of "
                    "it was compiled since, or it is loaded from another place"),
                NULL);
        }
        break;
    case METHOD_IS_MODULE_LEFT:
        if (decide_from_file(examination, opened, method, causes)) {
            add(causes, CAUSE_MODULE_LEFT, copied("the watch leaves all of its module as it is"),
                "What attach has written on standard error says why; with --report FILE.json each "
                "module has its reason.");
        }
        break;
    case METHOD_IS_NOT_MET:
        if (decide_from_file(examination, opened, method, causes)) {
            add(causes, CAUSE_NOT_MET,
                copied(
                    "its module may be unloaded, and of such ones only methods are seen that are "
                    "compiled after attach: it was not"),
                "Attach before it is called for the first time, or use ilpatch run.");
        }
        break;
    case METHOD_IS_FAILED:
        add(causes, CAUSE_FAILED,
            copied("something went wrong when it was rewritten, so it stays as it is"),
            "What attach has written on standard error says what.");
        break;
    case METHOD_IS_GIVEN_UP:
        add(causes, CAUSE_GIVEN_UP,
            copied("the JIT did not take its new body, so it has its old one again"),
            "Please report it, with the assembly.");
        break;
    case METHOD_IS_LEFT: /* as decided there, where more may be known */
        if (decide_from_file(examination, opened, method, causes)) {
            add_reason(causes, &(struct decision){reply->reason, "", ""}, opened->image, method);
        }
        break;
    case METHOD_IS_REQUESTED:
        add(causes, CAUSE_NOT_CALLED, copied("it is watched, and has not been called since"),
            "A call that was under way then ends without a line. Calls that the JIT had inlined "
            "are "
            "seen as well, once their callers are called again.");
        break;
    case METHOD_IS_COMPILED: add_called(examination, causes); break;
    case METHOD_STATE_COUNT: break;
    }
}

/* ---- a method ---- */

/* Causes in this order: not loaded, of a framework, then the watch's own, or what a watch would do.
 *
 *    replied   loaded or in a bundle   framework
 *       -              -                  yes      --framework, unless the options have it
 *      yes            yes                  -       the profiler's state of the method: add_state()
 *      yes             no                  -       what the file says, as without a watch
 *       no             -                   -       what the file says; else: nothing is watched */
static void diagnose(struct examination *examination, const struct process_assembly *assembly,
                     const struct opened_assembly *opened, struct diagnosed_method *method)
{
    struct causes *causes = &method->causes;
    struct method_reply reply = {.state = METHOD_IS_NO_MODULE};
    bool replied = query(examination, assembly->path, method->token, causes, &reply);
    if (replied) {
        method->state = method_state_word(reply.state);
    }
    if (!assembly->is_loaded && !assembly->is_in_bundle) {
        add(causes, CAUSE_NOT_LOADED,
            format_text("%s is not loaded by the process, at least not from there", assembly->path),
            "It is seen when the process loads it, also after attach.");
    }
    if (assembly->is_framework && !examination->options.framework) {
        add(causes, CAUSE_FRAMEWORK, copied("its assembly belongs to a framework"),
            "Pass --framework to attach.");
    } else if (replied && (assembly->is_loaded || assembly->is_in_bundle)) {
        add_state(examination, opened, method->token, &reply, causes);
    } else if (decide_from_file(examination, opened, method->token, causes) && causes->count == 0) {
        add(causes, CAUSE_NOT_WATCHED,
            copied(
                assembly->is_in_bundle
                    ? "nothing is watched in the process; attach would show its values, once its "
                      "assembly is loaded"
                    : "nothing is watched in the process; attach would show its values"),
            "Attach: its next call is seen. A call that is under way ends without a line.");
    }
}

/* Valid until the next one is added, which may move all. */
static struct diagnosed_method *new_method(struct diagnosis *diagnosis)
{
    if (diagnosis->count == diagnosis->room) {
        diagnosis->room = 2 * diagnosis->room + 8;
        diagnosis->methods =
            need(grow_items(diagnosis->methods, diagnosis->room, sizeof *diagnosis->methods));
    }
    struct diagnosed_method *method = &diagnosis->methods[diagnosis->count++];
    *method = (struct diagnosed_method){.state = NULL};
    return method;
}

/* ---- locating the method ---- */

/* Suggests a name for one that is not found. */
static void note_name(struct examination *examination, const struct ilp_image *image, ilp_rid rid)
{
    if (examination->name_count == MOST_NAMES) {
        return;
    }
    ilp_arena_reset(examination->arena);
    const char *name = method_name_like(image, rid, examination->diagnosis->method->text,
                                        examination->arena);
    if (examination->name_count == examination->name_room) {
        examination->name_room = 2 * examination->name_room + 256;
        examination->names = need(
            grow_items(examination->names, examination->name_room, sizeof *examination->names));
    }
    examination->names[examination->name_count++] = copied(name);
}

/* Whether an assembly is searched: with a given file, a loaded one that has its name. */
static bool is_searched(const struct diagnosis *diagnosis, const struct process_assembly *assembly)
{
    return !diagnosis->file || strcmp(path_name(diagnosis->file), path_name(assembly->path)) == 0;
}

/* A name may mean very many methods (ToString), of which the first 32 are examined. */
static void add_method(struct examination *examination, const struct process_assembly *assembly,
                       const struct opened_assembly *opened, ilp_rid rid)
{
    struct diagnosis *diagnosis = examination->diagnosis;
    const char *text = NULL;
    if (diagnosis->count == MOST_METHODS) {
        diagnosis->left_out++;
        return;
    }
    struct diagnosed_method *method = new_method(diagnosis);
    method->token = ILP_TOKEN(ILP_MethodDef, rid);
    method->assembly = copied(assembly->path);
    ilp_arena_reset(examination->arena);
    need(ilp_method_text(opened->image, method->token, examination->arena, &text, NULL) == ILP_OK
             ? method
             : NULL);
    method->signature = copied(text);
    diagnose(examination, assembly, opened, method);
}

/* Names of other methods are collected only while none is found: they are for a suggestion. */
static void search(struct examination *examination, const struct process_assembly *assembly)
{
    const struct diagnosis *diagnosis = examination->diagnosis;
    struct opened_assembly opened;
    if (opened_assembly_open(&opened, diagnosis->process, assembly)) {
        for (ilp_rid rid = 1; rid <= ilp_row_count(opened.image, ILP_MethodDef); rid++) {
            if (method_is_meant(opened.image, rid, diagnosis->method, examination->arena)) {
                add_method(examination, assembly, &opened, rid);
            } else if (!assembly->is_framework && diagnosis->count == 0) {
                note_name(examination, opened.image, rid);
            }
        }
    }
    opened_assembly_close(&opened);
}

/* The suggestion is the nearest of the noted names, if one is near enough. */
static void add_not_found(struct examination *examination)
{
    struct diagnosis *diagnosis = examination->diagnosis;
    const char *nearest = nearest_word(
        diagnosis->method->text, (const char *const *)examination->names, examination->name_count);
    add_cause(&diagnosis->causes, cause_word(CAUSE_NO_METHOD),
              format_text("no assembly that the process has loaded from a file, or that is beside "
                          "one of these, has a method '%s'",
                          diagnosis->method->text),
              nearest ? need(format_text("Did you mean '%s'?", nearest))
                      : copied("'ilpatch list FILE' prints the names of an assembly."));
}

/* Adds a cause if another file than the given one is loaded. */
static void add_files(struct examination *examination)
{
    struct diagnosis *diagnosis = examination->diagnosis;
    const struct process_assembly *first = NULL;
    char *meant = diagnosis->file ? need(path_full(diagnosis->file)) : NULL;
    for (size_t i = 0; i < examination->assemblies.count; i++) {
        const struct process_assembly *assembly = &examination->assemblies.items[i];
        if (!meant || !assembly->is_loaded || !is_searched(diagnosis, assembly)) {
            continue;
        }
        bool same = strcmp(meant, assembly->path) == 0 ||
                    (!diagnosis->process->is_contained && file_is_same(meant, assembly->path));
        if (!same) {
            add(&diagnosis->causes, CAUSE_OTHER_FILE,
                format_text("the process has loaded %s, not %s", assembly->path, meant),
                "Compare the two with 'ilpatch diff', or restart the program.");
        }
        if (first) {
            add(&diagnosis->causes, CAUSE_TWO_FILES,
                format_text("the process has loaded two files of this name: %s and %s", first->path,
                            assembly->path),
                "Each has types and methods of its own; attach shows both under the same names.");
        }
        first = assembly;
    }
    free(meant);
}

/* Adds a cause if two loaded files have the method. */
static void add_two_files(struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct diagnosed_method *method = &diagnosis->methods[i];
        for (size_t k = 0; k < i && !diagnosis->file; k++) {
            const struct diagnosed_method *other = &diagnosis->methods[k];
            if (strcmp(other->assembly, method->assembly) != 0 &&
                strcmp(path_name(other->assembly), path_name(method->assembly)) == 0 &&
                strcmp(other->signature, method->signature) == 0) {
                add(&diagnosis->causes, CAUSE_TWO_FILES,
                    format_text("there are two files of this name: %s and %s", other->assembly,
                                method->assembly),
                    "Each has types and methods of its own; attach shows both under the same "
                    "names.");
                return;
            }
        }
    }
}

/* The same checks as for an attach; nothing else matters if one of them applies. */
static bool is_kept_out(struct diagnosis *diagnosis)
{
    struct profiler_needs needs;
    profiler_needs_read(&needs, diagnosis->profiler);
    struct obstacle found = obstacle_find(diagnosis->process, &needs);
    bool out = found.id != OBSTACLE_NONE;
    if (out) {
        add_cause(&diagnosis->causes, obstacle_word(found.id), copied(found.reason),
                  found.advice ? copied(found.advice) : NULL);
    }
    obstacle_free(&found);
    return out;
}

/* Assemblies are sorted by rank; once a method is found, only the others of that rank are searched,
 * because a name of the program usually means the program's method. Frameworks are searched last,
 * and always with --framework. */
enum exit_code diagnosis_find(struct diagnosis *diagnosis)
{
    struct examination examination = {.diagnosis = diagnosis, .options = *diagnosis->options};
    if (is_kept_out(diagnosis)) {
        return EXIT_BAD_INPUT;
    }
    need(ilp_arena_open(&examination.arena, NULL, NULL) == ILP_OK ? diagnosis : NULL);
    process_assemblies_open(&examination.assemblies, diagnosis->process);
    add_files(&examination);
    int latest = 0; /* the highest rank searched */
    for (size_t i = 0; i < examination.assemblies.count; i++) {
        const struct process_assembly *assembly = &examination.assemblies.items[i];
        int rank = process_assembly_rank(assembly);
        bool is_next = diagnosis->count == 0 || rank == latest ||
                       (assembly->is_framework && diagnosis->options->framework);
        if (is_searched(diagnosis, assembly) && is_next) {
            search(&examination, assembly);
            latest = rank;
        }
    }
    add_two_files(diagnosis);
    if (diagnosis->count == 0) {
        add_not_found(&examination);
    }
    for (size_t i = 0; i < examination.name_count; i++) {
        free(examination.names[i]);
    }
    free(examination.names);
    if (examination.watched) {
        profiler_options_close(&examination.options);
        free(examination.options_text);
    }
    process_assemblies_close(&examination.assemblies);
    ilp_arena_close(examination.arena);
    return diagnosis->count != 0 ? EXIT_DONE : EXIT_INCOMPLETE;
}

/* The process, the profiler's path, the method and the options are borrowed. */
void diagnosis_close(struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < diagnosis->count; i++) {
        free(diagnosis->methods[i].assembly);
        free(diagnosis->methods[i].signature);
        close_causes(&diagnosis->methods[i].causes);
    }
    free(diagnosis->methods);
    close_causes(&diagnosis->causes);
}
