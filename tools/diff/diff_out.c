/* Prints differences. See diff_out.h.
 *
 * All texts are printed by text_out(), since names may contain any bytes. Colours are added around
 * a text, never inside. */
#include "tools/diff/diff_out.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "host/text_out.h"
#include "tools/tool.h"
#include "base/utf8.h"

#define DEFAULT_WIDTH 130u
#define CUT_MARK      "..."

/* ECMA-48, 8.3.117. */
#define COLOR_OLD    "\033[31m"
#define COLOR_NEW    "\033[32m"
#define COLOR_METHOD "\033[36m"
#define COLOR_FILE   "\033[1m"
#define COLOR_END    "\033[m"

static void put_color(const struct diff_style *style, const char *color)
{
    fputs(style->color ? color : "", stdout);
}

/* The colour ends before the line does: a terminal would paint the rest of its width otherwise. */
static void put_line(const struct diff_style *style, const char *color, const char *before,
                     const char *text)
{
    put_color(style, color);
    fputs(before, stdout);
    text_out(stdout, text, false);
    put_color(style, color[0] != '\0' ? COLOR_END : "");
    putchar('\n');
}

/* The head of a unified difference, as diff -u has it: tools that colour patches know it. */
void diff_out_files(const struct diff_style *style, const char *old_file, const char *new_file)
{
    put_line(style, COLOR_FILE, "--- ", old_file);
    put_line(style, COLOR_FILE, "+++ ", new_file);
}

/* "@@ 06000002 TEXT" if the row is the same in both files, else "@@ -06000002 +06000004 TEXT". */
void diff_out_method(const struct diff_style *style, const struct method_pair *pair,
                     const char *text)
{
    put_color(style, COLOR_METHOD);
    fputs("@@", stdout);
    if (pair->old_rid == pair->new_rid) {
        printf(" %08X", ILP_TOKEN(ILP_MethodDef, pair->old_rid));
    } else {
        if (pair->old_rid != 0) {
            printf(" -%08X", ILP_TOKEN(ILP_MethodDef, pair->old_rid));
        }
        if (pair->new_rid != 0) {
            printf(" +%08X", ILP_TOKEN(ILP_MethodDef, pair->new_rid));
        }
    }
    putchar(' ');
    text_out(stdout, text, false);
    put_color(style, COLOR_END);
    putchar('\n');
}

/* Indented as IL is, where lines have a mark in front. */
void diff_out_remark(const struct diff_style *style, const char *text)
{
    put_line(style, "", style->side_by_side ? "" : "     ", text);
}

/* ---- unified ---- */

/* Prints the changed rows from `first` on: the old lines, then the new ones. A block of changed
 * rows is complete before the next equal one, as in other unified differences. */
static size_t put_changed(const struct diff_style *style, const struct method_diff *diff,
                          size_t first)
{
    size_t end = first;
    while (end < diff->row_count && diff->rows[end].mark != ROW_SAME) {
        end++;
    }
    for (size_t i = first; i < end; i++) {
        if (diff->rows[i].mark != ROW_NEW) {
            put_line(style, COLOR_OLD, "-", method_line(&diff->old_side, diff->rows[i].old_line));
        }
    }
    for (size_t i = first; i < end; i++) {
        if (diff->rows[i].mark != ROW_OLD) {
            put_line(style, COLOR_NEW, "+", method_line(&diff->new_side, diff->rows[i].new_line));
        }
    }
    return end;
}

/* ---- side by side ---- */

/* The columns of a character: one, since no locale here knows better. A byte that is not UTF-8
 * counts as one. */
static size_t character_at(const char *text, size_t left)
{
    uint32_t code;
    unsigned length = ilpi_utf8_read((const uint8_t *)text, left, &code);
    return length != 0 ? length : 1;
}

/* A printable line without its indentation. Owned by the caller. */
static char *shown_line(const struct method_lines *side, uint32_t line)
{
    char *shown = NULL;
    size_t size = 0;
    FILE *out = need(open_memstream(&shown, &size));
    const char *text = method_line(side, line);
    text_out(out, text + strspn(text, " "), false);
    need(fclose(out) == 0 ? shown : NULL);
    return shown;
}

/* Prints a text in exactly `width` columns, without `fill` in at most so many, with a mark where it
 * is truncated. */
static void put_cell(const char *text, size_t width, bool fill)
{
    size_t size = strlen(text);
    size_t columns = 0;
    size_t cut = 0; /* bytes that fit before the mark */
    size_t at = 0;
    while (at < size && columns < width) {
        at += character_at(text + at, size - at);
        columns++;
        cut = columns <= width - strlen(CUT_MARK) ? at : cut;
    }
    if (at < size) {
        fwrite(text, 1, cut, stdout);
        fputs(CUT_MARK, stdout);
    } else {
        fwrite(text, 1, size, stdout);
    }
    for (; fill && columns < width; columns++) {
        putchar(' ');
    }
}

/*   old text, padded, cut      | mark |  new text, cut
 */
static void put_row(const struct diff_style *style, const struct method_diff *diff,
                    const struct diff_row *row)
{
    size_t width = (style->width - 3) /
                   2; /* of a column: between the two are a blank, the mark and a blank */
    char *old_text = row->mark != ROW_NEW ? shown_line(&diff->old_side, row->old_line) : NULL;
    char *new_text = row->mark != ROW_OLD ? shown_line(&diff->new_side, row->new_line) : NULL;
    bool changed = row->mark != ROW_SAME;
    put_color(style, changed && old_text ? COLOR_OLD : "");
    put_cell(old_text ? old_text : "", width, true);
    put_color(style, changed && old_text ? COLOR_END : "");
    putchar(' ');
    putchar(row->mark);
    if (new_text) {
        putchar(' ');
        put_color(style, changed ? COLOR_NEW : "");
        put_cell(new_text, width, false);
        put_color(style, changed ? COLOR_END : "");
    }
    putchar('\n');
    free(old_text);
    free(new_text);
}

/* ---- both ---- */

/* A row is shown if a change is within `context` rows before or after it. `next` is looked for once
 * per change, so the whole is linear. Where rows are left out, "..." stands for them. */
void diff_out_rows(const struct diff_style *style, const struct method_diff *diff)
{
    size_t count = diff->row_count;
    size_t last = SIZE_MAX; /* the previous change, and the next one from this row on */
    size_t next = 0;
    size_t shown = 0; /* rows printed until now */
    bool any = false;
    for (size_t row = 0; row < count;) {
        for (next = next < row ? row : next; next < count && diff->rows[next].mark == ROW_SAME;) {
            next++;
        }
        bool near = (next < count && next - row <= style->context) ||
                    (last != SIZE_MAX && row - last <= style->context);
        if (!near) {
            row++;
            continue;
        }
        if (any && shown < row) {
            put_line(style, "", style->side_by_side ? "" : "     ", "...");
        }
        if (style->side_by_side) {
            put_row(style, diff, &diff->rows[row]);
            last = next == row ? row : last;
            row++;
        } else if (next == row) {
            row = put_changed(style, diff, row);
            last = row - 1;
        } else {
            put_line(style, "", " ", method_line(&diff->new_side, diff->rows[row].new_line));
            row++;
        }
        shown = row;
        any = true;
    }
}

/* In this order, since COLUMNS is often not exported, or is that of another window. */
unsigned diff_out_width(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
        return size.ws_col < DIFF_LEAST_WIDTH ? DIFF_LEAST_WIDTH : size.ws_col;
    }
    const char *columns = getenv("COLUMNS");
    unsigned long width = columns ? strtoul(columns, NULL, 10) : 0;
    return width >= DIFF_LEAST_WIDTH && width <= DIFF_MOST_WIDTH ? (unsigned)width : DEFAULT_WIDTH;
}
