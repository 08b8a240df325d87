b/src/types/type_identity.o: src/types/type_identity.c \
 src/types/type_identity.h src/metadata/resolve.h src/metadata/image.h \
 src/alloc.h src/error.h include/ilpatch.h include/ilpatch/error.def \
 include/ilpatch/tables.def include/ilpatch/elements.def \
 include/ilpatch/rules.def include/ilpatch/reasons.def src/cursor.h \
 src/metadata/schema.h src/error.h src/metadata/coded.def src/sig/sig.h \
 src/buf.h src/alloc.h
src/types/type_identity.h:
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
