/work/hi/b/src/inspect/rules.o: src/inspect/rules.c src/inspect/rules.h \
 src/inspect/pattern.h src/alloc.h src/error.h include/ilpatch.h \
 include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/inspect/vocabulary.h src/error.h \
 include/ilpatch/rules.def src/hash.h
src/inspect/rules.h:
src/inspect/pattern.h:
src/alloc.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/inspect/vocabulary.h:
src/error.h:
include/ilpatch/rules.def:
src/hash.h:
