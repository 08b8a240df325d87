b/tools/request.o: tools/request.c tools/request.h tools/companion.h \
 tools/file_io.h tools/tool.h include/ilpatch.h include/ilpatch/error.def \
 include/ilpatch/tables.def include/ilpatch/elements.def \
 include/ilpatch/rules.def include/ilpatch/reasons.def tools/references.h \
 tools/text_out.h include/ilpatch/rules.def
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
include/ilpatch/rules.def:
