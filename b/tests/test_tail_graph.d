b/tests/test_tail_graph: tests/unit/test_tail_graph.c \
 tests/unit/inspect_image.h src/inspect/rewrite.h src/il/body.h src/buf.h \
 src/alloc.h src/error.h include/ilpatch.h include/ilpatch/error.def \
 include/ilpatch/tables.def include/ilpatch/elements.def \
 include/ilpatch/rules.def include/ilpatch/reasons.def src/il/code.h \
 src/alloc.h src/il/opcode.h src/error.h src/il/opcodes.def \
 src/il/patch.h src/il/stack.h src/budget.h src/inspect/async.h \
 src/metadata/image.h src/cursor.h src/metadata/schema.h \
 src/metadata/coded.def src/inspect/inspector.h src/metadata/resolve.h \
 src/sig/sig.h src/inspect/policy.h src/types/value_type.h \
 src/inspect/tail_graph.h tests/unit/metadata_test.h src/metadata/edit.h \
 src/metadata/heap_build.h tests/unit/pe_builder.h \
 tests/unit/image_builder.h
tests/unit/inspect_image.h:
src/inspect/rewrite.h:
src/il/body.h:
src/buf.h:
src/alloc.h:
src/error.h:
include/ilpatch.h:
include/ilpatch/error.def:
include/ilpatch/tables.def:
include/ilpatch/elements.def:
include/ilpatch/rules.def:
include/ilpatch/reasons.def:
src/il/code.h:
src/alloc.h:
src/il/opcode.h:
src/error.h:
src/il/opcodes.def:
src/il/patch.h:
src/il/stack.h:
src/budget.h:
src/inspect/async.h:
src/metadata/image.h:
src/cursor.h:
src/metadata/schema.h:
src/metadata/coded.def:
src/inspect/inspector.h:
src/metadata/resolve.h:
src/sig/sig.h:
src/inspect/policy.h:
src/types/value_type.h:
src/inspect/tail_graph.h:
tests/unit/metadata_test.h:
src/metadata/edit.h:
src/metadata/heap_build.h:
tests/unit/pe_builder.h:
tests/unit/image_builder.h:
