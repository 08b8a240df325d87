/* ilpatch explain: prints what a code means, and what to do: of a status, of a method's outcome, of
 * a finding of `ilpatch verify`. Without a code it lists all. The texts are those of docs/, which
 * are part of the program (tools/explain/pages.S), so a page and the command cannot differ.
 *
 *   byref
 *     cause   The method returns 'ref T'.            one line for each cell of the row, with the
 *     cure    Add 'byref="inspect"' to the rule.     label of its column; a code that two tables
 *     kind    skipped                                have is printed with the cells of both */
#include <stdlib.h>
#include <string.h>

#include "host/schemas.h"
#include "host/text_out.h"
#include "tools/cmd/command_line.h"
#include "tools/explain/codes.h"
#include "tools/tool.h"

static const char help[] =
    "ilpatch explain [options] [CODE...]\n"
    "\n"
    "Prints what each CODE means, and what to do: a status of a file (NOT_PE), the outcome of a\n"
    "method (byref), or a finding of ilpatch verify (stack-underflow). Without CODE all of them\n"
    "are listed. docs/ERRORS.md, docs/INSPECTION.md and docs/VERIFY.md have the same.\n"
    "\n";

static const char help_end[] =
    "\n"
    "  ilpatch list App.dll                      the code of each method\n"
    "  ilpatch explain byref unresolved          what two of them mean\n"
    "\n"
    "Exit codes: 0 done, 2 bad usage, which an unknown CODE is.\n";

enum { LABEL_WIDTH = 10, LINE_WIDTH = 96 }; /* a label is at most "meaning" */

/* A mark of Markdown that is not shown: the bracket that begins a link, an asterisk of emphasis. An
 * asterisk within a word is a wildcard, as in `System.*`, and stays. */
static bool is_mark(const char *text, size_t i, size_t size)
{
    const char *end = text[i] == '[' ? memchr(text + i, ']', size - i) : NULL;
    return (end && end[1] == '(') ||
           (text[i] == '*' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '*'));
}

/* Without Markdown's marks: of `[text](target)` the text remains. */
static char *plain_text(const char *text, size_t size)
{
    char *plain = need(malloc(size + 1));
    size_t length = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\\' && i + 1 < size) {
            plain[length++] = text[++i];
        } else if (text[i] == ']' && i + 1 < size && text[i + 1] == '(') {
            const char *end = memchr(text + i, ')', size - i);
            i = end ? (size_t)(end - text) : size;
        } else if (!is_mark(text, i, size)) {
            plain[length++] = text[i] == '`' ? '\'' : text[i];
        }
    }
    plain[length] = '\0';
    return plain;
}

/* Words, broken into lines that begin at the same column. `text` is cut up: strtok() writes into
 * it. */
static void print_wrapped(const char *label, char *text)
{
    size_t column = LABEL_WIDTH;
    printf("  %-*s", LABEL_WIDTH - 2, label);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        size_t size = strlen(word);
        if (column > LABEL_WIDTH && column + 1 + size > LINE_WIDTH) {
            printf("\n%*s", LABEL_WIDTH, "");
            column = LABEL_WIDTH;
        }
        printf("%s%s", column > LABEL_WIDTH ? " " : "", word);
        column += size + (column > LABEL_WIDTH);
    }
    putchar('\n');
}

static void print_cells(const struct explained_code *row)
{
    for (unsigned i = 0; i < row->cell_count; i++) {
        char *text = plain_text(row->cells[i], row->cell_sizes[i]);
        if (text[0] != '\0') {
            print_wrapped(row->labels[i], text);
        }
        free(text);
    }
}

/* Each once, although a second table has some, too: those rows come later. */
static bool is_listed(const struct explained_code *row)
{
    struct explained_code before;
    struct code_place place = {.line = NULL};
    while (next_code(&place, &before) && before.code != row->code) {
        if (before.code_size == row->code_size &&
            memcmp(before.code, row->code, row->code_size) == 0) {
            return true;
        }
    }
    return false;
}

/* One per line without anything else, so that the list can be piped into a loop. */
static void list_codes(void)
{
    struct explained_code row;
    struct code_place place = {.line = NULL};
    while (next_code(&place, &row)) {
        if (!is_listed(&row)) {
            printf("%.*s\n", (int)row.code_size, row.code);
        }
    }
}

/* Codes of a page have no NUL at the end, which nearest_word() needs: so they are copied. */
static enum exit_code report_unknown(const char *word)
{
    struct explained_code row;
    struct code_place place = {.line = NULL};
    size_t count = 0;
    char **codes = NULL;
    while (next_code(&place, &row)) {
        codes = need(realloc(codes, (count + 1) * sizeof *codes));
        codes[count++] = need(strndup(row.code, row.code_size));
    }
    const char *nearest = nearest_word(word, (const char *const *)codes, count);
    enum exit_code code =
        nearest ? usage_error("explain", "unknown code '%s'; did you mean '%s'?", word, nearest)
                : usage_error("explain", "unknown code '%s'; 'ilpatch explain' lists all", word);
    for (size_t i = 0; i < count; i++) {
        free(codes[i]);
    }
    free(codes);
    return code;
}

/* A code may be in several tables: all that they say is printed. */
static bool print_code(const char *word)
{
    struct explained_code row;
    struct code_place place = {.line = NULL};
    bool found = false;
    while (next_code(&place, &row)) {
        if (is_code(&row, word)) {
            if (!found) {
                printf("%.*s\n", (int)row.code_size, row.code);
            }
            print_cells(&row);
            found = true;
        }
    }
    return found;
}

/* ---- JSON: a row of a table is an object ---- */

static void put_row(struct ilpi_json *json, const struct explained_code *row)
{
    ilpi_json_object(json, NULL, ILPI_JSON_INLINE);
    ilpi_json_bytes(json, "code", (struct ilp_bytes){(const uint8_t *)row->code, row->code_size});
    for (unsigned i = 0; i < row->cell_count; i++) {
        char *text = plain_text(row->cells[i], row->cell_sizes[i]);
        if (text[0] != '\0') {
            ilpi_json_string(json, row->labels[i], text);
        }
        free(text);
    }
    ilpi_json_end(json);
}

/* Of one code, or with NULL of all. */
static bool put_code(struct ilpi_json *json, const char *word)
{
    struct explained_code row;
    struct code_place place = {.line = NULL};
    bool found = false;
    while (next_code(&place, &row)) {
        if (!word || is_code(&row, word)) {
            put_row(json, &row);
            found = true;
        }
    }
    return found;
}

static enum exit_code print_json(char **words, int count)
{
    enum exit_code code = EXIT_DONE;
    struct ilpi_json json;
    ilpi_json_begin(&json, text_out_sink(stdout), ILPI_JSON_SPACED);
    schema_object(&json, SCHEMA_EXPLAIN, ILPI_JSON_INLINE);
    ilpi_json_array(&json, "codes", ILPI_JSON_LINES_ALWAYS);
    if (count == 0) {
        put_code(&json, NULL);
    }
    for (int i = 0; i < count; i++) {
        if (!put_code(&json, words[i])) {
            code = report_unknown(words[i]);
        }
    }
    ilpi_json_end(&json);
    ilpi_json_end(&json);
    return ilpi_json_finish(&json) == ILP_OK ? code : EXIT_CANNOT_WRITE;
}

/* ---- the command line ---- */

/* An unknown CODE is reported, and the others are explained all the same. */
enum exit_code cmd_explain(int argc, char **argv)
{
    struct option_reader reader;
    enum option_id option;
    bool as_json = false;
    (void)argc;
    options_begin(&reader, TAKEN_BY_EXPLAIN, argv, false);
    while ((option = options_next(&reader)) != OPTION_END) {
        switch (option) {
        case OPTION_JSON: as_json = true; break;
        case OPTION_HELP: return print_help(TAKEN_BY_EXPLAIN, help, help_end);
        default: return option_error("explain", &reader);
        }
    }
    if (as_json) {
        return print_json(reader.operands, reader.operand_count);
    }
    enum exit_code code = EXIT_DONE;
    if (reader.operand_count == 0) {
        list_codes();
    }
    for (int i = 0; i < reader.operand_count; i++) {
        code = worse(code, print_code(reader.operands[i]) ? EXIT_DONE
                                                          : report_unknown(reader.operands[i]));
    }
    return code;
}
