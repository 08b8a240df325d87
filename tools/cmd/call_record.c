/* Records calls: status lines, counts and the report at the end. See call_record.h.
 *
 * The profiler sends one line for each thing that it reports, "WORD TEXT" (launch.h). Lines of
 * several processes come through one pipe, so counts are added up by their word, and the words are
 * the profiler's: a new count needs no change here. */
#include "tools/cmd/call_record.h"

#include <stdlib.h>
#include <string.h>

#include "host/path.h"
#include "tools/tool.h"

/* ---- options ---- */

/* Options that would have no effect are refused, rather than ignored: whoever gives one expects
 * something of it. Without times there is only a count of calls, and one format can show that. */
enum exit_code call_record_check(const struct call_record *record,
                                 const struct trace_settings *trace, const char *command)
{
    const struct conversion *conversion = &record->conversion;
    const char *kept = record->recorded.kept;
    bool reports = !kept || conversion->output || conversion->format;
    if ((conversion->subtract || conversion->raw_names) && !reports) {
        return usage_error(
            command,
            "--%s is about a report, and with --spool alone there is none; give it to "
            "ilpatch report, or -o OUT",
            conversion->subtract ? "subtract-cost" : "raw-names");
    }
    if (kept && reports && !path_is_file_or_free(kept)) {
        return usage_error(command,
                           "a report is made of a spool that is a file, and %s is none: leave out "
                           "-o and --format, or name a file",
                           kept);
    }
    if (trace->no_times && (trace->values || conversion->subtract)) {
        return usage_error(command, "--no-times only counts calls, so %s has no effect",
                           trace->values ? "--values" : "--subtract-cost");
    }
    if (trace->no_times && conversion->chosen &&
        strcmp(conversion->chosen->name, FORMAT_WITHOUT_TIMES) != 0) {
        return usage_error(
            command, "with --no-times there is the format " FORMAT_WITHOUT_TIMES " alone, not %s",
            conversion->chosen->name);
    }
    return EXIT_DONE;
}

/* ---- status lines ---- */

/* A free slot has an empty word; the last one takes everything that does not fit. */
static void add_count(struct call_record *record, const char *text)
{
    struct call_count said;
    size_t i = 0;
    if (sscanf(text, "%23s %llu", said.word, &said.total) == 2) {
        while (i < MAX_COUNTS - 1 && record->counts[i].word[0] != '\0' &&
               strcmp(record->counts[i].word, said.word) != 0) {
            i++;
        }
        memcpy(record->counts[i].word, said.word, sizeof said.word);
        record->counts[i].total += said.total;
    }
}

/*   module TEXT      a module that is left alone: printed with --verbose
 *   trace TEXT       printed with --verbose
 *   method, values   printed
 *   unwritten TEXT   printed, and some records are lost
 *   hooks WORD N     a count, added to that of its word */
bool call_record_take_line(struct call_record *record, const char *word, const char *text)
{
    if (strcmp(word, "module") == 0) {
        if (record->verbose) {
            report_message("left alone: %s", text);
        }
    } else if (strcmp(word, "method") == 0) {
        report_message("method %s", text);
    } else if (strcmp(word, "values") == 0 || (strcmp(word, "trace") == 0 && record->verbose)) {
        report_message("%s", text);
    } else if (strcmp(word, "unwritten") == 0) {
        report_message("%s", text);
        record->lost = true;
    } else if (strcmp(word, "hooks") == 0) {
        add_count(record, text);
    } else {
        return false;
    }
    return true;
}

/* "recorded 120 calls, 3 threads": words with a count of 0 are left out. That no call was recorded
 * is said only if every process reported its end: of a killed one the counts are not known. */
static void report_counts(const struct call_record *record, const struct launch *launch,
                          const char *none)
{
    char *line = need(strdup("recorded"));
    for (size_t i = 0; i < MAX_COUNTS; i++) {
        if (record->counts[i].total != 0) {
            char *longer = format_text("%s %llu %s,", line, record->counts[i].total,
                                       record->counts[i].word);
            free(line);
            line = longer;
        }
    }
    char *comma = strrchr(line, ',');
    if (comma) {
        *comma = '\0';
        report_message("%s", line);
    } else if (launch->ended >= launch->loaded) {
        report_message("no call was recorded; %s", none);
    }
    if (launch->ended < launch->loaded) {
        report_message(
            "%u of %u processes ended without their runtime's shutdown; what they did until then "
            "is recorded",
            launch->loaded - launch->ended, launch->loaded);
    }
    free(line);
}

void call_record_report(struct call_record *record, const struct launch *launch, const char *none)
{
    if (launch->lost != 0 && !record->lost) { /* by a process that did not report it itself */
        report_message("%s: cannot write: %s",
                       record->recorded.kept ? record->recorded.kept : record->recorded.path,
                       launch_lost_reason(launch));
        record->lost = true;
    }
    if (launch->loaded && !record->quiet) {
        report_counts(record, launch, none);
    }
}

/* ---- the report ---- */

/* The spool is kept if the report cannot be written, because it is the only copy. With --spool
 * alone there is nothing to convert. */
enum exit_code call_record_convert(struct call_record *record)
{
    struct recorded *recorded = &record->recorded;
    if (recorded_is_empty(recorded)) { /* the reason has been reported */
        return EXIT_INCOMPLETE;
    }
    if (recorded->kept && !record->conversion.output && !record->conversion.format) {
        if (!record->quiet) {
            report_message("recorded in %s; ilpatch report shows it", recorded->kept);
        }
        return record->lost ? EXIT_INCOMPLETE : EXIT_DONE;
    }
    enum exit_code code = convert(&record->conversion, &recorded->path, 1);
    if (code == EXIT_CANNOT_WRITE && !recorded->kept) { /* recording may have taken hours */
        recorded_keep(recorded);
        report_message("what was recorded is in %s; ilpatch report shows it", recorded->path);
    }
    return code == EXIT_DONE && record->lost ? EXIT_INCOMPLETE : code;
}
