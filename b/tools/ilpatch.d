b/tools/ilpatch.o: tools/ilpatch.c tools/tool.h include/ilpatch.h \
 include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def
tools/tool.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
