/* The pages of HTML reports and the style that they share, as bytes of the command; page.c puts them together. */
    .section .rodata

.macro bytes_of name, file
    .global \name
    .global \name\()_size
\name:
    .incbin "\file"
\name\()_end:
    .balign 4
\name\()_size:
    .long \name\()_end - \name
.endm

    bytes_of html_page, "tools/export/report.html"
    bytes_of values_page, "tools/export/values.html"
    bytes_of page_style, "tools/export/page.css"
    .section .note.GNU-stack,"",%progbits
