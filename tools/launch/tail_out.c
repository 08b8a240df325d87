/* Prints explicit tail calls of a run as text and as JSON. See tail_explained.h.
 *
 * Text goes to standard error, where the program's own output is not mixed with it if that is
 * redirected; JSON goes to a file, which appears as a whole. Implicit tail calls have only counts,
 * and only if the process reported its end: until then they are not complete. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "host/file_io.h"
#include "host/schemas.h"
#include "tools/launch/tail_explained.h"
#include "host/text_out.h"
#include "tools/tool.h"

/* The verdicts of the JIT, and two more: several different ones, and none. */
static const char *answer_word(unsigned answer)
{
    switch (answer) {
    case TAIL_MIXED: return "mixed";
    case TAIL_UNKNOWN: return "unknown";
    default: return tail_outcome_word((enum tail_outcome)answer);
    }
}

/* ---- text ---- */

/* Why a verdict is unknown or mixed, or the JIT's own words for a refusal. */
static void print_why(const struct tail_site *site, FILE *out)
{
    unsigned answer = tail_site_answer(site);
    const char *between = "  - ";
    if (answer == TAIL_UNKNOWN && site->native) {
        fputs("  - its method was compiled beforehand: with DOTNET_ReadyToRun=0 the JIT does it",
              out);
    } else if (answer == TAIL_UNKNOWN) {
        fputs("  - the JIT said nothing of it: it is never reached, or no call any more", out);
    }
    for (unsigned i = 0; i < TAIL_OUTCOME_COUNT && answer == TAIL_MIXED; i++) {
        if (site->times[i] != 0) {
            fprintf(out, "%s%s %u", between, tail_outcome_word((enum tail_outcome)i),
                    site->times[i]);
            between = ", ";
        }
    }
    if (site->reasons) {
        fputs(answer == TAIL_MIXED ? ": " : between, out);
        text_out(out, site->reasons, false);
    }
    if (site->shared != 0 && answer == TAIL_MIXED) {
        fprintf(out, " (together with %u like it in this method)", site->shared);
    }
}

/* "06000002  IL_0007  fast     int32 N.C::M()  ->  int32 N.C::Leaf()" */
static void print_site(const struct tail_site *site, FILE *out)
{
    if (site->known) {
        fprintf(out, "%08X  IL_%04x  ", site->method, site->offset);
    } else if (site->method != 0) {
        fprintf(out, "%08X  -        ", site->method);
    } else {
        fputs("-         -        ", out);
    }
    fprintf(out, "%-7s  ", answer_word(tail_site_answer(site)));
    text_out(out, site->caller, false);
    fputs("  ->  ", out);
    text_out(out, site->callee, false);
    print_why(site, out);
    fputc('\n', out);
}

/* Only those that are not 0. */
static void print_counts(const unsigned *counts, unsigned count, FILE *out)
{
    const char *between = "";
    for (unsigned i = 0; i < count; i++) {
        if (counts[i] != 0) {
            fprintf(out, "%s%u %s", between, counts[i], answer_word(i));
            between = ", ";
        }
    }
    fputs(between[0] == '\0' ? "none" : "", out);
}

/* One line per site, by file, and a summary at the end. */
static void print_explained(const struct tail_explained *explained, FILE *out)
{
    const struct tail_reports *reports = explained->reports;
    const char *path = "";
    for (size_t i = 0; i < explained->count; i++) {
        const struct tail_site *site = &explained->sites[i];
        if (strcmp(path, site->path) != 0) {
            path = site->path;
            text_out(out, path, false);
            fputs(":\n", out);
        }
        print_site(site, out);
    }
    fputs("explicit tail calls in methods that ran: ", out);
    print_counts(explained->totals, sizeof explained->totals / sizeof explained->totals[0], out);
    if (reports->ended) {
        fputs("; calls that the JIT tried to make tail calls by itself: ", out);
        print_counts(reports->implicit, TAIL_OUTCOME_COUNT, out);
    }
    fputc('\n', out);
    if (reports->failed) {
        text_out(out, reports->failed, false);
        fputc('\n', out);
    }
}

/* ---- JSON ---- */

/* All outcomes, also those with 0: a reader needs no test for their presence. */
static void json_counts(struct ilpi_json *json, const char *name, const unsigned *counts,
                        unsigned count)
{
    ilpi_json_object(json, name, ILPI_JSON_INLINE);
    for (unsigned i = 0; i < count; i++) {
        ilpi_json_unsigned(json, answer_word(i), counts[i]);
    }
    ilpi_json_end(json);
}

/* What is not known of a site is left out: a verdict whose call was not found has no offset. */
static void json_site(struct ilpi_json *json, const struct tail_site *site)
{
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(json, "answer", answer_word(tail_site_answer(site)));
    if (site->path[0] != '\0') {
        ilpi_json_string(json, "file", site->path);
    }
    if (site->method != 0) {
        ilpi_json_token(json, "token", site->method);
    }
    if (site->known) {
        ilpi_json_unsigned(json, "offset", site->offset);
    }
    if (site->native) {
        ilpi_json_bool(json, "native", true);
    }
    ilpi_json_string(json, "caller", site->caller);
    ilpi_json_string(json, "callee", site->callee);
    json_counts(json, "times", site->times, TAIL_OUTCOME_COUNT);
    if (site->reasons) {
        ilpi_json_string(json, "reason", site->reasons);
    }
    if (site->shared != 0) {
        ilpi_json_unsigned(json, "shared", site->shared);
    }
    ilpi_json_end(json);
}

/* The same as one JSON object (docs/TAIL.md). */
static void json_explained(struct ilpi_json *json, const struct tail_explained *explained)
{
    const struct tail_reports *reports = explained->reports;
    schema_object(json, SCHEMA_TAIL, ILPI_JSON_LINES);
    ilpi_json_array(json, "explicit", ILPI_JSON_LINES);
    for (size_t i = 0; i < explained->count; i++) {
        json_site(json, &explained->sites[i]);
    }
    ilpi_json_end(json);
    json_counts(json, "summary", explained->totals,
                sizeof explained->totals / sizeof explained->totals[0]);
    if (reports->ended) {
        json_counts(json, "implicit", reports->implicit, TAIL_OUTCOME_COUNT);
    }
    if (reports->failed) {
        ilpi_json_string(json, "failed", reports->failed);
    }
    ilpi_json_end(json);
}

/* ---- the end of a run ---- */

/* In memory first, so that the file appears as a whole or not at all. */
static bool write_json(const struct tail_explained *explained, const char *file, int *error)
{
    struct ilpi_json_text text;
    ilpi_json_text_open(&text, ILPI_JSON_SPACED);
    json_explained(&text.json, explained);
    need(ilpi_json_finish(&text.json) == ILP_OK ? text.buf.data : NULL);
    bool done = file_write(file, ilpi_buf_bytes(&text.buf), NULL, error);
    ilpi_json_text_close(&text);
    return done;
}

/* A FILE, which may be left out, gets JSON instead of text. */
bool tail_option(struct tail_request *request, enum option_id option, const char *value)
{
    if (option != OPTION_EXPLAIN_TAIL) {
        return false;
    }
    request->wanted = true;
    request->file = value;
    return true;
}

/* The file cannot be written: that is reported after the program has run, and changes the exit
 * code. */
static enum exit_code report(struct tail_request *request)
{
    struct tail_explained explained = tail_explain(&request->reports);
    enum exit_code code = EXIT_DONE;
    int error;
    if (!request->file) {
        print_explained(&explained, stderr);
    } else if (!write_json(&explained, request->file, &error)) {
        report_message("%s: cannot write: %s", request->file, strerror(error));
        code = EXIT_CANNOT_WRITE;
    }
    tail_explained_free(&explained);
    return code;
}

enum exit_code tail_request_finish(struct tail_request *request)
{
    enum exit_code code = request->wanted ? report(request) : EXIT_DONE;
    tail_reports_free(&request->reports);
    return code;
}
