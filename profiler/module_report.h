/* What a report has of one module. */
#ifndef ILPI_MODULE_REPORT_H
#define ILPI_MODULE_REPORT_H

#include "host/report_parts.h"

/* Of one module, while it is there. */
struct module_report {
    struct ilpi_json_text *methods; /* a part; NULL: no method was requested yet */
    struct ilpi_json_text *failed;  /* a part: methods where something went wrong; NULL: none */
    struct report_summary summary;
};

#endif
