b/src/types/task_type.o: src/types/task_type.c src/types/task_type.h \
 src/metadata/resolve.h src/metadata/image.h src/alloc.h src/error.h \
 include/ilpatch.h include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/cursor.h src/metadata/schema.h \
 src/error.h src/metadata/coded.def src/sig/sig.h src/buf.h src/alloc.h
src/types/task_type.h:
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
src/sig/sig.h:
src/buf.h:
src/alloc.h:
