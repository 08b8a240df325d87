/* Prints why rules select a method or not. See explanation_out.h.
 *
 *   06000007  int32 Shop.Cart::Sum()                    explanation_method()
 *     rules.xml:2: include: no                          a rule, printed once its outcome is known
 *          3  yes        <method name="Sum">: Sum       its conditions, which came before
 *          4  no         <return kind="enum">: int32
 *     no rule decides: left as it is                    explanation_decision()
 *
 * In JSON an outcome may follow what it is made from, so nothing waits there: the conditions are
 * written as they come. */
#include "tools/cmd/explanation_out.h"

#include <stdlib.h>

#include "host/request_rules.h"
#include "host/schemas.h"
#include "host/text_out.h"
#include "tools/tool.h"

#define METHODS_DEPTH 2u /* of the document: itself, and its methods */

/* Conditions of an option begin in line 2; the rule around them is not the user's: 0. */
static uint32_t line_of(const struct explanation_out *out, const struct ilp_rule_trace *trace)
{
    return trace->line - request_is_option(out->request, trace->rule);
}

static bool excludes(const struct explanation_out *out, uint32_t number)
{
    struct ilp_rule rule;
    ilp_rules_get(out->request->rules, number, &rule);
    return rule.exclude;
}

/* The inspector of the values, unless it is the stock one. */
struct called_inspector {
    const char *symbol; /* NULL: it is managed, or the options name its library alone */
    const char *home;   /* the library or the assembly; NULL: the stock one, or none is called */
};

static struct called_inspector called_inspector(const struct request *request,
                                                const struct ilp_selection *selection)
{
    const struct inspector_file *inspector = &request->inspector_files[selection->action.inspector];
    struct ilp_native native;
    if (selection->included != ILP_YES || inspector->stock) {
        return (struct called_inspector){NULL, NULL};
    }
    if (selection->action.inspector != 0 &&
        ilp_rules_native(request->rules, selection->action.inspector - 1, &native)) {
        return (struct called_inspector){native.symbol, native.library};
    }
    return (struct called_inspector){NULL, inspector->assembly ? ilp_image_name(inspector->assembly)
                                                               : request->library};
}

/* ---- text ---- */

/* A stream in memory for each rule: open_memstream() gives the text when it is closed. */
static void begin_conditions(struct explanation_out *out)
{
    out->conditions = need(open_memstream(&out->text, &out->size));
}

/* Without `print` the text is dropped. */
static void end_conditions(struct explanation_out *out, bool print)
{
    need(fclose(out->conditions) == 0 ? out : NULL);
    if (print) {
        fwrite(out->text, 1, out->size, stdout);
    }
    free(out->text);
}

static const char *const outcome_texts[] = {
    [ILP_NO] = "no", [ILP_YES] = "yes", [ILP_UNKNOWN] = "not known"};

/*      LINE  OUTCOME    CONDITION: FACT
 *        12  yes        <method name="Day">: Day
 *        13  no         <return kind="enum">: struct       indented by the depth of the element */
static void print_condition(const struct explanation_out *out, const struct ilp_rule_trace *trace)
{
    FILE *stream = out->conditions;
    uint32_t line = line_of(out, trace);
    if (line != 0) {
        fprintf(stream, "%6u", line);
    } else {
        fprintf(stream, "%6s", "");
    }
    fprintf(stream, "  %*s%-9s  ", (int)trace->depth * 2, "", outcome_texts[trace->outcome]);
    text_out(stream, trace->condition, false);
    fputs(trace->fact[0] != '\0' ? ": " : "", stream);
    text_out(stream, trace->fact, false);
    fputc('\n', stream);
}

static void print_rule(struct explanation_out *out, const struct ilp_rule_trace *trace)
{
    char *place = request_rule_place(out->request, trace->rule);
    fputs("  ", stdout);
    text_out(stdout, place, false);
    printf(": %s: %s\n", excludes(out, trace->rule) ? "exclude" : "include",
           outcome_texts[trace->outcome]);
    free(place);
    end_conditions(out, true);
    begin_conditions(out);
}

static void print_inspector(struct called_inspector inspector)
{
    if (!inspector.home) {
        return;
    }
    fputs(", ", stdout);
    if (inspector.symbol) {
        printf("%s of ", inspector.symbol);
    }
    text_out(stdout, inspector.home, false);
    fputs(" is called", stdout);
}

static void print_decision(const struct explanation_out *out, const struct ilp_selection *selection)
{
    static const char *const decisions[] = {[ILP_NO] = "excluded",
                                            [ILP_YES] = "included",
                                            [ILP_UNKNOWN] = "not known, left as it is: "};
    if (selection->rule == ILP_NO_RULE) {
        puts("  no rule decides: left as it is");
        return;
    }
    char *place = request_rule_place(out->request, selection->rule);
    fputs("  decided by ", stdout);
    text_out(stdout, place, false);
    printf(": %s", decisions[selection->included]);
    text_out(stdout, selection->detail, false);
    print_inspector(called_inspector(out->request, selection));
    putchar('\n');
    free(place);
}

/* ---- JSON ---- */

static const char *const outcome_words[] = {
    [ILP_NO] = "no", [ILP_YES] = "yes", [ILP_UNKNOWN] = "unknown"};

static void write_place(struct explanation_out *out, const char *name, uint32_t rule)
{
    char *place = request_rule_place(out->request, rule);
    ilpi_json_string(&out->json, name, place);
    free(place);
}

static void write_condition(struct ilpi_json *json, uint32_t line,
                            const struct ilp_rule_trace *trace)
{
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    if (line != 0) {
        ilpi_json_unsigned(json, "line", line);
    }
    ilpi_json_unsigned(json, "depth", trace->depth);
    ilpi_json_string(json, "outcome", outcome_words[trace->outcome]);
    ilpi_json_string(json, "condition", trace->condition);
    if (trace->fact[0] != '\0') {
        ilpi_json_string(json, "fact", trace->fact);
    }
    ilpi_json_end(json);
}

/* A condition, or a rule's own outcome, which ends its object. */
static void write_trace(struct explanation_out *out, const struct ilp_rule_trace *trace)
{
    struct ilpi_json *json = &out->json;
    if (!out->in_rule) {
        ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
        write_place(out, "rule", trace->rule);
        ilpi_json_string(json, "action", excludes(out, trace->rule) ? "exclude" : "include");
        ilpi_json_array(json, "conditions", ILPI_JSON_LINES);
    }
    out->in_rule = trace->line != 0;
    if (out->in_rule) {
        write_condition(json, line_of(out, trace), trace);
    } else {
        ilpi_json_end(json);
        ilpi_json_string(json, "outcome", outcome_words[trace->outcome]);
        ilpi_json_end(json);
    }
}

static void write_decision(struct explanation_out *out, const struct ilp_selection *selection)
{
    static const char *const decisions[] = {
        [ILP_NO] = "excluded", [ILP_YES] = "included", [ILP_UNKNOWN] = "unknown"};
    struct ilpi_json *json = &out->json;
    ilpi_json_end(json); /* of the rules */
    if (selection->rule == ILP_NO_RULE) {
        ilpi_json_string(json, "decision", "none");
    } else {
        struct called_inspector inspector = called_inspector(out->request, selection);
        ilpi_json_string(json, "decision", decisions[selection->included]);
        write_place(out, "decided_by", selection->rule);
        if (selection->detail[0] != '\0') {
            ilpi_json_string(json, "detail", selection->detail);
        }
        if (inspector.symbol) {
            ilpi_json_string(json, "function", inspector.symbol);
        }
        if (inspector.home) {
            ilpi_json_string(json, "inspector", inspector.home);
        }
    }
    ilpi_json_end(json);
}

/* ---- either ---- */

void explanation_begin(struct explanation_out *out, const struct request *request, bool as_json,
                       const char *file)
{
    *out = (struct explanation_out){.request = request, .as_json = as_json};
    if (!as_json) {
        begin_conditions(out);
        return;
    }
    ilpi_json_begin(&out->json, text_out_sink(stdout), ILPI_JSON_SPACED);
    schema_object(&out->json, SCHEMA_SELECTION, ILPI_JSON_INLINE);
    ilpi_json_string(&out->json, "file", file);
    ilpi_json_array(&out->json, "methods", ILPI_JSON_LINES_ALWAYS);
}

void explanation_method(struct explanation_out *out, ilp_token method, const char *text)
{
    if (!out->as_json) {
        printf("%08X  ", method);
        text_out(stdout, text, false);
        putchar('\n');
        return;
    }
    ilpi_json_object(&out->json, NULL, ILPI_JSON_INLINE);
    ilpi_json_token(&out->json, "token", method);
    ilpi_json_string(&out->json, "method", text);
    ilpi_json_array(&out->json, "rules", ILPI_JSON_LINES);
}

ilp_status explanation_trace(void *user, const struct ilp_rule_trace *trace)
{
    struct explanation_out *out = user;
    if (out->as_json) {
        write_trace(out, trace);
    } else if (trace->line != 0) {
        print_condition(out, trace);
    } else {
        print_rule(out, trace);
    }
    return ILP_OK;
}

void explanation_decision(struct explanation_out *out, const struct ilp_selection *selection)
{
    if (!out->as_json) {
        print_decision(out, selection);
    } else {
        write_decision(out, selection);
    }
}

/* Text has no levels: what was printed stays as it is. */
void explanation_failed(struct explanation_out *out)
{
    while (out->as_json && out->json.depth > METHODS_DEPTH) {
        ilpi_json_end(&out->json);
    }
    out->in_rule = false;
}

bool explanation_end(struct explanation_out *out)
{
    if (!out->as_json) {
        end_conditions(out, false);
        return true; /* a failed write is found at the end, by stream_error() in tools/ilpatch.c */
    }
    for (unsigned i = 0; i < METHODS_DEPTH; i++) {
        ilpi_json_end(&out->json);
    }
    return ilpi_json_finish(&out->json) == ILP_OK;
}
