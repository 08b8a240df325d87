/work/hi/b/src/inspect/value_type.o: src/inspect/value_type.c \
 src/inspect/value_type.h src/metadata/resolve.h src/metadata/image.h \
 src/alloc.h src/error.h include/ilpatch.h include/ilpatch/error.def \
 include/ilpatch/tables.def include/ilpatch/elements.def \
 include/ilpatch/rules.def include/ilpatch/reasons.def src/cursor.h \
 src/metadata/schema.h src/error.h src/metadata/coded.def \
 data/known_types.def
src/inspect/value_type.h:
src/metadata/resolve.h:
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
data/known_types.def:
