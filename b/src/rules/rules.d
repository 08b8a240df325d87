b/src/rules/rules.o: src/rules/rules.c src/rules/rules.h \
 src/rules/pattern.h src/alloc.h src/error.h include/ilpatch.h \
 include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/rules/vocabulary.h src/error.h \
 include/ilpatch/rules.def src/hash.h src/types/names.h src/buf.h \
 src/alloc.h src/metadata/image.h src/cursor.h src/metadata/schema.h \
 src/metadata/coded.def src/sig/sig.h
src/rules/rules.h:
src/rules/pattern.h:
src/alloc.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/rules/vocabulary.h:
src/error.h:
include/ilpatch/rules.def:
src/hash.h:
src/types/names.h:
src/buf.h:
src/alloc.h:
src/metadata/image.h:
src/cursor.h:
src/metadata/schema.h:
src/metadata/coded.def:
src/sig/sig.h:
