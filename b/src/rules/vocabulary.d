b/src/rules/vocabulary.o: src/rules/vocabulary.c src/rules/vocabulary.h \
 src/error.h include/ilpatch.h include/ilpatch/error.def \
 include/ilpatch/tables.def include/ilpatch/elements.def \
 include/ilpatch/rules.def include/ilpatch/reasons.def \
 include/ilpatch/rules.def
src/rules/vocabulary.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
include/ilpatch/rules.def:
