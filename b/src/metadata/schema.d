b/src/metadata/schema.o: src/metadata/schema.c src/metadata/schema.h \
 src/error.h include/ilpatch.h include/ilpatch/error.def \
 include/ilpatch/tables.def include/ilpatch/elements.def \
 include/ilpatch/rules.def include/ilpatch/reasons.def \
 src/metadata/coded.def include/ilpatch/tables.def
src/metadata/schema.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/metadata/coded.def:
include/ilpatch/tables.def:
