/* The pages of HTML reports, and the style and the script that are put into them, as bytes of the command; page.c puts them together. */
    .section .rodata

.macro bytes_of name, files:vararg
    .global \name
    .global \name\()_size
\name:
    .irp file, \files
    .incbin "\file"
    .endr
\name\()_end:
    .balign 4
\name\()_size:
    .long \name\()_end - \name
.endm

    bytes_of html_page, "tools/export/report.html"
    bytes_of values_page, "tools/export/values.html"
    bytes_of page_style, "tools/export/page.css"
    bytes_of page_charts, "tools/export/chart.js", "tools/export/flame.js", "tools/export/timeline.js"
    .section .note.GNU-stack,"",%progbits
