b/tests/test_pattern: tests/unit/test_pattern.c \
 tests/unit/metadata_test.h src/metadata/edit.h src/metadata/heap_build.h \
 src/buf.h src/alloc.h src/error.h include/ilpatch.h \
 include/ilpatch/error.def include/ilpatch/tables.def \
 include/ilpatch/elements.def include/ilpatch/rules.def \
 include/ilpatch/reasons.def src/metadata/image.h src/alloc.h \
 src/cursor.h src/metadata/schema.h src/error.h src/metadata/coded.def \
 tests/unit/pe_builder.h tests/unit/image_builder.h src/rules/pattern.h \
 src/utf8.h
tests/unit/metadata_test.h:
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
tests/unit/pe_builder.h:
tests/unit/image_builder.h:
src/rules/pattern.h:
src/utf8.h:
