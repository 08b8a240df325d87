/work/hi/b/src/inspect/rules_build.o: src/inspect/rules_build.c \
 src/inspect/rules_build.h src/buf.h src/alloc.h src/error.h \
 include/ilpatch.h include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/inspect/rules.h src/inspect/pattern.h \
 src/alloc.h src/inspect/vocabulary.h src/error.h \
 include/ilpatch/rules.def src/inspect/rules_value.h
src/inspect/rules_build.h:
src/buf.h:
src/alloc.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/inspect/rules.h:
src/inspect/pattern.h:
src/alloc.h:
src/inspect/vocabulary.h:
src/error.h:
include/ilpatch/rules.def:
src/inspect/rules_value.h:
