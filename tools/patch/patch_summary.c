/* Prints the summary of a patched assembly. See patch_summary.h.
 *
 *   Lib.dll: 12 of 40 methods inspected; left as they are: ...; symbols ...; strong name ...
 *
 * One line, with a part for each thing that a user should know of; what is usual is not mentioned.
 * Further lines are hints, indented. The same facts are in the report as members of their own. */
#include "tools/patch/patch_summary.h"

#include "host/text_out.h"
#include "tools/patch/facade.h"
#include "tools/patch/module_files.h"
#include "tools/patch/report.h"

/* By what was done, not by the option. */
static const char *const strong_name_text[] = {
    [ILP_STRONG_NAME_NONE] = "",
    [ILP_STRONG_NAME_STALE] =
        "; strong name kept but no longer valid (runtimes accept it in full trust)",
    [ILP_STRONG_NAME_CLEARED] =
        "; strong name removed (references by its public key no longer fit)",
    [ILP_STRONG_NAME_PUBLIC] = "; public-signed",
    [ILP_STRONG_NAME_SIGNED] = "; signed again",
};

/* Also for --strong-name clear: reports that there was nothing to clear. */
static void print_strong_name(const struct job *job, const struct ilp_write_info *written)
{
    bool absent = written->size != 0 && job->write.strong_name == ILP_STRONG_NAME_CLEAR &&
                  written->strong_name == ILP_STRONG_NAME_NONE;
    fputs(absent ? "; no strong name to remove" : strong_name_text[written->strong_name],
          job->request->out);
}

/* Reports symbols that are unchanged although an option is about them; the default needs no
 * message. */
static void print_symbols(const struct job *job, const struct ilp_write_info *written)
{
    static const char *const verbs[] = {
        [ILP_SYMBOLS_DROP] = "drop", [ILP_SYMBOLS_KEEP] = "keep", [ILP_SYMBOLS_UPDATE] = "update"};
    const struct patch_request *request = job->request;
    struct ilp_symbols_info info;
    symbols_summary(&job->symbols, request->out);
    if (!request->named_symbols || written->size == 0 ||
        job->symbols.answer != SYMBOLS_ANSWER_NONE) {
        return;
    }
    ilp_image_symbols(request->report->image, &info);
    fprintf(request->out,
            info.kind == ILP_SYMBOLS_NONE ? "; no symbols to %s"
                                          : "; symbols fit as they are, so nothing to %s",
            verbs[request->write->symbols]);
}

/* "bound to": the file works on one system or processor only, as it did before. */
static void print_native_code(const struct job *job, const struct ilp_write_info *written)
{
    FILE *out = job->request->out;
    if (!written->native_code_dropped) {
        return;
    }
    fputs("; ReadyToRun code dropped: methods are compiled when first called", out);
    if (written->bound_to) {
        fprintf(out, " (on %s only, as before)", written->bound_to);
    }
    if (written->mvid_kept && job->request->callers && !job->request->change) {
        fputs("; MVID kept, since other native code records it", out);
    }
}

/* Reports a requested layout, or what prevented the default. */
static void print_layout(const struct job *job, const struct ilp_write_info *written)
{
    FILE *out = job->request->out;
    if (written->compacted && job->write.layout == ILP_WRITE_COMPACT) {
        fputs("; laid out again", out);
    }
    if (written->not_compacted.status != ILP_OK) {
        fprintf(out, "; layout kept: %s", written->not_compacted.message);
    }
}

/* Names that an earlier build had kept. */
static void print_replaced(const struct job *job, const struct ilp_write_info *written)
{
    const struct report *report = job->request->report;
    FILE *out = job->request->out;
    for (size_t i = 0; i < report->replaced_count; i++) {
        fputs(i == 0 ? "; built again since: " : ", ", out);
        text_out(out, report->replaced[i], false);
    }
    if (report->replaced_count != 0) {
        fputs(written->size != 0 && !job->request->in_place ? " replaced" : " removed", out);
    }
}

/* With a change of another kind its own text comes first. */
void patch_summary(const struct job *job, const struct ilp_write_info *written)
{
    const struct report *report = job->request->report;
    FILE *out = job->request->out;
    if (job->request->quiet) {
        return;
    }
    text_out(out, job->shown, false);
    bool has_code = job->request->change || !facade_has_no_code(&report->facade);
    fprintf(out, ": %s", job->request->dry_run && has_code ? "would be patched: " : "");
    if (!has_code) {
        facade_print(&report->facade, out);
    } else if (job->request->change) {
        job->request->change->summary(job->request->change->user, out);
    } else {
        report_summary(&job->request->report->module, out);
    }
    if (report_embedded(report)) {
        fputs("; inspector embedded", out);
    }
    if (report->small_because) {
        fprintf(out, "; small inspector, since %s", report->small_because);
    }
    if (report->verified) {
        fputs("; verified: nothing new", out);
    }
    if (report->unverifiable != 0) {
        fprintf(out, " but %u unverifiable", report->unverifiable);
    }
    if (report->unknown != 0) {
        fprintf(out, "%s %u unknown, since types were not found (--reference-path)",
                report->unverifiable != 0 ? " and" : " but", report->unknown);
    }
    print_symbols(job, written);
    if (written->certificate_dropped) {
        fputs("; Authenticode signature dropped", out);
    }
    print_native_code(job, written);
    print_layout(job, written);
    print_strong_name(job, written);
    print_replaced(job, written);
    if (job->request->ids && report->module.ids == 0) {
        fputs("; no id is passed, so none is in the id map", out);
    }
    if (job->hashes != 0) {
        fprintf(out, "; hash of %u module%s recomputed", job->hashes, plural(job->hashes));
    }
    fputc('\n', out);
    module_files_print(report->image, job->output_path, job->request, out);
    const uint32_t *by_reason = job->request->report->module.by_reason;
    if (by_reason[ILP_REASON_UNDECIDED] != 0) {
        fprintf(out, "  some methods could not be decided: ilpatch list says why\n");
    }
    if (by_reason[ILP_REASON_UNRESOLVED] != 0) {
        references_print_missing(job->request->what->references, job->shown, out);
    }
}
