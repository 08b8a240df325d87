b/src/metadata/pe_plan.o: src/metadata/pe_plan.c src/metadata/pe_plan.h \
 src/metadata/layout.h src/metadata/edit.h src/metadata/heap_build.h \
 src/buf.h src/alloc.h src/error.h include/ilpatch.h \
 include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/metadata/image.h src/alloc.h \
 src/cursor.h src/metadata/schema.h src/error.h src/metadata/coded.def \
 src/metadata/out.h
src/metadata/pe_plan.h:
src/metadata/layout.h:
src/metadata/edit.h:
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
src/metadata/image.h:
src/alloc.h:
src/cursor.h:
src/metadata/schema.h:
src/error.h:
src/metadata/coded.def:
src/metadata/out.h:
