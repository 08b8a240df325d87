/* Pages for a browser: files beside this one, with the style that they share, and what is written
 * into them. One file, no network, whatever the program that was traced has called its things. */
#ifndef PAGE_H
#define PAGE_H

#include "tools/export/format.h"

/* A page as a whole has a mark where its content is. See html_page.S. */
struct ilp_bytes page_of_calls(void);
struct ilp_bytes page_of_values(void);

/* The page up to its mark, with the style in place; and the rest. */
void page_begin(FILE *out, struct ilp_bytes page);
void page_end(FILE *out, struct ilp_bytes page);

/* Text from a program as the text of an element or of a quoted attribute: markup is escaped;
 * control characters, those that turn text around or are not seen, and what is no UTF-8, become
 * numbers. */
void page_text(FILE *out, struct ilp_bytes text);

#endif
