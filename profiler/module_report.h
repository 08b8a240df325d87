/* What a report has of one module. */
#ifndef ILPI_MODULE_REPORT_H
#define ILPI_MODULE_REPORT_H

#include "host/report_parts.h"

/* Of one module, while it is there. */
struct module_report {
    struct text_file methods; /* `out` NULL: no method was asked about yet */
    struct report_summary summary;
    char *failed; /* methods where something went wrong, as JSON; NULL: none */
};

#endif
