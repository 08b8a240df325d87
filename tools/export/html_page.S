/* The pages of HTML reports, and the style and the script that are put into them, as bytes of the command; page.c puts them together. */
#include "host/object_file.h"

    READ_ONLY_DATA

.macro bytes_of name, size, files:vararg
    .global \name
    .global \size
\name:
    .irp file, \files
    .incbin "\file"
    .endr
\name\()_end:
    .balign 4
\size:
    .long \name\()_end - \name
.endm

    bytes_of SYMBOL(html_page), SYMBOL(html_page_size), "tools/export/report.html"
    bytes_of SYMBOL(values_page), SYMBOL(values_page_size), "tools/export/values.html"
    bytes_of SYMBOL(page_style), SYMBOL(page_style_size), "tools/export/page.css"
    bytes_of SYMBOL(page_charts), SYMBOL(page_charts_size), "tools/export/chart.js", "tools/export/flame.js", "tools/export/timeline.js"
    END_OF_DATA
