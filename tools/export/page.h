/* Pages for a browser: files of this folder with a common style, and the text inserted into them.
 * The result is one file that loads nothing, whatever names the traced program has. */
#ifndef PAGE_H
#define PAGE_H

#include "tools/export/format.h"

/* A complete page has a mark for its content. See html_page.S. */
struct ilp_bytes page_of_calls(void);
struct ilp_bytes page_of_values(void);

/* Writes the page up to its mark, with the style inserted; then the rest. */
void page_begin(FILE *out, struct ilp_bytes page);
void page_end(FILE *out, struct ilp_bytes page);

/* Escapes a program's text for an element or a quoted attribute: markup is escaped; control
 * characters, bidirectional controls, invisible characters, and bytes that are not UTF-8 become
 * numbers. */
void page_text(FILE *out, struct ilp_bytes text);

#endif
