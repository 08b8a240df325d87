/work/hi/b/src/inspect/names.o: src/inspect/names.c src/inspect/names.h \
 src/buf.h src/alloc.h src/error.h include/ilpatch.h \
 include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/metadata/image.h src/alloc.h \
 src/cursor.h src/metadata/schema.h src/error.h src/metadata/coded.def \
 src/sig/sig.h
src/inspect/names.h:
src/buf.h:
src/alloc.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/metadata/image.h:
src/alloc.h:
src/cursor.h:
src/metadata/schema.h:
src/error.h:
src/metadata/coded.def:
src/sig/sig.h:
