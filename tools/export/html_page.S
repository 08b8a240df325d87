/* The page of an HTML report as bytes of the command; html.c puts the trace into it. */
    .section .rodata
    .global html_page
    .global html_page_size
html_page:
    .incbin "tools/export/report.html"
html_page_end:
    .balign 4
html_page_size:
    .long html_page_end - html_page
    .section .note.GNU-stack,"",%progbits
