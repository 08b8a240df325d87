/work/hi/b/src/inspect/vocabulary.o: src/inspect/vocabulary.c \
 src/inspect/vocabulary.h src/error.h include/ilpatch.h \
 include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def include/ilpatch/rules.def
src/inspect/vocabulary.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
include/ilpatch/rules.def:
