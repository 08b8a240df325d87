b/src/metadata/row_read.o: src/metadata/row_read.c src/metadata/image.h \
 src/alloc.h src/error.h include/ilpatch.h include/ilpatch/error.def \
 include/ilpatch/tables.def include/ilpatch/elements.def \
 include/ilpatch/rules.def include/ilpatch/reasons.def src/cursor.h \
 src/metadata/schema.h src/error.h src/metadata/coded.def
src/metadata/image.h:
src/alloc.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/cursor.h:
src/metadata/schema.h:
src/error.h:
src/metadata/coded.def:
