/* Prints differences on standard output: unified, or side by side. */
#ifndef DIFF_OUT_H
#define DIFF_OUT_H

#include "tools/diff/method_diff.h"
#include "tools/diff/method_pairs.h"

#define DIFF_LEAST_WIDTH 40u
#define DIFF_MOST_WIDTH  10000u

struct diff_style {
    size_t context;    /* equal rows around a change */
    bool side_by_side; /* else unified */
    unsigned width;    /* of both columns together */
    bool color;
};

/* The two files' names, once, before anything else. */
void diff_out_files(const struct diff_style *style, const char *old_file, const char *new_file);

/* "@@ 06000002 int32 A::B()": the line before a method's rows. */
void diff_out_method(const struct diff_style *style, const struct method_pair *pair,
                     const char *text);

/* A line about the method instead of its rows. */
void diff_out_remark(const struct diff_style *style, const char *text);

void diff_out_rows(const struct diff_style *style, const struct method_diff *diff);

/* The columns of the terminal on standard output, or of COLUMNS, or 130. */
unsigned diff_out_width(void);

#endif
