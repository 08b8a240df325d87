b/tools/diff/text_keys.o: tools/diff/text_keys.c tools/diff/text_keys.h \
 src/hash.h tools/tool.h include/ilpatch.h include/ilpatch/error.def \
 include/ilpatch/tables.def include/ilpatch/elements.def \
 include/ilpatch/rules.def include/ilpatch/reasons.def
tools/diff/text_keys.h:
src/hash.h:
tools/tool.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
