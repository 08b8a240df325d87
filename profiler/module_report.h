/* The report of one module. */
#ifndef ILPI_MODULE_REPORT_H
#define ILPI_MODULE_REPORT_H

#include "host/report_parts.h"

/* Of a module, while it is loaded. */
struct module_report {
    struct ilpi_json_text *methods; /* a part; NULL: no method was queried yet */
    struct ilpi_json_text *failed;  /* a part: methods that failed; NULL: none */
    struct report_summary summary;
};

#endif
