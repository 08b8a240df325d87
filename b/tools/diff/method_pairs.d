b/tools/diff/method_pairs.o: tools/diff/method_pairs.c \
 tools/diff/method_pairs.h include/ilpatch.h include/ilpatch/error.def \
 include/ilpatch/tables.def include/ilpatch/elements.def \
 include/ilpatch/rules.def include/ilpatch/reasons.def src/hash.h \
 tools/tool.h
tools/diff/method_pairs.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/hash.h:
tools/tool.h:
