b/tools/cmd_rules.o: tools/cmd_rules.c tools/report.h tools/request.h \
 tools/companion.h tools/file_io.h tools/tool.h include/ilpatch.h \
 include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def tools/references.h tools/text_out.h
tools/report.h:
tools/request.h:
tools/companion.h:
tools/file_io.h:
tools/tool.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
tools/references.h:
tools/text_out.h:
