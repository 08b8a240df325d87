/* Writes differences as JSON: see diff_json.h.
 *
 *   {"schema": 1, "old": "App.dll.orig", "new": "App.dll", "methods": [
 *     {"method": "int32 A::B()", "old_token": "0x06000002", ..., "result": "different", "lines": [
 *       {"change": "same", "old": "IL_0000: ldarg.0", "new": "IL_0000: ldarg.0"},
 *       {"change": "added", "new": "IL_0001: dup"},
 *
 * A program that wants only the changes leaves out what is "same"; one that draws two columns needs
 * all. So the options for context and columns do not apply. */
#include "tools/diff/diff_json.h"

#include <string.h>

#include "host/schemas.h"
#include "host/text_out.h"

void diff_json_begin(struct ilpi_json *json, const char *old_file, const char *new_file)
{
    ilpi_json_begin(json, text_out_sink(stdout), ILPI_JSON_SPACED);
    schema_object(json, SCHEMA_DIFF, ILPI_JSON_INLINE);
    ilpi_json_string(json, "old", old_file);
    ilpi_json_string(json, "new", new_file);
    ilpi_json_array(json, "methods", ILPI_JSON_LINES_ALWAYS);
}

static const char *change_word(char mark)
{
    switch (mark) {
    case ROW_CHANGED: return "changed";
    case ROW_OLD: return "removed";
    case ROW_NEW: return "added";
    default: return "same";
    }
}

/* Without the indentation, which is that of IL as text. */
static void put_line(struct ilpi_json *json, const char *name, const struct method_lines *side,
                     uint32_t line)
{
    const char *text = method_line(side, line);
    ilpi_json_string(json, name, text + strspn(text, " "));
}

static void put_rows(struct ilpi_json *json, const struct method_diff *diff)
{
    ilpi_json_array(json, "lines", ILPI_JSON_LINES);
    for (size_t i = 0; i < diff->row_count; i++) {
        const struct diff_row *row = &diff->rows[i];
        ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
        ilpi_json_string(json, "change", change_word(row->mark));
        if (row->mark != ROW_NEW) {
            put_line(json, "old", &diff->old_side, row->old_line);
        }
        if (row->mark != ROW_OLD) {
            put_line(json, "new", &diff->new_side, row->new_line);
        }
        ilpi_json_end(json);
    }
    ilpi_json_end(json);
}

void diff_json_method(struct ilpi_json *json, const struct method_pair *pair, const char *text,
                      enum method_difference result, const struct method_diff *diff)
{
    static const char *const words[] = {
        [METHOD_SAME] = "same", [METHOD_DIFFERS] = "different", [METHOD_TOO_LONG] = "too-long"};
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_string(json, "method", text);
    if (pair->old_rid != 0) {
        ilpi_json_token(json, "old_token", ILP_TOKEN(ILP_MethodDef, pair->old_rid));
    }
    if (pair->new_rid != 0) {
        ilpi_json_token(json, "new_token", ILP_TOKEN(ILP_MethodDef, pair->new_rid));
    }
    ilpi_json_string(json, "result", words[result]);
    if (result == METHOD_DIFFERS) {
        put_rows(json, diff);
    }
    ilpi_json_end(json);
}

void diff_json_end(struct ilpi_json *json, const struct diff_counts *counts)
{
    ilpi_json_end(json);
    ilpi_json_unsigned(json, "different", counts->differ);
    ilpi_json_unsigned(json, "same", counts->same);
    ilpi_json_unsigned(json, "only_old", counts->only_old);
    ilpi_json_unsigned(json, "only_new", counts->only_new);
    ilpi_json_unsigned(json, "not_compared", counts->skipped);
    ilpi_json_end(json);
}
