b/src/rules/build.o: src/rules/build.c src/rules/build.h src/buf.h \
 src/alloc.h src/error.h include/ilpatch.h include/ilpatch/error.def \
 include/ilpatch/tables.def include/ilpatch/elements.def \
 include/ilpatch/rules.def include/ilpatch/reasons.def src/rules/rules.h \
 src/rules/pattern.h src/alloc.h src/rules/vocabulary.h src/error.h \
 include/ilpatch/rules.def src/rules/value.h
src/rules/build.h:
src/buf.h:
src/alloc.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/rules/rules.h:
src/rules/pattern.h:
src/alloc.h:
src/rules/vocabulary.h:
src/error.h:
include/ilpatch/rules.def:
src/rules/value.h:
