/* The pages that explain codes, as bytes of the command; codes.c reads their tables. */
#include "host/object_file.h"

    READ_ONLY_DATA
.macro page_of name, file
    .global \name
\name:
    .incbin "\file"
    .byte 0
.endm

    page_of SYMBOL(errors_page), "docs/ERRORS.md"
    page_of SYMBOL(inspection_page), "docs/INSPECTION.md"
    page_of SYMBOL(verify_page), "docs/VERIFY.md"
    END_OF_DATA
