/* Reads rows of Markdown tables, line by line. See codes.h.
 *
 *   | `byref` | The method returns `ref T`. | Add [`byref="inspect"`](...) to the rule. |
 *     code      cells[0]                      cells[1]
 *
 * Only a row whose first cell is one code in back quotes counts, and of a page only the part after
 * its heading: docs/VERIFY.md has other tables, about JSON and options. */
#include "tools/explain/codes.h"

#include <ctype.h>
#include <string.h>

extern const char errors_page[], inspection_page[], verify_page[];

static const struct code_table {
    const char *page;
    const char *heading;
    const char *labels[CODE_CELLS];
} tables[] = {
    {errors_page, "\n## Statuses\n", {"cause", "cure", ""}},
    {inspection_page, "\n## All outcomes\n", {"kind", "meaning", ""}},
    {verify_page, "\n## All findings\n", {"kind", "clause", "meaning"}},
};

/* The end of a cell: a bar that is not part of the text ("\|"). */
static const char *cell_end(const char *text, const char *end)
{
    for (; text < end; text++) {
        /* text[-1] is part of the row: callers begin after its first character */
        if (text[0] == '|' && text[-1] != '\\') {
            return text;
        }
    }
    return NULL;
}

/* Without the spaces around it. Cells beyond CODE_CELLS have no label, and are dropped. */
static void add_cell(struct explained_code *row, const char *text, const char *end)
{
    while (text < end && *text == ' ') {
        text++;
    }
    while (end > text && end[-1] == ' ') {
        end--;
    }
    if (row->cell_count < CODE_CELLS) {
        row->cells[row->cell_count] = text;
        row->cell_sizes[row->cell_count++] = (size_t)(end - text);
    }
}

/* The bar has to follow the closing quote and one space: a cell with two codes, or with text after
 * one, does not count. */
static bool read_row(const char *line, const char *end, struct explained_code *row)
{
    static const char begin[] = "| `";
    *row = (struct explained_code){.code = NULL};
    if ((size_t)(end - line) < sizeof begin || memcmp(line, begin, sizeof begin - 1) != 0) {
        return false;
    }
    const char *code = line + sizeof begin - 1;
    const char *quote = memchr(code, '`', (size_t)(end - code));
    const char *bar = quote ? cell_end(quote, end) : NULL;
    if (!bar || bar != quote + 2) {
        return false;
    }
    row->code = code;
    row->code_size = (size_t)(quote - code);
    for (const char *next; (next = cell_end(bar + 1, end)) != NULL; bar = next) {
        add_cell(row, bar + 1, next);
    }
    return row->cell_count != 0;
}

/* The state is the number of the table, and the line to go on with; NULL: the table is not begun
 * yet. A page that lacks its heading has no rows. */
bool next_code(struct code_place *place, struct explained_code *row)
{
    for (; place->table < sizeof tables / sizeof tables[0]; place->table++, place->line = NULL) {
        const struct code_table *table = &tables[place->table];
        const char *line = place->line ? place->line : strstr(table->page, table->heading);
        for (const char *end; line && (end = strchr(line, '\n')) != NULL; line = end + 1) {
            if (read_row(line, end, row)) {
                memcpy(row->labels, table->labels, sizeof row->labels);
                place->line = end + 1;
                return true;
            }
        }
    }
    return false;
}

/* Case does not matter, and "-" is "_": NOT_PE may be typed as not-pe. */
bool is_code(const struct explained_code *row, const char *word)
{
    size_t i = 0;
    for (; i < row->code_size && word[i] != '\0'; i++) {
        int one = word[i] == '_' ? '-' : tolower((unsigned char)word[i]);
        int other = row->code[i] == '_' ? '-' : tolower((unsigned char)row->code[i]);
        if (one != other) {
            return false;
        }
    }
    return i == row->code_size && word[i] == '\0';
}
