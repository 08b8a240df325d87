b/src/types/value_size.o: src/types/value_size.c src/types/value_size.h \
 src/metadata/resolve.h src/metadata/image.h src/alloc.h src/error.h \
 include/ilpatch.h include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/cursor.h src/metadata/schema.h \
 src/error.h src/metadata/coded.def src/sig/sig.h src/buf.h src/alloc.h \
 src/types/field_layout.h
src/types/value_size.h:
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
src/types/field_layout.h:
