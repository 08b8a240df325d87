b/src/metadata/heap_build.o: src/metadata/heap_build.c \
 src/metadata/heap_build.h src/buf.h src/alloc.h src/error.h \
 include/ilpatch.h include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/cursor.h src/hash.h src/utf8.h
src/metadata/heap_build.h:
src/buf.h:
src/alloc.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/cursor.h:
src/hash.h:
src/utf8.h:
